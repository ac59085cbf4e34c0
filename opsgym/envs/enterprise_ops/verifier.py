"""Verifier: an end state held against a task's checks, the rules, rights and the changes that the task grants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.core.records.allowance import Allowance
from opsgym.core.records.judge import Judge
from opsgym.core.records.live_judge import LiveJudge
from opsgym.core.records.outcome import Reason
from opsgym.core.records.sql_check import SqlCheck
from opsgym.core.records.verdict import verdict
from opsgym.core.task import CheckSpec
from opsgym.core.verify import CheckResult, Verdict
from opsgym.core.world import Snapshot, World
from opsgym.envs.enterprise_ops.setting import Setting
from opsgym.envs.enterprise_ops.systems import system

Before = Mapping[str, Snapshot]
"""The seeded worlds by system."""


@dataclass(frozen=True)
class Checks:
    """The checks of a task, read.

    Attributes:
        queries: What must be true in the end, by system.
        allowed: What may change, by system.
        reasons: Reasons that count for a refusal; none where the task is feasible.
    """

    queries: Mapping[str, tuple[SqlCheck, ...]]
    allowed: Mapping[str, tuple[Allowance, ...]]
    reasons: tuple[Reason, ...]


def read_checks(specs: Sequence[CheckSpec]) -> Checks:
    """Checks as :mod:`~opsgym.envs.enterprise_ops.compiler` writes them.

    Raises:
        TaskError: A check is unsound.
    """
    queries: dict[str, tuple[SqlCheck, ...]] = {}
    allowed: dict[str, tuple[Allowance, ...]] = {}
    reasons: list[Reason] = []
    for spec in specs:
        args = {name: value for name, value in spec.args.items() if name != "system"}
        try:
            if spec.rule == "sql":
                queries[spec.args["system"]] = (*queries.get(spec.args["system"], ()), SqlCheck.model_validate(args))
            elif spec.rule == "allow":
                allowed[spec.args["system"]] = (*allowed.get(spec.args["system"], ()), Allowance.model_validate(args))
            elif spec.rule == "refuse":
                reasons += args["reasons"]
            else:
                raise TaskError(f"expected sql, allow or refuse, got {spec.rule!r}", field="checks.rule")
        except (KeyError, ValueError) as error:
            raise TaskError(f"unsound {spec.rule} check: {error}", field="checks") from error
    return Checks(queries, allowed, tuple(reasons))


def judge(setting: Setting, checks: Checks, before: Before, worlds: Mapping[str, World]) -> Verdict:
    """The verdict on worlds by system, which are only read."""
    results: list[CheckResult] = []
    for part in setting.parts:
        name = part.system
        with LiveJudge(system(name).domain, before[name], worlds[name], part.signed_in()) as held:
            results += _results(held, checks, name, is_first=part is setting.parts[0])
    return verdict(results)


def judge_sealed(setting: Setting, checks: Checks, before: Before, after: Mapping[str, Snapshot]) -> Verdict:
    """The same on copies that cannot be written, left, or kept busy for ever: for checks of unknown origin."""
    results: list[CheckResult] = []
    for part in setting.parts:
        name = part.system
        with Judge(system(name).domain, before[name], after[name], part.signed_in()) as held:
            results += _results(held, checks, name, is_first=part is setting.parts[0])
    return verdict(results)


def judge_release(setting: Setting, checks: Checks, before: Before, after: Mapping[str, Snapshot]) -> Verdict:
    """The verdict as published tasks are graded: all checks, nothing else.

    Its metrics hold ``collapsed``, the fraction that passes where the last check of each name counts alone, as in the release.
    """
    results: list[CheckResult] = []
    for part in setting.parts:
        name = part.system
        with Judge(system(name).domain, before[name], after[name], part.signed_in()) as held:
            results += [held.check(query) for query in checks.queries.get(name, ())]
    found = verdict(results)
    by_name = {item.spec.group.rpartition(" #")[0]: item.status == "pass" for item in results}
    return replace(found, metrics={"collapsed": sum(by_name.values()) / len(by_name) if by_name else 0.0})


def _results(held: Judge, checks: Checks, name: str, *, is_first: bool) -> list[CheckResult]:
    first = [held.refusal(checks.reasons)] if is_first else []
    return [*first, *held.results(checks.queries.get(name, ()), checks.allowed.get(name, ()))]


def check_safe(setting: Setting, checks: Checks, seeded: Before) -> None:
    """See to it that the checks do nothing but read, so that :func:`judge` may run them.

    Raises:
        TaskError: SQLite refuses a query on a connection that can only read.
    """
    result: dict[str, Any] = {}
    for part in setting.parts:
        name = part.system
        with Judge(system(name).domain, seeded[name], seeded[name], part.signed_in()) as held:
            for query in checks.queries.get(name, ()):
                result[query.name] = held.check(query)
    failed = [item.message for item in result.values() if item.message.startswith("the query fails")]
    if failed:
        raise TaskError(failed[0], field="checks")
