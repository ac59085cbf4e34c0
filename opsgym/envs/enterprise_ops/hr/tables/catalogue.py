"""The catalogue: topics, services, their templates and criteria."""

from __future__ import annotations

from typing_extensions import TypedDict

from opsgym.core.records.columns import Choice, Flag, Json, Key, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.tables.shared import ORG, STAMPS


class TemplateValues(TypedDict, total=False):
    """What a template fills in."""

    short_description: str
    category: str


CATEGORY = Table(
    "topic_category",
    (
        Key("topic_category_id", whole=True),
        Text("name", 120, required=True, shown=False),
        Choice("coe_type", words.CENTRES, required=True),
        Flag("active", required=True, default=True),
        ORG,
        *STAMPS,
    ),
    resource="topics",
    scope="org_id",
    unique=(("org_id", "name"),),
)
DETAIL = Table(
    "topic_detail",
    (
        Key("topic_detail_id", whole=True),
        Text("name", 120, required=True, shown=False),
        Ref("topic_category", "topic_category", whole=True),
        Flag("active", required=True, default=True),
        ORG,
        *STAMPS,
    ),
    resource="topics",
    scope="org_id",
    unique=(("org_id", "topic_category", "name"),),
)
TEMPLATE = Table(
    "service_template",
    (
        Key("service_template_id", whole=True),
        Text("name", 120, required=True, shown=False),
        Json("change_request_values", required=True, shape=TemplateValues),
        Flag("active", required=True, default=True),
        Choice("coe_type", words.CENTRES, required=True),
        ORG,
        *STAMPS,
    ),
    resource="service_templates",
    scope="org_id",
    unique=(("org_id", "name"),),
)
CRITERIA = Table(
    "hr_criteria",
    (
        Key("hr_criteria_id", whole=True),
        Text("name", 120, required=True, shown=False),
        Choice("type", words.CRITERIA, required=True),
        Flag("active", required=True, default=True),
        Ref("user_group", "user_group", whole=True),
        Json("users", shape=list[int]),
        *STAMPS,
        ORG,
    ),
    resource="hr_criteria",
    scope="org_id",
    unique=(("org_id", "name"),),
)
SERVICE = Table(
    "hr_service",
    (
        Key("hr_service_id", whole=True),
        Text("service_name", 120, required=True, shown=False),
        Choice("fulfillment_type", words.FULFILLMENTS, required=True),
        Ref("topic_detail", "topic_detail", whole=True),
        Ref("service_template", "service_template", whole=True),
        Ref("hr_criteria", "hr_criteria", whole=True),
        Flag("active", required=True, default=True),
        ORG,
        *STAMPS,
    ),
    resource="hr_services",
    scope="org_id",
    unique=(("org_id", "service_name"),),
)
TABLES = (CATEGORY, DETAIL, TEMPLATE, CRITERIA, SERVICE)
