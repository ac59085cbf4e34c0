"""Stream: what all parts of one draw share, and the draws that they have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opsgym.envs.erp_bench.domains import Domain
from opsgym.envs.erp_bench.lanes import Lane
from opsgym.envs.erp_bench.names import Namer
from opsgym.envs.erp_bench.params import ERPParams
from opsgym.envs.erp_bench.spec import Offer, Partner


@dataclass(frozen=True, slots=True)
class Window:
    """First and last day on which a product is needed, and the units needed."""

    first: int
    last: int
    units: int


class Stream:
    """One draw: parameters, the random stream, names, and the vendors named so far."""

    def __init__(self, params: ERPParams, rng: np.random.Generator, domain: Domain) -> None:
        self.params = params
        self.rng = rng
        self.domain = domain
        self.namer = Namer(rng, domain.prefix)
        self.vendors: list[Partner] = []

    def between(self, low: float, high: float) -> float:
        """A number from ``low`` to ``high``."""
        return float(self.rng.uniform(low, high))

    def integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return int(self.rng.integers(low, high + 1))

    def offers(
        self, product: str, price: int, window: Window, count: int, lanes: tuple[Lane, ...], capacity: float
    ) -> tuple[Offer, ...]:
        """``count`` offers, each of another vendor; the first is fast and dear, the others draw their lanes."""
        rest = [lanes[1:][int(index)] for _ in range(count) for index in self.rng.permutation(len(lanes) - 1)]
        offers = [self._lane_offer(product, price, window, lane, capacity) for lane in (lanes[0], *rest[: count - 1])]
        return tuple(offers[int(index)] for index in self.rng.permutation(count))

    def _lane_offer(self, product: str, price: int, window: Window, lane: Lane, capacity: float) -> Offer:
        params = self.params
        cents = max(1, round(price * self.between(*lane.price)))
        place = self.between(*lane.place) * params.lead_pressure
        lead = max(1, round(window.first + (window.last - window.first) * place) - (0 if place else self.integer(0, 1)))
        most = max(2, round(window.units * capacity * self.between(0.7, 1.3)))
        share = min(1.0, params.moq_pressure * lane.lot * self.between(0.6, 1.0))
        least = 1 + int((most - 1) * share)
        return self.offer(product, cents, lead, least, most, lane.label)

    def offer(self, product: str, cents: int, lead: int, least: int, most: int, label: str) -> Offer:
        """An offer of a new vendor."""
        vendor = self.namer.vendor()
        self.vendors.append(vendor)
        key = f"{vendor.ref}|{product}|{least}|{cents / 100:.2f}|{lead}"
        return Offer(
            key=key, vendor=vendor.ref, product=product, price=cents, lead=lead, min_qty=least, max_qty=most, label=label
        )
