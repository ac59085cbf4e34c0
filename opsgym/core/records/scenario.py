"""Scenario: a task of a declared domain, as its world and its checks, and how a family plays and judges it.

A family keeps a :class:`Scenario` in ``Task.world`` and what :func:`check_specs` gives in ``Task.checks``; opening, acting and
judging are then
one call each.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from opsgym.core.records.actor import Actor
from opsgym.core.records.allowance import Allowance
from opsgym.core.records.domain import Domain
from opsgym.core.records.enforcement import Enforcement, RuleBook
from opsgym.core.records.judge import Judge
from opsgym.core.records.outcome import Reason
from opsgym.core.records.records import Records
from opsgym.core.records.seeding import seeded
from opsgym.core.records.sql_check import SqlCheck
from opsgym.core.records.verdict import verdict
from opsgym.core.task import CheckSpec, Frozen, JsonDict
from opsgym.core.verify import Verdict
from opsgym.core.world import Snapshot, World


class Scenario(Frozen):
    """Where a task plays.

    Attributes:
        today: First day, as ``YYYY-MM-DD``.
        actor: Key of the user who is signed in.
        role: The user's role.
        scope: The user's tenant, or empty.
        enforcement: Whether tools enforce rights and rules.
        rows: The seeded records by table.
    """

    today: str
    actor: str
    role: str
    scope: str = ""
    enforcement: Enforcement = "permissive"
    rows: dict[str, list[JsonDict]]

    def signed_in(self) -> Actor:
        """The actor."""
        return Actor(self.actor, self.role, self.scope)

    def open(self, domain: Domain) -> World:
        """A fresh world; see :func:`~opsgym.core.records.seeding.seeded`."""
        return seeded(domain, self.rows, today=dt.date.fromisoformat(self.today))

    def session(self, domain: Domain, world: World, book: RuleBook | None = None) -> Records:
        """What the tools act on."""
        return Records(domain, world, self.signed_in(), enforcement=self.enforcement, book=book)

    def verify(self, domain: Domain, checks: Sequence[CheckSpec], before: Snapshot, after: Snapshot) -> Verdict:
        """Judge an end state by the checks of :func:`check_specs`, and by the domain's rules and rights."""
        given = _by_rule(checks)
        queries = [SqlCheck.model_validate(args) for args in given.get("sql", ())]
        allowed = [Allowance.model_validate(args) for args in given.get("allow", ())]
        reasons: list[Reason] = [reason for args in given.get("refuse", ()) for reason in args["reasons"]]
        with Judge(domain, before, after, self.signed_in()) as judge:
            return verdict((judge.refusal(reasons), *judge.results(queries, allowed)))


def check_specs(
    checks: Sequence[SqlCheck], allowed: Sequence[Allowance], reasons: Sequence[Reason] = ()
) -> tuple[CheckSpec, ...]:
    """The checks of a task as it is stored.

    Args:
        checks: What must be true in the end.
        allowed: What may change.
        reasons: The reasons that count for a refusal; none where the task is feasible.
    """
    specs = [CheckSpec(rule="sql", dimension="completion", group=item.name, args=item.model_dump(mode="json")) for item in checks]
    specs += [
        CheckSpec(rule="allow", dimension="integrity", group="COLLATERAL", args=item.model_dump(mode="json")) for item in allowed
    ]
    if reasons:
        specs.append(CheckSpec(rule="refuse", dimension="completion", group="REFUSAL", args={"reasons": list(reasons)}))
    return tuple(specs)


def _by_rule(checks: Sequence[CheckSpec]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for check in checks:
        found.setdefault(check.rule, []).append(check.args)
    return found
