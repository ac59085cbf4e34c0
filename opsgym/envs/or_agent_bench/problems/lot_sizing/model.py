"""Reference program of the filling line: the capacitated lot-sizing model with setup times and backlog in CP-SAT.

Source: Y. Pochet and L. A. Wolsey, Production Planning by Mixed Integer Programming (2006), chapter 12.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, state, table

OMITTABLE = ("least", "batch", "store", "changeovers", "shelf", "capacity")
SECONDS = 0.25
"""Deterministic time limit."""

Data = dict[str, Any]
NUMBERS = ("setup_cents", "unit_seconds", "holding_cents", "late_cents", "least", "batch", "stock")


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    items = {}
    for row in table(files["data/items.csv"], ["item"]):
        items[row["item"]] = {name: int(row[name]) for name in NUMBERS} | {
            "setup": amount(row, "setup"),
            "litres": amount(row, "volume"),
        }
    minutes = {entry["day"]: entry["minutes"] for entry in json.loads(files["data/calendar.json"])}
    due = {(item, day): 0 for item in items for day in minutes}
    for row in table(files["data/orders.csv"], ["order"]):
        due[row["item"], int(row["day"])] += int(row["units"])
    accepted = state(files)
    plant = settings(files["data/plant.yaml"])
    return {
        "items": items,
        "minutes": minutes,
        "due": due,
        "plant": plant,
        "first_open": plant.get("first_open", 1) if accepted else 1,
        "accepted": None if accepted is None else {(lot["item"], lot["day"]): lot["units"] for lot in accepted["lots"]},
    }


class _Line:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset(), largest: int = 0) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = cp_model.CpModel()
        self.units: dict[tuple[str, int], Any] = {}
        self.lot: dict[tuple[str, int], Any] = {}
        self.cost: list[Any] = []
        self.stock: dict[tuple[str, int], Any] = {}
        for item in data["items"]:
            self._item(item, largest)
        for day in data["minutes"]:
            self._day(day)
        self._accepted()
        self.model.minimize(sum(self.cost))

    def _item(self, item: str, largest: int) -> None:
        model, data, of = self.model, self.data, self.data["items"][item]
        total = sum(data["due"][item, day] for day in data["minutes"])
        most = max(total + of["least"] + of["batch"], largest)
        net: Any = of["stock"]
        for day in data["minutes"]:
            units, lot = self.units[item, day], self.lot[item, day] = model.new_int_var(0, most, ""), model.new_bool_var("")
            model.add(units <= most * lot)
            model.add(units >= (1 if "least" in self.omit else of["least"]) * lot)
            if of["batch"] > 1 and "batch" not in self.omit:
                model.add(units == of["batch"] * model.new_int_var(0, most, ""))
            stock, late = model.new_int_var(0, len(data["minutes"]) * most + of["stock"], ""), model.new_int_var(0, total, "")
            net = net + units - data["due"][item, day]
            model.add(stock - late == net)
            self.cost += [lot * of["setup_cents"], stock * of["holding_cents"], late * of["late_cents"]]
            self.stock[item, day] = stock
            if data["plant"]["shelf_days"] and "shelf" not in self.omit:
                ahead = range(day + 1, day + 1 + data["plant"]["shelf_days"])
                model.add(net <= sum(data["due"].get((item, later), 0) for later in ahead))

    def _day(self, day: int) -> None:
        model, plant, items = self.model, self.data["plant"], self.data["items"]
        seconds = sum(
            60 * of["setup"] * self.lot[item, day] + of["unit_seconds"] * self.units[item, day] for item, of in items.items()
        )
        over = model.new_int_var(0, plant["overtime"], "")
        if "capacity" not in self.omit:
            model.add(seconds <= 60 * (self.data["minutes"][day] + over))
        self.cost.append(over * plant["overtime_cents"])
        if plant["store_litres"] and "store" not in self.omit:
            model.add(sum(self.stock[item, day] * of["litres"] for item, of in items.items()) <= plant["store_litres"])
        if plant["most_items"] and "changeovers" not in self.omit:
            model.add(sum(self.lot[item, day] for item in items) <= plant["most_items"])

    def _accepted(self) -> None:
        accepted = self.data["accepted"]
        for key, lot in self.lot.items() if accepted is not None else ():
            if key[1] < self.data["first_open"]:
                self.model.add(self.units[key] == accepted.get(key, 0))
            self.cost.append((1 - lot if key in accepted else lot) * self.data["plant"]["change_cents"])


def _plan(units: Mapping[tuple[str, int], int]) -> Plan:
    return {"lots": [{"item": item, "day": day, "units": count} for (item, day), count in units.items() if count]}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    line = _Line(data, omit)
    known = {(lot["item"], lot["day"]): lot["units"] for lot in greedy(data)["lots"]}
    start = [(units, known.get(key, 0)) for key, units in line.units.items()]
    start += [(lot, int(key in known)) for key, lot in line.lot.items()]
    solver, bound = solved(line.model, SECONDS, effort, start)
    return Solved(_plan({key: solver.value(units) for key, units in line.units.items()}) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    lots = plan["lots"]
    units = {(lot["item"], lot["day"]): lot["units"] for lot in lots}
    line = _Line(data, largest=max([0, *units.values()]))
    if len(units) < len(lots) or not set(units) <= set(line.units) or any(count < 1 for count in units.values()):
        return None
    for key, variable in line.units.items():
        line.model.add(variable == units.get(key, 0))
    return objective(line.model)


def greedy(data: Data) -> Plan:
    """Day by day what is overdue or due today and tomorrow, as far as the line and the rules allow, dearest delay first."""
    plant, accepted = data["plant"], data["accepted"] or {}
    units: dict[tuple[str, int], int] = {key: count for key, count in accepted.items() if key[1] < data["first_open"]}
    net = {item: of["stock"] for item, of in data["items"].items()}
    for day in data["minutes"]:
        room = 60 * (data["minutes"][day] + plant["overtime"] // 2)
        order = sorted(data["items"], key=lambda item: -data["items"][item]["late_cents"])
        for item in order if day >= data["first_open"] else ():
            of = data["items"][item]
            wanted = data["due"][item, day] + data["due"].get((item, day + 1), 0) - net[item]
            count = min(wanted, (room - 60 * of["setup"]) // of["unit_seconds"]) // of["batch"] * of["batch"]
            full = plant["most_items"] and sum(key[1] == day for key in units) >= plant["most_items"]
            held = {name: max(0, net[name] + units.get((name, day), 0) - data["due"][name, day]) for name in net}
            held[item] = max(0, net[item] + count - data["due"][item, day])
            litres = sum(held[name] * data["items"][name]["litres"] for name in held)
            if plant["store_litres"] and litres > plant["store_litres"]:
                count = min(count, data["due"][item, day] - net[item]) // of["batch"] * of["batch"]
            if data["due"][item, day] > net[item] and count >= of["least"] and not full:
                units[item, day] = count
                room -= 60 * of["setup"] + of["unit_seconds"] * count
        for item in net:
            net[item] += units.get((item, day), 0) - data["due"][item, day]
    return _plan(units)
