"""Reference program of the operating rooms: the extensive form over the scenarios in CP-SAT.

Source: B. T. Denton et al., Optimal allocation of surgery blocks to operating rooms under uncertainty, Operations Research 58
(2010).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, table

OMITTABLE = ("specialty", "latest", "imaging", "surgeon", "beds", "risk", "apart")
SECONDS = 0.5
"""Deterministic time limit."""

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    surgeries: dict[str, Any] = {
        row["surgery"]: {
            "surgeon": row["surgeon"],
            "specialty": row["specialty"],
            "imaging": row["imaging"] == "yes",
            "infectious": row["infectious"] == "yes",
            "stay": int(row["stay"]),
            "latest": int(row["latest"]),
            "postpone": int(row["postpone_cents"]),
            "minutes": {},
        }
        for row in table(files["data/surgeries.csv"], ["surgery"])
    }
    for row in table(files["data/durations.csv"], ["surgery", "scenario"]):
        surgeries[row["surgery"]]["minutes"][int(row["scenario"])] = amount(row, "minutes")
    hospital = settings(files["data/hospital.yaml"])
    return {
        "surgeries": surgeries,
        "blocks": {block["block"]: block for block in json.loads(files["data/blocks.json"])},
        "hospital": hospital,
        "weights": dict(enumerate(hospital["scenario_tenths"], start=1)),
    }


class _Rooms:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = cp_model.CpModel()
        self.at = {(s, b): self.model.new_bool_var(f"{s} in {b}") for s in data["surgeries"] for b in data["blocks"]}
        self.postponed = {s: self.model.new_bool_var(f"{s} postponed") for s in data["surgeries"]}
        self.cost: list[Any] = []
        for name, surgery in data["surgeries"].items():
            self.model.add_exactly_one([self.postponed[name], *(self.at[name, block] for block in data["blocks"])])
            self.cost.append(self.postponed[name] * surgery["postpone"])
        for name, block in data["blocks"].items():
            self._block(name, block)
        for day in range(1, data["hospital"]["days"] + 1):
            self._day(day)
        self.model.minimize(sum(self.cost))

    def _block(self, name: str, block: dict[str, Any]) -> None:
        model, data, hospital = self.model, self.data, self.data["hospital"]
        opened = model.new_bool_var("")
        for surgery, of in data["surgeries"].items():
            model.add_implication(self.at[surgery, name], opened)
            unfit = of["specialty"] not in block["specialties"] and "specialty" not in self.omit
            late = block["day"] > of["latest"] and "latest" not in self.omit
            if unfit or late:
                model.add(self.at[surgery, name] == 0)
        self.cost.append(opened * block["open_cents"])
        if hospital["infectious_apart"] and "apart" not in self.omit:
            model.add_at_most_one(self.at[s, name] for s, of in data["surgeries"].items() if of["infectious"])
        longs = []
        for scenario, weight in data["weights"].items():
            over = model.new_int_var(0, 10_000, "")
            lasts = sum(
                (of["minutes"][scenario] + hospital["cleaning"]) * self.at[s, name] for s, of in data["surgeries"].items()
            )
            model.add(over >= lasts - hospital["cleaning"] - block["minutes"])
            self.cost.append(over * (weight * hospital["overtime_cents"] // 10))
            if hospital["long_minutes"] and "risk" not in self.omit:
                long = model.new_bool_var("")
                model.add(over <= hospital["long_minutes"]).only_enforce_if(~long)
                longs.append(long * weight)
        if longs:
            model.add(sum(longs) <= hospital["risk_tenths"])

    def _day(self, day: int) -> None:
        model, data, hospital = self.model, self.data, self.data["hospital"]
        today = [name for name, block in data["blocks"].items() if block["day"] == day]
        if hospital["imaging"] and "imaging" not in self.omit:
            imaging = [self.at[s, b] for s, of in data["surgeries"].items() if of["imaging"] for b in today]
            model.add(sum(imaging) <= hospital["imaging"])
        for surgeon in sorted({of["surgeon"] for of in data["surgeries"].values()}) if hospital["surgeon_minutes"] else ():
            if "surgeon" not in self.omit:
                own = [(s, of) for s, of in data["surgeries"].items() if of["surgeon"] == surgeon]
                tenths = [
                    self.at[s, b] * sum(of["minutes"][k] * w for k, w in data["weights"].items()) for s, of in own for b in today
                ]
                model.add(sum(tenths) <= 10 * hospital["surgeon_minutes"])
        if hospital["beds"] and "beds" not in self.omit:
            staying = [
                self.at[s, b]
                for s, of in data["surgeries"].items()
                for b, block in data["blocks"].items()
                if block["day"] <= day < block["day"] + of["stay"]
            ]
            model.add(sum(staying) <= hospital["beds"])

    def values(self, plan: Plan) -> list[tuple[Any, int]]:
        """The decisions of a plan, variable by variable."""
        places = {(place["surgery"], place["block"]) for place in plan["done"]}
        found = [(at, int(key in places)) for key, at in self.at.items()]
        return found + [(postponed, int(name in plan["postponed"])) for name, postponed in self.postponed.items()]


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    rooms = _Rooms(data, omit)
    solver, bound = solved(rooms.model, SECONDS, effort, rooms.values(greedy(data)))
    if not solver:
        return Solved(None)
    done = [{"surgery": s, "block": b} for (s, b), at in rooms.at.items() if solver.value(at)]
    return Solved({"done": done, "postponed": [s for s, var in rooms.postponed.items() if solver.value(var)]}, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    named = [place["surgery"] for place in plan["done"]] + plan["postponed"]
    if sorted(named) != sorted(data["surgeries"]) or any(place["block"] not in data["blocks"] for place in plan["done"]):
        return None
    rooms = _Rooms(data)
    for variable, value in rooms.values(plan):
        rooms.model.add(variable == value)
    return objective(rooms.model)


def greedy(data: Data) -> Plan:
    """The dearest to postpone first, into the first block where it fits in every scenario and breaks no rule."""
    blocks, surgeries = data["blocks"], data["surgeries"]
    inside: dict[str, list[str]] = {block: [] for block in blocks}
    done, postponed = [], []
    for name in sorted(surgeries, key=lambda name: -surgeries[name]["postpone"]):
        block = next((block for block in blocks if _fits(data, inside, name, block)), None)
        if block is None:
            postponed.append(name)
        else:
            inside[block].append(name)
            done.append({"surgery": name, "block": block})
    return {"done": done, "postponed": postponed}


def _fits(data: Data, inside: Mapping[str, list[str]], name: str, block: str) -> bool:
    hospital, surgeries, blocks = data["hospital"], data["surgeries"], data["blocks"]
    of, day = surgeries[name], blocks[block]["day"]
    here = [surgeries[other] for other in inside[block]] + [of]
    today = [surgeries[other] for b in blocks if blocks[b]["day"] == day for other in inside[b]] + [of]
    if of["specialty"] not in blocks[block]["specialties"] or day > of["latest"]:
        return False
    longest = max(sum(one["minutes"][scenario] for one in here) for scenario in data["weights"])
    if longest + hospital["cleaning"] * (len(here) - 1) > blocks[block]["minutes"]:
        return False
    if hospital["infectious_apart"] and sum(one["infectious"] for one in here) > 1:
        return False
    if hospital["imaging"] and sum(one["imaging"] for one in today) > hospital["imaging"]:
        return False
    tenths = sum(one["minutes"][k] * w for one in today if one["surgeon"] == of["surgeon"] for k, w in data["weights"].items())
    if hospital["surgeon_minutes"] and tenths > 10 * hospital["surgeon_minutes"]:
        return False
    for later in range(day, day + of["stay"]) if hospital["beds"] else ():
        staying = sum(blocks[b]["day"] <= later < blocks[b]["day"] + surgeries[o]["stay"] for b in blocks for o in inside[b])
        if later <= hospital["days"] and staying + 1 > hospital["beds"]:
            return False
    return True
