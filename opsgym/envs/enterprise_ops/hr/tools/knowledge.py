"""Tools for knowledge articles and their use in cases."""

from __future__ import annotations

from opsgym.core.records.tools import creating, listing, removing, updating
from opsgym.envs.enterprise_ops.hr.tables.knowledge import KNOWLEDGE, USE
from opsgym.envs.enterprise_ops.hr.tools.shared import Search

_LINK = "hr_case_kb_id hr_case_id knowledge_id used_as"

TOOLS = (
    Search(KNOWLEDGE, "knowledge_id kb_number title body state visibility owner_id", is_dated=True).tool(
        "retrieve_knowledge_articles", "List knowledge articles; all arguments given must match"
    ),
    creating(
        "create_knowledge_article",
        "Create a knowledge article",
        KNOWLEDGE,
        "title",
        "body state visibility owner_id",
        defaults={"state": "published", "visibility": "internal"},
    ),
    updating(
        "update_knowledge_article",
        "Change a knowledge article, told by its key or its number",
        KNOWLEDGE,
        "knowledge_id kb_number",
        "title body state visibility owner_id",
        either=True,
    ),
    creating(
        "link_knowledge_to_hr_case",
        "Link an article to a case",
        USE,
        "hr_case_id knowledge_id",
        "used_as",
        defaults={"used_as": "suggested"},
    ),
    listing("find_hr_case_knowledge_links", "List links of articles to cases; all arguments given must match", USE, _LINK),
    removing("remove_knowledge_link_to_hr_case", "Delete links of articles to cases; all arguments given must match", USE, _LINK),
)
