"""Tasks on cases that come in."""

from __future__ import annotations

from itertools import groupby

from opsgym.envs.enterprise_ops.csm.templates import phrases
from opsgym.envs.enterprise_ops.csm.templates.common import (
    OPEN,
    cases,
    closed_group,
    find,
    find_asset,
    in_force,
    name_of,
    namesake,
    note_interaction,
    primary,
    start_level,
    told,
    told_asset,
    trouble,
    twin_case,
)
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import Unfit, template

_IN_USE = (
    "SELECT * FROM installed_product WHERE status = 'in_use' AND product_id IN (SELECT product_id FROM product"
    " WHERE lifecycle_state = 'active') AND account_id IN (SELECT account_id FROM contact WHERE active AND is_primary)"
)
_BUSY = (
    "EXISTS (SELECT 1 FROM customer_case c WHERE c.installed_product_id = installed_product.installed_product_id"
    f" AND c.state IN {OPEN})"
)
HANDLERS = (
    "SELECT u.* FROM user_group_member m JOIN user u USING (user_id) WHERE m.group_id = ? AND u.active"
    " AND u.role IN ('agent', 'manager') ORDER BY u.user_id"
)


def covered_assets(draft: Draft) -> list[Row]:
    """Devices for which an entitlement is in force."""
    return draft.some(f"{_IN_USE} AND {in_force(draft, 'installed_product')} ORDER BY installed_product_id", count=draft.horizon)


@template(
    "csm",
    roles=("admin", "manager", "agent"),
    rules=("CSM-CASE-INTERACTION",),
    traps=("broken_device",),
    blocked=("policy_conflict",),
)
def register_cases(draft: Draft) -> None:
    """Register cases on installed products, for nobody in particular."""
    idle = f" AND NOT {_BUSY}" if draft.is_infeasible else ""
    chosen = draft.some(f"{_IN_USE}{idle} ORDER BY installed_product_id", count=draft.horizon)
    why = _flip(draft, draft.pick(*chosen)) if draft.is_infeasible else ""
    names = [told_asset(draft, asset) for asset in chosen]
    for asset in chosen:
        if draft.wants_trap("broken_device"):
            _broken_twin(draft, asset)
    forms = [form_of(draft, asset) for asset in chosen]
    for asset, named, form in zip(chosen, names, forms, strict=True):
        account = draft.row("account", asset["account_id"])["name"]
        how = draft.pick(*phrases.CHANNEL[form["channel"]])
        usual = form["priority"] == "moderate"
        priority = (
            draft.pick("no priority was given", "they named no priority")
            if usual
            else draft.pick(*(f"it has {words}" for words in phrases.PRIORITY[form["priority"]]))
        )
        draft.ask(
            f'{account} reported {how} trouble with the {named}: "{form["short_description"]}". Please register'
            f" a case in these words; {priority}, and nobody is to be assigned yet.",
            f"Open a case, unassigned, for the {named}. {account} wrote {how}, and the description is to"
            f' be "{form["short_description"]}"; {priority}.',
        )
    if why:
        draft.block("policy_conflict", why=why)
    for asset, form in zip(chosen, forms, strict=True):
        find_asset(draft, asset)
        draft.look("find_contacts", account_id=asset["account_id"], is_primary=True)
        made = draft.do("create_new_case", **form)
        note_interaction(draft, made)


def form_of(draft: Draft, asset: Row) -> Row:
    """Arguments of a new case on a device."""
    return {
        "account_id": asset["account_id"],
        "contact_id": primary(draft, asset["account_id"])["contact_id"],
        "product_id": asset["product_id"],
        "installed_product_id": asset["installed_product_id"],
        "channel": draft.pick(*phrases.CHANNEL),
        "priority": draft.pick(*phrases.PRIORITY),
        "state": "new",
        "short_description": trouble(draft, draft.row("product", asset["product_id"])),
    }


def _flip(draft: Draft, asset: Row) -> str:
    """Make a case on a device impossible; tell why."""
    key, serial = asset["installed_product_id"], asset["serial_number"]
    limited = draft.rows(
        "SELECT * FROM entitlement WHERE active AND account_id = ? AND product_id = ? ORDER BY entitlement_id",
        asset["account_id"],
        asset["product_id"],
    )
    month = draft.value(
        "SELECT count(*) FROM customer_case WHERE account_id = ? AND product_id = ? AND state <> 'canceled'"
        " AND substr(sys_created_on, 1, 7) = ?",
        asset["account_id"],
        asset["product_id"],
        f"{draft.now:%Y-%m}",
    )
    if limited and month and draft.draw.random() < 0.5:
        for row in limited:
            draft.change("entitlement", row["entitlement_id"], max_cases_per_month=month)
        return f"The monthly limit of {month} cases for {serial}'s product is reached (CSM-CASE-CAP)."
    status = draft.pick("repair", "retired")
    draft.change("installed_product", key, status=status)
    return f"Device {serial} is not in use but {status} (CSM-CASE-IN-USE)."


