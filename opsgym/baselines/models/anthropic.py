"""AnthropicModel: Anthropic's messages API."""

from __future__ import annotations

from typing import Any

from opsgym.baselines.chat import ChatReply, ChatRequest
from opsgym.baselines.models import anthropic_wire
from opsgym.baselines.models.endpoint import key_from_environment
from opsgym.baselines.models.served import ServedModel
from opsgym.core.errors import RegistryError
from opsgym.core.task import JsonDict

__all__ = ["AnthropicModel"]

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"


class AnthropicModel(ServedModel):
    """A model behind Anthropic's messages API, or a server that speaks it.

    The system text goes apart, neighbours of one role are merged, and reasoning that the server signed is sent back as it came.
    A seed is left out: the API has none.  Newer models refuse a temperature; ``extra={"temperature": None}`` leaves it out.

    Args:
        name: Name of the model, as the server knows it.
        base_url: Where it is served, with or without ``/v1``; by default Anthropic.
        key_env: Environment variable that holds the key.  By default ``ANTHROPIC_API_KEY``, which only Anthropic itself requires.
        structured: How a schema for the reply is asked for: ``"json_schema"`` (``output_config``), or ``"tool"``, a tool that
            must be called, for servers that do not know the former.
        prompt_cache: Whether to mark tools, system text and conversation for the server's prompt cache: the turns of an
            episode share their beginning.
        **common: See :class:`~opsgym.baselines.models.served.ServedModel`: ``extra``, ``prices``, ``timeouts``, ``retries``,
            ``concurrency``, ``sleep``, ``rng``.

    Raises:
        ModelError: ``unauthorized``: the key is required and absent.
        RegistryError: Unknown way to ask for a schema.
        TaskError: Another argument is invalid.
    """

    _path = "/v1/messages"

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        key_env: str | None = None,
        structured: anthropic_wire.Structured = "json_schema",
        prompt_cache: bool = True,
        **common: Any,
    ) -> None:
        if structured not in ("json_schema", "tool"):
            raise RegistryError("way to ask for a schema", structured, ("json_schema", "tool"))
        root = BASE_URL if base_url is None else base_url.rstrip("/").removesuffix("/v1")
        key = key_from_environment(key_env or "ANTHROPIC_API_KEY", required=root == BASE_URL or key_env is not None)
        self._structured, self._prompt_cache = structured, prompt_cache
        super().__init__(
            name,
            base_url=root,
            secret_headers={"X-Api-Key": key} if key else {},
            headers={"Anthropic-Version": VERSION},
            options={"structured": structured},
            **common,
        )

    def _encode(self, request: ChatRequest) -> JsonDict:
        return anthropic_wire.encode_request(request, self._name, prompt_cache=self._prompt_cache, structured=self._structured)

    def _decode(self, content: bytes, request: ChatRequest) -> ChatReply:
        return anthropic_wire.decode_reply(content, request)
