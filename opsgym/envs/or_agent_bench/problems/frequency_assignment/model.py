"""Reference program of the radio channels: a Boolean for each site and channel in CP-SAT.

Source: K. Aardal et al., Models and solution techniques for frequency assignment problems (2007), section 2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, table

OMITTABLE = ("tuning", "site_gap", "pair_gap", "mast_gap", "licences", "border", "repeaters", "halves", "retuned", "protected")
SECONDS = 0.5
"""Deterministic time limit."""

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    sites = {}
    for row in table(files["data/sites.csv"], ["site"]):
        sites[row["site"]] = {
            "needs": int(row["needs"]),
            "range": range(int(row["lowest"]), int(row["highest"]) + 1),
            "mast": row["mast"],
            "repeats": row["repeats"],
            "whole": row["whole"] == "yes",
            "used": [int(channel) for channel in row["used"].split()],
            "protected": row["protected"] == "yes",
        }
    pairs = {
        (row["first"], row["second"]): (int(row["gap"]), int(row["shared_cents"]))
        for row in table(files["data/pairs.csv"], ["first", "second"])
    }
    return {
        **settings(files["data/network.yaml"]),
        "sites": sites,
        "pairs": pairs,
        "licences": {int(row["channel"]): int(row["cents"]) for row in table(files["data/licences.csv"], ["channel"])},
        "border": {row["site"]: set(row["channels"]) for row in json.loads(files["data/border.json"])},
    }


class _Network:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = cp_model.CpModel()
        self.channels = sorted(data["licences"])
        self.uses = {(site, f): self.model.new_bool_var(f"{site} on {f}") for site in data["sites"] for f in self.channels}
        self.licence = {f: self.model.new_bool_var(f"licence {f}") for f in self.channels}
        self.terms: list[Any] = [self.licence[f] * cents for f, cents in data["licences"].items()]
        for name, site in data["sites"].items():
            self._site(name, site)
        for (first, second), (gap, cents) in data["pairs"].items():
            self._apart(first, second, 0 if "pair_gap" in omit else gap)
            self._shared(first, second, cents)
        if "mast_gap" not in omit:
            for first, second in combinations(data["sites"], 2):
                if data["sites"][first]["mast"] == data["sites"][second]["mast"]:
                    self._apart(first, second, data["mast_gap"])
        if data["most_licences"] and "licences" not in omit:
            self.model.add(sum(self.licence.values()) <= data["most_licences"])
        self._retuning()
        self.model.minimize(sum(self.terms))

    def _site(self, name: str, site: dict[str, Any]) -> None:
        model = self.model
        model.add(sum(self.uses[name, f] for f in self.channels) == site["needs"])
        banned = self.data["border"].get(name, set()) if "border" not in self.omit else set()
        for f in self.channels:
            model.add_implication(self.uses[name, f], self.licence[f])
            if f in banned or (f not in site["range"] and "tuning" not in self.omit):
                model.add(self.uses[name, f] == 0)
        if "site_gap" not in self.omit:
            for f, g in combinations(self.channels, 2):
                if g - f < self.data["site_gap"]:
                    model.add_at_most_one(self.uses[name, f], self.uses[name, g])
        if site["whole"] and "halves" not in self.omit:
            for f, g in combinations(self.channels, 2):
                if f <= self.data["lower_half"] < g:
                    model.add_at_most_one(self.uses[name, f], self.uses[name, g])
        if site["repeats"] and "repeaters" not in self.omit:
            self._repeat(name, site["repeats"])

    def _repeat(self, name: str, donor: str) -> None:
        """The repeater uses a channel where the donor uses the one ``repeat_shift`` below and none lower still."""
        shift = self.data["repeat_shift"]
        for f in self.channels:
            lower = [self.uses[donor, g] for g in self.channels if g < f]
            follows = self.uses.get((name, f + shift))
            self.model.add_bool_or([*lower, ~self.uses[donor, f], *([] if follows is None else [follows])])

    def _apart(self, first: str, second: str, gap: int) -> None:
        for f in self.channels:
            for g in range(f - gap + 1, f + gap):
                if g in self.licence:
                    self.model.add_at_most_one(self.uses[first, f], self.uses[second, g])

    def _shared(self, first: str, second: str, cents: int) -> None:
        for f in self.channels if cents else ():
            both = self.model.new_bool_var("")
            self.model.add_bool_or([~self.uses[first, f], ~self.uses[second, f], both])
            self.terms.append(both * cents)

    def _retuning(self) -> None:
        data, model = self.data, self.model
        retuned = []
        for name, site in data["sites"].items():
            fresh = [self.uses[name, f] for f in self.channels if f not in site["used"]]
            self.terms += [use * data["retune_cents"] for use in fresh]
            moved = model.new_bool_var("")
            for use in fresh:
                model.add_implication(use, moved)
            retuned.append(moved)
            if site["protected"] and "protected" not in self.omit:
                for f in site["used"]:
                    model.add(self.uses[name, f] == 1)
        if data["most_retuned"] and "retuned" not in self.omit:
            model.add(sum(retuned) <= data["most_retuned"])


def _plan(uses: set[tuple[str, int]]) -> Plan:
    return {"uses": [{"site": site, "channel": channel} for site, channel in sorted(uses)]}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    network = _Network(data, omit)
    known = {(row["site"], row["channel"]) for row in greedy(data)["uses"]}
    start = [(use, int(key in known)) for key, use in network.uses.items()]
    solver, bound = solved(network.model, SECONDS, effort, start)
    return Solved(_plan({key for key, use in network.uses.items() if solver.value(use)}) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    rows = [(row["site"], row["channel"]) for row in plan["uses"]]
    network = _Network(data)
    if len(set(rows)) != len(rows) or not set(rows) <= set(network.uses):
        return None
    for key, use in network.uses.items():
        network.model.add(use == int(key in rows))
    return objective(network.model)


def greedy(data: Data) -> Plan:
    """Protected sites and donors first, then the neediest; each takes the channel that adds least cost and keeps the rules."""
    sites = data["sites"]
    chosen: dict[str, list[int]] = {name: list(site["used"]) if site["protected"] else [] for name, site in sites.items()}
    donors = {site["repeats"] for site in sites.values()}
    order = sorted(sites, key=lambda name: (bool(sites[name]["repeats"]), name not in donors, -sites[name]["needs"], name))
    for name in order:
        site = sites[name]
        for _ in range(site["needs"] - len(chosen[name])):
            options = [f for f in sorted(data["licences"]) if _is_free(data, chosen, name, f)]
            if site["repeats"] and chosen[site["repeats"]]:
                options = [f for f in data["licences"] if f == min(chosen[site["repeats"]]) + data["repeat_shift"]]
            if options:
                chosen[name].append(min(options, key=lambda f: (_added(data, chosen, name, f), f)))
    return _plan({(name, f) for name, some in chosen.items() for f in some})


def _is_free(data: Data, chosen: dict[str, list[int]], name: str, f: int) -> bool:
    """Whether a channel keeps the rules beside those chosen so far."""
    site, half = data["sites"][name], data["lower_half"]
    if f not in site["range"] or f in data["border"].get(name, set()):
        return False
    if any(abs(f - g) < data["site_gap"] or (site["whole"] and (f <= half) != (g <= half)) for g in chosen[name]):
        return False
    for other, some in chosen.items():
        gap = max(data["pairs"].get(pair, (0, 0))[0] for pair in ((name, other), (other, name)))
        if other != name and data["sites"][other]["mast"] == site["mast"]:
            gap = max(gap, data["mast_gap"])
        if any(abs(f - g) < gap for g in some):
            return False
    taken = {g for some in chosen.values() for g in some}
    return f in taken or not data["most_licences"] or len(taken) < data["most_licences"]


def _added(data: Data, chosen: dict[str, list[int]], name: str, f: int) -> int:
    """What a channel adds to the cost."""
    cost = int(data["licences"][f]) if all(f not in some for some in chosen.values()) else 0
    for (first, second), (_, cents) in data["pairs"].items():
        other = second if first == name else first if second == name else ""
        cost += cents if other and f in chosen[other] else 0
    return cost + (data["retune_cents"] if f not in data["sites"][name]["used"] else 0)
