"""What an agent reads of the filling line."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.lot_sizing.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/items.csv": {
        "item": "name of the item",
        "setup": "length of a setup, with its unit",
        "setup_cents": "cost of a setup, cents",
        "unit_seconds": "seconds to fill a unit",
        "holding_cents": "cost of a unit in stock at the end of a day, cents",
        "late_cents": "cost of a unit that is overdue at the end of a day, cents",
        "volume": "room that a unit takes in the store, litres",
        "least": "least units of a lot",
        "batch": "a lot is a whole multiple of this many units",
        "stock": "units in stock before day 1",
    },
    "data/orders.csv": {
        "order": "name of the order",
        "item": "item to deliver",
        "day": "day at whose end it is due",
        "units": "units to deliver",
    },
    "data/calendar.json": {"day": "day, from 1", "minutes": "regular minutes of the line"},
    "data/plant.yaml": {
        "overtime": "most minutes of overtime a day",
        "overtime_cents": "cost of a minute of overtime, cents",
        "store_litres": "size of the store, 0 where there is room enough",
        "most_items": "most items filled in a day, 0 where there is no limit",
        "shelf_days": "days whose orders the stock may cover, 0 where there is no such rule",
        "first_open": "first day that may still be changed",
        "change_cents": "charge for each lot, by item and day, that is put in or taken out against the accepted plan, cents",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A plant fills {len(instance.items)} items on one line and plans {len(instance.minutes)} days. Each lot needs one "
        f"setup on its "
        "day, also when the same item was filled the day before. What is filled on a day can be delivered at its end. Orders "
        "that "
        "stock does not cover are late and are delivered as soon as there are units; for each item the oldest order goes first."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost in cents small: `setup_cents` for every lot; at the end of each day `holding_cents` for each unit in "
        "stock and "
        "`late_cents` for each unit that is overdue; `overtime_cents` for each minute, rounded up to whole minutes a day, that "
        "the "
        "line runs beyond its regular minutes."
    )
    if instance.epoch:
        text += " Each lot, by item and day, that is put in or taken out against the accepted plan costs `change_cents`."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "lots": "A lot is of an item and a day of the plan and has at least one unit; an item has at most one lot a day.",
        "capacity": "Setups and filling of a day take no more than the regular minutes and the most overtime together.",
    }
    if any(item.least > 1 for item in instance.items):
        found["least"] = "A lot has at least the item's `least` units."
    if any(item.batch > 1 for item in instance.items):
        found["batch"] = "The units of a lot are a whole multiple of the item's `batch`."
    if instance.store_litres:
        found["store"] = "At the end of every day the stock of all items fits into the store of `store_litres`."
    if instance.most_items:
        found["changeovers"] = "No more than `most_items` different items are filled in a day."
    if instance.shelf_days:
        found["shelf"] = (
            "At the end of every day the stock of an item is no more than its orders of the next `shelf_days` days together; "
            "days "
            "after the plan count as without orders."
        )
    if instance.epoch:
        found["freeze"] = "Lots on days before `first_open` stay as they are in the accepted plan, with their units."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    items = [
        {
            "item": item.name,
            "setup": item.setup_minutes,
            "setup_cents": item.setup_cents,
            "unit_seconds": item.unit_seconds,
            "holding_cents": item.holding_cents,
            "late_cents": item.late_cents,
            "volume": item.litres,
            "least": item.least,
            "batch": item.batch,
            "stock": item.stock,
        }
        for item in instance.items
    ]
    orders = [{"order": o.name, "item": o.item, "day": o.day, "units": o.units} for o in instance.orders]
    plant: dict[str, object] = {
        "overtime": instance.overtime,
        "overtime_cents": instance.overtime_cents,
        "store_litres": instance.store_litres,
        "most_items": instance.most_items,
        "shelf_days": instance.shelf_days,
    }
    if instance.epoch:
        plant |= {"first_open": instance.first_open, "change_cents": instance.change_cents}
    calendar = [{"day": day, "minutes": minutes} for day, minutes in enumerate(instance.minutes, start=1)]
    return {
        "data/items.csv": wrinkles.csv(
            items, key="item", vary=["unit_seconds", "stock"], units={"setup": "min/h", "volume": "l/m3"}
        ),
        "data/calendar.json": wrinkles.json(calendar),
        "data/plant.yaml": wrinkles.yaml(plant, {"overtime": "minutes a day"}),
        "data/orders.csv": wrinkles.csv(orders, key="order", vary=["units"]),
    }
