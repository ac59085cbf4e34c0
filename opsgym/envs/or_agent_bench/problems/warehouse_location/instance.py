"""Instances of the store depots, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

REGIONS = ("north", "south", "coast")


@dataclass(frozen=True)
class Depot:
    """A possible depot.

    Attributes:
        name: Its name.
        region: Where it lies.
        capacity: Goods that it handles in a week, kg.
        week_cents: What it costs in a week when it is open.
        is_cold: Whether it handles chilled goods.
        excludes: Name of a site that may not be open with it; empty for none.
        closing_cents: What it costs to close it, where it is in use; else 0.
    """

    name: str
    region: str
    capacity: int
    week_cents: int
    is_cold: bool
    excludes: str
    closing_cents: int


@dataclass(frozen=True)
class Store:
    """A store: its goods in kg a week, whether they are chilled, whether it needs a backup, and the depot it is tied to."""

    name: str
    goods: int
    is_chilled: bool
    has_priority: bool
    tied: str


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        roads: Kilometres from a depot to a store, by ``"depot>store"``.
        van_kg: What a van carries, kg.
        km_cents: What a kilometre of a trip costs, out and back counted once.
        most_km: Farthest that a store may lie from its depot.
        backup_km: Farthest that it may lie from its backup.
        most_open: Greatest number of open depots; 0 where there is no limit.
        every_region: Whether each region keeps an open depot.
        most_closed: Greatest number of depots in use that close; -1 where there is no limit.
    """

    depots: tuple[Depot, ...]
    stores: tuple[Store, ...]
    roads: dict[str, int]
    van_kg: int
    km_cents: int
    most_km: int
    backup_km: int
    most_open: int
    every_region: bool
    most_closed: int


@dataclass(frozen=True)
class Service:
    """One store: the depot that serves it, and its backup, empty for none."""

    store: str
    depot: str
    backup: str


@dataclass(frozen=True)
class Plan:
    """The depots that are open, and who serves whom; order does not matter."""

    open: tuple[str, ...]
    services: tuple[Service, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    depot_count, store_count = (6, 7, 9, 10)[params.scale], (9, 12, 16, 20)[params.scale]
    names = [f"D{number}" for number in range(1, depot_count + 1)]
    sites = [(stream.between(0, 100), stream.between(0, 100)) for _ in names]
    shops = [(stream.between(0, 100), stream.between(0, 100)) for _ in range(store_count)]
    goods = [stream.between(420, 2650) for _ in shops]
    load = sum(goods) * (30, 28, 26, 25)[params.strategy] // 100
    regions = [REGIONS[number % 3] if params.coupling >= 2 else stream.pick(REGIONS) for number in range(depot_count)]
    depots = []
    for number, name in enumerate(names):
        in_use = params.dynamics > 0 and number % 3 == 1
        depots.append(
            Depot(
                name,
                regions[number],
                load * stream.between(80, 130) // 100,
                stream.between(61_000, 148_000),
                params.formulation == 0 or number % 2 == 0,
                names[number - 1] if params.formulation >= 3 and number % 4 == 2 else "",
                stream.between(45_000, 160_000) if in_use else 0,
            )
        )
    roads = {
        f"{name}>S{number:02d}": 2 + abs(x - shop[0]) + abs(y - shop[1])
        for name, (x, y) in zip(names, sites, strict=True)
        for number, shop in enumerate(shops, 1)
    }
    most_km = min((125, 118, 112, 108)[params.strategy], max(roads.values()) - 1)
    stores = tuple(_store(number, amount, depots, roads, params, most_km) for number, amount in enumerate(goods, 1))
    return Instance(
        depots=tuple(depots),
        stores=stores,
        roads=roads,
        van_kg=stream.between(780, 1150),
        km_cents=stream.between(138, 245),
        most_km=most_km,
        backup_km=140,
        most_open=(0, 5, 5, 5)[params.coupling] + (params.scale > 1 and params.coupling > 0),
        every_region=params.coupling >= 2,
        most_closed=sum(depot.closing_cents > 0 for depot in depots) // 2 if params.dynamics >= 2 else -1,
    )


def _store(number: int, goods: int, depots: list[Depot], roads: dict[str, int], params: OrParams, most_km: int) -> Store:
    name = f"S{number:02d}"
    chilled = params.formulation >= 1 and number % 3 == 0
    near = sorted(
        (roads[f"{depot.name}>{name}"], depot.name) for depot in depots if depot.closing_cents and (depot.is_cold or not chilled)
    )
    tied = near[0][1] if params.dynamics >= 3 and number % 6 == 1 and near and near[0][0] <= most_km else ""
    return Store(name, goods, chilled, params.formulation >= 2 and number % 4 == 1, tied)
