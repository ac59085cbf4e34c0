"""RunModel: the language model of a run, and what of it may be written down."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from opsgym.baselines.chat import ChatModel
from opsgym.core.task import JsonDict
from opsgym.evaluate.run_plan import as_json

if TYPE_CHECKING:
    from opsgym.baselines.models import RequestCache

OPERATIONAL = ("concurrency", "key_env", "prices", "retries", "timeouts")
"""Options of a model that do not change what it answers: a run may go on with others."""


class AnyModel(Protocol):
    """What a run asks: :class:`RunModel`, or the models of a team."""

    @property
    def model(self) -> Any:
        """What its stages are given."""

    def opened(self) -> AbstractAsyncContextManager[RequestCache | None]:
        """The file of replies, while the run goes on."""


@dataclass(frozen=True, kw_only=True)
class RunModel:
    """The model of a run, or none.

    Attributes:
        model: The model.
        name: Its name in the plan.
        base_url: Where it is served, without user, password, query and fragment, which may be secret.
        options: Those of its options that change what it answers.
        cache: File of its replies; ``None`` keeps none.
        owned: Whether it was made for the run, which closes it then.
    """

    model: ChatModel | None = None
    name: str | None = None
    base_url: str | None = None
    options: JsonDict
    cache: Path | None = None
    owned: bool = False

    @classmethod
    def make(
        cls,
        model: str | ChatModel | None,
        *,
        base_url: str | None = None,
        options: Mapping[str, Any],
        cache: str | os.PathLike[str] | None = None,
        concurrency: int = 1,
    ) -> RunModel:
        """The model of a name, or the one given.

        Args:
            model: The name, or a model.
            base_url: Where it is served.
            options: Its options.
            cache: File of its replies.
            concurrency: Greatest number of requests under way, where the options do not say it.

        Raises:
            ModelError: The key is absent.
            RegistryError: Unknown kind of model.
            TaskError: An option does not fit.
        """
        lasting = {name: value for name, value in options.items() if name not in OPERATIONAL}
        shown = {
            "base_url": None if base_url is None else _without_secrets(base_url),
            "options": as_json(lasting, "model_options"),
            "cache": None if cache is None else Path(cache),
        }
        if not isinstance(model, str):
            return cls(model=model, name=None if model is None else model.name, **shown)
        from opsgym.baselines.models import make_model

        served = {} if model.startswith("scripted:") else {"concurrency": concurrency}
        return cls(model=make_model(model, base_url=base_url, **{**served, **options}), name=model, owned=True, **shown)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[RequestCache | None]:
        """The file of replies, where one is kept; the model is closed at the end, where it is owned."""
        from opsgym.baselines.models import RequestCache

        cache = None if self.model is None or self.cache is None else RequestCache(self.cache)
        try:
            yield cache
        finally:
            if self.model is not None and self.owned:
                await self.model.aclose()
            if cache is not None:
                cache.close()


def _without_secrets(url: str) -> str:
    """A URL without user, password, query and fragment.

    >>> _without_secrets("https://me:secret@host:8000/v1?key=secret")
    'https://host:8000/v1'
    """
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
