"""Carrying out purchases and manufacturing orders day by day, with what is in stock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

TINY = 1e-6


class Arrival(NamedTuple):
    """Units that come in on a day; without a day they never do."""

    day: int | None
    product: str | None
    quantity: float


class Build(NamedTuple):
    """A manufacturing order: takes its inputs on ``start`` and gives its product on ``available``."""

    name: str
    product: str | None
    quantity: float
    start: int | None
    available: int | None
    level: int


def shortages(
    stock: Mapping[str, int], arrivals: Sequence[Arrival], builds: Sequence[Build], boms: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """What is missing when every order starts on its day, in words; empty when nothing is.

    On each day first come arrivals and earlier orders that end that day, then orders start, those nearest
    the raw components first; an order without lead time gives its product at once.  Inputs that are missing
    are owed: they are taken from what comes later, as they would be on a shop floor.

    Args:
        stock: Units on hand on day 0 by product.
        arrivals: Purchased units.
        builds: Manufacturing orders.
        boms: Units of each component in one unit of each made product.
    """
    on_hand: defaultdict[str, float] = defaultdict(float, stock)
    missing = [f"{build.name} has no start date" for build in builds if build.start is None]
    incoming = sorted((day, product, quantity) for day, product, quantity in arrivals if day is not None and product)
    incoming += [
        (build.available, build.product, build.quantity)
        for build in builds
        if build.available is not None and build.product and build.start is not None and build.start < build.available
    ]
    incoming.sort(key=lambda item: item[0])
    position = 0
    for build in sorted((b for b in builds if b.start is not None), key=_turn):
        assert build.start is not None
        while position < len(incoming) and incoming[position][0] <= build.start:
            _, product, quantity = incoming[position]
            on_hand[product] += quantity
            position += 1
        for component, per_unit in boms.get(build.product or "", {}).items():
            on_hand[component] -= per_unit * build.quantity
            if build.start < 0 or on_hand[component] < -TINY:
                missing.append(f"{build.name} starts on day {build.start} without enough {component}")
        if build.product and build.available == build.start:
            on_hand[build.product] += build.quantity
    return missing


def _turn(build: Build) -> tuple[int, int, str]:
    assert build.start is not None
    return build.start, build.level, build.name
