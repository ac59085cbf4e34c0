"""Schedule: the latest production days for given totals, and the work centers that share them.

Pure arithmetic, so equal totals give an equal schedule whatever solver found them.  If any schedule of the totals is
feasible, this one is: finishing later never takes an input earlier, on any level of the bill of materials.  Totals say
from which capacity bucket production draws its minutes; it is as late as that bucket lets it start.
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
        made: Units by (product, work center, capacity bucket), positive.
    """

    bought: Mapping[str, int] = field(default_factory=dict)
    made: Mapping[tuple[str, str, int], int] = field(default_factory=dict)

    @property
    def routes(self) -> dict[tuple[str, str], int]:
        """Units by (product, work center) over the horizon."""
        units: dict[tuple[str, str], int] = {}
        for (product, center, _), made in self.made.items():
            units[product, center] = units.get((product, center), 0) + made
        return units


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
        Positive quantities.  What the needs do not call for is completed on the last day of its bucket.
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
    """Daily units of ``product``: each need that supply does not cover is completed just then, or in an earlier bucket."""
    in_bucket: dict[int, int] = {}
    for (code, _, bucket), units in totals.made.items():
        in_bucket[bucket] = in_bucket.get(bucket, 0) + (units if code == product else 0)
    total = sum(in_bucket.values())
    if not total:
        return {}
    stock = network.problem.stock.get(product, 0)
    if style == "release" and product in network.demand:
        new = total + _arrived(network, product, totals, network.needs[product][-1])
        stock = min(stock, max(0, network.problem.demand[product] - new))
    done = 0
    days: dict[int, int] = {}
    for bucket, completions in network.buckets(product).items():
        left = in_bucket.get(bucket, 0)
        for day in completions:
            needed = sum(_use_on(network, product, known, daily) for known in network.needs[product] if known <= day)
            missing = needed - stock - _arrived(network, product, totals, day) - done
            units = left if day == completions[-1] else min(left, max(0, missing))
            if units:
                days[day] = units
            done, left = done + units, left - units
    return days


def _arrived(network: Network, product: str, totals: Totals, day: int) -> int:
    return sum(totals.bought.get(offer.key, 0) for offer in network.offers[product] if offer.lead <= day)


def _use_on(network: Network, product: str, day: int, daily: dict[str, dict[int, int]]) -> int:
    if product in network.demand:
        return network.demand[product][day]
    return sum(rate * daily[parent].get(day + network.lead(parent), 0) for parent, rate in network.parents[product])


def _deal(network: Network, product: str, totals: Totals, daily: dict[int, int]) -> dict[tuple[str, int], int]:
    """Deal daily units to work centers: in each bucket the first center takes the first days."""
    left: dict[int, list[tuple[str, int]]] = {}
    for bucket in dict.fromkeys(bucket for _, _, bucket in totals.made):
        centers = [operation.center for operation in network.operations[product]]
        left[bucket] = [(center, totals.made.get((product, center, bucket), 0)) for center in centers]
    dealt: dict[tuple[str, int], int] = {}
    for day, units in sorted(daily.items()):
        queue = left[network.bucket(product, day)]
        while units:
            center, free = queue[0]
            if not free:
                queue.pop(0)
                continue
            part = min(units, free)
            dealt[center, day] = part
            queue[0], units = (center, free - part), units - part
    return dealt
