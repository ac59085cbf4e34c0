"""Instances of the backbone, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams


@dataclass(frozen=True)
class Site:
    """A site and the line cards that it has room for."""

    name: str
    ports: int


@dataclass(frozen=True)
class Link:
    """A link that may be built between two sites, both ways: its duct, kilometres, and the cost of the trench, in cents."""

    one: str
    other: str
    duct: str
    km: int
    trench_cents: int


@dataclass(frozen=True)
class Demand:
    """Traffic between two sites, Mbit/s in each year; what it costs to lease instead, in cents, for all years."""

    name: str
    origin: str
    to: str
    is_protected: bool
    mbps: tuple[int, ...]
    lease_cents: int


@dataclass(frozen=True)
class Instance:
    """An instance; years are counted from 1.

    Attributes:
        card_mbps: What a line card adds to a link.
        card_cents: Cost of a line card bought in each year.
        limits_ports: Whether sites have room for their ``ports`` only.
        ducts_apart: Whether the two paths of a demand must not share a duct.
        most_hops: Most links of a path; 0 where there is no limit.
        most_km: Greatest length of a first path; 0 where there is no limit.
        sites_apart: Whether the two paths of a demand share no site but the ends.
    """

    sites: tuple[Site, ...]
    links: tuple[Link, ...]
    demands: tuple[Demand, ...]
    card_mbps: int
    card_cents: tuple[int, ...]
    limits_ports: bool
    ducts_apart: bool
    most_hops: int
    most_km: int
    sites_apart: bool


@dataclass(frozen=True)
class Cards:
    """Line cards bought for a link in a year; they serve from that year on."""

    year: int
    one: str
    other: str
    cards: int


@dataclass(frozen=True)
class Route:
    """The paths of a demand as sites from its origin; ``second`` is empty where there is none."""

    demand: str
    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """What is bought, how demands are routed, and which are leased."""

    cards: tuple[Cards, ...]
    routes: tuple[Route, ...]
    leased: tuple[str, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    names = ("ARA", "BEX", "CYR", "DUN", "EVO", "FAL", "GIB")[: (5, 5, 6, 7)[params.scale]]
    years = (1, 2, 2, 3)[params.dynamics]
    places = {name: (stream.between(0, 220), stream.between(0, 220)) for name in names}
    links = tuple(_links(names, places, stream))
    demands = tuple(_demand(number, names, places, years, stream) for number in range((5, 6, 7, 9)[params.scale]))
    total = sum(demand.mbps[-1] for demand in demands)
    card = stream.between(140, 260)
    ports = 3 + total * (170, 150, 125, 105)[params.strategy] // (100 * card * len(names))
    base = stream.between(2800, 4400) * 100
    return Instance(
        sites=tuple(Site(name, ports + stream.below(3)) for name in names),
        links=links,
        demands=demands,
        card_mbps=card,
        card_cents=tuple(base * (100 - 12 * year) // 100 for year in range(years)),
        limits_ports=params.coupling >= 2,
        ducts_apart=params.coupling >= 1,
        most_hops=(0, 3, 3, 3)[params.formulation],
        most_km=stream.between(230, 290) if params.formulation >= 2 else 0,
        sites_apart=params.formulation >= 3,
    )


def _links(names: tuple[str, ...], places: dict[str, tuple[int, int]], stream: Stream) -> list[Link]:
    """A ring, so that every site can be reached in two ways, and some chords; ducts hold up to two links of a site."""
    found = []
    for i, a in enumerate(names):
        for j in range(i + 1, len(names)):
            near = j - i in (1, len(names) - 1)
            if near or stream.below(100) < 55:
                km = max(12, round(hypot(places[a][0] - places[names[j]][0], places[a][1] - places[names[j]][1])))
                duct = f"duct {a}-{stream.between(1, 2)}"
                found.append(Link(a, names[j], duct, km, km * stream.between(2600, 4100)))
    return found


def _demand(number: int, names: tuple[str, ...], places: dict[str, tuple[int, int]], years: int, stream: Stream) -> Demand:
    origin, to = sorted(stream.sample(names, 2))
    first = stream.between(38, 150)
    mbps = tuple(first * (100 + stream.between(12, 40) * year) // 100 for year in range(years))
    km = round(hypot(places[origin][0] - places[to][0], places[origin][1] - places[to][1]))
    is_protected = number % 2 == 0
    price = (mbps[-1] * stream.between(1900, 3100) + km * stream.between(1800, 3300)) * (2 if is_protected else 1)
    return Demand(f"T{61 + number}", origin, to, is_protected, mbps, price)
