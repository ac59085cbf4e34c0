"""Validator of the markdowns: sells week by week at the prices given, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.markdown_plan.brief import rules
from opsgym.envs.or_agent_bench.problems.markdown_plan.instance import STEPS, Article, Instance, Plan, Price


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge prices."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, by article and week."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        self.names = [article.name for article in instance.articles]
        self.weeks = range(1, instance.weeks + 1)
        rows = [row for row in plan.prices if self._is_known(row)]
        times = Counter((row.article, row.week) for row in rows)
        for name in self.names:
            for week in self.weeks:
                self.findings.require("coverage", times[name, week] == 1, f"{name} has {times[name, week]} prices in week {week}")
        self.step = {(row.article, row.week): row.step for row in rows}

    def report(self) -> Report:
        """All rules, one after the other."""
        cents = sum(self._sell(article) for article in self.instance.articles)
        changes = {(name, week) for name in self.names for week in self.weeks if self._fall(name, week)}
        for article in self.instance.articles:
            self._ladder(article, sorted(week for name, week in changes if name == article.name))
        for week in self.weeks:
            self._week(week, sorted(name for name, when in changes if when == week))
        return self.findings.report(cents - self.instance.label_cents * len(changes))

    def _is_known(self, row: Price) -> bool:
        known = row.article in self.names and row.week in self.weeks and 1 <= row.step <= STEPS
        self.findings.require("coverage", known, f"step {row.step} of {row.article} in week {row.week}")
        return known

    def _fall(self, name: str, week: int) -> int:
        """By how many steps a price falls at the start of a week."""
        before, now = self.step.get((name, week - 1)), self.step.get((name, week))
        return now - before if before is not None and now is not None else 0

    def _ladder(self, article: Article, changes: list[int]) -> None:
        name, find = article.name, self.findings
        for week in self.weeks:
            fall = self._fall(name, week)
            find.require("falling", fall >= 0, f"the price of {name} rises in week {week}")
            if self.instance.most_down:
                find.require("steps", fall <= self.instance.most_down, f"the price of {name} falls {fall} steps in week {week}")
            beyond = self.step.get((name, week), 1) > article.lowest
            if beyond:
                find.add("floor", f"{name} stands below step {article.lowest} in week {week}")
        for one, other in combinations(changes, 2) if self.instance.pause else ():
            find.require("pause", other - one > self.instance.pause, f"{name} changes in weeks {one} and {other}")
        if article.printed:
            first = self.step.get((name, 1))
            find.require("printed", first == article.printed, f"{name} has step {first} in week 1, {article.printed} is printed")

    def _week(self, week: int, changed: list[str]) -> None:
        if self.instance.most_labels:
            few = len(changed) <= self.instance.most_labels
            self.findings.require("labels", few, f"{', '.join(changed)} change in week {week}")
        for one, other in combinations(self.instance.articles, 2) if self.instance.most_apart else ():
            steps = [self.step[each.name, week] for each in (one, other) if (each.name, week) in self.step]
            if one.family == other.family and max(steps, default=0) - min(steps, default=0) > self.instance.most_apart:
                self.findings.add("families", f"{one.name} and {other.name} are apart in week {week}")

    def _sell(self, article: Article) -> int:
        cents, left = 0, article.stock
        for week in self.weeks:
            left += article.pieces if week == article.arrival else 0
            step = self.step.get((article.name, week))
            if step is not None:
                sold = min(left, self.instance.demand[f"{article.name}>{week}>{step}"])
                cents += sold * article.prices[step - 1]
                left -= sold
        if article.most_left >= 0:
            self.findings.require("left", left <= article.most_left, f"{left} pieces of {article.name} are left")
        return cents + left * article.outlet
