"""Validator of the crop rotation: walks through the seasons of each field, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.crop_rotation.brief import rules
from opsgym.envs.or_agent_bench.problems.crop_rotation.instance import FALLOW, Field, Growth, Instance, Plan


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a rotation."""
    return _Look(instance, plan).report()


class _Look:
    """One rotation, by field and season."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        self.crops = {crop.name: crop for crop in instance.crops}
        self.fields = {field.name: field for field in instance.fields}
        rows = [row for row in plan.growth if self._is_known(row)]
        times = Counter((row.field, row.season) for row in rows)
        for name in self.fields:
            for season in range(1, instance.seasons + 1):
                count = times[name, season]
                self.findings.require("coverage", count == 1, f"{name} grows {count} crops in season {season}")
        self.grown = {(field.name, 0): field.last for field in instance.fields}
        self.grown |= {(row.field, row.season): row.crop for row in rows}

    def report(self) -> Report:
        """All rules, one after the other."""
        for field in self.instance.fields:
            self._field(field)
        for season in range(1, self.instance.seasons + 1):
            self._season(season)
        return self.findings.report(sum(self._earned(field) for field in self.instance.fields))

    def _is_known(self, row: Growth) -> bool:
        known = row.field in self.fields and row.crop in self.crops and 1 <= row.season <= self.instance.seasons
        self.findings.require("coverage", known, f"{row.crop} on {row.field} in season {row.season}")
        return known

    def _seasons(self, field: Field) -> list[tuple[int, str]]:
        """What grows on a field, season by season."""
        return sorted((season, crop) for (name, season), crop in self.grown.items() if name == field.name and season)

    def _field(self, field: Field) -> None:
        find = self.findings
        for season, name in self._seasons(field):
            crop, before = self.crops[name], self.grown.get((field.name, season - 1))
            find.require("soil", field.soil in crop.soils, f"{name} on {field.name}, which is {field.soil}")
            alike = before is not None and name != FALLOW and self.crops[before].family == crop.family
            find.require("family", not alike, f"{name} follows {before} on {field.name} in season {season}")
            near = [back for back in range(1, crop.pause + 1) if self.grown.get((field.name, season - back)) == name]
            if crop.pause:
                find.require("pause", not near, f"{name} comes back to {field.name} in season {season}")
            for other in field.beside:
                same = name != FALLOW and self.grown.get((other, season)) == name
                find.require("neighbours", not same, f"{field.name} and {other} grow {name} in season {season}")
        if self.instance.must_rest:
            rests = FALLOW in [crop for _, crop in self._seasons(field)]
            find.require("rest", rests, f"{field.name} never rests")

    def _season(self, season: int) -> None:
        instance, area = self.instance, Counter[str]()
        for field in instance.fields:
            name = self.grown.get((field.name, season))
            if name is not None:
                area[name] += field.ares
        water = sum(self.crops[name].water * ares for name, ares in area.items())
        minutes = sum(self.crops[name].hours * ares for name, ares in area.items())
        if instance.water:
            self.findings.require("water", water <= instance.water, f"season {season} needs {water} of {instance.water} l")
        if instance.minutes:
            self.findings.require("work", minutes <= instance.minutes, f"season {season} needs {minutes} minutes")
        for crop in instance.crops:
            if crop.contract:
                grown = area[crop.name]
                self.findings.require("contracts", grown >= crop.contract, f"{grown} ares of {crop.name} in season {season}")

    def _earned(self, field: Field) -> int:
        cents = 0
        for season, name in self._seasons(field):
            plain = field.ares * self.crops[name].cents
            before = self.grown.get((field.name, season - 1))
            fixed = before is not None and self.crops[before].fixes
            cents += plain * (100 + self.instance.bonus) // 100 if fixed else plain
        return cents
