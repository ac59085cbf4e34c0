"""What an agent reads of the night linehaul."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.linehaul_design.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/freights.csv": {
        "freight": "name of the freight",
        "from": "terminal where it is",
        "to": "terminal where it goes",
        "pallets": "its size",
        "ready": "first night on which it can ride",
        "due": "last night on which it may arrive",
        "dangerous": "yes for dangerous goods",
        "courier_cents": "price of the courier for all of it, cents",
    },
    "data/legs.csv": {
        "from": "terminal",
        "to": "terminal",
        "truck_cents": "cost of a truck on this leg in a night, cents",
    },
    "data/terminals.json": {
        "terminal": "name of the terminal",
        "docks": "trucks that can leave in a night",
        "handling": "pallets that it can handle in a night",
        "dangerous": "whether dangerous goods may pass",
    },
    "data/network.yaml": {
        "nights": "length of the plan, nights",
        "truck_pallets": "pallets that a truck carries",
        "handling_cents": "cost of a pallet handled, cents",
        "handling_binds": "whether `handling` binds",
        "docks_bind": "whether `docks` bind",
        "trucks_balance": "whether trucks must balance",
        "dangerous_binds": "whether dangerous goods avoid terminals",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A parcel network of {len(instance.terminals)} terminals plans {instance.nights} nights. A truck drives one leg in a "
        f"night. A "
        "freight is never split: it rides as a whole, at most one leg in a night, may rest at terminals, and arrives in the "
        "night of "
        "its last leg. A pallet that arrives at a terminal which is not the end of its freight's way is handled there."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    return (
        "Make the cost in cents small: `truck_cents` for every truck and night, `handling_cents` for each pallet handled, and "
        "`courier_cents` for every freight that goes by courier."
    )


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "form": "Trucks drive on a leg of the network in a night of the plan, one or more; each leg and night is listed once.",
        "coverage": "Every freight either has moves or goes by courier, and is listed for the courier once.",
        "path": (
            "The moves of a freight, by night, lead from where it is to where it goes over legs of the network, in different "
            "nights, "
            "the first no earlier than `ready` and the last no later than `due`."
        ),
        "capacity": "On each leg and night the freights have no more pallets than the trucks on it carry.",
    }
    if instance.limits_handling:
        found["handling"] = "In each night a terminal handles no more pallets than its `handling`."
    if instance.limits_docks:
        found["docks"] = "In each night no more trucks leave a terminal than it has docks."
    if instance.balances:
        found["balance"] = "Over the whole plan as many trucks leave each terminal as arrive there."
    if instance.avoids:
        found["dangerous"] = (
            "Dangerous freight never arrives at a terminal that lets no dangerous goods pass, unless its way ends there."
        )
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    freights = [
        {
            "freight": f.name,
            "from": f.origin,
            "to": f.to,
            "pallets": f.pallets,
            "ready": f.ready,
            "due": f.due,
            "dangerous": "yes" if f.is_dangerous else "no",
            "courier_cents": f.courier_cents,
        }
        for f in instance.freights
    ]
    legs = [{"from": leg.origin, "to": leg.to, "truck_cents": leg.truck_cents} for leg in instance.legs]
    terminals = [
        {"terminal": t.name, "docks": t.docks, "handling": t.handling, "dangerous": t.takes_dangerous} for t in instance.terminals
    ]
    network = {
        "nights": instance.nights,
        "truck_pallets": instance.truck_pallets,
        "handling_cents": instance.handling_cents,
        "handling_binds": instance.limits_handling,
        "docks_bind": instance.limits_docks,
        "trucks_balance": instance.balances,
        "dangerous_binds": instance.avoids,
    }
    return {
        "data/legs.csv": wrinkles.csv(legs, key=["from", "to"], vary=["truck_cents"]),
        "data/terminals.json": wrinkles.json(terminals),
        "data/network.yaml": wrinkles.yaml(network),
        "data/freights.csv": wrinkles.csv(freights, key="freight", vary=["pallets", "courier_cents"]),
    }
