"""What an agent reads of the beet harvest."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.harvest_planning.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/fields.csv": {"field": "name of the field", "district": "its district", "hours": "harvester hours to clear it"},
    "data/yields.csv": {"field": "name of the field", "day": "day of harvest, from 1", "tonnes": "tonnes that it gives then"},
    "data/mills.json": {
        "mill": "name of the mill",
        "quota": "tonnes that it takes a day",
        "cents": "what it pays for a tonne, cents",
        "least": "tonnes that it wants on a day on which it takes any",
    },
    "data/ways.csv": {
        "field": "name of the field",
        "mill": "name of the mill",
        "cents": "haulage of a tonne, cents",
        "truck_hours": "truck hours for the crop of the field",
    },
    "data/closures.json": {"field": "name of the field", "days": "days on which it cannot be entered"},
    "data/union.yaml": {
        "days": "length of the plan, days",
        "hours": "harvester hours a day",
        "truck_hours": "truck hours a day, 0 where there are enough",
        "most_districts": "most districts worked in a day, 0 for no limit",
        "least_binds": "whether the mills' least amounts bind",
        "apart": "pairs of fields that are not harvested on the same day",
        "first_open": "first day that may still be changed",
        "change_cents": "charge for a field whose day or mill differs from the accepted plan, cents",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A growers' union harvests {len(instance.fields)} fields within {instance.days} days and delivers to "
        f"{len(instance.mills)} mills. "
        "A field is cleared in one day, at most once, and its whole crop of that day goes to one mill on the same day. What a "
        "field "
        "gives depends on the day."
    )


def objective(instance: Instance) -> str:
    """What is to be made large."""
    text = "Make the profit in cents large: for every tonne delivered the mill's `cents`, less the haulage of its way."
    if instance.epoch:
        text += (
            " For every field of the accepted plan that is now on another day, at another mill, or left standing, "
            "`change_cents` is "
            "taken off."
        )
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "form": "A harvest names a field, a day of the plan and a mill; a field has at most one.",
        "hours": "The fields cleared on a day take no more harvester hours than there are.",
        "quota": "A mill gets no more tonnes on a day than its quota.",
    }
    if instance.closures:
        found["closure"] = "A field is not harvested on a day on which it cannot be entered."
    if instance.truck_hours:
        found["trucks"] = "The crops of a day take no more truck hours than there are."
    if instance.most_districts:
        found["districts"] = "Fields of at most `most_districts` districts are harvested on a day."
    if instance.apart:
        found["apart"] = "The two fields of a pair in `apart` are not harvested on the same day."
    if instance.binds_least:
        found["least"] = "A mill that gets anything on a day gets at least its `least` tonnes."
    if instance.epoch:
        found["freeze"] = "Harvests on days before `first_open` stay as they are in the accepted plan."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    fields = [{"field": f.name, "district": f.district, "hours": f.hours} for f in instance.fields]
    yields = [
        {"field": f.name, "day": day, "tonnes": tonnes} for f in instance.fields for day, tonnes in enumerate(f.tonnes, start=1)
    ]
    mills = [{"mill": m.name, "quota": m.quota, "cents": m.cents, "least": m.least} for m in instance.mills]
    ways = [{"field": w.field, "mill": w.mill, "cents": w.cents, "truck_hours": w.truck_hours} for w in instance.ways]
    closed = [{"field": f.name, "days": [c.day for c in instance.closures if c.field == f.name]} for f in instance.fields]
    union: dict[str, object] = {
        "days": instance.days,
        "hours": instance.hours,
        "truck_hours": instance.truck_hours,
        "most_districts": instance.most_districts,
        "least_binds": instance.binds_least,
        "apart": [list(pair) for pair in instance.apart],
    }
    if instance.epoch:
        union |= {"first_open": instance.first_open, "change_cents": instance.change_cents}
    return {
        "data/fields.csv": wrinkles.csv(fields, key="field", vary=["hours"]),
        "data/mills.json": wrinkles.json(mills),
        "data/ways.csv": wrinkles.csv(ways, key=["field", "mill"], vary=["cents"]),
        "data/closures.json": wrinkles.json([entry for entry in closed if entry["days"]]),
        "data/union.yaml": wrinkles.yaml(union),
        "data/yields.csv": wrinkles.csv(yields, key=["field", "day"], vary=["tonnes"]),
    }
