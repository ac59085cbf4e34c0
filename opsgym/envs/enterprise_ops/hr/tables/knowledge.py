"""Knowledge articles and their use in cases."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Key, Ref, Serial, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.tables.shared import ORG, STAMPS

KNOWLEDGE = Table(
    "knowledge",
    (
        Key("knowledge_id", whole=True),
        Serial("kb_number", "KB", 7),
        Text("title", 120, required=True),
        Text("body", 10_000, shown=False),
        Choice("state", words.ARTICLE_STATES, required=True, default="published"),
        Choice("visibility", words.VISIBILITIES, required=True, default="internal"),
        Ref("owner_id", "user", whole=True, required=True, by_actor=True),
        *STAMPS,
        ORG,
    ),
    resource="knowledge",
    scope="org_id",
    unique=(("org_id", "kb_number"),),
)
USE = Table(
    "hr_case_knowledge",
    (
        Key("hr_case_kb_id", whole=True),
        Ref("hr_case_id", "hr_case", whole=True, required=True),
        Ref("knowledge_id", "knowledge", whole=True, required=True),
        Choice("used_as", words.USES, required=True, default="suggested"),
        ORG,
        *STAMPS,
    ),
    resource="case_knowledge",
    scope="org_id",
    unique=(("hr_case_id", "knowledge_id"),),
)
TABLES = (KNOWLEDGE, USE)
