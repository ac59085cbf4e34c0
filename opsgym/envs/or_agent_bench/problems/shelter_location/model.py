"""Reference program of the flood shelters: shelters first, then moves in every scenario, as one program in CP-SAT.

Source: J. Birge, F. Louveaux, Introduction to Stochastic Programming (2011), section 2.4, in its extensive form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, table

OMITTABLE = ("places", "reach", "water", "count", "rations", "targets", "care_homes", "new", "kept")
SECONDS = 0.5
"""Deterministic time limit."""

Data = dict[str, Any]
Place = tuple[str, str, str]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    shelters = {
        row["shelter"]: {
            "base": row["base"],
            "places": int(row["places"]),
            "cents": int(row["cents"]),
            **{name: row[name] == "yes" for name in ("accessible", "last_season", "kept")},
        }
        for row in table(files["data/shelters.csv"], ["shelter"])
    }
    return {
        **settings(files["data/district.yaml"]),
        "shelters": shelters,
        "care": {row["zone"]: row["care_home"] == "yes" for row in table(files["data/zones.csv"])},
        "people": {
            (row["scenario"], row["zone"]): int(row["people"]) for row in table(files["data/people.csv"], ["scenario", "zone"])
        },
        "scenarios": {row["scenario"]: row for row in json.loads(files["data/scenarios.json"])},
        "km": {(row["zone"], row["shelter"]): amount(row, "distance") // 1000 for row in table(files["data/roads.csv"])},
        "rations": {row["base"]: row["rations"] for row in json.loads(files["data/bases.json"])},
    }


def _may_go(data: Data, scenario: str, zone: str, shelter: str, omit: frozenset[str] = frozenset()) -> bool:
    """Whether the people of a zone can go to a shelter at all."""
    is_near = data["km"][zone, shelter] <= data["most_km"] or "reach" in omit
    is_dry = shelter not in data["scenarios"][scenario]["under_water"] or "water" in omit
    return is_near and is_dry and (data["shelters"][shelter]["accessible"] or not data["care"][zone] or "care_homes" in omit)


class _District:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        model = self.model = cp_model.CpModel()
        self.prepared = {name: model.new_bool_var(f"prepared {name}") for name in data["shelters"]}
        self.goes: dict[Place, Any] = {
            (scenario, zone, name): model.new_bool_var(f"{zone} to {name} in {scenario}")
            for scenario, zone in data["people"]
            for name in data["shelters"]
        }
        for (scenario, zone, name), goes in self.goes.items():
            model.add_implication(goes, self.prepared[name])
            if not _may_go(data, scenario, zone, name, omit):
                model.add(goes == 0)
        for scenario, zone in data["people"]:
            model.add_exactly_one(self.goes[scenario, zone, name] for name in data["shelters"])
        for scenario in data["scenarios"]:
            self._load(scenario)
        self._choice()
        self._targets()
        model.minimize(sum(self._costs()))

    def _load(self, scenario: str) -> None:
        data = self.data
        bases: dict[str, list[Any]] = {}
        for name, shelter in data["shelters"].items():
            load = [count * self.goes[s, zone, name] for (s, zone), count in data["people"].items() if s == scenario]
            bases.setdefault(shelter["base"], []).extend(load)
            if "places" not in self.omit:
                self.model.add(sum(load) <= shelter["places"] * self.prepared[name])
        for base, rations in data["rations"].items() if "rations" not in self.omit else ():
            self.model.add(sum(bases.get(base, [])) <= rations)

    def _choice(self) -> None:
        data, model, omit = self.data, self.model, self.omit
        if data["most_open"] and "count" not in omit:
            model.add(sum(self.prepared.values()) <= data["most_open"])
        if data["most_new"] >= 0 and "new" not in omit:
            model.add(
                sum(self.prepared[name] for name, s in data["shelters"].items() if not s["last_season"]) <= data["most_new"]
            )
        for name, shelter in data["shelters"].items():
            if shelter["kept"] and "kept" not in omit:
                model.add(self.prepared[name] == 1)

    def _targets(self) -> None:
        for zone in self.data["care"] if self.data["most_targets"] and "targets" not in self.omit else ():
            targets = []
            for name in self.data["shelters"]:
                target = self.model.new_bool_var("")
                for (_, other, shelter), goes in self.goes.items():
                    if (other, shelter) == (zone, name):
                        self.model.add_implication(goes, target)
                targets.append(target)
            self.model.add(sum(targets) <= self.data["most_targets"])

    def _costs(self) -> list[Any]:
        data = self.data
        terms: list[Any] = []
        for name, shelter in data["shelters"].items():
            terms.append(self.prepared[name] * (shelter["cents"] + (0 if shelter["last_season"] else data["new_cents"])))
        for (scenario, zone, name), goes in self.goes.items():
            days, count = data["scenarios"][scenario]["days"], data["people"][scenario, zone]
            terms.append(goes * days * count * data["km"][zone, name] * data["km_cents"])
        return terms


def _plan(prepared: list[str], goes: list[Place]) -> Plan:
    moves = [{"scenario": scenario, "zone": zone, "shelter": name} for scenario, zone, name in goes]
    return {"prepared": prepared, "moves": moves}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    district = _District(data, omit)
    known = greedy(data)
    start = [(prepared, int(name in known["prepared"])) for name, prepared in district.prepared.items()]
    start += [(district.goes[move["scenario"], move["zone"], move["shelter"]], 1) for move in known["moves"]]
    solver, bound = solved(district.model, SECONDS, effort, start)
    if not solver:
        return Solved(None)
    chosen = [name for name, prepared in district.prepared.items() if solver.value(prepared)]
    return Solved(_plan(chosen, [place for place, goes in district.goes.items() if solver.value(goes)]), bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    moves = [(move["scenario"], move["zone"], move["shelter"]) for move in plan["moves"]]
    prepared = plan["prepared"]
    district = _District(data)
    known = set(moves) <= set(district.goes) and set(prepared) <= set(data["shelters"])
    if not known or len(set(moves)) != len(moves) or len(set(prepared)) != len(prepared):
        return None
    for name, is_prepared in district.prepared.items():
        district.model.add(is_prepared == int(name in prepared))
    for place, goes in district.goes.items():
        district.model.add(goes == int(place in moves))
    return objective(district.model)


def greedy(data: Data) -> Plan:
    """More and more shelters, the cheapest first, else the largest, until everybody finds a place nearby."""
    shelters = data["shelters"]
    cheapest = sorted(shelters, key=lambda n: (not shelters[n]["kept"], not shelters[n]["last_season"], shelters[n]["cents"]))
    largest = sorted(shelters, key=lambda n: (not shelters[n]["kept"], -shelters[n]["places"]))
    chosen, moves = _opened(data, cheapest)
    if len(moves) < len(data["people"]):
        chosen, moves = _opened(data, largest)
    return _plan(chosen, moves)


def _opened(data: Data, order: list[str]) -> tuple[list[str], list[Place]]:
    """The first shelters of an order that do, and the moves."""
    shelters = data["shelters"]
    chosen: list[str] = []
    moves: list[Place] = []
    for name in order:
        fresh = sum(not shelters[other]["last_season"] for other in (*chosen, name))
        if (data["most_open"] and len(chosen) == data["most_open"]) or -1 < data["most_new"] < fresh:
            continue
        chosen.append(name)
        moves = _settled(data, chosen)
        if len(moves) == len(data["people"]):
            break
    return chosen, moves


def _settled(data: Data, chosen: list[str]) -> list[Place]:
    """The moves of each scenario, the fullest zones first, each to the nearest shelter with room."""
    moves: list[Place] = []
    targets: dict[str, set[str]] = {zone: set() for zone in data["care"]}
    for scenario in data["scenarios"]:
        room = {name: data["shelters"][name]["places"] for name in chosen}
        rations = dict(data["rations"])
        for (_, zone), count in sorted(
            ((place, count) for place, count in data["people"].items() if place[0] == scenario), key=lambda item: -item[1]
        ):
            for name in sorted(chosen, key=lambda name: data["km"][zone, name]):
                base = data["shelters"][name]["base"]
                fits = room[name] >= count and rations.get(base, count) >= count and _may_go(data, scenario, zone, name)
                if fits and (not data["most_targets"] or len(targets[zone] | {name}) <= data["most_targets"]):
                    room[name] -= count
                    rations[base] = rations.get(base, 10**9) - count
                    targets[zone].add(name)
                    moves.append((scenario, zone, name))
                    break
    return moves
