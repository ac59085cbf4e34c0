"""What an agent reads of the collection tours."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.vehicle_routing.instance import APART, DEPOT, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/orders.csv": {
        "order": "name of the order",
        "site": "where the goods are, see legs.csv",
        "kg": "weight, with its unit",
        "service": "minutes of loading",
        "opens": "earliest start of loading, minutes after 06:00",
        "closes": "latest start of loading, minutes after 06:00",
        "goods": "kind of goods",
        "cage": "yes when the goods stand in a cage",
        "carrier_cents": "price of the carrier for this order, cents",
    },
    "data/legs.csv": {
        "from": f"site, or {DEPOT}",
        "to": f"site, or {DEPOT}",
        "metres": "length of the way, with its unit",
        "minutes": "driving time",
    },
    "data/fleet.json": {
        "vehicle": "name of the vehicle",
        "kg": "greatest load",
        "begins, ends": "shift, minutes after 06:00",
        "tour_cents": "cost of a tour, whatever its length, cents",
        "km_cents": "cost of a kilometre, cents",
        "lift": "whether it has a tail lift",
    },
    "data/depot.yaml": {
        "ramp_gap": "least minutes between two departures, 0 for none",
        "regular_minutes": "duration of a tour up to which no overtime is paid, 0 where none is ever paid",
        "overtime_cents": "cost of each minute of a tour beyond that, cents",
        "kept_apart": "goods that may not be in one tour",
        "cages_need_lift": "whether cages need a vehicle with a lift",
        "frozen_until": "minute before which nothing may be changed",
        "move_cents": "charge for an order that leaves the vehicle, or the carrier, of the accepted plan, cents",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A recycler collects used goods with {len(instance.vehicles)} vehicles. Minute 0 is 06:00. A vehicle makes one tour "
        f"at most: it "
        f"leaves the depot (`{DEPOT}` in the tables) empty, loads at its stops one after the other, and returns; it may wait "
        "anywhere. A tour lasts from leaving the depot to the return. Two orders at one site are two stops, with no way between "
        "them. Orders that no tour takes are handed to a carrier."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost in cents small: for every tour the vehicle's `tour_cents`, and `km_cents` for each kilometre of it, "
        "with the "
        "way out and back; for every order handed to the carrier its `carrier_cents`."
    )
    if instance.regular:
        text += " Each minute by which a tour lasts longer than `regular_minutes` costs `overtime_cents`."
    if instance.epoch:
        text += (
            " For every order of the accepted plan that is not on the same vehicle as there, or no longer with the carrier, "
            "`move_cents` is added."
        )
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": (
            "Every order is in exactly one tour, or handed to the carrier; no vehicle makes two tours, and no tour is without "
            "stops."
        ),
        "sequence": "A stop begins no earlier than the stop before it has been loaded and the way has been driven.",
        "windows": "Loading begins within the window of the order; it may end after it.",
        "shift": "A vehicle leaves no earlier than its shift begins, and is back when its shift ends.",
        "capacity": "The goods of a tour weigh no more together than the vehicle carries.",
    }
    if instance.needs_lift:
        found["lift"] = "Goods in a cage travel on a vehicle with a tail lift, or with the carrier."
    if instance.keeps_apart:
        found["apart"] = f"{APART[0].capitalize()} and {APART[1]} are never in the same tour."
    if instance.ramp_gap:
        found["ramp"] = "All tours leave over one ramp: between any two departures lie at least `ramp_gap` minutes."
    if instance.epoch:
        found["freeze"] = (
            "A stop that begins before `frozen_until` in the accepted plan keeps its vehicle and its start, and a tour that "
            "leaves "
            "before then keeps its departure and its first stop. Every other stop and departure is at `frozen_until` or later."
        )
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    orders = [
        {
            "order": order.name,
            "site": order.site,
            "kg": order.kg,
            "service": order.service,
            "opens": order.opens,
            "closes": order.closes,
            "goods": order.goods,
            "cage": "yes" if order.has_cage else "no",
            "carrier_cents": order.carrier_cents,
        }
        for order in instance.orders
    ]
    legs = [{"from": leg.origin, "to": leg.to, "metres": leg.metres, "minutes": leg.minutes} for leg in instance.legs]
    fleet = [
        {
            "vehicle": v.name,
            "kg": v.kg,
            "begins": v.begins,
            "ends": v.ends,
            "tour_cents": v.tour_cents,
            "km_cents": v.km_cents,
            "lift": v.has_lift,
        }
        for v in instance.vehicles
    ]
    depot: dict[str, object] = {
        "ramp_gap": instance.ramp_gap,
        "regular_minutes": instance.regular,
        "overtime_cents": instance.overtime_cents,
        "kept_apart": list(APART) if instance.keeps_apart else [],
        "cages_need_lift": instance.needs_lift,
    }
    if instance.epoch:
        depot |= {"frozen_until": instance.frozen_until, "move_cents": instance.move_cents}
    return {
        "data/legs.csv": wrinkles.csv(legs, key=["from", "to"], units={"metres": "m/km"}),
        "data/fleet.json": wrinkles.json(fleet),
        "data/depot.yaml": wrinkles.yaml(depot, {"ramp_gap": "minutes", "overtime_cents": "cents per minute"}),
        "data/orders.csv": wrinkles.csv(orders, key="order", vary=["kg", "carrier_cents"], units={"kg": "kg/t"}),
    }
