"""Reference program of the paint lines: one circuit a line in CP-SAT.

Source: M. Pinedo, Scheduling (2016), chapter 5; circuits as in the CP-SAT primer's scheduling models.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, state, table

OMITTABLE = ("fixtures", "crew", "stops", "precedence", "eligibility", "sequence")
SECONDS = 0.8
"""Deterministic time limit."""

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    products = {row["product"]: row for row in table(files["data/products.csv"], ["product"])}
    plant = settings(files["data/plant.yaml"])
    shop = json.loads(files["data/lines.json"])
    jobs = {}
    for row in table(files["data/orders.csv"], ["job"]):
        product = products[row["product"]]
        jobs[row["job"]] = {
            "family": product["family"],
            "fixture": product["fixture"],
            "lines": product["lines"].split(),
            "minutes": -(-60 * int(row["pieces"]) // int(product["per_hour"])),
            "release": int(row["release"]),
            "due": int(row["due"]),
            "late": int(row["late_cents"]),
            "after": row["after"],
        }
    setups = {(row["from"], row["to"]): amount(row, "minutes") for row in table(files["data/setups.csv"], ["from", "to"])}
    accepted = state(files)
    return {
        "jobs": jobs,
        "lines": {line["line"]: line for line in shop["lines"]},
        "stops": shop["stops"],
        "setups": setups,
        "setup_cents": plant["setup_cents"],
        "single": plant["single_fixtures"],
        "has_crew": plant["setup_crews"] == 1,
        "frozen_until": plant.get("frozen_until", 0) if accepted else 0,
        "move_cents": plant.get("move_cents", 0),
        "accepted": {row["job"]: row for row in accepted["schedule"]} if accepted else {},
    }


def _setup(data: Data, before: str, after: str) -> int:
    return 0 if before == after else int(data["setups"][before, after])


class _Lines:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset(), latest: int = 0) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = cp_model.CpModel()
        jobs = data["jobs"]
        times = [
            *(job["release"] for job in jobs.values()),
            *(stop["end"] for stop in data["stops"]),
            data["frozen_until"],
            latest,
        ]
        self.horizon = 2 * (max(times) + sum(job["minutes"] + 60 for job in jobs.values()))
        self.start = {name: self.model.new_int_var(0, self.horizon, f"start {name}") for name in jobs}
        self.setup = {name: self.model.new_int_var(0, max([0, *data["setups"].values()]), f"setup {name}") for name in jobs}
        self.on = {(name, line): self.model.new_bool_var(f"{name} on {line}") for name in jobs for line in data["lines"]}
        for line in data["lines"]:
            self._circuit(line)
        self._timing()
        self._resources()
        self._frozen()
        self._objective()

    def _circuit(self, line: str) -> None:
        data, model = self.data, self.model
        names = list(data["jobs"])
        here = data["lines"][line]
        empty = model.new_bool_var(f"{line} is empty")
        arcs: list[Any] = [(0, 0, empty)]
        for number, name in enumerate(names, start=1):
            job = data["jobs"][name]
            arcs.append((number, number, ~self.on[name, line]))
            first, last = model.new_bool_var(""), model.new_bool_var("")
            arcs += [(0, number, first), (number, 0, last)]
            time = _setup(data, here["family"], job["family"])
            model.add(self.setup[name] == time).only_enforce_if(first)
            model.add(self.start[name] >= here["ready"] + time).only_enforce_if(first)
            for other_number, other in enumerate(names, start=1):
                if other == name:
                    continue
                follows = model.new_bool_var("")
                arcs.append((number, other_number, follows))
                gap = 0 if "sequence" in self.omit else _setup(data, job["family"], data["jobs"][other]["family"])
                model.add(self.setup[other] == gap).only_enforce_if(follows)
                model.add(self.start[other] >= self.start[name] + job["minutes"] + gap).only_enforce_if(follows)
        model.add_circuit(arcs)

    def _timing(self) -> None:
        data, model = self.data, self.model
        for name, job in data["jobs"].items():
            model.add_exactly_one(self.on[name, line] for line in data["lines"])
            model.add(self.start[name] >= job["release"])
            for line in data["lines"]:
                if line not in job["lines"] and "eligibility" not in self.omit:
                    model.add(self.on[name, line] == 0)
            if job["after"] and "precedence" not in self.omit:
                model.add(self.start[name] >= self.start[job["after"]] + data["jobs"][job["after"]]["minutes"])
            for stop in data["stops"] if "stops" not in self.omit else ():
                before = model.new_bool_var("")
                on = self.on[name, stop["line"]]
                model.add(self.start[name] + job["minutes"] <= stop["start"]).only_enforce_if(on, before)
                model.add(self.start[name] - self.setup[name] >= stop["end"]).only_enforce_if(on, ~before)

    def _resources(self) -> None:
        data, model = self.data, self.model
        for fixture in data["single"] if "fixtures" not in self.omit else ():
            model.add_no_overlap(
                [
                    model.new_fixed_size_interval_var(self.start[name], job["minutes"], "")
                    for name, job in data["jobs"].items()
                    if job["fixture"] == fixture
                ]
            )
        if data["has_crew"] and "crew" not in self.omit:
            model.add_no_overlap([self._crew_at(name) for name in data["jobs"]])

    def _crew_at(self, name: str) -> Any:
        """The setup before a job; none where it takes no time."""
        begin, needed = self.model.new_int_var(-self.horizon, self.horizon, ""), self.model.new_bool_var("")
        self.model.add(self.setup[name] == 0).only_enforce_if(~needed)
        self.model.add(self.setup[name] > 0).only_enforce_if(needed)
        return self.model.new_optional_interval_var(begin, self.setup[name], self.start[name], needed, "")

    def _frozen(self) -> None:
        data, model = self.data, self.model
        limit = data["frozen_until"]
        for name in data["jobs"] if limit else ():
            row = data["accepted"].get(name)
            if row and row["start"] < limit:
                model.add(self.start[name] == row["start"])
                model.add(self.on[name, row["line"]] == 1)
            else:
                model.add(self.start[name] - self.setup[name] >= limit)

    def _objective(self) -> None:
        data, model = self.data, self.model
        terms: list[Any] = []
        for name, job in data["jobs"].items():
            late = model.new_int_var(0, 2 * self.horizon, f"late {name}")
            model.add(late >= self.start[name] + job["minutes"] - job["due"])
            terms += [late * job["late"], self.setup[name] * data["setup_cents"]]
            if name in data["accepted"]:
                terms.append((1 - self.on[name, data["accepted"][name]["line"]]) * data["move_cents"])
        model.minimize(sum(terms))

    def plan(self, solver: Any) -> Plan:
        """The schedule that the solver found."""
        rows = []
        for name in self.data["jobs"]:
            line = next(line for line in self.data["lines"] if solver.value(self.on[name, line]))
            rows.append({"job": name, "line": line, "start": solver.value(self.start[name])})
        return {"schedule": rows}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best schedule within the limit, started from the greedy one."""
    lines = _Lines(data, omit)
    rows = greedy(data)["schedule"]
    start = [(lines.start[row["job"]], row["start"]) for row in rows]
    start += [(lines.on[row["job"], line], int(line == row["line"])) for row in rows for line in data["lines"]]
    solver, bound = solved(lines.model, SECONDS, effort, start, linear=1)
    return Solved(lines.plan(solver) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a schedule."""
    rows = plan["schedule"]
    names = [row["job"] for row in rows]
    if sorted(names) != sorted(data["jobs"]) or any(row["line"] not in data["lines"] for row in rows):
        return None
    lines = _Lines(data, latest=max([0, *(row["start"] for row in rows)]))
    for row in rows:
        lines.model.add(lines.start[row["job"]] == row["start"])
        lines.model.add(lines.on[row["job"], row["line"]] == 1)
    return objective(lines.model)


def greedy(data: Data) -> Plan:
    """Earliest due date first, each job where it ends first."""
    limit = data["frozen_until"]
    rows = [row for row in data["accepted"].values() if row["start"] < limit]
    ends = {row["job"]: row["start"] + data["jobs"][row["job"]]["minutes"] for row in rows}
    free = {name: (line["ready"], line["family"]) for name, line in data["lines"].items()}
    for row in sorted(rows, key=lambda row: row["start"]):
        free[row["line"]] = ends[row["job"]], data["jobs"][row["job"]]["family"]
    free = {name: (max(time, limit), family) for name, (time, family) in free.items()}
    crew = limit
    fixtures = {
        fixture: max([ends[n] for n in ends if data["jobs"][n]["fixture"] == fixture], default=0) for fixture in data["single"]
    }
    waiting = sorted((name for name in data["jobs"] if name not in ends), key=lambda name: data["jobs"][name]["due"])
    while waiting:
        name = next(name for name in waiting if not data["jobs"][name]["after"] or data["jobs"][name]["after"] in ends)
        waiting.remove(name)
        job = data["jobs"][name]
        options = []
        for line in job["lines"]:
            setup = _setup(data, free[line][1], job["family"])
            start = max(free[line][0] + setup, job["release"], ends.get(job["after"], 0), fixtures.get(job["fixture"], 0))
            start = max(start, crew + setup) if setup and data["has_crew"] else start
            for stop in sorted(data["stops"], key=lambda stop: stop["start"]):
                if stop["line"] == line and start - setup < stop["end"] and start + job["minutes"] > stop["start"]:
                    start = stop["end"] + setup
            options.append((start + job["minutes"], line, start, setup))
        end, line, start, setup = min(options)
        ends[name], free[line] = end, (end, job["family"])
        crew = max(crew, start) if setup else crew
        if job["fixture"] in fixtures:
            fixtures[job["fixture"]] = max(fixtures[job["fixture"]], end)
        rows.append({"job": name, "line": line, "start": start})
    return {"schedule": rows}
