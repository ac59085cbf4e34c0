"""The verifier of ERPBench: which checks a task has, and what they say of an end state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opsgym.core.task import Certificate, CheckSpec
from opsgym.core.verify import CheckResult, Verdict, grouped_score
from opsgym.envs.erp_bench.emission import EMISSIONS
from opsgym.envs.erp_bench.rules import Context, find_rule, tables_of
from opsgym.envs.erp_bench.rules.reads import staleness
from opsgym.envs.erp_bench.scoring import SUCCESS, measured, optimality, reward
from opsgym.envs.erp_bench.spec import SCALE, Scenario
from opsgym.envs.erp_bench.state import ErpState

GATES = ("has_relevant_activity", "repair_state_compliance")
"""Rules whose failure makes the reward 0."""
DIMENSIONS = ("constraint", "traceability")
"""Dimensions of checks that are scored."""


def build_checks(scenario: Scenario) -> tuple[CheckSpec, ...]:
    """Every check that applies to ``scenario``.

    Args:
        scenario: The task's specification.

    Raises:
        TaskError: The scenario has two orders of one customer.
    """
    tables = tables_of(scenario)
    return tuple(check for row in EMISSIONS for check in row.checks(tables))


def judge(
    state: ErpState,
    scenario: Scenario,
    checks: Sequence[CheckSpec],
    certificate: Certificate,
    known: tuple[ErpState, Verdict] | None = None,
) -> Verdict:
    """Judge an end state.

    Reads its arguments and nothing else.  Documents that break the rules are judged with the others: none is
    set aside first.

    Args:
        state: The end state.
        scenario: The task's specification.
        checks: The task's checks, as :func:`build_checks` made them.
        certificate: What was proven about the task.
        known: Another state and its verdict by the same scenario, checks and certificate: checks that read nothing that
            differs are not run again.

    Raises:
        RegistryError: A check names a rule that does not exist.
    """
    context = Context(state, tables_of(scenario), certificate)
    results = _results(context, checks, known)
    constraint, traceability = _scores(results, known)
    optimal = optimality(context, certificate)
    failed = {result.spec.rule for result in results if result.status == "fail"}
    gates = tuple(name for name in GATES if name in failed)
    earned = 0.0 if gates else reward(constraint, optimal.score, traceability)
    return Verdict(
        reward=earned,
        is_success=100 * earned >= SUCCESS - 1e-9,
        scores={"constraint": constraint, "optimality": optimal.score, "traceability": traceability},
        checks=results,
        gates=gates,
        failure_families=tuple(sorted({find_rule(name).family for name in failed})),
        metrics=_metrics(context, optimal.score, results),
        canary=optimal.beats and not failed,
    )


def _results(context: Context, checks: Sequence[CheckSpec], known: tuple[ErpState, Verdict] | None) -> tuple[CheckResult, ...]:
    if known is None:
        return tuple([run_check(context, check) for check in checks])
    is_stale = staleness(known[0], context.state)
    pairs = zip(checks, known[1].checks, strict=True)
    return tuple([run_check(context, check) if is_stale(check) else result for check, result in pairs])


def _scores(results: tuple[CheckResult, ...], known: tuple[ErpState, Verdict] | None) -> list[float]:
    """The scores of the two dimensions; each depends on which of its checks passed and on nothing else."""
    changed = set(DIMENSIONS)
    if known is not None:
        pairs = zip(results, known[1].checks, strict=True)
        changed = {new.spec.dimension for new, old in pairs if new is not old and new.status != old.status}
    return [
        grouped_score([result for result in results if result.spec.dimension == dimension])
        if dimension in changed or known is None
        else known[1].scores[dimension]
        for dimension in DIMENSIONS
    ]


def run_check(context: Context, check: CheckSpec) -> CheckResult:
    """Run one check on a state."""
    outcome = find_rule(check.rule).function(context, **check.args)
    return CheckResult(check, outcome.status, outcome.expected, outcome.actual, outcome.message)


def _metrics(context: Context, score: float, results: tuple[CheckResult, ...]) -> dict[str, Any]:
    """Measured quantities in natural units, and how many checks and documents there are."""
    minutes = context.minutes
    tables = context.tables
    statuses = [result.status for result in results]
    return {
        "spend": round(context.spend / SCALE["min_new_spend"], 2),
        "vendors": context.vendors,
        "minutes": None if minutes is None else round(minutes / SCALE["capacity_preservation"], 3),
        "repair_distance": context.repair_distance if tables.problem.repair else None,
        "objective": measured(context, tables.problem.objective),
        "optimality": score,
        "units_sold": sum(context.sold.values()),
        "units_bought": sum(context.total_bought.get(code, 0) for code in tables.prices),
        "units_made": sum(context.total_made.get(code, 0) for code in tables.prices),
        "purchases": len({line.order.name for line in context.bought}),
        "productions": len(context.made),
        "checks": len(statuses) - statuses.count("na"),
        "failed": statuses.count("fail"),
    }
