"""HR system: employees, their reporting line, salary and leave."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Day, Flag, Key, Ref, Text, Whole
from opsgym.core.records.table import Table

DEPARTMENTS: dict[str, str] = {
    "Engineering": "EN",
    "HR": "HR",
    "Information Technology": "IN",
    "Sales": "SA",
    "Business Development": "BU",
    "BPO": "BP",
    "Finance": "FI",
    "Management": "MA",
}
"""Departments and the prefixes of their level codes, as in the release."""

LEVELS: dict[int, str] = {9: "Associate", 10: "Team Lead", 12: "Manager", 13: "Director", 14: "Head"}
"""Levels and their titles; the release has no level 11."""

LEAVES = ("casual", "sick", "vacation")
"""Kinds of leave."""

PRIVATE = (
    "salary",
    *(f"{part}_{kind}_leaves" for kind in LEAVES for part in ("total", "remaining")),
    "total_leaves_taken",
    "age",
    "performance_rating",
    "marital_status",
    "gender",
)
"""Columns that only some see of others; see :mod:`opsgym.envs.enterprise_bench.access`."""

EMPLOYEE = Table(
    "employee",
    (
        Key("emp_id", prefix="emp", digits=4),
        Text("name", required=True, limit=120),
        Text("email", required=True, form="email"),
        Choice("department", values=tuple(DEPARTMENTS), required=True),
        Whole("level", required=True, least=9, doc="Level: 9, 10, 12, 13 or 14."),
        Text("level_code", required=True, derived=True, doc="Department prefix and level, such as EN09."),
        Text("title", required=True, limit=120),
        Text("skills", required=True, doc="Skills, with commas between."),
        Whole("experience_years", required=True, least=0),
        Ref("reports_to", table="employee", doc="Employee id of the boss."),
        Day("doj", required=True, doc="Date of joining."),
        Day("dol", doc="Date of leaving; empty while employed."),
        Flag("is_valid", required=True, default=1, doc="Whether employed."),
        Whole("salary", required=True, least=0, doc="Salary a year, in rupees."),
        *(
            Whole(f"{part}_{kind}_leaves", required=True, least=0, doc=f"Days of {kind} leave this year, {part}.")
            for kind in LEAVES
            for part in ("total", "remaining")
        ),
        Whole("total_leaves_taken", required=True, least=0, derived=True),
        Whole("age", required=True, least=18),
        Whole("performance_rating", required=True, least=1, doc="Rating of the last review, 1 to 5."),
        Choice("marital_status", values=("Single", "Married", "Divorced"), required=True),
        Choice("gender", values=("Female", "Male"), required=True),
    ),
    resource="employee",
    unique=(("email",),),
    indexes=(("reports_to",), ("name",)),
    checks={
        "level IN (9, 10, 12, 13, 14)": "level: expected 9, 10, 12, 13 or 14",
        "performance_rating <= 5": "performance_rating: expected at most 5",
        **{
            f"remaining_{kind}_leaves <= total_{kind}_leaves": f"remaining_{kind}_leaves: expected at most the total"
            for kind in LEAVES
        },
        "(dol IS NULL) = is_valid": "is_valid: expected true exactly while there is no date of leaving",
        "dol IS NULL OR dol >= doj": "dol: expected no day before the date of joining",
    },
)
"""Employees."""

TABLES = (EMPLOYEE,)
