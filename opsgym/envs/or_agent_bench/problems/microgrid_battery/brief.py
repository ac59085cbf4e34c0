"""What an agent reads of the microgrid."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.microgrid_battery.instance import KEPT, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/hours.csv": {
        "hour": "hour, from 1",
        "load": "energy that the site needs, with its unit",
        "ahead_cents": "price of a kWh bought a day ahead, cents",
        "short_cents": "price of a kWh bought at short notice, cents",
    },
    "data/sun.csv": {"scenario": "scenario, from 1", "hour": "hour", "kwh": "solar energy, kWh"},
    "data/plant.json": {
        "battery": "`capacity`, `filled` at the start, `power` (most kWh charged or discharged in an hour), `reserve`",
        "generator": "`most`, `least` (kWh an hour), `standby_cents`, `start_cents`, `fuel_cents`, `fuel_kwh` (0: no limit)",
    },
    "data/site.yaml": {
        "scenario_tenths": "probability of scenarios 1, 2, ... in tenths",
        "connection": "most kWh bought in an hour",
        "one_way": "whether the battery charges or discharges, not both, in an hour",
        "peak_cents": "fee for each kWh of the greatest hourly purchase a day ahead, cents, 0 for none",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A site with sun, a battery and a generator plans {len(instance.hours)} hours. A day ahead it decides, for all "
        f"scenarios alike, "
        f"what it buys in each hour and whether the generator stands by. Then one of {len(instance.weights)} scenarios of sun "
        f"comes "
        "true, with its probability, and in each hour the site charges, discharges, runs the generator and buys more at short "
        f"notice. Of each kWh charged the battery keeps {KEPT} tenths; discharging loses nothing. Energy that nobody needs is "
        f"given "
        "away."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the expected cost in cents small: purchases a day ahead at `ahead_cents`; `standby_cents` for each hour of "
        "standing by; "
        "and, weighted with the probabilities, purchases at short notice at `short_cents` and the generator's energy at "
        "`fuel_cents`."
    )
    if instance.start_cents:
        text += " Each hour of standing by after an hour without (or in hour 1) costs `start_cents`."
    if instance.peak_cents:
        text += " The greatest purchase a day ahead of all hours costs `peak_cents` for each of its kWh."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "form": "Every hour stands once in `ahead`, every scenario and hour once in `then`, and no energy is negative.",
        "balance": (
            "In each scenario and hour purchases, sun, generator and discharge together are at least the load and the charge "
            "together."
        ),
        "connection": "In each scenario and hour the two purchases together are no more than `connection`.",
        "power": "In an hour no more than `power` is charged, and no more discharged.",
        "energy": "At the end of each hour the battery holds at least its `reserve` and at most its `capacity`.",
        "refill": "At the end of the last hour of each scenario the battery holds at least what it held at the start.",
        "generator": "The generator makes nothing in an hour without standby, and otherwise between `least` and `most`.",
    }
    if instance.keeps_apart:
        found["one_way"] = "In no scenario and hour does the battery both charge and discharge."
    if instance.fuel_kwh:
        found["fuel"] = "In each scenario the generator makes no more than `fuel_kwh` over all hours."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    hours = [{"hour": h.hour, "load": h.load, "ahead_cents": h.ahead_cents, "short_cents": h.short_cents} for h in instance.hours]
    sun = [{"scenario": s, "hour": h.hour, "kwh": kwh} for h in instance.hours for s, kwh in enumerate(h.sun, start=1)]
    battery = {
        "capacity": instance.capacity,
        "filled": instance.filled,
        "power": instance.power,
        "reserve": instance.reserve,
    }
    generator = {
        "most": instance.generator,
        "least": instance.least,
        "standby_cents": instance.standby_cents,
        "start_cents": instance.start_cents,
        "fuel_cents": instance.fuel_cents,
        "fuel_kwh": instance.fuel_kwh,
    }
    site = {
        "scenario_tenths": list(instance.weights),
        "connection": instance.connection,
        "one_way": instance.keeps_apart,
        "peak_cents": instance.peak_cents,
    }
    return {
        "data/plant.json": wrinkles.json({"battery": battery, "generator": generator}),
        "data/site.yaml": wrinkles.yaml(site, {"connection": "kWh an hour"}),
        "data/sun.csv": wrinkles.csv(sun, key=["scenario", "hour"], vary=["kwh"]),
        "data/hours.csv": wrinkles.csv(hours, key="hour", vary=["load"], units={"load": "kWh/MWh"}),
    }
