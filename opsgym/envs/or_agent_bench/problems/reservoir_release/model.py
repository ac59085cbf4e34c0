"""Reference program of the reservoirs: whole amounts of water by scenario, week and reservoir, in CP-SAT.

Source: J. Birge, F. Louveaux, Introduction to Stochastic Programming (2011), section 1.3, with nonanticipativity as equations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, table

OMITTABLE = ("turbines", "levels", "common", "running", "ramp", "service", "end", "flood", "farms")
SECONDS = 0.6
"""Deterministic time limit."""

Data = dict[str, Any]
Place = tuple[str, int, str]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    rows = table(files["data/reservoirs.csv"], ["reservoir"])
    reservoirs = {
        row["reservoir"]: {name: int(value) for name, value in row.items() if name not in ("reservoir", "status", "revision")}
        for row in sorted(rows, key=lambda row: int(row["place"]))
    }
    return {
        **settings(files["data/river.yaml"]),
        "reservoirs": reservoirs,
        "weights": {row["scenario"]: row["weight"] for row in json.loads(files["data/scenarios.json"])},
        "inflow": {
            (row["scenario"], int(row["week"]), row["reservoir"]): int(row["inflow"])
            for row in table(files["data/inflow.csv"], ["scenario", "week", "reservoir"])
        },
        "prices": {int(row["week"]): int(row["cents"]) for row in table(files["data/prices.csv"], ["week"])},
    }


class _River:
    """The model and its variables; ``most`` is the largest amount that a plan may name."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset(), most: int = 4000) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        model = self.model = cp_model.CpModel()
        self.turbined = {place: model.new_int_var(0, most, f"turbined {place}") for place in data["inflow"]}
        self.spilled = {place: model.new_int_var(0, most, f"spilled {place}") for place in data["inflow"]}
        self.weeks = sorted(data["prices"])
        for scenario in data["weights"]:
            self._levels(scenario)
            self._last(scenario)
        for name in data["reservoirs"]:
            self._turbine(name)
            self._common(name)
        model.maximize(
            sum(
                turbined * data["weights"][scenario] * data["prices"][week]
                for (scenario, week, _), turbined in self.turbined.items()
            )
        )

    def _levels(self, scenario: str) -> None:
        data, model = self.data, self.model
        level: dict[str, Any] = {name: facts["start"] for name, facts in data["reservoirs"].items()}
        for week in self.weeks:
            above: Any = 0
            for name, facts in data["reservoirs"].items():
                place = scenario, week, name
                out = self.turbined[place] + self.spilled[place]
                level[name] = level[name] + data["inflow"][place] + above - out
                above = out
                if "levels" not in self.omit:
                    model.add(level[name] >= facts["least"])
                    model.add(level[name] <= facts["most"])
        for name, facts in data["reservoirs"].items():
            if facts["end"] and "end" not in self.omit:
                model.add(level[name] >= facts["end"])

    def _last(self, scenario: str) -> None:
        data, model, last = self.data, self.model, list(self.data["reservoirs"])[-1]
        for week in self.weeks:
            out = self.turbined[scenario, week, last] + self.spilled[scenario, week, last]
            if data["flood"] and "flood" not in self.omit:
                model.add(out <= data["flood"])
            if data["farms"] and "farms" not in self.omit:
                model.add(out >= data["farms"])

    def _turbine(self, name: str) -> None:
        data, model, omit, facts = self.data, self.model, self.omit, self.data["reservoirs"][name]
        for scenario in data["weights"]:
            runs = {week: model.new_bool_var("") for week in self.weeks}
            for week in self.weeks:
                turbined = self.turbined[scenario, week, name]
                model.add(turbined == 0).only_enforce_if(~runs[week])
                model.add(turbined >= 1).only_enforce_if(runs[week])
                if "turbines" not in omit:
                    model.add(turbined <= facts["turbine"])
                if facts["running"] and "running" not in omit:
                    model.add(turbined >= facts["running"]).only_enforce_if(runs[week])
                if week == facts["service"] and "service" not in omit:
                    model.add(turbined == 0)
                if facts["ramp"] and week > 1 and "ramp" not in omit:
                    change = turbined - self.turbined[scenario, week - 1, name]
                    both = [runs[week], runs[week - 1]]
                    model.add(change <= facts["ramp"]).only_enforce_if(both)
                    model.add(change >= -facts["ramp"]).only_enforce_if(both)

    def _common(self, name: str) -> None:
        first, *others = self.data["weights"]
        for week in range(1, self.data["common_weeks"] + 1) if "common" not in self.omit else ():
            for scenario in others:
                for water in (self.turbined, self.spilled):
                    self.model.add(water[scenario, week, name] == water[first, week, name])


