"""Plan: quantities become purchase and manufacturing orders with dates and origins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.schedule import Flows
from opsgym.envs.erp_bench.solver import Solution
from opsgym.envs.erp_bench.spec import Offer, Plan, PlannedProduction, PlannedPurchase, Problem, Style


@dataclass(frozen=True, slots=True)
class Need:
    """``units`` of a product that document ``ref`` takes on ``day``."""

    ref: str
    day: int
    units: int


@dataclass(frozen=True, slots=True)
class Supply:
    """``units`` that document ``ref`` brings on ``day``, of which at least ``floor`` must serve some need."""

    ref: str
    day: int
    units: int
    floor: int


def build_plan(problem: Problem, solution: Solution) -> Plan:
    """The documents of a solution.

    Raises:
        TaskError: A purchase or production serves no need on or after its date, so it can have no honest origin.
    """
    return plan_flows(problem, solution.flows, style=solution.style)


def plan_flows(problem: Problem, flows: Flows, *, style: Style = "coverage") -> Plan:
    """One purchase order per offer and one manufacturing order per (product, work center, completion day).

    Origins link supply to the nearest needs on or after its date.  Stock is the earliest supply and takes what the
    documents leave.  Production is linked whole; a purchase may exceed what it is linked to only within its minimum
    lot (see :func:`least_linked`).

    Args:
        problem: The planning problem.
        flows: Feasible quantities.
        style: ``"coverage"``: purchases arrive on their lead day.  ``"release"``: finished purchases are dated as in
            the paper's release, on the first due day that they serve.

    Raises:
        TaskError: A document cannot be linked.
    """
    offers, boms = problem.offer_by_key, problem.bom_by_product
    productions = {_production_ref(*key): (key, units) for key, units in flows.productions.items()}
    starts = {ref: due - boms[product].lead for ref, ((product, _, due), _) in productions.items()}
    finished = {order.ref: Need(order.ref, order.due, order.quantity) for order in problem.accepted}
    needs: dict[str, list[Need]] = {code: [] for code in problem.finished_codes}
    for order in problem.accepted:
        needs[problem.ordered(order).code].append(finished[order.ref])
    supplies: dict[str, list[Supply]] = {}
    for ref, ((product, _, due), units) in productions.items():
        supplies.setdefault(product, []).append(Supply(ref, due, units, units))
        for component in dict.fromkeys(line.component for line in boms[product].lines):
            rate = sum(line.quantity for line in boms[product].lines if line.component == component)
            needs.setdefault(component, []).append(Need(ref, starts[ref], units * rate))
    for key, units in flows.purchases.items():
        offer = offers[key]
        supplies.setdefault(offer.product, []).append(Supply(f"po:{key}", offer.lead, units, least_linked(offer, units)))
    origins = {ref: tokens for product, rows in supplies.items() for ref, tokens in link(rows, needs.get(product, [])).items()}

    def arrival(offer: Offer, tokens: tuple[str, ...]) -> int:
        served = [finished[token].day for token in tokens if token in finished]
        return min(served) if style == "release" and served else offer.lead

    place = {offer.key: position for position, offer in enumerate(problem.offers)}
    return Plan(
        purchases=tuple(
            PlannedPurchase(
                ref=f"po:{key}",
                offer=key,
                quantity=flows.purchases[key],
                arrival=arrival(offers[key], origins[f"po:{key}"]),
                origins=origins[f"po:{key}"],
            )
            for key in sorted(flows.purchases, key=lambda key: (offers[key].product in problem.finished_codes, place[key]))
        ),
        productions=tuple(
            PlannedProduction(
                ref=ref,
                product=key[0],
                center=key[1],
                quantity=units,
                start=starts[ref],
                due=key[2],
                origins=origins[ref],
                level=production_level(problem, key[0]),
            )
            for ref, (key, units) in productions.items()
        ),
    )


def production_level(problem: Problem, product: str) -> int:
    """0 for a product whose inputs are all bought, else one more than its highest manufactured input."""
    made = [line.component for line in problem.bom_by_product[product].lines if line.component in problem.bom_by_product]
    return 1 + max(production_level(problem, code) for code in made) if made else 0


def least_linked(offer: Offer, units: int) -> int:
    """The least part of a purchase of ``units`` that must serve needs: the rest is excused by the minimum lot.

    A minimum lot must serve one unit.  More than a minimum lot must serve at least the minimum, and leave less than
    a minimum lot over.
    """
    return 1 if units == offer.min_qty else max(offer.min_qty, units - offer.min_qty + 1)


def link(supplies: Sequence[Supply], needs: Sequence[Need]) -> dict[str, tuple[str, ...]]:
    """Origins of each supply.

    What is at hand later can serve a subset of what earlier supply can serve.  So supply that comes last chooses
    first, and if any matching meets all floors, this one does; a second round links the rest as far as needs go.

    Args:
        supplies: Documents of one product.
        needs: What takes that product.

    Returns:
        Refs of needs by ref of supply, in the order of ``needs``.

    Raises:
        TaskError: The floors cannot all be met.
    """
    open_units = {need.ref: need.units for need in needs}
    linked: dict[str, dict[str, int]] = {supply.ref: {} for supply in supplies}
    nearest = sorted(needs, key=lambda need: need.day)
    last_first = sorted(supplies, key=lambda supply: -supply.day)

    def claim(supply: Supply, units: int) -> int:
        for need in nearest:
            if units <= 0:
                break
            part = min(units, open_units[need.ref]) if need.day >= supply.day else 0
            if part > 0:
                open_units[need.ref] -= part
                linked[supply.ref][need.ref] = linked[supply.ref].get(need.ref, 0) + part
                units -= part
        return units

    for supply in last_first:
        short = claim(supply, supply.floor)
        if short:
            raise TaskError(
                f"{supply.ref} brings {supply.units} units on day {supply.day}, {short} of them serve no open need",
                field="plan.origins",
            )
    for supply in last_first:
        claim(supply, supply.units - supply.floor)
    return {ref: tuple(need.ref for need in needs if need.ref in tokens) for ref, tokens in linked.items()}


def _production_ref(product: str, center: str, due: int) -> str:
    return f"mo:{product}:{center}:{due}"
