"""OpenAIModel: chat completions, from OpenAI or any server that speaks its API."""

from __future__ import annotations

from typing import Any

from opsgym.baselines.chat import ChatReply, ChatRequest
from opsgym.baselines.models import openai_wire
from opsgym.baselines.models.endpoint import bearer, key_from_environment
from opsgym.baselines.models.served import ServedModel
from opsgym.core.errors import RegistryError
from opsgym.core.task import JsonDict

__all__ = ["OpenAIModel"]

BASE_URL = "https://api.openai.com/v1"


class OpenAIModel(ServedModel):
    """A model behind an OpenAI-compatible server: OpenAI, vLLM, llama.cpp, Ollama, a gateway.

    Args:
        name: Name of the model, as the server knows it.
        base_url: Where it is served, with ``/v1`` where the server wants it; by default OpenAI.
        key_env: Environment variable that holds the key.  By default ``OPENAI_API_KEY``, which only OpenAI itself requires: a
            server of your own gets it where it is set.
        structured: How a schema for the reply is asked for: ``"json_schema"``, or ``"json_object"`` for llama.cpp's server in
            Python.
        max_tokens_field: Name of the field for the greatest number of tokens; by default ``max_completion_tokens`` for OpenAI
            itself and ``max_tokens`` elsewhere.
        **common: See :class:`~opsgym.baselines.models.served.ServedModel`: ``extra``, ``prices``, ``timeouts``, ``retries``,
            ``concurrency``, ``sleep``, ``rng``.

    Raises:
        ModelError: ``unauthorized``: the key is required and absent.
        RegistryError: Unknown way to ask for a schema.
        TaskError: Another argument is invalid.

    Example:
        >>> OpenAIModel("smollm2", base_url="http://user:secret@localhost:8000/v1")
        OpenAIModel('smollm2', base_url='http://localhost:8000/v1')
    """

    _path = "/chat/completions"

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        key_env: str | None = None,
        structured: openai_wire.Structured = "json_schema",
        max_tokens_field: str | None = None,
        **common: Any,
    ) -> None:
        if structured not in ("json_schema", "json_object"):
            raise RegistryError("way to ask for a schema", structured, ("json_schema", "json_object"))
        at_home = base_url is None or base_url.rstrip("/") == BASE_URL
        key = key_from_environment(key_env or "OPENAI_API_KEY", required=at_home or key_env is not None)
        self._structured = structured
        self._max_tokens_field = max_tokens_field or ("max_completion_tokens" if at_home else "max_tokens")
        super().__init__(
            name,
            base_url=BASE_URL if base_url is None else base_url,
            secret_headers={"Authorization": bearer(key)} if key else {},
            options={"structured": structured},
            **common,
        )

    def _encode(self, request: ChatRequest) -> JsonDict:
        return openai_wire.encode_request(
            request, self._name, max_tokens_field=self._max_tokens_field, structured=self._structured
        )

    def _decode(self, content: bytes, request: ChatRequest) -> ChatReply:
        return openai_wire.decode_reply(content, request)
