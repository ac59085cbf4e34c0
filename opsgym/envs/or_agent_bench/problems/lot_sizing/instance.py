"""Instances of the filling line, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import ROLLING, OrParams

RUSH = 100
"""Number from which rush orders are counted."""


@dataclass(frozen=True)
class Item:
    """An item: minutes and cents of a setup, seconds a unit, cents a unit and day, litres, lot and batch sizes, stock."""

    name: str
    setup_minutes: int
    setup_cents: int
    unit_seconds: int
    holding_cents: int
    late_cents: int
    litres: int
    least: int
    batch: int
    stock: int


@dataclass(frozen=True)
class Order:
    """A delivery: units of an item due at the end of a day; known from an epoch on."""

    name: str
    item: str
    day: int
    units: int
    known: int


@dataclass(frozen=True)
class Instance:
    """An instance; days are counted from 1.

    Attributes:
        minutes: Regular minutes of the line, for each day.
        overtime: Most minutes of overtime a day.
        overtime_cents: Cost of a minute of overtime.
        store_litres: Size of the store; 0 where there is room enough.
        most_items: Most items filled in a day; 0 where there is no limit.
        shelf_days: Days whose demand the stock of an item may cover at most; 0 where there is no such rule.
        first_days: First day that is still open, for each epoch.
        epoch: Number of the epoch.
        change_cents: Charge for each lot that is put in or taken out against the accepted plan.
    """

    items: tuple[Item, ...]
    orders: tuple[Order, ...]
    minutes: tuple[int, ...]
    overtime: int
    overtime_cents: int
    store_litres: int
    most_items: int
    shelf_days: int
    first_days: tuple[int, ...]
    epoch: int
    change_cents: int

    @property
    def first_open(self) -> int:
        """First day that may be changed."""
        return self.first_days[self.epoch]


@dataclass(frozen=True)
class Lot:
    """Units of an item filled on a day."""

    item: str
    day: int
    units: int


@dataclass(frozen=True)
class Plan:
    """The lots; an item has at most one a day."""

    lots: tuple[Lot, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    rolls = params.dynamics >= ROLLING
    days = (5, 6, 7, 8)[params.scale] + (params.dynamics >= 2)
    items = tuple(_item(number, params, stream) for number in range((3, 4, 4, 5)[params.scale]))
    demand = {(item.name, day): stream.between(24, 118) for item in items for day in range(1, days + 1) if stream.below(5)}
    items = tuple(
        Item(**{**item.__dict__, "stock": demand.get((item.name, 1), 0) * stream.between(3, 10) // 10}) for item in items
    )
    orders = [Order(f"D{number + 1:03d}", name, day, units, 0) for number, ((name, day), units) in enumerate(demand.items())]
    if rolls:
        for number in range(4):
            known = 1 + number // 2
            day = stream.between(2 * known + 2, days)
            orders.append(Order(f"D{RUSH + number}", stream.pick(items).name, day, stream.between(15, 60), known))
    work = sum(order.units * _of(items, order.item).unit_seconds for order in orders) // 60
    setups = sum(item.setup_minutes for item in items) * 2 // 3
    mean = (work // days + setups) * (106, 101, 97, 93)[params.strategy] // 100
    volume = sum(order.units * _of(items, order.item).litres for order in orders) // days
    return Instance(
        items=items,
        orders=tuple(orders),
        minutes=tuple(mean * stream.between(88, 112) // 100 for _ in range(days)),
        overtime=mean // 8,
        overtime_cents=stream.between(55, 130),
        store_litres=max(volume * (160, 160, 120, 95)[params.coupling] // 100, _stocked(items)) if params.coupling else 0,
        most_items=len(items) - 1 - (params.coupling >= 3 and len(items) > 4) if params.coupling >= 2 else 0,
        shelf_days=3 if params.formulation >= 3 else 0,
        first_days=(1, 3, 5) if rolls else (1,),
        epoch=0,
        change_cents=stream.between(900, 2600) if rolls else 0,
    )


def _of(items: tuple[Item, ...], name: str) -> Item:
    return next(item for item in items if item.name == name)


def _stocked(items: tuple[Item, ...]) -> int:
    return sum(item.stock * item.litres for item in items)


def _item(number: int, params: OrParams, stream: Stream) -> Item:
    return Item(
        name=f"FL-{310 + 17 * number}",
        setup_minutes=stream.between(18, 47),
        setup_cents=stream.between(3100, 9700),
        unit_seconds=stream.between(48, 131),
        holding_cents=stream.between(9, 31),
        late_cents=stream.between(120, 340),
        litres=stream.between(2, 9),
        least=stream.between(18, 37) if params.formulation >= 1 else 1,
        batch=stream.between(4, 9) if params.formulation >= 2 else 1,
        stock=0,
    )
