"""Tasks on incidents."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.rules import PRIORITY
from opsgym.envs.enterprise_ops.itsm.templates.common import OPEN, find, incidents, name_of, person, told, twin
from opsgym.envs.enterprise_ops.template import Unfit, heed, template

_URGENT = {
    "high": ("cannot wait any longer", "has become very urgent", "has to be dealt with at once"),
    "medium": ("is somewhat urgent now", "should not wait too long"),
    "low": ("can wait", "is not urgent any more"),
}
_HOLD = {
    "Awaiting Caller": ("the caller has not answered yet", "we wait for an answer of the caller"),
    "Awaiting Change": ("a change has to be carried out first", "it depends on a change that is not done yet"),
    "Awaiting Problem": ("the underlying problem is still being looked into", "it hangs on a problem that is not solved"),
}


@template(
    "itsm",
    roles=("manager", "agent"),
    rules=("ITSM-INC-PRIORITY", "ITSM-SLA-ALIGN"),
    traps=("same_title",),
    blocked=("missing_record", "no_permission"),
)
def change_urgency(draft: Draft) -> None:
    """Change the urgency of incidents; priority and service level follow."""
    chosen = incidents(draft, "status IN ('new', 'in_progress')", count=draft.horizon)
    urgencies = [_another(draft, incident) for incident in chosen]
    for incident, urgency in zip(chosen, urgencies, strict=True):
        twin(draft, incident)
        draft.ask(
            f"The {told(draft, incident)} {draft.pick(*_URGENT[urgency])}: please set its urgency to {urgency}.",
            f"Please change the urgency of the {told(draft, incident)} to {urgency}; it {draft.pick(*_URGENT[urgency])}.",
        )
    if draft.is_infeasible:
        foreign = draft.one("SELECT number FROM incident WHERE org_id <> ? ORDER BY incident_id", draft.actor.scope)["number"]
        draft.ask(f"The same goes for incident {foreign}.")
        draft.block("missing_record", "no_permission", why=f"There is no incident {foreign} in your organization.")
    for incident, urgency in zip(chosen, urgencies, strict=True):
        find(draft, incident)
        _rank(draft, incident, urgency)


def _another(draft: Draft, incident: Row) -> str:
    """Another urgency, by which the priority changes to one that has service levels of its own."""
    options = [
        urgency for urgency in words.LEVELS if PRIORITY[incident["impact"], urgency] not in (incident["priority"], "planning")
    ]
    if not options:
        raise Unfit("no urgency changes the priority")
    return str(draft.pick(*options))


def _rank(draft: Draft, incident: Row, urgency: str) -> None:
    """Set the urgency, the priority that follows, and start a service level for it."""
    key, priority = incident["incident_id"], PRIORITY[incident["impact"], urgency]
    draft.do(
        "update_incident",
        heed("ITSM-INC-PRIORITY", "Bring the priority into line.", priority=priority),
        incident_id=key,
        urgency=urgency,
    )
    running = draft.look("find_incident_slas", incident_id=key)
    fitting = draft.look("find_sla_definitions", applies_to_priority=priority, active=True)
    wanted = {row["sla_def_id"] for row in fitting}
    if not wanted & {row["sla_def_id"] for row in running}:
        draft.oblige(
            "ITSM-SLA-ALIGN",
            "Start a service level for the new priority where none is running.",
            "link_new_incident_sla",
            incident_id=key,
            sla_def_id=draft.pick(*sorted(wanted)),
            start_time=draft.now.isoformat(" "),
        )
        draft.loosen("incident_sla", "sla_def_id", "start_time")  # any that fits the priority will do, see ITSM-SLA-PRIORITY
        draft.allow("incident_sla", "create", incident_id=key, most=len(wanted))


@template("itsm", roles=("manager", "agent"), rules=("ITSM-SLA-PAUSE",), traps=("same_title",), blocked=("policy_conflict",))
def put_on_hold(draft: Draft) -> None:
    """Put incidents on hold for a reason; running service levels are paused."""
    running = "EXISTS (SELECT 1 FROM incident_sla s JOIN sla_definition d USING (sla_def_id)"
    running += " WHERE s.incident_id = incident.incident_id AND d.pause_on_pending AND s.stage = 'in_progress')"
    chosen = incidents(draft, f"status = 'in_progress' AND {running}", count=draft.horizon)
    blocked = draft.pick(*chosen) if draft.is_infeasible else None
    if blocked is not None:
        at = draft.now - dt.timedelta(hours=30)
        draft.change(
            "incident",
            blocked["incident_id"],
            status="resolved",
            resolution_code="Solution Provided",
            resolution_notes="Solved on the phone",
            resolved=at,
        )
    reasons = [draft.pick(*_HOLD) for _ in chosen]
    for incident, reason in zip(chosen, reasons, strict=True):
        twin(draft, incident)
        because = draft.pick(*_HOLD[reason])
        draft.ask(
            f"Put the {told(draft, incident)} on hold: {because}.",
            f"{because[0].upper()}{because[1:]}, so please park the {told(draft, incident)} for now and say why.",
        )
    if blocked is not None:
        draft.block(
            "policy_conflict", why=f"Incident {blocked['number']} is resolved, and ITSM-INC-MOVE does not let it go on hold."
        )
    for incident, reason in zip(chosen, reasons, strict=True):
        find(draft, incident)
        key = incident["incident_id"]
        draft.do("update_incident", incident_id=key, status="on_hold", on_hold_reason=reason)
        for level in draft.look("find_incident_slas", incident_id=key, stage="in_progress"):
            if draft.value("SELECT pause_on_pending FROM sla_definition WHERE sla_def_id = ?", level["sla_def_id"]):
                draft.oblige(
                    "ITSM-SLA-PAUSE",
                    "Pause the service levels that their definitions let be paused.",
                    "update_incident_sla_details",
                    incident_sla_id=level["incident_sla_id"],
                    stage="paused",
                )


@template("itsm", roles=("manager", "agent"), traps=("namesake",), blocked=("policy_conflict",))
def assign_to_group(draft: Draft) -> None:
    """Assign new incidents to a group and to the member who has least to do."""
    chosen = incidents(draft, "status = 'new' AND assigned_to IS NULL", count=draft.horizon)
    group = draft.one("SELECT * FROM user_group WHERE org_id = ? AND active ORDER BY group_id", draft.actor.scope)
    sql = (
        "SELECT * FROM users WHERE org_id = ? AND active AND role = 'agent' AND user_id NOT IN"
        " (SELECT user_id FROM user_group_member WHERE group_id = ?) ORDER BY user_id"
    )
    agent = draft.one(sql, draft.actor.scope, group["group_id"])
    if not draft.is_infeasible:
        draft.add("user_group_member", group_id=group["group_id"], user_id=agent["user_id"])
    if draft.wants_trap("namesake"):
        other = draft.one(
            "SELECT * FROM users WHERE org_id = ? AND active AND role = 'agent' AND user_id <> ? AND user_id NOT IN"
            " (SELECT user_id FROM user_group_member WHERE group_id = ?) ORDER BY user_id",
            draft.actor.scope,
            agent["user_id"],
            group["group_id"],
        )
        if other["user_id"] < agent["user_id"]:
            draft.change("users", other["user_id"], first_name=agent["first_name"], last_name=agent["last_name"])
            draft.trap("namesake", agent["user_id"], other["user_id"])
    for incident in chosen:
        draft.ask(
            f"Give the {told(draft, incident)} to {name_of(agent)} of the group {group['name']}.",
            f"The {told(draft, incident)} goes to the group {group['name']}; {name_of(agent)} is to work on it.",
        )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{name_of(agent)} is no member of {group['name']} (ITSM-INC-ASSIGN).")
    draft.look("find_group_by_name", name=group["name"])
    draft.look("list_group_members", group_id=group["group_id"])
    draft.look("get_user_using_name", first_name=agent["first_name"], last_name=agent["last_name"])
    for incident in chosen:
        find(draft, incident)
        draft.do(
            "update_incident",
            incident_id=incident["incident_id"],
            assignment_group=group["group_id"],
            assigned_to=agent["user_id"],
        )


@template("itsm", roles=("manager", "agent"), rules=("ITSM-INC-DATED",), traps=("same_title",), blocked=("policy_conflict",))
def resolve(draft: Draft) -> None:
    """Resolve incidents that were solved some days ago; the time of resolution is that of its record."""
    chosen = incidents(draft, "status = 'in_progress'", count=draft.horizon)
    blocked = draft.pick(*chosen) if draft.is_infeasible else None
    if blocked is not None:
        draft.change("incident", blocked["incident_id"], status="on_hold", on_hold_reason="Awaiting Change")
        draft.remove_where("incident_sla", incident_id=blocked["incident_id"])
    told_codes = {
        "Solution Provided": "a solution was found",
        "Workaround Provided": "there is a workaround",
        "User error": "it was used wrongly",
    }
    for incident in chosen:
        twin(draft, incident)
        code = draft.pick(*told_codes)
        solved = draft.now - dt.timedelta(days=draft.draw.randrange(1, 3), hours=draft.draw.randrange(1, 9))
        note = draft.pick("Settings corrected", "Cable replaced", "Account unlocked", "Driver installed again", "Cache emptied")
        draft.ask(
            f"On {draft.date(solved.date())} the {told(draft, incident)} was solved: {told_codes[code]}."
            f' Record it as resolved with the note "{note}".',
            f"Please resolve the {told(draft, incident)}, {told_codes[code]} on {draft.date(solved.date())};"
            f' the note is "{note}".',
        )
        incident |= {"code": code, "note": note, "solved": solved}
    if blocked is not None:
        why = f"Incident {blocked['number']} is on hold, and ITSM-INC-MOVE lets it go only back to in_progress."
        draft.block("policy_conflict", why=why)
    for incident in chosen:
        find(draft, incident)
        dated = heed(
            "ITSM-INC-DATED",
            "The time of resolution is now, not then.",
            blindly={"resolved": incident["solved"].isoformat(" ")},
        )
        draft.do(
            "update_incident",
            dated,
            incident_id=incident["incident_id"],
            status="resolved",
            resolution_code=incident["code"],
            resolution_notes=incident["note"],
        )
    draft.loosen("incident", "resolved_by")


@template("itsm", roles=("manager", "agent"), rules=("ITSM-INC-CLOSE",), blocked=("policy_conflict",))
def close_resolved(draft: Draft) -> None:
    """Close those of a group's resolved incidents that may be closed by now."""
    group = draft.one("SELECT * FROM user_group WHERE org_id = ? AND active ORDER BY group_id", draft.actor.scope)
    for row in draft.rows(
        "SELECT incident_id FROM incident WHERE assignment_group = ? AND status = 'resolved'", group["group_id"]
    ):
        draft.change("incident", row["incident_id"], status="closed")
    member = draft.one("SELECT user_id FROM user_group_member WHERE group_id = ? ORDER BY user_id", group["group_id"])["user_id"]
    if draft.value("SELECT active AND role IN ('agent', 'manager') FROM users WHERE user_id = ?", member) != 1:
        raise Unfit("the member has left")
    rows = incidents(draft, f"status IN {OPEN} AND assigned_to IS NULL", count=draft.horizon + 2)
    old, young = rows[: draft.horizon], rows[draft.horizon :]
    for place, incident in enumerate(rows):
        hours = (
            draft.draw.randrange(80, 400) if place < draft.horizon and not draft.is_infeasible else draft.draw.randrange(5, 60)
        )
        draft.change(
            "incident",
            incident["incident_id"],
            status="resolved",
            resolution_code="Solution Provided",
            resolution_notes="Solved on the phone",
            resolved=draft.now - dt.timedelta(hours=hours),
            created_at=draft.now - dt.timedelta(hours=hours + 30),
            assignment_group=group["group_id"],
            assigned_to=member,
            on_hold_reason=None,
        )
    if draft.is_infeasible:
        named = draft.listed([row["number"] for row in old])
        draft.ask(
            f"Close {named} of the group {group['name']} today, please.", f"The group {group['name']} wants {named} closed now."
        )
        draft.block("policy_conflict", why=f"{named} have not been resolved for 72 hours (ITSM-INC-CLOSE).")
    else:
        draft.ask(
            f"Close the resolved incidents of the group {group['name']} for which the waiting time is over.",
            f"Which resolved incidents of the group {group['name']} may be closed by now? Please close them, and only them.",
        )
    draft.look("find_group_by_name", name=group["name"])
    draft.look("list_incidents", assignment_group=group["group_id"], status="resolved")
    for incident in old:
        draft.do("update_incident", incident_id=incident["incident_id"], status="closed")
    for incident in () if draft.is_infeasible else young:
        draft.avoid(
            "ITSM-INC-CLOSE",
            "The waiting time is 72 hours.",
            "update_incident",
            incident_id=incident["incident_id"],
            status="closed",
        )
    draft.loosen("incident", "close_notes")


