"""The planning problem as a CP-SAT model over totals.

Counted are units per offer, per (product, work center, capacity bucket) and per completion day.

All routes of a product share its lead time, so which work center makes which day's units changes neither cost nor
timing.  The model therefore links the daily production of a bucket and its work-center totals by their sum alone; the
plan deals one to the other afterwards (:mod:`opsgym.envs.erp_bench.schedule`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from ortools.sat.python import cp_model

from opsgym.envs.erp_bench.network import Network
from opsgym.envs.erp_bench.spec import ObjectiveKind, Offer, Operation, Style

Linear = cp_model.LinearExpr
BASIS_POINTS = 10_000
TIE_BITS = 20


@dataclass
class PlanModel:
    """Variables and objectives of one problem.

    Attributes:
        cp: The CP-SAT model.
        bought: Units by offer key.
        chosen: Whether the offer is used, by offer key.
        products: What each offer of ``bought`` is for, by offer key.
        made: Units by (product, work center, capacity bucket).
        daily: Units by (product, completion day).
        costs: Expression of each objective, in the integer units of ``PlanValues``; spend for ``constraint_only``.
    """

    cp: cp_model.CpModel
    bought: dict[str, cp_model.IntVar] = field(default_factory=dict)
    chosen: dict[str, cp_model.IntVar] = field(default_factory=dict)
    products: dict[str, str] = field(default_factory=dict)
    made: dict[tuple[str, str, int], cp_model.IntVar] = field(default_factory=dict)
    daily: dict[tuple[str, int], cp_model.IntVar] = field(default_factory=dict)
    costs: dict[ObjectiveKind, Linear] = field(default_factory=dict)

    def ties(self) -> Linear:
        """A cost that tells equally good plans apart: fewest units, then a fixed hash of each offer and route.

        Two plans with different totals get the same cost with a probability of about one in a million.
        """
        terms = [(self.products[key], tie_weight(key), units) for key, units in self.bought.items()]
        return self.by_product(terms + [(key[0], tie_weight(_key_text(*key)), units) for key, units in self.made.items()])

    def by_product(self, terms: Iterable[tuple[str, int, cp_model.IntVar]]) -> Linear:
        """The sum of (product, weight, variable) terms, with a variable for the part of each product.

        Once it is settled what is made, products hardly depend on one another.  A search that raises the bound of one part
        at a time then proves in no time what a search over their sum does not.
        """
        pairs: dict[str, list[tuple[int, cp_model.IntVar]]] = {}
        for product, weight, variable in terms:
            pairs.setdefault(product, []).append((weight, variable))
        parts = []
        for product, found in pairs.items():
            most = sum(weight * max(variable.proto.domain) for weight, variable in found)
            parts.append(self.cp.new_int_var(0, most, f"cost of {product}"))
            self.cp.add(parts[-1] == _weighted(found))
        return _total(parts)


def _key_text(product: str, center: str, bucket: int) -> str:
    """The first bucket, which is the whole horizon where capacity is not dated, goes without its number."""
    return f"{product}|{center}|{bucket}" if bucket else f"{product}|{center}"


def tie_weight(key: str) -> int:
    """Weight of one unit in :meth:`PlanModel.ties`: a constant plus :data:`TIE_BITS` bits of the key's hash."""
    digest = int.from_bytes(hashlib.blake2s(key.encode(), digest_size=4).digest(), "big")
    return (1 << TIE_BITS) + (digest >> (32 - TIE_BITS))


def build_model(network: Network, style: Style) -> PlanModel:
    """State ``network`` as a model without an objective.

    Args:
        network: The problem.
        style: ``"release"``: supply meets demand exactly, so finished units are neither over-bought nor over-made.
            ``"coverage"``: supply covers demand by each due day; a surplus is paid for and stays on the shelf.
    """
    model = PlanModel(cp_model.CpModel())
    for product in network.products:
        for offer in network.offers[product]:
            _add_offer(model, network, offer)
        _add_production(model, network, product)
    for product in network.products:
        _add_balance(model, network, product, style)
    _add_capacity(model, network)
    spend = _spend(model, network)
    _add_margin(model, network, spend)
    model.costs = {
        "constraint_only": spend,
        "min_new_spend": spend,
        "vendor_consolidation": _vendors(model, network),
        "capacity_preservation": _minutes(model, network),
        "repair_plan": _distance(model, network),
    }
    return model


