"""Tasks in customer service management and in e-mail."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.csm.templates import phrases
from opsgym.envs.enterprise_ops.csm.templates.common import (
    cases,
    closed_group,
    contact_user,
    find,
    find_asset,
    name_of,
    note_interaction,
    start_level,
    told,
    told_asset,
    twin_case,
)
from opsgym.envs.enterprise_ops.csm.templates.intake import HANDLERS, covered_assets, form_of
from opsgym.envs.enterprise_ops.csm.templates.progress import PAUSABLE, cancel, pause
from opsgym.envs.enterprise_ops.draft import Draft
from opsgym.envs.enterprise_ops.hybrid.templates.service_mail import loosen_letters, send
from opsgym.envs.enterprise_ops.template import Unfit, template

_QUESTIONS = ("firmware version", "log file", "floor plan", "invoice number")


@template(
    "hybrid",
    roles={"csm": ("admin", "manager", "agent"), "email": ("owner",)},
    rules=("CSM-SLA-PAUSE",),
    traps=("same_text",),
    blocked=("policy_conflict",),
)
def ask_customers(draft: Draft) -> None:
    """Let cases wait for their customers, and write to the customers."""
    chosen = cases(draft, PAUSABLE, count=draft.horizon)
    question = draft.pick(*_QUESTIONS)
    if draft.is_infeasible:
        cancel(draft, chosen[0])
    for case in chosen:
        twin_case(draft, case)
        draft.ask(
            f"We miss the {question} for the {told(draft, case)}.",
            f"The {told(draft, case)} does not get on without the {question}.",
        )
    draft.ask(
        f"Let {'it' if len(chosen) == 1 else 'them'} wait as pending, and send each contact a mail of your own that asks for the"
        f" {question}; the case number is its subject.",
        f"Ask whoever reported it for the {question} by mail, with the case number as the subject, and set what waits for an"
        " answer to pending.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"Case {chosen[0]['number']} is canceled; nothing follows that (CSM-CASE-MOVE).")
    loosen_letters(draft, question)
    for case in chosen:
        find(draft, case)
        draft.look("csm.find_contacts", contact_id=case["contact_id"])
        user = contact_user(draft, case["contact_id"])
        draft.look("csm.list_users", user_id=user["user_id"])
        draft.do("csm.update_case", case_id=case["case_id"], state="pending")
        pause(draft, case)
        send(draft, user["email"], case["number"], f"please send us the {question}")


@template(
    "hybrid",
    roles={"csm": ("admin", "manager", "agent"), "email": ("owner",)},
    rules=("CSM-CASE-INTERACTION", "CSM-SLA-FIRST"),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def dispatch_cases(draft: Draft) -> None:
    """Register cases for a colleague, and send the colleague the serial numbers."""
    chosen = covered_assets(draft)
    if draft.is_infeasible:
        group, colleague = closed_group(draft)
    else:
        group = draft.one("SELECT * FROM user_group WHERE active ORDER BY group_id")
        colleague = draft.one(HANDLERS, group["group_id"])
    if colleague["email"] == draft.actor_email:
        raise Unfit("one would write to oneself")
    if draft.wants_trap("namesake"):
        other = draft.one(
            "SELECT id, email FROM users WHERE email NOT IN (?, ?) ORDER BY id",
            colleague["email"],
            draft.actor_email,
            in_system="email",
        )
        draft.change("users", other["id"], in_system="email", display_name=name_of(colleague))
        draft.trap("namesake", colleague["email"], other["email"])
    forms = [form_of(draft, asset) | {"state": "in_progress"} for asset in chosen]
    for asset, form in zip(chosen, forms, strict=True):
        account = draft.row("account", asset["account_id"])["name"]
        how, priority = draft.pick(*phrases.CHANNEL[form["channel"]]), draft.pick(*phrases.PRIORITY[form["priority"]])
        draft.ask(
            f"{account} reported {how} that the {told_asset(draft, asset)} fails. Register a case with {priority}, described as"
            f' "{form["short_description"]}".',
        )
    whom = f"{name_of(colleague)} of the group {group['name']}"
    draft.ask(
        f"Assign what you register to {whom}, who starts at once, and mail {colleague['first_name']} each serial number as a"
        " subject of its own, asking for a visit.",
        f"It is {whom} who starts work on it now: make the assignment, and send a mail for each device, the subject being its"
        " serial number, that asks for a visit.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"The group {group['name']} is no longer active (CSM-CASE-GROUP).")
    loosen_letters(draft, "visit")
    draft.look("csm.find_user_group", name=group["name"])
    draft.look("csm.list_group_members", group_id=group["group_id"])
    draft.look("csm.find_user", name=name_of(colleague))
    for asset, form in zip(chosen, forms, strict=True):
        find_asset(draft, asset)
        draft.look("csm.find_contacts", account_id=asset["account_id"], is_primary=True)
        assigned = {"assignment_group_id": group["group_id"], "assigned_to": colleague["user_id"]}
        made = draft.do("csm.create_new_case", **form, **assigned)
        note_interaction(draft, made)
        start_level(draft, "CSM-SLA-FIRST", made["case_id"], form["priority"])
        send(draft, colleague["email"], asset["serial_number"], "please plan a visit")


TEMPLATES = (ask_customers, dispatch_cases)