@template("itsm", roles=("manager", "agent"), rules=("ITSM-INC-PRIORITY",), blocked=("missing_record",))
def from_template(draft: Draft) -> None:
    """Record incidents for callers with the values of a template."""
    found = draft.one(
        "SELECT * FROM incident_template WHERE org_id = ? AND active AND impact <> urgency ORDER BY incident_template_id",
        draft.actor.scope,
    )
    if draft.is_infeasible:
        draft.change("incident_template", found["incident_template_id"], name=f"{found['name']} 2")
    callers = draft.some(
        "SELECT * FROM users WHERE org_id = ? AND active AND role = 'reporter' ORDER BY user_id",
        draft.actor.scope,
        count=draft.horizon,
    )
    name = found["name"]
    urgency = draft.pick(*[level for level in words.LEVELS if level != found["urgency"]])
    people = draft.listed([person(draft, caller) for caller in callers])
    draft.ask(
        f'Record an incident from the template "{name}" for {people}, each of {urgency} urgency instead of the template\'s.',
        f'For {people}, please open one incident each as the template "{name}" says, but with {urgency} urgency.',
    )
    if draft.is_infeasible:
        draft.block("missing_record", why=f"There is no template {name}.")
    else:
        draft.look("get_incident_template_by_name", name=name)
    copied = ("short_description", "category", "impact", "service", "service_offering")
    values = {column: found[column] for column in copied if found[column] is not None}
    if found["channel"] and found["channel"] != "web":
        values["channel"] = found["channel"]
    for caller in callers:
        draft.look("get_user_using_name", first_name=caller["first_name"], last_name=caller["last_name"])
        draft.do(
            "create_incident",
            heed(
                "ITSM-INC-PRIORITY",
                "The priority is to fit the new urgency.",
                blindly={"priority": found["priority"]},
                priority=PRIORITY[found["impact"], urgency],
            ),
            caller_id=caller["user_id"],
            urgency=urgency,
            **values,
        )
    draft.loosen("incident", "incident_template", "channel")


