"""Instances of the ambulance posts, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

SHIFTS = ("day", "evening", "night")
DISTRICTS = ("east", "west")


@dataclass(frozen=True)
class Post:
    """A post.

    Attributes:
        name: Its name.
        district: Where it lies.
        bays: Ambulances that it has room for.
        quarters: Crews' quarters that it shares with other posts.
        is_shut_at_night: Whether it stands empty at night.
        in_force: Ambulances by shift in the plan in force.
        is_fixed: Whether it keeps at least that many.
    """

    name: str
    district: str
    bays: int
    quarters: str
    is_shut_at_night: bool
    in_force: tuple[int, int, int]
    is_fixed: bool


@dataclass(frozen=True)
class Zone:
    """A zone: its calls by shift, and whether it must be covered in every shift."""

    name: str
    calls: tuple[int, int, int]
    is_critical: bool


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        drives: Minutes from a post to a zone, by ``"post>zone"``.
        ambulances: Ambulances with crews, by shift.
        response: Minutes within which an ambulance covers a zone.
        once_points: Points for each call of a zone that is covered.
        twice_points: More points for each call where a second ambulance covers it.
        beds: Room of each crews' quarters, in ambulances; empty where it does not matter.
        reserve: Least number of ambulances in each district; 0 where it does not matter.
        most_moves: Ambulances that may come to a post they did not stand at in the shift before, all posts together; -1 for any.
        change_points: Points lost for each ambulance more or less than in the plan in force.
        most_changes: Greatest number of those; -1 where there is no limit.
    """

    posts: tuple[Post, ...]
    zones: tuple[Zone, ...]
    drives: dict[str, int]
    ambulances: tuple[int, int, int]
    response: int
    once_points: int
    twice_points: int
    beds: dict[str, int]
    reserve: int
    most_moves: int
    change_points: int
    most_changes: int


@dataclass(frozen=True)
class Station:
    """How many ambulances stand at a post in a shift."""

    shift: str
    post: str
    ambulances: int


@dataclass(frozen=True)
class Plan:
    """Where the ambulances stand; a post that is not named in a shift has none."""

    stations: tuple[Station, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    post_count, zone_count = (6, 8, 10, 12)[params.scale], (14, 20, 28, 36)[params.scale]
    names = [f"A{number}" for number in range(1, post_count + 1)]
    sites = [(stream.between(0, 60), stream.between(0, 60)) for _ in names]
    places = [(stream.between(0, 60), stream.between(0, 60)) for _ in range(zone_count)]
    drives = {
        f"{name}>Z{number:02d}": 2 + (abs(x - place[0]) + abs(y - place[1])) * 2 // 3
        for name, (x, y) in zip(names, sites, strict=True)
        for number, place in enumerate(places, 1)
    }
    fleet = max(6, post_count * (75, 66, 58, 52)[params.strategy] // 100 + 1)
    crews = (fleet, fleet - 1, max(4, fleet - 1 - (params.strategy > 1)))
    posts = tuple(_post(number, name, crews, post_count, params) for number, name in enumerate(names))
    response = 17
    critical = [
        f"Z{number:02d}"
        for number in range(1, zone_count + 1)
        if any(drives[f"{post.name}>Z{number:02d}"] <= response and not post.is_shut_at_night for post in posts)
    ]
    chosen = stream.sample(critical, 2) if params.formulation >= 1 else []
    zones = tuple(
        Zone(name, (stream.between(11, 64), stream.between(8, 52), stream.between(3, 31)), name in chosen)
        for name in (f"Z{number:02d}" for number in range(1, zone_count + 1))
    )
    return Instance(
        posts=posts,
        zones=zones,
        drives=drives,
        ambulances=crews,
        response=response,
        once_points=stream.between(7, 11),
        twice_points=stream.between(2, 4),
        beds=dict.fromkeys(sorted({post.quarters for post in posts}), 3) if params.coupling >= 1 else {},
        reserve=2 if params.coupling >= 2 else 0,
        most_moves=2 if params.formulation >= 2 else -1,
        change_points=stream.between(14, 45) if params.dynamics else 0,
        most_changes=fleet + 2 if params.dynamics >= 2 else -1,
    )


def _post(number: int, name: str, crews: tuple[int, int, int], count: int, params: OrParams) -> Post:
    shut = params.formulation >= 3 and number % 4 == 3
    force = tuple(int(number < crew and not (shut and shift == 2)) for shift, crew in enumerate(crews))
    day, evening, night = force if params.dynamics else (0, 0, 0)
    return Post(
        name,
        DISTRICTS[number % 2],
        1 + (number % 3 == 0),
        f"Q{number % (count // 2) + 1}",
        shut,
        (day, evening, night),
        params.dynamics >= 3 and number == 1,
    )
