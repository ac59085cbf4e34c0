"""Reference program of the backbone: a path, and a second one, for each demand in CP-SAT.

Source: M. Stoer, Design of Survivable Networks (1992), and H. Kerivin and A. R. Mahjoub, Networks 46 (2005).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, table

OMITTABLE = ("capacity", "second", "ports", "ducts", "hops", "length", "sites")
SECONDS = 0.5
"""Deterministic time limit."""

PATHS = ("first", "second")
Data = dict[str, Any]
Pair = tuple[str, str]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    demands: dict[str, Any] = {
        row["demand"]: {
            "from": row["from"],
            "to": row["to"],
            "protected": row["protected"] == "yes",
            "lease": int(row["lease_cents"]),
            "mbps": {},
        }
        for row in table(files["data/demands.csv"], ["demand"])
    }
    for row in table(files["data/traffic.csv"], ["demand", "year"]):
        demands[row["demand"]]["mbps"][int(row["year"])] = int(row["mbps"])
    links = {
        (row["one"], row["other"]): {"duct": row["duct"], "km": int(row["km"]), "trench": int(row["trench_cents"])}
        for row in table(files["data/links.csv"], ["one", "other"])
    }
    network = settings(files["data/network.yaml"])
    return {
        "demands": demands,
        "links": links,
        "sites": {site["site"]: site["ports"] for site in json.loads(files["data/sites.json"])},
        "network": network,
        "cents": dict(enumerate(network["card_cents"], start=1)),
    }


class _Backbone:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset(), largest: int = 0) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = model = cp_model.CpModel()
        self.most = max(
            largest, 2 + 2 * sum(max(d["mbps"].values()) for d in data["demands"].values()) // data["network"]["card_mbps"]
        )
        self.cards = {(year, *link): model.new_int_var(0, self.most, "") for year in data["cents"] for link in data["links"]}
        self.leased = {name: model.new_bool_var(f"{name} leased") for name in data["demands"]}
        self.arcs = {
            (name, which, a, b): model.new_bool_var("")
            for name in data["demands"]
            for which in PATHS
            for link in data["links"]
            for a, b in (link, link[::-1])
        }
        self.cost: list[Any] = [self.leased[name] * demand["lease"] for name, demand in data["demands"].items()]
        self.cost += [cards * data["cents"][year] for (year, _, _), cards in self.cards.items()]
        for name, demand in data["demands"].items():
            self._paths(name, demand)
        for link in data["links"]:
            self._link(link)
        self._ports()
        model.minimize(sum(self.cost))

    def uses(self, name: str, which: str, link: Pair) -> Any:
        """Whether a path uses a link, as a sum over its two directions."""
        a, b = link
        return self.arcs[name, which, a, b] + self.arcs[name, which, b, a]

    def _paths(self, name: str, demand: dict[str, Any]) -> None:
        model, data, network = self.model, self.data, self.data["network"]
        for which in PATHS:
            there = 1 - self.leased[name] if which == "first" or demand["protected"] else 0
            if which == "second" and "second" in self.omit:
                there = 0
            for site in data["sites"]:
                out = sum(arc for (n, w, a, _), arc in self.arcs.items() if (n, w, a) == (name, which, site))
                into = sum(arc for (n, w, _, b), arc in self.arcs.items() if (n, w, b) == (name, which, site))
                model.add(out - into == (site == demand["from"]) * there - (site == demand["to"]) * there)
                model.add(out <= 1)
            links = {link: self.uses(name, which, link) for link in data["links"]}
            if network["most_hops"] and "hops" not in self.omit:
                model.add(sum(links.values()) <= network["most_hops"])
            if which == "first" and network["most_km"] and "length" not in self.omit:
                model.add(sum(data["links"][link]["km"] * used for link, used in links.items()) <= network["most_km"])
        for link in data["links"]:
            model.add(self.uses(name, "first", link) + self.uses(name, "second", link) <= 1)
        self._apart(name, demand)

    def _apart(self, name: str, demand: dict[str, Any]) -> None:
        model, data, network = self.model, self.data, self.data["network"]
        for duct in (
            sorted({link["duct"] for link in data["links"].values()})
            if network["ducts_apart"] and "ducts" not in self.omit
            else ()
        ):
            side = model.new_bool_var("")
            for link, of in data["links"].items():
                if of["duct"] == duct:
                    model.add(self.uses(name, "first", link) <= side)
                    model.add(self.uses(name, "second", link) <= 1 - side)
        for site in data["sites"] if network["sites_apart"] and "sites" not in self.omit else ():
            if site not in (demand["from"], demand["to"]):
                model.add_at_most_one(arc for (n, _, _, b), arc in self.arcs.items() if (n, b) == (name, site))

    def _link(self, link: Pair) -> None:
        model, data = self.model, self.data
        opened = model.new_bool_var("")
        for year in data["cents"]:
            there = sum(self.cards[earlier, *link] for earlier in data["cents"] if earlier <= year)
            model.add(self.cards[year, *link] <= self.most * opened)
            load = sum(
                demand["mbps"][year] * self.uses(name, which, link) for name, demand in data["demands"].items() for which in PATHS
            )
            if "capacity" not in self.omit:
                model.add(load <= data["network"]["card_mbps"] * there)
            else:  # a card serves whatever comes
                for name in data["demands"]:
                    for which in PATHS:
                        model.add(self.uses(name, which, link) <= there)
        self.cost.append(opened * data["links"][link]["trench"])

    def _ports(self) -> None:
        for site, ports in self.data["sites"].items():
            if self.data["network"]["ports_bind"] and "ports" not in self.omit:
                self.model.add(sum(cards for (_, a, b), cards in self.cards.items() if site in (a, b)) <= ports)

    def values(self, plan: Plan) -> list[tuple[Any, int]]:
        """The decisions of a plan, variable by variable."""
        bought = {(row["year"], row["one"], row["other"]): row["cards"] for row in plan["cards"]}
        arcs = {(r["demand"], which, a, b) for r in plan["routes"] for which in PATHS for a, b in pairwise(r[which])}
        found = [(cards, bought.get(key, 0)) for key, cards in self.cards.items()]
        found += [(arc, int(key in arcs)) for key, arc in self.arcs.items()]
        return found + [(leased, int(name in plan["leased"])) for name, leased in self.leased.items()]

    def plan(self, solver: Any) -> Plan:
        """The plan that the solver found."""
        cards = [
            {"year": year, "one": a, "other": b, "cards": solver.value(count)}
            for (year, a, b), count in self.cards.items()
            if solver.value(count)
        ]
        routes = [
            {"demand": name, **{which: self._walk(solver, name, which, demand) for which in PATHS}}
            for name, demand in self.data["demands"].items()
            if not solver.value(self.leased[name])
        ]
        return {"cards": cards, "routes": routes, "leased": [name for name, var in self.leased.items() if solver.value(var)]}

    def _walk(self, solver: Any, name: str, which: str, demand: dict[str, Any]) -> list[str]:
        path = [demand["from"]]
        while path[-1] != demand["to"]:
            steps = (b for (n, w, a, b), arc in self.arcs.items() if (n, w, a) == (name, which, path[-1]) and solver.value(arc))
            step = next(steps, None)
            if step is None:
                return []
            path.append(step)
        return path


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    backbone = _Backbone(data, omit)
    solver, bound = solved(backbone.model, SECONDS, effort, backbone.values(greedy(data)))
    return Solved(backbone.plan(solver) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    named = [route["demand"] for route in plan["routes"]] + plan["leased"]
    keys = [(row["year"], row["one"], row["other"]) for row in plan["cards"]]
    backbone = _Backbone(data, largest=max([0, *(row["cards"] for row in plan["cards"])]))
    if sorted(named) != sorted(data["demands"]) or len(set(keys)) < len(keys) or not set(keys) <= set(backbone.cards):
        return None
    if any(row["cards"] < 1 for row in plan["cards"]):
        return None
    for route in plan["routes"]:
        for which in PATHS:
            steps = list(pairwise(route[which]))
            known = all((route["demand"], which, a, b) in backbone.arcs for a, b in steps)
            if not known or len(set(route[which])) < len(route[which]) or len(route[which]) == 1:
                return None
    for variable, value in backbone.values(plan):
        backbone.model.add(variable == value)
    return objective(backbone.model)


def greedy(data: Data) -> Plan:
    """Shortest paths in the order of the data, cards as the last year needs them; what has no path or no port is leased."""
    network, last = data["network"], max(data["cents"])
    load: dict[Pair, int] = {}
    routes: list[dict[str, Any]] = []
    leased = []
    for name, demand in data["demands"].items():
        first = _shortest(data, demand, [])
        second = _shortest(data, demand, first) if first and demand["protected"] else []
        new = dict(load)
        for a, b in (*pairwise(first), *pairwise(second)):
            link = (a, b) if (a, b) in data["links"] else (b, a)
            new[link] = new.get(link, 0) + demand["mbps"][last]
        cards = {link: -(-mbps // network["card_mbps"]) for link, mbps in new.items()}
        ports = all(sum(n for link, n in cards.items() if site in link) <= most for site, most in data["sites"].items())
        if not first or (demand["protected"] and not second) or (network["ports_bind"] and not ports):
            leased.append(name)
            continue
        load = new
        routes.append({"demand": name, "first": first, "second": second})
    bought = [{"year": 1, "one": a, "other": b, "cards": -(-mbps // network["card_mbps"])} for (a, b), mbps in load.items()]
    return {"cards": bought, "routes": routes, "leased": leased}


def _shortest(data: Data, demand: dict[str, Any], other: list[str]) -> list[str]:
    """The shortest path within the limits that keeps apart from another one; empty when there is none."""
    network, links = data["network"], data["links"]
    taken = {frozenset(pair) for pair in pairwise(other)}
    ducts = {of["duct"] for link, of in links.items() if frozenset(link) in taken} if network["ducts_apart"] else set()
    closed = set(other[1:-1]) if network["sites_apart"] else set()
    best: tuple[int, list[str]] | None = None
    waiting: list[tuple[int, list[str]]] = [(0, [demand["from"]])]
    while waiting:
        km, path = waiting.pop()
        if path[-1] == demand["to"]:
            best = min(best or (km, path), (km, path))
            continue
        if network["most_hops"] and len(path) > network["most_hops"]:
            continue
        for step, of in _steps(links, path[-1]):
            free = frozenset((path[-1], step)) not in taken and of["duct"] not in ducts and step not in closed
            short = other or not network["most_km"] or km + of["km"] <= network["most_km"]
            if step not in path and free and short:
                waiting.append((km + of["km"], [*path, step]))
    return best[1] if best else []


def _steps(links: Mapping[Pair, Any], site: str) -> Iterable[tuple[str, Any]]:
    return [(b if a == site else a, of) for (a, b), of in links.items() if site in (a, b)]
