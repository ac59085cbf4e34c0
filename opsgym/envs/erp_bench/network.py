"""Network: which supplies can serve which needs, and by when; derived from a problem without solving it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.spec import Offer, Operation, Problem, WorkCenter


@dataclass(frozen=True)
class Reach:
    """The most units of a product that can be at hand by a day, by source, were it alone in the world.

    ``limit`` names what caps production: a component code, a work-center code, or nothing.
    """

    stock: int
    bought: int
    made: int
    limit: str = ""

    @property
    def total(self) -> int:
        """Units from all sources."""
        return self.stock + self.bought + self.made


@dataclass(frozen=True)
class Network:
    """The planning problem as products that need and supply one another.

    A product is needed on ``needs`` days: a finished product on due days, an input on the days on which a parent
    may start.  Finishing later, up to the next need, never hurts as long as the start stays in its capacity bucket.
    So production is worth completing on the days of need, and as late as a bucket lets it start.

    Attributes:
        problem: What it was derived from.
        demand: Accepted units by due day, ascending, for each finished product.
        products: Products that can matter, each before its inputs.
        parents: (parent, units per unit of parent) of each product.
        needs: Days on which a product is needed, ascending.
        offers: Offers that can arrive in time and are not broken, by product, in the problem's order.
        operations: Operations on work centers that can carry one unit, by product, in the problem's order.
        completions: Days on which production of a product may complete, ascending.
    """

    problem: Problem
    demand: dict[str, dict[int, int]]
    products: tuple[str, ...]
    parents: dict[str, tuple[tuple[str, int], ...]]
    needs: dict[str, tuple[int, ...]]
    offers: dict[str, tuple[Offer, ...]]
    operations: dict[str, tuple[Operation, ...]]
    completions: dict[str, tuple[int, ...]]

    @cached_property
    def baseline(self) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
        """Units of the booked plan to be repaired: by finished offer, and by (product, work center)."""
        bought: Counter[str] = Counter()
        made: Counter[tuple[str, str]] = Counter()
        repair, offers = self.problem.repair, self.problem.offer_by_key
        for purchase in repair.purchases if repair else ():
            if offers[purchase.offer].product in self.demand:
                bought[purchase.offer] += purchase.quantity
        for production in repair.productions if repair else ():
            made[production.product, production.center] += production.quantity
        return dict(bought), dict(made)

    @cached_property
    def centers(self) -> dict[str, WorkCenter]:
        """Work centers by code."""
        return {center.code: center for center in self.problem.centers}

    def lead(self, product: str) -> int:
        """Days from start to completion of a product's production."""
        return self.problem.bom_by_product[product].lead

    def bucket(self, product: str, completion: int) -> int:
        """The capacity bucket of production of ``product`` that completes on a day: that in which it starts."""
        return self.problem.bucket(completion - self.lead(product))

    def buckets(self, product: str) -> dict[int, list[int]]:
        """Days on which production of ``product`` may complete, by capacity bucket, both ascending."""
        found: dict[int, list[int]] = {}
        for day in self.completions[product]:
            found.setdefault(self.bucket(product, day), []).append(day)
        return found

    def free(self, center: str, buckets: Iterable[int]) -> int:
        """Thousandths of a minute of a work center in some buckets together."""
        row = self.centers[center]
        if not row.buckets:
            return row.capacity
        return sum(row.buckets[bucket] for bucket in buckets if bucket < len(row.buckets))

    def reach(self, product: str, day: int) -> Reach:
        """The most units of ``product`` that can be at hand by ``day``; every other use of its inputs is ignored."""
        bought = sum(self.cap(offer) for offer in self.offers[product] if offer.lead <= day)
        stock = self.problem.stock.get(product, 0)
        done = [known for known in self.completions[product] if known <= day]
        if not done:
            return Reach(stock, bought, 0)
        made, limit = self._center_limit(product, {self.bucket(product, known) for known in done})
        start = done[-1] - self.lead(product)
        for line in self.problem.bom_by_product[product].lines:
            possible = self.reach(line.component, start).total // line.quantity
            if possible < made:
                made, limit = possible, line.component
        return Reach(stock, bought, made, limit)

    def _center_limit(self, product: str, buckets: set[int]) -> tuple[int, str]:
        routes = self.operations[product]
        if any(route.minutes == 0 for route in routes):
            return 10**9, ""
        units = sum(self.free(route.center, buckets) // route.minutes for route in routes)
        return units, ", ".join(route.center for route in routes)

    def cap(self, offer: Offer) -> int:
        """The most units of ``offer`` that any sensible plan buys."""
        if offer.max_qty is not None:
            return offer.max_qty
        return max(offer.min_qty, self.most_needed(offer.product, offer.lead))

    def most_needed(self, product: str, day: int) -> int:
        """An upper bound on the units of ``product`` that needs on or after ``day`` can absorb."""
        if product in self.demand:
            return self.problem.demand[product]
        return sum(
            rate * sum(self.most_made(parent, done) for done in self.completions[parent] if done - self.lead(parent) >= day)
            for parent, rate in self.parents[product]
        )

    def most_made(self, product: str, day: int) -> int:
        """An upper bound on the units of ``product`` worth completing on exactly ``day``.

        Production of a surplus can wait for the next need, if that is in the same capacity bucket.  On the last day of a
        bucket it may pay to make more than is needed there: for what is needed later, for the margin or to keep a booked
        plan.
        """
        known = self._most_made.get((product, day))
        if known is None:
            known = self._most_made[product, day] = self._worth_making(product, day)
        return known

    @cached_property
    def _most_made(self) -> dict[tuple[str, int], int]:
        return {}

    def _worth_making(self, product: str, day: int) -> int:
        kept = sum(units for (code, _), units in self.baseline[1].items() if code == product)
        closes = day == self.buckets(product)[self.bucket(product, day)][-1]
        if product in self.demand:
            return max(self.problem.demand[product], kept) if closes else self.demand[product][day]
        if closes and day < self.completions[product][-1]:
            return max(self.most_needed(product, day), kept)
        absorbed = sum(
            rate * self.most_made(parent, day + self.lead(parent))
            for parent, rate in self.parents[product]
            if day + self.lead(parent) in self.completions[parent]
        )
        return max(absorbed, kept) if closes else absorbed


def build_network(problem: Problem) -> Network:
    """Derive the network of ``problem``.

    Raises:
        TaskError: The bills of materials form a cycle or name an unknown work center.
    """
    demand: dict[str, Counter[int]] = {code: Counter() for code in problem.finished_codes}
    for order in problem.accepted:
        demand[problem.ordered(order).code][order.due] += order.quantity
    products = _parents_first(problem)
    operations = {code: _usable_operations(problem, code) for code in products}
    parents: dict[str, list[tuple[str, int]]] = {code: [] for code in products}
    needs: dict[str, tuple[int, ...]] = {}
    completions: dict[str, tuple[int, ...]] = {}
    starts: dict[str, set[int]] = {code: set() for code in products}
    for code in products:
        needs[code] = tuple(sorted(demand.get(code, starts[code])))
        bom = problem.bom_by_product.get(code)
        completions[code] = ()
        if bom is None or not problem.making or not operations[code]:
            continue
        completions[code] = _completions(problem, needs[code], bom.lead)
        for line in bom.lines if completions[code] else ():
            parents[line.component].append((code, line.quantity))
            starts[line.component].update(day - bom.lead for day in completions[code])
    return Network(
        problem=problem,
        demand={code: dict(sorted(units.items())) for code, units in demand.items()},
        products=products,
        parents={code: tuple(found) for code, found in parents.items()},
        needs=needs,
        offers={code: _usable_offers(problem, code, needs[code]) for code in products},
        operations=operations,
        completions=completions,
    )


def _completions(problem: Problem, needs: tuple[int, ...], lead: int) -> tuple[int, ...]:
    """Days on which production is worth completing: those of need, and the last ones of the buckets before."""
    days = {day for day in needs if day >= lead}
    if days and problem.bucket_days:
        days |= set(range(problem.bucket_days - 1 + lead, max(days), problem.bucket_days))
    return tuple(sorted(days))


def _usable_offers(problem: Problem, code: str, needs: tuple[int, ...]) -> tuple[Offer, ...]:
    broken = problem.repair.broken_offer if problem.repair else None
    if not needs or (code in problem.finished_codes and not problem.buying):
        return ()
    return tuple(offer for offer in problem.offers if offer.product == code and offer.key != broken and offer.lead <= needs[-1])


def _usable_operations(problem: Problem, code: str) -> tuple[Operation, ...]:
    broken = problem.repair.broken_center if problem.repair else None
    capacity = {center.code: max(center.budgets) for center in problem.centers}
    found = []
    for operation in problem.operations:
        if operation.center not in capacity:
            raise TaskError(f"no work center has the code {operation.center!r}", field="problem.operations")
        fits = 0 < capacity[operation.center] >= operation.minutes
        if operation.product == code and operation.center != broken and fits:
            found.append(operation)
    return tuple(found)


def _parents_first(problem: Problem) -> tuple[str, ...]:
    """The finished products and all their inputs, each after everything that it goes into."""
    depth: dict[str, int] = dict.fromkeys(problem.finished_codes, 0)
    frontier = list(depth) if problem.making else []
    while frontier:
        code = frontier.pop()
        for line in problem.bom_by_product[code].lines if code in problem.bom_by_product else ():
            if depth.get(line.component, -1) <= depth[code]:
                depth[line.component] = depth[code] + 1
                frontier.append(line.component)
        if depth[code] > len(problem.products):
            raise TaskError(f"the bills of materials form a cycle through {code!r}", field="problem.boms")
    order = {product.code: position for position, product in enumerate(problem.products)}
    missing = sorted(code for code in depth if code not in order)
    if missing:
        raise TaskError(f"unknown products {', '.join(missing)}", field="problem.boms")
    return tuple(sorted(depth, key=lambda code: (depth[code], order[code])))
