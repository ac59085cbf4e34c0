"""Instances of the crop rotation, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

SOILS = ("loam", "clay", "sand")
FALLOW = "fallow"
KINDS = (
    ("wheat", "cereal", ("loam", "clay")),
    ("barley", "cereal", ("loam", "clay", "sand")),
    ("rye", "cereal", ("sand", "loam")),
    ("beans", "legume", ("loam", "clay")),
    ("lupins", "legume", ("sand", "loam")),
    ("potatoes", "root", ("loam", "sand")),
    ("beet", "root", ("loam", "clay")),
    ("rapeseed", "oil", ("loam", "clay", "sand")),
)
"""Crops with their families and soils."""


@dataclass(frozen=True)
class Crop:
    """A crop.

    Attributes:
        name: Its name; one is ``"fallow"``, which earns and needs nothing.
        family: Its family.
        soils: Soils that it grows on.
        cents: What it earns an are.
        water: Water that it needs, litres an are.
        hours: Work that it needs, minutes an are.
        fixes: Whether it leaves nitrogen behind.
        pause: Seasons that must lie between two of its harvests on a field; 0 for none.
        contract: Least area in every season, ares; 0 for none.
    """

    name: str
    family: str
    soils: tuple[str, ...]
    cents: int
    water: int
    hours: int
    fixes: bool
    pause: int
    contract: int


@dataclass(frozen=True)
class Field:
    """A field: its area in ares, its soil, what grew last, and the fields beside it."""

    name: str
    ares: int
    soil: str
    last: str
    beside: tuple[str, ...]


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        seasons: Number of seasons, from 1.
        water: Water of a season, litres; 0 where it does not matter.
        minutes: Work of a season, minutes; 0 where it does not matter.
        bonus: Percent that a crop earns more where the crop before it on the field left nitrogen.
        must_rest: Whether every field lies fallow at least once.
        must_differ: Whether fields beside each other grow different crops.
    """

    crops: tuple[Crop, ...]
    fields: tuple[Field, ...]
    seasons: int
    water: int
    minutes: int
    bonus: int
    must_rest: bool
    must_differ: bool


@dataclass(frozen=True)
class Growth:
    """What grows on a field in a season."""

    field: str
    season: int
    crop: str


@dataclass(frozen=True)
class Plan:
    """What grows where and when; order does not matter."""

    growth: tuple[Growth, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    field_count, crop_count = (5, 7, 9, 11)[params.scale], (5, 6, 7, 8)[params.scale]
    seasons = (2, 3, 4, 4)[params.dynamics]
    kinds = [KINDS[place] for place in (0, 3, 5, 1, 7, 4, 6, 2)[:crop_count]]
    crops = [_crop(number, kind, params, stream) for number, kind in enumerate(kinds)]
    names = [f"F{number:02d}" for number in range(1, field_count + 1)]
    fields = []
    for number, name in enumerate(names):
        soil = stream.pick(SOILS[:2]) if number % 3 else SOILS[number % 2]
        beside = tuple(other for other in names[max(0, number - 1) : number + 2] if other != name)
        last = stream.pick([crop.name for crop in crops if soil in crop.soils])
        fields.append(Field(name, stream.between(35, 160), soil, last, beside if params.formulation >= 3 else ()))
    area = sum(field.ares for field in fields)
    mean_water = sum(crop.water for crop in crops) // len(crops)
    mean_hours = sum(crop.hours for crop in crops) // len(crops)
    tight = (95, 86, 78, 72)[params.strategy]
    rest = Crop(FALLOW, "none", SOILS, 0, 0, 0, fixes=False, pause=0, contract=0)
    return Instance(
        crops=(*crops, rest),
        fields=tuple(fields),
        seasons=seasons,
        water=area * mean_water * tight // 100 if params.coupling >= 1 else 0,
        minutes=area * mean_hours * tight // 100 if params.coupling >= 2 else 0,
        bonus=stream.between(12, 24) if params.dynamics else 0,
        must_rest=params.formulation >= 2,
        must_differ=params.formulation >= 3,
    )


def _crop(number: int, kind: tuple[str, str, tuple[str, ...]], params: OrParams, stream: Stream) -> Crop:
    name, family, soils = kind
    return Crop(
        name,
        family,
        soils,
        stream.between(310, 920),
        stream.between(900, 5200),
        stream.between(14, 70),
        family == "legume",
        2 if params.dynamics >= 3 and number in (0, 2) else 0,
        stream.between(20, 34) if params.formulation >= 1 and number == 1 else 0,
    )
