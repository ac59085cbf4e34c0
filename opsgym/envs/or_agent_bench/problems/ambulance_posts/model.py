"""Reference program of the ambulance posts: ambulances by post and shift, cover of zones by Booleans, in CP-SAT.

Source: L. Brotcorne, G. Laporte, F. Semet, Ambulance location and relocation models (2003), sections 3 and 5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, table

OMITTABLE = ("fleet", "bays", "quarters", "reserve", "critical", "moves", "night", "changes", "fixed")
SECONDS = 0.5
"""Deterministic time limit."""
HELD = 10**7
"""Gain, for the greedy plan, of an ambulance that stays where it is in force, where few may move."""
SHIFTS = ("day", "evening", "night")

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    zones = {
        row["zone"]: {"calls": {shift: int(row[shift]) for shift in SHIFTS}, "critical": row["critical"] == "yes"}
        for row in table(files["data/zones.csv"], ["zone"])
    }
    return {
        **settings(files["data/service.yaml"]),
        "posts": {row["post"]: {**row, "bays": int(row["bays"])} for row in table(files["data/posts.csv"], ["post"])},
        "zones": zones,
        "drives": {(row["post"], row["zone"]): amount(row, "minutes") for row in table(files["data/drives.csv"])},
        "force": {(row["post"], shift): row[shift] for row in json.loads(files["data/in_force.json"]) for shift in SHIFTS},
    }


def _near(data: Data, zone: str) -> list[str]:
    """The posts that cover a zone."""
    return [post for post in data["posts"] if data["drives"][post, zone] <= data["response"]]


class _County:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = cp_model.CpModel()
        most = max(data[f"{shift}_ambulances"] for shift in SHIFTS) + 2
        self.at = {
            (post, shift): self.model.new_int_var(0, most, f"{post} {shift}") for post in data["posts"] for shift in SHIFTS
        }
        self.terms: list[Any] = []
        for shift in SHIFTS:
            self._shift(shift)
            self._cover(shift)
        self._posts()
        self._moves()
        self._changes()
        self.model.maximize(sum(self.terms))

    def _shift(self, shift: str) -> None:
        data, model, omit = self.data, self.model, self.omit
        if "fleet" not in omit:
            model.add(sum(self.at[post, shift] for post in data["posts"]) <= data[f"{shift}_ambulances"])
        groups: dict[tuple[str, str], list[Any]] = {}
        for name, post in data["posts"].items():
            for column in ("quarters", "district"):
                groups.setdefault((column, post[column]), []).append(self.at[name, shift])
        for (column, _), some in groups.items():
            if column == "quarters" and data["beds"] and "quarters" not in omit:
                model.add(sum(some) <= data["beds"])
            if column == "district" and data["reserve"] and "reserve" not in omit:
                model.add(sum(some) >= data["reserve"])

    def _cover(self, shift: str) -> None:
        data, model = self.data, self.model
        for name, zone in data["zones"].items():
            count = sum(self.at[post, shift] for post in _near(data, name))
            once, twice = model.new_bool_var(""), model.new_bool_var("")
            model.add(count >= once + twice)
            model.add_implication(twice, once)
            self.terms.append(zone["calls"][shift] * (once * data["once_points"] + twice * data["twice_points"]))
            if zone["critical"] and "critical" not in self.omit:
                model.add(count >= 1)

    def _posts(self) -> None:
        for (name, shift), count in self.at.items():
            post = self.data["posts"][name]
            if "bays" not in self.omit:
                self.model.add(count <= post["bays"])
            if post["night"] == "no" and shift == "night" and "night" not in self.omit:
                self.model.add(count == 0)
            if post["fixed"] == "yes" and "fixed" not in self.omit:
                self.model.add(count >= self.data["force"][name, shift])

    def _moves(self) -> None:
        limit = self.data["most_moves"]
        for before, after in (("day", "evening"), ("evening", "night")) if limit >= 0 and "moves" not in self.omit else ():
            gains = []
            for post in self.data["posts"]:
                gain = self.model.new_int_var(0, 100, "")
                self.model.add(gain >= self.at[post, after] - self.at[post, before])
                gains.append(gain)
            self.model.add(sum(gains) <= limit)

    def _changes(self) -> None:
        changes = []
        for place, count in self.at.items():
            change = self.model.new_int_var(0, 100, "")
            self.model.add_abs_equality(change, count - self.data["force"][place])
            changes.append(change)
        self.terms.append(-self.data["change_points"] * sum(changes))
        if self.data["most_changes"] >= 0 and "changes" not in self.omit:
            self.model.add(sum(changes) <= self.data["most_changes"])


def _plan(counts: Mapping[tuple[str, str], int]) -> Plan:
    rows = [{"shift": shift, "post": post, "ambulances": count} for (post, shift), count in counts.items() if count]
    return {"stations": rows}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    county = _County(data, omit)
    known = {(row["post"], row["shift"]): row["ambulances"] for row in greedy(data)["stations"]}
    start = [(count, known.get(place, 0)) for place, count in county.at.items()]
    solver, bound = solved(county.model, SECONDS, effort, start)
    return Solved(_plan({place: solver.value(count) for place, count in county.at.items()}) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's points of a plan."""
    counts = {(row["post"], row["shift"]): row["ambulances"] for row in plan["stations"]}
    county = _County(data)
    if len(counts) != len(plan["stations"]) or not set(counts) <= set(county.at) or min(counts.values(), default=1) < 1:
        return None
    for place, count in county.at.items():
        county.model.add(count == counts.get(place, 0))
    return objective(county.model)


