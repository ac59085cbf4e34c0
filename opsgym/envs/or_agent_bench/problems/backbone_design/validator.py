"""Validator of the backbone: walks every path, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.backbone_design.brief import rules
from opsgym.envs.or_agent_bench.problems.backbone_design.instance import Demand, Instance, Link, Plan, Route


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, path by path."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.plan = plan
        self.findings = Findings(rules(instance))
        self.links = {(link.one, link.other): link for link in instance.links}
        self.demands = {demand.name: demand for demand in instance.demands}
        self.years = len(instance.card_cents)
        self.bought: dict[tuple[int, str, str], int] = {}
        self.load: Counter[tuple[int, Link]] = Counter()

    def report(self) -> Report:
        """All rules, one after the other."""
        for row in self.plan.cards:
            key = row.year, row.one, row.other
            well = key[1:] in self.links and 1 <= row.year <= self.years and row.cards >= 1 and key not in self.bought
            self.findings.require("form", well, f"{row.cards} cards for {row.one}-{row.other} in year {row.year}")
            if well:
                self.bought[key] = row.cards
        times = Counter(route.demand for route in self.plan.routes) + Counter(self.plan.leased)
        for name in sorted(times.keys() | self.demands.keys()):
            once = name in self.demands and times[name] == 1
            self.findings.require("coverage", once, f"{name} is planned {times[name]} times")
        for route in self.plan.routes:
            if route.demand in self.demands:
                self._route(route, self.demands[route.demand])
        self._capacity()
        return self.findings.report(self._cents())

    def _link(self, a: str, b: str) -> Link | None:
        return self.links.get((a, b)) or self.links.get((b, a))

    def _route(self, route: Route, demand: Demand) -> None:
        first = self._path(route.first, demand, "first")
        second = self._path(route.second, demand, "second") if route.second else []
        self.findings.require("second", bool(second) == demand.is_protected, f"{demand.name} has a second path: {bool(second)}")
        shared = [link for link in first if link in second]
        self.findings.require("second", not shared, f"the paths of {demand.name} share a link")
        if self.instance.most_km:
            km = sum(link.km for link in first)
            self.findings.require("length", km <= self.instance.most_km, f"the first path of {demand.name} has {km} km")
        if self.instance.ducts_apart:
            ducts = {link.duct for link in first} & {link.duct for link in second}
            self.findings.require("ducts", not ducts, f"the paths of {demand.name} share {', '.join(sorted(ducts))}")
        if self.instance.sites_apart:
            sites = set(route.first[1:-1]) & set(route.second[1:-1])
            self.findings.require("sites", not sites, f"the paths of {demand.name} share {', '.join(sorted(sites))}")

    def _path(self, sites: tuple[str, ...], demand: Demand, which: str) -> list[Link]:
        label = f"the {which} path of {demand.name}"
        ends = len(sites) >= 2 and (sites[0], sites[-1]) == (demand.origin, demand.to)
        links = [self._link(a, b) for a, b in pairwise(sites)]
        whole = ends and None not in links and len(set(sites)) == len(sites)
        self.findings.require("path", whole, f"{label} is no path")
        found = [link for link in links if link is not None]
        if self.instance.most_hops:
            self.findings.require("hops", len(sites) - 1 <= self.instance.most_hops, f"{label} has {len(sites) - 1} links")
        for year in range(1, self.years + 1):
            for link in found:
                self.load[year, link] += demand.mbps[year - 1]
        return found

    def _capacity(self) -> None:
        for (year, link), mbps in self.load.items():
            cards = sum(count for (when, a, b), count in self.bought.items() if when <= year and (a, b) == (link.one, link.other))
            served = cards * self.instance.card_mbps
            self.findings.require(
                "capacity", mbps <= served, f"{link.one}-{link.other} carries {mbps} of {served} in year {year}"
            )
        for site in self.instance.sites if self.instance.limits_ports else ():
            used = sum(count for (_, a, b), count in self.bought.items() if site.name in (a, b))
            self.findings.require("ports", used <= site.ports, f"{site.name} uses {used} ports of {site.ports}")

    def _cents(self) -> int:
        cards = sum(self.instance.card_cents[year - 1] * count for (year, _, _), count in self.bought.items())
        trenches = sum(self.links[pair].trench_cents for pair in {(a, b) for _, a, b in self.bought})
        return cards + trenches + sum(self.demands[name].lease_cents for name in self.plan.leased if name in self.demands)
