"""Reference program of the relief distribution: multi-period flows with queues in CP-SAT.

Source: J. Holguin-Veras et al., On the appropriate objective function for post-disaster humanitarian logistics models, Journal of
Operations Management 31 (2013).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, state, table

OMITTABLE = ("stock", "fleet", "road", "store", "cold", "pallet", "least")
SECONDS = 0.25
"""Deterministic time limit."""

COLD = "medicine"
Data = dict[str, Any]
Key = tuple[int, str, str, str]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    goods = {
        row["good"]: {name: int(row[name]) for name in ("kg", "pallet", "points")}
        for row in table(files["data/goods.csv"], ["good"])
    }
    places, relief = json.loads(files["data/places.json"]), settings(files["data/relief.yaml"])
    camps = {camp["camp"]: camp for camp in places["camps"]}
    days = range(1, relief["days"] + 1)
    need = {(camp, good, day): 0 for camp in camps for good in goods for day in days}
    for row in table(files["data/needs.csv"], ["need"]):
        need[row["camp"], row["good"], int(row["day"])] += int(row["units"])
    accepted = state(files)
    return {
        "goods": goods,
        "depots": {depot["depot"]: depot for depot in places["depots"]},
        "camps": camps,
        "days": days,
        "need": need,
        "arrivals": {
            (row["depot"], row["good"], int(row["day"])): int(row["units"])
            for row in table(files["data/arrivals.csv"], ["depot", "good", "day"])
        },
        "roads": {(row["depot"], row["camp"]): int(row["points"]) for row in table(files["data/roads.csv"])},
        "blocked": {(day, e["depot"], e["camp"]) for e in json.loads(files["data/blocks.json"]) for day in e["days"]},
        "relief": relief,
        "first_open": relief.get("first_open", 1) if accepted else 1,
        "accepted": None if accepted is None else {_key(row): row["units"] for row in accepted["shipments"]},
    }


def _key(row: Mapping[str, Any]) -> Key:
    return row["day"], row["depot"], row["camp"], row["good"]


class _Relief:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset(), largest: int = 0) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = model = cp_model.CpModel()
        self.total = sum(data["need"].values())
        most = max(self.total, largest)
        keys = [(day, depot, camp, good) for day in data["days"] for depot, camp in data["roads"] for good in data["goods"]]
        self.units = {key: model.new_int_var(0, most, str(key)) for key in keys}
        self.points: list[Any] = []
        for key, units in self.units.items():
            pallet = data["goods"][key[3]]["pallet"]
            if data["relief"]["whole_pallets"] and "pallet" not in omit:
                model.add(units == pallet * model.new_int_var(0, most, ""))
            if key[:3] in data["blocked"] and "road" not in omit:
                model.add(units == 0)
        for day in data["days"]:
            for depot in data["depots"]:
                self._depot(depot, day, most)
        for camp in data["camps"]:
            self._camp(camp, most)
        self._accepted()
        model.minimize(sum(self.points))

    def _depot(self, depot: str, day: int, most: int) -> None:
        model, data, goods, relief = self.model, self.data, self.data["goods"], self.data["relief"]
        of, trips = data["depots"][depot], []
        for good in goods if "stock" not in self.omit else ():
            sent = sum(units for key, units in self.units.items() if key[0] <= day and (key[1], key[3]) == (depot, good))
            model.add(sent <= sum(data["arrivals"].get((depot, good, earlier), 0) for earlier in range(1, day + 1)))
        for camp in data["camps"]:
            kg = sum(goods[good]["kg"] * self.units[day, depot, camp, good] for good in goods)
            own = model.new_int_var(0, most * 20, "")
            model.add(kg <= relief["truck_kg"] * own)
            trips.append(own)
            self.points.append(own * data["roads"][depot, camp])
            if relief["least_kg"] and "least" not in self.omit:
                used = model.new_bool_var("")
                model.add(own <= most * 20 * used)
                model.add(kg >= relief["least_kg"] * used)
        if "fleet" not in self.omit:
            model.add(sum(trips) <= of["trips"])
        if relief["cold_binds"] and "cold" not in self.omit:
            model.add(sum(goods[COLD]["kg"] * self.units[day, depot, camp, COLD] for camp in data["camps"]) <= of["cold_kg"])

    def _camp(self, camp: str, most: int) -> None:
        model, data, relief = self.model, self.data, self.data["relief"]
        stored: dict[int, list[Any]] = {day: [] for day in data["days"]}
        for good, of in data["goods"].items():
            net: Any = 0
            for day in data["days"]:
                net = net + sum(self.units[day, depot, camp, good] for depot in data["depots"]) - data["need"][camp, good, day]
                stock, waiting = model.new_int_var(0, most * 20, ""), model.new_int_var(0, self.total, "")
                model.add(stock - waiting == net)
                self.points.append(waiting * of["points"])
                if relief["long_queues"]:
                    twice = model.new_int_var(0, self.total, "")
                    model.add(twice >= waiting - data["camps"][camp]["queue"])
                    self.points.append(twice * of["points"])
                stored[day].append(stock * of["kg"])
        for day in data["days"] if relief["store_binds"] and "store" not in self.omit else ():
            model.add(sum(stored[day]) <= data["camps"][camp]["store_kg"])

    def _accepted(self) -> None:
        accepted = self.data["accepted"]
        for key, units in self.units.items() if accepted is not None else ():
            before = accepted.get(key, 0)
            if key[0] < self.data["first_open"]:
                self.model.add(units == before)
            else:
                changed = self.model.new_bool_var("")
                self.model.add(units == before).only_enforce_if(~changed)
                self.points.append(changed * self.data["relief"]["change_points"])


def _plan(units: Mapping[Key, int]) -> Plan:
    rows = [
        {"day": day, "depot": depot, "camp": camp, "good": good, "units": count}
        for (day, depot, camp, good), count in units.items()
        if count
    ]
    return {"shipments": rows}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    relief = _Relief(data, omit)
    known = {_key(row): row["units"] for row in greedy(data)["shipments"]}
    start = [(units, known.get(key, 0)) for key, units in relief.units.items()]
    solver, bound = solved(relief.model, SECONDS, effort, start)
    return Solved(_plan({key: solver.value(units) for key, units in relief.units.items()}) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's points of a plan."""
    units = {_key(row): row["units"] for row in plan["shipments"]}
    relief = _Relief(data, largest=max([0, *units.values()]))
    if len(units) < len(plan["shipments"]) or not set(units) <= set(relief.units) or any(count < 1 for count in units.values()):
        return None
    for key, variable in relief.units.items():
        relief.model.add(variable == units.get(key, 0))
    return objective(relief.model)


