"""What an agent reads of the plant outages."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.outage_planning.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/plants.csv": {
        "plant": "name of the plant",
        "region": "where it lies",
        "power": "what it delivers when it runs, MW",
        "weeks": "length of its outage in weeks",
        "earliest": "first week in which its outage may start",
        "latest": "last week in which its outage may start",
        "crews": "crews that the outage takes in each of its weeks",
        "crane": "yes when the outage needs the crane",
    },
    "data/order.json": {
        "after": "plant -> plant whose outage must have ended before its own starts",
        "rivals": "pairs of plants that are never out at the same time",
    },
    "data/weeks.csv": {"week": "week, from 1", "demand": "demand, MW", "mw_cents": "cost of each MW that is out, cents"},
    "data/announced.csv": {
        "plant": "name of the plant",
        "week": "week in which its outage was announced to start, 0 for none",
        "fixed": "yes when it starts as announced",
    },
    "data/company.yaml": {
        "reserve": "what must run beyond demand, MW",
        "crews": "crews there are, 0 where they do not matter",
        "most_out": "greatest number of plants of a region that are out at once, 0 where there is no limit",
        "move_cents": "cost of each week by which a start differs from the announced one, cents",
        "most_moved": "greatest number of announced plants that start otherwise, -1 for any",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A generating company gives each of its {len(instance.plants)} plants one outage in weeks 1 to {len(instance.weeks)}. "
        "A plant is out from the week in which its outage starts, for as many weeks as the outage is long, and delivers nothing "
        "in them; in all other weeks it runs."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = "Make the cost in cents small: for every week the MW of the plants that are out, times `mw_cents` of the week."
    if instance.move_cents:
        text += " For a plant with an announced start every week by which it starts earlier or later costs `move_cents`."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": "Every plant has exactly one outage; there are no others.",
        "window": "An outage starts in a week from `earliest` to `latest`.",
        "reserve": "In every week the plants that run deliver at least the demand and `reserve` together.",
    }
    if instance.crews:
        found["crews"] = "In every week the outages take together no more than `crews` of the company."
    if instance.most_out:
        found["regions"] = "In every week at most `most_out` plants of a region are out."
    if any(plant.after for plant in instance.plants):
        found["order"] = "The outage of a plant in `after` starts only when the outage of the plant named there has ended."
    if any(plant.rival for plant in instance.plants):
        found["rivals"] = "Two plants of a pair in `rivals` are never out in the same week."
    if any(plant.uses_crane for plant in instance.plants):
        found["crane"] = "There is one crane: of the plants that need it at most one is out in a week."
    if instance.most_moved >= 0:
        found["moved"] = "At most `most_moved` plants with an announced start begin in another week."
    if any(plant.is_fixed for plant in instance.plants):
        found["fixed"] = "A plant with `fixed` yes starts in the announced week."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    plants = [
        {
            "plant": plant.name,
            "region": plant.region,
            "power": plant.power,
            "weeks": plant.weeks,
            "earliest": plant.earliest,
            "latest": plant.latest,
            "crews": plant.crews,
            "crane": "yes" if plant.uses_crane else "no",
        }
        for plant in instance.plants
    ]
    weeks = [{"week": week.number, "demand": week.demand, "mw_cents": week.mw_cents} for week in instance.weeks]
    announced = [
        {"plant": plant.name, "week": plant.announced, "fixed": "yes" if plant.is_fixed else "no"} for plant in instance.plants
    ]
    order = {
        "after": {plant.name: plant.after for plant in instance.plants if plant.after},
        "rivals": [[plant.name, plant.rival] for plant in instance.plants if plant.rival],
    }
    company = {
        "reserve": instance.reserve,
        "crews": instance.crews,
        "most_out": instance.most_out,
        "move_cents": instance.move_cents,
        "most_moved": instance.most_moved,
    }
    return {
        "data/plants.csv": wrinkles.csv(plants, key="plant", vary=["power", "weeks"]),
        "data/weeks.csv": wrinkles.csv(weeks, key="week", vary=["demand", "mw_cents"]),
        "data/order.json": wrinkles.json(order),
        "data/announced.csv": wrinkles.csv(announced),
        "data/company.yaml": wrinkles.yaml(company, {"reserve": "MW"}),
    }
