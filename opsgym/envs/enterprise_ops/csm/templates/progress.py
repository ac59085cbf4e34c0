"""Tasks on cases on their way."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.csm.templates import phrases
from opsgym.envs.enterprise_ops.csm.templates.common import (
    cases,
    contact_name,
    contact_user,
    end_levels,
    find,
    hindered,
    in_force,
    start,
    start_level,
    told,
    twin_case,
)
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import heed, template

_RUNS = (
    "EXISTS (SELECT 1 FROM case_sla s WHERE s.case_id = customer_case.case_id AND s.stage = '{}')"
    " AND NOT EXISTS (SELECT 1 FROM case_sla s WHERE s.case_id = customer_case.case_id AND s.stage NOT IN ('{}'))"
)
PAUSABLE = (
    "state = 'in_progress' AND EXISTS (SELECT 1 FROM case_sla s JOIN sla_definition d USING (sla_def_id)"
    " WHERE s.case_id = customer_case.case_id AND d.pause_on_pending AND s.stage = 'in_progress')"
)
"""Cases in progress with an SLA that may be paused."""

_COMPLETE = "Complete the SLAs of what is resolved."


@template(
    "csm",
    roles=("admin", "manager", "agent"),
    rules=("CSM-SLA-END", "CSM-CASE-ARTICLE"),
    traps=("same_text",),
    blocked=("policy_conflict", "missing_record"),
)
def close_cases(draft: Draft) -> None:
    """Resolve and close cases that are done; their SLAs end, and an article tells how."""
    chosen = cases(
        draft,
        f"state = 'in_progress' AND {_RUNS.format('in_progress', 'in_progress')}"
        " AND NOT EXISTS (SELECT 1 FROM case_knowledge k WHERE k.case_id = customer_case.case_id)"
        " AND EXISTS (SELECT 1 FROM knowledge k WHERE k.product_id = customer_case.product_id AND k.state = 'published')",
        count=draft.horizon,
    )
    block = hindered(draft, chosen, cancel, "is canceled and cannot be closed (CSM-CASE-MOVE)")
    for case in chosen:
        twin_case(draft, case)
        whom = contact_name(draft, case["contact_id"])
        draft.ask(
            f"{whom} confirms that the {told(draft, case)} is solved. Please close it properly.",
            f"We can close the {told(draft, case)}: {whom} says that everything works again.",
        )
    block()
    for case in chosen:
        key = case["case_id"]
        find(draft, case)
        draft.do("update_case", case_id=key, state="resolved")
        end_levels(draft, "CSM-SLA-END", _COMPLETE, key, "completed", "in_progress", "paused")
        article = draft.look("retrieve_knowledge", product_id=case["product_id"], state="published")[0]
        draft.oblige(
            "CSM-CASE-ARTICLE",
            "Link a published article on the product as the resolution of what is closed.",
            "link_case_knowledge",
            case_id=key,
            knowledge_id=article["knowledge_id"],
            used_as="resolution",
        )
        draft.do("update_case", case_id=key, state="closed")
    draft.loosen("customer_case", "closed_on")
    draft.loosen("case_knowledge", "knowledge_id", "used_as")


def cancel(draft: Draft, case: Row) -> None:
    """Make a case a canceled one, as it would be."""
    draft.change("customer_case", case["case_id"], state="canceled", closed_on=draft.now)
    for row in draft.rows("SELECT case_sla_id FROM case_sla WHERE case_id = ? ORDER BY case_sla_id", case["case_id"]):
        draft.change("case_sla", row["case_sla_id"], stage="canceled")


@template(
    "csm",
    roles=("admin", "manager", "agent"),
    rules=("CSM-CASE-REOPEN", "CSM-CASE-OPEN-ON"),
    traps=("same_text",),
    blocked=("policy_conflict", "missing_record"),
)
def reopen_cases(draft: Draft) -> None:
    """Reopen closed cases whose trouble is back."""
    chosen = cases(
        draft,
        "state = 'closed' AND contact_id IN (SELECT contact_id FROM contact WHERE active)",
        count=draft.horizon,
    )
    block = hindered(draft, chosen, cancel, "is canceled and cannot be reopened (CSM-CASE-MOVE)")
    for case in chosen:
        twin_case(draft, case)
        whom = contact_name(draft, case["contact_id"])
        draft.ask(
            f"The trouble of the {told(draft, case)} has come back, says {whom}: please reopen it.",
            f"{whom} has the same trouble again as in the {told(draft, case)}. Do not open another one, but that one once more.",
        )
    block()
    for case in chosen:
        find(draft, case)
        draft.do(
            "update_case",
            heed("CSM-CASE-REOPEN", "Count the reopening.", reopen_count=case["reopen_count"] + 1),
            heed("CSM-CASE-OPEN-ON", "Clear the time of closing of what is open again.", closed_on=""),
            case_id=case["case_id"],
            state="new",
        )


@template(
    "csm",
    roles=("admin", "manager"),
    rules=("CSM-SLA-PRIORITY",),
    traps=("same_text",),
    blocked=("no_permission",),
)
def escalate_cases(draft: Draft) -> None:
    """Escalate cases for a reason, and raise their priority; the SLAs follow."""
    if draft.is_infeasible:
        agent = draft.one("SELECT CAST(user_id AS TEXT) AS key FROM user WHERE active AND role = 'agent' ORDER BY user_id")
        draft.act_as(agent["key"])
    chosen = cases(
        draft,
        f"state = 'in_progress' AND priority IN ('moderate', 'low') AND NOT escalation AND {in_force(draft)}"
        f" AND {_RUNS.format('in_progress', 'in_progress')}",
        count=draft.horizon,
    )
    forms = [(draft.pick(*phrases.REASON), draft.pick("critical", "high")) for _ in chosen]
    for case, (reason, priority) in zip(chosen, forms, strict=True):
        twin_case(draft, case)
        because, words = draft.pick(*phrases.REASON[reason]), draft.pick(*phrases.PRIORITY[priority])
        draft.ask(
            f"Please escalate the {told(draft, case)}, since {because}, and give it {words}.",
            f"{start(because)}: escalate the {told(draft, case)} for that reason, with {words}.",
        )
    if draft.is_infeasible:
        draft.block("no_permission", why="Only managers and admins escalate cases (CSM-AGENT-ESCALATE).")
    for case, (reason, priority) in zip(chosen, forms, strict=True):
        key = case["case_id"]
        find(draft, case)
        draft.do("update_case", case_id=key, escalation=True, escalation_reason=reason, priority=priority)
        end_levels(
            draft,
            "CSM-SLA-PRIORITY",
            "Cancel the SLAs for the former priority.",
            key,
            "canceled",
            "in_progress",
            "paused",
        )
        start_level(draft, "CSM-SLA-PRIORITY", key, priority)


@template(
    "csm",
    roles=("admin", "manager", "agent"),
    rules=("CSM-SLA-PAUSE", "CSM-SLA-RESUME"),
    traps=("same_text",),
    blocked=("policy_conflict", "missing_record"),
)
def wait_and_go_on(draft: Draft) -> None:
    """Let cases wait for their customers, and others go on after an answer; the SLAs are paused and resumed."""
    waiting = [draft.draw.random() < 0.5 for _ in range(draft.horizon)]
    paused = f"state = 'pending' AND {_RUNS.format('paused', 'paused')}"
    to_wait = cases(draft, PAUSABLE, count=sum(waiting)) if any(waiting) else []
    to_go = cases(draft, paused, count=len(waiting) - sum(waiting)) if not all(waiting) else []
    block = hindered(draft, [*to_wait, *to_go], cancel, "is canceled; nothing follows that (CSM-CASE-MOVE)")
    for case in to_wait:
        twin_case(draft, case)
        whom = contact_name(draft, case["contact_id"])
        draft.ask(
            f"We cannot go on with the {told(draft, case)} before {whom} answers: set it to pending.",
            f"The {told(draft, case)} has to wait, since we need something from {whom}; mark it as pending.",
        )
    for case in to_go:
        whom = contact_name(draft, case["contact_id"])
        draft.ask(
            f"{whom} has answered, so work on the {told(draft, case)} goes on.",
            f"The {told(draft, case)} need not wait any longer: take it up again.",
        )
    block()
    for case in to_wait:
        find(draft, case)
        draft.do("update_case", case_id=case["case_id"], state="pending")
        pause(draft, case)
    for case in to_go:
        find(draft, case)
        draft.do("update_case", case_id=case["case_id"], state="in_progress")
        end_levels(draft, "CSM-SLA-RESUME", "Let the SLAs of what goes on run again.", case["case_id"], "in_progress", "paused")


def pause(draft: Draft, case: Row) -> None:
    """Pause the SLAs that may be paused."""
    for row in draft.look("find_case_slas", case_id=case["case_id"], stage="in_progress"):
        (level,) = draft.look("find_sla_definitions", sla_def_id=row["sla_def_id"])
        if level["pause_on_pending"]:
            draft.oblige(
                "CSM-SLA-PAUSE",
                "Pause the SLAs of what waits, as far as they can be.",
                "update_case_sla_details",
                case_sla_id=row["case_sla_id"],
                stage="paused",
            )


@template(
    "csm",
    roles=("admin", "manager", "agent"),
    rules=("CSM-SLA-END",),
    traps=("same_text",),
    blocked=("policy_conflict", "missing_record"),
)
def cancel_duplicates(draft: Draft) -> None:
    """Cancel the later one of two cases on the same trouble, and tell the contact."""
    chosen = cases(draft, f"state = 'in_progress' AND {_RUNS.format('in_progress', 'in_progress')}", count=draft.horizon)
    firsts = [_earlier(draft, case) for case in chosen]
    block = hindered(draft, chosen, close, "is closed and cannot be canceled (CSM-CASE-MOVE)")
    for case, first in zip(chosen, firsts, strict=True):
        account = draft.row("account", case["account_id"])["name"]
        draft.ask(
            f'{account} reported "{first["short_description"]}" twice. Keep the older case, withdraw the {told(draft, case)},'
            " and send its contact an update on that.",
            f"The {told(draft, case)} says the same as {first['number']} of {account} did before it. Cancel the newer one,"
            " and send an update on it to whom it came from.",
        )
    block()
    for case in chosen:
        key = case["case_id"]
        find(draft, case)
        draft.look("search_cases", account_id=case["account_id"], short_description=case["short_description"])
        draft.do("update_case", case_id=key, state="canceled")
        end_levels(draft, "CSM-SLA-END", "Cancel the SLAs of what is canceled.", key, "canceled", "in_progress", "paused")
        draft.look("find_contacts", contact_id=case["contact_id"])
        user = draft.look("list_users", user_id=contact_user(draft, case["contact_id"])["user_id"])[0]
        draft.do("send_notification", case_id=key, email=user["email"], type="update")
    draft.loosen("customer_case", "closed_on")


def _earlier(draft: Draft, case: Row) -> Row:
    """An earlier case of the same words, which stays; a trap where one is wanted."""
    names = ("account_id", "contact_id", "channel", "priority", "short_description", "product_id")
    before = draft.now.fromisoformat(case["sys_created_on"]) - (draft.now - draft.now.replace(hour=6))
    first = draft.add("customer_case", state="new", at=before, **{name: case[name] for name in names})
    draft.add(
        "interaction",
        channel=case["channel"],
        status="open",
        account_id=case["account_id"],
        contact_id=case["contact_id"],
        case_id=first["case_id"],
    )
    if draft.wants_trap("same_text"):
        draft.trap("same_text", case["case_id"], first["case_id"])
    return first


def close(draft: Draft, case: Row) -> None:
    """Make a case a closed one, as it would be."""
    draft.change("customer_case", case["case_id"], state="closed", closed_on=draft.now)
    for row in draft.rows("SELECT case_sla_id FROM case_sla WHERE case_id = ? ORDER BY case_sla_id", case["case_id"]):
        draft.change("case_sla", row["case_sla_id"], stage="completed", completed_time=draft.now)


TEMPLATES = (close_cases, reopen_cases, escalate_cases, wait_and_go_on, cancel_duplicates)
