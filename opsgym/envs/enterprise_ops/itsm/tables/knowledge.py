"""Knowledge articles."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Key, Ref, Serial, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.tables.shared import ORG, STAMPS_ON

KNOWLEDGE = Table(
    "knowledge",
    (
        Key("knowledge_id", "KB"),
        Serial("kb_number", "KB"),
        Text("title", 120, required=True),
        Text("short_description", 255, shown=False),
        Text("body"),
        Choice("state", words.ARTICLE_STATES, required=True, default="draft"),
        Choice("visibility", words.VISIBILITIES, required=True, default="internal"),
        Ref("owner_id", "users"),
        ORG,
        *STAMPS_ON,
    ),
    resource="knowledge",
    scope="org_id",
)
USE = Table(
    "incident_knowledge",
    (
        Key("incident_kb_id", "IKB"),
        Ref("incident_id", "incident", required=True),
        Ref("knowledge_id", "knowledge", required=True),
        ORG,
        Choice("used_as", words.USES, required=True, default="suggested"),
        *STAMPS_ON,
    ),
    resource="knowledge",
    scope="org_id",
    unique=(("org_id", "incident_id", "knowledge_id"),),
)
TABLES = (KNOWLEDGE, USE)
