"""Validator of the bar cutting: counts bars and pieces day by day, and knows nothing of the model."""

from __future__ import annotations

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.cutting_stock.brief import rules
from opsgym.envs.or_agent_bench.problems.cutting_stock.instance import Cut, Instance, Plan


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge the cuts."""
    return _Look(instance).report(plan)


class _Look:
    """One plan."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        self.bars = {bar.name: bar for bar in instance.bars}
        self.pieces = {piece.name: piece for piece in instance.pieces}
        self.cents = 0

    def report(self, plan: Plan) -> Report:
        """All rules, one after the other."""
        cuts = [cut for number, cut in enumerate(plan.cuts) if self._formed(cut, plan.cuts[:number])]
        for cut in cuts:
            self._pattern(cut)
        for day in range(1, self.instance.days + 1):
            self._day(day, cuts)
        for name in self.pieces:
            made = _made(cuts, name, self.instance.days)
            ordered = sum(order.count for order in self.instance.orders if order.piece == name)
            self.findings.require("surplus", made <= ordered, f"{made} pieces of {name} are cut, {ordered} ordered")
        return self.findings.report(self.cents)

    def _formed(self, cut: Cut, before: tuple[Cut, ...]) -> bool:
        names = [part.piece for part in cut.pattern]
        known = cut.bar in self.bars and 1 <= cut.day <= self.instance.days and set(names) <= self.pieces.keys()
        counted = cut.times >= 1 and bool(names) and all(part.count >= 1 for part in cut.pattern)
        once = len(set(names)) == len(names) and not any(_key(cut) == _key(other) for other in before)
        self.findings.require("form", known and counted and once, f"the cut of {cut.bar} on day {cut.day} is not well formed")
        return known and counted and once

    def _pattern(self, cut: Cut) -> None:
        bar, label = self.bars[cut.bar], f"the pattern of {cut.bar} on day {cut.day}"
        used = sum(part.count * (self.pieces[part.piece].length + self.instance.kerf) for part in cut.pattern)
        self.findings.require("length", used <= bar.length, f"{label} takes {used} mm of {bar.length}")
        if self.instance.bins:
            fits = len(cut.pattern) <= self.instance.bins
            self.findings.require("bins", fits, f"{label} has {len(cut.pattern)} kinds of pieces")
        for part in cut.pattern if self.instance.has_grades else ():
            strong = self.pieces[part.piece].grade <= bar.grade
            self.findings.require("grade", strong, f"{part.piece} is cut from {cut.bar}, which is too weak")
        offcut = bar.length - used
        credit = offcut // 100 * self.instance.credit_cents if offcut >= self.instance.usable else 0
        self.cents += cut.times * (bar.cents - credit) + self.instance.setup_cents

    def _day(self, day: int, cuts: list[Cut]) -> None:
        for name in self.pieces:
            made = _made(cuts, name, day)
            due = sum(order.count for order in self.instance.orders if order.piece == name and order.day <= day)
            self.findings.require("orders", made >= due, f"{made} pieces of {name} are cut by day {day}, {due} are due")
        for bar in self.instance.bars:
            used = sum(cut.times for cut in cuts if cut.bar == bar.name and cut.day <= day)
            there = sum(bar.arrivals[:day])
            self.findings.require("stock", used <= there, f"{used} bars {bar.name} are cut by day {day}, {there} have arrived")
        sawn = sum(cut.times * sum(part.count for part in cut.pattern) for cut in cuts if cut.day == day)
        self.findings.require("saw", sawn <= self.instance.saw_cuts, f"{sawn} pieces are cut on day {day}")


def _made(cuts: list[Cut], piece: str, day: int) -> int:
    return sum(cut.times * part.count for cut in cuts if cut.day <= day for part in cut.pattern if part.piece == piece)


def _key(cut: Cut) -> tuple[int, str, frozenset[tuple[str, int]]]:
    return cut.day, cut.bar, frozenset((part.piece, part.count) for part in cut.pattern)
