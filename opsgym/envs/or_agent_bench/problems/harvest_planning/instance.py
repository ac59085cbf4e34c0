"""Instances of the beet harvest, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import ROLLING, OrParams


@dataclass(frozen=True)
class Field:
    """A field: its district, and the tonnes that it gives on each day; hours of a harvester to clear it."""

    name: str
    district: str
    tonnes: tuple[int, ...]
    hours: int


@dataclass(frozen=True)
class Mill:
    """A mill: tonnes that it takes a day, cents that it pays a tonne, and tonnes that it wants on a day on which it takes any."""

    name: str
    quota: int
    cents: int
    least: int


@dataclass(frozen=True)
class Way:
    """The way from a field to a mill: cents a tonne, and truck hours for the whole crop of a day."""

    field: str
    mill: str
    cents: int
    truck_hours: int


@dataclass(frozen=True)
class Closure:
    """A day on which a field cannot be entered; known from an epoch on."""

    field: str
    day: int
    known: int


@dataclass(frozen=True)
class Instance:
    """An instance; days are counted from 1.

    Attributes:
        hours: Harvester hours a day, all machines together.
        truck_hours: Truck hours a day; 0 where there are enough.
        most_districts: Most districts worked in a day; 0 where there is no limit.
        apart: Pairs of fields that are not harvested on the same day.
        binds_least: Whether the mills' least amounts bind.
        first_days: First day that is still open, for each epoch.
        epoch: Number of the epoch.
        change_cents: Charge for a field whose day or mill differs from the accepted plan.
    """

    days: int
    fields: tuple[Field, ...]
    mills: tuple[Mill, ...]
    ways: tuple[Way, ...]
    closures: tuple[Closure, ...]
    hours: int
    truck_hours: int
    most_districts: int
    apart: tuple[tuple[str, str], ...]
    binds_least: bool
    first_days: tuple[int, ...]
    epoch: int
    change_cents: int

    @property
    def first_open(self) -> int:
        """First day that may be changed."""
        return self.first_days[self.epoch]


@dataclass(frozen=True)
class Harvest:
    """A field is cleared on a day and its whole crop goes to a mill."""

    field: str
    day: int
    mill: str


@dataclass(frozen=True)
class Plan:
    """The harvests; a field without one is left standing and earns nothing."""

    harvests: tuple[Harvest, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    rolls = params.dynamics >= ROLLING
    days = (3, 4, 6, 6)[params.dynamics]
    names = [f"FD{60 + 3 * number}" for number in range((8, 10, 13, 16)[params.scale])]
    fields = tuple(_field(number, name, days, stream) for number, name in enumerate(names))
    hours = sum(field.hours for field in fields)
    tonnes = sum(max(field.tonnes) for field in fields)
    share = (115, 100, 92, 86)[params.strategy]
    mills = tuple(
        Mill(
            f"M{number + 1}",
            tonnes * share * stream.between(36, 50) // (10_000 * days),
            stream.between(2900, 3600),
            max(min(field.tonnes[0] for field in fields) + 1, tonnes // (days * 6)),
        )
        for number in range(3)
    )
    ways = tuple(_way(field, mill, stream) for field in fields for mill in mills)
    closures = {(name, day): 0 for name in names for day in range(1, days + 1) if stream.below(100) < 7}
    if rolls:
        for epoch, first in ((1, 3), (2, 5)):
            for name in stream.sample(names, len(names) // 3):
                closures.setdefault((name, stream.between(first, days)), epoch)
    trucks = sum(way.truck_hours for way in ways) // 3
    return Instance(
        days=days,
        fields=fields,
        mills=mills,
        ways=ways,
        closures=tuple(Closure(field, day, known) for (field, day), known in sorted(closures.items())),
        hours=max(max(field.hours for field in fields), hours * share // (100 * days)),
        truck_hours=max(max(way.truck_hours for way in ways), trucks * share // (100 * days)) if params.coupling >= 1 else 0,
        most_districts=2 if params.coupling >= 2 else 0,
        apart=tuple((names[i], names[i + 1]) for i in range(0, len(names) - 1, 3)) if params.formulation >= 1 else (),
        binds_least=params.formulation >= 2,
        first_days=(1, 3, 5) if rolls else (1,),
        epoch=0,
        change_cents=stream.between(6000, 14_000) if rolls else 0,
    )


def _field(number: int, name: str, days: int, stream: Stream) -> Field:
    best, peak = stream.between(1, days), stream.between(34, 97)
    tonnes = tuple(max(5, peak * (100 - stream.between(5, 11) * abs(day - best)) // 100) for day in range(1, days + 1))
    return Field(name, f"district {'ABC'[number % 3]}", tonnes, stream.between(3, 9))


def _way(field: Field, mill: Mill, stream: Stream) -> Way:
    return Way(field.name, mill.name, stream.between(190, 1450), stream.between(2, 8))
