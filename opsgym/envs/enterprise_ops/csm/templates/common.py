"""What CSM templates have in common: choosing, describing and finding records, and what rules ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from opsgym.envs.enterprise_ops.csm import nouns
from opsgym.envs.enterprise_ops.csm.rules.shared import covered
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import Unfit

OPEN = "('new', 'in_progress', 'pending')"
SAME_TEXT = "same_text"

Fact = tuple[str, str, Sequence[Any]]


def in_force(draft: Draft, case: str = "customer_case") -> str:
    """SQL that is true when an entitlement covers a case today."""
    return covered(case, f"'{draft.now:%Y-%m-%d}'")


def cases(draft: Draft, condition: str, *bound: Any, count: int = 1) -> list[Row]:
    """Cases that meet a condition, in the hands of the actor where agents may change only their own."""
    found = draft.some(f"SELECT * FROM customer_case WHERE {condition} ORDER BY case_id", *bound, count=count)
    return [entrusted(draft, case) for case in found]


def entrusted(draft: Draft, case: Row) -> Row:
    """The case; where an agent acts, and somebody has it, the agent has it now."""
    if draft.actor.role != "agent" or (case["assignment_group_id"] is None and case["assigned_to"] is None):
        return case
    group = draft.one("SELECT group_id FROM user_group_member WHERE user_id = ? ORDER BY group_id", int(draft.actor.id))
    draft.change("customer_case", case["case_id"], assigned_to=int(draft.actor.id), assignment_group_id=group["group_id"])
    return draft.row("customer_case", case["case_id"])


# -- words ------------------------------------------------------------------------------------------------


def told(draft: Draft, case: Row) -> str:
    """Words for a case."""
    account = draft.row("account", case["account_id"])
    day = case["sys_created_on"][:10]
    facts: list[Fact] = [
        (f"of {account['name']}", "account_id = ?", (account["account_id"],)),
        (f"opened on {draft.date(day)}", "substr(sys_created_on, 1, 10) = ?", (day,)),
        (f'described as "{case["short_description"]}"', "short_description = ?", (case["short_description"],)),
        (f"reported by {contact_name(draft, case['contact_id'])}", "contact_id = ?", (case["contact_id"],)),
    ]
    if case["assignment_group_id"]:
        group = draft.row("user_group", case["assignment_group_id"])
        facts.append((f"assigned to the group {group['name']}", "assignment_group_id = ?", (group["group_id"],)))
    return draft.described("customer_case", case["case_id"], f"case {case['number']}", facts)


def told_asset(draft: Draft, asset: Row) -> str:
    """Words for an installed product."""
    product, serial = draft.row("product", asset["product_id"]), asset["serial_number"]
    account, site = draft.row("account", asset["account_id"]), draft.row("location", asset["location_id"])
    facts: list[Fact] = [
        (f"of {account['name']}", "account_id = ?", (account["account_id"],)),
        (f"whose serial number ends in {serial[-4:]}", "substr(serial_number, -4) = ?", (serial[-4:],)),
        (f"of the product {product['name']}", "product_id = ?", (product["product_id"],)),
        (f"at {site['name']}", "location_id = ?", (site["location_id"],)),
    ]
    return draft.described("installed_product", asset["installed_product_id"], f"device {serial}", facts)


def name_of(user: Row) -> str:
    """First and last name."""
    return f"{user['first_name']} {user['last_name']}"


def person(draft: Draft, user: Row) -> str:
    """Words for a user that fit no other one: the name, with the e-mail address where there are namesakes."""
    same = draft.value("SELECT count(*) FROM user WHERE first_name = ? AND last_name = ?", user["first_name"], user["last_name"])
    return name_of(user) if same == 1 else f"{name_of(user)} ({user['email']})"


def contact_user(draft: Draft, contact: int) -> Row:
    """The user who is a contact."""
    return draft.row("user", draft.row("contact", contact)["portal_user_id"])


def contact_name(draft: Draft, contact: int) -> str:
    """Name of a contact."""
    return name_of(contact_user(draft, contact))


def start(words: str) -> str:
    """Words as the start of a sentence."""
    return words[0].upper() + words[1:]


def trouble(draft: Draft, product: Row) -> str:
    """A description of a new case."""
    return f"{product['name']} {draft.pick(*nouns.TROUBLES)}"


# -- finding ------------------------------------------------------------------------------------------------


def find(draft: Draft, case: Row) -> None:
    """Look a case up as one would who knows what the request says of it."""
    if draft.conditions <= 1:
        draft.look("search_cases", number=case["number"])
        return
    draft.look("find_account", name=draft.row("account", case["account_id"])["name"])
    draft.look("find_contacts", account_id=case["account_id"])
    draft.look("search_cases", account_id=case["account_id"])


def find_asset(draft: Draft, asset: Row) -> None:
    """Look an installed product up."""
    if draft.conditions <= 1:
        draft.look("find_installed_product_by_serial", serial_number=asset["serial_number"])
        return
    draft.look("find_account", name=draft.row("account", asset["account_id"])["name"])
    draft.look("find_product", name=draft.row("product", asset["product_id"])["name"])
    draft.look("retrieve_installed_products", account_id=asset["account_id"])


def primary(draft: Draft, account: int) -> Row:
    """The primary contact of an account."""
    return draft.one("SELECT * FROM contact WHERE account_id = ? AND active AND is_primary ORDER BY contact_id", account)


# -- what rules ask for -------------------------------------------------------------------------------------


def note_interaction(draft: Draft, case: Row) -> None:
    """Register the interaction that every new case has."""
    draft.oblige(
        "CSM-CASE-INTERACTION",
        "Register the interaction with which each case came in, too.",
        "register_new_interaction",
        channel=case["channel"],
        status="open",
        account_id=case["account_id"],
        contact_id=case["contact_id"],
        case_id=case["case_id"],
    )
    draft.loosen("interaction", "status", "started_at", "ended_at", "interacted_user")


def start_level(draft: Draft, rule: str, case: int, priority: str) -> None:
    """Link an SLA for a priority; any active one for it will do, unless the request says which."""
    fitting = draft.look("find_sla_definitions", applies_to_priority=priority, active=True)
    level = next(row for row in fitting if row["metric"] == "response" and row["pause_on_pending"])
    draft.oblige(
        rule,
        "Where work starts or the priority changes, link the response SLA for the priority, the one that pauses.",
        "link_new_case_sla",
        case_id=case,
        sla_def_id=level["sla_def_id"],
        stage="in_progress",
    )
    draft.loosen("case_sla", "start_time", "breach_time")
    draft.allow("case_sla", "create", stage="in_progress", most=len(fitting))


def end_levels(draft: Draft, rule: str, said: str, case: int, stage: str, *stages: str) -> None:
    """Bring the SLAs of a case from some stages to another one."""
    for row in draft.look("find_case_slas", case_id=case):
        if row["stage"] in stages:
            draft.oblige(rule, said, "update_case_sla_details", case_sla_id=row["case_sla_id"], stage=stage)
    draft.loosen("case_sla", "completed_time")


def hindered(draft: Draft, chosen: Sequence[Row], spoil: Callable[[Draft, Row], None], why: str) -> Callable[[], None]:
    """Where the request is to be refused, spoil one of its cases, or let it give a number that no case has.

    Args:
        draft: The draft.
        chosen: The cases of the request.
        spoil: Makes a case one that the request does not fit.
        why: Why it then does not, after the case's number.

    Returns:
        What to call when everything has been asked for: it blocks the draft.
    """
    if not draft.is_infeasible:
        return lambda: None
    case = draft.pick(*chosen)
    is_missing = draft.conditions <= 1 and draft.draw.random() < 0.4
    if not is_missing:
        spoil(draft, case)

    def block() -> None:
        if not is_missing:
            draft.block("policy_conflict", why=f"Case {case['number']} {why}.")
            return
        last = draft.value("SELECT max(case_id) FROM customer_case")
        draft.change("customer_case", case["case_id"], number=f"CS-{last + 1:07d}")
        draft.block("missing_record", why=f"There is no case {case['number']}.")

    return block


def closed_group(draft: Draft) -> tuple[Row, Row]:
    """A group that is no longer active, and the one of its two agents who has fewer open cases."""
    rows = draft.rows(
        "SELECT u.*, (SELECT count(*) FROM customer_case c WHERE c.assigned_to = u.user_id"
        f" AND c.state IN {OPEN}) AS open FROM user u WHERE active AND role = 'agent' AND email <> ? ORDER BY user_id",
        draft.actor_email,
    )
    group = draft.one("SELECT * FROM user_group WHERE NOT active ORDER BY group_id")
    busy = draft.pick(*rows)
    free = draft.pick(*(row for row in rows if row["open"] < busy["open"]), None)
    if free is None:
        raise Unfit("nobody has fewer open cases")
    for user in (busy, free):
        draft.add("user_group_member", group_id=group["group_id"], user_id=user["user_id"])
    return group, draft.row("user", free["user_id"])


def namesake(draft: Draft, user: Row, condition: str, *bound: Any) -> Row:
    """Give the first other user that meets a condition the same name."""
    sql = f"SELECT * FROM user WHERE active AND user_id NOT IN (?, ?) AND ({condition}) ORDER BY user_id"
    other = draft.one(sql, user["user_id"], int(draft.actor.id), *bound)
    draft.change("user", other["user_id"], first_name=user["first_name"], last_name=user["last_name"])
    return other


def twin_case(draft: Draft, case: Row) -> None:
    """Where a trap is wanted, add an open case of the same description for another account."""
    if not draft.wants_trap(SAME_TEXT):
        return
    contact = draft.one(
        "SELECT * FROM contact WHERE account_id <> ? AND active ORDER BY contact_id",
        case["account_id"],
    )
    other = draft.add(
        "customer_case",
        account_id=contact["account_id"],
        contact_id=contact["contact_id"],
        channel=case["channel"],
        priority=case["priority"],
        state="new",
        short_description=case["short_description"],
        product_id=case["product_id"],
    )
    draft.add(
        "interaction",
        channel=case["channel"],
        status="open",
        account_id=contact["account_id"],
        contact_id=contact["contact_id"],
        case_id=other["case_id"],
    )
    draft.trap(SAME_TEXT, case["case_id"], other["case_id"])
