"""Heuristics: four fixed planners that do not search.  Their scores say how much planning a task needs.

All of them walk the due days in order and cover what is missing from sources in a ranked order; they differ in the
rank.  A source that is used is filled up to its maximum before the next one, minimum lots are bought where needed, and
what is over serves later days.  Nothing is ever taken back.  All know the objective: in a repair task they first use
what is booked and still works, and the one that ranks by cost counts vendors or minutes before money where those matter.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from opsgym.core.errors import TaskError
from opsgym.core.task import Certificate
from opsgym.envs.erp_bench.network import Network, build_network
from opsgym.envs.erp_bench.plan import plan_flows
from opsgym.envs.erp_bench.schedule import Totals, schedule
from opsgym.envs.erp_bench.scoring import compare
from opsgym.envs.erp_bench.simulate import check_lineage, check_plan
from opsgym.envs.erp_bench.spec import SCALE, Offer, Operation, Plan, PlanValues, Problem, Style

Source = Offer | Operation
Rank = Callable[["Greedy", Source, int], tuple[float, ...]]
Limits = Mapping[object, int]
FAR = 10**6
"""Stands for a price or a day that does not exist."""


@dataclass
class Greedy:
    """A plan in the making.

    Attributes:
        network: The problem.
        rank: Sources with a smaller rank are used first; called with this, the source and the day of the need.
        stages: Most units of each source (offer key, or product and work center) in each pass over the sources;
            ``None`` stands for no limit.
        bought: Units by offer key.
        made: Units by (product, work center, capacity bucket).
    """

    network: Network
    rank: Rank
    stages: tuple[Limits | None, ...] = (None,)
    bought: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    made: defaultdict[tuple[str, str, int], int] = field(default_factory=lambda: defaultdict(int))
    _done: defaultdict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    _used: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    def run(self) -> Totals:
        """Cover every due day; the totals are not feasible where that fails."""
        wanted = [(day, code, units) for code, demand in self.network.demand.items() for day, units in demand.items()]
        for day, code, units in sorted(wanted, key=lambda need: need[0]):
            self.serve(code, day, units)
        return Totals(bought={key: n for key, n in self.bought.items() if n}, made={key: n for key, n in self.made.items() if n})

    def serve(self, product: str, day: int, units: int) -> bool:
        """Take ``units`` of ``product`` on ``day``, from what is at hand or from new supply; whether they are there."""
        self._used[product] += units
        missing = self._used[product] - self.at_hand(product, day)
        for stage in self.stages:
            if missing <= 0:
                break
            for source in sorted(self.sources(product, day), key=lambda source: self.rank(self, source, day)):
                if missing > 0:
                    missing -= self._take(source, day, missing, FAR if stage is None else stage.get(key_of(source), 0))
        return missing <= 0

    def at_hand(self, product: str, day: int) -> int:
        """Units in stock, arrived and made by ``day``, before any use."""
        arrived = sum(self.bought[offer.key] for offer in self.network.offers[product] if offer.lead <= day)
        return (
            self.network.problem.stock.get(product, 0)
            + arrived
            + sum(units for known, units in self._done[product] if known <= day)
        )

    def sources(self, product: str, day: int) -> list[Source]:
        """Offers that arrive by ``day``, and operations that can be done by then."""
        offers: list[Source] = [offer for offer in self.network.offers[product] if offer.lead <= day]
        in_time = any(known <= day for known in self.network.completions[product])
        return [*offers, *(self.network.operations[product] if in_time else ())]

    def unit_cost(self, product: str, day: int) -> float:
        """The least price of one more unit of ``product`` by ``day``, in cents, minimum lots ignored."""
        return min((self.source_cost(source, day) for source in self.sources(product, day)), default=FAR)

    def source_cost(self, source: Source, day: int) -> float:
        """Price of one unit from ``source``, inputs included."""
        if isinstance(source, Offer):
            return source.price
        bom = self.network.problem.bom_by_product[source.product]
        return source.unit_cost + sum(line.quantity * self.unit_cost(line.component, day - bom.lead) for line in bom.lines)

    def first_day(self, product: str, day: int) -> float:
        """The earliest day on which more of ``product`` can be at hand."""
        return min((self.source_day(source, day) for source in self.sources(product, day)), default=FAR)

    def source_day(self, source: Source, day: int) -> float:
        """The earliest day on which ``source`` can deliver."""
        if isinstance(source, Offer):
            return source.lead
        bom = self.network.problem.bom_by_product[source.product]
        return bom.lead + max((self.first_day(line.component, day - bom.lead) for line in bom.lines), default=0)

    def minutes(self, product: str) -> float:
        """The fewest minutes in which a unit of ``product`` can be made, inputs included; 0 where it is only bought."""
        rows = self.network.operations[product] if self.network.completions[product] else ()
        return min((self.source_minutes(row) for row in rows), default=0.0)

    def source_minutes(self, source: Source) -> float:
        """Minutes of one unit from ``source``, inputs included."""
        if isinstance(source, Offer):
            return 0.0
        lines = self.network.problem.bom_by_product[source.product].lines
        return source.minutes + sum(line.quantity * self.minutes(line.component) for line in lines)

    def new_vendors(self, source: Source) -> int:
        """Vendors that a unit from ``source`` adds, as far as can be told without planning it."""
        if isinstance(source, Offer):
            used = {offer.vendor for rows in self.network.offers.values() for offer in rows if self.bought[offer.key]}
            return source.vendor not in used
        lines = self.network.problem.bom_by_product[source.product].lines
        return sum(self.at_hand(line.component, FAR) < self._used[line.component] + line.quantity for line in lines)

    def _take(self, source: Source, day: int, units: int, limit: int) -> int:
        if isinstance(source, Offer):
            return self._buy(source, units, limit)
        taken = 0
        for completion in self._completions(source, day):
            taken += self._make(source, completion, units - taken, limit)
        return taken

    def _completions(self, operation: Operation, day: int) -> list[int]:
        """Days on which production for a need on ``day`` can complete: that day, then the last ones of earlier buckets."""
        buckets = self.network.buckets(operation.product)
        last = self.network.bucket(operation.product, day)
        return [day, *(buckets[bucket][-1] for bucket in sorted(buckets, reverse=True) if bucket < last)]

    def _buy(self, offer: Offer, units: int, limit: int) -> int:
        most = max(min(self.network.cap(offer), limit), offer.min_qty) if limit else 0
        room = max(0, most - self.bought[offer.key])
        taken = min(room, max(units, offer.min_qty - self.bought[offer.key]))
        self.bought[offer.key] += taken
        return taken

    def _make(self, operation: Operation, day: int, units: int, limit: int) -> int:
        """Make as many of ``units`` as inputs on all levels allow: all of them, or what bisection finds."""
        low, high = 0, min(units, self._makeable(operation, day, limit))
        tried = high
        while low < high:
            if self._fails(operation, day, tried):
                high = tried - 1
            else:
                low = tried
            tried = (low + high + 1) // 2
        if low:
            self._carry_out(operation, day, low)
        return low

    def _fails(self, operation: Operation, day: int, units: int) -> bool:
        """Whether inputs or minutes run out, tried on a copy."""
        trial = replace(self, bought=self.bought.copy(), made=self.made.copy(), _used=self._used.copy())
        trial._done = defaultdict(list, {product: list(rows) for product, rows in self._done.items()})
        return not trial._carry_out(operation, day, units)

    def _carry_out(self, operation: Operation, day: int, units: int) -> bool:
        """Make ``units`` whatever is missing; whether nothing was."""
        bom = self.network.problem.bom_by_product[operation.product]
        self.made[operation.product, operation.center, self.network.bucket(operation.product, day)] += units
        served = [self.serve(line.component, day - bom.lead, units * line.quantity) for line in bom.lines]
        self._done[operation.product].append((day, units))
        return all(served)

    def _makeable(self, operation: Operation, day: int, limit: int) -> int:
        """More units that work center and inputs allow by ``day``, were inputs that are made not limited by theirs."""
        bucket, dated = self.network.bucket(operation.product, day), bool(self.network.centers[operation.center].buckets)
        rivals = [row for rows in self.network.operations.values() for row in rows if row.center == operation.center]
        load = sum(
            units * row.minutes
            for row in rivals
            for (product, center, known), units in self.made.items()
            if (product, center) == (row.product, row.center) and (known == bucket or not dated)
        )
        free = self.network.free(operation.center, [bucket]) - load
        made = sum(units for key, units in self.made.items() if key[:2] == (operation.product, operation.center))
        left = max(0, limit - made)
        units = min(free // operation.minutes if operation.minutes else FAR, left)
        bom = self.network.problem.bom_by_product[operation.product]
        for line in bom.lines:
            left = self.network.reach(line.component, day - bom.lead).total - self._used[line.component]
            units = min(units, left // line.quantity)
        return units


def key_of(source: Source) -> object:
    """What a source is called in totals."""
    return source.key if isinstance(source, Offer) else (source.product, source.center)


MEASURES: dict[str, Callable[[Greedy, Source], float]] = {
    "vendor_consolidation": Greedy.new_vendors,
    "capacity_preservation": Greedy.source_minutes,
}
"""What a unit adds to an objective that is not money."""


def _by_goal(greedy: Greedy, source: Source, day: int) -> tuple[float, ...]:
    measure = MEASURES.get(greedy.network.problem.objective)
    first = (measure(greedy, source),) if measure else ()
    return (*first, greedy.source_cost(source, day), greedy.source_day(source, day))


def _by_day(greedy: Greedy, source: Source, day: int) -> tuple[float, ...]:
    return (greedy.source_day(source, day), greedy.source_cost(source, day))


def _build_first(greedy: Greedy, source: Source, day: int) -> tuple[float, ...]:
    return (isinstance(source, Offer), greedy.source_cost(source, day))


def _by_relaxation(greedy: Greedy, source: Source, day: int) -> tuple[float, ...]:
    return (greedy.source_cost(source, day),)


def booked(network: Network) -> Limits:
    """Units of the booked plan by source, component purchases included."""
    units: defaultdict[object, int] = defaultdict(int)
    repair = network.problem.repair
    for purchase in repair.purchases if repair else ():
        units[purchase.offer] += purchase.quantity
    for production in repair.productions if repair else ():
        units[production.product, production.center] += production.quantity
    return units


def _planner(rank: Rank, *more: Callable[[Network, Style], Limits]) -> Callable[[Network, Style], Totals]:
    """A planner that uses sources by ``rank``: in a repair what is booked first, then within ``more`` limits, then any."""

    def plan(network: Network, style: Style) -> Totals:
        first = (booked(network),) if network.problem.repair else ()
        return Greedy(network, rank, (*first, *(limits(network, style) for limits in more), None)).run()

    return plan


def relaxation(network: Network, style: Style) -> Limits:
    """Units of each source in the linear relaxation of the planning model, rounded up."""
    from ortools.linear_solver import pywraplp

    from opsgym.envs.erp_bench.solver_model import build_model

    model = build_model(network, style)
    objective = network.problem.objective
    model.cp.minimize(model.costs[objective])
    proto = model.cp.proto
    lp = pywraplp.Solver.CreateSolver("GLOP")
    columns = [lp.NumVar(*_ends(row.domain), "") for row in proto.variables]
    for row in proto.constraints:
        if not row.linear.vars:
            continue
        limit = lp.Constraint(*_ends(row.linear.domain))
        for variable, weight in zip(row.linear.vars, row.linear.coeffs, strict=True):
            limit.SetCoefficient(columns[variable], limit.GetCoefficient(columns[variable]) + float(weight))
    for variable, weight in zip(proto.objective.vars, proto.objective.coeffs, strict=True):
        lp.Objective().SetCoefficient(columns[variable], float(weight))
    lp.Objective().SetMinimization()
    if lp.Solve() != pywraplp.Solver.OPTIMAL:
        return {}
    relaxed: defaultdict[object, float] = defaultdict(float)
    for key, variable in model.bought.items():
        relaxed[key] = columns[variable.index].solution_value()
    for (product, center, _), variable in model.made.items():
        relaxed[product, center] += columns[variable.index].solution_value()
    return {key: math.ceil(units - 1e-6) for key, units in relaxed.items()}


def _ends(domain: Iterable[int]) -> tuple[float, float]:
    """Least and greatest value of a CP-SAT domain; its ends of the number range mean infinity."""
    values = list(domain)  # the sequence of CP-SAT does not count from the end
    low, high = (float(value) if abs(value) < 2**60 else math.copysign(math.inf, value) for value in (values[0], values[-1]))
    return low, high


HEURISTICS: dict[str, Callable[[Network, Style], Totals]] = {
    "cheapest_first": _planner(_by_goal),
    "earliest_first": _planner(_by_day),
    "build_first": _planner(_build_first),
    "lp_rounding": _planner(_by_relaxation, relaxation),
}
"""The planners by name: the objective's least cost first; what can be there first, first; make all that can be made;
the linear relaxation rounded up, and beyond it the cheapest."""


def plan_with(name: str, problem: Problem, style: Style = "coverage") -> Plan | None:
    """The plan of one heuristic, or ``None`` where it breaks a rule.

    Args:
        name: A key of :data:`HEURISTICS`.
        problem: What to plan.
        style: How supply has to meet demand.
    """
    network = build_network(problem)
    flows = schedule(network, HEURISTICS[name](network, style), style=style)
    try:
        plan = plan_flows(problem, flows, style=style)
        check_plan(problem, plan)
        check_lineage(problem, plan)
    except TaskError:
        return None
    return plan


def heuristic_scores(problem: Problem, certificate: Certificate, style: Style = "coverage") -> dict[str, float]:
    """The optimality score of each heuristic in [0, 1], rounded to four digits; 0 where it finds no plan.

    Args:
        problem: What to plan.
        certificate: What was proven about it.
        style: How supply has to meet demand.
    """
    scores = {}
    for name in HEURISTICS:
        plan = plan_with(name, problem, style)
        scores[name] = round(_score(check_plan(problem, plan), problem, certificate), 4) if plan else 0.0
    return scores


def _score(values: PlanValues, problem: Problem, certificate: Certificate) -> float:
    actual = values.primary(problem.objective) / SCALE[problem.objective]
    return compare(problem.objective, actual, values.spend / SCALE["min_new_spend"], certificate).score
