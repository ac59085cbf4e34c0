"""Reference program of the blood supply: flows of bags from lots to requests, with boxes, in CP-SAT.

Source: J. Belien and H. Force, Supply chain management of blood products, European Journal of Operational Research 217 (2012).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, table

OMITTABLE = ("group", "age", "stock", "courier", "fair", "fresh", "rare")
SECONDS = 0.4
"""Deterministic time limit."""

RARE = "O"
Data = dict[str, Any]
Pair = tuple[str, str]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    lots = {
        row["lot"]: {"group": row["group"], **{name: int(row[name]) for name in ("bags", "arrives", "last")}}
        for row in table(files["data/lots.csv"], ["lot"])
    }
    requests = {
        row["request"]: {
            "hospital": row["hospital"],
            "group": row["group"],
            "fresh": row["fresh"] == "yes",
            **{name: int(row[name]) for name in ("day", "bags", "flown_cents")},
        }
        for row in table(files["data/requests.csv"], ["request"])
    }
    return {
        "lots": lots,
        "requests": requests,
        "fits": json.loads(files["data/groups.json"]),
        "boxes": {entry["hospital"]: entry["box_cents"] for entry in json.loads(files["data/hospitals.json"])},
        "bank": settings(files["data/bank.yaml"]),
    }


def _allowed(data: Data, lot: str, request: str, omit: frozenset[str]) -> bool:
    """Whether bags of a lot may serve a request."""
    one, other, fresh = data["lots"][lot], data["requests"][request], data["bank"]["fresh_days"]
    fits = "group" in omit or other["group"] in data["fits"][one["group"]]
    there = "age" in omit or one["arrives"] <= other["day"] <= one["last"]
    young = "fresh" in omit or not (fresh and other["fresh"]) or one["last"] - other["day"] >= fresh
    return bool(fits and there and young)


class _Bank:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = model = cp_model.CpModel()
        self.bags = {
            (lot, request): model.new_int_var(0, data["requests"][request]["bags"], "")
            for lot in data["lots"]
            for request in data["requests"]
            if _allowed(data, lot, request, omit)
        }
        self.cost: list[Any] = []
        bank = data["bank"]
        for request, of in data["requests"].items():
            got = sum(bags for (_, r), bags in self.bags.items() if r == request)
            model.add(got <= of["bags"])
            self.cost.append((of["bags"] - got) * of["flown_cents"])
        for lot, of in data["lots"].items():
            sent = sum(bags for (name, _), bags in self.bags.items() if name == lot)
            if "stock" not in omit:
                model.add(sent <= of["bags"])
            if of["last"] <= bank["days"]:
                self.cost.append((of["bags"] - sent) * bank["waste_cents"])
        substitutes = [bags for pair, bags in self.bags.items() if self._substitutes(pair)]
        self.cost += [bags * bank["substitute_cents"] for bags in substitutes]
        self._boxes()
        self._limits()
        model.minimize(sum(self.cost))

    def _substitutes(self, pair: Pair) -> bool:
        return bool(self.data["lots"][pair[0]]["group"] != self.data["requests"][pair[1]]["group"])

    def _boxes(self) -> None:
        requests, bank = self.data["requests"], self.data["bank"]
        for hospital, cents in self.data["boxes"].items():
            for day in range(1, bank["days"] + 1):
                there = [
                    bags for (_, r), bags in self.bags.items() if (requests[r]["hospital"], requests[r]["day"]) == (hospital, day)
                ]
                boxes = self.model.new_int_var(0, 10_000, "")
                self.model.add(sum(there) <= bank["box_bags"] * boxes)
                self.cost.append(boxes * cents)

    def _limits(self) -> None:
        model, bank, requests, lots = self.model, self.data["bank"], self.data["requests"], self.data["lots"]
        for day in range(1, bank["days"] + 1):
            today = {pair: bags for pair, bags in self.bags.items() if requests[pair[1]]["day"] == day}
            if bank["courier_bags"] and "courier" not in self.omit:
                model.add(sum(today.values()) <= bank["courier_bags"])
            if bank["rare_bags"] and "rare" not in self.omit:
                rare = [bags for pair, bags in today.items() if lots[pair[0]]["group"] == RARE and self._substitutes(pair)]
                model.add(sum(rare) <= bank["rare_bags"])
        for hospital in self.data["boxes"] if bank["fair_percent"] and "fair" not in self.omit else ():
            needed = sum(of["bags"] for of in requests.values() if of["hospital"] == hospital)
            got = sum(bags for (_, r), bags in self.bags.items() if requests[r]["hospital"] == hospital)
            model.add(100 * got >= bank["fair_percent"] * needed)


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    bank = _Bank(data, omit)
    known = {(row["lot"], row["request"]): row["bags"] for row in greedy(data)["sends"]}
    solver, bound = solved(bank.model, SECONDS, effort, [(bags, known.get(pair, 0)) for pair, bags in bank.bags.items()])
    if not solver:
        return Solved(None)
    return Solved(_plan({pair: solver.value(bags) for pair, bags in bank.bags.items()}), bound)


def _plan(bags: Mapping[Pair, int]) -> Plan:
    return {"sends": [{"lot": lot, "request": request, "bags": count} for (lot, request), count in bags.items() if count]}


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    bags = {(row["lot"], row["request"]): row["bags"] for row in plan["sends"]}
    bank = _Bank(data)
    if len(bags) < len(plan["sends"]) or not set(bags) <= set(bank.bags) or any(count < 1 for count in bags.values()):
        return None
    for pair, variable in bank.bags.items():
        bank.model.add(variable == bags.get(pair, 0))
    return objective(bank.model)


def greedy(data: Data) -> Plan:
    """Day by day, the dearest requests first, the oldest bags of the own group first; hospitals take turns with one bag each."""
    bank, found = data["bank"], dict[Pair, int]()
    left = {lot: of["bags"] for lot, of in data["lots"].items()}
    for day in range(1, bank["days"] + 1):
        room, rare = bank["courier_bags"] or 10**6, bank["rare_bags"] or 10**6
        today = sorted(
            (r for r, of in data["requests"].items() if of["day"] == day), key=lambda r: -data["requests"][r]["flown_cents"]
        )
        open_bags = {request: data["requests"][request]["bags"] for request in today}
        moved = True
        while moved and room:
            moved = False
            for request in today:
                if not open_bags[request] or not room:
                    continue
                group = data["requests"][request]["group"]
                lots = [x for x in left if left[x] and _allowed(data, x, request, frozenset())]
                lots = [x for x in lots if rare or data["lots"][x]["group"] in (group, *(g for g in data["fits"] if g != RARE))]
                if not lots:
                    continue
                lot = min(lots, key=lambda x: (data["lots"][x]["group"] != group, data["lots"][x]["last"], x))
                rare -= data["lots"][lot]["group"] == RARE != group
                found[lot, request] = found.get((lot, request), 0) + 1
                left[lot] -= 1
                open_bags[request] -= 1
                room -= 1
                moved = True
    return _plan(found)
