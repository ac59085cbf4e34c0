"""Company: the employees of all departments, their levels, bosses, pay and leave, by seed.

Levels stand in the proportion 4:3:2:1 of associates, team leads, managers and directors (EnterpriseBench, section 3.2), with one
head for each department.  Everybody but heads reports to somebody of a higher level in the same department, and whoever is
employed to somebody who is employed.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal

from opsgym.envs.enterprise_bench.ledger import Ledger, Row
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS, LEAVES, LEVELS
from opsgym.envs.enterprise_bench.words import FIRST, LAST, SKILLS

Size = Literal["S", "L"]
"""120 or 1,260 employees."""

EMPLOYEES: dict[Size, int] = {"S": 120, "L": 1260}
"""Employees of each size."""

SHARES: dict[str, float] = {
    "Engineering": 0.32,
    "HR": 0.08,
    "Information Technology": 0.12,
    "Sales": 0.16,
    "Business Development": 0.10,
    "BPO": 0.10,
    "Finance": 0.06,
    "Management": 0.06,
}
"""Part of the employees in each department."""

HOST = "company.example"
_PAY = {9: 600, 10: 1100, 12: 1900, 13: 3000, 14: 5000}  # thousand rupees a year
_LEFT = 309 / 1260  # as in the released records
_TOTALS = {"casual": 12, "sick": 12, "vacation": 15}


def fill(book: Ledger, size: Size) -> None:
    """Write the employees."""
    people = [
        (department, level)
        for department, count in _counts(EMPLOYEES[size]).items()
        for level, number in zip(LEVELS, _levels(count), strict=True)
        for _ in range(number)
    ]
    book.draw.shuffle(people)
    names = _names(book, len(people))
    for (department, level), (first, last) in zip(people, names, strict=True):
        _employee(book, department, level, first, last)
    _leave_company(book)
    _report(book)
    _address(book)


def _counts(total: int) -> dict[str, int]:
    counts = {name: round(total * share) for name, share in SHARES.items()}
    counts["Engineering"] += total - sum(counts.values())
    return counts


def _levels(count: int) -> tuple[int, int, int, int, int]:
    """Associates, leads, managers, directors and the head of a department."""
    top = max(1, round(count / 10))
    managers, leads = max(1, round(count / 5)), max(1, round(count * 0.3))
    return count - top - managers - leads, leads, managers, top - 1, 1


def _names(book: Ledger, count: int) -> list[tuple[str, str]]:
    """Names, all different but for deliberate namesakes."""
    pairs = book.draw.sample([(first, last) for first in FIRST for last in LAST], count)
    for number in range(book.count(12, 3)):
        pairs[count - 1 - number] = pairs[number]
    return pairs


def _employee(book: Ledger, department: str, level: int, first: str, last: str) -> Row:
    draw = book.draw
    joined = book.today - dt.timedelta(days=draw.randrange(120, 1200 + 500 * (level - 8)))
    served = (book.today - joined).days // 365
    experience = served + draw.randrange(0, 3 + 2 * (level - 8))
    row = book.add(
        "employee",
        name=f"{first} {last}",
        department=department,
        level=level,
        level_code=f"{DEPARTMENTS[department]}{level:02d}",
        title=f"{LEVELS[level]}, {department}",
        skills=", ".join(draw.sample(SKILLS[department], 3)),
        experience_years=experience,
        doj=joined.isoformat(),
        is_valid=1,
        salary=round(_PAY[level] * draw.uniform(0.85, 1.2)) * 1000,
        age=22 + experience + draw.randrange(0, 6),
        performance_rating=draw.choice((2, 3, 3, 3, 4, 4, 5)),
        marital_status=draw.choice(("Single", "Single", "Married", "Married", "Divorced")),
        gender=draw.choice(("Female", "Male")),
    )
    taken = 0
    for kind in LEAVES:
        total = _TOTALS[kind] + draw.randrange(0, 4)
        used = draw.randrange(0, total + 1)
        row |= {f"total_{kind}_leaves": total, f"remaining_{kind}_leaves": total - used}
        taken += used
    row["total_leaves_taken"] = taken
    return row


def _leave_company(book: Ledger) -> None:
    """Some of the lower levels have left; one at least stays of each level in each department."""
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in book.staff:
        groups.setdefault((row["department"], row["level"]), []).append(row)
    able = [row for (_, level), rows in sorted(groups.items()) if level < 13 for row in rows[1:]]
    for row in sorted(book.draw.sample(able, round(len(book.staff) * _LEFT)), key=lambda row: str(row["emp_id"])):
        joined = dt.date.fromisoformat(row["doj"])
        days = (book.today - joined).days
        row["dol"] = (joined + dt.timedelta(days=book.draw.randrange(days // 3, days - 10))).isoformat()
        row["is_valid"] = 0


def _report(book: Ledger) -> None:
    """Everybody reports to somebody of the next higher level that the department has."""
    for department in DEPARTMENTS:
        rows = book.of(department)
        employed = {level: [row for row in rows if row["level"] == level and row["is_valid"]] for level in LEVELS}
        for row in rows:
            higher = next((employed[level] for level in LEVELS if level > row["level"] and employed[level]), None)
            if higher:
                row["reports_to"] = book.draw.choice(higher)["emp_id"]


def _address(book: Ledger) -> None:
    """E-mail addresses, unique; namesakes get a number and a label."""
    seen: dict[str, list[Row]] = {}
    for row in book.staff:
        same = seen.setdefault(row["name"], [])
        same.append(row)
        number = "" if len(same) == 1 else str(len(same))
        row["email"] = f"{row['name'].lower().replace(' ', '.')}{number}@{HOST}"
    for rows in seen.values():
        if len(rows) > 1:
            book.trap("namesake", "employee", *(row["emp_id"] for row in rows))
