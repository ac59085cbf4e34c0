"""Instances of the night linehaul, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

CITIES = ("ALF", "BRN", "COR", "DAX", "ELM", "FRY", "GOR")


@dataclass(frozen=True)
class Terminal:
    """A terminal: docks for departures a night, pallets that it can handle a night, and whether dangerous freight may pass."""

    name: str
    docks: int
    handling: int
    takes_dangerous: bool


@dataclass(frozen=True)
class Leg:
    """A connection that a truck drives in a night, and what a truck on it costs, in cents."""

    origin: str
    to: str
    truck_cents: int


@dataclass(frozen=True)
class Freight:
    """Freight that moves as a whole: ready for night ``ready``, to arrive by night ``due``; ``courier_cents`` for all of it."""

    name: str
    origin: str
    to: str
    pallets: int
    ready: int
    due: int
    is_dangerous: bool
    courier_cents: int


@dataclass(frozen=True)
class Instance:
    """An instance; nights are counted from 1.

    Attributes:
        truck_pallets: Pallets that a truck carries.
        handling_cents: Cost of a pallet that arrives at a terminal which is not its last.
        limits_handling: Whether terminals handle only so many pallets.
        limits_docks: Whether terminals have only so many docks.
        balances: Whether as many trucks leave a terminal as arrive.
        avoids: Whether dangerous freight avoids some terminals.
    """

    nights: int
    terminals: tuple[Terminal, ...]
    legs: tuple[Leg, ...]
    freights: tuple[Freight, ...]
    truck_pallets: int
    handling_cents: int
    limits_handling: bool
    limits_docks: bool
    balances: bool
    avoids: bool


@dataclass(frozen=True)
class Trucks:
    """Trucks that drive a leg in a night."""

    night: int
    origin: str
    to: str
    count: int


@dataclass(frozen=True)
class Move:
    """A freight rides on a leg in a night."""

    freight: str
    night: int
    origin: str
    to: str


@dataclass(frozen=True)
class Plan:
    """Trucks, the moves of the freights, and the freights that go by courier."""

    trucks: tuple[Trucks, ...]
    moves: tuple[Move, ...]
    courier: tuple[str, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    names = CITIES[: (4, 5, 5, 6)[params.scale]]
    nights = (2, 3, 3, 4)[params.dynamics]
    places = {name: (stream.between(0, 300), stream.between(0, 300)) for name in names}
    legs = tuple(_legs(names, places, stream))
    freights = tuple(_freight(number, names, places, nights, params, stream) for number in range((7, 9, 11, 14)[params.scale]))
    mean = sum(freight.pallets for freight in freights) // len(names)
    terminals = tuple(
        Terminal(
            name=name,
            docks=stream.between(2, 3),
            handling=mean * stream.between(*((90, 130), (80, 110), (55, 85), (40, 65))[params.strategy]) // 100,
            takes_dangerous=number % 2 == 0,
        )
        for number, name in enumerate(names)
    )
    return Instance(
        nights=nights,
        terminals=terminals,
        legs=legs,
        freights=freights,
        truck_pallets=stream.between(30, 35),
        handling_cents=stream.between(310, 690),
        limits_handling=params.coupling >= 1,
        limits_docks=params.coupling >= 2,
        balances=params.formulation >= 2,
        avoids=params.formulation >= 3,
    )


def _legs(names: tuple[str, ...], places: dict[str, tuple[int, int]], stream: Stream) -> list[Leg]:
    """A ring, so that all can be reached in both directions, and most of the other pairs."""
    found = []
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            near = (i - j) % len(names) in (1, len(names) - 1)
            if a != b and (near or stream.below(100) < 60):
                kilometres = hypot(places[a][0] - places[b][0], places[a][1] - places[b][1])
                found.append(Leg(a, b, 9000 + round(kilometres * stream.between(98, 124))))
    return found


def _freight(
    number: int, names: tuple[str, ...], places: dict[str, tuple[int, int]], nights: int, params: OrParams, stream: Stream
) -> Freight:
    origin, to = stream.sample(names, 2)
    pallets = stream.between(5, 21)
    kilometres = round(hypot(places[origin][0] - places[to][0], places[origin][1] - places[to][1]))
    ready = stream.between(1, max(1, nights - 1)) if params.dynamics else 1
    due = nights if stream.below(3) else min(nights, ready + 1)
    price = pallets * (kilometres * stream.between(5, 9) + stream.between(900, 1700))
    return Freight(f"F{301 + number}", origin, to, pallets, ready, due, number % 3 == 0, price)
