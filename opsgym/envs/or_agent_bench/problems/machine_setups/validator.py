"""Validator of the paint lines: walks along each line and through time, and knows nothing of the model."""

from __future__ import annotations

from itertools import pairwise

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.machine_setups.brief import rules
from opsgym.envs.or_agent_bench.problems.machine_setups.instance import Assignment, Instance, Job, Plan

Span = tuple[int, int, str]


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a schedule."""
    return _Look(instance, plan, previous).report()


class _Look:
    """One schedule, laid out on its lines."""

    def __init__(self, instance: Instance, plan: Plan, previous: Plan | None) -> None:
        self.instance = instance
        self.previous = previous
        self.findings = Findings(rules(instance))
        self.jobs = {job.name: job for job in instance.jobs}
        self.products = {product.name: product for product in instance.products}
        self.lines = {line.name: line for line in instance.lines}
        self.rows = self._known(plan)
        self.setups: dict[str, Span] = {}

    def report(self) -> Report:
        """All rules, one after the other."""
        self._coverage()
        self._lines()
        self._eligibility_and_release()
        self._stops()
        self._resources()
        self._order()
        self._freeze()
        charge = self._charge()
        return self.findings.report(self._cost() + charge, charge)

    def _known(self, plan: Plan) -> list[Assignment]:
        rows = []
        for row in plan.schedule:
            if row.job in self.jobs and row.line in self.lines:
                rows.append(row)
            else:
                self.findings.add("coverage", f"there is no job {row.job} or no line {row.line}")
        return sorted(rows, key=lambda row: (row.line, row.start, row.job))

    def _minutes(self, job: Job) -> int:
        return -(-60 * job.pieces // self.products[job.product].per_hour)

    def _family(self, row: Assignment) -> str:
        return self.products[self.jobs[row.job].product].family

    def _end(self, row: Assignment) -> int:
        return row.start + self._minutes(self.jobs[row.job])

    def _coverage(self) -> None:
        times = {name: sum(row.job == name for row in self.rows) for name in self.jobs}
        for name, count in times.items():
            self.findings.require("coverage", count == 1, f"job {name} is scheduled {count} times")

    def _lines(self) -> None:
        for name, line in self.lines.items():
            free, family = line.ready, line.family
            for row in (row for row in self.rows if row.line == name):
                new = self._family(row)
                setup = 0 if new == family else self.instance.setups[f"{family}>{new}"]
                if setup:
                    self.setups[row.job] = (row.start - setup, row.start, row.job)
                begins = row.start - setup
                rule = "release" if free == line.ready and begins < line.ready else "sequence"
                self.findings.require(rule, begins >= free, f"{row.job} on {name} begins at {begins}, the line is free at {free}")
                free, family = max(free, self._end(row)), new

    def _eligibility_and_release(self) -> None:
        for row in self.rows:
            job = self.jobs[row.job]
            fits = row.line in self.products[job.product].lines
            self.findings.require("eligibility", fits, f"{row.job} does not fit {row.line}")
            self.findings.require(
                "release", row.start >= job.release, f"{row.job} starts at {row.start}, released at {job.release}"
            )

    def _stops(self) -> None:
        for stop in self.instance.stops:
            for row in (row for row in self.rows if row.line == stop.line):
                begins = self.setups[row.job][0] if row.job in self.setups else row.start
                clear = begins >= stop.end or self._end(row) <= stop.start
                self.findings.require("stops", clear, f"{row.job} is on {stop.line} while it stands still from {stop.start}")

    def _resources(self) -> None:
        for fixture in self.instance.fixtures:
            spans = [
                (row.start, self._end(row), row.job)
                for row in self.rows
                if self.products[self.jobs[row.job].product].fixture == fixture
            ]
            self._disjoint("fixtures", spans)
        if self.instance.has_crew:
            self._disjoint("crew", list(self.setups.values()))

    def _disjoint(self, rule: str, spans: list[Span]) -> None:
        for first, second in pairwise(_stretched(spans)):
            self.findings.require(rule, second[0] >= first[1], f"{first[2]} and {second[2]} at the same time")

    def _order(self) -> None:
        ends = {row.job: self._end(row) for row in self.rows}
        for row in self.rows:
            before = self.jobs[row.job].after
            if before:
                holds = before in ends and row.start >= ends[before]
                self.findings.require("precedence", holds, f"{row.job} starts at {row.start}, before {before} has ended")

    def _freeze(self) -> None:
        if self.previous is None:
            return
        limit = self.instance.frozen_until
        kept = {row.job: row for row in self.previous.schedule if row.start < limit}
        for row in self.rows:
            if row.job in kept:
                self.findings.require("freeze", row == kept[row.job], f"{row.job} is frozen at {kept[row.job].start}")
            else:
                begins = self.setups[row.job][0] if row.job in self.setups else row.start
                self.findings.require("freeze", begins >= limit, f"{row.job} begins at {begins}, frozen until {limit}")

    def _charge(self) -> int:
        before = {row.job: row.line for row in self.previous.schedule} if self.previous else {}
        return self.instance.move_cents * sum(before.get(row.job, row.line) != row.line for row in self.rows)

    def _cost(self) -> int:
        late = sum(max(0, self._end(row) - self.jobs[row.job].due) * self.jobs[row.job].late_cents for row in self.rows)
        return late + self.instance.setup_cents * sum(end - start for start, end, _ in self.setups.values())


def _stretched(spans: list[Span]) -> list[Span]:
    """Spans by start, each made to end no earlier than those before it, so that neighbours show every overlap."""
    found: list[Span] = []
    for start, end, name in sorted(spans):
        found.append((start, max(end, found[-1][1]) if found else end, name))
    return found
