"""Surveys, and what people answer."""

from __future__ import annotations

from opsgym.core.records.columns import Key, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.hr.tables.shared import ORG, STAMPS

COUNT = 5
SURVEY = Table(
    "survey",
    (
        Key("survey_id", whole=True),
        *(Text(f"question_{number}", 255, shown=False) for number in range(1, COUNT + 1)),
        ORG,
        *STAMPS,
    ),
    resource="surveys",
    scope="org_id",
)
INSTANCE = Table(
    "survey_instance",
    (
        Key("survey_instance_id", whole=True),
        Ref("survey_id", "survey", whole=True, required=True),
        Ref("case_task_id", "hr_case_task", whole=True),
        Ref("assigned_to", "user", whole=True),
        ORG,
        *(Text(f"answer_{number}", 500, shown=False) for number in range(1, COUNT + 1)),
        *STAMPS,
    ),
    resource="survey_instances",
    scope="org_id",
    indexes=(("case_task_id",),),
)
TABLES = (SURVEY, INSTANCE)
