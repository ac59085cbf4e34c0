"""Validator of the reservoirs: lets the water run week by week, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.reservoir_release.brief import rules
from opsgym.envs.or_agent_bench.problems.reservoir_release.instance import COMMON, Instance, Plan, Release, Reservoir, Scenario


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge releases."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, by scenario."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        names = {reservoir.name for reservoir in instance.reservoirs}
        scenarios = {scenario.name for scenario in instance.scenarios}
        self.rows: dict[tuple[str, int, str], Release] = {}
        times: Counter[tuple[str, int, str]] = Counter()
        for row in plan.releases:
            known = row.scenario in scenarios and row.week in instance.weeks and row.reservoir in names
            fits = known and min(row.turbined, row.spilled) >= 0
            self.findings.require("coverage", fits, f"{row.reservoir} in week {row.week} of {row.scenario}")
            if known:
                times[row.scenario, row.week, row.reservoir] += 1
                self.rows[row.scenario, row.week, row.reservoir] = row
        for scenario in instance.scenarios:
            for week in instance.weeks:
                for reservoir in instance.reservoirs:
                    count = times[scenario.name, week, reservoir.name]
                    what = f"{reservoir.name} has {count} releases in week {week} of {scenario.name}"
                    self.findings.require("coverage", count == 1, what)

    def report(self) -> Report:
        """All rules, one after the other."""
        earned = 0
        for scenario in self.instance.scenarios:
            self._run(scenario)
            for reservoir in self.instance.reservoirs:
                self._turbine(scenario, reservoir)
            earned += scenario.weight * sum(
                self._turbined(scenario, week, reservoir) * cents
                for week, cents in zip(self.instance.weeks, self.instance.prices, strict=True)
                for reservoir in self.instance.reservoirs
            )
        self._common()
        return self.findings.report(earned)

    def _turbined(self, scenario: Scenario, week: int, reservoir: Reservoir) -> int:
        row = self.rows.get((scenario.name, week, reservoir.name))
        return row.turbined if row else 0

    def _out(self, scenario: Scenario, week: int, reservoir: Reservoir) -> int:
        row = self.rows.get((scenario.name, week, reservoir.name))
        return row.turbined + row.spilled if row else 0

    def _run(self, scenario: Scenario) -> None:
        instance, find = self.instance, self.findings
        level = {reservoir.name: reservoir.start for reservoir in instance.reservoirs}
        for week in instance.weeks:
            out = 0
            for reservoir in instance.reservoirs:
                name = reservoir.name
                level[name] += out + scenario.inflow[f"{name}>{week}"]
                out = self._out(scenario, week, reservoir)
                level[name] -= out
                holds = reservoir.least <= level[name] <= reservoir.most
                find.require("levels", holds, f"{name} holds {level[name]} after week {week} of {scenario.name}")
            if instance.flood:
                find.require("flood", out <= instance.flood, f"{out} leave in week {week} of {scenario.name}")
            if instance.farms:
                find.require("farms", out >= instance.farms, f"{out} leave in week {week} of {scenario.name}")
        for reservoir in instance.reservoirs:
            if reservoir.end:
                enough = level[reservoir.name] >= reservoir.end
                find.require("end", enough, f"{reservoir.name} holds {level[reservoir.name]} at the end of {scenario.name}")

    def _turbine(self, scenario: Scenario, reservoir: Reservoir) -> None:
        find, before = self.findings, 0
        for week in self.instance.weeks:
            water = self._turbined(scenario, week, reservoir)
            what = f"the turbine of {reservoir.name} takes {water} in week {week} of {scenario.name}"
            find.require("turbines", water <= reservoir.turbine, what)
            if reservoir.running:
                find.require("running", water == 0 or water >= reservoir.running, what)
            if reservoir.service == week:
                find.require("service", water == 0, what)
            if reservoir.ramp and before and water:
                find.require("ramp", abs(water - before) <= reservoir.ramp, f"{what}, {before} before")
            before = water

    def _common(self) -> None:
        for week in range(1, COMMON + 1):
            for reservoir in self.instance.reservoirs:
                rows = [self.rows.get((scenario.name, week, reservoir.name)) for scenario in self.instance.scenarios]
                amounts = {(row.turbined, row.spilled) for row in rows if row}
                self.findings.require("common", len(amounts) <= 1, f"{reservoir.name} differs between scenarios in week {week}")
