"""Simulation: an independent check of a plan, day by day.  It shares no code with the model or the scheduler."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.spec import BomLine, Plan, PlannedProduction, PlanValues, Problem


def check_plan(problem: Problem, plan: Plan) -> PlanValues:
    """Carry out ``plan`` on paper and measure it.

    Checked: offers (known, used once, within minimum and maximum, no arrival before the lead, not the broken one,
    no finished purchase where that is forbidden), production (known route, lead, start not in the past, working
    center, minutes in the period of the start), inputs at hand at every start, finished units at hand at every due
    day, budgets and margin.
    Origins are the business of :func:`check_lineage`.

    Returns:
        The five measures; new units are counted up to the accepted demand.

    Raises:
        TaskError: Lists every violation.
    """
    faults = [*_document_faults(plan), *_purchase_faults(problem, plan), *_production_faults(problem, plan)]
    _raise([*faults, *_budget_faults(problem)])
    faults = [*_capacity_faults(problem, plan), *_flow_faults(problem, plan)]
    values = _measure(problem, plan)
    revenue = sum(_list_price(problem, code) * units for code, units in _new_units(problem, plan).items())
    if values.spend * 10_000 > revenue * (10_000 - problem.margin_bps):
        faults.append(
            f"margin: spend of {values.spend} cents on new units worth {revenue} cents leaves less than "
            f"{problem.margin_bps} basis points"
        )
    _raise(faults)
    return values


def check_lineage(problem: Problem, plan: Plan) -> None:
    """Check that the origins of all documents of a plan that :func:`check_plan` accepts can be true at once.

    Every document names at least one need (an accepted order, or a manufacturing order that takes its product), none
    twice, none before its own date.  All documents of a product together must fit the needs that they name, with at
    least one unit for each name.  Manufacturing orders fit whole.  A purchase may exceed its share within its minimum
    lot: a minimum lot must serve one unit per name, a larger one at least the minimum with less than a minimum over.

    Raises:
        TaskError: Lists every violation.
    """
    faults: list[str] = []
    for product in dict.fromkeys(product.code for product in problem.products):
        documents = _documents(problem, plan, product)
        needs = _needs(problem, plan, product)
        sound = True
        for ref, day, units, _, names in documents:
            for fault in _name_faults(names, day, units, needs):
                faults.append(f"{ref}: {fault}")
                sound = False
        if sound and not _fits(documents, needs):
            faults.append(f"{product}: its documents do not fit together into the needs that they name")
    _raise(faults)


def _raise(faults: list[str]) -> None:
    if faults:
        raise TaskError("; ".join(faults), field="plan")


def _document_faults(plan: Plan) -> Iterator[str]:
    refs = Counter([*(row.ref for row in plan.purchases), *(row.ref for row in plan.productions)])
    yield from (f"two documents are called {ref}" for ref, count in refs.items() if count > 1)


def _purchase_faults(problem: Problem, plan: Plan) -> Iterator[str]:
    offers = {offer.key: offer for offer in problem.offers}
    uses = Counter(row.offer for row in plan.purchases)
    yield from (f"offer {key} is used {count} times" for key, count in uses.items() if count > 1)
    for row in plan.purchases:
        offer = offers.get(row.offer)
        if offer is None:
            yield f"{row.ref}: no offer {row.offer}"
            continue
        if row.quantity < max(1, offer.min_qty):
            yield f"{row.ref}: {row.quantity} units, the minimum is {offer.min_qty}"
        if offer.max_qty is not None and row.quantity > offer.max_qty:
            yield f"{row.ref}: {row.quantity} units, the maximum is {offer.max_qty}"
        if row.arrival < offer.lead:
            yield f"{row.ref}: arrives on day {row.arrival}, the lead time is {offer.lead} days"
        if problem.repair and row.offer == problem.repair.broken_offer:
            yield f"{row.ref}: the offer was cancelled by its vendor"
        if offer.product in _finished(problem) and not problem.buying:
            yield f"{row.ref}: finished units may not be bought"


def _production_faults(problem: Problem, plan: Plan) -> Iterator[str]:
    routes = {(row.product, row.center) for row in problem.operations}
    leads = {bom.product: bom.lead for bom in problem.boms}
    for row in plan.productions:
        if not problem.making or row.product not in leads or (row.product, row.center) not in routes:
            yield f"{row.ref}: {row.product} cannot be made on {row.center}"
            continue
        if row.quantity < 1:
            yield f"{row.ref}: {row.quantity} units"
        if row.start < 0:
            yield f"{row.ref}: starts on day {row.start}, before today"
        if row.due - row.start < leads[row.product]:
            yield f"{row.ref}: {row.due - row.start} days from start to completion, {leads[row.product]} are needed"
        if problem.repair and row.center == problem.repair.broken_center:
            yield f"{row.ref}: {row.center} is out of order"


def _budget_faults(problem: Problem) -> Iterator[str]:
    for order in problem.accepted:
        amount = _list_price(problem, order.product or problem.product) * order.quantity
        if order.budget is not None and amount > order.budget:
            yield f"order {order.ref}: {amount} cents at list price exceed the budget of {order.budget}"


def _finished(problem: Problem) -> set[str]:
    return {problem.product} | {order.product for order in problem.orders if order.product}


def _list_price(problem: Problem, code: str) -> int:
    return next(row.list_price for row in problem.products if row.code == code)


def _capacity_faults(problem: Problem, plan: Plan) -> Iterator[str]:
    minutes = {(row.product, row.center): row.minutes for row in problem.operations}
    for center in problem.centers:
        mine = [row for row in plan.productions if row.center == center.code]
        load: Counter[int] = Counter()
        for row in mine:
            period = row.start // problem.bucket_days if center.buckets and problem.bucket_days else 0
            load[period] += minutes[row.product, row.center] * row.quantity
        for period, used in sorted(load.items()):
            available = dict(enumerate(center.buckets)).get(period, 0) if center.buckets else center.capacity
            if used > available:
                when = f" in period {period}" if center.buckets else ""
                yield f"{center.code}: {used / 1000:g} minutes planned{when}, {available / 1000:g} available"


def _flow_faults(problem: Problem, plan: Plan) -> Iterator[str]:
    """Stock by day: arrivals and completions come in, then starts take their inputs, then orders are delivered."""
    stock: defaultdict[str, int] = defaultdict(int, problem.stock)
    products = {offer.key: offer.product for offer in problem.offers}
    incoming: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    starting: defaultdict[int, list[PlannedProduction]] = defaultdict(list)
    leaving: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for purchase in plan.purchases:
        incoming[purchase.arrival].append((products[purchase.offer], purchase.quantity))
    for production in plan.productions:
        starting[production.start].append(production)
        if production.due > production.start:
            incoming[production.due].append((production.product, production.quantity))
    for order in problem.accepted:
        leaving[order.due][order.product or problem.product] += order.quantity
    recipes = {bom.product: bom.lines for bom in problem.boms}
    for day in sorted({*incoming, *starting, *leaving}):
        for product, units in incoming[day]:
            stock[product] += units
        for production in sorted(starting[day], key=lambda row: _depth(recipes, row.product)):
            for line in recipes[production.product]:
                stock[line.component] -= line.quantity * production.quantity
            if production.due == day:
                stock[production.product] += production.quantity
        for product, units in leaving[day].items():
            stock[product] -= units
        missing = sorted((product, -units) for product, units in stock.items() if units < 0)
        yield from (f"day {day}: {units} units of {product} are missing" for product, units in missing)


def _depth(recipes: Mapping[str, tuple[BomLine, ...]], product: str) -> int:
    """Levels of production below ``product``, so that same-day inputs are made before they are used."""
    inputs = [_depth(recipes, line.component) for line in recipes.get(product, ())]
    return 1 + max(inputs) if inputs else 0


def _measure(problem: Problem, plan: Plan) -> PlanValues:
    offers = {offer.key: offer for offer in problem.offers}
    routes = {(row.product, row.center): row for row in problem.operations}
    spend = sum(offers[row.offer].price * row.quantity for row in plan.purchases)
    spend += sum(routes[row.product, row.center].unit_cost * row.quantity for row in plan.productions)
    return PlanValues(
        spend=spend,
        vendors=len({offers[row.offer].vendor for row in plan.purchases}),
        minutes=sum(routes[row.product, row.center].minutes * row.quantity for row in plan.productions),
        repair_distance=_distance(problem, plan),
        new_units=sum(_new_units(problem, plan).values()),
    )


def _new_units(problem: Problem, plan: Plan) -> Counter[str]:
    """Units bought and made of each finished product, at most its demand."""
    products = {offer.key: offer.product for offer in problem.offers}
    new, wanted = Counter[str](), Counter[str]()
    for purchase in plan.purchases:
        new[products[purchase.offer]] += purchase.quantity
    for production in plan.productions:
        new[production.product] += production.quantity
    for order in problem.accepted:
        wanted[order.product or problem.product] += order.quantity
    return new & wanted


def _distance(problem: Problem, plan: Plan) -> int:
    """Absolute change of each finished offer's and each (product, work center)'s total against the booked plan."""
    if problem.repair is None:
        return 0
    finished = {offer.key for offer in problem.offers if offer.product in _finished(problem)}
    change: Counter[tuple[str, ...]] = Counter()
    for purchase in plan.purchases:
        change[(purchase.offer,)] += purchase.quantity if purchase.offer in finished else 0
    for production in plan.productions:
        change[production.product, production.center] += production.quantity
    for booked in problem.repair.purchases:
        change[(booked.offer,)] -= booked.quantity if booked.offer in finished else 0
    for running in problem.repair.productions:
        change[running.product, running.center] -= running.quantity
    return sum(abs(units) for units in change.values())


Document = tuple[str, int, int, int, tuple[str, ...]]
"""Ref, day at hand, units, least units that must be linked, origins."""


def _documents(problem: Problem, plan: Plan, product: str) -> list[Document]:
    offers = {offer.key: offer for offer in problem.offers}
    made = [row for row in plan.productions if row.product == product]
    found: list[Document] = [(row.ref, row.due, row.quantity, row.quantity, row.origins) for row in made]
    for row in plan.purchases:
        offer = offers[row.offer]
        if offer.product == product:
            least = 1 if row.quantity == offer.min_qty else max(offer.min_qty, row.quantity - offer.min_qty + 1)
            found.append((row.ref, row.arrival, row.quantity, max(least, len(row.origins)), row.origins))
    return found


def _needs(problem: Problem, plan: Plan, product: str) -> dict[str, tuple[int, int]]:
    """Day and units of every document that takes ``product``."""
    if product in _finished(problem):
        wanted = [order for order in problem.accepted if (order.product or problem.product) == product]
        return {order.ref: (order.due, order.quantity) for order in wanted}
    rates = {bom.product: sum(line.quantity for line in bom.lines if line.component == product) for bom in problem.boms}
    return {row.ref: (row.start, rates[row.product] * row.quantity) for row in plan.productions if rates.get(row.product)}


def _name_faults(names: tuple[str, ...], day: int, units: int, needs: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    if not names:
        yield "names no origin"
    if len(set(names)) < len(names):
        yield "names an origin twice"
    if len(names) > units:
        yield f"{units} units for {len(names)} origins"
    for name in names:
        if name not in needs:
            yield f"origin {name} takes none of it"
        elif needs[name][0] < day:
            yield f"origin {name} takes it on day {needs[name][0]}, before day {day}"


def _fits(documents: list[Document], needs: Mapping[str, tuple[int, int]]) -> bool:
    """Whether all least amounts can be routed at once, one unit on every link: augmenting paths, unit by unit."""
    free = {name: units for name, (_, units) in needs.items()}
    flow: dict[tuple[str, str], int] = {}
    holders: defaultdict[str, list[str]] = defaultdict(list)
    names_of = {ref: names for ref, _, _, _, names in documents}
    for ref, _, _, _, names in documents:
        for name in names:
            free[name] -= 1
            flow[ref, name] = 0
            holders[name].append(ref)
    if any(units < 0 for units in free.values()):
        return False

    def place(ref: str, seen: set[str]) -> bool:
        for name in names_of[ref]:
            if name in seen:
                continue
            seen.add(name)
            if free[name] > 0:
                free[name] -= 1
                flow[ref, name] += 1
                return True
            for other in holders[name]:
                if flow[other, name] > 0 and place(other, seen):
                    flow[other, name] -= 1
                    flow[ref, name] += 1
                    return True
        return False

    return all(place(ref, set()) for ref, _, _, least, names in documents for _ in range(least - len(names)))
