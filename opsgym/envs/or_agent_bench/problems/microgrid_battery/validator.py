"""Validator of the microgrid: plays every scenario hour by hour, and knows nothing of the model."""

from __future__ import annotations

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.microgrid_battery.brief import rules
from opsgym.envs.or_agent_bench.problems.microgrid_battery.instance import KEPT, Ahead, Hour, Instance, Plan, Then


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, scenario by scenario."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        self.ahead: dict[int, Ahead] = {}
        self.then: dict[tuple[int, int], Then] = {}
        hours = {hour.hour for hour in instance.hours}
        for row in plan.ahead:
            well = row.hour in hours and row.hour not in self.ahead and row.bought >= 0
            self.findings.require("form", well, f"the purchase of hour {row.hour}")
            self.ahead[row.hour] = row
        for then in plan.then:
            key = then.scenario, then.hour
            known = then.hour in hours and 1 <= then.scenario <= len(instance.weights) and key not in self.then
            well = known and min(then.charge, then.discharge, then.generator, then.bought) >= 0
            self.findings.require("form", well, f"scenario {then.scenario}, hour {then.hour}")
            self.then[key] = then
        whole = hours <= self.ahead.keys() and len(self.then) == len(hours) * len(instance.weights)
        self.findings.require("form", whole, "hours or scenarios are missing")

    def report(self) -> Report:
        """All rules, one after the other."""
        if self.findings:
            return self.findings.report(0)
        cents = sum(hour.ahead_cents * self.ahead[hour.hour].bought for hour in self.instance.hours)
        cents += self.instance.peak_cents * max(row.bought for row in self.ahead.values())
        cents += self._standing_by()
        for scenario, weight in enumerate(self.instance.weights, start=1):
            cents += self._scenario(scenario) * weight // 10
        return self.findings.report(cents)

    def _standing_by(self) -> int:
        cents, before = 0, False
        for hour in self.instance.hours:
            now = self.ahead[hour.hour].standby
            cents += now * self.instance.standby_cents + (now and not before) * self.instance.start_cents
            before = now
        return cents

    def _scenario(self, scenario: int) -> int:
        instance, cents, made, tenths = self.instance, 0, 0, 10 * self.instance.filled
        for hour in instance.hours:
            then = self.then[scenario, hour.hour]
            self._hour(hour, then, f"scenario {scenario}, hour {hour.hour}")
            tenths += KEPT * then.charge - 10 * then.discharge
            holds = 10 * instance.reserve <= tenths <= 10 * instance.capacity
            self.findings.require("energy", holds, f"scenario {scenario}: {tenths / 10} kWh after hour {hour.hour}")
            made += then.generator
            cents += then.bought * hour.short_cents + then.generator * instance.fuel_cents
        self.findings.require("refill", tenths >= 10 * instance.filled, f"scenario {scenario} ends with {tenths / 10} kWh")
        if instance.fuel_kwh:
            self.findings.require("fuel", made <= instance.fuel_kwh, f"scenario {scenario}: the generator makes {made} kWh")
        return cents

    def _hour(self, hour: Hour, then: Then, label: str) -> None:
        instance, ahead = self.instance, self.ahead[hour.hour]
        there = ahead.bought + then.bought + hour.sun[then.scenario - 1] + then.generator + then.discharge
        self.findings.require("balance", there >= hour.load + then.charge, f"{label}: {there} kWh for {hour.load + then.charge}")
        bought = ahead.bought + then.bought
        self.findings.require("connection", bought <= instance.connection, f"{label}: {bought} kWh are bought")
        most = max(then.charge, then.discharge)
        self.findings.require("power", most <= instance.power, f"{label}: {most} kWh through the battery")
        if instance.keeps_apart:
            self.findings.require("one_way", not (then.charge and then.discharge), f"{label}: charged and discharged")
        low, high = (instance.least, instance.generator) if ahead.standby else (0, 0)
        self.findings.require("generator", low <= then.generator <= high, f"{label}: the generator makes {then.generator} kWh")
