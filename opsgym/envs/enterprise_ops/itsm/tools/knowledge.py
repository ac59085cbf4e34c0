"""Tools for knowledge articles and their use in incidents."""

from __future__ import annotations

from opsgym.core.records.columns import Text
from opsgym.core.records.tools import creating, listing, removing, updating
from opsgym.envs.enterprise_ops.itsm.tables.knowledge import KNOWLEDGE, USE

_LINK = "incident_kb_id incident_id knowledge_id used_as"

TOOLS = (
    listing(
        "retrieve_knowledge_articles",
        "List knowledge articles; all arguments given must match",
        KNOWLEDGE,
        "knowledge_id kb_number title body state visibility owner_id created_after created_before",
    ),
    creating("create_knowledge_article", "Create a knowledge article", KNOWLEDGE, "title owner_id", "body state visibility"),
    updating(
        "update_knowledge_article",
        "Change a knowledge article, told by its key or its number",
        KNOWLEDGE,
        "knowledge_id kb_number",
        "title body state visibility owner_id",
        either=True,
    ),
    creating("link_knowledge_to_incident", "Link an article to an incident", USE, "incident_id knowledge_id", "used_as"),
    listing(
        "find_incident_knowledge_links",
        "List links of articles to incidents; all arguments given must match",
        USE,
        _LINK,
        kinds={"used_as": Text("used_as")},
    ),
    removing(
        "remove_knowledge_link_to_incident", "Delete links of articles to incidents; all arguments given must match", USE, _LINK
    ),
)
