"""Play: calls carried out on a task without an environment, for compilers, lint and audits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from opsgym.core.errors import ToolError
from opsgym.core.task import Task, ToolCall
from opsgym.core.verify import Verdict
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.estate import Estate
from opsgym.envs.enterprise_ops.family import EnterpriseOpsFamily

_FAMILY = EnterpriseOpsFamily()


@dataclass(frozen=True, slots=True)
class Played:
    """What calls came to.

    Attributes:
        verdict: The verdict on the end state.
        errors: Refused calls, each with the tool's name and the reason.
        changed: The records that differ from the seeded world.
    """

    verdict: Verdict
    errors: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def failed(self) -> dict[str, str]:
        """By group of a failed check, its dimension."""
        return {item.spec.group: item.spec.dimension for item in self.verdict.checks if item.status == "fail"}


class Player:
    """Plays one task again and again; a context manager.

    Args:
        task: The task.

    Raises:
        TaskError: The task's world or checks are unsound.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.world = _FAMILY.open(task)
        self.tools = _FAMILY.toolbox("tools", task)
        self._start = self.world.snapshot()
        self._seeded = _FAMILY.baseline(self.world, task)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.world.close()

    def restart(self) -> World | Estate:
        """The seeded world."""
        self.world.restore(self._start)  # type: ignore[arg-type]  # it is the world's own
        return self.world

    def play(self, calls: Sequence[ToolCall]) -> Played:
        """Carry out calls from the start up to the first that ends the episode; refused ones change nothing."""
        world = self.restart()
        session = _FAMILY.session(world, self.task)
        errors = []
        for call in calls:
            try:
                tool = self.tools.find(call.name)
                with world.savepoint():
                    tool.function(session, **tool.validate(call.arguments))
                if tool.terminal:
                    break
            except ToolError as error:
                errors.append(f"{call.name}: {error}")
        verdict = _FAMILY.verify(self._seeded, world, self.task)
        return Played(verdict, tuple(errors), tuple(_FAMILY.changed(self._seeded, world, self.task)))


def played(task: Task, calls: Sequence[ToolCall]) -> Played:
    """Carry out calls once; see :meth:`Player.play`."""
    with Player(task) as player:
        return player.play(calls)
