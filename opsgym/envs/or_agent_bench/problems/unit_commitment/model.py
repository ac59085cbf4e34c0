"""Reference program of the plant commitment: the three-binary model of unit commitment in CP-SAT.

Source: A. J. Conejo, M. Carrion and J. M. Morales, Decision Making Under Uncertainty in Electricity Markets (2010), chapter 5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, state, table

OMITTABLE = ("up", "down", "ramp", "avoid", "reserve", "emissions", "gas", "range")
SECONDS = 0.25
"""Deterministic time limit."""

Data = dict[str, Any]
Key = tuple[str, int]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    plants: dict[str, Any] = {entry["plant"]: dict(entry) for entry in json.loads(files["data/operation.json"])}
    for row in table(files["data/plants.csv"], ["plant"]):
        numbers = {name: int(value) for name, value in row.items() if name not in ("plant", "gas", "status")}
        plants[row["plant"]] |= numbers | {"gas": row["gas"] == "yes"}
    forecast = {int(row["hour"]): (int(row["demand"]), int(row["wind"])) for row in table(files["data/forecast.csv"], ["hour"])}
    accepted = state(files)
    system = settings(files["data/system.yaml"])
    return {
        "plants": plants,
        "forecast": dict(sorted(forecast.items())),
        "system": system,
        "first_open": system.get("first_open", 1) if accepted else 1,
        "accepted": None if accepted is None else {(o["plant"], o["hour"]): o["mw"] for o in accepted["outputs"]},
    }


class _System:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = cp_model.CpModel()
        keys = [(plant, hour) for plant in data["plants"] for hour in data["forecast"]]
        self.on = {key: self.model.new_bool_var(f"on {key}") for key in keys}
        self.mw = {key: self.model.new_int_var(0, data["plants"][key[0]]["most"], f"mw {key}") for key in keys}
        self.cost: list[Any] = []
        for plant, of in data["plants"].items():
            self._plant(plant, of)
        for hour, (demand, wind) in data["forecast"].items():
            self._hour(hour, demand, wind)
        if data["system"]["emission_kg"] and "emissions" not in omit:
            kg = sum(data["plants"][plant]["kg"] * mw for (plant, _), mw in self.mw.items())
            self.model.add(kg <= data["system"]["emission_kg"])
        self._accepted()
        self.model.minimize(sum(self.cost))

    def _plant(self, plant: str, of: dict[str, Any]) -> None:
        model, hours = self.model, list(self.data["forecast"])
        for hour in hours:
            on, mw, high = self.on[plant, hour], self.mw[plant, hour], model.new_int_var(0, of["most"], "")
            model.add(mw <= of["most"] * on)
            model.add(mw >= (0 if "range" in self.omit else of["least"]) * on)
            model.add(high >= mw - of["knee"])
            self.cost += [on * of["run_cents"], mw * of["low_cents"], high * (of["high_cents"] - of["low_cents"])]
            if of["avoid"] and "avoid" not in self.omit:
                above = model.new_bool_var("")
                model.add(mw >= of["avoid"][1]).only_enforce_if(above)
                model.add(mw <= of["avoid"][0]).only_enforce_if(~above)
            if of["ramp"] and hour + 1 in hours and "ramp" not in self.omit:
                both = [on, self.on[plant, hour + 1]]
                model.add_linear_constraint(self.mw[plant, hour + 1] - mw, -of["ramp"], of["ramp"]).only_enforce_if(both)
        self._switching(plant, of, hours)

    def _switching(self, plant: str, of: dict[str, Any], hours: list[int]) -> None:
        model = self.model
        starts, stops = ({hour: model.new_bool_var("") for hour in hours} for _ in range(2))
        for hour in hours:
            before = self.on[plant, hour - 1] if hour > 1 else int(of["before"] > 0)
            model.add(starts[hour] - stops[hour] == self.on[plant, hour] - before)
            model.add(starts[hour] + stops[hour] <= 1)
            self.cost.append(starts[hour] * of["start_cents"])
            if "up" not in self.omit:
                model.add(sum(starts[h] for h in range(max(1, hour - of["up"] + 1), hour + 1)) <= self.on[plant, hour])
            if "down" not in self.omit:
                model.add(sum(stops[h] for h in range(max(1, hour - of["down"] + 1), hour + 1)) <= 1 - self.on[plant, hour])
        rule, least = ("up", of["up"]) if of["before"] > 0 else ("down", of["down"])
        for hour in hours[: max(0, least - abs(of["before"]))] if rule not in self.omit else ():
            model.add(self.on[plant, hour] == int(of["before"] > 0))

    def _hour(self, hour: int, demand: int, wind: int) -> None:
        model, system, plants = self.model, self.data["system"], self.data["plants"]
        made = sum(self.mw[plant, hour] for plant in plants)
        shed, dumped = model.new_int_var(0, max(0, demand - wind), ""), model.new_int_var(0, 10_000, "")
        model.add(shed >= demand - wind - made)
        model.add(dumped >= made - demand)
        self.cost += [shed * system["shed_cents"], dumped * system["dump_cents"]]
        if system["reserve"] and "reserve" not in self.omit:
            model.add(sum(of["most"] * self.on[plant, hour] for plant, of in plants.items()) - made >= system["reserve"])
        if system["gas_mw"] and "gas" not in self.omit:
            model.add(sum(self.mw[plant, hour] for plant, of in plants.items() if of["gas"]) <= system["gas_mw"])

    def _accepted(self) -> None:
        accepted = self.data["accepted"]
        for key, on in self.on.items() if accepted is not None else ():
            if key[1] < self.data["first_open"]:
                self.model.add(self.mw[key] == accepted.get(key, 0))
                self.model.add(on == int(key in accepted))
            self.cost.append((1 - on if key in accepted else on) * self.data["system"]["change_cents"])


def _plan(outputs: Mapping[Key, int]) -> Plan:
    return {"outputs": [{"plant": plant, "hour": hour, "mw": mw} for (plant, hour), mw in outputs.items()]}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    system = _System(data, omit)
    known = {(output["plant"], output["hour"]): output["mw"] for output in greedy(data)["outputs"]}
    start = [(mw, known.get(key, 0)) for key, mw in system.mw.items()]
    start += [(on, int(key in known)) for key, on in system.on.items()]
    solver, bound = solved(system.model, SECONDS, effort, start)
    outputs = {key: solver.value(system.mw[key]) for key, on in system.on.items() if solver.value(on)} if solver else {}
    return Solved(_plan(outputs) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    outputs = {(output["plant"], output["hour"]): output["mw"] for output in plan["outputs"]}
    system = _System(data)
    if len(outputs) < len(plan["outputs"]) or not set(outputs) <= set(system.on):
        return None
    for key, on in system.on.items():
        system.model.add(on == int(key in outputs))
        system.model.add(system.mw[key] == outputs.get(key, 0))
    return objective(system.model)


def greedy(data: Data) -> Plan:
    """All plants run as soon as they may and for ever, the cheapest, or cleanest, as high as it goes within its ramp."""
    plants, system, accepted = data["plants"], data["system"], data["accepted"] or {}
    order = sorted(plants, key=lambda plant: plants[plant]["kg" if system["emission_kg"] else "low_cents"])
    outputs: dict[Key, int] = {key: mw for key, mw in accepted.items() if key[1] < data["first_open"]}
    for hour, (demand, wind) in data["forecast"].items():
        if hour < data["first_open"]:
            continue
        on = [plant for plant in order if _may_run(data, outputs, plant, hour)]
        spare = sum(plants[plant]["most"] for plant in on) - system["reserve"]
        left = min(demand - wind, spare) - sum(_floor(plants[plant], outputs.get((plant, hour - 1))) for plant in on)
        floors = sum(plants[plant]["kg"] * _floor(plants[plant], outputs.get((plant, hour - 1))) for plant in on)
        spent = sum(plants[plant]["kg"] * mw for (plant, _), mw in outputs.items())
        allowed = (system["emission_kg"] - spent) // (len(data["forecast"]) + 1 - hour) - floors  # an equal share of what is left
        gas = system["gas_mw"] or 10**6
        gas -= sum(_floor(plants[plant], outputs.get((plant, hour - 1))) for plant in on if plants[plant]["gas"])
        for plant in on:
            of, before = plants[plant], outputs.get((plant, hour - 1))
            low = _floor(of, before)
            high = of["most"] if before is None or not of["ramp"] else min(of["most"], before + of["ramp"])
            more = max(0, min(left, high - low, gas if of["gas"] else left))
            if system["emission_kg"]:
                more = min(more, max(0, allowed) // max(1, of["kg"]))
            if of["avoid"] and of["avoid"][0] < low + more < of["avoid"][1]:
                more = max(0, of["avoid"][0] - low)
            outputs[plant, hour] = low + more
            left -= more
            allowed -= more * of["kg"]
            gas -= more if of["gas"] else 0
    return _plan(outputs)


def _floor(of: dict[str, Any], before: int | None) -> int:
    """Least output that the hour before allows."""
    return int(of["least"] if before is None or not of["ramp"] else max(of["least"], before - of["ramp"]))


def _may_run(data: Data, outputs: Mapping[Key, int], plant: str, hour: int) -> bool:
    """Whether a plant may run as far as its last stop is concerned."""
    of, stood = data["plants"][plant], 0
    while hour - 1 - stood >= 1 and (plant, hour - 1 - stood) not in outputs:
        stood += 1
    ever = hour - 1 - stood >= 1
    if not ever and of["before"] > 0:
        return stood == 0 or stood >= of["down"]
    return (stood == 0 and ever) or stood + (0 if ever else -of["before"]) >= of["down"]
