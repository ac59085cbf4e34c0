"""Validator of the ward roster: reads it nurse by nurse and shift by shift, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.nurse_rostering.brief import rules
from opsgym.envs.or_agent_bench.problems.nurse_rostering.instance import SHIFTS, TOO_SHORT, Duty, Instance, Nurse, Plan


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a roster."""
    return _Look(instance, plan, previous).report()


class _Look:
    """One roster."""

    def __init__(self, instance: Instance, plan: Plan, previous: Plan | None) -> None:
        self.instance = instance
        self.previous = previous
        self.findings = Findings(rules(instance))
        self.nurses = {nurse.name: nurse for nurse in instance.nurses}
        self.duties = [duty for duty in plan.duties if self._exists(duty)]
        self.by_nurse: dict[str, dict[int, str]] = {name: {} for name in self.nurses}
        for duty in self.duties:
            days = self.by_nurse[duty.nurse]
            self.findings.require("single", duty.day not in days, f"{duty.nurse} has two duties on day {duty.day}")
            days[duty.day] = duty.shift

    def report(self) -> Report:
        """All rules, one after the other."""
        for nurse in self.instance.nurses:
            self._nurse(nurse, self.by_nurse[nurse.name])
        for absence in self.instance.absences:
            works = absence.day in self.by_nurse[absence.nurse]
            self.findings.require("absence", not works, f"{absence.nurse} is absent on day {absence.day}")
        self._shifts()
        self._freeze()
        charge = self._charge()
        return self.findings.report(self._points() + charge, charge)

    def _exists(self, duty: Duty) -> bool:
        known = duty.nurse in self.nurses and duty.shift in SHIFTS and 1 <= duty.day <= self.instance.days
        self.findings.require("single", known, f"there is no {duty.shift} on day {duty.day} for {duty.nurse}")
        return known

    def _nurse(self, nurse: Nurse, days: dict[int, str]) -> None:
        instance, name = self.instance, nurse.name
        for day, shift in sorted(days.items()):
            rests = (shift, days.get(day + 1)) not in TOO_SHORT
            self.findings.require("rest", rests, f"{name} works {days.get(day + 1)} on day {day + 1} after {shift}")
        beyond = len(days) - nurse.shifts
        self.findings.require("contract", beyond <= instance.most_overtime, f"{name} works {beyond} shifts beyond the contract")
        if instance.most_run:
            run = nurse.run
            for day in range(1, instance.days + 1):
                run = run + 1 if day in days else 0
                self.findings.require("run", run <= instance.most_run, f"{name} works day {day} as number {run} in a row")
        if instance.most_nights:
            nights = Counter(days.values())["night"]
            self.findings.require("nights", nights <= instance.most_nights, f"{name} works {nights} nights")
        if instance.whole_weekends:
            absent = {absence.day for absence in instance.absences if absence.nurse == name}
            for saturday in range(6, instance.days, 7):
                whole = (saturday in days) == (saturday + 1 in days) or bool({saturday, saturday + 1} & absent)
                self.findings.require("weekend", whole, f"{name} works one of the days {saturday} and {saturday + 1}")

    def _on(self, day: int, shift: str) -> list[Nurse]:
        return [self.nurses[duty.nurse] for duty in self.duties if (duty.day, duty.shift) == (day, shift)]

    def _shifts(self) -> None:
        for need in self.instance.needs:
            there = self._on(need.day, need.shift)
            if not there:
                continue
            label = f"{need.shift} of day {need.day}"
            if self.instance.needs_certified:
                certified = sum(nurse.is_certified for nurse in there)
                self.findings.require("certified", certified >= need.certified, f"{label} has {certified} certified nurses")
            if self.instance.needs_senior and need.shift == "night":
                self.findings.require("senior", any(nurse.is_senior for nurse in there), f"{label} has no senior nurse")

    def _freeze(self) -> None:
        if self.previous is None:
            return
        first = self.instance.first_open
        before = {duty for duty in self.previous.duties if duty.day < first}
        now = {duty for duty in self.duties if duty.day < first}
        for duty in sorted(before ^ now, key=lambda duty: (duty.day, duty.nurse, duty.shift)):
            self.findings.add("freeze", f"{duty.nurse}, {duty.shift} on day {duty.day} was changed")

    def _charge(self) -> int:
        if self.previous is None:
            return 0
        return self.instance.change_points * len(set(self.previous.duties) ^ set(self.duties))

    def _points(self) -> int:
        instance = self.instance
        gaps = sum(need.gap_points * max(0, need.nurses - len(self._on(need.day, need.shift))) for need in instance.needs)
        over = sum(max(0, len(self.by_nurse[nurse.name]) - nurse.shifts) for nurse in instance.nurses)
        unmet = sum(wish.points for wish in instance.wishes if self.by_nurse[wish.nurse].get(wish.day) == wish.shift)
        return gaps + instance.overtime_points * over + unmet
