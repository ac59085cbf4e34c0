"""What an agent reads of the bus blocks."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.bus_blocks.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/trips.csv": {
        "trip": "name of the trip",
        "line": "its line",
        "from": "place where it starts",
        "to": "place where it ends",
        "departs": "departure, minutes after midnight",
        "arrives": "arrival, minutes after midnight",
        "length": "how far it goes; unit in `length_unit`",
        "low_floor": "yes when it needs a bus with a low floor",
    },
    "data/deadheads.csv": {
        "from": "place",
        "to": "place",
        "minutes": "time of empty driving, minutes",
        "length": "how far it is; unit in `length_unit`",
    },
    "data/depots.json": {
        "depot": "name of the depot, which is a place",
        "buses": "buses that it has",
        "bus_cents": "cost of each block of the depot, cents",
        "range": "how far one of its buses drives in a day, m",
        "low_floor": "whether its buses have a low floor",
        "chargers": "blocks of the depot that may be long, where `charge` is not 0",
        "gate": "buses that may leave it in a clock hour",
    },
    "data/links.json": {
        "first": "trip",
        "second": "trip that follows it directly in the same block today",
        "fixed": "whether it must stay so",
    },
    "data/company.yaml": {
        "turn_minutes": "least time to turn between two trips, minutes",
        "deadhead_cents": "cost of a minute of empty driving, cents",
        "wait_cents": "cost of a minute of standing between two trips, cents",
        "range_binds": "whether `range` binds",
        "low_floor_binds": "whether `low_floor` binds",
        "charge": "a block that is longer than this is long, m; 0 where chargers do not matter",
        "gate_binds": "whether `gate` binds",
        "longest": "longest time of a block, minutes; 0 where there is no limit",
        "most_changes": "greatest number of line changes in a block, -1 for any",
        "break_cents": "cost of a broken link, cents",
        "most_broken": "greatest number of broken links, -1 for any",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    text = (
        f"A bus company puts the {len(instance.trips)} trips of a day into blocks. A block belongs to a depot and is driven by "
        "one of its buses: it leaves the depot, drives empty to the first trip and is there when that departs, drives the trips "
        "in the given order, drives empty from one trip to the next where that starts elsewhere, and drives empty back to the "
        "same depot from the last. It does not return between trips, and a bus drives one block. Empty driving from one place "
        "to another takes what `deadheads.csv` says; from a place to itself it takes 0 minutes and 0 m."
    )
    if instance.limits_range or instance.charge_metres:
        text += " The length of a block is that of all its trips and all its empty driving."
    if instance.longest or instance.limits_gate:
        text += (
            " A bus leaves its depot at the departure of its first trip less the minutes of empty driving to it, and is back at "
            "the arrival of the last plus the minutes back."
        )
    if instance.links:
        text += (
            " `links.json` holds pairs of trips that one bus drives directly one after the other today. A link is broken unless "
            "its second trip directly follows its first in the same block."
        )
    return text


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost in cents small: `bus_cents` of the depot for each block, `deadhead_cents` for each minute of empty "
        "driving, also from and to the depot, and `wait_cents` for each minute between an arrival and the next departure in the "
        "block that is not empty driving (the time to turn counts as well)."
    )
    if instance.links:
        text += " Each broken link costs `break_cents`."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "form": "Every block belongs to one of the depots and has at least one trip.",
        "coverage": "Every trip is in exactly one block, once; there are no others.",
        "chain": (
            "In a block a trip departs no earlier than the arrival of the trip before it, plus `turn_minutes`, plus the minutes "
            "of empty driving between them."
        ),
        "buses": "A depot has no more blocks than `buses`.",
    }
    if instance.limits_range:
        found["range"] = "No block is longer than the `range` of its depot."
    if instance.binds_low_floor:
        found["low_floor"] = "A trip with `low_floor` yes is only in blocks of depots whose buses have a low floor."
    if instance.longest:
        found["longest"] = "From leaving the depot until it is back a bus is under way for at most `longest` minutes."
    if instance.most_changes >= 0:
        found["lines"] = "At most `most_changes` times in a block a trip is of another line than the trip before it."
    if instance.charge_metres:
        found["chargers"] = "At most `chargers` blocks of a depot are longer than `charge`."
    if instance.limits_gate:
        found["gate"] = "In each clock hour (minutes 0 to 59 of it) at most `gate` buses leave a depot."
    if instance.most_broken >= 0:
        found["broken"] = "At most `most_broken` links are broken."
    if any(link.is_fixed for link in instance.links):
        found["fixed"] = "A link with `fixed` true is not broken."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    trips = [
        {
            "trip": trip.name,
            "line": trip.line,
            "from": trip.origin,
            "to": trip.to,
            "departs": trip.departs,
            "arrives": trip.arrives,
            "length": trip.metres,
            "low_floor": "yes" if trip.needs_low_floor else "no",
        }
        for trip in instance.trips
    ]
    deadheads = [{"from": row.origin, "to": row.to, "minutes": row.minutes, "length": row.metres} for row in instance.deadheads]
    depots = [
        {
            "depot": depot.name,
            "buses": depot.buses,
            "bus_cents": depot.bus_cents,
            "range": depot.metres,
            "low_floor": depot.has_low_floor,
            "chargers": depot.chargers,
            "gate": depot.gate,
        }
        for depot in instance.depots
    ]
    links = [{"first": link.first, "second": link.second, "fixed": link.is_fixed} for link in instance.links]
    company = {
        "turn_minutes": instance.turn_minutes,
        "deadhead_cents": instance.deadhead_cents,
        "wait_cents": instance.wait_cents,
        "range_binds": instance.limits_range,
        "low_floor_binds": instance.binds_low_floor,
        "charge": instance.charge_metres,
        "gate_binds": instance.limits_gate,
        "longest": instance.longest,
        "most_changes": instance.most_changes,
        "break_cents": instance.break_cents,
        "most_broken": instance.most_broken,
    }
    return {
        "data/trips.csv": wrinkles.csv(trips, key="trip", vary=["departs", "length"], units={"length": "m/km"}),
        "data/deadheads.csv": wrinkles.csv(deadheads, key=["from", "to"], vary=["minutes", "length"], units={"length": "m/km"}),
        "data/depots.json": wrinkles.json(depots),
        "data/links.json": wrinkles.json(links),
        "data/company.yaml": wrinkles.yaml(company, {"charge": "m"}),
    }
