"""Instances of the relief distribution, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import ROLLING, OrParams

COLD = "medicine"
GOODS = ("food", "water", COLD)


@dataclass(frozen=True)
class Good:
    """A kind of goods: kilograms a unit, units a pallet, and points for a unit that is waited for at the end of a day."""

    name: str
    kg: int
    pallet: int
    points: int


@dataclass(frozen=True)
class Depot:
    """A depot: trips that its trucks can make a day, and kilograms of cold room on them."""

    name: str
    trips: int
    cold_kg: int


@dataclass(frozen=True)
class Arrival:
    """Units of a kind of goods that reach a depot and can be sent from a day on."""

    depot: str
    good: str
    day: int
    units: int


@dataclass(frozen=True)
class Camp:
    """A camp: kilograms that it can store, and units of a kind of goods waited for from which a queue is long."""

    name: str
    store_kg: int
    queue: int


@dataclass(frozen=True)
class Need:
    """Units that a camp needs on a day; known from an epoch on."""

    camp: str
    good: str
    day: int
    units: int
    known: int


@dataclass(frozen=True)
class Road:
    """A road: points for a trip."""

    depot: str
    camp: str
    points: int


@dataclass(frozen=True)
class Block:
    """A day on which a road cannot be used; known from an epoch on."""

    depot: str
    camp: str
    day: int
    known: int


@dataclass(frozen=True)
class Instance:
    """An instance; days are counted from 1.

    Attributes:
        truck_kg: Kilograms that a trip carries.
        limits_store: Whether camps store only so much.
        needs_cold: Whether medicine needs cold room.
        in_pallets: Whether goods travel in whole pallets.
        has_queues: Whether long queues weigh double.
        least_kg: Least kilograms on a road on a day on which it is used; 0 where there is none.
        first_days: First day that is still open, for each epoch.
        epoch: Number of the epoch.
        change_points: Points for each day, road and kind of goods whose units differ from the accepted plan.
    """

    days: int
    goods: tuple[Good, ...]
    depots: tuple[Depot, ...]
    arrivals: tuple[Arrival, ...]
    camps: tuple[Camp, ...]
    needs: tuple[Need, ...]
    roads: tuple[Road, ...]
    blocks: tuple[Block, ...]
    truck_kg: int
    limits_store: bool
    needs_cold: bool
    in_pallets: bool
    has_queues: bool
    least_kg: int
    first_days: tuple[int, ...]
    epoch: int
    change_points: int

    @property
    def first_open(self) -> int:
        """First day that may be changed."""
        return self.first_days[self.epoch]


@dataclass(frozen=True)
class Shipment:
    """Units of a kind of goods that go from a depot to a camp on a day, and are there the same day."""

    day: int
    depot: str
    camp: str
    good: str
    units: int


@dataclass(frozen=True)
class Plan:
    """The shipments."""

    shipments: tuple[Shipment, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    rolls = params.dynamics >= ROLLING
    days = (2, 3, 4, 5)[params.dynamics]
    goods = tuple(
        Good(
            name, kg + stream.between(0, 2), stream.between(4, 8) if params.formulation >= 1 else 1, points + stream.between(0, 5)
        )
        for name, kg, points in zip(GOODS, (9, 6, 3), (14, 22, 41), strict=True)
    )
    camps = [f"camp {name}" for name in ("Ash", "Birch", "Cedar", "Dogwood", "Elm")[: (3, 3, 4, 5)[params.scale]]]
    depots = [f"depot {number + 1}" for number in range(2)]
    needs = [
        Need(camp, good.name, day, stream.between(12, 64), 0) for camp in camps for good in goods for day in range(1, days + 1)
    ]
    if rolls:
        for epoch, first in ((1, 2), (2, 4)):
            needs += [
                Need(camp, good.name, stream.between(first, days), stream.between(10, 38), epoch)
                for camp in stream.sample(camps, 2)
                for good in stream.sample(goods, 2)
            ]
    weight = {good.name: good.kg for good in goods}
    total = sum(need.units * weight[need.good] for need in needs)
    truck = stream.between(640, 980)
    share = (105, 92, 84, 76)[params.strategy]
    blocks = {
        (depots[i], camps[j], day): 0
        for i in range(2)
        for j in range(len(camps))
        for day in range(1, days + 1)
        if stream.below(9) == 0
    }
    if rolls:
        for epoch, first in ((1, 2), (2, 4)):
            for _ in range(2):
                blocks.setdefault((stream.pick(depots), stream.pick(camps), stream.between(first, days)), epoch)
    return Instance(
        days=days,
        goods=goods,
        depots=tuple(
            Depot(
                name,
                max(2, total * share // (100 * days * 2 * truck) + stream.below(2)),
                _cold(needs, goods, days, params, stream),
            )
            for name in depots
        ),
        arrivals=tuple(_arrivals(depots, goods, needs, days, share, stream)),
        camps=tuple(
            Camp(name, total // (days * len(camps)) * stream.between(45, 80) // 100, stream.between(30, 55)) for name in camps
        ),
        needs=tuple(needs),
        roads=tuple(Road(depot, camp, stream.between(90, 310)) for depot in depots for camp in camps),
        blocks=tuple(Block(*key, known) for key, known in sorted(blocks.items())),
        truck_kg=truck,
        limits_store=params.coupling >= 1,
        needs_cold=params.coupling >= 2,
        in_pallets=params.formulation >= 1,
        has_queues=params.formulation >= 2,
        least_kg=truck * stream.between(30, 45) // 100 if params.formulation >= 3 else 0,
        first_days=(1, 2, 4) if rolls else (1,),
        epoch=0,
        change_points=stream.between(20, 60) if rolls else 0,
    )


def _cold(needs: list[Need], goods: tuple[Good, ...], days: int, params: OrParams, stream: Stream) -> int:
    kg = sum(need.units for need in needs if need.good == COLD) * goods[-1].kg // (2 * days)
    return kg * stream.between(70, 105) // 100


def _arrivals(
    depots: list[str], goods: tuple[Good, ...], needs: list[Need], days: int, share: int, stream: Stream
) -> list[Arrival]:
    found = []
    for good in goods:
        total = sum(need.units for need in needs if need.good == good.name) * min(share, 96) // 100
        for depot in depots:
            for day in range(1, days + 1):
                found.append(Arrival(depot, good.name, day, total * stream.between(70, 125) // (200 * days)))
    return found
