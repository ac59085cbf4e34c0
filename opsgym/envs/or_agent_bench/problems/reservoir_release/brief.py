"""What an agent reads of the reservoirs."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.reservoir_release.instance import COMMON, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/reservoirs.csv": {
        "place": "place in the row: water that leaves a reservoir flows into the one with the next place, in the same week",
        "reservoir": "name of the reservoir",
        "start": "its water before week 1, thousands of cubic metres (tcm)",
        "least": "least water at the end of a week, tcm",
        "most": "most water at the end of a week, tcm",
        "turbine": "most water that its turbine takes in a week, tcm",
        "running": "least water that the turbine takes when it runs, tcm, 0 where any amount will do",
        "ramp": "greatest change of the turbined water from one week to the next, tcm, 0 where there is no limit",
        "service": "week in which the turbine stands still, 0 for none",
        "end": "least water after the last week, tcm",
    },
    "data/scenarios.json": {"scenario": "name of the scenario", "weight": "its weight, percent"},
    "data/inflow.csv": {
        "scenario": "a scenario",
        "week": "week, from 1",
        "reservoir": "a reservoir",
        "inflow": "water that comes in from the hills in that week, tcm",
    },
    "data/prices.csv": {"week": "week, from 1", "cents": "price of a tcm turbined, cents"},
    "data/river.yaml": {
        "common_weeks": "weeks, from week 1, in which the scenario is not known yet",
        "flood": "most water that leaves the last reservoir in a week, tcm, 0 where there is no limit",
        "farms": "least water that leaves the last reservoir in a week, tcm",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A water board runs {len(instance.reservoirs)} reservoirs for {len(instance.prices)} weeks and plans for "
        f"{len(instance.scenarios)} scenarios of inflow. In a week a reservoir lets water through its turbine and may spill more "
        "over its gate. Its water at the end of a week is that at the end of the week before, plus what comes in from the hills, "
        "plus what the reservoir above it turbined and spilled in the week, less what it turbined and spilled itself."
    )


def objective(instance: Instance) -> str:
    """What is to be made large."""
    return (
        "Make the expected earnings large, in hundredths of a cent: for every scenario its `weight` times the sum over weeks and "
        "reservoirs of turbined water times the `cents` of the week."
    )


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": (
            "Every scenario, week and reservoir has exactly one release; there are no others, and no amount is below 0."
        ),
        "turbines": "A turbine takes no more than `turbine` in a week.",
        "levels": "At the end of every week the water of a reservoir lies between its `least` and its `most`.",
        "common": f"In the weeks 1 to {COMMON} the releases of a reservoir are the same in all scenarios.",
    }
    if any(reservoir.running for reservoir in instance.reservoirs):
        found["running"] = "A turbine stands still (0) or takes at least its `running`."
    if any(reservoir.ramp for reservoir in instance.reservoirs):
        found["ramp"] = (
            "From one week to the next the turbined water changes by at most `ramp`, unless the turbine stands still in one of "
            "the two weeks."
        )
    if any(reservoir.service for reservoir in instance.reservoirs):
        found["service"] = "In the week of its `service` a turbine stands still."
    if any(reservoir.end for reservoir in instance.reservoirs):
        found["end"] = "After the last week a reservoir holds at least its `end`."
    if instance.flood:
        found["flood"] = "In every week at most `flood` leaves the last reservoir, turbined and spilled together."
    if instance.farms:
        found["farms"] = "In every week at least `farms` leaves the last reservoir, turbined and spilled together."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    columns = ("start", "least", "most", "turbine", "running", "ramp", "service", "end")
    reservoirs = [
        {"reservoir": each.name, "place": place, **{name: getattr(each, name) for name in columns}}
        for place, each in enumerate(instance.reservoirs, 1)
    ]
    inflow = [
        {"scenario": scenario.name, "week": int(key.split(">")[1]), "reservoir": key.split(">")[0], "inflow": amount}
        for scenario in instance.scenarios
        for key, amount in scenario.inflow.items()
    ]
    river = {"common_weeks": COMMON, "flood": instance.flood, "farms": instance.farms}
    return {
        "data/reservoirs.csv": wrinkles.csv(reservoirs, key="reservoir", vary=["most", "turbine"]),
        "data/inflow.csv": wrinkles.csv(inflow, key=["scenario", "week", "reservoir"], vary=["inflow"]),
        "data/prices.csv": wrinkles.csv(
            [{"week": week, "cents": cents} for week, cents in enumerate(instance.prices, 1)], key="week", vary=["cents"]
        ),
        "data/scenarios.json": wrinkles.json([{"scenario": each.name, "weight": each.weight} for each in instance.scenarios]),
        "data/river.yaml": wrinkles.yaml(river, {"flood": "tcm a week"}),
    }
