"""TeamModels: the language models of a team's roles."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opsgym.baselines.chat import ChatModel
from opsgym.core.task import JsonDict
from opsgym.evaluate.run_model import RunModel

if TYPE_CHECKING:
    from opsgym.baselines.models import RequestCache


@dataclass(frozen=True, kw_only=True)
class TeamModels:
    """The models by role; roles that name the same one share it.

    Attributes:
        roles: The model of each role that may ask one.
        cache: File of their replies; ``None`` keeps none.
    """

    roles: Mapping[str, RunModel]
    cache: Path | None = None

    @classmethod
    def make(
        cls,
        default: str | ChatModel | None,
        own: Mapping[str, str | ChatModel],
        roles: tuple[str, ...],
        *,
        base_url: str | None,
        options: Mapping[str, Any],
        cache: Path | None,
        concurrency: int,
    ) -> TeamModels:
        """The models of roles.

        Args:
            default: The model of roles that have no own.
            own: The models of other roles.
            roles: All roles.
            base_url: Where models are served.
            options: Options of the models; those of a script, which has none, are passed over.
            cache: File of replies.
            concurrency: Greatest number of requests under way.

        Raises:
            ModelError: The key is absent.
            RegistryError: Unknown kind of model.
            TaskError: An option does not fit.
        """
        made: dict[int | str, RunModel] = {}
        chosen: dict[str, RunModel] = {}
        for role in roles:
            model = own.get(role, default)
            if model is None:
                continue
            key = model if isinstance(model, str) else id(model)
            if key not in made:
                scripted = isinstance(model, str) and model.startswith("scripted:")
                made[key] = RunModel.make(
                    model, base_url=None if scripted else base_url, options={} if scripted else options, concurrency=concurrency
                )
            chosen[role] = made[key]
        return cls(roles=chosen, cache=cache)

    def only(self, roles: tuple[str, ...]) -> TeamModels:
        """The models of roles that ask one."""
        return TeamModels(roles={role: model for role, model in self.roles.items() if role in roles}, cache=self.cache)

    @property
    def model(self) -> dict[str, ChatModel]:
        """The models by role."""
        return {role: run.model for role, run in self.roles.items() if run.model is not None}

    @property
    def name(self) -> str | None:
        """Names of the models; ``None`` when no role asks one."""
        return ", ".join(sorted({str(run.name) for run in self.roles.values()})) or None

    @property
    def options(self) -> JsonDict:
        """Those of their options that change what they answer."""
        return next((dict(run.options) for run in self.roles.values() if run.options), {})

    @property
    def base_url(self) -> str | None:
        """Where they are served, without what may be secret."""
        return next((run.base_url for run in self.roles.values() if run.base_url), None)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[RequestCache | None]:
        """The file of replies, where one is kept; the models are closed at the end."""
        from opsgym.baselines.models import RequestCache

        async with AsyncExitStack() as stack:
            cache = None if self.cache is None or not self.roles else RequestCache(self.cache)
            if cache is not None:
                stack.callback(cache.close)
            for run in {id(run): run for run in self.roles.values()}.values():
                await stack.enter_async_context(run.opened())
            yield cache
