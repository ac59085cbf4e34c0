"""Validator of the operating rooms: fills the blocks scenario by scenario, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.operating_rooms.brief import rules
from opsgym.envs.or_agent_bench.problems.operating_rooms.instance import Block, Instance, Plan, Surgery


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, block by block."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.plan = plan
        self.findings = Findings(rules(instance))
        self.surgeries = {surgery.name: surgery for surgery in instance.surgeries}
        self.inside: dict[str, list[Surgery]] = {block.name: [] for block in instance.blocks}
        for place in plan.done:
            known = place.surgery in self.surgeries and place.block in self.inside
            self.findings.require("coverage", known, f"there is no {place.surgery} or no {place.block}")
            if known:
                self.inside[place.block].append(self.surgeries[place.surgery])

    def report(self) -> Report:
        """All rules, one after the other."""
        times = Counter(place.surgery for place in self.plan.done) + Counter(self.plan.postponed)
        for name in sorted(times.keys() | self.surgeries.keys()):
            known = name in self.surgeries and times[name] == 1
            self.findings.require("coverage", known, f"{name} is planned {times[name]} times")
        cents = sum(self.surgeries[name].postpone_cents for name in self.plan.postponed if name in self.surgeries)
        for block in self.instance.blocks:
            cents += self._block(block, self.inside[block.name])
        for day in range(1, self.instance.days + 1):
            self._day(day)
        return self.findings.report(cents)

    def _block(self, block: Block, inside: list[Surgery]) -> int:
        for surgery in inside:
            equipped = surgery.specialty in block.specialties
            self.findings.require("specialty", equipped, f"{block.name} is not equipped for {surgery.name}")
            if block.day > surgery.latest:
                self.findings.add("latest", f"{surgery.name} is done on day {block.day}, after day {surgery.latest}")
        if self.instance.apart:
            infectious = sum(surgery.is_infectious for surgery in inside)
            self.findings.require("apart", infectious <= 1, f"{block.name} takes {infectious} infectious patients")
        over = [self._overtime(block, inside, number) for number in range(len(self.instance.weights))]
        if self.instance.long_minutes:
            pairs = zip(over, self.instance.weights, strict=True)
            tenths = sum(weight for minutes, weight in pairs if minutes > self.instance.long_minutes)
            self.findings.require("risk", tenths <= self.instance.risk_tenths, f"{block.name} is long with {tenths} tenths")
        expected = sum(minutes * weight for minutes, weight in zip(over, self.instance.weights, strict=True))
        return (block.open_cents if inside else 0) + expected * self.instance.overtime_cents // 10

    def _overtime(self, block: Block, inside: list[Surgery], scenario: int) -> int:
        cleaning = self.instance.cleaning * max(0, len(inside) - 1)
        return max(0, sum(surgery.minutes[scenario] for surgery in inside) + cleaning - block.minutes)

    def _day(self, day: int) -> None:
        today = [surgery for block in self.instance.blocks if block.day == day for surgery in self.inside[block.name]]
        if self.instance.imaging:
            imaging = sum(surgery.needs_imaging for surgery in today)
            self.findings.require("imaging", imaging <= self.instance.imaging, f"{imaging} surgeries with imaging on day {day}")
        if self.instance.surgeon_minutes:
            tenths: Counter[str] = Counter()
            for surgery in today:
                pairs = zip(surgery.minutes, self.instance.weights, strict=True)
                tenths[surgery.surgeon] += sum(minutes * weight for minutes, weight in pairs)
            for surgeon, value in tenths.items():
                within = value <= 10 * self.instance.surgeon_minutes
                self.findings.require("surgeon", within, f"{surgeon} operates {value / 10} minutes on day {day}")
        if self.instance.beds:
            staying = sum(
                block.day <= day < block.day + surgery.stay
                for block in self.instance.blocks
                for surgery in self.inside[block.name]
            )
            self.findings.require(
                "beds", staying <= self.instance.beds, f"{staying} patients in {self.instance.beds} beds on day {day}"
            )
