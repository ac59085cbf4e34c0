"""Reference program of the beet harvest: a boolean a field, day and mill in CP-SAT.

Source: O. Ahumada and J. R. Villalobos, Application of planning models in the agri-food supply chain, European Journal of
Operational Research 196 (2009).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, state, table

OMITTABLE = ("hours", "quota", "closure", "trucks", "districts", "apart", "least")
SECONDS = 0.25
"""Deterministic time limit."""

Data = dict[str, Any]
Key = tuple[str, int, str]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    fields: dict[str, Any] = {
        row["field"]: {"district": row["district"], "hours": int(row["hours"]), "tonnes": {}}
        for row in table(files["data/fields.csv"], ["field"])
    }
    for row in table(files["data/yields.csv"], ["field", "day"]):
        fields[row["field"]]["tonnes"][int(row["day"])] = int(row["tonnes"])
    ways = {
        (row["field"], row["mill"]): (int(row["cents"]), int(row["truck_hours"]))
        for row in table(files["data/ways.csv"], ["field", "mill"])
    }
    accepted = state(files)
    union = settings(files["data/union.yaml"])
    return {
        "fields": fields,
        "mills": {mill["mill"]: mill for mill in json.loads(files["data/mills.json"])},
        "ways": ways,
        "closed": {(entry["field"], day) for entry in json.loads(files["data/closures.json"]) for day in entry["days"]},
        "union": union,
        "first_open": union.get("first_open", 1) if accepted else 1,
        "accepted": {(h["field"], h["day"], h["mill"]) for h in accepted["harvests"]} if accepted else set(),
    }


class _Union:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = model = cp_model.CpModel()
        self.days = range(1, data["union"]["days"] + 1)
        keys = [(field, day, mill) for field in data["fields"] for day in self.days for mill in data["mills"]]
        self.cut = {key: model.new_bool_var(str(key)) for key in keys}
        for field in data["fields"]:
            model.add_at_most_one(self.of(field, day) for day in self.days)
            for day in self.days:
                if (field, day) in data["closed"] and "closure" not in omit:
                    model.add(sum(self.cut[field, day, mill] for mill in data["mills"]) == 0)
        for day in self.days:
            self._day(day)
        self._accepted()
        profit = [literal * _profit(data, key) for key, literal in self.cut.items()]
        changed = [(1 - self.cut[key]) * data["union"].get("change_cents", 0) for key in sorted(data["accepted"])]
        model.maximize(sum(profit) - sum(changed))

    def of(self, field: str, day: int) -> Any:
        """Whether a field is harvested on a day."""
        literal = self.model.new_bool_var("")
        self.model.add(literal == sum(self.cut[field, day, mill] for mill in self.data["mills"]))
        return literal

    def _day(self, day: int) -> None:
        model, data, union = self.model, self.data, self.data["union"]
        fields, mills = data["fields"], data["mills"]
        today = {(field, mill): self.cut[field, day, mill] for field in fields for mill in mills}
        if "hours" not in self.omit:
            model.add(sum(fields[field]["hours"] * literal for (field, _), literal in today.items()) <= union["hours"])
        if union["truck_hours"] and "trucks" not in self.omit:
            model.add(sum(data["ways"][pair][1] * literal for pair, literal in today.items()) <= union["truck_hours"])
        if union["most_districts"] and "districts" not in self.omit:
            worked = {field["district"]: model.new_bool_var("") for field in fields.values()}
            for (field, _), literal in today.items():
                model.add_implication(literal, worked[fields[field]["district"]])
            model.add(sum(worked.values()) <= union["most_districts"])
        for one, other in union["apart"] if "apart" not in self.omit else ():
            model.add_at_most_one(literal for (field, _), literal in today.items() if field in (one, other))
        for mill, of in mills.items():
            tonnes = sum(fields[field]["tonnes"][day] * today[field, mill] for field in fields)
            if "quota" not in self.omit:
                model.add(tonnes <= of["quota"])
            if union["least_binds"] and "least" not in self.omit:
                opened = model.new_bool_var("")
                for field in fields:
                    model.add_implication(today[field, mill], opened)
                model.add(tonnes >= of["least"] * opened)

    def _accepted(self) -> None:
        for key, literal in self.cut.items():
            if key[1] < self.data["first_open"]:
                self.model.add(literal == int(key in self.data["accepted"]))


def _profit(data: Data, key: Key) -> int:
    field, day, mill = key
    return int(data["fields"][field]["tonnes"][day] * (data["mills"][mill]["cents"] - data["ways"][field, mill][0]))


def _plan(keys: list[Key]) -> Plan:
    return {"harvests": [{"field": field, "day": day, "mill": mill} for field, day, mill in keys]}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    union = _Union(data, omit)
    known = {(h["field"], h["day"], h["mill"]) for h in greedy(data)["harvests"]}
    solver, bound = solved(union.model, SECONDS, effort, [(literal, int(key in known)) for key, literal in union.cut.items()])
    return Solved(_plan([key for key, literal in union.cut.items() if solver.value(literal)]) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's profit of a plan."""
    keys = [(h["field"], h["day"], h["mill"]) for h in plan["harvests"]]
    union = _Union(data)
    if len(set(keys)) < len(keys) or not set(keys) <= set(union.cut):
        return None
    for key, literal in union.cut.items():
        union.model.add(literal == int(key in keys))
    return objective(union.model)


def greedy(data: Data) -> Plan:
    """Keep what was accepted and still can be; add the harvest of highest profit for as long as one fits all rules."""
    days = range(data["first_open"], data["union"]["days"] + 1)
    chosen = [key for key in sorted(data["accepted"]) if key[1] < data["first_open"] or key[:2] not in data["closed"]]
    options = [(field, day, mill) for field in data["fields"] for day in days for mill in data["mills"]]
    for key in sorted(options, key=lambda key: (-_profit(data, key), key)):
        if key[:2] not in data["closed"] and all(key[0] != other[0] for other in chosen) and _fits(data, chosen, key):
            chosen.append(key)
    while data["union"]["least_binds"]:  # mills that would get too little get nothing
        low = [key for key in chosen if key[1] >= data["first_open"] and _too_little(data, chosen, key)]
        if not low:
            break
        chosen = [key for key in chosen if key not in low]
    return _plan(chosen)


def _fits(data: Data, chosen: list[Key], key: Key) -> bool:
    fields, union = data["fields"], data["union"]
    today = [other for other in chosen if other[1] == key[1]] + [key]
    tonnes = sum(fields[field]["tonnes"][day] for field, day, mill in today if mill == key[2])
    names = {field for field, _, _ in today}
    return (
        sum(fields[field]["hours"] for field in names) <= union["hours"]
        and tonnes <= data["mills"][key[2]]["quota"]
        and (not union["truck_hours"] or sum(data["ways"][f, m][1] for f, _, m in today) <= union["truck_hours"])
        and (not union["most_districts"] or len({fields[field]["district"] for field in names}) <= union["most_districts"])
        and not any(set(pair) <= names for pair in union["apart"])
    )


def _too_little(data: Data, chosen: list[Key], key: Key) -> bool:
    tonnes = sum(data["fields"][field]["tonnes"][day] for field, day, mill in chosen if (day, mill) == key[1:])
    return bool(tonnes < data["mills"][key[2]]["least"])
