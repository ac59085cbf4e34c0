"""Tools for policy documents."""

from __future__ import annotations

from opsgym.core.records.records import Row
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.policies import DOCUMENT, SECTION
from opsgym.envs.enterprise_bench.tools.makers import getting, listing


def _sections(desk: Desk, row: Row) -> Row:
    return {"sections": desk.find(SECTION, {"document_id": row["document_id"]})}


TOOLS = (
    listing("list_policy_documents", "List policy documents", DOCUMENT, "documents", "department title"),
    getting(
        "document_read",
        "Read a policy document with its sections, by id or title",
        DOCUMENT,
        "document_id title",
        either=True,
        also=_sections,
    ),
)
"""The tools."""
