"""Instances of the plant outages, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

REGIONS = ("hills", "delta")


@dataclass(frozen=True)
class Plant:
    """A plant.

    Attributes:
        name: Its name.
        region: Where it lies.
        power: What it delivers, MW.
        weeks: Length of its outage.
        earliest: First week in which the outage may start.
        latest: Last week in which it may start.
        crews: Crews that the outage takes.
        after: Plant whose outage must have ended before; empty for none.
        rival: Plant that is never out at the same time; empty for none.
        uses_crane: Whether the outage needs the crane.
        announced: Week in which it was announced to start; 0 for none.
        is_fixed: Whether it starts as announced.
    """

    name: str
    region: str
    power: int
    weeks: int
    earliest: int
    latest: int
    crews: int
    after: str
    rival: str
    uses_crane: bool
    announced: int
    is_fixed: bool


@dataclass(frozen=True)
class Week:
    """A week: the demand in MW, and what a MW that is out costs, cents."""

    number: int
    demand: int
    mw_cents: int


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        reserve: What must run beyond demand, MW.
        crews: Crews there are; 0 where they do not matter.
        most_out: Greatest number of plants of a region that are out at once; 0 where there is no limit.
        move_cents: Cost of each week by which a start differs from the announced one.
        most_moved: Greatest number of plants that do not start as announced; -1 where there is no limit.
    """

    plants: tuple[Plant, ...]
    weeks: tuple[Week, ...]
    reserve: int
    crews: int
    most_out: int
    move_cents: int
    most_moved: int


@dataclass(frozen=True)
class Outage:
    """The week in which a plant's outage starts."""

    plant: str
    start: int


@dataclass(frozen=True)
class Plan:
    """All outages; order does not matter."""

    outages: tuple[Outage, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    plant_count, week_count = (7, 9, 11, 13)[params.scale], (12, 14, 16, 18)[params.scale]
    power = [stream.between(95, 420) for _ in range(plant_count)]
    lengths = [stream.between(2, 4) for _ in range(plant_count)]
    capacity = sum(power)
    share = (58, 63, 67, 70)[params.strategy]
    weeks = []
    for number in range(1, week_count + 1):
        season = abs(2 * number - week_count - 1) * 10 // week_count
        demand = capacity * (share - 8 + season + stream.below(4)) // 100
        weeks.append(Week(number, demand, stream.between(2_100, 4_800) + 260 * season))
    plants = tuple(_plant(number, power, lengths, week_count, params, stream) for number in range(plant_count))
    return Instance(
        plants=plants,
        weeks=tuple(weeks),
        reserve=capacity * 4 // 100,
        crews=6 if params.coupling >= 1 else 0,
        most_out=2 if params.coupling >= 2 else 0,
        move_cents=stream.between(90_000, 310_000) if params.dynamics else 0,
        most_moved=(plant_count + 1) // 2 if params.dynamics >= 2 else -1,
    )


def _plant(number: int, power: list[int], lengths: list[int], weeks: int, params: OrParams, stream: Stream) -> Plant:
    length = lengths[number]
    earliest = stream.between(1, max(1, weeks // 3))
    latest = weeks - length + 1 - stream.between(0, weeks // 4)
    after = f"G{number - 1:02d}" if params.formulation >= 1 and number % 4 == 2 else ""
    if after:
        latest = weeks - length + 1
    spread = (number * (weeks - 4)) // len(power) + 1
    announced = min(max(earliest, spread), latest) if params.dynamics and number % 3 != 2 else 0
    return Plant(
        f"G{number + 1:02d}",
        REGIONS[number % 2],
        power[number],
        length,
        earliest,
        latest,
        stream.between(1, 3),
        after,
        f"G{number:02d}" if params.formulation >= 2 and number % 4 == 1 else "",
        params.formulation >= 3 and number % 3 == 0,
        announced,
        params.dynamics >= 3 and number == 0,
    )
