"""Reference program of the markdowns: a Boolean for each article, week and step, and pieces sold, in CP-SAT.

Since prices never rise and the outlet pays least, nothing is gained by holding pieces back: at the optimum of the model, and for
prices that are fixed, all that is wanted and in stock is sold.

Source: O. Besbes, I. Lobel, Intertemporal price discrimination (2015); F. Caro, J. Gallien, Clearance pricing (2012), section 3.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, table

OMITTABLE = ("falling", "labels", "families", "steps", "pause", "floor", "printed", "left")
SECONDS = 0.6
"""Deterministic time limit."""

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    numbers = ("stock", "arrival", "pieces", "outlet", "lowest", "printed", "most_left")
    articles = {
        row["article"]: {"family": row["family"], **{name: int(row[name]) for name in numbers}}
        for row in table(files["data/articles.csv"], ["article"])
    }
    return {
        **settings(files["data/shop.yaml"]),
        "articles": articles,
        "cents": {row["article"]: row["cents"] for row in json.loads(files["data/ladders.json"])},
        "demand": {
            (row["article"], int(row["week"]), int(row["step"])): int(row["pieces"])
            for row in table(files["data/demand.csv"], ["article", "week", "step"])
        },
    }


class _Shop:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        model = self.model = cp_model.CpModel()
        self.weeks = range(1, data["weeks"] + 1)
        self.on = {place: model.new_bool_var(f"{place}") for place in data["demand"]}
        self.sold = {place: model.new_int_var(0, pieces, f"sold {place}") for place, pieces in data["demand"].items()}
        self.step = {
            (name, week): sum(step * self.on[name, week, step] for step in self._steps(name))
            for name in data["articles"]
            for week in self.weeks
        }
        self.changed = {
            (name, week): model.new_bool_var(f"{name} {week}") for name in data["articles"] for week in self.weeks[1:]
        }
        self.terms: list[Any] = [-data["label_cents"] * changed for changed in self.changed.values()]
        for name in data["articles"]:
            self._stock(name)
            self._ladder(name)
        self._together()
        model.maximize(sum(self.terms))

    def _steps(self, name: str) -> range:
        return range(1, len(self.data["cents"][name]) + 1)

    def _stock(self, name: str) -> None:
        data, model, article = self.data, self.model, self.data["articles"][name]
        left: Any = article["stock"]
        for week in self.weeks:
            model.add_exactly_one(self.on[name, week, step] for step in self._steps(name))
            left = left + (article["pieces"] if week == article["arrival"] else 0)
            for step in self._steps(name):
                place = name, week, step
                model.add(self.sold[place] <= data["demand"][place] * self.on[place])
                self.terms.append(self.sold[place] * data["cents"][name][step - 1])
                left = left - self.sold[place]
            model.add(left >= 0)
        self.terms.append(left * article["outlet"])
        if article["most_left"] >= 0 and "left" not in self.omit:
            model.add(left <= article["most_left"])

    def _ladder(self, name: str) -> None:
        data, model, omit, article = self.data, self.model, self.omit, self.data["articles"][name]
        if article["printed"] and "printed" not in omit:
            model.add(self.on[name, 1, article["printed"]] == 1)
        for week in self.weeks:
            if "floor" not in omit:
                model.add(self.step[name, week] <= article["lowest"])
            if week == 1:
                continue
            change = self.step[name, week] - self.step[name, week - 1]
            if "falling" not in omit:
                model.add(change >= 0)
            if data["most_down"] and "steps" not in omit:
                model.add(change <= data["most_down"])
            changed = self.changed[name, week]
            model.add(change == 0).only_enforce_if(~changed)
            model.add(change != 0).only_enforce_if(changed)
            for later in range(week + 1, week + data["pause"] + 1) if "pause" not in omit else ():
                if later in self.weeks:
                    model.add_at_most_one(changed, self.changed[name, later])

    def _together(self) -> None:
        data, model = self.data, self.model
        names = list(data["articles"])
        for week in self.weeks:
            if week > 1 and data["most_labels"] and "labels" not in self.omit:
                model.add(sum(self.changed[name, week] for name in names) <= data["most_labels"])
            for name in names if data["most_apart"] and "families" not in self.omit else ():
                for other in names:
                    if name != other and data["articles"][name]["family"] == data["articles"][other]["family"]:
                        model.add(self.step[name, week] - self.step[other, week] <= data["most_apart"])


def _plan(steps: Mapping[tuple[str, int], int]) -> Plan:
    return {"prices": [{"article": name, "week": week, "step": step} for (name, week), step in steps.items()]}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best prices within the limit, started from the greedy ones."""
    shop = _Shop(data, omit)
    known = {(row["article"], row["week"], row["step"]) for row in greedy(data)["prices"]}
    solver, bound = solved(shop.model, SECONDS, effort, [(on, int(place in known)) for place, on in shop.on.items()])
    if not solver:
        return Solved(None)
    return Solved(_plan({(name, week): step for (name, week, step), on in shop.on.items() if solver.value(on)}), bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's proceeds of prices."""
    rows = [(row["article"], row["week"], row["step"]) for row in plan["prices"]]
    shop = _Shop(data)
    if len(set(rows)) != len(rows) or not set(rows) <= set(shop.on):
        return None
    for place, on in shop.on.items():
        shop.model.add(on == int(place in rows))
    return objective(shop.model)


def greedy(data: Data) -> Plan:
    """Every article stays on the step, among those that its family can keep together, that alone would bring most."""
    steps: dict[str, int] = {}
    for name, article in data["articles"].items():
        allowed = [article["printed"]] if article["printed"] else range(1, article["lowest"] + 1)
        enough = [s for s in allowed if article["most_left"] < 0 or _proceeds(data, name, s)[1] <= article["most_left"]]
        steps[name] = max(enough or allowed, key=lambda step: _proceeds(data, name, step)[0])
    families = {article["family"] for article in data["articles"].values()} if data["most_apart"] else set()
    for family in families:
        mine = [name for name, article in data["articles"].items() if article["family"] == family]
        low = max(steps[name] for name in mine)
        for name in mine:
            if not data["articles"][name]["printed"]:
                steps[name] = min(max(steps[name], low - data["most_apart"]), data["articles"][name]["lowest"])
    return _plan({(name, week): step for name, step in steps.items() for week in range(1, data["weeks"] + 1)})


def _proceeds(data: Data, name: str, step: int) -> tuple[int, int]:
    """What a step kept for all weeks brings, and what it leaves."""
    article, cents = data["articles"][name], 0
    left: int = article["stock"]
    for week in range(1, data["weeks"] + 1):
        left += article["pieces"] if week == article["arrival"] else 0
        sold = min(left, data["demand"][name, week, step])
        cents += sold * data["cents"][name][step - 1]
        left -= sold
    return cents + left * article["outlet"], left
