"""Instances of the plant commitment, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import ROLLING, OrParams

SHAPE = (62, 58, 56, 55, 58, 66, 78, 90, 96, 98, 100, 102, 101, 98, 95, 94, 96, 102, 108, 110, 104, 94, 82, 70)
"""Demand of each hour of a day in percent of its mean or so."""


@dataclass(frozen=True)
class Plant:
    """A plant.

    Attributes:
        least: Least output while it runs, MW.
        most: Greatest output, MW.
        knee: Output up to which a MWh costs ``low_cents``; each MWh above costs ``high_cents``.
        run_cents: Cost of each hour in which it runs.
        start_cents: Cost of a start.
        up: Least hours that it runs after a start.
        down: Least hours that it stands after a stop.
        ramp: Greatest change of output from an hour to the next while it runs, MW; 0 where there is no limit.
        before: Hours that it has run (positive) or stood (negative) before hour 1.
        kg: Emissions of a MWh, kilograms.
        on_gas: Whether it burns gas from the shared pipe.
        avoid_from: Output above which, and below ``avoid_to``, it must not run; both 0 where there is no such range.
        avoid_to: See above.
    """

    name: str
    least: int
    most: int
    knee: int
    low_cents: int
    high_cents: int
    run_cents: int
    start_cents: int
    up: int
    down: int
    ramp: int
    before: int
    kg: int
    on_gas: bool
    avoid_from: int
    avoid_to: int


@dataclass(frozen=True)
class Forecast:
    """Demand and wind of an hour, MW, as published in an epoch."""

    hour: int
    demand: int
    wind: int
    known: int


@dataclass(frozen=True)
class Instance:
    """An instance; hours are counted from 1.

    Attributes:
        reserve: Spinning reserve of each hour, MW; 0 where none is asked for.
        emission_kg: Emission budget, kilograms; 0 where there is none.
        gas_mw: Greatest output of all plants on gas together in an hour, MW; 0 where there is no limit.
        shed_cents: Cost of a MWh of demand that is not met.
        dump_cents: Cost of a MWh that plants make beyond demand.
        first_hours: First hour that is still open, for each epoch.
        epoch: Number of the epoch.
        change_cents: Charge for each hour and plant that is switched against the accepted plan.
    """

    plants: tuple[Plant, ...]
    forecasts: tuple[Forecast, ...]
    reserve: int
    emission_kg: int
    gas_mw: int
    shed_cents: int
    dump_cents: int
    first_hours: tuple[int, ...]
    epoch: int
    change_cents: int

    @property
    def first_open(self) -> int:
        """First hour that may be changed."""
        return self.first_hours[self.epoch]


@dataclass(frozen=True)
class Output:
    """A plant runs in an hour at this output, MW."""

    plant: str
    hour: int
    mw: int


@dataclass(frozen=True)
class Plan:
    """The outputs of the hours in which plants run; a plant stands in the other hours."""

    outputs: tuple[Output, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    rolls = params.dynamics >= ROLLING
    hours = (10, 12, 14, 18)[params.scale] + (2 if params.dynamics else 0)
    count = (3, 4, 4, 5)[params.scale]
    plants = tuple(_plant(number, params, stream) for number in range(count))
    capacity = sum(plant.most for plant in plants)
    peak = capacity * (72, 78, 83, 87)[params.strategy] // 100
    first = stream.between(0, 5)
    forecasts = []
    for hour in range(1, hours + 1):
        demand = peak * SHAPE[(first + hour) % 24] // 110 * stream.between(94, 106) // 100
        forecasts.append(Forecast(hour, demand, demand * stream.between(2, 24) // 100, 0))
    first_hours = (1, 1 + hours // 3, 1 + 2 * hours // 3) if rolls else (1,)
    for epoch, opens in enumerate(first_hours[1:], start=1):
        for old in [f for f in forecasts if f.known == epoch - 1 and f.hour >= opens]:
            forecasts.append(
                Forecast(old.hour, old.demand * stream.between(90, 114) // 100, old.wind * stream.between(50, 130) // 100, epoch)
            )
    energy = sum(f.demand - f.wind for f in forecasts if not f.known)
    gas = sum(plant.most for plant in plants if plant.on_gas)
    mean_kg = sum(plant.kg * plant.most for plant in plants) // capacity
    return Instance(
        plants=plants,
        forecasts=tuple(forecasts),
        reserve=peak * stream.between(8, 13) // 100 if params.coupling >= 1 else 0,
        emission_kg=energy * mean_kg * stream.between(88, 96) // 100 if params.coupling >= 2 else 0,
        gas_mw=gas * stream.between(72, 85) // 100 if params.coupling >= 3 else 0,
        shed_cents=stream.between(90, 140) * 1000,
        dump_cents=stream.between(11, 29) * 100,
        first_hours=first_hours,
        epoch=0,
        change_cents=stream.between(150, 420) * 100 if rolls else 0,
    )


def _plant(number: int, params: OrParams, stream: Stream) -> Plant:
    """The first is a large, slow and cheap one that runs; those after it are smaller, quicker and dearer."""
    most = (
        stream.between(118, 154),
        stream.between(72, 104),
        stream.between(48, 71),
        stream.between(33, 52),
        stream.between(24, 40),
    )[number]
    least = most * stream.between(32, 46) // 100
    low = (31, 44, 58, 67, 83)[number] * 100 + stream.between(-240, 240)
    slow = (6, 4, 3, 2, 1)[number]
    avoids = params.formulation >= 3 and number == 1
    middle = (least + most) // 2
    return Plant(
        name=f"K{number + 1}",
        least=least,
        most=most,
        knee=most * stream.between(55, 80) // 100 if params.formulation else most,
        low_cents=low,
        high_cents=low * stream.between(112, 138) // 100 if params.formulation else low,
        run_cents=most * stream.between(320, 560),
        start_cents=most * stream.between(1900, 4300),
        up=slow if params.formulation >= 2 or number < 2 else 1,
        down=max(1, slow - 1) if params.formulation >= 2 or number < 2 else 1,
        ramp=max(5, most * stream.between(18, 30) // 100) if params.dynamics else 0,
        before=stream.between(2, 7) if number == 0 or stream.below(2) else -stream.between(1, 6),
        kg=(870, 620, 430, 390, 540)[number] + stream.between(-30, 30),
        on_gas=number in (1, 2),
        avoid_from=middle - most // 12 if avoids else 0,
        avoid_to=middle + most // 12 if avoids else 0,
    )