def _plan(turbined: Mapping[Place, int], spilled: Mapping[Place, int]) -> Plan:
    rows = [
        {"scenario": scenario, "week": week, "reservoir": name, "turbined": amount, "spilled": spilled[scenario, week, name]}
        for (scenario, week, name), amount in turbined.items()
    ]
    return {"releases": rows}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best releases within the limit, started from the greedy ones."""
    river = _River(data, omit)
    known = {(row["scenario"], row["week"], row["reservoir"]): row for row in greedy(data)["releases"]}
    start = [(water, known[place]["turbined"]) for place, water in river.turbined.items()]
    start += [(water, known[place]["spilled"]) for place, water in river.spilled.items()]
    solver, bound = solved(river.model, SECONDS, effort, start)
    if not solver:
        return Solved(None)
    turbined = {place: solver.value(water) for place, water in river.turbined.items()}
    return Solved(_plan(turbined, {place: solver.value(water) for place, water in river.spilled.items()}), bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's earnings of releases."""
    rows = {(row["scenario"], row["week"], row["reservoir"]): row for row in plan["releases"]}
    amounts = [row[name] for row in plan["releases"] for name in ("turbined", "spilled")]
    if set(rows) != set(data["inflow"]) or len(rows) != len(plan["releases"]) or min(amounts) < 0:
        return None
    river = _River(data, most=max(amounts))
    for place, row in rows.items():
        river.model.add(river.turbined[place] == row["turbined"])
        river.model.add(river.spilled[place] == row["spilled"])
    return objective(river.model)


def greedy(data: Data) -> Plan:
    """Each reservoir turbines steadily what keeps it near its level of the start, and spills only what it cannot hold."""
    turbined: dict[Place, int] = {}
    spilled: dict[Place, int] = {}
    scenarios = list(data["weights"])
    for scenario in scenarios:
        level = {name: facts["start"] for name, facts in data["reservoirs"].items()}
        for week in sorted(data["prices"]):
            above = 0
            for name, facts in data["reservoirs"].items():
                place, first = (scenario, week, name), (scenarios[0], week, name)
                level[name] += data["inflow"][place] + above
                if week <= data["common_weeks"] and scenario != scenarios[0]:
                    turbined[place], spilled[place] = turbined[first], spilled[first]
                else:
                    turbined[place] = _steady(facts, level[name], week, turbined.get((scenario, week - 1, name)))
                    spilled[place] = max(0, level[name] - turbined[place] - facts["most"])
                    if name == list(data["reservoirs"])[-1]:
                        spilled[place] = max(spilled[place], data["farms"] - turbined[place])
                above = turbined[place] + spilled[place]
                level[name] -= above
    return _plan(turbined, spilled)


def _steady(facts: Mapping[str, int], level: int, week: int, before: int | None) -> int:
    """What a turbine takes to bring the water back to what it was at the start."""
    if week == facts["service"]:
        return 0
    wanted = min(facts["turbine"], max(0, level - facts["start"]))
    if wanted < facts["running"]:
        spare = level - facts["running"] >= max(facts["least"], facts["end"])
        wanted = facts["running"] if spare else 0
    if facts["ramp"] and before and wanted:
        wanted = max(before - facts["ramp"], min(before + facts["ramp"], wanted))
    return wanted