def greedy(data: Data) -> Plan:
    """Day by day and camp by camp, a truck at a time from the first depot that can: what weighs most for those who wait."""
    goods, relief = data["goods"], data["relief"]
    units: dict[Key, int] = {key: count for key, count in (data["accepted"] or {}).items() if key[0] < data["first_open"]}
    net = {(camp, good): 0 for camp in data["camps"] for good in goods}
    for day in data["days"]:
        for key in net:
            net[key] += sum(count for k, count in units.items() if k[0] == day and (k[2], k[3]) == key) - data["need"][*key, day]
        trips = {depot: of["trips"] for depot, of in data["depots"].items()}
        cold = {depot: of["cold_kg"] for depot, of in data["depots"].items()}
        for depot, camp in sorted(data["roads"], key=lambda road: data["roads"][road]) if day >= data["first_open"] else ():
            room, load = relief["truck_kg"] * min(trips[depot], 2), {}
            if (day, depot, camp) in data["blocked"]:
                continue
            for good, of in sorted(goods.items(), key=lambda item: -item[1]["points"]):
                left = sum(count for (d, g, when), count in data["arrivals"].items() if (d, g) == (depot, good) and when <= day)
                left -= sum(count for key, count in units.items() if (key[1], key[3]) == (depot, good))
                limit = cold[depot] if good == COLD and relief["cold_binds"] else room
                count = min(left, -net[camp, good], min(room, limit) // of["kg"]) // of["pallet"] * of["pallet"]
                if count > 0:
                    load[good] = count
                    room -= count * of["kg"]
            kg = sum(count * goods[good]["kg"] for good, count in load.items())
            if not kg or kg < relief["least_kg"]:
                continue
            trips[depot] -= -(-kg // relief["truck_kg"])
            cold[depot] -= load.get(COLD, 0) * goods[COLD]["kg"]
            for good, count in load.items():
                units[day, depot, camp, good] = count
                net[camp, good] += count
    return _plan(units)
