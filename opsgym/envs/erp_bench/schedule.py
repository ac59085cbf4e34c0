"""Schedule: the latest production days for given totals, and the work centers that share them.

Pure arithmetic, so equal totals give an equal schedule whatever solver found them.  If any schedule of the totals is
feasible, this one is: finishing later never takes an input earlier, on any level of the bill of materials.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from opsgym.envs.erp_bench.network import Network
from opsgym.envs.erp_bench.spec import Style


@dataclass(frozen=True, kw_only=True)
class Totals:
    """What a plan buys and makes, without dates.

    Attributes:
        bought: Units by offer key, positive.
        made: Units by (product, work center), positive.
    """

    bought: Mapping[str, int] = field(default_factory=dict)
    made: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Flows:
    """Quantities of a plan, dated.

    Attributes:
        purchases: Units by offer key, positive; an offer arrives on its lead day.
        productions: Units by (product, work center, completion day), positive.
    """

    purchases: Mapping[str, int]
    productions: Mapping[tuple[str, str, int], int]


def schedule(network: Network, totals: Totals, *, style: Style = "coverage") -> Flows:
    """Date ``totals``: production completes as late as the needs allow.

    Args:
        network: The problem.
        totals: Units bought and made; they need not be feasible.
        style: In ``"release"`` stock serves only what ``totals`` leave open, so all new units serve demand.

    Returns:
        Positive quantities.  What the needs do not call for is completed on the last day.
    """
    daily: dict[str, dict[int, int]] = {}
    for product in network.products:
        daily[product] = _latest(network, product, totals, daily, style)
    productions = {
        (product, center, day): units
        for product in network.products
        for (center, day), units in _deal(network, product, totals, daily[product]).items()
    }
    return Flows(purchases=dict(totals.bought), productions=productions)


def _latest(network: Network, product: str, totals: Totals, daily: dict[str, dict[int, int]], style: Style) -> dict[int, int]:
    """Daily units of ``product``: each need that supply does not cover is completed just then."""
    total = sum(units for (code, _), units in totals.made.items() if code == product)
    if not total:
        return {}
    stock = network.problem.stock.get(product, 0)
    if style == "release" and product == network.problem.product:
        stock = min(stock, max(0, network.total_demand - total - _arrived(network, product, totals, network.needs[product][-1])))
    done = needed = 0
    days: dict[int, int] = {}
    for day in network.needs[product]:
        needed += _use_on(network, product, day, daily)
        missing = min(total, needed - stock - _arrived(network, product, totals, day)) - done
        if missing > 0:
            days[day] = missing
            done += missing
    if done < total:
        last = network.needs[product][-1]
        days[last] = days.get(last, 0) + total - done
    return days


def _arrived(network: Network, product: str, totals: Totals, day: int) -> int:
    return sum(totals.bought.get(offer.key, 0) for offer in network.offers[product] if offer.lead <= day)


def _use_on(network: Network, product: str, day: int, daily: dict[str, dict[int, int]]) -> int:
    if product == network.problem.product:
        return network.demand[day]
    return sum(rate * daily[parent].get(day + network.lead(parent), 0) for parent, rate in network.parents[product])


def _deal(network: Network, product: str, totals: Totals, daily: dict[int, int]) -> dict[tuple[str, int], int]:
    """Deal daily units to work centers: the first center takes the first days."""
    left = [(operation.center, totals.made.get((product, operation.center), 0)) for operation in network.operations[product]]
    dealt: dict[tuple[str, int], int] = {}
    for day, units in sorted(daily.items()):
        while units:
            center, free = left[0]
            if not free:
                left.pop(0)
                continue
            part = min(units, free)
            dealt[center, day] = part
            left[0], units = (center, free - part), units - part
    return dealt
