"""Reference program of the night linehaul: a path for each freight in the time-expanded network, in CP-SAT.

Source: T. G. Crainic, Service network design in freight transportation, European Journal of Operational Research 122 (2000).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, table

OMITTABLE = ("capacity", "handling", "docks", "balance", "dangerous")
SECONDS = 0.5
"""Deterministic time limit."""

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    freights = {
        row["freight"]: {
            "from": row["from"],
            "to": row["to"],
            "dangerous": row["dangerous"] == "yes",
            **{name: int(row[name]) for name in ("pallets", "ready", "due", "courier_cents")},
        }
        for row in table(files["data/freights.csv"], ["freight"])
    }
    return {
        "freights": freights,
        "legs": {(row["from"], row["to"]): int(row["truck_cents"]) for row in table(files["data/legs.csv"], ["from", "to"])},
        "terminals": {terminal["terminal"]: terminal for terminal in json.loads(files["data/terminals.json"])},
        "network": settings(files["data/network.yaml"]),
    }


class _Network:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = model = cp_model.CpModel()
        self.nights = range(1, data["network"]["nights"] + 1)
        rides = [(night, a, b) for night in self.nights for a, b in data["legs"]]
        self.trucks = {ride: model.new_int_var(0, 40, f"trucks {ride}") for ride in rides}
        self.courier = {name: model.new_bool_var(f"courier {name}") for name in data["freights"]}
        self.rides = {(name, *ride): model.new_bool_var("") for name in data["freights"] for ride in rides}
        self.cost: list[Any] = [count * data["legs"][a, b] for (_, a, b), count in self.trucks.items()]
        for name, freight in data["freights"].items():
            self._freight(name, freight)
        self._trucks()
        self._terminals()
        model.minimize(sum(self.cost))

    def _freight(self, name: str, freight: dict[str, Any]) -> None:
        """A unit of flow through the nights; resting at a terminal is an arc too."""
        model, terminals = self.model, self.data["terminals"]
        self.cost.append(self.courier[name] * freight["courier_cents"])
        at: dict[tuple[str, int], Any] = {(place, 0): 0 for place in terminals}
        at[freight["from"], 0] = 1 - self.courier[name]
        for night in self.nights:
            for place in terminals:
                out = [self.rides[name, night, a, b] for a, b in self.data["legs"] if a == place]
                into = [self.rides[name, night, a, b] for a, b in self.data["legs"] if b == place]
                here = at[place, night - 1]
                at[place, night] = model.new_bool_var("")
                model.add(at[place, night] == here - sum(out) + sum(into))
                model.add(sum(out) <= here)
                if not freight["ready"] <= night <= freight["due"]:
                    model.add(sum(out) == 0)
        model.add(at[freight["to"], self.nights[-1]] == 1 - self.courier[name])

    def _trucks(self) -> None:
        data, model = self.data, self.model
        for (night, a, b), count in self.trucks.items():
            pallets = sum(freight["pallets"] * self.rides[name, night, a, b] for name, freight in data["freights"].items())
            if "capacity" in self.omit:  # one truck takes whatever there is
                for name in data["freights"]:
                    model.add(count >= self.rides[name, night, a, b])
            else:
                model.add(pallets <= data["network"]["truck_pallets"] * count)

    def _terminals(self) -> None:
        data, model, network = self.data, self.model, self.data["network"]
        for place, terminal in data["terminals"].items():
            for night in self.nights:
                handled = []
                for name, freight in data["freights"].items():
                    passing = [self.rides[name, night, a, b] for a, b in data["legs"] if b == place and freight["to"] != place]
                    handled += [literal * freight["pallets"] for literal in passing]
                    if (
                        network["dangerous_binds"]
                        and freight["dangerous"]
                        and not terminal["dangerous"]
                        and "dangerous" not in self.omit
                    ):
                        model.add(sum(passing) == 0)
                self.cost += [pallets * network["handling_cents"] for pallets in handled]
                if network["handling_binds"] and "handling" not in self.omit:
                    model.add(sum(handled) <= terminal["handling"])
                if network["docks_bind"] and "docks" not in self.omit:
                    model.add(sum(self.trucks[night, a, b] for a, b in data["legs"] if a == place) <= terminal["docks"])
            if network["trucks_balance"] and "balance" not in self.omit:
                out = sum(count for (_, a, _), count in self.trucks.items() if a == place)
                model.add(out == sum(count for (_, _, b), count in self.trucks.items() if b == place))


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    network = _Network(data, omit)
    solver, bound = solved(network.model, SECONDS, effort, _values(network, greedy(data)))
    if not solver:
        return Solved(None)
    trucks = [
        {"night": night, "origin": a, "to": b, "count": solver.value(count)}
        for (night, a, b), count in network.trucks.items()
        if solver.value(count)
    ]
    moves = [
        {"freight": name, "night": night, "origin": a, "to": b}
        for (name, night, a, b), ride in network.rides.items()
        if solver.value(ride)
    ]
    courier = [name for name, literal in network.courier.items() if solver.value(literal)]
    return Solved({"trucks": trucks, "moves": moves, "courier": courier}, bound)


def _values(network: _Network, plan: Plan) -> list[tuple[Any, int]]:
    """The decisions of a plan, variable by variable."""
    trucks = {(row["night"], row["origin"], row["to"]): row["count"] for row in plan["trucks"]}
    moves = {(move["freight"], move["night"], move["origin"], move["to"]) for move in plan["moves"]}
    found = [(count, trucks.get(ride, 0)) for ride, count in network.trucks.items()]
    found += [(ride, int(key in moves)) for key, ride in network.rides.items()]
    return found + [(literal, int(name in plan["courier"])) for name, literal in network.courier.items()]


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    network = _Network(data)
    rides = [(row["night"], row["origin"], row["to"]) for row in plan["trucks"]]
    moves = [(move["freight"], move["night"], move["origin"], move["to"]) for move in plan["moves"]]
    if len(set(rides)) < len(rides) or len(set(moves)) < len(moves) or len(set(plan["courier"])) < len(plan["courier"]):
        return None
    known = (
        set(rides) <= set(network.trucks) and set(moves) <= set(network.rides) and set(plan["courier"]) <= set(data["freights"])
    )
    if not known or any(row["count"] < 1 for row in plan["trucks"]):
        return None
    for variable, value in _values(network, plan):
        network.model.add(variable == value)
    return objective(network.model)


def greedy(data: Data) -> Plan:
    """Freights that share a direct leg ride together on their last possible night where that is cheaper than the courier."""
    network = data["network"]
    groups: dict[tuple[int, str, str], list[str]] = {}
    for name, freight in data["freights"].items():
        if (freight["from"], freight["to"]) in data["legs"]:
            groups.setdefault((freight["due"], freight["from"], freight["to"]), []).append(name)
    trucks: list[dict[str, Any]] = []
    moves: list[dict[str, Any]] = []
    taken: set[str] = set()
    leaving: dict[tuple[int, str], int] = {}
    for (night, a, b), names in sorted(groups.items()):
        count = -(-sum(data["freights"][name]["pallets"] for name in names) // network["truck_pallets"])
        docks = data["terminals"][a]["docks"] if network["docks_bind"] else count
        back = data["legs"].get((b, a))
        cents = count * (data["legs"][a, b] + (back or 0 if network["trucks_balance"] else 0))
        if cents >= sum(data["freights"][name]["courier_cents"] for name in names) or leaving.get((night, a), 0) + count > docks:
            continue
        if network["trucks_balance"]:
            free = data["terminals"][b]["docks"] if network["docks_bind"] else count
            first = next((n for n in range(1, network["nights"] + 1) if leaving.get((n, b), 0) + count <= free), None)
            clash = {(row["night"], row["origin"], row["to"]) for row in trucks} & {(night, a, b), (first, b, a)}
            if back is None or first is None or clash:
                continue
            trucks.append({"night": first, "origin": b, "to": a, "count": count})
            leaving[first, b] = leaving.get((first, b), 0) + count
        trucks.append({"night": night, "origin": a, "to": b, "count": count})
        leaving[night, a] = leaving.get((night, a), 0) + count
        taken |= set(names)
        moves += [{"freight": name, "night": night, "origin": a, "to": b} for name in names]
    return {"trucks": trucks, "moves": moves, "courier": [name for name in data["freights"] if name not in taken]}
