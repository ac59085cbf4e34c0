"""Rules of webinars and town halls."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.teams.rules.shared import INTERNAL, enabled, rule, step


def _event_rules(short: str, table: str, key: str) -> tuple[Rule, ...]:
    """What webinars and town halls have in common."""
    return (
        rule(f"TEAMS-{short}-TIME", "An event ends after it starts.", table, "new.end_time <= new.start_time"),
        step(
            f"TEAMS-{short}-OWN",
            "An event is changed by its organizer, by a co-organizer, or by an admin.",
            table,
            ":role <> 'admin' AND new.created_by <> :actor AND NOT EXISTS (SELECT 1 FROM virtual_event_co_organizers o"
            f" WHERE o.{key} = new.{key} AND o.user_id = :actor AND NOT o.soft_deleted)",
            "update",
        ),
    )


RULES = (
    *_event_rules("WEB", "virtual_event_webinars", "webinar_id"),
    *_event_rules("HALL", "virtual_event_townhalls", "townhall_id"),
    step(
        "TEAMS-WEB-BEGUN",
        "A webinar is published before it starts.",
        "virtual_event_webinars",
        "new.status = 'published' AND old.status = 'draft' AND new.start_time <= :now",
        "update",
    ),
    rule(
        "TEAMS-HALL-INVITE",
        "Only a town hall for the organization is for those invited only.",
        "virtual_event_townhalls",
        "new.is_invite_only AND new.audience <> 'organization'",
    ),
    rule(
        "TEAMS-INV-ONLY",
        "People are invited only to a town hall that is for those invited only.",
        "virtual_event_invitees",
        "EXISTS (SELECT 1 FROM virtual_event_townhalls t WHERE t.townhall_id = new.event_id AND NOT t.is_invite_only)",
    ),
    rule(
        "TEAMS-ORG-MEMBER",
        "A co-organizer is a Member who can sign in, and not the organizer.",
        "virtual_event_co_organizers",
        f"NOT {enabled('new.user_id', INTERNAL)}"
        " OR EXISTS (SELECT 1 FROM virtual_event_webinars w WHERE w.webinar_id = new.webinar_id AND w.created_by = new.user_id)"
        " OR EXISTS (SELECT 1 FROM virtual_event_townhalls t WHERE t.townhall_id = new.townhall_id"
        " AND t.created_by = new.user_id)",
        "create",
    ),
)