def _broken_twin(draft: Draft, asset: Row) -> None:
    """Another device of the same product and account, with the same last digits, that is under repair."""
    serial = f"OLD-{asset['serial_number'][-6:]}"
    if draft.value("SELECT count(*) FROM installed_product WHERE serial_number = ?", serial):
        raise Unfit("there is such a serial number already")
    other = draft.add(
        "installed_product",
        account_id=asset["account_id"],
        product_id=asset["product_id"],
        location_id=asset["location_id"],
        serial_number=serial,
        status="repair",
    )
    draft.trap("broken_device", asset["installed_product_id"], other["installed_product_id"])


@template(
    "csm",
    roles=("admin", "manager", "agent"),
    rules=("CSM-CASE-INTERACTION", "CSM-SLA-FIRST"),
    traps=("namesake",),
    blocked=("policy_conflict", "ambiguous"),
)
def register_and_assign(draft: Draft) -> None:
    """Register cases for a group and one of its members; work on them starts at once."""
    chosen = covered_assets(draft)
    is_closed = draft.is_infeasible and draft.draw.random() < 0.5
    group, agent = closed_group(draft) if is_closed else _group_and_member(draft)
    ambiguity = _ambiguous(draft, group, agent) if draft.is_infeasible and not is_closed else ""
    if not draft.is_infeasible and draft.wants_trap("namesake"):
        outside = "role = 'agent' AND user_id NOT IN (SELECT user_id FROM user_group_member WHERE group_id = ?)"
        other = namesake(draft, agent, outside, group["group_id"])
        draft.trap("namesake", agent["user_id"], other["user_id"])
    forms = [form_of(draft, asset) | {"state": "in_progress"} for asset in chosen]
    for asset, form in zip(chosen, forms, strict=True):
        account = draft.row("account", asset["account_id"])["name"]
        how, priority = draft.pick(*phrases.CHANNEL[form["channel"]]), draft.pick(*phrases.PRIORITY[form["priority"]])
        draft.ask(
            f"{account} reported {how} that the {told_asset(draft, asset)} fails. Register a case with {priority}, described as"
            f' "{form["short_description"]}".',
            f"We need a case with {priority} on the {told_asset(draft, asset)}, which {account} reported {how}. Describe it as"
            f' "{form["short_description"]}".',
        )
    whom = name_of(agent)
    draft.ask(
        f"Assign it to {whom} of the group {group['name']} right away."
        if len(chosen) == 1
        else f"All of them go to {whom} of the group {group['name']} right away.",
        f"{whom} of {group['name']} starts work now.",
    )
    if is_closed:
        draft.block("policy_conflict", why=f"The group {group['name']} is no longer active (CSM-CASE-GROUP).")
    if ambiguity:
        draft.block("ambiguous", why=ambiguity)
    draft.look("find_user_group", name=group["name"])
    draft.look("list_group_members", group_id=group["group_id"])
    draft.look("find_user", name=whom)
    for asset, form in zip(chosen, forms, strict=True):
        find_asset(draft, asset)
        draft.look("find_contacts", account_id=asset["account_id"], is_primary=True)
        draft.look("find_entitlements", account_id=asset["account_id"], active=True)
        made = draft.do("create_new_case", **form, assignment_group_id=group["group_id"], assigned_to=agent["user_id"])
        note_interaction(draft, made)
        start_level(draft, "CSM-SLA-FIRST", made["case_id"], form["priority"])


def _group_and_member(draft: Draft) -> tuple[Row, Row]:
    group = draft.one("SELECT * FROM user_group WHERE active ORDER BY group_id")
    return group, draft.one(HANDLERS, group["group_id"])


def _ambiguous(draft: Draft, group: Row, agent: Row) -> str:
    """Give another member of a group the name of an agent; tell why that is an obstacle."""
    other = draft.one(
        "SELECT u.* FROM user_group_member m JOIN user u USING (user_id) WHERE m.group_id = ? AND u.active"
        " AND u.role IN ('agent', 'manager') AND u.user_id <> ? ORDER BY u.user_id",
        group["group_id"],
        agent["user_id"],
    )
    draft.change("user", other["user_id"], first_name=agent["first_name"], last_name=agent["last_name"])
    return f"The group {group['name']} has two members of the name {name_of(agent)}."


