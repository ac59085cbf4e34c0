"""Episode: what a ToolEnv keeps of a running episode beside the world, and the snapshot that makes it a branch point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from opsgym.core.actions import MalformedAction
from opsgym.core.task import Task
from opsgym.core.tools import ToolResult
from opsgym.core.verify import Verdict
from opsgym.core.world import SnapshotLike

GRID = 2**32
"""Dense rewards are multiples of 1/GRID: sums of such floats are exact, so a return equals the final potential."""

CUT = "…[{left_out} characters left out]"
"""Mark at the end of an observation line that was cut."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One step: the action as text and the observation that answered it."""

    action: str
    observation: str


@dataclass(slots=True)
class Episode:
    """Counters and transcript of one episode.

    Attributes:
        task: The task that is played.
        brief: The first observation.
        turns: Steps taken, with their observations.
        calls: Calls carried out or refused.
        errors: Calls refused, by error code.
        malformed: Calls that could not be read, by kind.
        changes: Calls carried out that may have changed the world, whatever the agent was told of them.
        seconds: Virtual time spent; only layers add to it.
        cut: Set by a layer to end the episode with the present call, as if the turn budget were used up.
        potential: Sum of the dense rewards so far, on the grid of 1/:data:`GRID`.
        over: Whether the episode has ended.
        verdict: The verdict, once it has ended and was graded.
    """

    task: Task
    brief: str
    turns: list[Turn] = field(default_factory=list)
    calls: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    malformed: Counter[str] = field(default_factory=Counter)
    changes: int = 0
    seconds: float = 0.0
    cut: bool = False
    potential: float = 0.0
    over: bool = False
    verdict: Verdict | None = None

    @property
    def full_brief(self) -> str:
        """The brief, after the task's policy where there is one that the brief does not hold."""
        policy = self.task.policy
        return self.brief if policy.strip() in self.brief else f"{policy}\n\n{self.brief}"

    def count(self, result: ToolResult) -> None:
        """Count one call and, where it was refused, why."""
        self.calls += 1
        if result.error is not None:
            self.errors[result.error.code] += 1
        if isinstance(result.error, MalformedAction):
            self.malformed[result.error.kind] += 1

    def gain(self, potential: float) -> float:
        """The dense reward for reaching ``potential``; all gains add up to the last potential exactly."""
        target = round(potential * GRID) / GRID
        gained = target - self.potential
        self.potential = target
        return gained

    def info(self, max_steps: int) -> dict[str, Any]:
        """Counters for ``info``: fresh objects, no solution, no wall clock."""
        return {
            "task_id": self.task.id,
            "elapsed_turns": len(self.turns),
            "turns_left": max_steps - len(self.turns),
            "calls": self.calls,
            "errors": dict(sorted(self.errors.items())),
            "malformed": dict(sorted(self.malformed.items())),
        }

    def copy(self) -> Episode:
        """A copy that shares nothing that changes."""
        return replace(self, turns=list(self.turns), errors=Counter(self.errors), malformed=Counter(self.malformed))


@dataclass(frozen=True, slots=True)
class EnvSnapshot:
    """A state of a ToolEnv to which it, or another environment of the same configuration, can return; picklable.

    Attributes:
        config: What must agree between the environments: family, harness and disclosure.
        episode: Counters and transcript.
        world: The world.
        rng: State of ``np_random``, by the name of its bit generator.
        seed: ``np_random_seed``.
        layers: Name and state of each layer around the calls, innermost first.
    """

    config: tuple[str, str, str]
    episode: Episode
    world: SnapshotLike
    rng: dict[str, Any] = field(repr=False)
    seed: int | None
    layers: tuple[tuple[str, Any], ...] = ()


def fit(lines: Sequence[str], limit: int) -> str:
    r"""The lines as one text of at most ``limit`` characters; the longest are cut, with a mark, until all fit.

    Example:
        >>> fit(["short", "x" * 100], 50)
        'short\nxxxxxxxxxxxxxxxxxx…[82 characters left out]'
    """
    if sum(map(len, lines)) + len(lines) - 1 <= limit:
        return "\n".join(lines)
    room, cap = limit - (len(lines) - 1), limit
    for rest, length in zip(range(len(lines), 0, -1), sorted(map(len, lines)), strict=True):
        if length > room // rest:
            cap = room // rest
            break
        room -= length
    return "\n".join(line if len(line) <= cap else _cut(line, cap) for line in lines)[:limit]


def _cut(line: str, cap: int) -> str:
    keep = max(0, cap - len(CUT.format(left_out=len(line))))
    return line[:keep] + CUT.format(left_out=len(line) - keep)
