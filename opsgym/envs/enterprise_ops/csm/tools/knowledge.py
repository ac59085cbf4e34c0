"""Tools for knowledge articles and their use in cases."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared, fields
from opsgym.core.records.tools import creating, listing, removing, updating
from opsgym.envs.enterprise_ops.csm.tables.knowledge import KNOWLEDGE, USE

_LINK = "case_kb_id case_id knowledge_id used_as"
_SEARCH = fields(KNOWLEDGE, "knowledge_id kb_number title state visibility product_id owner_id", required=False, searching=True)


def _retrieve(records: Records, given: dict[str, Any]) -> Any:
    """Articles whose title and body hold all words of a text, in any case and order."""
    limit = given.get("limit", 100)
    if limit < 1:
        raise ToolError("invalid_value", f"limit: expected at least 1, got {limit}")
    wanted = given.get("search_text", "").casefold().split()
    rows = records.find(KNOWLEDGE, _SEARCH.values(given), after=given.get("created_after"), before=given.get("created_before"))
    found = [row for row in rows if all(word in f"{row['title']} {row['body'] or ''}".casefold() for word in wanted)]
    return found[:limit]


TOOLS = (
    creating(
        "create_knowledge",
        "Create a knowledge article; it gets a number",
        KNOWLEDGE,
        "title state body visibility owner_id",
        "product_id",
    ),
    updating(
        "update_knowledge",
        "Change a knowledge article",
        KNOWLEDGE,
        "knowledge_id",
        "kb_number title state visibility product_id owner_id",
    ),
    declared(
        "retrieve_knowledge",
        "List knowledge articles that hold all words of a text; all arguments given must match",
        (
            Argument("search_text", str, "Words of title or body.", False),
            *_SEARCH.arguments,
            Argument("created_before", str, "Only records created at or before this time.", False),
            Argument("created_after", str, "Only records created at or after this time.", False),
            Argument("limit", int, "Greatest number of articles; 100 unless given.", False),
        ),
        _retrieve,
    ),
    creating("link_case_knowledge", "Link an article to a case", USE, "case_id knowledge_id used_as"),
    listing("find_case_knowledge_linkages", "List links of articles to cases; all arguments given must match", USE, _LINK),
    updating(
        "updated_linked_case_knowledge",
        "Change a link of an article to a case",
        USE,
        "case_kb_id",
        "case_id knowledge_id used_as",
    ),
    removing("delete_case_knowledge_linkages", "Delete links of articles to cases; all arguments given must match", USE, _LINK),
)
