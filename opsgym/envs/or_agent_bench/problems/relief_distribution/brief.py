"""What an agent reads of the relief distribution."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.relief_distribution.instance import COLD, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/goods.csv": {
        "good": "kind of goods",
        "kg": "kilograms a unit",
        "pallet": "units on a pallet",
        "points": "points for each unit waited for at the end of a day",
    },
    "data/needs.csv": {
        "need": "number of the request",
        "camp": "camp",
        "good": "kind of goods",
        "day": "day from which it is needed",
        "units": "units needed",
    },
    "data/arrivals.csv": {
        "depot": "depot",
        "good": "kind of goods",
        "day": "day from which they can be sent",
        "units": "units that arrive",
    },
    "data/places.json": {
        "depots": "each with `trips`, what its trucks can do in a day, and `cold_kg`, cold room on them in a day",
        "camps": "each with `store_kg`, what it can store, and `queue`, units of a kind of goods from which a queue is long",
    },
    "data/roads.csv": {"depot": "depot", "camp": "camp", "points": "points for a trip"},
    "data/blocks.json": {"depot": "depot", "camp": "camp", "days": "days on which the road is blocked"},
    "data/relief.yaml": {
        "days": "length of the plan, days",
        "truck_kg": "kilograms that a trip carries",
        "store_binds": "whether `store_kg` binds",
        "cold_binds": "whether cold room binds",
        "whole_pallets": "whether goods travel in whole pallets",
        "long_queues": "whether long queues weigh double",
        "least_kg": "least kilograms on a road that is used on a day, 0 for none",
        "first_open": "first day that may still be changed",
        "change_points": "points for each day, road and kind of goods whose units differ from the accepted plan",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A relief agency supplies {len(instance.camps)} camps from {len(instance.depots)} depots for {instance.days} days. "
        f"What is sent on a "
        "day is there on that day. Needs that are not met wait until goods come; goods beyond what is needed so far stay in the "
        "camp's store and meet later needs of that camp. The trips on a road on a day are the kilograms sent on it divided by "
        "`truck_kg`, rounded up."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the points small: the road's points for every trip; and at the end of each day, for every camp and kind of "
        "goods, the "
        "goods' points for each unit that is still waited for."
    )
    if instance.has_queues:
        text += " Of the units waited for, those beyond the camp's `queue` count double."
    if instance.epoch:
        text += " Each day, road and kind of goods whose units differ from the accepted plan costs `change_points`."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "form": "A shipment names a day, depot, camp and kind of goods of the plan, each combination once, and one unit or more.",
        "stock": "Up to each day no more units of a kind of goods leave a depot than have arrived there.",
        "fleet": "On each day the trips from a depot, on all its roads together, are no more than its `trips`.",
    }
    if instance.blocks:
        found["road"] = "Nothing is sent on a road on a day on which it is blocked."
    if instance.limits_store:
        found["store"] = "At the end of every day the goods in a camp's store weigh no more than its `store_kg`."
    if instance.needs_cold:
        found["cold"] = f"On each day the {COLD} that leaves a depot weighs no more than its `cold_kg`."
    if instance.in_pallets:
        found["pallet"] = "The units of a shipment are a whole multiple of the goods' `pallet`."
    if instance.least_kg:
        found["least"] = "A road that is used on a day carries at least `least_kg` kilograms on it."
    if instance.epoch:
        found["freeze"] = "Shipments on days before `first_open` stay as they are in the accepted plan."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    goods = [{"good": g.name, "kg": g.kg, "pallet": g.pallet, "points": g.points} for g in instance.goods]
    needs = [
        {"need": f"N{number:03d}", "camp": n.camp, "good": n.good, "day": n.day, "units": n.units}
        for number, n in enumerate(instance.needs, start=1)
    ]
    arrivals = [{"depot": a.depot, "good": a.good, "day": a.day, "units": a.units} for a in instance.arrivals]
    roads = [{"depot": r.depot, "camp": r.camp, "points": r.points} for r in instance.roads]
    places = {
        "depots": [{"depot": d.name, "trips": d.trips, "cold_kg": d.cold_kg} for d in instance.depots],
        "camps": [{"camp": c.name, "store_kg": c.store_kg, "queue": c.queue} for c in instance.camps],
    }
    blocks = [
        {"depot": r.depot, "camp": r.camp, "days": [b.day for b in instance.blocks if (b.depot, b.camp) == (r.depot, r.camp)]}
        for r in instance.roads
    ]
    relief: dict[str, object] = {
        "days": instance.days,
        "truck_kg": instance.truck_kg,
        "store_binds": instance.limits_store,
        "cold_binds": instance.needs_cold,
        "whole_pallets": instance.in_pallets,
        "long_queues": instance.has_queues,
        "least_kg": instance.least_kg,
    }
    if instance.epoch:
        relief |= {"first_open": instance.first_open, "change_points": instance.change_points}
    return {
        "data/goods.csv": wrinkles.csv(goods, key="good", vary=["kg"]),
        "data/arrivals.csv": wrinkles.csv(arrivals, key=["depot", "good", "day"], vary=["units"]),
        "data/places.json": wrinkles.json(places),
        "data/roads.csv": wrinkles.csv(roads),
        "data/blocks.json": wrinkles.json([entry for entry in blocks if entry["days"]]),
        "data/relief.yaml": wrinkles.yaml(relief),
        "data/needs.csv": wrinkles.csv(needs, key="need", vary=["units"]),
    }
