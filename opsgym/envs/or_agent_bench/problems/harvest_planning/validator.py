"""Validator of the beet harvest: looks at every day and mill, and knows nothing of the model."""

from __future__ import annotations

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.harvest_planning.brief import rules
from opsgym.envs.or_agent_bench.problems.harvest_planning.instance import Harvest, Instance, Plan


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan, previous).report()


class _Look:
    """One plan, day by day."""

    def __init__(self, instance: Instance, plan: Plan, previous: Plan | None) -> None:
        self.instance = instance
        self.plan = plan
        self.previous = previous
        self.findings = Findings(rules(instance))
        self.fields = {field.name: field for field in instance.fields}
        self.mills = {mill.name: mill for mill in instance.mills}
        self.ways = {(way.field, way.mill): way for way in instance.ways}
        self.harvests: dict[str, Harvest] = {}
        for harvest in plan.harvests:
            known = harvest.field in self.fields and harvest.mill in self.mills and 1 <= harvest.day <= instance.days
            once = known and harvest.field not in self.harvests
            self.findings.require(
                "form", once, f"{harvest.field} on day {harvest.day} to {harvest.mill} does not exist or is double"
            )
            if once:
                self.harvests[harvest.field] = harvest

    def report(self) -> Report:
        """All rules, one after the other."""
        for day in range(1, self.instance.days + 1):
            self._day(day, [harvest for harvest in self.harvests.values() if harvest.day == day])
        for closure in self.instance.closures:
            harvest = self.harvests.get(closure.field)
            open_then = harvest is None or harvest.day != closure.day
            self.findings.require("closure", open_then, f"{closure.field} cannot be entered on day {closure.day}")
        self._freeze()
        charge = -self._changes()
        return self.findings.report(sum(map(self._profit, self.harvests.values())) + charge, charge)

    def _tonnes(self, harvest: Harvest) -> int:
        return self.fields[harvest.field].tonnes[harvest.day - 1]

    def _profit(self, harvest: Harvest) -> int:
        return self._tonnes(harvest) * (self.mills[harvest.mill].cents - self.ways[harvest.field, harvest.mill].cents)

    def _day(self, day: int, today: list[Harvest]) -> None:
        instance = self.instance
        hours = sum(self.fields[harvest.field].hours for harvest in today)
        self.findings.require("hours", hours <= instance.hours, f"day {day} takes {hours} harvester hours of {instance.hours}")
        if instance.truck_hours:
            hours = sum(self.ways[harvest.field, harvest.mill].truck_hours for harvest in today)
            self.findings.require("trucks", hours <= instance.truck_hours, f"day {day} takes {hours} truck hours")
        if instance.most_districts:
            districts = {self.fields[harvest.field].district for harvest in today}
            self.findings.require(
                "districts", len(districts) <= instance.most_districts, f"{len(districts)} districts on day {day}"
            )
        names = {harvest.field for harvest in today}
        for one, other in instance.apart:
            self.findings.require("apart", not {one, other} <= names, f"{one} and {other} on day {day}")
        for mill in instance.mills:
            tonnes = sum(self._tonnes(harvest) for harvest in today if harvest.mill == mill.name)
            self.findings.require("quota", tonnes <= mill.quota, f"{mill.name} gets {tonnes} tonnes on day {day} of {mill.quota}")
            if instance.binds_least:
                enough = tonnes >= mill.least or not any(harvest.mill == mill.name for harvest in today)
                self.findings.require("least", enough, f"{mill.name} gets {tonnes} tonnes on day {day}, at least {mill.least}")

    def _freeze(self) -> None:
        first = self.instance.first_open
        before = {harvest for harvest in self.previous.harvests if harvest.day < first} if self.previous else set()
        now = {harvest for harvest in self.plan.harvests if harvest.day < first} if self.previous else set()
        for harvest in sorted(before ^ now, key=lambda harvest: (harvest.day, harvest.field, harvest.mill)):
            self.findings.add("freeze", f"{harvest.field} on day {harvest.day} was changed")

    def _changes(self) -> int:
        before = self.previous.harvests if self.previous else ()
        return self.instance.change_cents * sum(self.harvests.get(harvest.field) != harvest for harvest in before)
