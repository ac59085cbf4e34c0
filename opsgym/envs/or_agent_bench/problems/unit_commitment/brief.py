"""What an agent reads of the plant commitment."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.unit_commitment.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/plants.csv": {
        "plant": "name of the plant",
        "least": "least output while it runs, MW",
        "most": "greatest output, MW",
        "knee": "output up to which a MWh costs low_cents, MW",
        "low_cents": "cost of a MWh up to the knee, cents",
        "high_cents": "cost of a MWh above the knee, cents",
        "run_cents": "cost of each hour in which it runs, cents",
        "start_cents": "cost of a start, cents",
        "ramp": "greatest change of output from an hour to the next, MW; 0 for no limit",
        "kg": "emissions of a MWh, kg",
        "gas": "yes when it burns gas from the shared pipe",
    },
    "data/operation.json": {
        "plant": "name of the plant",
        "up": "least hours that it runs after a start",
        "down": "least hours that it stands after a stop",
        "before": "hours that it has run (positive) or stood (negative) before hour 1",
        "avoid": "two outputs, MW; it must not run strictly between them; empty for none",
    },
    "data/forecast.csv": {"hour": "hour, from 1", "demand": "demand, MW", "wind": "wind power on offer, MW"},
    "data/system.yaml": {
        "reserve": "spinning reserve of each hour, MW, 0 for none",
        "emission_kg": "emission budget of the whole plan, kg, 0 for none",
        "gas_mw": "greatest output of all plants on gas together, MW, 0 for no limit",
        "shed_cents": "cost of a MWh of demand that is not met, cents",
        "dump_cents": "cost of a MWh that plants make beyond demand, cents",
        "first_open": "first hour that may still be changed",
        "change_cents": "charge for each plant and hour that is switched against the accepted plan, cents",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    hours = len({forecast.hour for forecast in instance.forecasts})
    return (
        f"An island utility commits {len(instance.plants)} plants for {hours} hours, at whole MW. Wind may be used as far as "
        f"it is "
        "needed, or left. Demand that plants and wind do not meet is shed; what plants make beyond demand is dumped. A plant "
        "starts "
        "in an hour in which it runs and did not run in the hour before; `before` tells of the hours before hour 1."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost in cents small: for each hour in which a plant runs `run_cents`, `low_cents` for each MWh up to its "
        "knee and "
        "`high_cents` for each above; `start_cents` for each start; `shed_cents` for each MWh shed and `dump_cents` for each "
        "MWh dumped."
    )
    if instance.epoch:
        text += (
            " Each plant and hour that runs in one of the accepted and the new plan and stands in the other costs `change_cents`."
        )
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "form": "An output names a plant and an hour of the plan, each pair at most once.",
        "range": "A plant that runs makes at least its least and at most its greatest output.",
        "up": "After a start a plant runs for at least `up` hours, counting hours before hour 1; the end of the plan ends it.",
        "down": "After a stop a plant stands for at least `down` hours, also when the stop was before hour 1.",
    }
    if any(plant.ramp for plant in instance.plants):
        found["ramp"] = "Between two hours of the plan in both of which a plant runs its output changes by no more than `ramp`."
    if any(plant.avoid_to for plant in instance.plants):
        found["avoid"] = "A plant with an `avoid` range does not run at an output strictly between its two ends."
    if instance.reserve:
        found["reserve"] = "In every hour the plants that run could make at least `reserve` MW more than they do."
    if instance.emission_kg:
        found["emissions"] = "The emissions of the whole plan stay within `emission_kg`."
    if instance.gas_mw:
        found["gas"] = "In every hour the plants on gas make no more than `gas_mw` together."
    if instance.epoch:
        found["freeze"] = "Outputs of hours before `first_open` stay as they are in the accepted plan."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    names = ("least", "most", "knee", "low_cents", "high_cents", "run_cents", "start_cents", "ramp", "kg")
    plants = [
        {"plant": p.name, **{name: getattr(p, name) for name in names}, "gas": "yes" if p.on_gas else "no"}
        for p in instance.plants
    ]
    operation = [
        {
            "plant": p.name,
            "up": p.up,
            "down": p.down,
            "before": p.before,
            "avoid": [p.avoid_from, p.avoid_to] if p.avoid_to else [],
        }
        for p in instance.plants
    ]
    newest = {forecast.hour: forecast for forecast in instance.forecasts if forecast.known <= instance.epoch}
    forecast = [{"hour": hour, "demand": f.demand, "wind": f.wind} for hour, f in sorted(newest.items())]
    system: dict[str, object] = {
        "reserve": instance.reserve,
        "emission_kg": instance.emission_kg,
        "gas_mw": instance.gas_mw,
        "shed_cents": instance.shed_cents,
        "dump_cents": instance.dump_cents,
    }
    if instance.epoch:
        system |= {"first_open": instance.first_open, "change_cents": instance.change_cents}
    return {
        "data/plants.csv": wrinkles.csv(plants, key="plant", vary=["low_cents", "start_cents", "kg"]),
        "data/operation.json": wrinkles.json(operation),
        "data/system.yaml": wrinkles.yaml(system, {"reserve": "MW"}),
        "data/forecast.csv": wrinkles.csv(forecast, key="hour", vary=["demand"]),
    }
