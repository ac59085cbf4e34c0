"""Rules of articles, notifications and interactions."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.csm.rules.shared import OPEN, of_case

_ARTICLE = "EXISTS (SELECT 1 FROM knowledge k WHERE k.knowledge_id = new.knowledge_id AND {})"
RULES = (
    Rule(
        "CSM-KB-PUBLISHED",
        "Only published articles are linked to cases.",
        "case_knowledge",
        _ARTICLE.format("k.state <> 'published'"),
    ),
    Rule(
        "CSM-KB-RESOLUTION",
        "An article is linked as resolution only to a case that it resolved: a resolved or closed one.",
        "case_knowledge",
        None,
        end="new.used_as = 'resolution' AND " + of_case(f"c.state IN {OPEN}"),
    ),
    Rule(
        "CSM-KB-TITLE",
        "The title of an article has 30 to 120 characters.",
        "knowledge",
        "new.title IS NOT old.title AND length(new.title) NOT BETWEEN 30 AND 120",
    ),
    Rule(
        "CSM-KB-OWNER",
        "An article is owned by an agent, a manager or an admin.",
        "knowledge",
        "NOT EXISTS (SELECT 1 FROM user u WHERE u.user_id = new.owner_id AND u.role <> 'customer')",
    ),
    Rule(
        "CSM-KB-RETIRED",
        "A retired article comes back as a draft, and is published from there.",
        "knowledge",
        "old.state = 'retired' AND new.state = 'published'",
        end="0",
        on=("update",),
    ),
    Rule(
        "CSM-NOTE-TO",
        "Notifications on a case go only to active contacts of its account, and to agents, managers and admins.",
        "notification",
        "NOT EXISTS (SELECT 1 FROM user u WHERE u.email = new.email AND (u.role <> 'customer'"
        " OR EXISTS (SELECT 1 FROM contact k JOIN customer_case c ON c.account_id = k.account_id"
        " WHERE c.case_id = new.case_id AND k.portal_user_id = u.user_id AND k.active)))",
    ),
    Rule(
        "CSM-NOTE-ARTICLE",
        "Only published external articles are sent to customers.",
        "notification",
        _ARTICLE.format("(k.state <> 'published' OR k.visibility <> 'external')")
        + " AND EXISTS (SELECT 1 FROM user u WHERE u.email = new.email AND u.role = 'customer')",
    ),
    Rule(
        "CSM-INT-CASE",
        "An interaction about a case names the account and the contact of the case.",
        "interaction",
        "new.case_id IS NOT NULL AND " + of_case("(c.account_id IS NOT new.account_id OR c.contact_id IS NOT new.contact_id)"),
    ),
    Rule(
        "CSM-INT-ENDED",
        "An interaction has an end unless it is open, and does not end before it starts.",
        "interaction",
        "(new.status <> 'open' AND new.ended_at IS NULL) OR new.ended_at < new.started_at",
    ),
)
