"""Family: what an environment family provides so that :class:`~opsgym.envs.tool_env.ToolEnv` can play it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from opsgym.core.params import Params
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.verify import Verdict
from opsgym.core.world import World

P = TypeVar("P", bound=Params)


class Family(ABC, Generic[P]):
    """The plug-in behind an environment id.

    A family is stateless: worlds, sessions and random streams are handed in.  Importing a family must not
    import ortools or another extra; it does so where it compiles.
    """

    id: ClassVar[str]
    """Environment id, for example ``"ERPBench-v0"``."""
    version: ClassVar[str]
    """Version of the compiler; part of every task's identity, changed whenever a task would change."""
    params_type: ClassVar[type[Params]]
    """The model of difficulty parameters."""
    tiers: ClassVar[tuple[str, ...]]
    """Names of the difficulty regions, easiest first."""
    patterns: ClassVar[tuple[str, ...]]
    """Names of the structural patterns that can be generated."""
    harnesses: ClassVar[tuple[str, ...]] = ("tools",)
    """Tool surfaces; the first is the default."""
    disclosures: ClassVar[tuple[str, ...]] = ("full",)
    """How much the brief says; the first is the default."""
    reward_modes: ClassVar[tuple[str, ...]] = ("paper", "binary", "dense")
    """Reward rules; the first is the default."""
    max_steps: ClassVar[int] = 400
    """Default turn budget of an episode."""

    @abstractmethod
    def draw(
        self, seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
    ) -> P:
        """Difficulty parameters for ``seed``, from the region that ``tier`` and ``pattern`` name.

        Raises:
            RegistryError: Unknown tier, pattern or parameter.
            TaskError: The overrides do not fit the parameter model.
        """

    @abstractmethod
    def compile(self, params: P, seed: int) -> Task:
        """The task of (version, params, seed): byte-identical in any process.

        Raises:
            TaskError: No plan satisfies the parameters; says which constraint conflicts.
        """

    @abstractmethod
    def open(self, task: Task) -> World:
        """A freshly seeded world of ``task``."""

    @abstractmethod
    def session(self, world: World, task: Task) -> Any:
        """What the tools act on; holds no state of its own beyond ``world``."""

    @abstractmethod
    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        """The tools of a harness; shared, made once."""

    @abstractmethod
    def verify(self, before: World, after: World, task: Task) -> Verdict:
        """Judge an end state; reads the two worlds and the task, nothing else."""

    @abstractmethod
    def brief(self, task: Task, disclosure: str) -> str:
        """The instruction under a disclosure level."""

    def render(self, world: World, task: Task) -> str:
        """A short readable summary of the world for ``render``."""
        return f"{task.family} {task.pattern}"

    def policies(self) -> Mapping[str, Callable[[Task], Sequence[ToolCall]]]:
        """Fixed planners by name: each gives the calls, under the default harness, that it answers a task with."""
        return {}

    def exploits(self, task: Task) -> Mapping[str, Sequence[ToolCall]]:
        """Known exploits as lists of calls; none may score above the constraint-gated score."""
        return {}

    def audit(self, before: World, after: World, task: Task) -> Sequence[tuple[str, bool]]:
        """The mutation audit: a rule's name, and whether that rule fails, for each end state mutated to break it.

        Args:
            before: The seeded world.
            after: A solved world.
            task: The task.
        """
        return ()

    def invariants(self, world: World, task: Task) -> Sequence[str]:
        """Violated invariants of a world beyond those of :meth:`World.check`, one sentence each; empty when sound."""
        return ()
