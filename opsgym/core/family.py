"""Family: what an environment family provides so that :class:`~opsgym.envs.tool_env.ToolEnv` can play it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

from typing_extensions import TypeVar

from opsgym.core.params import Params
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.verify import Verdict
from opsgym.core.world import WorldLike

P = TypeVar("P", bound=Params)
W = TypeVar("W", bound=WorldLike, default=Any)
"""The family's kind of world."""


@dataclass(frozen=True, slots=True)
class FixedSet:
    """A set of tasks that never changes, by which results are compared; it ships with the package as a pack.

    Attributes:
        name: Its name, for citation, for example ``"erpbench-300"``.
        split: The split that plays it; all its seeds are of that split.
        counts: Number of tasks of each pattern, in the order of the set.
        entropy: Number from which its seeds are drawn.
    """

    name: str
    split: str
    counts: Mapping[str, int]
    entropy: int


class Family(ABC, Generic[P, W]):
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
    fixed_set: ClassVar[FixedSet | None] = None
    """The set that its split plays, where the package ships one; see :mod:`opsgym.data.fixed_sets`."""

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
    def open(self, task: Task) -> W:
        """A freshly seeded world of ``task``."""

    @abstractmethod
    def session(self, world: W, task: Task) -> Any:
        """What the tools act on; holds no state of its own beyond ``world``."""

    @abstractmethod
    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        """The tools of a harness for a task, or for all tasks without one; shared, made once."""

    def baseline(self, world: W, task: Task) -> Any:
        """What :meth:`verify` needs to know of the world as it was seeded, by default the world itself.

        It is made once a task, of a fresh world, and shared by the environments of a process: for reading only.  A family that
        reads little of a large world keeps just that, so that no second world is needed to judge the first episode of a task.
        """
        return world

    @abstractmethod
    def verify(self, before: Any, after: W, task: Task) -> Verdict:
        """Judge an end state; reads its arguments, nothing else.

        Args:
            before: The :meth:`baseline` of the seeded world.
            after: The world to judge.
            task: The task.
        """

    def score(self, before: Any, after: W, task: Task) -> float:
        """The dense potential of a state: ``reward(verify(before, after, task), "dense")``.

        A family may find it for less where nobody asks for reasons; it must not differ.
        """
        return self.reward(self.verify(before, after, task), "dense")

    @abstractmethod
    def brief(self, task: Task, disclosure: str) -> str:
        """The instruction under a disclosure level."""

    def reward(self, verdict: Verdict, mode: str) -> float:
        """A verdict's reward in [0, 1] under one of :attr:`reward_modes`.

        Asked for ``"dense"`` it gives the potential, whose differences the environment hands out from step to step.
        """
        return float(verdict.is_success) if mode == "binary" else float(verdict.reward)

    def render(self, world: W, task: Task) -> str:
        """A short readable summary of the world for ``render``."""
        return f"{task.family} {task.pattern}"

    def policies(self) -> Mapping[str, Callable[[Task], Sequence[ToolCall]]]:
        """Fixed planners by name: each gives the calls, under the default harness, that it answers a task with."""
        return {}

    def outline(self, task: Task) -> Sequence[str]:
        """The reference solution in words, a step for each of its calls, for plan hints; empty where names of tools must do."""
        return ()

    def candidates(self, session: Any, task: Task) -> Sequence[ToolCall] | None:
        """Calls that make sense in the present state, for policies that choose by number, under the default harness.

        They are made of what an informed agent would have read, never of the solution.

        Returns:
            The calls, the same for the same state; ``None`` where the family has no enumeration of its own for the task.
        """
        return None

    def exploits(self, task: Task) -> Mapping[str, Sequence[ToolCall]]:
        """Known exploits as lists of calls; none may score above the constraint-gated score."""
        return {}

    def audit(self, before: W, after: W, task: Task) -> Sequence[tuple[str, bool]]:
        """The mutation audit: a rule's name, and whether that rule fails, for each end state mutated to break it.

        Args:
            before: The seeded world.
            after: A solved world.
            task: The task.
        """
        return ()

    def patterns_of(self, task: Task) -> tuple[str, ...]:
        """The :attr:`patterns` that a task is of; more than its own where one pattern is a part of others."""
        return (task.pattern,)

    def is_lucky(self, task: Task, call: ToolCall) -> bool:
        """Whether the call that ended an episode is itself all that is right, and one that a random policy may find by chance.

        Such are a refusal that is due, with one of a few reasons, and an answer of which there are few.
        """
        return False

    def facts(self) -> Mapping[str, Any]:
        """What else there is to say of the family, as JSON, for ``opsgym info``."""
        return {}

    def lint(self, task: Task) -> Sequence[str]:
        """What is wrong with a task by the family's own standards, one sentence each, found by playing it; empty when sound."""
        return ()

    def invariants(self, world: W, task: Task) -> Sequence[str]:
        """Violated invariants of a world beyond those of its ``check``, one sentence each; empty when sound."""
        return ()
