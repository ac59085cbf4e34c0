"""Instances of the blood supply, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

FITS = {"O": ("O", "A", "B", "AB"), "A": ("A", "AB"), "B": ("B", "AB"), "AB": ("AB",)}
"""Groups of patients that bags of a group fit."""
RARE = "O"


@dataclass(frozen=True)
class Lot:
    """Bags of one group that are there from a day on and can be used up to and with their last day."""

    name: str
    group: str
    bags: int
    arrives: int
    last: int


@dataclass(frozen=True)
class Hospital:
    """A hospital: cost of a box sent to it, in cents."""

    name: str
    box_cents: int


@dataclass(frozen=True)
class Request:
    """Bags that a hospital needs on a day for patients of a group; cents for each that is flown in instead."""

    name: str
    hospital: str
    group: str
    day: int
    bags: int
    needs_fresh: bool
    flown_cents: int


@dataclass(frozen=True)
class Instance:
    """An instance; days are counted from 1.

    Attributes:
        waste_cents: Cost of each bag that outdates within the plan.
        substitute_cents: Cost of each bag of another group than the patient's; 0 where it costs nothing.
        box_bags: Bags in a box; boxes are counted for each hospital and day.
        courier_bags: Most bags sent in a day; 0 where there is no limit.
        fair_percent: Least share of a hospital's requests, in percent, that is not flown in; 0 where there is no such rule.
        fresh_days: Days before its last one by which a bag is fresh; 0 where there is no such rule.
        rare_bags: Most bags of group O a day for patients of other groups; 0 where there is no such rule.
    """

    days: int
    lots: tuple[Lot, ...]
    hospitals: tuple[Hospital, ...]
    requests: tuple[Request, ...]
    waste_cents: int
    substitute_cents: int
    box_bags: int
    courier_bags: int
    fair_percent: int
    fresh_days: int
    rare_bags: int


@dataclass(frozen=True)
class Send:
    """Bags of a lot that serve a request, on its day."""

    lot: str
    request: str
    bags: int


@dataclass(frozen=True)
class Plan:
    """What is sent; bags of requests that nothing serves are flown in."""

    sends: tuple[Send, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    days = (2, 3, 4, 5)[params.dynamics]
    hospitals = tuple(Hospital(f"H{number + 1}", stream.between(1500, 4200)) for number in range((2, 3, 3, 4)[params.scale]))
    requests: list[Request] = []
    for hospital in hospitals:
        for day in range(1, days + 1):
            for group in stream.sample(tuple(FITS), 2 + (params.scale > 1)):
                requests.append(
                    Request(
                        name=f"Q{200 + len(requests)}",
                        hospital=hospital.name,
                        group=group,
                        day=day,
                        bags=stream.between(3, 14),
                        needs_fresh=params.formulation >= 2 and len(requests) % 3 == 0,
                        flown_cents=100 * stream.between(62, 171),
                    )
                )
    total = sum(request.bags for request in requests)
    lots = tuple(_lot(number, total, days, params, stream) for number in range((6, 8, 9, 11)[params.scale]))
    return Instance(
        days=days,
        lots=lots,
        hospitals=hospitals,
        requests=tuple(requests),
        waste_cents=stream.between(900, 2600),
        substitute_cents=stream.between(350, 1100) if params.formulation >= 1 else 0,
        box_bags=stream.between(5, 8),
        courier_bags=total * (105, 92, 84, 76)[params.strategy] // (100 * days) if params.coupling >= 1 else 0,
        fair_percent=stream.between(40, 52) if params.coupling >= 2 else 0,
        fresh_days=2 if params.formulation >= 2 else 0,
        rare_bags=max(1, total // (days * 12)) if params.coupling >= 3 else 0,
    )


def _lot(number: int, total: int, days: int, params: OrParams, stream: Stream) -> Lot:
    mean = total * (105, 96, 90, 84)[params.strategy] // (100 * (6, 8, 9, 11)[params.scale])
    arrives = 1 if number < 4 else stream.between(2 if number == 5 else 1, days)  # one lot is not there on day 1
    group = ("O", "A", "B", "AB", "O", "A", "O", "B", "A", "O", "AB")[number]
    return Lot(f"L{30 + 7 * number}", group, mean * stream.between(70, 130) // 100, arrives, arrives + stream.between(0, 3))
