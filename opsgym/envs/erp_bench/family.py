"""ErpBenchFamily: what ERPBench provides so that a ToolEnv can play it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from opsgym.core.errors import TaskError
from opsgym.core.family import Family, FixedSet
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.verify import Verdict
from opsgym.core.world import World
from opsgym.envs.cache import Lru
from opsgym.envs.erp_bench.brief import DISCLOSURES, brief
from opsgym.envs.erp_bench.candidates import business_calls
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.export import Baseline, baseline_of, export_state
from opsgym.envs.erp_bench.invariants import violations
from opsgym.envs.erp_bench.params import PATTERNS, RELEASED_TIERS, TIERS, ERPParams, draw_params
from opsgym.envs.erp_bench.soundness import check_rules, read_scenario
from opsgym.envs.erp_bench.spec import Plan, Scenario
from opsgym.envs.erp_bench.state import ErpState
from opsgym.envs.erp_bench.tools import HARNESSES, toolbox
from opsgym.envs.erp_bench.verifier import Judge
from opsgym.envs.erp_bench.world import open_world

HEURISTICS = ("cheapest_first", "earliest_first", "build_first", "lp_rounding")
"""Fixed planners that serve as policies."""

_JUDGES: WeakKeyDictionary[World, Judge] = WeakKeyDictionary()
"""Who judged each world last."""

_SCENARIOS: Lru[Scenario] = Lru(256)


def scenario_of(task: Task) -> Scenario:
    """The scenario of a task; read once and kept.

    Raises:
        TaskError: The task's world is no sound scenario.
    """
    return _SCENARIOS.get(task.id, lambda: read_scenario(task.world))


def _judge(world: World, task: Task) -> Judge:
    """Who judges a world by a task: as before, as long as it is the same task."""
    known, by = _JUDGES.get(world), (scenario_of(task), task.checks, task.certificate)
    if known is None or any(one is not other for one, other in zip(known.by, by, strict=True)):
        known = _JUDGES[world] = Judge(*by)
    return known


class ErpBenchFamily(Family[ERPParams]):
    """Procurement and production planning in an ERP; see :class:`~opsgym.envs.erp_bench.env.ERPBenchEnv`."""

    id = "ERPBench-v0"
    version = "1"
    params_type = ERPParams
    tiers = tuple(TIERS)
    patterns = tuple(PATTERNS)
    harnesses = (*HARNESSES, "coding")
    disclosures = DISCLOSURES
    fixed_set = FixedSet(
        name="erpbench-300",
        split="test",
        counts={name: pattern.weight for name, pattern in PATTERNS.items() if pattern.tier in RELEASED_TIERS},
        entropy=300,
    )

    def draw(
        self, seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
    ) -> ERPParams:
        """See :func:`~opsgym.envs.erp_bench.params.draw_params`."""
        return draw_params(seed, tier, pattern, overrides)

    def compile(self, params: ERPParams, seed: int) -> Task:
        """See :func:`~opsgym.envs.erp_bench.compiler.compile_params`; imports ortools."""
        from opsgym.envs.erp_bench.compiler import compile_params

        return compile_params(params, seed)

    def open(self, task: Task) -> World:
        """See :func:`~opsgym.envs.erp_bench.world.open_world`; the task's checks are tried on the fresh world.

        Raises:
            TaskError: The task's world or checks are unsound.
        """
        check_rules(task.checks)
        world = open_world(scenario_of(task))
        try:
            self.verify(world, world, task)
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            world.close()
            raise (
                error if isinstance(error, TaskError) else TaskError(f"do not fit the world ({error!r})", field="checks")
            ) from error
        return world

    def session(self, world: World, task: Task) -> Erp:
        """The ERP on ``world``."""
        return Erp(world)

    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        """See :func:`~opsgym.envs.erp_bench.tools.toolbox`."""
        return toolbox(harness)

    def baseline(self, world: World, task: Task) -> Baseline:
        """See :func:`~opsgym.envs.erp_bench.export.baseline_of`."""
        return baseline_of(world)

    def verify(self, before: World | Baseline, after: World, task: Task) -> Verdict:
        """See :func:`~opsgym.envs.erp_bench.verifier.Judge`; after a change only what it may concern is judged again."""
        return _judge(after, task).verdict(export_state(before, after))

    def score(self, before: World | Baseline, after: World, task: Task) -> float:
        """See :meth:`~opsgym.envs.erp_bench.verifier.Judge.score`."""
        return _judge(after, task).score(export_state(before, after))

    def brief(self, task: Task, disclosure: str) -> str:
        """The task's own instruction under full disclosure, else one made from its scenario."""
        return task.instruction if disclosure == self.disclosures[0] else brief(scenario_of(task), disclosure)

    def render(self, world: World, task: Task) -> str:
        """The documents of the ERP, a line each."""
        return self.listing(export_state(world, world))

    def listing(self, state: ErpState) -> str:
        """The documents of a state, a line each."""
        documents = [
            *(f"{d.name} {d.state} {d.customer}: {_lines(d.lines)}" for d in state.sales),
            *(f"{d.name} {d.state} {d.vendor}: {_lines(d.lines)}" for d in state.purchases),
            *(f"{d.name} {d.state}: {d.quantity:g} x {d.product}" for d in state.productions),
            *(f"{d.name} {d.state} {d.partner}: {d.amount_total:.2f}" for d in state.invoices),
        ]
        return "\n".join([f"{state.today}, {len(documents)} documents", *documents])

    def policies(self) -> Mapping[str, Callable[[Task], Sequence[ToolCall]]]:
        """The fixed planners by which the sampler measures tasks, booked as the oracle books."""
        return {name: partial(_booked, name) for name in HEURISTICS}

    def candidates(self, session: Erp, task: Task) -> Sequence[ToolCall] | None:
        """See :func:`~opsgym.envs.erp_bench.candidates.business_calls`."""
        return business_calls(session, scenario_of(task))

    def exploits(self, task: Task) -> Mapping[str, Sequence[ToolCall]]:
        """See :mod:`opsgym.envs.erp_bench.exploits`; solves the task anew, and so needs ortools."""
        from opsgym.envs.erp_bench.exploits import exploits

        scenario = scenario_of(task)
        return exploits(scenario, _solved(scenario))

    def audit(self, before: World, after: World, task: Task) -> Sequence[tuple[str, bool]]:
        """See :func:`opsgym.envs.erp_bench.mutants.audit`."""
        from opsgym.envs.erp_bench.mutants import audit

        return audit(export_state(before, after), scenario_of(task), task.checks, task.certificate)

    def invariants(self, world: World, task: Task) -> Sequence[str]:
        """See :mod:`opsgym.envs.erp_bench.invariants`."""
        return violations(world)


def _booked(name: str, task: Task) -> Sequence[ToolCall]:
    """The calls that book a heuristic's plan; only ``submit`` where it finds none."""
    from opsgym.envs.erp_bench.heuristics import plan_with
    from opsgym.envs.erp_bench.oracle import oracle_calls

    scenario = scenario_of(task)
    plan = plan_with(name, scenario.problem, scenario.style)
    return [ToolCall(name="submit")] if plan is None else oracle_calls(scenario, plan)


def _solved(scenario: Scenario) -> Plan:
    from opsgym.envs.erp_bench.plan import build_plan
    from opsgym.envs.erp_bench.solver import solve

    return build_plan(scenario.problem, solve(scenario.problem, style=scenario.style))


def _lines(lines: Sequence[Any]) -> str:
    return ", ".join(f"{line.quantity:g} x {line.product} at {line.price:.2f}" for line in lines)