def greedy(data: Data) -> Plan:
    """The day shift first: what must stand, then one ambulance after the other where it gains most; later shifts thin it out."""
    counts = {(post, shift): 0 for post in data["posts"] for shift in SHIFTS}
    for shift in reversed(SHIFTS):
        later = SHIFTS[SHIFTS.index(shift) + 1] if shift != "night" else shift
        for post in data["posts"]:
            fixed = data["force"][post, shift] if data["posts"][post]["fixed"] == "yes" else 0
            counts[post, shift] = max(fixed, counts[post, later])
        for _ in range(data[f"{shift}_ambulances"]):
            options = {post: _gain(data, counts, post, shift) for post in data["posts"] if _has_room(data, counts, post, shift)}
            best = max(options, key=lambda post: (options[post], post), default="")
            if best and (data["most_changes"] < 0 or options[best] >= HELD):
                counts[best, shift] += 1
    return _plan(counts)


def _has_room(data: Data, counts: Mapping[tuple[str, str], int], name: str, shift: str) -> bool:
    """Whether one more ambulance fits."""
    posts, post = data["posts"], data["posts"][name]
    fleet = sum(counts[other, shift] for other in posts)
    shared = sum(counts[other, shift] for other in posts if posts[other]["quarters"] == post["quarters"])
    awake = post["night"] == "yes" or shift != "night"
    beds = data["beds"] or fleet + 1
    return fleet < data[f"{shift}_ambulances"] and counts[name, shift] < post["bays"] and shared < beds and awake


def _gain(data: Data, counts: Mapping[tuple[str, str], int], name: str, shift: str) -> int:
    """The points that one more ambulance brings; what the rules ask for comes first."""
    gain: int = 0
    for zone, facts in data["zones"].items():
        near = _near(data, zone)
        covered = sum(counts[post, shift] for post in near)
        if name in near and covered < 2:
            gain += int(facts["calls"][shift] * data["twice_points" if covered else "once_points"])
            gain += 10**8 if facts["critical"] and not covered else 0
    district = data["posts"][name]["district"]
    here = sum(counts[post, shift] for post in data["posts"] if data["posts"][post]["district"] == district)
    held = data["most_changes"] >= 0 and counts[name, shift] < data["force"][name, shift]
    return gain + (10**8 if here < data["reserve"] else 0) + (HELD if held else 0)
