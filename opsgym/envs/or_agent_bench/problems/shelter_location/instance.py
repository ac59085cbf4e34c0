"""Instances of the flood shelters, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams


@dataclass(frozen=True)
class Shelter:
    """A possible shelter.

    Attributes:
        name: Its name.
        base: Supply base that it draws rations from.
        places: People that it holds.
        cents: Cost of preparing it.
        is_accessible: Whether it suits care homes.
        was_open: Whether it was prepared last season.
        is_kept: Whether it must be prepared again.
    """

    name: str
    base: str
    places: int
    cents: int
    is_accessible: bool
    was_open: bool
    is_kept: bool


@dataclass(frozen=True)
class Zone:
    """A zone, and whether a care home lies in it."""

    name: str
    has_care_home: bool


@dataclass(frozen=True)
class Scenario:
    """A flood: its days in a century, the people who must leave each zone (no entry for none), and shelters under water."""

    name: str
    days: int
    people: dict[str, int]
    under_water: tuple[str, ...]


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        roads: Kilometres from a zone to a shelter, by ``"zone>shelter"``.
        km_cents: Cost of a person's kilometre.
        most_km: Farthest that people are taken.
        most_open: Greatest number of prepared shelters; 0 where there is no limit.
        rations: People whom each supply base feeds in a scenario; empty where it does not matter.
        most_targets: Greatest number of shelters that a zone goes to, over all scenarios; 0 where there is no limit.
        new_cents: Further cost of each prepared shelter that was not prepared last season.
        most_new: Greatest number of those; -1 where there is no limit.
    """

    shelters: tuple[Shelter, ...]
    zones: tuple[Zone, ...]
    scenarios: tuple[Scenario, ...]
    roads: dict[str, int]
    km_cents: int
    most_km: int
    most_open: int
    rations: dict[str, int]
    most_targets: int
    new_cents: int
    most_new: int


@dataclass(frozen=True)
class Move:
    """Where the people of a zone go in a scenario."""

    scenario: str
    zone: str
    shelter: str


@dataclass(frozen=True)
class Plan:
    """The prepared shelters, and who goes where; order does not matter."""

    prepared: tuple[str, ...]
    moves: tuple[Move, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    shelter_count, zone_count = (6, 7, 8, 10)[params.scale], (7, 9, 11, 13)[params.scale]
    scenario_count = 2 + (params.scale > 0) + (params.dynamics > 1)
    names = [f"H{number}" for number in range(1, shelter_count + 1)]
    zones = [f"Z{number:02d}" for number in range(1, zone_count + 1)]
    sites = [(stream.between(0, 40), stream.between(0, 40)) for _ in names]
    places = [(stream.between(0, 40), stream.between(0, 40)) for _ in zones]
    roads = {
        f"{zone}>{name}": 1 + abs(place[0] - x) + abs(place[1] - y)
        for zone, place in zip(zones, places, strict=True)
        for name, (x, y) in zip(names, sites, strict=True)
    }
    water = stream.sample(names, scenario_count) if params.formulation >= 1 else []
    scenarios = tuple(_scenario(number, zones, water, stream) for number in range(scenario_count))
    moving = [zone for zone in zones if any(zone in scenario.people for scenario in scenarios)]
    heaviest = max(sum(scenario.people.values()) for scenario in scenarios)
    share = heaviest * (42, 38, 35, 33)[params.strategy] // 100
    shelters = tuple(_shelter(number, name, share, params, stream) for number, name in enumerate(names))
    bases = sorted({shelter.base for shelter in shelters})
    return Instance(
        shelters=shelters,
        zones=tuple(Zone(name, params.formulation >= 3 and number % 4 == 1) for number, name in enumerate(zones)),
        scenarios=scenarios,
        roads=roads,
        km_cents=stream.between(3, 8),
        most_km=min((62, 58, 54, 52)[params.strategy], max(roads[f"{zone}>{name}"] for zone in moving for name in names) - 1),
        most_open=(0, 5, 5, 5)[params.coupling],
        rations={base: heaviest * stream.between(58, 74) // 100 for base in bases} if params.coupling >= 2 else {},
        most_targets=2 if params.formulation >= 2 else 0,
        new_cents=stream.between(9_000, 52_000) if params.dynamics else 0,
        most_new=2 if params.dynamics >= 2 else -1,
    )


def _scenario(number: int, zones: list[str], water: list[str], stream: Stream) -> Scenario:
    """A flood; the later the scenario, the rarer and the larger."""
    hit = [zone for zone in zones if stream.below(100) < 45 + 18 * number] or zones[:1]
    people = {zone: stream.between(38, 190) + 25 * number for zone in hit}
    return Scenario(f"flood-{number + 1}", stream.between(12, 20) // (1 + number), people, tuple(water[number : number + 1]))


def _shelter(number: int, name: str, share: int, params: OrParams, stream: Stream) -> Shelter:
    was_open = params.dynamics > 0 and number % 2 == 0
    return Shelter(
        name,
        f"B{number % 2 + 1}",
        share * stream.between(85, 140) // 100,
        stream.between(72_000, 260_000),
        params.formulation < 3 or number % 3 != 2,
        was_open,
        params.dynamics >= 3 and number == 2,
    )
