"""Validator of the radio channels: lists channels by site and looks at every two of them; it knows nothing of the model."""

from __future__ import annotations

from itertools import combinations, product

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.frequency_assignment.brief import rules
from opsgym.envs.or_agent_bench.problems.frequency_assignment.instance import Instance, Plan, Site


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a channel plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, by site."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        named: dict[str, list[int]] = {site.name: [] for site in instance.sites}
        for use in plan.uses:
            known = use.site in named and 1 <= use.channel <= len(instance.licences)
            self.findings.require("coverage", known, f"there is no site {use.site} or no channel {use.channel}")
            if known:
                named[use.site].append(use.channel)
        self.channels = {name: sorted(set(some)) for name, some in named.items()}
        for site in instance.sites:
            mine = named[site.name]
            exact = len(mine) == len(self.channels[site.name]) == site.needs
            what = f"{site.name} needs {site.needs} different channels and gets {self.channels[site.name]} in {len(mine)} rows"
            self.findings.require("coverage", exact, what)

    def report(self) -> Report:
        """All rules, one after the other."""
        for site in self.instance.sites:
            self._site(site)
        for pair in self.instance.pairs:
            self._apart("pair_gap", pair.first, pair.second, pair.gap)
        if self.instance.mast_gap:
            for one, other in combinations(self.instance.sites, 2):
                if one.mast == other.mast:
                    self._apart("mast_gap", one.name, other.name, self.instance.mast_gap)
        self._network()
        return self.findings.report(self._cost())

    def _site(self, site: Site) -> None:
        mine, find = self.channels[site.name], self.findings
        for channel in mine:
            tunes = site.lowest <= channel <= site.highest
            find.require("tuning", tunes, f"{site.name} tunes from {site.lowest} to {site.highest}, not to {channel}")
            if channel in self.instance.blocked.get(site.name, ()):
                find.add("border", f"{site.name} uses {channel}, which is blocked there")
        for one, other in combinations(mine, 2):
            gap = self.instance.site_gap
            find.require("site_gap", abs(one - other) >= gap, f"{site.name} uses {one} and {other}")
        halves = {channel > self.instance.half for channel in mine}
        if site.whole and len(halves) > 1:
            find.add("halves", f"{site.name} uses {mine}, the lower half ends at {self.instance.half}")
        if site.donor and self.channels[site.donor]:
            due = min(self.channels[site.donor]) + self.instance.shift
            find.require("repeaters", due in mine, f"{site.name} uses {mine}, {site.donor} asks for {due}")
        if site.is_protected:
            lost = sorted(set(site.used) - set(mine))
            find.require("protected", not lost, f"{site.name} no longer uses {lost}")

    def _apart(self, rule: str, first: str, second: str, gap: int) -> None:
        for one, other in product(self.channels[first], self.channels[second]):
            self.findings.require(rule, abs(one - other) >= gap, f"{first} uses {one}, {second} uses {other}")

    def _network(self) -> None:
        limit, used = self.instance.most_licences, self._used()
        if limit:
            self.findings.require("licences", len(used) <= limit, f"{len(used)} channels are used: {sorted(used)}")
        retuned = [site.name for site in self.instance.sites if set(self.channels[site.name]) - set(site.used)]
        if self.instance.most_retuned:
            holds = len(retuned) <= self.instance.most_retuned
            self.findings.require("retuned", holds, f"{len(retuned)} sites are retuned: {', '.join(retuned)}")

    def _used(self) -> set[int]:
        return {channel for some in self.channels.values() for channel in some}

    def _cost(self) -> int:
        licences = sum(self.instance.licences[channel - 1] for channel in self._used())
        shared = sum(
            pair.shared_cents * len(set(self.channels[pair.first]) & set(self.channels[pair.second]))
            for pair in self.instance.pairs
        )
        fresh = sum(len(set(self.channels[site.name]) - set(site.used)) for site in self.instance.sites)
        return licences + shared + fresh * self.instance.retune_cents
