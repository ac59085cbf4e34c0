"""What ITSM templates have in common: choosing and describing records."""

from __future__ import annotations

from typing import Any

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.itsm.domain import ITSM

OPEN = "('new', 'in_progress', 'on_hold')"


def incidents(draft: Draft, condition: str, *bound: Any, count: int = 1) -> list[Row]:
    """Incidents of the actor's tenant that meet a condition."""
    sql = f"SELECT * FROM incident WHERE org_id = ? AND ({condition}) ORDER BY incident_id"
    return draft.some(sql, draft.actor.scope, *bound, count=count)


def told(draft: Draft, incident: Row) -> str:
    """Words for an incident."""
    caller = draft.row("users", incident["caller_id"])
    service = incident["service"] and draft.row("service", incident["service"])
    group = incident["assignment_group"] and draft.row("user_group", incident["assignment_group"])
    day = incident["created_at"][:10]
    facts = [
        (f"opened for {person(draft, caller)}", "caller_id = ?", (caller["user_id"],)),
        (f"reported on {draft.date(day)}", "substr(created_at, 1, 10) = ?", (day,)),
        (f'titled "{incident["short_description"]}"', "short_description = ?", (incident["short_description"],)),
    ]
    if service:
        facts.append((f"about the service {service['name']}", "service = ?", (service["service_id"],)))
    if group:
        facts.append((f"assigned to the group {group['name']}", "assignment_group = ?", (group["group_id"],)))
    return draft.described("incident", incident["incident_id"], f"incident {incident['number']}", facts)


def person(draft: Draft, user: Row) -> str:
    """Words for a user that fit no other one: the name, with the e-mail address where there are namesakes."""
    sql = "SELECT count(*) FROM users WHERE org_id = ? AND first_name = ? AND last_name = ?"
    name = f"{user['first_name']} {user['last_name']}"
    same = draft.value(sql, user["org_id"], user["first_name"], user["last_name"])
    return name if same == 1 else f"{name} ({user['email']})"


def find(draft: Draft, incident: Row) -> None:
    """Look an incident up as one would who knows what the request says of it."""
    if draft.conditions <= 1:
        draft.look("find_incident_by_number", number=incident["number"])
    else:
        draft.look("list_incidents", called_id=incident["caller_id"])


def name_of(user: Row) -> str:
    """First and last name."""
    return f"{user['first_name']} {user['last_name']}"


def twin(draft: Draft, incident: Row) -> None:
    """Where a trap is wanted, add an incident of the same title for another caller, which a search for the title finds first."""
    if not draft.wants_trap("same_title"):
        return
    caller = draft.one(
        "SELECT user_id FROM users WHERE org_id = ? AND active AND user_id <> ? ORDER BY user_id",
        draft.actor.scope,
        incident["caller_id"],
    )
    copied = ("short_description", "channel", "category", "description", "impact", "urgency", "priority", "status", "service")
    other = draft.add("incident", caller_id=caller["user_id"], **{name: incident[name] for name in copied})
    draft.trap("same_title", incident["incident_id"], other["incident_id"])


def some(draft: Draft, table: str, condition: str, count: int) -> list[Row]:
    """Records of the actor's tenant that meet a condition."""
    key = ITSM.table(table).id
    return draft.some(f"SELECT * FROM {table} WHERE org_id = ? AND {condition} ORDER BY {key}", draft.actor.scope, count=count)
