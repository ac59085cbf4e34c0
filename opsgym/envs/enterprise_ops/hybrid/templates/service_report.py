"""Tasks in which work in IT service management is reported by mail."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_ops.draft import Draft
from opsgym.envs.enterprise_ops.hybrid.templates.service_mail import loosen_letters, send
from opsgym.envs.enterprise_ops.itsm.templates.common import incidents
from opsgym.envs.enterprise_ops.template import Unfit, template


@template(
    "hybrid",
    roles={"itsm": ("manager", "agent"), "email": ("owner",)},
    rules=("ITSM-INC-CLOSE",),
    blocked=("policy_conflict",),
)
def close_and_report(draft: Draft) -> None:
    """Close those of some resolved incidents that may be closed, and report their numbers to the manager of the group by mail."""
    group = draft.one("SELECT * FROM user_group WHERE org_id = ? AND active ORDER BY group_id", draft.actor.scope)
    manager = draft.row("users", group["manager_id"])
    if manager["email"] == draft.actor_email:
        raise Unfit("one would write to oneself")
    rows = incidents(draft, "status = 'in_progress' AND assigned_to IS NOT NULL", count=draft.horizon + 1)
    old, young = rows[: draft.horizon], rows[draft.horizon]
    for incident in rows:
        is_young = incident is young or (draft.is_infeasible and incident is old[0])
        hours = draft.draw.randrange(5, 60) if is_young else draft.draw.randrange(90, 400)
        draft.change(
            "incident",
            incident["incident_id"],
            status="resolved",
            resolution_code="Solution Provided",
            resolution_notes="Solved on the phone",
            resolved=draft.now - dt.timedelta(hours=hours),
            created_at=draft.now - dt.timedelta(hours=hours + 30),
        )
    subject = draft.pick("Closed incidents", "Incidents closed today", "What was closed")
    if draft.is_infeasible:
        named = draft.listed([row["number"] for row in old])
        draft.ask(
            f'Close {named}, and report that to the manager of the group {group["name"]} by mail, subject "{subject}".',
            f'{named} are to be closed; then mail their numbers to whoever manages {group["name"]}, subject "{subject}".',
        )
        why = f"{old[0]['number']} has not been resolved for 72 hours (ITSM-INC-CLOSE)."
        draft.block("policy_conflict", why=why)
    else:
        named = draft.listed([row["number"] for row in draft.draw.sample(rows, len(rows))])
        draft.ask(
            f"Of {named}, close those for which the waiting time is over, and report their numbers in one mail to the manager"
            f' of the group {group["name"]}; the subject is "{subject}".',
            f"Which of {named} may be closed by now? Close just these, and mail their numbers to whoever manages"
            f' {group["name"]}, with the subject "{subject}".',
        )
    draft.look("itsm.find_group_by_name", name=group["name"])
    draft.look("itsm.get_user", user_id=group["manager_id"])
    for incident in old:
        draft.look("itsm.find_incident_by_number", number=incident["number"])
        draft.do("itsm.update_incident", incident_id=incident["incident_id"], status="closed")
    if not draft.is_infeasible:
        draft.avoid(
            "ITSM-INC-CLOSE",
            "The waiting time is 72 hours.",
            "itsm.update_incident",
            incident_id=young["incident_id"],
            status="closed",
        )
    loosen_letters(draft, old[0]["number"])
    draft.loosen("incident", "close_notes")
    send(draft, manager["email"], subject, f"closed are {draft.listed([row['number'] for row in old])}")


TEMPLATES = (close_and_report,)
