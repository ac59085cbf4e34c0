"""Instances of the collection tours, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import ROLLING, OrParams

DEPOT = "DEPOT"
GOODS = ("paper", "lithium", "acid")
APART = ("lithium", "acid")
"""Goods that may not share a tour where goods are kept apart."""
FREEZE = 30
"""Minutes after the present within which tours are frozen."""


@dataclass(frozen=True)
class Order:
    """Goods at a site: kilograms, minutes of loading, window of the start, and what the carrier asks for it, in cents."""

    name: str
    site: str
    kg: int
    service: int
    opens: int
    closes: int
    goods: str
    has_cage: bool
    carrier_cents: int
    known: int


@dataclass(frozen=True)
class Vehicle:
    """A vehicle: kilograms, shift in minutes, cents a tour and a kilometre; ``known`` is the epoch from which it is there."""

    name: str
    kg: int
    begins: int
    ends: int
    tour_cents: int
    km_cents: int
    has_lift: bool
    known: int


@dataclass(frozen=True)
class Leg:
    """The way from one site to another."""

    origin: str
    to: str
    metres: int
    minutes: int


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        needs_lift: Whether cages need a vehicle with a lift.
        keeps_apart: Whether some goods may not share a tour.
        ramp_gap: Minutes between two departures from the depot; 0 where there are ramps enough.
        regular: Minutes of a tour that cost no overtime; 0 where there is none.
        overtime_cents: Cost of a minute more.
        clocks: Minute at which each epoch begins.
        epoch: Number of the epoch.
        move_cents: Charge for an order that is no longer on the vehicle of the accepted plan.
    """

    orders: tuple[Order, ...]
    vehicles: tuple[Vehicle, ...]
    legs: tuple[Leg, ...]
    needs_lift: bool
    keeps_apart: bool
    ramp_gap: int
    regular: int
    overtime_cents: int
    clocks: tuple[int, ...]
    epoch: int
    move_cents: int

    @property
    def frozen_until(self) -> int:
        """Minute before which nothing may be changed; 0 in the first epoch."""
        return self.clocks[self.epoch] + FREEZE if self.epoch else 0


@dataclass(frozen=True)
class Stop:
    """A stop of a tour: loading of the order begins at minute ``start``."""

    order: str
    start: int


@dataclass(frozen=True)
class Tour:
    """A tour: the vehicle leaves the depot at minute ``leave``, makes its stops in their order, and returns."""

    vehicle: str
    leave: int
    stops: tuple[Stop, ...]


@dataclass(frozen=True)
class Plan:
    """Tours, and the orders that the carrier takes."""

    tours: tuple[Tour, ...]
    carrier: tuple[str, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    rolls = params.dynamics >= ROLLING
    clocks = (0, 120, 240) if rolls else (0,)
    count, fleet = (7, 9, 11, 13)[params.scale], (2, 3, 3, 4)[params.scale]
    places = {DEPOT: (0, 0)} | {
        f"S{10 + 3 * i}": (stream.between(-150, 150), stream.between(-150, 150)) for i in range(count - 1)
    }
    legs = tuple(_leg(a, b, places, stream) for a in places for b in places if a != b)
    sites = [name for name in places if name != DEPOT]
    orders = tuple(_order(i, count, sites, clocks, params, stream) for i in range(count))
    total = sum(order.kg for order in orders)
    vehicles = tuple(_vehicle(i, fleet, total, rolls, params, stream) for i in range(fleet))
    orders = tuple(_priced(order, legs, stream) for order in orders)
    return Instance(
        orders=orders,
        vehicles=vehicles,
        legs=legs,
        needs_lift=params.coupling >= 1,
        keeps_apart=params.formulation >= 2,
        ramp_gap=stream.between(8, 14) + 4 * (params.coupling - 2) if params.coupling >= 2 else 0,
        regular=stream.between(190, 240) if params.formulation >= 1 else 0,
        overtime_cents=stream.between(35, 80) if params.formulation >= 1 else 0,
        clocks=clocks,
        epoch=0,
        move_cents=stream.between(400, 1200) if rolls else 0,
    )


def _leg(origin: str, to: str, places: dict[str, tuple[int, int]], stream: Stream) -> Leg:
    (ax, ay), (bx, by) = places[origin], places[to]
    metres = 100 * max(5, round(hypot(ax - bx, ay - by) * stream.between(112, 134) / 100))
    return Leg(origin, to, metres, max(2, metres * 60 // (1000 * stream.between(33, 47)) + 2))


def _order(number: int, count: int, sites: list[str], clocks: tuple[int, ...], params: OrParams, stream: Stream) -> Order:
    known = number * len(clocks) // count
    width = (220, 170, 130, 110)[params.dynamics]
    opens = (clocks[known] + FREEZE + 40 if known else 20) + stream.between(0, 170)
    return Order(
        name=f"C{101 + number}",
        site=sites[number % len(sites)],
        kg=stream.between(140, 690),
        service=stream.between(6, 21),
        opens=opens,
        closes=opens + stream.between(width // 2, width),
        goods=GOODS[number % 3 if number < 6 else stream.below(3)],
        has_cage=number % 3 == 0,
        carrier_cents=0,
        known=known,
    )


def _priced(order: Order, legs: tuple[Leg, ...], stream: Stream) -> Order:
    far = next(leg.metres for leg in legs if leg.origin == DEPOT and leg.to == order.site)
    price = far * stream.between(150, 230) // 1000 + order.kg * stream.between(3, 6) + stream.between(900, 2100)
    return Order(**{**order.__dict__, "carrier_cents": price})


def _vehicle(number: int, fleet: int, total: int, rolls: bool, params: OrParams, stream: Stream) -> Vehicle:
    share = total * (135, 115, 100, 90)[params.strategy] // (100 * fleet)
    late = rolls and number == fleet - 1
    begins = 120 + FREEZE if late else stream.between(0, 20)
    return Vehicle(
        name=f"V{number + 1}",
        kg=max(700, share * stream.between(80, 120) // 100),
        begins=begins,
        ends=begins + stream.between(330, 420) + 120 * rolls,
        tour_cents=stream.between(1400, 3300),
        km_cents=10 * stream.between(7, 14),
        has_lift=number % 2 == 0,
        known=1 if late else 0,
    )
