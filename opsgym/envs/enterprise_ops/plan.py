"""Plan: the calls of a task as its template noted them, and variants of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from pydantic import Field

from opsgym.core.records.outcome import Reason
from opsgym.core.task import Frozen, JsonDict, Task, ToolCall


class Heeded(Frozen):
    """Arguments of a step that only a rule asks for.

    Attributes:
        rule: Id of the rule.
        arguments: Names of the arguments.
        blindly: What who does not know the rule gives in their place.
    """

    rule: str
    arguments: tuple[str, ...]
    blindly: JsonDict = Field(default_factory=dict)


class PlanStep(Frozen):
    """One call of a plan.

    Attributes:
        call: The call.
        kind: ``"look"`` (optional), ``"do"`` (the work), ``"oblige"`` (only a rule asks for it) or ``"avoid"`` (only who does not
            know a rule does it).
        rule: The hidden rule that asks for it, or forbids it.
        heeds: Arguments that only hidden rules ask for.
    """

    call: ToolCall
    kind: str
    rule: str = ""
    heeds: tuple[Heeded, ...] = ()

    def without(self, rules: Collection[str]) -> ToolCall | None:
        """The call of who does not know some rules; ``None`` where they make none."""
        if self.rule and (self.rule in rules) == (self.kind == "oblige"):
            return None
        arguments = dict(self.call.arguments)
        for item in self.heeds:
            if item.rule in rules:
                arguments = {name: value for name, value in arguments.items() if name not in item.arguments} | item.blindly
        return ToolCall(name=self.call.name, arguments=arguments)


class Mistake(Frozen):
    """A trap: what is right, and what the first match would be.

    Attributes:
        kind: Kind of the trap.
        right: The right value of arguments.
        wrong: The wrong one.
    """

    kind: str
    right: Any
    wrong: Any


class Plan(Frozen):
    """How a task can be done, kept in its metadata.

    Attributes:
        steps: The calls of who does what is asked; in a task that is to be refused, those of who complies.
        hidden: Rules that ask for something that the request leaves unsaid.
        told: Rules that ask for something that the request says.
        mistakes: The traps.
        reasons: Reasons for which it is to be refused; none where it is feasible.
        why: The rule or the fact that stands against it.
        answer: What to submit.
    """

    steps: tuple[PlanStep, ...]
    hidden: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    reasons: tuple[Reason, ...] = ()
    why: str = ""
    answer: str = ""

    @property
    def taken(self) -> tuple[PlanStep, ...]:
        """The steps of who knows all rules."""
        return tuple(step for step in self.steps if step.kind != "avoid")

    def submit(self) -> ToolCall:
        """The call that hands the work in."""
        return ToolCall(name="submit", arguments={"answer": self.answer} if self.answer else {})

    def compliant(self) -> list[ToolCall]:
        """Do all that is asked, and submit."""
        return [*(step.call for step in self.taken), self.submit()]

    def refusing(self) -> list[ToolCall]:
        """Look, and refuse; in a feasible task for a reason that fits many."""
        looks = [step.call for step in self.steps if step.kind == "look"]
        reason = self.reasons[0] if self.reasons else "policy_conflict"
        return [
            *looks,
            ToolCall(name="refuse", arguments={"reason_code": reason, "explanation": self.why or "It may not be done."}),
        ]

    def oracle(self) -> list[ToolCall]:
        """What is right."""
        return self.refusing() if self.reasons else self.compliant()

    def blind(self, rules: Collection[str] | None = None) -> list[ToolCall]:
        """Do what is asked, without what only some hidden rules ask for, by default all."""
        left_out = self.hidden if rules is None else rules
        return [*(call for step in self.steps if (call := step.without(left_out)) is not None), self.submit()]

    def mistaken(self) -> list[ToolCall]:
        """Do what is asked with the first match."""
        answer = self.answer
        for item in self.mistakes:
            answer = answer.replace(str(item.right), str(item.wrong))
        calls = [ToolCall(name=step.call.name, arguments=_swapped(step.call.arguments, self.mistakes)) for step in self.taken]
        return [*calls, ToolCall(name="submit", arguments={"answer": answer} if answer else {})]


def plan_of(task: Task) -> Plan:
    """The plan in a task's metadata.

    Raises:
        ToolError: Never; a task without a plan has no steps.
    """
    return Plan.model_validate(task.metadata.get("plan", {"steps": ()}))


def _swapped(value: Any, mistakes: Sequence[Mistake]) -> Any:
    """A value in which what is right is replaced by the first match."""
    for item in mistakes:
        if type(value) is type(item.right) and value == item.right:
            return item.wrong
    if isinstance(value, dict):
        return {name: _swapped(item, mistakes) for name, item in value.items()}
    return [_swapped(item, mistakes) for item in value] if isinstance(value, list) else value
