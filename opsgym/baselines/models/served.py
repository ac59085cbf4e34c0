"""ServedModel: a model behind HTTP; the two APIs differ in how they write and read."""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from opsgym.baselines.chat import ChatReply, ChatRequest
from opsgym.baselines.models.endpoint import Endpoint
from opsgym.baselines.models.http import HttpClient, Retries, Sleep, Timeouts
from opsgym.baselines.models.prices import PriceList
from opsgym.core.errors import TaskError
from opsgym.core.task import JsonDict, canonical_json

__all__ = ["ServedModel"]


class ServedModel(ABC):
    """Base of the clients.

    Args:
        name: Name of the model, as the server knows it.
        base_url: Where it is served.
        secret_headers: Headers that hold a key.
        headers: Other headers.
        options: What else the answers depend on; part of :attr:`identity`.
        extra: Fields to add to every request's body, or with ``None`` to leave out of it.
        prices: Prices, or the path of a price file that comes before the shipped one.
        timeouts: When an attempt is given up.
        retries: When a request is.
        concurrency: Greatest number of requests under way.
        sleep: How to wait between attempts.
        rng: Source of the waits' jitter.
    """

    _path: str

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        secret_headers: Mapping[str, SecretStr],
        headers: dict[str, str] | None = None,
        options: JsonDict | None = None,
        extra: Mapping[str, Any] | None = None,
        prices: PriceList | str | Path | None = None,
        timeouts: Timeouts | None = None,
        retries: Retries | None = None,
        concurrency: int = 8,
        sleep: Sleep = asyncio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        if not name:
            raise TaskError("expected the name of a model, got an empty one", field="name")
        self._name = name
        self._extra = dict(extra or {})
        self._identity = canonical_json([type(self).__name__, name, options or {}, self._extra])
        self._prices = prices if isinstance(prices, PriceList) else PriceList.load(prices)
        self._client = HttpClient(
            Endpoint(base_url, secret_headers),
            headers=headers,
            timeouts=timeouts,
            retries=retries,
            concurrency=concurrency,
            sleep=sleep,
            rng=rng,
        )

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._name

    @property
    def identity(self) -> str:
        """All that answers depend on beside the request, for caches; not the address, which changes from run to run."""
        return self._identity

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r}, base_url={repr(self._client.endpoint)!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request; see :class:`~opsgym.baselines.chat.ChatModel`."""
        body = {**self._encode(request), **self._extra}
        body = {key: value for key, value in body.items() if value is not None}
        reply = await self._client.post(self._path, body, partial(self._decode, request=request))
        return reply.model_copy(update={"usage": self._prices.bill(reply.usage, self._name, reply.model)})

    async def aclose(self) -> None:
        """Close connections."""
        await self._client.aclose()

    @abstractmethod
    def _encode(self, request: ChatRequest) -> JsonDict:
        """The body of a request."""

    @abstractmethod
    def _decode(self, content: bytes, request: ChatRequest) -> ChatReply:
        """The reply in the body of an answer; ``ValueError`` where there is none."""
