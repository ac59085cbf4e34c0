"""Tasks on staff and contacts."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.csm.templates.common import OPEN, contact_user, name_of, namesake, person
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import Unfit, template


@template(
    "csm",
    roles=("admin",),
    rules=("CSM-LEAVER-GROUPS", "CSM-LEAVER-CASES"),
    traps=("namesake",),
    blocked=("no_permission",),
)
def offboard_staff(draft: Draft) -> None:
    """Deactivate people who left; they leave their groups, and others take over their open cases."""
    if draft.is_infeasible:
        manager = draft.one("SELECT CAST(user_id AS TEXT) AS key FROM user WHERE active AND role = 'manager' ORDER BY user_id")
        draft.act_as(manager["key"])
    leavers = draft.some(
        "SELECT * FROM user u WHERE active AND role = 'agent' AND EXISTS (SELECT 1 FROM customer_case c"
        f" WHERE c.assigned_to = u.user_id AND c.state IN {OPEN}) ORDER BY user_id",
        count=draft.horizon,
    )
    heirs = [_heir(draft, leaver, leavers) for leaver in leavers]
    for leaver, heir in zip(leavers, heirs, strict=True):
        if draft.wants_trap("namesake"):
            busy = {name_of(row) for row in (*leavers, *heirs)}
            other = namesake(draft, leaver, "role = 'customer'")
            if name_of(other) in busy:
                raise Unfit("the namesake has a part already")
            draft.trap("namesake", leaver["user_id"], other["user_id"])
        day = draft.date(draft.company.today)
        draft.ask(
            f"{person(draft, leaver)} has left us on {day}, and {person(draft, heir)} takes over.",
            f"As of {day}, {person(draft, leaver)} does not work here any longer; {person(draft, heir)} steps in.",
        )
    draft.ask("Please deactivate the account.", "Switch their access off, please.")
    if draft.is_infeasible:
        draft.block("no_permission", why="Only admins change users (RIGHTS).")
    for leaver, heir in zip(leavers, heirs, strict=True):
        key = leaver["user_id"]
        draft.look("find_user", name=name_of(leaver))
        draft.look("find_user", name=name_of(heir))
        draft.do("update_user_details", user_id=key, active=False)
        for row in draft.look("list_group_members", user_id=key):
            draft.oblige(
                "CSM-LEAVER-GROUPS",
                "Take who left out of all groups.",
                "remove_group_membership",
                member_id=row["member_id"],
            )
        for case in draft.look("get_cases_assigned_to", assigned_to=key):
            if case["state"] in ("new", "in_progress", "pending"):
                draft.oblige(
                    "CSM-LEAVER-CASES",
                    "Hand the open cases of who left over.",
                    "assign_case_to_user",
                    case_id=case["case_id"],
                    assigned_to_user_id=heir["user_id"],
                )


def _heir(draft: Draft, leaver: Row, leavers: list[Row]) -> Row:
    """Somebody who is, or becomes, a member of the groups of the leaver's open cases."""
    taken = ", ".join(str(row["user_id"]) for row in leavers)
    heir = draft.one(f"SELECT * FROM user WHERE active AND role = 'agent' AND user_id NOT IN ({taken}) ORDER BY user_id")
    groups = draft.rows(
        f"SELECT DISTINCT assignment_group_id AS key FROM customer_case WHERE assigned_to = ? AND state IN {OPEN}"
        " AND assignment_group_id IS NOT NULL ORDER BY key",
        leaver["user_id"],
    )
    for group in groups:
        known = draft.value(
            "SELECT count(*) FROM user_group_member WHERE group_id = ? AND user_id = ?", group["key"], heir["user_id"]
        )
        if not known:
            draft.add("user_group_member", group_id=group["key"], user_id=heir["user_id"])
    return heir


@template("csm", roles=("admin",), rules=("CSM-CONTACT-PRIMARY",), traps=("namesake",), blocked=("missing_record",))
def change_primary_contact(draft: Draft) -> None:
    """Make somebody else the primary contact of accounts."""
    chosen = draft.some(
        "SELECT c.* FROM contact c JOIN account a USING (account_id) WHERE c.active AND NOT c.is_primary AND a.active"
        " AND EXISTS (SELECT 1 FROM contact o WHERE o.account_id = c.account_id AND o.active AND o.is_primary)"
        " AND (SELECT min(o.contact_id) FROM contact o WHERE o.account_id = c.account_id AND NOT o.is_primary) = c.contact_id"
        " ORDER BY c.contact_id",
        count=draft.horizon,
    )
    wrong = draft.pick(*chosen) if draft.is_infeasible else None
    why = ""
    for contact in chosen:
        user = contact_user(draft, contact["contact_id"])
        account = draft.row("account", contact["account_id"])
        if contact is not wrong and draft.wants_trap("namesake"):
            _elsewhere(draft, contact, user)
        if contact is wrong:
            account = draft.one(
                "SELECT * FROM account WHERE active AND account_id <> ? AND account_type <> 'internal' ORDER BY account_id",
                account["account_id"],
            )
            why = f"{name_of(user)} is no contact of {account['name']}."
        draft.ask(
            f"{person(draft, user)} becomes the primary contact of {account['name']}.",
            f"From now on, {account['name']} wants {person(draft, user)} as its primary contact.",
        )
    if why:
        draft.block("missing_record", why=why)
    for contact in chosen:
        account = draft.row("account", contact["account_id"])
        draft.look("find_account", name=account["name"])
        draft.look("find_user", name=name_of(contact_user(draft, contact["contact_id"])))
        for former in draft.look("find_contacts", account_id=account["account_id"], is_primary=True):
            draft.oblige(
                "CSM-CONTACT-PRIMARY",
                "Who was the primary contact remains a contact, but not the primary one.",
                "update_contact",
                contact_id=former["contact_id"],
                is_primary=False,
            )
        draft.do("update_contact", contact_id=contact["contact_id"], is_primary=True)


def _elsewhere(draft: Draft, contact: Row, user: Row) -> None:
    """A contact of another account of the same name."""
    elsewhere = "user_id IN (SELECT portal_user_id FROM contact WHERE active AND account_id <> ?)"
    other = namesake(draft, user, elsewhere, contact["account_id"])
    twin = draft.value("SELECT contact_id FROM contact WHERE portal_user_id = ?", other["user_id"])
    draft.trap("namesake", contact["contact_id"], twin)


TEMPLATES = (offboard_staff, change_primary_contact)
