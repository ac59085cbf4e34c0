"""What an agent reads of the store depots."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.warehouse_location.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/depots.csv": {
        "depot": "name of the depot",
        "region": "where it lies",
        "capacity": "goods that it handles in a week, with their unit",
        "week_cents": "what it costs in a week when it is open, cents",
        "cold": "yes when it handles chilled goods",
        "excludes": "name of a site that may not be open with it; empty for none",
        "closing_cents": "what it costs to close it, cents; 0 where it is not in use today",
    },
    "data/stores.csv": {
        "store": "name of the store",
        "goods": "goods a week, with their unit",
        "chilled": "yes when they are chilled",
        "priority": "yes when the store needs a backup",
        "tied": "depot that must serve it; empty for none",
    },
    "data/roads.csv": {"depot": "a depot", "store": "a store", "km": "length of the road between them, km"},
    "data/fleet.yaml": {
        "van_kg": "what a van carries, kg",
        "km_cents": "cost of each kilometre of the road, for each trip, cents",
        "most_km": "longest road from a store to its depot, km",
        "backup_km": "longest road from a store to its backup, km",
        "most_open": "greatest number of open depots, 0 where there is no limit",
        "every_region": "whether every region keeps an open depot",
        "most_closed": "greatest number of depots in use that close, -1 where there is no limit",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A chain chooses which of {len(instance.depots)} depots to run, and which of them serves each of its "
        f"{len(instance.stores)} stores. A store is served with as many van trips a week as its goods need: its goods divided by "
        "`van_kg`, rounded up."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost of a week in cents small: `week_cents` of every open depot; and for every store its trips, times the "
        "kilometres to its depot, times `km_cents`."
    )
    if any(depot.closing_cents for depot in instance.depots):
        text += " For a depot that is in use today and not open in the plan its `closing_cents` is added."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": (
            "Every store is served exactly once, by a depot of the list; only stores with `priority` yes name a `backup`, which "
            "is another depot of the list."
        ),
        "open": "Depots are opened once each, are in the list, and whoever serves a store, or is its backup, is open.",
        "capacity": "The goods of the stores that a depot serves add up to no more than its `capacity`.",
        "reach": "A store lies no farther than `most_km` from its depot, and no farther than `backup_km` from its backup.",
    }
    if any(store.is_chilled for store in instance.stores):
        found["cold"] = "A store with chilled goods is served by a cold depot."
    if any(depot.excludes for depot in instance.depots):
        found["exclusion"] = "A depot is not open together with the site that its `excludes` names."
    if instance.most_open:
        found["count"] = "At most `most_open` depots are open."
    if instance.every_region:
        found["regions"] = "In every region that has a depot in the list at least one is open."
    if instance.most_closed >= 0:
        found["closings"] = "Of the depots in use today (`closing_cents` above 0) at most `most_closed` are not open."
    if any(store.tied for store in instance.stores):
        found["ties"] = "A store with an entry in `tied` is served by the depot named there."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    depots = [
        {
            "depot": depot.name,
            "region": depot.region,
            "capacity": depot.capacity,
            "week_cents": depot.week_cents,
            "cold": "yes" if depot.is_cold else "no",
            "excludes": depot.excludes,
            "closing_cents": depot.closing_cents,
        }
        for depot in instance.depots
    ]
    stores = [
        {
            "store": store.name,
            "goods": store.goods,
            "chilled": "yes" if store.is_chilled else "no",
            "priority": "yes" if store.has_priority else "no",
            "tied": store.tied,
        }
        for store in instance.stores
    ]
    roads = [{"depot": pair.split(">")[0], "store": pair.split(">")[1], "km": km} for pair, km in instance.roads.items()]
    fleet = {
        "van_kg": instance.van_kg,
        "km_cents": instance.km_cents,
        "most_km": instance.most_km,
        "backup_km": instance.backup_km,
        "most_open": instance.most_open,
        "every_region": instance.every_region,
        "most_closed": instance.most_closed,
    }
    return {
        "data/depots.csv": wrinkles.csv(depots, key="depot", vary=["week_cents"], units={"capacity": "kg/t"}),
        "data/stores.csv": wrinkles.csv(stores, key="store", vary=["goods"], units={"goods": "kg/t"}),
        "data/roads.csv": wrinkles.csv(roads),
        "data/fleet.yaml": wrinkles.yaml(fleet, {"km_cents": "cents a kilometre and trip"}),
    }
