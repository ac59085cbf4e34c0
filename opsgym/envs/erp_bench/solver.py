"""Solver: certified optimal plans by CP-SAT, the same in every process.

One worker, a fixed seed and limits in deterministic time make a run repeatable.  The certificate rests on value and
bound only.  Among equally good plans a further solve picks the one with the least tie-break cost, and dates follow
from the totals by arithmetic; see :attr:`Solution.canonical` for what that guarantees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from opsgym.core.errors import TaskError
from opsgym.core.task import Certificate
from opsgym.envs.erp_bench.infeasible import explain, screen
from opsgym.envs.erp_bench.network import Network, build_network
from opsgym.envs.erp_bench.schedule import Flows, Totals, schedule
from opsgym.envs.erp_bench.spec import SCALE, ObjectiveKind, PlanValues, Problem, Style

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from opsgym.envs.erp_bench.solver_model import PlanModel

Outcome = Literal["optimal", "feasible", "infeasible", "unknown"]
SEED = 0
SPEND: ObjectiveKind = "min_new_spend"
Method = Literal["branches", "cores", "relaxation"]
Schedule = tuple[tuple[Method, float], ...]
METHODS: dict[Method, str] = {
    "branches": "",
    "cores": "optimize_with_core: true",
    "relaxation": "search_branching: LP_SEARCH",
}
"""Parameters of the solver's own search, of one that raises the bound of one term of the objective at a time, and of one
that follows the linear relaxation.  Each decides soon what another one does not.  Search by
lower-bound trees is left out: OR-Tools 9.15 stops the process over a plan that it calls optimal and then finds infeasible."""
SCHEDULE: Schedule = (("branches", 0.1), ("cores", 0.1), ("relaxation", 2.5), ("branches", math.inf))
"""Methods in turn, with the deterministic time after which each gives way to the next."""
TIE_SCHEDULE: Schedule = (("cores", 0.3),)
"""The same for the tie-break, whose cost is a sum over products, and which decides no score."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """A certified plan.

    Attributes:
        objective: The problem's objective.
        style: How supply had to meet demand.
        values: The measures of the plan.
        bound: Proven bound on the primary objective, in its integer unit; equals the value.
        flows: The quantities.
        canonical: Whether the plan's totals are proven to have the least tie-break cost among all optimal plans.
            Then they do not depend on the path that the solver took, nor on its version (but for a hash collision,
            about one in a million).  Otherwise value and bound are certified all the same, but another build of the
            solver may return another optimal plan.
        variables: Variables of the model.
        constraints: Constraints of the model.
        deterministic_seconds: Deterministic time of all solves; its last digits may differ between processes.
    """

    objective: ObjectiveKind
    style: Style
    values: PlanValues
    bound: int
    flows: Flows
    canonical: bool
    variables: int
    constraints: int
    deterministic_seconds: float

    def certificate(self) -> Certificate:
        """What was proven, in natural units.

        Deterministic time is rounded up to a whole second, so that a task does not change its identity over a
        difference of solver builds in the last digits.
        """
        scale = SCALE[self.objective]
        tied = self.objective in ("vendor_consolidation", "capacity_preservation", "repair_plan")
        return Certificate(
            status="feasible" if self.objective == "constraint_only" else "optimal",
            objective=self.objective,
            value=self.values.primary(self.objective) / scale,
            bound=self.bound / scale,
            secondary=self.values.spend / SCALE["min_new_spend"] if tied else None,
            statistics={
                "variables": float(self.variables),
                "constraints": float(self.constraints),
                "deterministic_seconds": float(math.ceil(self.deterministic_seconds)),
            },
        )


def solve(problem: Problem, *, style: Style, deterministic_seconds: float = 10.0) -> Solution:
    """Find a plan that is proven optimal.

    The problem's objective is minimised, then spend, then the tie-break cost.  A feasibility task takes the plan of
    least spend, so that its reference plan is determined too.

    Args:
        problem: What to plan.
        style: ``"release"`` or ``"coverage"``; see :func:`~opsgym.envs.erp_bench.solver_model.build_model`.
        deterministic_seconds: Limit of each solve in CP-SAT's deterministic time, not in wall time.

    Raises:
        TaskError: No plan exists (the message names the conflict), or none was proven optimal within the limit.
    """
    from opsgym.envs.erp_bench.solver_model import build_model

    network = build_network(problem)
    screen(network)
    model = build_model(network, style)
    search = _Search(model)
    goals = list(dict.fromkeys([SPEND if problem.objective == "constraint_only" else problem.objective, SPEND]))
    bounds = []
    for goal in goals:
        status = search.minimise(model.costs[goal], deterministic_seconds)
        if status == "infeasible":
            raise explain(problem, lambda relaxed: _is_feasible(relaxed, style, deterministic_seconds))
        if status != "optimal":
            raise TaskError(f"{goal} is not proven optimal within {deterministic_seconds} deterministic seconds", field="problem")
        bounds.append(search.bound)
        search.hold(model.costs[goal])
    canonical = search.minimise(model.ties(), deterministic_seconds, TIE_SCHEDULE) == "optimal"
    totals = search.totals()
    return Solution(
        objective=problem.objective,
        style=style,
        values=measure(network, totals),
        bound=0 if problem.objective == "constraint_only" else bounds[0],
        flows=schedule(network, totals, style=style),
        canonical=canonical,
        variables=search.variables,
        constraints=search.constraints,
        deterministic_seconds=search.deterministic_seconds,
    )


def is_beaten(problem: Problem, spend: int, *, style: Style, deterministic_seconds: float = 10.0) -> bool:
    """Whether a plan is found that spends less than ``spend`` cents, whatever the problem's objective.

    Args:
        problem: What to plan.
        spend: Spend to stay below.
        style: How supply has to meet demand.
        deterministic_seconds: Limit in CP-SAT's deterministic time.
    """
    from opsgym.envs.erp_bench.solver_model import build_model

    model = build_model(build_network(problem), style)
    model.cp.add(model.costs[SPEND] < spend)
    return _Search(model).minimise(0, deterministic_seconds) in ("optimal", "feasible")


def measure(network: Network, totals: Totals) -> PlanValues:
    """The five measures of a plan with ``totals``; new units beyond the demand do not count."""
    offers, totals_made = network.problem.offer_by_key, totals.routes
    routes = {(row.product, row.center): row for row in network.problem.operations}
    bought, made = network.baseline
    finished = {key: units for key, units in totals.bought.items() if offers[key].product in network.demand}
    gained = dict.fromkeys(network.demand, 0)
    for key, units in finished.items():
        gained[offers[key].product] += units
    for (product, _), units in totals_made.items():
        if product in gained:
            gained[product] += units
    distance = sum(abs(finished.get(key, 0) - bought.get(key, 0)) for key in {**finished, **bought})
    distance += sum(abs(totals_made.get(route, 0) - made.get(route, 0)) for route in {**totals_made, **made})
    return PlanValues(
        spend=sum(offers[key].price * units for key, units in totals.bought.items())
        + sum(routes[route].unit_cost * units for route, units in totals_made.items()),
        vendors=len({offers[key].vendor for key in totals.bought}),
        minutes=sum(routes[route].minutes * units for route, units in totals_made.items()),
        repair_distance=distance if network.problem.repair else 0,
        new_units=sum(min(units, network.problem.demand[product]) for product, units in gained.items()),
    )


def _is_feasible(problem: Problem, style: Style, deterministic_seconds: float) -> bool:
    from opsgym.envs.erp_bench.solver_model import build_model

    return _Search(build_model(build_network(problem), style)).minimise(0, deterministic_seconds) in ("optimal", "feasible")


class _Search:
    """A sequence of solves on one model, each starting from the last plan."""

    def __init__(self, model: PlanModel) -> None:
        self.model = model
        self.variables = len(model.cp.proto.variables)
        self.constraints = len(model.cp.proto.constraints)
        self.deterministic_seconds = 0.0
        self.bound = 0
        self._values: list[int] = []

    def minimise(self, cost: cp_model.LinearExprT, deterministic_seconds: float, schedule: Schedule = SCHEDULE) -> Outcome:
        """Minimise ``cost`` by the methods of ``schedule``; the plan found, if any, replaces the last one."""
        self.model.cp.minimize(cost)
        outcome: Outcome = "unknown"
        left = deterministic_seconds
        for method, most in schedule:
            found = self._run(method, min(most, left))
            if found in ("optimal", "infeasible"):
                return found
            outcome = found if outcome == "unknown" else outcome
            left -= most
            if left <= 0:
                break
        return outcome

    def _run(self, method: Method, deterministic_seconds: float) -> Outcome:
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = SEED
        solver.parameters.max_deterministic_time = deterministic_seconds
        solver.parameters.linearization_level = 2
        solver.parameters.merge_text_format(METHODS[method])
        status = solver.solve(self.model.cp)
        self.deterministic_seconds += solver.response_proto.deterministic_time
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return "infeasible" if status == cp_model.INFEASIBLE else "unknown"
        self.bound = round(solver.best_objective_bound)
        self._values = list(solver.response_proto.solution)
        return "optimal" if status == cp_model.OPTIMAL else "feasible"

    def hold(self, cost: cp_model.LinearExprT) -> None:
        """Let no later plan cost more than the last one, and start from it."""
        self.model.cp.add(cost <= self.bound)
        self.model.cp.clear_hints()  # type: ignore[no-untyped-call]  # ortools leaves it untyped
        for index, value in enumerate(self._values):
            self.model.cp.add_hint(self.model.cp.get_int_var_from_proto_index(index), value)

    def totals(self) -> Totals:
        """Positive units of the last plan."""
        bought = {key: self._values[variable.index] for key, variable in self.model.bought.items()}
        made = {key: self._values[variable.index] for key, variable in self.model.made.items()}
        return Totals(bought={key: n for key, n in bought.items() if n}, made={key: n for key, n in made.items() if n})
