"""Reference program of the crop rotation: a Boolean for each field, season and crop in CP-SAT.

Source: L. dos Santos et al., Crop rotation scheduling with adjacency constraints (2011).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, table

OMITTABLE = ("soil", "family", "water", "work", "contracts", "rest", "neighbours", "pause")
SECONDS = 0.6
"""Deterministic time limit."""
FALLOW = "fallow"

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    crops = {
        row["crop"]: {
            "family": row["family"],
            "soils": row["soils"].split(),
            "water": amount(row, "water"),
            "fixes": row["fixes"] == "yes",
            **{name: int(row[name]) for name in ("cents", "minutes", "pause", "contract")},
        }
        for row in table(files["data/crops.csv"], ["crop"])
    }
    beside = {row["field"]: row["beside"] for row in json.loads(files["data/map.json"])}
    fields = {
        row["field"]: {"ares": int(row["ares"]), "soil": row["soil"], "last": row["last"], "beside": beside[row["field"]]}
        for row in table(files["data/fields.csv"], ["field"])
    }
    return {**settings(files["data/farm.yaml"]), "crops": crops, "fields": fields}


class _Farm:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        model = self.model = cp_model.CpModel()
        self.seasons = range(1, data["seasons"] + 1)
        self.grows = {
            (field, season, crop): model.new_bool_var(f"{field} {season} {crop}")
            for field in data["fields"]
            for season in self.seasons
            for crop in data["crops"]
        }
        self.terms: list[Any] = []
        for field in data["fields"]:
            self._field(field)
            for season in self.seasons:
                model.add_exactly_one(self.grows[field, season, crop] for crop in data["crops"])
                self._earn(field, season)
        for season in self.seasons:
            self._farm(season)
        model.maximize(sum(self.terms))

    def _grew(self, field: str, season: int, crop: str) -> Any:
        """Whether a crop grew, also in the season before the first; nothing is known of earlier ones."""
        if season == 0:
            return int(self.data["fields"][field]["last"] == crop)
        return self.grows[field, season, crop] if season > 0 else 0

    def _field(self, field: str) -> None:
        data, model, crops = self.data, self.model, self.data["crops"]
        for season in self.seasons:
            for crop, facts in crops.items():
                if data["fields"][field]["soil"] not in facts["soils"] and "soil" not in self.omit:
                    model.add(self.grows[field, season, crop] == 0)
                for other in crops if "family" not in self.omit and crop != FALLOW else ():
                    if crops[other]["family"] == facts["family"]:
                        model.add(self.grows[field, season, crop] + self._grew(field, season - 1, other) <= 1)
                for back in range(1, facts["pause"] + 1) if "pause" not in self.omit else ():
                    model.add(self.grows[field, season, crop] + self._grew(field, season - back, crop) <= 1)
        if data["must_rest"] and "rest" not in self.omit:
            model.add_bool_or(self.grows[field, season, FALLOW] for season in self.seasons)

    def _earn(self, field: str, season: int) -> None:
        """Earnings, and those that a nitrogen-fixing crop before brings besides."""
        data, ares = self.data, self.data["fields"][field]["ares"]
        before = sum(self._grew(field, season - 1, crop) for crop, facts in data["crops"].items() if facts["fixes"])
        for crop, facts in data["crops"].items():
            plain = ares * facts["cents"]
            more = plain * (100 + data["bonus"]) // 100 - plain
            self.terms.append(self.grows[field, season, crop] * plain)
            if more:
                gains = self.model.new_bool_var("")
                self.model.add(gains <= self.grows[field, season, crop])
                self.model.add(gains <= before)
                self.terms.append(gains * more)

    def _farm(self, season: int) -> None:
        data, model = self.data, self.model
        area = {
            crop: sum(facts["ares"] * self.grows[field, season, crop] for field, facts in data["fields"].items())
            for crop in data["crops"]
        }
        for need, limit, rule in (("water", data["water"], "water"), ("minutes", data["minutes"], "work")):
            if limit and rule not in self.omit:
                model.add(sum(facts[need] * area[crop] for crop, facts in data["crops"].items()) <= limit)
        for crop, facts in data["crops"].items():
            if facts["contract"] and "contracts" not in self.omit:
                model.add(area[crop] >= facts["contract"])
            for field, own in data["fields"].items() if crop != FALLOW and "neighbours" not in self.omit else ():
                for other in own["beside"]:
                    model.add_at_most_one(self.grows[field, season, crop], self.grows[other, season, crop])


def _plan(rows: list[tuple[str, int, str]]) -> Plan:
    return {"growth": [{"field": field, "season": season, "crop": crop} for field, season, crop in rows]}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best rotation within the limit, started from the greedy one."""
    farm = _Farm(data, omit)
    known = {(row["field"], row["season"], row["crop"]) for row in greedy(data)["growth"]}
    start = [(grows, int(place in known)) for place, grows in farm.grows.items()]
    solver, bound = solved(farm.model, SECONDS, effort, start)
    return Solved(_plan([place for place, grows in farm.grows.items() if solver.value(grows)]) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's earnings of a rotation."""
    rows = [(row["field"], row["season"], row["crop"]) for row in plan["growth"]]
    farm = _Farm(data)
    if len(set(rows)) != len(rows) or not set(rows) <= set(farm.grows):
        return None
    for place, grows in farm.grows.items():
        farm.model.add(grows == int(place in rows))
    return objective(farm.model)


def greedy(data: Data) -> Plan:
    """Season by season, contracts first, then the crop that earns most of those that the rules still allow."""
    crops, fields = data["crops"], data["fields"]
    grown = {(field, 0): facts["last"] for field, facts in fields.items()}
    rest = {field: 1 + number % data["seasons"] for number, field in enumerate(fields)}
    for season in range(1, data["seasons"] + 1):
        left = {"water": data["water"] or 10**12, "minutes": data["minutes"] or 10**12}
        owed = {crop: facts["contract"] for crop, facts in crops.items()}
        for field in sorted(fields, key=lambda field: -fields[field]["ares"]):
            options = [crop for crop in crops if _may_grow(data, grown, left, field, season, crop)]
            if data["must_rest"] and rest[field] == season and not any(owed[crop] > 0 for crop in options):
                options = [FALLOW]
            best = max(options, key=lambda crop: (owed[crop] > 0, crops[crop]["cents"], crop))
            grown[field, season] = best
            owed[best] -= fields[field]["ares"]
            for need in left:
                left[need] -= crops[best][need] * fields[field]["ares"]
    return _plan([(field, season, crop) for (field, season), crop in grown.items() if season])


def _may_grow(
    data: Data, grown: Mapping[tuple[str, int], str], left: Mapping[str, int], field: str, season: int, crop: str
) -> bool:
    """Whether a crop keeps the rules beside what grows so far."""
    facts, own = data["crops"][crop], data["fields"][field]
    before = grown[field, season - 1]
    if crop == FALLOW:
        return True
    past = [grown.get((field, season - back)) for back in range(1, facts["pause"] + 1)]
    return (
        own["soil"] in facts["soils"]
        and data["crops"][before]["family"] != facts["family"]
        and crop not in past
        and all(grown.get((other, season)) != crop for other in own["beside"])
        and all(facts[need] * own["ares"] <= left[need] for need in left)
    )
