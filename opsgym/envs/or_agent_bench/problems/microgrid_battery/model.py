"""Reference program of the microgrid: the extensive form over the scenarios in CP-SAT.

Source: A. J. Conejo, M. Carrion and J. M. Morales, Decision Making Under Uncertainty in Electricity Markets (2010), chapter 2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, table

OMITTABLE = ("connection", "power", "energy", "refill", "generator", "one_way", "fuel", "balance")
SECONDS = 0.4
"""Deterministic time limit."""

KEPT = 9
FLOWS = ("charge", "discharge", "generator", "bought")
Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    site, plant = settings(files["data/site.yaml"]), json.loads(files["data/plant.json"])
    hours = {
        int(row["hour"]): {"load": amount(row, "load"), "ahead": int(row["ahead_cents"]), "short": int(row["short_cents"])}
        for row in table(files["data/hours.csv"], ["hour"])
    }
    sun = {
        (int(row["scenario"]), int(row["hour"])): int(row["kwh"]) for row in table(files["data/sun.csv"], ["scenario", "hour"])
    }
    weights = dict(enumerate(site["scenario_tenths"], start=1))
    parts: Data = {"hours": dict(sorted(hours.items())), "sun": sun, "weights": weights, "site": site}
    return {**parts, **plant}


class _Grid:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset(), largest: int = 0) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = model = cp_model.CpModel()
        self.most = max(largest, 2 * (sum(hour["load"] for hour in data["hours"].values()) + data["battery"]["capacity"]))
        self.ahead = {hour: model.new_int_var(0, self.most, "") for hour in data["hours"]}
        self.standby = {hour: model.new_bool_var("") for hour in data["hours"]}
        self.flow = {
            (scenario, hour, name): model.new_int_var(0, self.most, "")
            for scenario in data["weights"]
            for hour in data["hours"]
            for name in FLOWS
        }
        self.cost: list[Any] = [bought * data["hours"][hour]["ahead"] for hour, bought in self.ahead.items()]
        self._first_stage()
        for scenario, weight in data["weights"].items():
            self._scenario(scenario, weight)
        model.minimize(sum(self.cost))

    def _first_stage(self) -> None:
        model, data = self.model, self.data
        peak = model.new_int_var(0, self.most, "")
        for hour, bought in self.ahead.items():
            model.add(peak >= bought)
            start = model.new_bool_var("")
            model.add(start >= self.standby[hour] - self.standby.get(hour - 1, 0))
            self.cost.append(self.standby[hour] * data["generator"]["standby_cents"] + start * data["generator"]["start_cents"])
        self.cost.append(peak * data["site"]["peak_cents"])

    def _scenario(self, scenario: int, weight: int) -> None:
        model, data, battery = self.model, self.data, self.data["battery"]
        tenths: Any = 10 * battery["filled"]
        for hour, of in data["hours"].items():
            charge, discharge, made, bought = (self.flow[scenario, hour, name] for name in FLOWS)
            if "balance" not in self.omit:
                there = self.ahead[hour] + bought + data["sun"][scenario, hour] + made + discharge
                model.add(there >= of["load"] + charge)
            else:  # what is bought at short notice comes in any case, or so the modeller thinks
                model.add(self.ahead[hour] + bought + data["sun"][scenario, hour] >= of["load"] - data["generator"]["most"])
            if "connection" not in self.omit:
                model.add(self.ahead[hour] + bought <= data["site"]["connection"])
            if "power" not in self.omit:
                model.add(charge <= battery["power"])
                model.add(discharge <= battery["power"])
            if data["site"]["one_way"] and "one_way" not in self.omit:
                fills = model.new_bool_var("")
                model.add(discharge == 0).only_enforce_if(fills)
                model.add(charge == 0).only_enforce_if(~fills)
            if "generator" not in self.omit:
                model.add(made <= data["generator"]["most"] * self.standby[hour])
                model.add(made >= data["generator"]["least"] * self.standby[hour])
            tenths = tenths + KEPT * charge - 10 * discharge
            if "energy" not in self.omit:
                model.add_linear_constraint(tenths, 10 * battery["reserve"], 10 * battery["capacity"])
            self.cost += [bought * (of["short"] * weight // 10), made * (data["generator"]["fuel_cents"] * weight // 10)]
        if "refill" not in self.omit:
            model.add(tenths >= 10 * battery["filled"])
        if data["generator"]["fuel_kwh"] and "fuel" not in self.omit:
            made_all = sum(self.flow[scenario, hour, "generator"] for hour in data["hours"])
            model.add(made_all <= data["generator"]["fuel_kwh"])

    def values(self, plan: Plan) -> list[tuple[Any, int]]:
        """The decisions of a plan, variable by variable."""
        found = [(self.ahead[row["hour"]], row["bought"]) for row in plan["ahead"]]
        found += [(self.standby[row["hour"]], int(row["standby"])) for row in plan["ahead"]]
        return found + [(self.flow[row["scenario"], row["hour"], name], row[name]) for row in plan["then"] for name in FLOWS]


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    grid = _Grid(data, omit)
    solver, bound = solved(grid.model, SECONDS, effort, grid.values(greedy(data)))
    if not solver:
        return Solved(None)
    ahead = [
        {"hour": hour, "bought": solver.value(bought), "standby": bool(solver.value(grid.standby[hour]))}
        for hour, bought in grid.ahead.items()
    ]
    then = [
        {"scenario": scenario, "hour": hour, **{name: solver.value(grid.flow[scenario, hour, name]) for name in FLOWS}}
        for scenario in data["weights"]
        for hour in data["hours"]
    ]
    return Solved({"ahead": ahead, "then": then}, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    hours = [row["hour"] for row in plan["ahead"]]
    keys = [(row["scenario"], row["hour"]) for row in plan["then"]]
    every = sorted((scenario, hour) for scenario in data["weights"] for hour in data["hours"])
    if sorted(hours) != list(data["hours"]) or sorted(keys) != every:
        return None
    grid = _Grid(
        data, largest=max([row["bought"] for row in plan["ahead"]] + [row[name] for row in plan["then"] for name in FLOWS])
    )
    for variable, value in grid.values(plan):
        grid.model.add(variable == value)
    return objective(grid.model)


def greedy(data: Data) -> Plan:
    """Buy what the mean sun leaves open; the battery rests, and short notice covers the difference."""
    tenths = sum(data["weights"].values())
    ahead, then = [], []
    for hour, of in data["hours"].items():
        mean = sum(data["sun"][scenario, hour] * weight for scenario, weight in data["weights"].items()) // tenths
        bought = max(0, of["load"] - mean)
        ahead.append({"hour": hour, "bought": bought, "standby": False})
        for scenario in data["weights"]:
            short = max(0, of["load"] - bought - data["sun"][scenario, hour])
            then.append({"scenario": scenario, "hour": hour, "charge": 0, "discharge": 0, "generator": 0, "bought": short})
    return {"ahead": ahead, "then": then}
