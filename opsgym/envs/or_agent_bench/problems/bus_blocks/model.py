"""Reference program of the bus blocks: a flow of buses from trip to trip for each depot, in CP-SAT.

Length, start and line changes of a block are carried along its arcs.

Source: S. Bunte and N. Kliewer, An overview on vehicle scheduling models, Public Transport 1 (2009), section 3.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, table

OMITTABLE = ("chain", "buses", "range", "low_floor", "longest", "lines", "chargers", "gate", "broken", "fixed")
SECONDS = 0.9
"""Deterministic time limit."""

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    trips = {
        row["trip"]: {
            "line": row["line"],
            "from": row["from"],
            "to": row["to"],
            "departs": int(row["departs"]),
            "arrives": int(row["arrives"]),
            "metres": amount(row, "length"),
            "low_floor": row["low_floor"] == "yes",
        }
        for row in table(files["data/trips.csv"], ["trip"])
    }
    ways = {
        (row["from"], row["to"]): (int(row["minutes"]), amount(row, "length"))
        for row in table(files["data/deadheads.csv"], ["from", "to"])
    }
    return {
        **settings(files["data/company.yaml"]),
        "trips": trips,
        "ways": ways,
        "depots": {depot["depot"]: depot for depot in json.loads(files["data/depots.json"])},
        "links": {(link["first"], link["second"]): link["fixed"] for link in json.loads(files["data/links.json"])},
    }


def _way(data: Data, origin: str, to: str) -> tuple[int, int]:
    """Minutes and metres of empty driving."""
    found: tuple[int, int] = (0, 0) if origin == to else data["ways"][origin, to]
    return found


def _out(data: Data, depot: str, name: str) -> tuple[int, int]:
    return _way(data, depot, data["trips"][name]["from"])


def _home(data: Data, depot: str, name: str) -> tuple[int, int]:
    return _way(data, data["trips"][name]["to"], depot)


def _between(data: Data, a: str, b: str) -> tuple[int, int]:
    return _way(data, data["trips"][a]["to"], data["trips"][b]["from"])


def _reaches(data: Data, a: str, b: str) -> bool:
    """Whether a bus can drive a trip directly after another."""
    ready = data["trips"][a]["arrives"] + data["turn_minutes"] + _between(data, a, b)[0]
    return bool(ready <= data["trips"][b]["departs"])


def _step_cents(data: Data, a: str, b: str) -> int:
    """Cost of going from one trip to the next."""
    minutes = _between(data, a, b)[0]
    standing = max(0, data["trips"][b]["departs"] - data["trips"][a]["arrives"] - minutes)
    return int(minutes * data["deadhead_cents"] + standing * data["wait_cents"])


class _Day:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        model = self.model = cp_model.CpModel()
        order = sorted(data["trips"], key=lambda name: (data["trips"][name]["departs"], name))
        pairs = [
            (a, b) for i, a in enumerate(order) for b in order[i + 1 :] if _reaches(data, a, b) or "chain" in omit
        ]  # with whole times a chain goes forward in time
        self.first = {(depot, name): model.new_bool_var(f"{depot} first {name}") for depot in data["depots"] for name in order}
        self.last = {(depot, name): model.new_bool_var(f"{name} last {depot}") for depot in data["depots"] for name in order}
        self.next = {(depot, a, b): model.new_bool_var(f"{depot} {a} {b}") for depot in data["depots"] for a, b in pairs}
        self.into: dict[tuple[str, str], list[Any]] = {key: [first] for key, first in self.first.items()}
        self.onto: dict[tuple[str, str], list[Any]] = {key: [last] for key, last in self.last.items()}
        for (depot, a, b), goes in self.next.items():
            self.into[depot, b].append(goes)
            self.onto[depot, a].append(goes)
        self._trips()
        self._depots()
        self._lengths()
        self._starts()
        self._lines()
        model.minimize(self._cost() + self._links())

    def _binds(self, rule: str, setting: str, none: int = 0) -> bool:
        return self.data[setting] != none and rule not in self.omit

    def _trips(self) -> None:
        data, model = self.data, self.model
        for name, trip in data["trips"].items():
            model.add_exactly_one(goes for depot in data["depots"] for goes in self.into[depot, name])
            for depot, facts in data["depots"].items():
                model.add(sum(self.into[depot, name]) == sum(self.onto[depot, name]))
                if trip["low_floor"] and not facts["low_floor"] and self._binds("low_floor", "low_floor_binds"):
                    model.add(sum(self.into[depot, name]) == 0)

    def _depots(self) -> None:
        data, model = self.data, self.model
        for depot, facts in data["depots"].items():
            if "buses" not in self.omit:
                model.add(self._count(depot) <= facts["buses"])
            hours: dict[int, list[Any]] = {}
            for name, trip in data["trips"].items():
                hours.setdefault((trip["departs"] - _out(data, depot, name)[0]) // 60, []).append(self.first[depot, name])
            for leaving in hours.values() if self._binds("gate", "gate_binds") else ():
                model.add(sum(leaving) <= facts["gate"])

    def _lengths(self) -> None:
        """Metres driven up to the end of each trip."""
        data, model, trips = self.data, self.model, self.data["trips"]
        binds, charges = self._binds("range", "range_binds"), self._binds("chargers", "charge")
        if not binds and not charges:
            return
        most = sum(trip["metres"] for trip in trips.values()) + (len(trips) + 1) * max(far for _, far in data["ways"].values())
        top = max(depot["range"] for depot in data["depots"].values()) if binds else most
        length = {name: model.new_int_var(0, top, "") for name in trips}
        for (depot, name), first in self.first.items():
            model.add(length[name] >= _out(data, depot, name)[1] + trips[name]["metres"]).only_enforce_if(first)
        for (_, a, b), goes in self.next.items():
            model.add(length[b] >= length[a] + _between(data, a, b)[1] + trips[b]["metres"]).only_enforce_if(goes)
        long: dict[str, list[Any]] = {depot: [] for depot in data["depots"]}
        for (depot, name), last in self.last.items():
            total = length[name] + _home(data, depot, name)[1]
            if binds:
                model.add(total <= data["depots"][depot]["range"]).only_enforce_if(last)
            if charges:
                is_long = model.new_bool_var("")
                model.add(total <= data["charge"]).only_enforce_if(last, ~is_long)
                long[depot].append(is_long)
        for depot, blocks in long.items():
            facts = data["depots"][depot]
            model.add(sum(blocks) <= facts["chargers"])
            driven, count = self._driven(depot), self._count(depot)
            if binds:  # the sums over a depot follow from the rest, and give a better bound
                model.add(driven <= facts["range"] * count)
            if binds and charges and data["charge"] < facts["range"]:
                model.add(driven <= data["charge"] * count + (facts["range"] - data["charge"]) * facts["chargers"])

    def _count(self, depot: str) -> Any:
        """Number of blocks of a depot."""
        return sum(self.first[depot, name] for name in self.data["trips"])

    def _driven(self, depot: str) -> Any:
        """Metres that the buses of a depot drive."""
        data = self.data
        metres: list[Any] = []
        for name, trip in data["trips"].items():
            metres += [goes * trip["metres"] for goes in self.into[depot, name]]
            metres += [self.first[depot, name] * _out(data, depot, name)[1], self.last[depot, name] * _home(data, depot, name)[1]]
        metres += [goes * _between(data, a, b)[1] for (at, a, b), goes in self.next.items() if at == depot]
        return sum(metres)

    def _starts(self) -> None:
        """Minute at which the bus of each trip left its depot, or an earlier one."""
        data, model = self.data, self.model
        if not self._binds("longest", "longest"):
            return
        left = {name: model.new_int_var(0, trip["departs"], "") for name, trip in data["trips"].items()}
        for (depot, name), first in self.first.items():
            model.add(left[name] <= data["trips"][name]["departs"] - _out(data, depot, name)[0]).only_enforce_if(first)
        for (_, a, b), goes in self.next.items():
            model.add(left[b] <= left[a]).only_enforce_if(goes)
        for (depot, name), last in self.last.items():
            back = data["trips"][name]["arrives"] + _home(data, depot, name)[0]
            model.add(back - left[name] <= data["longest"]).only_enforce_if(last)
        for depot in data["depots"]:  # follows from the rest, and gives a better bound
            backs = [
                self.last[depot, name] * (trip["arrives"] + _home(data, depot, name)[0]) for name, trip in data["trips"].items()
            ]
            outs = [
                self.first[depot, name] * (trip["departs"] - _out(data, depot, name)[0]) for name, trip in data["trips"].items()
            ]
            model.add(sum(backs) - sum(outs) <= data["longest"] * self._count(depot))

    def _lines(self) -> None:
        data, model = self.data, self.model
        if not self._binds("lines", "most_changes", -1):
            return
        changes = {name: model.new_int_var(0, data["most_changes"], "") for name in data["trips"]}
        for (_, a, b), goes in self.next.items():
            step = int(data["trips"][a]["line"] != data["trips"][b]["line"])
            model.add(changes[b] >= changes[a] + step).only_enforce_if(goes)

    def _links(self) -> Any:
        """Cost of the broken links."""
        data, model = self.data, self.model
        broken = []
        for (a, b), is_fixed in data["links"].items():
            kept = sum(self.next[depot, a, b] for depot in data["depots"])
            broken.append(1 - kept)
            if is_fixed and "fixed" not in self.omit:
                model.add(kept == 1)
        if self._binds("broken", "most_broken", -1):
            model.add(sum(broken) <= data["most_broken"])
        return sum(broken) * data["break_cents"]

    def _cost(self) -> Any:
        data = self.data
        cost: list[Any] = []
        for (depot, name), first in self.first.items():
            cents = data["depots"][depot]["bus_cents"] + _out(data, depot, name)[0] * data["deadhead_cents"]
            cost.append(first * cents)
        for (depot, name), last in self.last.items():
            cost.append(last * (_home(data, depot, name)[0] * data["deadhead_cents"]))
        cost += [goes * _step_cents(data, a, b) for (_, a, b), goes in self.next.items()]
        return sum(cost)


def _values(day: _Day, plan: Plan) -> list[tuple[Any, int]]:
    """The decisions of a plan, variable by variable."""
    first = {(block["depot"], block["trips"][0]) for block in plan["blocks"]}
    last = {(block["depot"], block["trips"][-1]) for block in plan["blocks"]}
    goes = {(block["depot"], *pair) for block in plan["blocks"] for pair in pairwise(block["trips"])}
    found = [(literal, int(key in first)) for key, literal in day.first.items()]
    found += [(literal, int(key in last)) for key, literal in day.last.items()]
    return found + [(literal, int(key in goes)) for key, literal in day.next.items()]


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    day = _Day(data, omit)
    solver, bound = solved(day.model, SECONDS, effort, _values(day, greedy(data)), linear=1)
    if not solver:
        return Solved(None)
    follows = {(depot, a): b for (depot, a, b), goes in day.next.items() if solver.value(goes)}
    blocks = []
    for (depot, name), first in day.first.items():
        if solver.value(first):
            trips = [name]
            while (depot, trips[-1]) in follows:
                trips.append(follows[depot, trips[-1]])
            blocks.append({"depot": depot, "trips": trips})
    return Solved({"blocks": blocks}, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    day = _Day(data)
    names = [name for block in plan["blocks"] for name in block["trips"]]
    goes = {(block["depot"], *pair) for block in plan["blocks"] for pair in pairwise(block["trips"])}
    formed = all(block["depot"] in data["depots"] and block["trips"] for block in plan["blocks"])
    if not formed or sorted(names) != sorted(data["trips"]) or not goes <= set(day.next):
        return None
    for literal, value in _values(day, plan):
        day.model.add(literal == value)
    return objective(day.model)


def greedy(data: Data) -> Plan:
    """The trips by departure, each to the oldest block that reaches it, else to a bus of the nearest depot that has one."""
    blocks: list[dict[str, Any]] = []
    pairs = {second: first for first, second in data["links"]}
    fixed = {first for (first, _), is_fixed in data["links"].items() if is_fixed}
    for name in sorted(data["trips"], key=lambda name: (data["trips"][name]["departs"], name)):
        before = pairs.get(name)
        options = []
        for block in blocks:
            tail = block["trips"][-1]
            is_free = tail == before or (tail not in fixed and before not in fixed)
            if is_free and _reaches(data, tail, name) and _keeps(data, blocks, block, name):
                options.append((tail != before, blocks.index(block)))
        if options:
            blocks[min(options)[1]]["trips"].append(name)
        else:
            blocks.append({"depot": _nearest(data, blocks, name), "trips": [name]})
    return {"blocks": blocks}


def _nearest(data: Data, blocks: list[dict[str, Any]], name: str) -> str:
    """The nearest depot with a bus for a trip."""
    options = []
    for depot, facts in data["depots"].items():
        mine = [block for block in blocks if block["depot"] == depot]
        hour = _hour(data, depot, name)
        closed = data["gate_binds"] and sum(_hour(data, depot, block["trips"][0]) == hour for block in mine) >= facts["gate"]
        low = data["low_floor_binds"] and data["trips"][name]["low_floor"] and not facts["low_floor"]
        spoilt = low or closed or len(mine) >= facts["buses"]
        options.append((bool(spoilt), _out(data, depot, name)[0] + _home(data, depot, name)[0], depot))
    return str(min(options)[2])


def _hour(data: Data, depot: str, name: str) -> int:
    return int(data["trips"][name]["departs"] - _out(data, depot, name)[0]) // 60


def _keeps(data: Data, blocks: list[dict[str, Any]], block: dict[str, Any], name: str) -> bool:
    """Whether a block that a trip is added to keeps the rules."""
    depot, names = data["depots"][block["depot"]], [*block["trips"], name]
    trips = [data["trips"][one] for one in names]
    length = _length(data, block["depot"], names)
    out, home = _out(data, block["depot"], names[0])[0], _home(data, block["depot"], name)[0]
    changes = sum(a["line"] != b["line"] for a, b in pairwise(trips))
    others = sum(
        _length(data, other["depot"], other["trips"]) > data["charge"]
        for other in blocks
        if other is not block and other["depot"] == block["depot"]
    )
    broken = (
        data["range_binds"] and length > depot["range"],
        data["low_floor_binds"] and trips[-1]["low_floor"] and not depot["low_floor"],
        data["longest"] and trips[-1]["arrives"] + home - trips[0]["departs"] + out > data["longest"],
        data["most_changes"] >= 0 and changes > data["most_changes"],
        data["charge"] and length > data["charge"] and others >= depot["chargers"],
    )
    return not any(broken)


def _length(data: Data, depot: str, names: list[str]) -> int:
    """Metres of a block."""
    driven = sum(data["trips"][name]["metres"] for name in names) + sum(_between(data, a, b)[1] for a, b in pairwise(names))
    return int(driven + _out(data, depot, names[0])[1] + _home(data, depot, names[-1])[1])
