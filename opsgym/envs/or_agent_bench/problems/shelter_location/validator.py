"""Validator of the flood shelters: counts people scenario by scenario, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.shelter_location.brief import rules
from opsgym.envs.or_agent_bench.problems.shelter_location.instance import Instance, Move, Plan, Scenario


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, by scenario."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance, self.plan = instance, plan
        self.findings = Findings(rules(instance))
        self.shelters = {shelter.name: shelter for shelter in instance.shelters}
        self.scenarios = {scenario.name: scenario for scenario in instance.scenarios}
        self.zones = {zone.name: zone for zone in instance.zones}
        self.prepared = {name for name in plan.prepared if name in self.shelters}
        self.moves = [move for move in plan.moves if self._is_known(move)]

    def report(self) -> Report:
        """All rules, one after the other."""
        self._prepared()
        for scenario in self.instance.scenarios:
            self._scenario(scenario, [move for move in self.moves if move.scenario == scenario.name])
        for move in self.moves:
            self._move(move)
        for name in self.zones if self.instance.most_targets else ():
            targets = sorted({move.shelter for move in self.moves if move.zone == name})
            holds = len(targets) <= self.instance.most_targets
            self.findings.require("targets", holds, f"{name} goes to {', '.join(targets)}")
        return self.findings.report(self._cost())

    def _is_known(self, move: Move) -> bool:
        known = move.scenario in self.scenarios and move.shelter in self.shelters
        known = known and move.zone in self.scenarios[move.scenario].people
        self.findings.require("coverage", known, f"nobody moves from {move.zone} to {move.shelter} in {move.scenario}")
        return known

    def _prepared(self) -> None:
        instance, find = self.instance, self.findings
        for name, count in Counter(self.plan.prepared).items():
            find.require(
                "prepared", count == 1 and name in self.shelters, f"{name} is prepared {count} times, or not in the list"
            )
        if instance.most_open:
            find.require("count", len(self.prepared) <= instance.most_open, f"{len(self.prepared)} shelters are prepared")
        fresh = sorted(name for name in self.prepared if not self.shelters[name].was_open)
        if instance.most_new >= 0:
            find.require("new", len(fresh) <= instance.most_new, f"{', '.join(fresh)} are new")
        for shelter in instance.shelters:
            if shelter.is_kept:
                find.require("kept", shelter.name in self.prepared, f"{shelter.name} is not prepared")

    def _scenario(self, scenario: Scenario, moves: list[Move]) -> None:
        find = self.findings
        times = Counter(move.zone for move in moves)
        for zone in scenario.people:
            find.require("coverage", times[zone] == 1, f"{zone} is taken to {times[zone]} shelters in {scenario.name}")
        held: Counter[str] = Counter()
        fed: Counter[str] = Counter()
        for move in moves:
            held[move.shelter] += scenario.people[move.zone]
            fed[self.shelters[move.shelter].base] += scenario.people[move.zone]
        for name, count in held.items():
            places = self.shelters[name].places
            find.require("places", count <= places, f"{name} takes {count} of {places} people in {scenario.name}")
        for base, rations in self.instance.rations.items():
            find.require("rations", fed[base] <= rations, f"{base} feeds {fed[base]} of {rations} people in {scenario.name}")

    def _move(self, move: Move) -> None:
        find, away = self.findings, self.instance.roads[f"{move.zone}>{move.shelter}"]
        find.require("prepared", move.shelter in self.prepared, f"{move.shelter} takes people in and is not prepared")
        find.require("reach", away <= self.instance.most_km, f"{move.zone} is taken {away} km to {move.shelter}")
        if move.shelter in self.scenarios[move.scenario].under_water:
            find.add("water", f"{move.shelter} is under water in {move.scenario}")
        if self.zones[move.zone].has_care_home:
            suits = self.shelters[move.shelter].is_accessible
            find.require("care_homes", suits, f"{move.zone} has a care home, {move.shelter} is not accessible")

    def _cost(self) -> int:
        cost = 0
        for name in self.prepared:
            shelter = self.shelters[name]
            cost += shelter.cents + (0 if shelter.was_open else self.instance.new_cents)
        for move in self.moves:
            scenario = self.scenarios[move.scenario]
            distance = self.instance.roads[f"{move.zone}>{move.shelter}"]
            cost += scenario.days * scenario.people[move.zone] * distance * self.instance.km_cents
        return cost
