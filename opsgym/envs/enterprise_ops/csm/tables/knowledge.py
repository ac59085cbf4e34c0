"""Knowledge articles and their use in cases."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Key, Ref, Serial, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.csm import words
from opsgym.envs.enterprise_ops.csm.tables.shared import STAMPS

KNOWLEDGE = Table(
    "knowledge",
    (
        Key("knowledge_id", whole=True),
        Serial("kb_number", "KB-"),
        Text("title", required=True),
        Text("body"),
        Choice("state", words.ARTICLE_STATES, required=True, default="draft"),
        Choice("visibility", words.VISIBILITIES, required=True, default="internal"),
        Ref("product_id", "product", whole=True),
        Ref("owner_id", "user", required=True, whole=True),
        *STAMPS,
    ),
    resource="knowledge",
)
USE = Table(
    "case_knowledge",
    (
        Key("case_kb_id", whole=True),
        Ref("case_id", "customer_case", required=True, whole=True),
        Ref("knowledge_id", "knowledge", required=True, whole=True),
        Choice("used_as", words.USES, required=True),
    ),
    resource="case_knowledge",
    unique=(("case_id", "knowledge_id"),),
)
TABLES = (KNOWLEDGE, USE)
