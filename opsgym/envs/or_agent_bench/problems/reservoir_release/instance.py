"""Instances of the reservoirs, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

COMMON = 2
"""Weeks in which the scenario is not known yet."""


@dataclass(frozen=True)
class Reservoir:
    """A reservoir; its water flows on to the next one in the list.  Water in thousands of cubic metres.

    Attributes:
        name: Its name.
        start: Water at the start.
        least: Least water at the end of a week.
        most: Most water at the end of a week.
        turbine: Most water that its turbine takes in a week.
        running: Least that it takes when it runs; 0 where any amount will do.
        ramp: Greatest change of the turbined water from week to week; 0 where there is no limit.
        service: Week in which the turbine stands still; 0 for none.
        end: Least water after the last week.
    """

    name: str
    start: int
    least: int
    most: int
    turbine: int
    running: int
    ramp: int
    service: int
    end: int


@dataclass(frozen=True)
class Scenario:
    """A scenario: its weight in percent, and the inflow by ``"reservoir>week"``."""

    name: str
    weight: int
    inflow: dict[str, int]


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        prices: Cents for a thousand cubic metres turbined, by week from week 1; the same for all reservoirs.
        flood: Most water that leaves the last reservoir in a week; 0 where there is no limit.
        farms: Least water that leaves the last reservoir in a week; 0 for none.
    """

    reservoirs: tuple[Reservoir, ...]
    scenarios: tuple[Scenario, ...]
    prices: tuple[int, ...]
    flood: int
    farms: int

    @property
    def weeks(self) -> range:
        """The weeks."""
        return range(1, len(self.prices) + 1)


@dataclass(frozen=True)
class Release:
    """Water that a reservoir lets go in a week of a scenario: through its turbine, and over its gate."""

    scenario: str
    week: int
    reservoir: str
    turbined: int
    spilled: int


@dataclass(frozen=True)
class Plan:
    """All releases; order does not matter."""

    releases: tuple[Release, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    week_count = 4 + params.dynamics + params.scale // 2
    names = ("Alm", "Bern", "Cern")[: (1, 2, 3, 3)[params.coupling]]
    reservoirs = tuple(_reservoir(number, name, params, stream) for number, name in enumerate(names))
    count = 2 + (params.scale > 0) + (params.scale > 2) + (params.dynamics > 1)
    weights = [100 // count] * count
    weights[0] += 100 - sum(weights)
    scenarios = []
    for place, weight in enumerate(weights):
        wet = 60 + 80 * place // max(1, count - 1)
        inflow: dict[str, int] = {}
        for number, reservoir in enumerate(reservoirs):
            for week in range(1, week_count + 1):
                usual = stream.between(150, 330) // (1 + (number > 0))
                common = 90 if week <= COMMON else wet
                inflow[f"{reservoir.name}>{week}"] = usual * common // 100
        scenarios.append(Scenario(("dry", "usual", "wet", "storm", "flood")[place], weight, inflow))
    for scenario in scenarios[1:]:  # what comes in before the scenario is known is the same in all
        known = {key: value for key, value in scenarios[0].inflow.items() if int(key.split(">")[1]) <= COMMON}
        scenario.inflow.update(known)
    last = reservoirs[-1]
    return Instance(
        reservoirs=reservoirs,
        scenarios=tuple(scenarios),
        prices=tuple(stream.between(1_800, 6_400) for _ in range(week_count)),
        flood=last.turbine + (260, 220, 190, 170)[params.strategy] if params.coupling >= 2 else 0,
        farms=last.turbine // 4 if params.dynamics >= 2 else 0,
    )


def _reservoir(number: int, name: str, params: OrParams, stream: Stream) -> Reservoir:
    most = stream.between(900, 1300)
    start = most * stream.between(45, 60) // 100
    turbine = stream.between(230, 320) + 60 * number
    tight = (20, 25, 30, 34)[params.strategy]
    return Reservoir(
        name,
        start,
        most * tight // 100,
        most,
        turbine,
        turbine * 35 // 100 if params.formulation >= 1 else 0,
        turbine * 60 // 100 if params.formulation >= 2 else 0,
        3 if params.formulation >= 3 and number == 0 else 0,
        start * 90 // 100 if params.dynamics >= 1 else 0,
    )
