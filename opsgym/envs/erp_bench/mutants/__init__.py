"""Mutation audit: each rule of the verifier is tripped by end states that break just its promise."""

from __future__ import annotations

from collections.abc import Iterable

from opsgym.core.task import Certificate, CheckSpec
from opsgym.envs.erp_bench.mutants import records, sales, supply
from opsgym.envs.erp_bench.mutants.bench import MUTATIONS, Bench
from opsgym.envs.erp_bench.rules import Context, tables_of
from opsgym.envs.erp_bench.spec import Scenario
from opsgym.envs.erp_bench.state import ErpState
from opsgym.envs.erp_bench.verifier import build_checks, run_check

__all__ = ["MUTATIONS", "audit", "mutants"]

MODULES = (records, sales, supply)
"""The modules that define mutations."""


def mutants(state: ErpState, scenario: Scenario) -> dict[str, list[ErpState]]:
    """End states that break a promise, for every rule that applies to a task.

    Args:
        state: A right end state, in which a plan is booked exactly.
        scenario: Its task.

    Returns:
        The broken states by name of the rule that they break; an empty list is a rule that nothing here breaks.
    """
    bench = Bench(state, tables_of(scenario))
    names = dict.fromkeys(check.rule for check in build_checks(scenario))
    return {name: [broken for mutation in MUTATIONS.get(name, ()) for broken in mutation(bench)] for name in names}


def audit(state: ErpState, scenario: Scenario, checks: Iterable[CheckSpec], certificate: Certificate) -> list[tuple[str, bool]]:
    """Whether each mutant is caught by the rule that it was made for.

    Args:
        state: A right end state.
        scenario: Its task.
        checks: The task's checks.
        certificate: What was proven about the task.

    Returns:
        Rule and verdict of each mutant; a rule without a mutant counts as one that survived.
    """
    by_rule: dict[str, list[CheckSpec]] = {}
    for check in checks:
        by_rule.setdefault(check.rule, []).append(check)
    found = mutants(state, scenario)
    return [
        (rule, _is_killed(candidate, scenario, by_rule[rule], certificate))
        for rule in by_rule
        for candidate in found.get(rule) or [state]
    ]


def _is_killed(state: ErpState, scenario: Scenario, checks: list[CheckSpec], certificate: Certificate) -> bool:
    context = Context(state, tables_of(scenario), certificate)
    return any(run_check(context, check).status == "fail" for check in checks)
