"""Instances of the bus blocks, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

DEPOTS = ("Yard", "Harbour", "Mill")
STOPS = ("Abbey", "Bridge", "Castle", "Docks", "Elms", "Fair")
TURN = 4
"""Minutes between an arrival and the next departure of the same bus, at least."""
FIRST, SPAN = 330, 780
"""Minute of the first departure and minutes over which departures are spread."""


@dataclass(frozen=True)
class Trip:
    """A trip of the timetable; times in minutes after midnight, ``metres`` its length."""

    name: str
    line: str
    origin: str
    to: str
    departs: int
    arrives: int
    metres: int
    needs_low_floor: bool


@dataclass(frozen=True)
class Depot:
    """A depot.

    Attributes:
        name: Its name, which is a place.
        buses: Buses there are, each for one block.
        bus_cents: Cost of a block.
        metres: How far a bus drives on a charge.
        has_low_floor: Whether its buses have a low floor.
        chargers: Blocks that may drive more than ``charge_metres``.
        gate: Buses that may leave in a clock hour.
    """

    name: str
    buses: int
    bus_cents: int
    metres: int
    has_low_floor: bool
    chargers: int
    gate: int


@dataclass(frozen=True)
class Deadhead:
    """Empty driving from a place to another."""

    origin: str
    to: str
    minutes: int
    metres: int


@dataclass(frozen=True)
class Link:
    """Two trips that the same bus drives one after the other today."""

    first: str
    second: str
    is_fixed: bool


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        turn_minutes: Least time between an arrival and the next departure, beside the deadhead.
        deadhead_cents: Cost of a minute of empty driving.
        wait_cents: Cost of a minute of standing between two trips.
        limits_range: Whether batteries limit the length of blocks.
        binds_low_floor: Whether some trips need a low floor.
        charge_metres: Length from which on a block needs a charger; 0 where chargers do not matter.
        limits_gate: Whether gates let only so many buses out.
        longest: Longest time of a block, minutes; 0 where there is no limit.
        most_changes: Greatest number of line changes in a block; -1 where there is no limit.
        break_cents: Cost of a broken link.
        most_broken: Greatest number of broken links; -1 where there is no limit.
    """

    trips: tuple[Trip, ...]
    depots: tuple[Depot, ...]
    deadheads: tuple[Deadhead, ...]
    links: tuple[Link, ...]
    turn_minutes: int
    deadhead_cents: int
    wait_cents: int
    limits_range: bool
    binds_low_floor: bool
    charge_metres: int
    limits_gate: bool
    longest: int
    most_changes: int
    break_cents: int
    most_broken: int


@dataclass(frozen=True)
class Block:
    """The trips that a bus of a depot drives, in this order."""

    depot: str
    trips: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """All blocks; their order does not matter."""

    blocks: tuple[Block, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    stops, names = STOPS[: (4, 4, 5, 6)[params.scale]], DEPOTS[: (2, 2, 2, 3)[params.scale]]
    places = {place: (stream.between(0, 14_000), stream.between(0, 14_000)) for place in (*names, *stops)}
    deadheads = tuple(_deadheads(places, stream))
    minutes = {(row.origin, row.to): row.minutes for row in deadheads} | {(place, place): 0 for place in places}
    trips = tuple(_trips((12, 14, 16, 18)[params.scale], stops, places, stream))
    links = tuple(_links(trips, minutes, params)) if params.dynamics else ()
    peak = max(sum(trip.departs <= now < trip.arrives + TURN for trip in trips) for now in range(FIRST, FIRST + SPAN))
    spare = (4, 3, 3, 2)[params.strategy] + 2 * params.formulation
    cheap = stream.between(21_000, 26_000)
    depots = tuple(
        Depot(
            name=name,
            buses=(peak + spare + number) // len(names) if number else (peak + spare) // len(names),
            bus_cents=cheap + 900 * number + stream.between(0, 800),
            metres=1000 * stream.between(*((96, 110), (96, 110), (88, 104), (80, 98))[params.formulation]),
            has_low_floor=number != 1,
            chargers=stream.between(1, 2) if params.coupling >= 3 else 2,
            gate=2,
        )
        for number, name in enumerate(names)
    )
    return Instance(
        trips=trips,
        depots=depots,
        deadheads=deadheads,
        links=links,
        turn_minutes=TURN,
        deadhead_cents=stream.between(140, 230),
        wait_cents=stream.between(18, 44),
        limits_range=params.formulation >= 1,
        binds_low_floor=params.formulation >= 2,
        charge_metres=1000 * stream.between(58, 66) if params.coupling >= 1 else 0,
        limits_gate=params.coupling >= 2,
        longest=stream.between(480, 560) if params.formulation >= 2 else 0,
        most_changes=2 if params.formulation >= 3 else -1,
        break_cents=stream.between(900, 3_900) if links else 0,
        most_broken=len(links) // 2 if params.dynamics >= 2 else -1,
    )


def _deadheads(places: dict[str, tuple[int, int]], stream: Stream) -> list[Deadhead]:
    """Empty driving between every two places, at 24 to 33 km/h on roads that wind."""
    found = []
    for a, (x, y) in places.items():
        for b, (u, v) in places.items():
            if a != b:
                metres = 800 + round(hypot(x - u, y - v) * stream.between(105, 128) / 100)
                found.append(Deadhead(a, b, 2 + metres // stream.between(400, 550), metres))
    return found


def _trips(count: int, stops: tuple[str, ...], places: dict[str, tuple[int, int]], stream: Stream) -> list[Trip]:
    """Lines in both directions, spread over the day."""
    lines = [stream.sample(stops, 2) for _ in stops[1:]]
    found = []
    for number in range(count):
        line = stream.below(len(lines))
        a, b = lines[line] if stream.below(2) else lines[line][::-1]
        metres = 5_000 + round(hypot(places[a][0] - places[b][0], places[a][1] - places[b][1]) * 13 / 10)
        departs = FIRST + number * SPAN // count + stream.between(0, 60)
        found.append(Trip(f"T{number + 11}", f"L{line + 1}", a, b, departs, departs + 6 + metres // 330, metres, number % 5 == 0))
    return found


def _links(trips: tuple[Trip, ...], minutes: dict[tuple[str, str], int], params: OrParams) -> list[Link]:
    """Each trip with the earliest later one that its bus can reach and that has none yet; of three such links two are kept."""
    found: list[Link] = []
    for trip in trips:
        taken = {link.second for link in found}
        ready = [
            other
            for other in trips
            if other.name not in taken and other.departs >= trip.arrives + TURN + minutes[trip.to, other.origin]
        ]
        if ready:
            second = min(ready, key=lambda other: (other.departs, other.name))
            found.append(Link(trip.name, second.name, params.dynamics >= 3 and len(found) in (1, 4)))
    return [link for number, link in enumerate(found) if number % 3 != 2]
