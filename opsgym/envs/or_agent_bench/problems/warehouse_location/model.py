"""Reference program of the store depots: a Boolean for each depot, and for each store and depot, in CP-SAT.

Source: M. Daskin, Network and Discrete Location (2013), chapter 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, table

OMITTABLE = ("capacity", "reach", "cold", "exclusion", "count", "regions", "closings", "ties")
SECONDS = 0.5
"""Deterministic time limit."""

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    fleet = settings(files["data/fleet.yaml"])
    depots = {
        row["depot"]: {
            "region": row["region"],
            "capacity": amount(row, "capacity"),
            "cost": int(row["week_cents"]),
            "cold": row["cold"] == "yes",
            "excludes": row["excludes"],
            "closing": int(row["closing_cents"]),
        }
        for row in table(files["data/depots.csv"], ["depot"])
    }
    stores = {}
    for row in table(files["data/stores.csv"], ["store"]):
        goods = amount(row, "goods")
        stores[row["store"]] = {
            "goods": goods,
            "trips": -(-goods // fleet["van_kg"]),
            "chilled": row["chilled"] == "yes",
            "priority": row["priority"] == "yes",
            "tied": row["tied"],
        }
    roads = {(row["depot"], row["store"]): int(row["km"]) for row in table(files["data/roads.csv"])}
    return {**fleet, "depots": depots, "stores": stores, "roads": roads}


def _may_serve(data: Data, depot: str, store: str, omit: frozenset[str] = frozenset()) -> bool:
    """Whether a depot can serve a store at all."""
    wanted, here = data["stores"][store], data["depots"][depot]
    is_near = data["roads"][depot, store] <= data["most_km"] or "reach" in omit
    is_cold = here["cold"] or not wanted["chilled"] or "cold" in omit
    return is_near and is_cold and (wanted["tied"] in ("", depot) or "ties" in omit)


class _Chain:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        model = self.model = cp_model.CpModel()
        pairs = [(depot, store) for store in data["stores"] for depot in data["depots"]]
        self.open = {depot: model.new_bool_var(f"open {depot}") for depot in data["depots"]}
        self.serves = {pair: model.new_bool_var(f"serves {pair}") for pair in pairs}
        self.backs = {pair: model.new_bool_var(f"backs {pair}") for pair in pairs}
        for pair in pairs:
            model.add_implication(self.serves[pair], self.open[pair[0]])
            model.add_implication(self.backs[pair], self.open[pair[0]])
            model.add_at_most_one(self.serves[pair], self.backs[pair])
            if not _may_serve(data, *pair, omit):
                model.add(self.serves[pair] == 0)
            if data["roads"][pair] > data["backup_km"] and "reach" not in omit:
                model.add(self.backs[pair] == 0)
        for store, wanted in data["stores"].items():
            model.add_exactly_one(self.serves[depot, store] for depot in data["depots"])
            model.add(sum(self.backs[depot, store] for depot in data["depots"]) == int(wanted["priority"]))
        self._depots()
        trips = [
            data["stores"][store]["trips"] * data["roads"][depot, store] * data["km_cents"] * serves
            for (depot, store), serves in self.serves.items()
        ]
        closings = [data["depots"][depot]["closing"] * (1 - is_open) for depot, is_open in self.open.items()]
        model.minimize(sum(trips) + sum(closings) + sum(data["depots"][d]["cost"] * o for d, o in self.open.items()))

    def _depots(self) -> None:
        data, model, omit = self.data, self.model, self.omit
        regions: dict[str, list[Any]] = {}
        for name, depot in data["depots"].items():
            load = sum(wanted["goods"] * self.serves[name, store] for store, wanted in data["stores"].items())
            if "capacity" not in omit:
                model.add(load <= depot["capacity"] * self.open[name])
            if depot["excludes"] and "exclusion" not in omit:
                model.add_at_most_one(self.open[name], self.open[depot["excludes"]])
            regions.setdefault(depot["region"], []).append(self.open[name])
        if data["most_open"] and "count" not in omit:
            model.add(sum(self.open.values()) <= data["most_open"])
        for some in regions.values() if data["every_region"] and "regions" not in omit else ():
            model.add_bool_or(some)
        if data["most_closed"] >= 0 and "closings" not in omit:
            closed = [1 - self.open[name] for name, depot in data["depots"].items() if depot["closing"]]
            model.add(sum(closed) <= data["most_closed"])


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    chain = _Chain(data, omit)
    known = greedy(data)
    start = [(is_open, int(depot in known["open"])) for depot, is_open in chain.open.items()]
    start += [(chain.serves[row["depot"], row["store"]], 1) for row in known["services"]]
    solver, bound = solved(chain.model, SECONDS, effort, start)
    if not solver:
        return Solved(None)
    rows = []
    for store in data["stores"]:
        depot = next(depot for depot in data["depots"] if solver.value(chain.serves[depot, store]))
        backup = next((depot for depot in data["depots"] if solver.value(chain.backs[depot, store])), "")
        rows.append({"store": store, "depot": depot, "backup": backup})
    return Solved({"open": [depot for depot, is_open in chain.open.items() if solver.value(is_open)], "services": rows}, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    rows, opened = plan["services"], plan["open"]
    names = [row["store"] for row in rows]
    used = {*opened, *(row["depot"] for row in rows), *(row["backup"] for row in rows if row["backup"])}
    if sorted(names) != sorted(data["stores"]) or len(set(opened)) != len(opened) or not used <= set(data["depots"]):
        return None
    chain = _Chain(data)
    for depot, is_open in chain.open.items():
        chain.model.add(is_open == int(depot in opened))
    for row in rows:
        for depot in data["depots"]:
            chain.model.add(chain.serves[depot, row["store"]] == int(depot == row["depot"]))
            chain.model.add(chain.backs[depot, row["store"]] == int(depot == row["backup"]))
    return objective(chain.model)


def greedy(data: Data) -> Plan:
    """Open what must stay and what each region needs, then the cheapest by capacity; serve big stores first, each from nearby."""
    depots, stores = data["depots"], data["stores"]
    tied = {store["tied"] for store in stores.values() if store["tied"]}
    by_price = sorted(depots, key=lambda name: (name not in tied, not depots[name]["closing"], depots[name]["cost"]))
    opened: list[str] = []
    rows: list[dict[str, str]] = []
    limit = data["most_open"] or len(depots)
    for wanted in range(1, limit + 1):
        opened = _opened(data, by_price, wanted)
        rows = _served(data, opened)
        if len(rows) == len(stores):
            break
    return {"open": opened, "services": rows}


def _opened(data: Data, order: list[str], wanted: int) -> list[str]:
    """The first depots of an order that go together, regions that need one first."""
    depots = data["depots"]
    regions = {depots[name]["region"] for name in depots} if data["every_region"] else set()
    chosen: list[str] = []
    for name in [*order, *order]:
        barred = {depots[other]["excludes"] for other in chosen} | {
            other for other in depots if depots[other]["excludes"] == name and other in chosen
        }
        missing = regions - {depots[other]["region"] for other in chosen}
        room = wanted - len(chosen) - len(missing - {depots[name]["region"]})
        if name not in chosen and name not in barred and not {depots[name]["excludes"]} & set(chosen) and room > 0:
            chosen.append(name)
    return chosen


def _served(data: Data, opened: list[str]) -> list[dict[str, str]]:
    """Stores, the largest first, each by the nearest open depot with room, and its backup."""
    room = {name: data["depots"][name]["capacity"] for name in opened}
    rows = []
    for store in sorted(data["stores"], key=lambda name: (not data["stores"][name]["tied"], -data["stores"][name]["goods"])):
        wanted = data["stores"][store]
        near = sorted(opened, key=lambda depot: data["roads"][depot, store])
        fitting = [depot for depot in near if _may_serve(data, depot, store) and room[depot] >= wanted["goods"]]
        backups = [d for d in near if d != (fitting or [""])[0] and data["roads"][d, store] <= data["backup_km"]]
        if fitting and (backups or not wanted["priority"]):
            room[fitting[0]] -= wanted["goods"]
            rows.append({"store": store, "depot": fitting[0], "backup": backups[0] if wanted["priority"] else ""})
    return rows
