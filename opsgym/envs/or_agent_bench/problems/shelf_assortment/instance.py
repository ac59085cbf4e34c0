"""Instances of the shelf assortment, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

FAMILIES = ("yoghurt", "juice", "cheese", "dessert")
BRANDS = ("House", "Alder", "Birch", "Cedar")
HOUSE = BRANDS[0]


@dataclass(frozen=True)
class Product:
    """A product.

    Attributes:
        name: Its name.
        family: Its family.
        brand: Its brand.
        width: Width of a facing, mm.
        weight: Weight of a facing, grams.
        is_chilled: Whether it stands on a chilled shelf only.
        first_cents: Profit a week of its first facing.
        further_cents: Profit a week of each further facing.
        partner: Product without which, on the same shelf, it is not listed; empty for none.
        is_listed: Whether it is in the range of today.
        is_kept: Whether it must stay in the range.
    """

    name: str
    family: str
    brand: str
    width: int
    weight: int
    is_chilled: bool
    first_cents: int
    further_cents: int
    partner: str
    is_listed: bool
    is_kept: bool


@dataclass(frozen=True)
class Shelf:
    """A shelf: its width in mm, the weight that it carries in grams (0 where that does not matter), and whether it is chilled."""

    name: str
    width: int
    carries: int
    is_chilled: bool


@dataclass(frozen=True)
class Substitute:
    """What ``instead`` earns more when it is listed and ``product`` is not."""

    product: str
    instead: str
    cents: int


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        most_facings: Greatest number of facings of a product.
        least_family: Least number of listed products of each family; 0 where that does not matter.
        most_brand: Greatest number of listed products of a brand; 0 where there is no limit.
        house_together: Whether all listed products of the house brand stand on one shelf.
        new_cents: Cost of each listed product that is not listed today.
        most_new: Greatest number of them; -1 where there is no limit.
    """

    products: tuple[Product, ...]
    shelves: tuple[Shelf, ...]
    substitutes: tuple[Substitute, ...]
    most_facings: int
    least_family: int
    most_brand: int
    house_together: bool
    new_cents: int
    most_new: int


@dataclass(frozen=True)
class Placement:
    """One listed product: its shelf, and how many facings it has."""

    product: str
    shelf: str
    facings: int


@dataclass(frozen=True)
class Plan:
    """The range; products that are not placed are not listed."""

    placements: tuple[Placement, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    count, families = (12, 16, 20, 26)[params.scale], FAMILIES[: 3 + (params.scale > 1)]
    products = [_product(number, families, params, stream) for number in range(count)]
    substitutes = []
    for product in products:
        alike = [other for other in products if other.family == product.family and other.name != product.name]
        for other in stream.sample(alike, 2):
            share = stream.between(15, 45)
            substitutes.append(Substitute(product.name, other.name, product.first_cents * share // 100))
    space = sum(product.width for product in products) * (75, 66, 58, 52)[params.strategy] // 100
    heavy = sum(product.weight for product in products) * (70, 60, 54, 50)[params.strategy] // 100
    unlisted = sum(not product.is_listed for product in products)
    shelf_count = 2 + (params.scale > 0)
    shelves = tuple(
        Shelf(
            f"H{number}",
            space // shelf_count + stream.between(-60, 60),
            heavy // shelf_count + stream.between(-200, 200) if params.coupling else 0,
            number == 1,
        )
        for number in range(1, shelf_count + 1)
    )
    return Instance(
        products=tuple(products),
        shelves=shelves,
        substitutes=tuple(substitutes),
        most_facings=3,
        least_family=2 if params.formulation >= 1 else 0,
        most_brand=max(2, count // 6) if params.coupling >= 2 else 0,
        house_together=params.formulation >= 3,
        new_cents=stream.between(240, 900) if params.dynamics else 0,
        most_new=min(count // 4, unlisted - 1) if params.dynamics >= 2 else -1,
    )


def _product(number: int, families: tuple[str, ...], params: OrParams, stream: Stream) -> Product:
    family = families[number % len(families)]
    first = stream.between(900, 6400)
    listed = params.dynamics > 0 and (number < 4 or (number > 5 and stream.below(100) < 55))
    return Product(
        f"P{number + 1:02d}",
        family,
        BRANDS[(number // len(families) + number) % len(BRANDS)],
        stream.between(95, 340),
        stream.between(310, 2400),
        number % 5 == 0,
        first,
        first * stream.between(8, 42) // 100,
        f"P{number - 1:02d}" if params.formulation >= 2 and number % 6 == 3 else "",
        listed,
        params.dynamics >= 3 and number in (1, 2),
    )