def _weighted(terms: Iterable[tuple[int, cp_model.IntVar]]) -> Linear:
    pairs = list(terms)
    return cp_model.LinearExpr.weighted_sum([variable for _, variable in pairs], [weight for weight, _ in pairs])


def _total(variables: Iterable[cp_model.IntVar]) -> Linear:
    return _weighted((1, variable) for variable in variables)


def _add_offer(model: PlanModel, network: Network, offer: Offer) -> None:
    """Nothing, or between the minimum and the most that can be of use."""
    most = network.cap(offer)
    most = min(
        most,
        max(offer.min_qty, network.most_needed(offer.product, offer.lead), network.baseline[0].get(offer.key, 0)),
    )
    if most < offer.min_qty:
        return
    units = model.cp.new_int_var_from_domain(cp_model.Domain.from_intervals([[0, 0], [offer.min_qty, most]]), offer.key)
    chosen = model.cp.new_bool_var(f"use {offer.key}")
    model.cp.add(units >= offer.min_qty * chosen)
    model.cp.add(units <= most * chosen)
    model.bought[offer.key], model.chosen[offer.key], model.products[offer.key] = units, chosen, offer.product


def _add_production(model: PlanModel, network: Network, product: str) -> None:
    """Daily units and work-center totals of one product, tied by their sum in each capacity bucket."""
    for bucket, days in network.buckets(product).items():
        daily = []
        all_days = 0
        for day in days:
            most = min(network.most_made(product, day), network.reach(product, day).made)
            daily.append(model.cp.new_int_var(0, most, f"{product} by {day}"))
            model.daily[product, day] = daily[-1]
            all_days += most
        totals = []
        for operation in network.operations[product]:
            free = network.free(operation.center, [bucket])
            most = min(all_days, free // operation.minutes) if operation.minutes else all_days
            totals.append(model.cp.new_int_var(0, most, f"{product} on {operation.center}"))
            model.made[product, operation.center, bucket] = totals[-1]
        model.cp.add(_total(daily) == _total(totals))


def _add_balance(model: PlanModel, network: Network, product: str, style: Style) -> None:
    """Supply covers use at every need, cumulatively."""
    stock = network.problem.stock.get(product, 0)
    exact = style == "release" and product in network.demand
    shelf = [model.cp.new_int_var(0 if exact else stock, stock, f"stock of {product}")]
    offers = [offer for offer in network.offers[product] if offer.key in model.bought]
    for day in network.needs[product]:
        arrived = [model.bought[offer.key] for offer in offers if offer.lead <= day]
        done = [model.daily[product, known] for known in network.completions[product] if known <= day]
        slack = _total(shelf + arrived + done) - _used_by(model, network, product, day)
        model.cp.add(slack == 0 if exact and day == network.needs[product][-1] else slack >= 0)


def _used_by(model: PlanModel, network: Network, product: str, day: int) -> Linear:
    """Units that leave by ``day``: deliveries of a finished product, starts of parents otherwise."""
    if product in network.demand:
        return _total([]) + sum(units for due, units in network.demand[product].items() if due <= day)
    return _weighted(
        (rate, model.daily[parent, done])
        for parent, rate in network.parents[product]
        for done in network.completions[parent]
        if done - network.lead(parent) <= day
    )


def _add_capacity(model: PlanModel, network: Network) -> None:
    """Minutes of a work center in each bucket, shared by its products; of one without buckets over the horizon."""
    loads: dict[tuple[str, int], list[tuple[int, cp_model.IntVar]]] = {}
    for key, operation in _routes(model, network):
        dated = bool(network.centers[operation.center].buckets)
        loads.setdefault((operation.center, key[2] if dated else 0), []).append((operation.minutes, model.made[key]))
    for center in network.centers:
        for bucket in sorted(bucket for code, bucket in loads if code == center):
            model.cp.add(_weighted(loads[center, bucket]) <= network.free(center, [bucket]))


def _add_margin(model: PlanModel, network: Network, spend: Linear) -> None:
    """The portfolio margin on new spend; units beyond a product's demand earn nothing."""
    problem, earnings = network.problem, []
    for product in problem.finished:
        gained = [model.bought[offer.key] for offer in network.offers[product.code] if offer.key in model.bought]
        gained += [model.daily[product.code, day] for day in network.completions[product.code]]
        earning = model.cp.new_int_var(0, problem.demand[product.code], "earning units")
        model.cp.add(earning <= _total(gained))
        earnings.append((product.list_price * (BASIS_POINTS - problem.margin_bps), earning))
    model.cp.add(spend * BASIS_POINTS <= _weighted(earnings))


def _routes(model: PlanModel, network: Network) -> list[tuple[tuple[str, str, int], Operation]]:
    """Keys of production variables, each with its operation."""
    rows = [operation for operations in network.operations.values() for operation in operations]
    keys = [((row.product, row.center, bucket), row) for row in rows for bucket in network.buckets(row.product)]
    return [(key, row) for key, row in keys if key in model.made]


def _offers(model: PlanModel, network: Network) -> list[Offer]:
    return [offer for offers in network.offers.values() for offer in offers if offer.key in model.bought]


def _spend(model: PlanModel, network: Network) -> Linear:
    terms = [(offer.product, offer.price, model.bought[offer.key]) for offer in _offers(model, network)]
    return model.by_product(terms + [(key[0], row.unit_cost, model.made[key]) for key, row in _routes(model, network)])


def _minutes(model: PlanModel, network: Network) -> Linear:
    return _weighted((operation.minutes, model.made[key]) for key, operation in _routes(model, network))


def _vendors(model: PlanModel, network: Network) -> Linear:
    """Distinct vendors with a chosen offer."""
    by_vendor: dict[str, list[cp_model.IntVar]] = {}
    for offer in _offers(model, network):
        by_vendor.setdefault(offer.vendor, []).append(model.chosen[offer.key])
    flags = []
    for vendor, chosen in by_vendor.items():
        flag = chosen[0]
        if len(chosen) > 1:
            flag = model.cp.new_bool_var(f"vendor {vendor}")
            model.cp.add_max_equality(flag, chosen)
        flags.append((1, flag))
    return _weighted(flags)


def _distance(model: PlanModel, network: Network) -> Linear:
    """Absolute differences to the booked plan, by finished offer and by (product, work center)."""
    bought, made = network.baseline
    offers = [offer for code in network.demand for offer in network.offers[code] if offer.key in model.bought]
    finished = {offer.key: [model.bought[offer.key]] for offer in offers}
    routes: dict[tuple[str, str], list[cp_model.IntVar]] = {}
    for (product, center, _), variable in model.made.items():
        routes.setdefault((product, center), []).append(variable)
    lost = sum(units for key, units in bought.items() if key not in finished)
    lost += sum(units for route, units in made.items() if route not in routes)
    pairs = [(variables, bought.get(key, 0)) for key, variables in finished.items()]
    pairs += [(variables, made.get(route, 0)) for route, variables in routes.items()]
    gaps: list[cp_model.IntVar] = []
    for variables, booked in pairs if network.problem.repair else ():
        most = sum(max(variable.proto.domain) for variable in variables)
        gap = model.cp.new_int_var(0, max(booked, most - booked), f"change of {variables[0].name}")
        model.cp.add(gap >= _total(variables) - booked)
        model.cp.add(gap >= booked - _total(variables))
        gaps.append(gap)
    return _total(gaps) + lost
