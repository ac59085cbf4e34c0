"""Reference program of the plant outages: a Boolean for each plant and week of start in CP-SAT.

Source: A. Froger et al., Maintenance scheduling in the electricity industry: a literature review (2016), section 4.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, table

OMITTABLE = ("window", "reserve", "crews", "regions", "order", "rivals", "crane", "moved", "fixed")
SECONDS = 0.5
"""Deterministic time limit."""
TRIES = 40
"""Orders in which the greedy plan places the outages, at most."""

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    order = json.loads(files["data/order.json"])
    announced = {row["plant"]: row for row in table(files["data/announced.csv"])}
    plants = {}
    for row in table(files["data/plants.csv"], ["plant"]):
        known = announced[row["plant"]]
        plants[row["plant"]] = {
            **{name: int(row[name]) for name in ("power", "weeks", "earliest", "latest", "crews")},
            "region": row["region"],
            "crane": row["crane"] == "yes",
            "after": order["after"].get(row["plant"], ""),
            "announced": int(known["week"]),
            "fixed": known["fixed"] == "yes",
        }
    weeks = {
        int(row["week"]): {"demand": int(row["demand"]), "cents": int(row["mw_cents"])}
        for row in table(files["data/weeks.csv"], ["week"])
    }
    return {**settings(files["data/company.yaml"]), "plants": plants, "weeks": weeks, "rivals": order["rivals"]}


class _Year:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        model = self.model = cp_model.CpModel()
        self.weeks = sorted(data["weeks"])
        self.starts = {
            (name, week): model.new_bool_var(f"{name} {week}")
            for name, plant in data["plants"].items()
            for week in self.weeks
            if week + plant["weeks"] - 1 <= self.weeks[-1]
        }
        for name, plant in data["plants"].items():
            mine = {week: starts for (other, week), starts in self.starts.items() if other == name}
            model.add_exactly_one(mine.values())
            for week, starts in mine.items():
                if not plant["earliest"] <= week <= plant["latest"] and "window" not in omit:
                    model.add(starts == 0)
                if plant["fixed"] and week != plant["announced"] and "fixed" not in omit:
                    model.add(starts == 0)
        for week in self.weeks:
            self._week(week)
        self._order()
        self._moved()
        model.minimize(sum(self._cost(name, week) * starts for (name, week), starts in self.starts.items()))

    def _out(self, name: str, week: int) -> Any:
        """Whether a plant is out in a week."""
        weeks = self.data["plants"][name]["weeks"]
        return sum(self.starts[name, first] for first in range(week - weeks + 1, week + 1) if (name, first) in self.starts)

    def _start(self, name: str) -> Any:
        return sum(week * starts for (other, week), starts in self.starts.items() if other == name)

    def _week(self, week: int) -> None:
        data, model, omit, plants = self.data, self.model, self.omit, self.data["plants"]
        out = {name: self._out(name, week) for name in plants}
        if "reserve" not in omit:
            running = sum(plant["power"] * (1 - out[name]) for name, plant in plants.items())
            model.add(running >= data["weeks"][week]["demand"] + data["reserve"])
        if data["crews"] and "crews" not in omit:
            model.add(sum(plant["crews"] * out[name] for name, plant in plants.items()) <= data["crews"])
        for region in (
            sorted({plant["region"] for plant in plants.values()}) if data["most_out"] and "regions" not in omit else ()
        ):
            model.add(sum(out[name] for name, plant in plants.items() if plant["region"] == region) <= data["most_out"])
        if "crane" not in omit:
            model.add(sum(out[name] for name, plant in plants.items() if plant["crane"]) <= 1)
        for first, second in data["rivals"] if "rivals" not in omit else ():
            model.add(out[first] + out[second] <= 1)

    def _order(self) -> None:
        for name, plant in self.data["plants"].items():
            before = plant["after"]
            if before and "order" not in self.omit:
                self.model.add(self._start(name) >= self._start(before) + self.data["plants"][before]["weeks"])

    def _moved(self) -> None:
        if self.data["most_moved"] >= 0 and "moved" not in self.omit:
            moved = [
                starts for (name, week), starts in self.starts.items() if self.data["plants"][name]["announced"] not in (0, week)
            ]
            self.model.add(sum(moved) <= self.data["most_moved"])

    def _cost(self, name: str, week: int) -> int:
        plant = self.data["plants"][name]
        lost = sum(self.data["weeks"][out]["cents"] for out in range(week, week + plant["weeks"])) * plant["power"]
        moved = abs(week - plant["announced"]) if plant["announced"] else 0
        return int(lost + moved * self.data["move_cents"])


def _plan(starts: Mapping[str, int]) -> Plan:
    return {"outages": [{"plant": name, "start": week} for name, week in starts.items()]}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    year = _Year(data, omit)
    known = {(row["plant"], row["start"]) for row in greedy(data)["outages"]}
    solver, bound = solved(year.model, SECONDS, effort, [(starts, int(key in known)) for key, starts in year.starts.items()])
    if not solver:
        return Solved(None)
    return Solved(_plan({name: week for (name, week), starts in year.starts.items() if solver.value(starts)}), bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    rows = [(row["plant"], row["start"]) for row in plan["outages"]]
    year = _Year(data)
    if len(set(rows)) != len(rows) or not set(rows) <= set(year.starts):
        return None
    for key, starts in year.starts.items():
        year.model.add(starts == int(key in rows))
    return objective(year.model)


def greedy(data: Data) -> Plan:
    """Fixed and announced plants first, then the largest; each starts in the first week of its window that keeps the rules.

    When a plant finds no week, all is done again with that plant first.
    """
    plants = data["plants"]
    order = sorted(plants, key=lambda name: (not plants[name]["fixed"], not plants[name]["announced"], -plants[name]["power"]))
    for _ in range(TRIES):
        starts, stuck = _placed(data, order)
        if stuck is None:
            break
        order.remove(stuck)
        order.insert(0, stuck)
    return _plan(starts)


def _placed(data: Data, order: list[str]) -> tuple[dict[str, int], str | None]:
    """Starts of the outages, placed in an order, and the first plant that found no week."""
    plants = data["plants"]
    starts: dict[str, int] = {}
    stuck = None
    waiting = list(order)
    while waiting:
        name = next(name for name in waiting if not plants[name]["after"] or plants[name]["after"] in starts)
        waiting.remove(name)
        plant = plants[name]
        window = [plant["announced"]] if plant["announced"] else []
        window += range(plant["earliest"], plant["latest"] + 1)
        found = next((week for week in window if _fits(data, starts, name, week)), None)
        starts[name] = plant["latest"] if found is None else found
        stuck = name if found is None and stuck is None else stuck
    return starts, stuck


def _fits(data: Data, starts: Mapping[str, int], name: str, week: int) -> bool:
    """Whether an outage keeps the rules beside those placed so far."""
    plants, plant = data["plants"], data["plants"][name]
    if plant["after"] and week < starts[plant["after"]] + plants[plant["after"]]["weeks"]:
        return False
    for now in range(week, week + plant["weeks"]):
        out = [other for other, start in starts.items() if start <= now < start + plants[other]["weeks"]] + [name]
        running = sum(facts["power"] for other, facts in plants.items() if other not in out)
        region = sum(plants[other]["region"] == plant["region"] for other in out)
        crews = sum(plants[other]["crews"] for other in out)
        if (
            running < data["weeks"][now]["demand"] + data["reserve"]
            or (data["crews"] and crews > data["crews"])
            or (data["most_out"] and region > data["most_out"])
            or sum(plants[other]["crane"] for other in out) > 1
            or any(set(pair) <= set(out) for pair in data["rivals"])
        ):
            return False
    return True
