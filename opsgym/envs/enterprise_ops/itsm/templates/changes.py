"""Tasks on problems and changes."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.rules import PRIORITY
from opsgym.envs.enterprise_ops.itsm.templates.common import incidents, person, some
from opsgym.envs.enterprise_ops.template import heed, template


@template("itsm", roles=("manager", "agent"), rules=("ITSM-PRB-PRIORITY",), blocked=("missing_record", "no_permission"))
def open_problem(draft: Draft) -> None:
    """Open a problem for incidents that have one cause, and tie them to it."""
    chosen = incidents(draft, "status IN ('new', 'in_progress') AND problem IS NULL", count=draft.horizon + 1)
    numbers = [row["number"] for row in chosen]
    if draft.is_infeasible:
        foreign = draft.one("SELECT number FROM incident WHERE org_id <> ? ORDER BY incident_id", draft.actor.scope)["number"]
        numbers[-1] = foreign
    statement = draft.pick(
        "Certificates of the gateway expire unnoticed", "The nightly job leaves files locked", "Clock drift breaks sign-in"
    )
    impact, urgency = draft.pick(*words.LEVELS), draft.pick(*words.LEVELS)
    draft.ask(
        f'{draft.listed(numbers)} have one cause: "{statement}". Open a problem with these words as its statement,'
        f" impact {impact}, urgency {urgency}, and enter it in each of the incidents.",
        f'Please open a new problem, {impact} impact and {urgency} urgency, with the statement "{statement}"'
        f" and record it as the problem of the incidents {draft.listed(numbers)}.",
    )
    if draft.is_infeasible:
        draft.block("missing_record", "no_permission", why=f"There is no incident {numbers[-1]} in your organization.")
        chosen = chosen[:-1]
    other = draft.pick(*[level for level in words.PRIORITIES if level != PRIORITY[impact, urgency]])
    problem = draft.do(
        "create_problem",
        heed(
            "ITSM-PRB-PRIORITY",
            "Its priority follows from both.",
            blindly={"priority": other},
            priority=PRIORITY[impact, urgency],
        ),
        problem_statement=statement,
        status="new",
        impact=impact,
        urgency=urgency,
    )
    for incident in chosen:
        draft.look("find_incident_by_number", number=incident["number"])
        draft.do("update_incident", incident_id=incident["incident_id"], problem=problem["problem_id"])
    draft.loosen("problem", "category", "original_task", "service", "service_offering", "configuration_item")


@template("itsm", roles=("manager", "agent"), rules=("ITSM-PRB-WORKAROUND",), blocked=("missing_record", "no_permission"))
def record_workaround(draft: Draft) -> None:
    """Record workarounds of problems, which are then being fixed."""
    chosen = some(draft, "problem", "status IN ('new', 'assess', 'root_cause') AND workaround IS NULL", draft.horizon)
    notes = [draft.pick("Sign out on all devices", "Use the second server", "Restart the agent by hand") for _ in chosen]
    numbers = [row["number"] for row in chosen]
    if draft.is_infeasible:
        numbers[-1] = f"PRB{draft.draw.randrange(900000, 999999):07d}"
    for number, row, note in zip(numbers, chosen, notes, strict=True):
        who = f" of {person(draft, draft.row('users', row['assigned_to']))}" if row["assigned_to"] else ""
        draft.ask(
            f'For the problem {number}{who} there is a workaround now: "{note}". Please record it.',
            f'Write down "{note}" as the workaround of the problem {number}{who}.',
        )
    if draft.is_infeasible:
        draft.block("missing_record", "no_permission", why=f"There is no problem {numbers[-1]}.")
        chosen, notes = chosen[:-1], notes[:-1]
    for row, note in zip(chosen, notes, strict=True):
        draft.look("find_problem_by_number", number=row["number"])
        draft.do(
            "update_problem",
            heed("ITSM-PRB-WORKAROUND", "Each of them is then being fixed.", status="fix_in_progress"),
            problem_id=row["problem_id"],
            workaround=note,
        )


@template("itsm", roles=("manager",), traps=("same_title",), blocked=("no_permission",))
def approve_changes(draft: Draft) -> None:
    """Approve changes that wait for it; an agent may not."""
    chosen = some(draft, "change", "status = 'authorize'", draft.horizon)
    for row in chosen:
        draft.change(
            "change",
            row["change_id"],
            implementation_plan=row["implementation_plan"] or "Step by step, with a way back",
            testing_plan=row["testing_plan"] or "Smoke test",
        )
    if draft.wants_trap("same_title"):
        first, *_ = chosen
        other = draft.value(
            "SELECT change_id FROM change WHERE org_id = ? AND change_id < ? AND status = 'scheduled' ORDER BY change_id",
            draft.actor.scope,
            first["change_id"],
        )
        if other is not None:
            draft.change("change", other, short_description=first["short_description"], status="assess")
            draft.trap("same_title", first["change_id"], other)
    if draft.is_infeasible:
        agents = "SELECT user_id FROM users WHERE org_id = ? AND active AND role = 'agent' ORDER BY user_id"
        draft.act_as(draft.one(agents, draft.actor.scope)["user_id"])
    for row in chosen:
        who = person(draft, draft.row("users", row["requested_by"]))
        draft.ask(
            f"The change {row['number']} that {who} asked for is fine: approve it, so that it can be scheduled.",
            f'Please approve {row["number"]}, "{row["short_description"]}", and move it to scheduled.',
        )
    if draft.is_infeasible:
        draft.block("no_permission", why="Only a manager or an admin approves a change (ITSM-CHG-APPROVE).")
    for row in chosen:
        draft.look("find_change_by_number", number=row["number"])
        draft.do("update_change", change_id=row["change_id"], status="scheduled")


@template("itsm", roles=("manager", "agent"), blocked=("policy_conflict",))
def close_change(draft: Draft) -> None:
    """Close changes that were carried out, and tell the callers of the incidents behind them."""
    chosen = some(draft, "change", "status = 'review'", draft.horizon)
    if draft.is_infeasible:
        draft.change("change", chosen[0]["change_id"], status="assess")
    told = []
    for row in chosen:
        draft.remove_where("change_request_mapping", change_id=row["change_id"])
        incident = incidents(draft, "status IN ('new', 'in_progress')")[0]
        draft.add("change_request_mapping", change_id=row["change_id"], incident_id=incident["incident_id"])
        code = draft.pick(*words.CLOSE_CODES[:2])
        note = draft.pick("Done in the night, no complaints", "Carried out as planned", "Took an hour longer than planned")
        told.append((row, incident, code, note))
        how = {"successful": "a success", "successful_with_issues": "a success, though with issues"}[code]
        draft.ask(
            f'The change {row["number"]} was {how}. Close it with the note "{note}", and send the caller of the incident behind'
            f' it an update with the subject "{row["number"]} is done".',
            f'Please close {row["number"]} ({how}; note: "{note}") and tell who reported the incident mapped to it, by an update'
            f' with the subject "{row["number"]} is done".',
        )
    if draft.is_infeasible:
        draft.block(
            "policy_conflict", why=f"{chosen[0]['number']} is still in assess, and ITSM-CHG-MOVE lets only a review be closed."
        )
    for row, incident, code, note in told:
        draft.look("find_change_by_number", number=row["number"])
        draft.look("list_change_request_mappings", change_id=row["change_id"])
        draft.do("update_change", change_id=row["change_id"], status="closed", close_code=code, close_notes=note)
        caller = draft.look("get_user", user_id=incident["caller_id"])
        draft.do(
            "send_notification",
            incident_id=incident["incident_id"],
            email=caller["email"],
            type="update",
            subject=f"{row['number']} is done",
        )
    draft.loosen("notification", "message", "status")


TEMPLATES = (open_problem, record_workaround, approve_changes, close_change)
