"""Instances of the bar cutting, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

GRADES = ("S235", "S275", "S355")
"""Grades of steel, weakest first; a piece may be cut from a stronger one."""


@dataclass(frozen=True)
class Bar:
    """A kind of bar: millimetres, cents, grade (by its place in :data:`GRADES`), and how many arrive before each day."""

    name: str
    length: int
    cents: int
    grade: int
    arrivals: tuple[int, ...]


@dataclass(frozen=True)
class Piece:
    """A kind of piece: millimetres and the grade that it needs at least."""

    name: str
    length: int
    grade: int


@dataclass(frozen=True)
class Order:
    """Pieces that must have been cut by the end of a day."""

    name: str
    piece: str
    count: int
    day: int


@dataclass(frozen=True)
class Instance:
    """An instance; days are counted from 1.

    Attributes:
        kerf: Millimetres that every cut takes.
        usable: Least length of an offcut that goes back to stock, millimetres.
        credit_cents: Credit for each whole 100 mm of it.
        saw_cuts: Pieces that the saw can cut in a day.
        bins: Most kinds of pieces in one pattern; 0 where there is no limit.
        setup_cents: Cost of each pattern used on a day; 0 where there is none.
        has_grades: Whether grades bind.
    """

    days: int
    bars: tuple[Bar, ...]
    pieces: tuple[Piece, ...]
    orders: tuple[Order, ...]
    kerf: int
    usable: int
    credit_cents: int
    saw_cuts: int
    bins: int
    setup_cents: int
    has_grades: bool


@dataclass(frozen=True)
class Part:
    """So many pieces of a kind."""

    piece: str
    count: int


@dataclass(frozen=True)
class Cut:
    """On a day so many bars of a kind are cut by one pattern: the pieces of each bar."""

    day: int
    bar: str
    times: int
    pattern: tuple[Part, ...]


@dataclass(frozen=True)
class Plan:
    """The cuts."""

    cuts: tuple[Cut, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    days = (1, 2, 2, 3)[params.dynamics]
    has_grades = params.formulation >= 2
    pieces = tuple(
        Piece(f"P{40 + 3 * number}", stream.between(1180, 2960), (0, 2, 1, 0, 2, 1, 0)[number] if has_grades else 0)
        for number in range((4, 5, 6, 7)[params.scale])
    )
    orders: list[Order] = []
    for piece in pieces:
        for day in range(1, days + 1):
            if day == days or stream.below(2):
                orders.append(Order(f"O{len(orders) + 71}", piece.name, stream.between(2, 9), day))
    lengths = {piece.name: piece.length for piece in pieces}
    total = sum(order.count * lengths[order.piece] for order in orders)
    bars = tuple(_bar(number, total, days, has_grades, params, stream) for number in range(3))
    count = sum(order.count for order in orders)
    return Instance(
        days=days,
        bars=bars,
        pieces=pieces,
        orders=tuple(orders),
        kerf=stream.between(3, 7) if params.formulation else 2,
        usable=stream.between(700, 1100),
        credit_cents=stream.between(21, 48),
        saw_cuts=max(_first(orders), count * (190, 160, 130, 115)[params.strategy] // (100 * days)) + 2,
        bins=(0, 3, 2, 2)[params.coupling],
        setup_cents=stream.between(240, 710) if params.coupling >= 2 else 0,
        has_grades=has_grades,
    )


def _first(orders: list[Order]) -> int:
    """Pieces a day without which the due days cannot be kept."""
    last = max(order.day for order in orders)
    return max(-(-sum(order.count for order in orders if order.day <= day) // day) for day in range(1, last + 1))


def _bar(number: int, total: int, days: int, has_grades: bool, params: OrParams, stream: Stream) -> Bar:
    length = 10 * stream.between(*((420, 520), (590, 680), (740, 830))[number])
    grade = (2, 0, 1)[number] if has_grades else 0
    price = length * stream.between(58, 74) // 100 + 400 * grade
    first = total * (60, 55, 50, 45)[params.strategy] // (100 * length)
    arrivals = [first + 1, *(stream.between(0, 3) for _ in range(days - 1))]
    if number == 0:
        arrivals[0] = total * 2 // length + 3  # of the strongest grade: every order can be served
    return Bar(f"B{length // 10}", length, price, grade, tuple(arrivals))