@template(
    "csm",
    roles=("admin", "manager", "agent"),
    rules=("CSM-SLA-ALIGN",),
    traps=("same_text",),
    blocked=("policy_conflict",),
)
def assign_to_least_busy(draft: Draft) -> None:
    """Give waiting cases to the member of a group who has least to do."""
    chosen = cases(
        draft,
        f"state = 'new' AND reopen_count = 0 AND {in_force(draft)} AND NOT EXISTS"
        " (SELECT 1 FROM case_sla s WHERE s.case_id = customer_case.case_id)",
        count=draft.horizon,
    )
    group, free = closed_group(draft) if draft.is_infeasible else _least_busy(draft)
    for case in chosen:
        twin_case(draft, case)
        draft.ask(
            f"The {told(draft, case)} waits for somebody.",
            f"Nobody has taken the {told(draft, case)} yet.",
        )
    draft.ask(
        f"Get work started in the group {group['name']}: give what waits to the agent there who has the fewest open cases.",
        f"Whichever agent of {group['name']} has the fewest open cases at the moment takes this on, and starts at once.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"The group {group['name']} is no longer active (CSM-CASE-GROUP).")
    draft.look("find_user_group", name=group["name"])
    for row in draft.look("list_group_members", group_id=group["group_id"]):
        draft.look("list_users", user_id=row["user_id"])
        draft.look("count_case_by_state", assigned_to=row["user_id"])
    for case in chosen:
        find(draft, case)
        draft.do(
            "update_case",
            case_id=case["case_id"],
            state="in_progress",
            assignment_group_id=group["group_id"],
            assigned_to=free["user_id"],
        )
        start_level(draft, "CSM-SLA-ALIGN", case["case_id"], case["priority"])


def _least_busy(draft: Draft) -> tuple[Row, Row]:
    """A group, and its agent with the fewest open cases, of whom there is just one."""
    rows = draft.rows(
        "SELECT m.group_id, u.user_id, (SELECT count(*) FROM customer_case c WHERE c.assigned_to = u.user_id"
        f" AND c.state IN {OPEN}) AS open FROM user_group_member m JOIN user u USING (user_id) JOIN user_group g USING (group_id)"
        " WHERE g.active AND u.active AND u.role = 'agent' ORDER BY m.group_id, open, u.user_id"
    )
    found = []
    for group, listed in groupby(rows, key=lambda row: row["group_id"]):
        first, *others = listed
        if others and others[0]["open"] > first["open"]:
            found.append((group, first["user_id"]))
    if not found:
        raise Unfit("no group has an agent with fewer open cases than all others")
    group, user = draft.pick(*found)
    return draft.row("user_group", group), draft.row("user", user)


@template(
    "csm",
    roles=("customer",),
    rules=("CSM-CASE-INTERACTION",),
    traps=("broken_device",),
    blocked=("no_permission", "missing_record"),
)
def register_own_cases(draft: Draft) -> None:
    """Register cases for a customer on devices of their own account."""
    contact = draft.one("SELECT * FROM contact WHERE portal_user_id = ? AND active ORDER BY contact_id", int(draft.actor.id))
    own = "account_id <> ?" if draft.is_infeasible else "account_id = ?"
    chosen = draft.some(f"{_IN_USE} AND {own} ORDER BY installed_product_id", contact["account_id"], count=draft.horizon)
    names = [told_asset(draft, asset) for asset in chosen]
    for asset in chosen:
        if draft.wants_trap("broken_device"):
            _broken_twin(draft, asset)
    forms = [form_of(draft, asset) | {"contact_id": contact["contact_id"], "channel": "web"} for asset in chosen]
    for named, form in zip(names, forms, strict=True):
        priority = draft.pick(*phrases.PRIORITY[form["priority"]])
        draft.ask(
            f'Our {named} gives us trouble: "{form["short_description"]}". Please register a case in these'
            f" words, with {priority}; I ask through the web portal.",
            f"I need a case on our {named}, with {priority}, through the web portal. Describe it as"
            f' "{form["short_description"]}".',
        )
    if draft.is_infeasible:
        draft.block("no_permission", "missing_record", why="The device is of another account (CSM-SEE-ASSET, CSM-CUST-CASE).")
    draft.look("find_contact_by_portal_user", portal_user_id=int(draft.actor.id))
    for asset, form in zip(chosen, forms, strict=True):
        draft.look("retrieve_installed_products", account_id=contact["account_id"])
        draft.look("find_product_by_id", product_id=asset["product_id"])
        made = draft.do("create_new_case", **form)
        note_interaction(draft, made)


TEMPLATES = (register_cases, register_own_cases, register_and_assign, assign_to_least_busy)
