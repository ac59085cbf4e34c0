"""Validator of the ambulance posts: counts ambulances by shift, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.ambulance_posts.brief import rules
from opsgym.envs.or_agent_bench.problems.ambulance_posts.instance import SHIFTS, Instance, Plan, Station, Zone


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, by shift."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        self.posts = {post.name: post for post in instance.posts}
        self.count: Counter[tuple[str, str]] = Counter()
        named: Counter[tuple[str, str]] = Counter()
        for row in plan.stations:
            if self._is_known(row):
                named[row.post, row.shift] += 1
                self.count[row.post, row.shift] += row.ambulances
        for (post, shift), times in named.items():
            self.findings.require("stations", times == 1, f"{post} is named {times} times in the {shift} shift")

    def report(self) -> Report:
        """All rules, one after the other."""
        for number, shift in enumerate(SHIFTS):
            self._shift(number, shift)
            for zone in self.instance.zones:
                if zone.is_critical:
                    self.findings.require(
                        "critical", self._cover(zone, shift) > 0, f"{zone.name} is not covered in the {shift} shift"
                    )
        self._moves()
        changes = sum(
            abs(self.count[post.name, shift] - held)
            for post in self.instance.posts
            for shift, held in zip(SHIFTS, post.in_force, strict=True)
        )
        if self.instance.most_changes >= 0:
            holds = changes <= self.instance.most_changes
            self.findings.require("changes", holds, f"{changes} ambulances stand elsewhere than in the plan in force")
        return self.findings.report(self._points() - changes * self.instance.change_points)

    def _is_known(self, row: Station) -> bool:
        known = row.post in self.posts and row.shift in SHIFTS and row.ambulances >= 1
        self.findings.require("stations", known, f"{row.ambulances} ambulances at {row.post} in the {row.shift} shift")
        return known

    def _shift(self, number: int, shift: str) -> None:
        instance, find = self.instance, self.findings
        here = {post.name: self.count[post.name, shift] for post in instance.posts}
        total = sum(here.values())
        find.require("fleet", total <= instance.ambulances[number], f"{total} ambulances in the {shift} shift")
        shared: Counter[str] = Counter()
        district: Counter[str] = Counter({post.district: 0 for post in instance.posts})
        for name, count in here.items():
            post = self.posts[name]
            shared[post.quarters] += count
            district[post.district] += count
            find.require("bays", count <= post.bays, f"{count} ambulances at {name} in the {shift} shift")
            if post.is_shut_at_night and shift == "night":
                find.require("night", not count, f"{count} ambulances at {name} at night")
            if post.is_fixed:
                find.require("fixed", count >= post.in_force[number], f"{count} ambulances at {name} in the {shift} shift")
        for quarters, beds in instance.beds.items():
            find.require("quarters", shared[quarters] <= beds, f"{shared[quarters]} crews in {quarters} in the {shift} shift")
        for name, count in district.items() if instance.reserve else ():
            find.require("reserve", count >= instance.reserve, f"{count} ambulances in {name} in the {shift} shift")

    def _moves(self) -> None:
        for before, after in pairwise(SHIFTS) if self.instance.most_moves >= 0 else ():
            moved = sum(max(0, self.count[name, after] - self.count[name, before]) for name in self.posts)
            self.findings.require("moves", moved <= self.instance.most_moves, f"{moved} ambulances change place before {after}")

    def _cover(self, zone: Zone, shift: str) -> int:
        """How many ambulances cover a zone."""
        return sum(
            count
            for (post, when), count in self.count.items()
            if when == shift and self.instance.drives[f"{post}>{zone.name}"] <= self.instance.response
        )

    def _points(self) -> int:
        points = 0
        for zone in self.instance.zones:
            for calls, shift in zip(zone.calls, SHIFTS, strict=True):
                cover = self._cover(zone, shift)
                points += calls * (self.instance.once_points * (cover > 0) + self.instance.twice_points * (cover > 1))
        return points
