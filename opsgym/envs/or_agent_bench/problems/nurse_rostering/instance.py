"""Instances of the ward roster, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import ROLLING, OrParams

SHIFTS = ("early", "late", "night")
TOO_SHORT = (("late", "early"), ("night", "early"), ("night", "late"))
"""Shifts that may not follow each other from one day to the next."""


@dataclass(frozen=True)
class Nurse:
    """A nurse: shifts contracted for the period, and days of the week before, up to yesterday, that were worked in a run."""

    name: str
    shifts: int
    is_certified: bool
    is_senior: bool
    run: int


@dataclass(frozen=True)
class Absence:
    """A day on which a nurse cannot work; known from an epoch on."""

    nurse: str
    day: int
    known: int


@dataclass(frozen=True)
class Wish:
    """A shift that a nurse would rather not work, with its weight in points."""

    nurse: str
    day: int
    shift: str
    points: int


@dataclass(frozen=True)
class Need:
    """Nurses that a shift needs, of them certified ones, and points for each one that is missing."""

    day: int
    shift: str
    nurses: int
    certified: int
    gap_points: int


@dataclass(frozen=True)
class Instance:
    """An instance; days are counted from 1, which is a Monday.

    Attributes:
        overtime_points: Points for each shift beyond the contract.
        most_overtime: Most shifts beyond the contract of one nurse.
        most_run: Most days in a row, with those before the period; 0 where there is no such rule.
        most_nights: Most nights of a nurse in the period; 0 where there is no such rule.
        needs_certified: Whether the need of certified nurses binds.
        needs_senior: Whether every night with a nurse has a senior one.
        whole_weekends: Whether a weekend is worked on both days or on none.
        first_days: First day that is still open, for each epoch.
        epoch: Number of the epoch.
        change_points: Points for each shift of the accepted roster that is changed.
    """

    days: int
    nurses: tuple[Nurse, ...]
    absences: tuple[Absence, ...]
    wishes: tuple[Wish, ...]
    needs: tuple[Need, ...]
    overtime_points: int
    most_overtime: int
    most_run: int
    most_nights: int
    needs_certified: bool
    needs_senior: bool
    whole_weekends: bool
    first_days: tuple[int, ...]
    epoch: int
    change_points: int

    @property
    def first_open(self) -> int:
        """First day that may be changed."""
        return self.first_days[self.epoch]


@dataclass(frozen=True)
class Duty:
    """A nurse works a shift on a day."""

    nurse: str
    day: int
    shift: str


@dataclass(frozen=True)
class Plan:
    """A roster: the duties; on days without one a nurse is off."""

    duties: tuple[Duty, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    rolls = params.dynamics >= ROLLING
    days = (7, 7, 10, 14)[params.scale] if not rolls else (10, 10, 12, 14)[params.scale]
    count = (7, 9, 10, 12)[params.scale]
    nurses = tuple(_nurse(number, days, params, stream) for number in range(count))
    absences = {(nurse.name, day): 0 for nurse in nurses for day in range(1, days + 1) if stream.below(100) < 8}
    if rolls:  # later illnesses strike open days only
        for epoch, first in ((1, 4), (2, 7)):
            for nurse in stream.sample(nurses, 2):
                start = stream.between(first, days - 1)
                absences |= {(nurse.name, day): epoch for day in (start, start + 1) if (nurse.name, day) not in absences}
    wishes = tuple(_wish(nurse, days, stream) for nurse in nurses for _ in range(1 + params.dynamics // 2))
    return Instance(
        days=days,
        nurses=nurses,
        absences=tuple(Absence(nurse, day, known) for (nurse, day), known in sorted(absences.items())),
        wishes=tuple({(wish.nurse, wish.day, wish.shift): wish for wish in wishes}.values()),
        needs=_needs(days, nurses, params, stream),
        overtime_points=stream.between(11, 24),
        most_overtime=2,
        most_run=(0, 0, 5, 5)[params.formulation],
        most_nights=(0, 4, 4, 3)[params.formulation] * (2 if days > 10 else 1),
        needs_certified=params.coupling >= 1,
        needs_senior=params.coupling >= 2,
        whole_weekends=params.formulation >= 3,
        first_days=(1, 4, 7) if rolls else (1,),
        epoch=0,
        change_points=stream.between(4, 9) if rolls else 0,
    )


def _nurse(number: int, days: int, params: OrParams, stream: Stream) -> Nurse:
    shifts = days * (stream.between(52, 74) if number else 45) // 100
    run = stream.between(0, 4) if params.dynamics else 0
    return Nurse(f"N{21 + 4 * number}", shifts, number % 2 == 0 or stream.below(4) == 0, number % 3 == 1, run)


def _wish(nurse: Nurse, days: int, stream: Stream) -> Wish:
    return Wish(nurse.name, stream.between(1, days), stream.pick(SHIFTS), stream.between(3, 17))


def _needs(days: int, nurses: tuple[Nurse, ...], params: OrParams, stream: Stream) -> tuple[Need, ...]:
    supply = sum(nurse.shifts for nurse in nurses) * (103, 107, 111, 116)[params.strategy] // 100
    mean = supply / days
    found = []
    for day in range(1, days + 1):
        total = max(4, ceil(mean * stream.between(90, 120) / 100))
        night = max(1, total // 4)
        late = max(1, (total - night) * 2 // 5)
        for shift, count in zip(SHIFTS, (total - night - late, late, night), strict=True):
            certified = min(count, 1 + (count > 3)) if params.coupling else 0
            found.append(Need(day, shift, count, certified, stream.between(31, 68)))
    return tuple(found)
