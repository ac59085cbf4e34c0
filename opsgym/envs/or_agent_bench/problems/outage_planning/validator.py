"""Validator of the plant outages: goes through the year week by week, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.outage_planning.brief import rules
from opsgym.envs.or_agent_bench.problems.outage_planning.instance import Instance, Plan, Week


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, by week."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        self.plants = {plant.name: plant for plant in instance.plants}
        times = Counter(row.plant for row in plan.outages)
        for name in {**dict.fromkeys(self.plants), **dict.fromkeys(times)}:
            due = int(name in self.plants)
            self.findings.require("coverage", times[name] == due, f"{name} has {times[name]} outages, expected {due}")
        self.start = {row.plant: row.start for row in plan.outages if row.plant in self.plants}

    def report(self) -> Report:
        """All rules, one after the other."""
        self._plants()
        for week in self.instance.weeks:
            self._week(week)
        return self.findings.report(self._cost())

    def _end(self, name: str) -> int:
        """The first week after an outage."""
        return self.start[name] + self.plants[name].weeks

    def _plants(self) -> None:
        find = self.findings
        moved = []
        for name, start in self.start.items():
            plant = self.plants[name]
            inside = plant.earliest <= start <= plant.latest
            find.require("window", inside, f"{name} starts in week {start}, its window is {plant.earliest} to {plant.latest}")
            if plant.after in self.start:
                follows = start >= self._end(plant.after)
                find.require("order", follows, f"{name} starts in week {start}, before {plant.after} is back")
            if plant.announced and start != plant.announced:
                moved.append(name)
            if plant.is_fixed:
                find.require("fixed", start == plant.announced, f"{name} starts in week {start}, fixed for {plant.announced}")
        if self.instance.most_moved >= 0:
            find.require("moved", len(moved) <= self.instance.most_moved, f"{', '.join(moved)} do not start as announced")

    def _week(self, week: Week) -> None:
        instance, find = self.instance, self.findings
        out = [name for name in self.start if self.start[name] <= week.number < self._end(name)]
        running = sum(plant.power for plant in instance.plants if plant.name not in out)
        wanted = week.demand + instance.reserve
        find.require("reserve", running >= wanted, f"{running} of {wanted} MW run in week {week.number}")
        crews = sum(self.plants[name].crews for name in out)
        if instance.crews:
            find.require("crews", crews <= instance.crews, f"{crews} crews are at work in week {week.number}")
        regions = Counter(self.plants[name].region for name in out)
        for region, count in regions.items() if instance.most_out else ():
            find.require("regions", count <= instance.most_out, f"{count} plants of {region} are out in week {week.number}")
        craned = [name for name in out if self.plants[name].uses_crane]
        if len(craned) > 1:
            find.add("crane", f"{', '.join(craned)} need the crane in week {week.number}")
        for name in out:
            rival = self.plants[name].rival
            if rival in out:
                find.add("rivals", f"{name} and {rival} are out in week {week.number}")

    def _cost(self) -> int:
        cost = 0
        for name, start in self.start.items():
            plant = self.plants[name]
            cost += sum(plant.power * week.mw_cents for week in self.instance.weeks if start <= week.number < self._end(name))
            cost += abs(start - plant.announced) * self.instance.move_cents if plant.announced else 0
        return cost
