"""Instances of the microgrid, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

SUN = (0, 8, 30, 58, 82, 96, 100, 94, 76, 50, 24, 6)
"""Sun of each hour from 6 to 18 in percent; beyond there is none."""
WEIGHTS = ((5, 3, 2), (4, 3, 3), (4, 3, 2, 1), (3, 3, 2, 2))
"""Tenths of probability of each scenario, by scale."""
KEPT = 9
"""Tenths of the energy charged that the battery keeps."""


@dataclass(frozen=True)
class Hour:
    """An hour: load, cents a kWh a day ahead and at short notice (the latter a multiple of 10), and sun by scenario, kWh."""

    hour: int
    load: int
    ahead_cents: int
    short_cents: int
    sun: tuple[int, ...]


@dataclass(frozen=True)
class Instance:
    """An instance; energies are whole kWh.

    Attributes:
        weights: Tenths of probability of each scenario.
        connection: Most kWh bought in an hour, a day ahead and at short notice together.
        capacity: Energy that the battery holds.
        filled: Energy in it at the start, which it must hold at the end again.
        power: Most kWh charged, and most discharged, in an hour.
        keeps_apart: Whether the battery must not charge and discharge in one hour.
        reserve: Energy that the battery never goes below; 0 where there is none.
        generator: Most kWh of the generator in an hour in which it stands by.
        least: Least kWh then; 0 where it may idle.
        standby_cents: Cost of an hour of standing by, whatever the scenario.
        start_cents: Cost of standing by in an hour after one in which it did not; 0 where there is none.
        fuel_cents: Cost of a kWh of the generator, a multiple of 10.
        fuel_kwh: Most kWh of the generator in a scenario; 0 where there is no limit.
        peak_cents: Fee for each kWh of the greatest purchase a day ahead in an hour; 0 where there is none.
    """

    hours: tuple[Hour, ...]
    weights: tuple[int, ...]
    connection: int
    capacity: int
    filled: int
    power: int
    keeps_apart: bool
    reserve: int
    generator: int
    least: int
    standby_cents: int
    start_cents: int
    fuel_cents: int
    fuel_kwh: int
    peak_cents: int


@dataclass(frozen=True)
class Ahead:
    """Decided the day before: energy bought for an hour, and whether the generator stands by in it."""

    hour: int
    bought: int
    standby: bool


@dataclass(frozen=True)
class Then:
    """Done in an hour when a scenario comes true, kWh."""

    scenario: int
    hour: int
    charge: int
    discharge: int
    generator: int
    bought: int


@dataclass(frozen=True)
class Plan:
    """The decisions of the day before, and what is done in each scenario."""

    ahead: tuple[Ahead, ...]
    then: tuple[Then, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    weights = WEIGHTS[params.scale]
    count = (5, 6, 8, 10)[params.dynamics] + params.scale // 2
    first = stream.between(6, 9)
    size = stream.between(180, 320)
    hours = tuple(_hour(number, first + number, size, len(weights), stream) for number in range(count))
    load = sum(hour.load for hour in hours) // count
    capacity = load * (150, 125, 105, 90)[params.strategy] // 100
    generator = load * stream.between(35, 55) // 100
    return Instance(
        hours=hours,
        weights=weights,
        connection=max(hour.load for hour in hours) * stream.between(104, 118) // 100,
        capacity=capacity,
        filled=capacity * stream.between(35, 55) // 100,
        power=capacity * stream.between(28, 42) // 100,
        keeps_apart=params.formulation >= 1,
        reserve=capacity * stream.between(18, 30) // 100 if params.coupling >= 2 else 0,
        generator=generator,
        least=generator * stream.between(30, 50) // 100 if params.formulation >= 2 else 0,
        standby_cents=generator * stream.between(2, 5),
        start_cents=generator * stream.between(8, 16) if params.formulation >= 3 else 0,
        fuel_cents=10 * stream.between(19, 25),
        fuel_kwh=generator * count * stream.between(12, 22) // 100 if params.coupling >= 3 else 0,
        peak_cents=stream.between(30, 75) if params.coupling >= 1 else 0,
    )


def _hour(number: int, clock: int, size: int, scenarios: int, stream: Stream) -> Hour:
    sun = SUN[clock - 6] if clock - 6 < len(SUN) else 0
    load = size * stream.between(70, 130) // 100
    ahead = stream.between(9, 17) * 10 + stream.between(0, 9)
    levels = tuple(size * sun * stream.between(25, 120) // 10_000 for _ in range(scenarios))
    return Hour(number + 1, load, ahead, 10 * (ahead * stream.between(135, 210) // 1000), levels)
