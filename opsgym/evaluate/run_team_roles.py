"""What the roles of a team did and earned, over the trials of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from opsgym.evaluate.results import RoleResult, TrialResult

__all__ = ["RoleMeans", "role_means"]


@dataclass(frozen=True, kw_only=True)
class RoleMeans:
    """Means over the scored trials in which a role was needed.

    Attributes:
        trials: Number of these trials.
        turns: Turns.
        calls: Tool calls.
        refused: Those of them that were refused.
        messages: Messages sent.
        reward: What the role earned.
        credit: Its part of the team's score; ``None`` where the game does not divide it.
        tokens: Tokens read and written.
        cost: US dollars.
    """

    trials: int
    turns: float
    calls: float
    refused: float
    messages: float
    reward: float
    credit: float | None
    tokens: float
    cost: float


def role_means(results: Sequence[TrialResult]) -> dict[str, RoleMeans]:
    """The means by role, in turn order; empty for runs of one agent.

    Example:
        >>> trials = [TrialResult(task_id="a", trial=i, family="F", tier="t", pattern="p",
        ...                       roles={"sales_0": RoleResult(calls=i, credit=0.5)}) for i in (1, 2)]
        >>> mean = role_means(trials)["sales_0"]
        >>> mean.trials, mean.calls, mean.credit
        (2, 1.5, 0.5)
    """
    found: dict[str, list[RoleResult]] = {}
    for result in results:
        for role, part in result.roles.items() if result.status == "scored" else ():
            found.setdefault(role, []).append(part)
    fullest = max((list(result.roles) for result in results), key=len, default=[])
    return {role: _mean(found[role]) for role in sorted(found, key=lambda role: _place(role, fullest))}


def _place(role: str, order: Sequence[str]) -> int:
    return order.index(role) if role in order else len(order)


def _mean(parts: Sequence[RoleResult]) -> RoleMeans:
    credits = [part.credit for part in parts if part.credit is not None]
    return RoleMeans(
        trials=len(parts),
        turns=fmean(part.turns for part in parts),
        calls=fmean(part.calls for part in parts),
        refused=fmean(part.refused for part in parts),
        messages=fmean(part.messages for part in parts),
        reward=fmean(part.reward for part in parts),
        credit=fmean(credits) if credits else None,
        tokens=fmean(part.prompt_tokens + part.completion_tokens for part in parts),
        cost=fmean(part.cost for part in parts),
    )
