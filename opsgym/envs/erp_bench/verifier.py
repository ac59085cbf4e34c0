"""The verifier of ERPBench: which checks a task has, and what they say of an end state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opsgym.core.task import Certificate, CheckSpec
from opsgym.core.verify import CheckResult, Verdict, grouped_score
from opsgym.envs.erp_bench.emission import EMISSIONS
from opsgym.envs.erp_bench.rules import Context, find_rule, tables_of
from opsgym.envs.erp_bench.rules.reads import Readers, changed_parts
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


def judge(state: ErpState, scenario: Scenario, checks: Sequence[CheckSpec], certificate: Certificate) -> Verdict:
    """Judge an end state.

    Reads its arguments and nothing else.  Documents that break the rules are judged with the others: none is
    set aside first.

    Args:
        state: The end state.
        scenario: The task's specification.
        checks: The task's checks, as :func:`build_checks` made them.
        certificate: What was proven about the task.

    Raises:
        RegistryError: A check names a rule that does not exist.
    """
    return Judge(scenario, checks, certificate).verdict(state)


class Judge:
    """Judges the states of a task one after the other: checks that read nothing that differs are not run again.

    What it says depends on the state that it is asked about and on nothing else, see :func:`judge`.

    Args:
        scenario: The task's specification.
        checks: Its checks.
        certificate: What was proven about it.
    """

    def __init__(self, scenario: Scenario, checks: Sequence[CheckSpec], certificate: Certificate) -> None:
        self.by = scenario, checks, certificate
        self._tables, self._readers = tables_of(scenario), Readers(checks)
        self._results: list[CheckResult | None] = [None] * len(checks)
        self._gates = [number for number, check in enumerate(checks) if check.rule in GATES]
        self._single: dict[str, list[int]] = {name: [] for name in DIMENSIONS}
        grouped: dict[str, dict[str, list[int]]] = {name: {} for name in DIMENSIONS}
        for number, check in enumerate(checks):
            if check.dimension in DIMENSIONS:
                groups = grouped[check.dimension]
                (self._single[check.dimension] if check.mode == "each" else groups.setdefault(check.group, [])).append(number)
        self._groups = {name: [_Group(numbers, checks) for numbers in grouped[name].values()] for name in DIMENSIONS}
        every = [group for groups in self._groups.values() for group in groups]
        self._group_of = {number: group for group in every for number in group.numbers}
        self._conditional = [group for group in every if group.is_conditional]
        self._context: Context | None = None
        self._verdict: tuple[ErpState, Verdict] | None = None

    def verdict(self, state: ErpState) -> Verdict:
        """What is to be said of a state."""
        if self._verdict is not None and self._verdict[0] is state:
            return self._verdict[1]
        context = self._turn_to(state)
        results = tuple([self._result(context, number) for number in range(len(self._results))])
        scores = {name: grouped_score([each for each in results if each.spec.dimension == name]) for name in DIMENSIONS}
        optimal = optimality(context, context.certificate)
        failed = {result.spec.rule for result in results if result.status == "fail"}
        gates = tuple(name for name in GATES if name in failed)
        earned = 0.0 if gates else reward(scores["constraint"], optimal.score, scores["traceability"])
        verdict = Verdict(
            reward=earned,
            is_success=100 * earned >= SUCCESS - 1e-9,
            scores={"constraint": scores["constraint"], "optimality": optimal.score, "traceability": scores["traceability"]},
            checks=results,
            gates=gates,
            failure_families=tuple(sorted({find_rule(name).family for name in failed})),
            metrics=_metrics(context, optimal.score, results),
            canary=optimal.beats and not failed,
        )
        self._verdict = state, verdict
        return verdict

    def score(self, state: ErpState) -> float:
        """The reward of :meth:`verdict`, without the reasons.

        Checks that cannot matter are not run: none while a gate is shut, none of a group after one that fails, none of those
        that are worth something only once every constraint holds.  What was skipped is made up for when it is asked for.
        """
        context = self._turn_to(state)
        for number in self._gates:
            if self._result(context, number).status == "fail":
                return 0.0
        constraint = self._earned(context, "constraint")
        if constraint < 1:
            return reward(constraint, 0.0, 0.0)
        traceability = self._earned(context, "traceability")
        return reward(constraint, optimality(context, context.certificate).score, traceability)

    def _turn_to(self, state: ErpState) -> Context:
        context = self._context
        if context is None:
            self._context = context = Context(state, self._tables, self.by[2])
        elif context.state is not state:
            old, changed = context.state, changed_parts(context.state, state)
            for number in self._readers.stale(old, state, changed):
                self._results[number] = None
                group = self._group_of.get(number)
                if group is not None:
                    group.forget(number)
            if "purchases" in changed or "productions" in changed:
                for group in self._conditional:
                    group.size = None
            context.turn_to(state, changed)
        return context

    def _result(self, context: Context, number: int) -> CheckResult:
        found = self._results[number]
        if found is None:
            found = self._results[number] = run_check(context, self.by[1][number])
        return found

    def _earned(self, context: Context, dimension: str) -> float:
        """The fraction of a dimension that is earned; see :func:`~opsgym.core.verify.grouped_score`."""
        earned = total = 0
        for number in self._single[dimension]:
            status = self._result(context, number).status
            total += status != "na"
            earned += status == "pass"
        for group in self._groups[dimension]:
            size = group.size
            if size is None:
                size = group.measure(context)
            total += size
            if group.fails is None:
                group.fails = self._fails(context, group)
            if not group.fails:
                earned += size
        return earned / total if total else 1.0

    def _fails(self, context: Context, group: _Group) -> bool:
        """Whether any check of a group fails: those that are known come first, then the one that failed last."""
        results, unknown = self._results, [group.witness]
        for number in group.numbers:
            known = results[number]
            if known is None:
                unknown.append(number)
            elif known.status == "fail":
                group.witness = number
                return True
        for number in unknown:
            if self._result(context, number).status == "fail":
                group.witness = number
                return True
        return False


class _Group:
    """Checks that are earned together.

    Attributes:
        numbers: Their numbers.
        witness: One that fails, where the group fails.
        fails: Whether the group fails; ``None`` while unknown.
        size: How many of the checks apply; ``None`` while unknown.
        is_conditional: Whether that depends on the purchases and productions that there are.
    """

    __slots__ = ("_certain", "_conditions", "fails", "is_conditional", "numbers", "size", "witness")

    def __init__(self, numbers: list[int], checks: Sequence[CheckSpec]) -> None:
        self.numbers, self.witness = numbers, numbers[0]
        self.fails: bool | None = None
        self.size: int | None = None
        rules = [(find_rule(checks[number].rule).applies, checks[number].args) for number in numbers]
        self._conditions = [(applies, args) for applies, args in rules if applies is not None]
        self._certain = len(numbers) - len(self._conditions)
        self.is_conditional = bool(self._conditions)

    def measure(self, context: Context) -> int:
        """Find out the size."""
        self.size = self._certain + sum([applies(context, **args) for applies, args in self._conditions])
        return self.size

    def forget(self, number: int) -> None:
        """A check may have another result: it matters where it is the one that fails, or where none does."""
        if not self.fails or number == self.witness:
            self.fails = None


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