@template("itsm", roles=("admin",), rules=("ITSM-INC-ASSIGN",), blocked=("policy_conflict",))
def hand_over(draft: Draft) -> None:
    """Hand the open incidents of a colleague over to another one, who must be in their group."""
    group = draft.one("SELECT * FROM user_group WHERE org_id = ? AND active ORDER BY group_id", draft.actor.scope)
    sql = (
        "SELECT u.* FROM user_group_member m JOIN users u USING (user_id) WHERE m.group_id = ? AND u.active"
        " AND u.role IN ('agent', 'manager') ORDER BY u.user_id"
    )
    giver = draft.one(sql, group["group_id"])
    taker = draft.one(
        "SELECT * FROM users WHERE org_id = ? AND active AND role = 'agent' AND user_id NOT IN"
        " (SELECT user_id FROM user_group_member WHERE group_id = ?) ORDER BY user_id",
        draft.actor.scope,
        group["group_id"],
    )
    for row in draft.rows(
        "SELECT incident_id FROM incident WHERE assigned_to = ? AND status IN ('new', 'in_progress', 'on_hold')", giver["user_id"]
    ):
        draft.change("incident", row["incident_id"], assigned_to=None)
    chosen = incidents(draft, f"status IN {OPEN}", count=draft.horizon)
    for incident in chosen:
        draft.change("incident", incident["incident_id"], assigned_to=giver["user_id"], assignment_group=group["group_id"])
    if draft.is_infeasible:
        draft.change("users", taker["user_id"], role="reporter")
        draft.remove_where("user_group_member", user_id=taker["user_id"])
        draft.change_where("incident", {"assigned_to": taker["user_id"]}, assigned_to=None)
    draft.ask(
        f"{person(draft, giver)} is away from tomorrow: hand all the open incidents that they have in the group"
        f" {group['name']} over to {person(draft, taker)}.",
        f"Please give everything open that {person(draft, giver)} has in the group {group['name']} to {person(draft, taker)}.",
    )
    if draft.is_infeasible:
        draft.block(
            "policy_conflict", why=f"{name_of(taker)} is a reporter, to whom no incident may be assigned (ITSM-INC-ASSIGN)."
        )
    draft.look("find_group_by_name", name=group["name"])
    draft.look("list_group_members", group_id=group["group_id"])
    draft.look("get_incidents_assigned_to", assigned_to=giver["user_id"], assignment_group=group["group_id"])
    if not draft.is_infeasible:
        draft.oblige(
            "ITSM-INC-ASSIGN",
            f"{name_of(taker)} has to become a member of the group first.",
            "add_new_group_member",
            group_id=group["group_id"],
            user_id=taker["user_id"],
        )
    for incident in chosen:
        draft.do("update_incident", incident_id=incident["incident_id"], assigned_to=taker["user_id"])


TEMPLATES = (change_urgency, put_on_hold, assign_to_group, resolve, close_resolved, from_template, hand_over)
