"""Plan: the subtasks of a task, what they depend on, and the calls that carry them out."""

from __future__ import annotations

from typing import Any

from opsgym.core.task import Frozen, Task, ToolCall
from opsgym.envs.enterprise_bench.endings import Reason


class Subtask(Frozen):
    """One step towards the answer.

    Attributes:
        goal: What is to be found out or done, in a few words.
        source: The source it is about.
        call: The call that carries it out.
        after: Numbers, from 0, of the subtasks whose results it needs.
        writes: Whether it changes records.
    """

    goal: str
    source: str
    call: ToolCall
    after: tuple[int, ...] = ()
    writes: bool = False


class Plan(Frozen):
    """How a task can be done, kept in its metadata.

    Attributes:
        subtasks: The steps; in a task that cannot be answered, those of who looks why.
        reason: Why it cannot be answered.
        why: The rule or the fact that stands against it.
        answer: What to submit.
    """

    subtasks: tuple[Subtask, ...]
    reason: Reason | None = None
    why: str = ""
    answer: Any = None

    @property
    def hops(self) -> int:
        """Length of the longest chain of dependent subtasks."""
        depth: list[int] = []
        for item in self.subtasks:
            depth.append(1 + max((depth[number] for number in item.after), default=0))
        return max(depth, default=0)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that it needs, sorted."""
        return tuple(sorted({item.source for item in self.subtasks}))

    def ending(self) -> ToolCall:
        """The last call."""
        if self.reason is not None:
            return ToolCall(name="refuse", arguments={"reason_code": self.reason, "explanation": self.why})
        return ToolCall(name="submit", arguments={} if self.answer is None else {"answer": self.answer})

    def oracle(self) -> list[ToolCall]:
        """All calls, in order."""
        return [*(item.call for item in self.subtasks), self.ending()]


def plan_of(task: Task) -> Plan:
    """The plan in a task's metadata."""
    return Plan.model_validate(task.metadata.get("plan", {"subtasks": ()}))
