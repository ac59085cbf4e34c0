"""Profiles of employees, and skills."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Day, Flag, Key, Ref, Serial, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.tables.shared import ORG, STAMPS

PROFILE = Table(
    "hr_profile",
    (
        Key("hr_profile_id", whole=True),
        Serial("number", "HRP", 5),
        Choice("gender", words.GENDERS),
        Ref("user_id", "user", whole=True, required=True),
        Text("personal_email", 120, "email", required=True, shown=False),
        Choice("marital_status", words.MARITAL_STATUSES),
        Choice("type", words.EMPLOYMENTS, default="full-time"),
        Day("dob"),
        Choice("nationality", words.COUNTRIES),
        Day("employment_start_date"),
        Day("employment_end_date"),
        Ref("manager", "user", whole=True),
        Choice("location_type", words.LOCATION_TYPES),
        Text("national_tax_id", 40, required=True, shown=False),
        Choice("position", words.POSITIONS),
        *STAMPS,
        ORG,
    ),
    resource="hr_profiles",
    scope="org_id",
    indexes=(("manager",),),
    unique=(("user_id",), ("org_id", "number"), ("org_id", "personal_email"), ("org_id", "national_tax_id")),
    checks={
        "employment_end_date IS NULL OR employment_start_date IS NULL OR employment_end_date >= employment_start_date": (
            "Employment does not end before it starts."
        )
    },
)
SKILL = Table(
    "skill",
    (
        Key("skill_id", whole=True),
        Text("name", 120, required=True, shown=False),
        Flag("active", required=True, default=True),
        ORG,
        *STAMPS,
    ),
    resource="skills",
    scope="org_id",
    unique=(("org_id", "name"),),
)
USER_SKILL = Table(
    "user_skill",
    (
        Key("user_skill_id", whole=True),
        Ref("skill", "skill", whole=True, required=True),
        Ref("user", "user", whole=True, required=True),
        ORG,
        *STAMPS,
    ),
    resource="user_skills",
    scope="org_id",
    unique=(("skill", "user"),),
)
TABLES = (PROFILE, SKILL, USER_SKILL)
