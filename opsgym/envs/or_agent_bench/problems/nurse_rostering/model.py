"""Reference program of the ward roster: a boolean a nurse, day and shift in CP-SAT.

Source: E. K. Burke et al., The state of the art of nurse rostering, Journal of Scheduling 7 (2004).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, state, table

OMITTABLE = ("absence", "rest", "contract", "run", "nights", "certified", "senior", "weekend")
SECONDS = 0.4
"""Deterministic time limit."""

SHIFTS = ("early", "late", "night")
FORBIDDEN = (("late", "early"), ("night", "early"), ("night", "late"))
Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    nurses = {
        row["nurse"]: {
            "shifts": int(row["shifts"]),
            "certified": row["certified"] == "yes",
            "senior": row["senior"] == "yes",
            "run": int(row["run"]),
        }
        for row in table(files["data/nurses.csv"], ["nurse"])
    }
    needs = {
        (int(row["day"]), row["shift"]): {name: int(row[name]) for name in ("nurses", "certified", "gap_points")}
        for row in table(files["data/needs.csv"], ["day", "shift"])
    }
    wishes = [(row["nurse"], int(row["day"]), row["shift"], int(row["points"])) for row in table(files["data/wishes.csv"])]
    accepted = state(files)
    ward = settings(files["data/ward.yaml"])
    return {
        "nurses": nurses,
        "needs": needs,
        "wishes": wishes,
        "absent": {(entry["nurse"], day) for entry in json.loads(files["data/absences.json"]) for day in entry["days"]},
        "ward": ward,
        "first_open": ward.get("first_open", 1) if accepted else 1,
        "accepted": None if accepted is None else {(d["nurse"], d["day"], d["shift"]) for d in accepted["duties"]},
    }


class _Roster:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = cp_model.CpModel()
        self.days = range(1, data["ward"]["days"] + 1)
        self.works = {
            (nurse, day, shift): self.model.new_bool_var(f"{nurse} {day} {shift}")
            for nurse in data["nurses"]
            for day in self.days
            for shift in SHIFTS
        }
        self.points: list[Any] = []
        for nurse in data["nurses"]:
            self._nurse(nurse)
        for (day, shift), need in data["needs"].items():
            self._shift(day, shift, need)
        self.points += [self.works[nurse, day, shift] * points for nurse, day, shift, points in data["wishes"]]
        self._accepted()
        self.model.minimize(sum(self.points))

    def on(self, nurse: str, day: int) -> Any:
        """Whether a nurse works on a day, as a sum."""
        return sum(self.works[nurse, day, shift] for shift in SHIFTS)

    def _nurse(self, nurse: str) -> None:
        model, ward, of = self.model, self.data["ward"], self.data["nurses"][nurse]
        for day in self.days:
            model.add_at_most_one(self.works[nurse, day, shift] for shift in SHIFTS)
            if (nurse, day) in self.data["absent"] and "absence" not in self.omit:
                model.add(self.on(nurse, day) == 0)
            for before, after in FORBIDDEN if day + 1 in self.days and "rest" not in self.omit else ():
                model.add_at_most_one(self.works[nurse, day, before], self.works[nurse, day + 1, after])
        over = model.new_int_var(0, len(self.days), "")
        model.add(over >= sum(self.on(nurse, day) for day in self.days) - of["shifts"])
        if "contract" not in self.omit:
            model.add(over <= ward["most_overtime"])
        self.points.append(over * ward["overtime_points"])
        if ward["most_run"] and "run" not in self.omit:
            most = ward["most_run"]
            for first in range(1 - of["run"], self.days[-1] - most + 1):
                window = range(first, first + most + 1)
                past = sum(day < 1 for day in window)
                model.add(past + sum(self.on(nurse, day) for day in window if day >= 1) <= most)
        if ward["most_nights"] and "nights" not in self.omit:
            model.add(sum(self.works[nurse, day, "night"] for day in self.days) <= ward["most_nights"])
        if ward["whole_weekends"] and "weekend" not in self.omit:
            for day in range(6, self.days[-1], 7):
                if not {(nurse, day), (nurse, day + 1)} & self.data["absent"]:
                    model.add(self.on(nurse, day) == self.on(nurse, day + 1))

    def _shift(self, day: int, shift: str, need: dict[str, int]) -> None:
        model, ward, nurses = self.model, self.data["ward"], self.data["nurses"]
        gap = model.new_int_var(0, need["nurses"], "")
        model.add(gap >= need["nurses"] - sum(self.works[nurse, day, shift] for nurse in nurses))
        self.points.append(gap * need["gap_points"])
        manned = model.new_bool_var("")
        for nurse in nurses:
            model.add_implication(self.works[nurse, day, shift], manned)
        if ward["certified_bind"] and "certified" not in self.omit:
            certified = sum(self.works[nurse, day, shift] for nurse in nurses if nurses[nurse]["certified"])
            model.add(certified >= need["certified"] * manned)
        if ward["senior_nights"] and shift == "night" and "senior" not in self.omit:
            model.add(sum(self.works[nurse, day, shift] for nurse in nurses if nurses[nurse]["senior"]) >= manned)

    def _accepted(self) -> None:
        accepted = self.data["accepted"]
        for key, works in self.works.items() if accepted is not None else ():
            was = key in accepted
            if key[1] < self.data["first_open"]:
                self.model.add(works == int(was))
            self.points.append((1 - works if was else works) * self.data["ward"]["change_points"])


def _plan(duties: set[tuple[str, int, str]]) -> Plan:
    return {"duties": [{"nurse": nurse, "day": day, "shift": shift} for nurse, day, shift in sorted(duties)]}


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best roster within the limit, started from the greedy one."""
    roster = _Roster(data, omit)
    known = {(duty["nurse"], duty["day"], duty["shift"]) for duty in greedy(data)["duties"]}
    solver, bound = solved(roster.model, SECONDS, effort, [(works, int(key in known)) for key, works in roster.works.items()])
    return Solved(_plan({key for key, works in roster.works.items() if solver.value(works)}) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's points of a roster."""
    keys = [(duty["nurse"], duty["day"], duty["shift"]) for duty in plan["duties"]]
    roster = _Roster(data)
    if len(set(keys)) < len(keys) or not set(keys) <= set(roster.works):
        return None
    for key, works in roster.works.items():
        roster.model.add(works == int(key in keys))
    return objective(roster.model)


def greedy(data: Data) -> Plan:
    """Shift by shift, the rarest skills first, those with most contracted shifts left."""
    ward, nurses, days = data["ward"], data["nurses"], data["ward"]["days"]
    duties = {key for key in data["accepted"] or () if key[1] < data["first_open"]}
    for day in range(data["first_open"], days + 1):
        for shift in ("night", "late", "early"):
            need = data["needs"][day, shift]
            free = [nurse for nurse in nurses if _may(data, duties, nurse, day, shift)]
            free.sort(key=lambda nurse: (sum(key[0] == nurse for key in duties) - nurses[nurse]["shifts"], nurse))
            chosen = (
                [nurse for nurse in free if nurses[nurse]["senior"]][:1] if ward["senior_nights"] and shift == "night" else []
            )
            wanted = need["certified"] - sum(nurses[nurse]["certified"] for nurse in chosen) if ward["certified_bind"] else 0
            chosen += [nurse for nurse in free if nurses[nurse]["certified"] and nurse not in chosen][: max(0, wanted)]
            complete = not ward["certified_bind"] or sum(nurses[nurse]["certified"] for nurse in chosen) >= need["certified"]
            if ward["senior_nights"] and shift == "night":
                complete = complete and any(nurses[nurse]["senior"] for nurse in chosen)
            if complete:
                chosen += [nurse for nurse in free if nurse not in chosen][: max(0, need["nurses"] - len(chosen))]
                duties |= {(nurse, day, shift) for nurse in chosen}
    return _plan(duties)


def _may(data: Data, duties: set[tuple[str, int, str]], nurse: str, day: int, shift: str) -> bool:
    """Whether a nurse can take a shift, others left aside; where weekends are worked whole nobody gets one."""
    ward, of = data["ward"], data["nurses"][nurse]
    own = {key[1]: key[2] for key in duties if key[0] == nurse}
    if day in own or (nurse, day) in data["absent"] or (own.get(day - 1), shift) in FORBIDDEN or len(own) >= of["shifts"]:
        return False
    if ward["whole_weekends"] and day % 7 in (6, 0):
        return False
    if ward["most_nights"] and shift == "night" and list(own.values()).count("night") >= ward["most_nights"]:
        return False
    before = day - 1
    while before in own:
        before -= 1
    run = day - before + (of["run"] if before < 1 else 0)
    return not ward["most_run"] or run <= ward["most_run"]
