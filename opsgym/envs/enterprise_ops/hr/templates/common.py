"""What HR templates have in common: choosing, making and describing records."""

from __future__ import annotations

from typing import Any

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import Unfit

TITLES = (
    "Question about {0}",
    "{0}: please check",
    "{0} is urgent for {1}",
    "{1} waits for {0}",
    "Trouble with {0}",
    "{0} before the end of the month",
)
PRIORITY = {
    "critical": ("everything else has to wait for it (priority critical)", "its priority is critical"),
    "high": ("it is of high priority", "its priority is high"),
    "low": ("it is of low priority", "its priority is low, there is no hurry"),
    "planning": ("it is for planning only, so set that priority", "its priority is planning"),
}
SOURCE = {
    "phone": ("called about it", "asked for it on the phone"),
    "chat": ("asked for it in the chat", "wrote about it in the chat"),
    "walk-in": ("came to the desk in person", "walked in and asked for it"),
    "virtual-agent": ("told the virtual agent about it", "asked the virtual agent"),
}
NEW_SKILLS = ("Swedish", "Wage garnishment", "Expatriate tax", "Share plans", "Night work rules", "Works council law")


# -- people ------------------------------------------------------------------------------------------------------


def user(draft: Draft, condition: str = "1", *bound: Any) -> Row:
    """An active user of the actor's tenant other than the actor, who meets a condition."""
    sql = f'SELECT * FROM "user" WHERE org_id = ? AND active AND user_id <> ? AND ({condition}) ORDER BY user_id'
    return draft.one(sql, draft.actor.scope, draft.actor.id, *bound)


def name_of(person: Row) -> str:
    """First and last name."""
    return f"{person['first_name']} {person['last_name']}"


def person(draft: Draft, found: Row) -> str:
    """Words for a user that fit no other one: the name, with the e-mail address where there are namesakes."""
    sql = 'SELECT count(*) FROM "user" WHERE org_id = ? AND first_name = ? AND last_name = ?'
    same = draft.value(sql, found["org_id"], found["first_name"], found["last_name"])
    return name_of(found) if same == 1 else f"{name_of(found)} ({found['email']})"


def look_up(draft: Draft, found: Row) -> None:
    """Look a user up by name."""
    draft.look("get_user_using_name", first_name=found["first_name"], last_name=found["last_name"])


def namesake(draft: Draft, found: Row, condition: str = "1", *bound: Any) -> None:
    """Where a trap is wanted, give another user the name of one, which a search for the name may find first."""
    if draft.wants_trap("namesake"):
        other = user(draft, f"user_id <> ? AND ({condition})", found["user_id"], *bound)
        draft.change("user", other["user_id"], first_name=found["first_name"], last_name=found["last_name"])
        draft.trap("namesake", str(found["user_id"]), str(other["user_id"]))


# -- services and teams -------------------------------------------------------------------------------------------


def services(
    draft: Draft, count: int, condition: str = "s.hr_criteria IS NULL", *bound: Any, is_active: bool = True
) -> list[Row]:
    """Active or retired services with their centre, which meet a condition."""
    sql = (
        "SELECT s.*, c.coe_type FROM hr_service s JOIN topic_detail d ON d.topic_detail_id = s.topic_detail"
        " JOIN topic_category c ON c.topic_category_id = d.topic_category"
        f" WHERE s.org_id = ? AND s.active = ? AND ({condition}) ORDER BY s.hr_service_id"
    )
    return draft.some(sql, draft.actor.scope, is_active, *bound, count=count)


def service(draft: Draft, condition: str = "s.hr_criteria IS NULL", *bound: Any) -> Row:
    """One of them."""
    return services(draft, 1, condition, *bound)[0]


def approved_service(draft: Draft) -> Row:
    """A service whose cases need approval."""
    return service(draft, "s.hr_criteria IN (SELECT hr_criteria_id FROM hr_criteria WHERE active AND type = 'approval')")


def approvers(draft: Draft, criteria: int, *others: int) -> list[Row]:
    """The managers that approval criteria name, without some."""
    sql = (
        "SELECT u.* FROM \"user\" u, hr_criteria c WHERE c.hr_criteria_id = ? AND u.active AND u.role = 'manager'"
        " AND (u.user_id IN (SELECT m.user_id FROM user_group_member m WHERE m.group_id = c.user_group)"
        " OR u.user_id IN (SELECT j.value FROM json_each(coalesce(c.users, '[]')) j)) ORDER BY u.user_id"
    )
    return [row for row in draft.rows(sql, criteria) if row["user_id"] not in others]


def team(draft: Draft, least: int = 2) -> Row:
    """A group that handles cases and can escalate them, with a number of members who can."""
    sql = (
        "SELECT g.* FROM user_group g WHERE g.org_id = ? AND g.active AND g.group_id IN (SELECT escalate_from"
        " FROM escalation_rule)"
        ' AND (SELECT count(*) FROM user_group_member m JOIN "user" u USING (user_id) WHERE m.group_id = g.group_id AND u.active'
        " AND u.role IN ('agent', 'manager')) >= ? ORDER BY g.group_id"
    )
    return draft.one(sql, draft.actor.scope, least)


def handlers(draft: Draft, group: int, *others: int) -> list[Row]:
    """The members of a group who can handle cases, without some."""
    sql = (
        'SELECT u.* FROM user_group_member m JOIN "user" u USING (user_id) WHERE m.group_id = ? AND u.active'
        " AND u.role IN ('agent', 'manager') ORDER BY u.user_id"
    )
    return [row for row in draft.rows(sql, group) if row["user_id"] not in others]


def handler(draft: Draft, group: int, *others: int) -> Row:
    """One of them."""
    found = handlers(draft, group, *others)
    if not found:
        raise Unfit("nobody in the group can handle the case")
    return dict(draft.pick(*found))


def new_skill(draft: Draft) -> Row:
    """A skill that nobody has yet."""
    known = {row["name"] for row in draft.rows("SELECT name FROM skill WHERE org_id = ?", draft.actor.scope)}
    return draft.add("skill", name=draft.pick(*(name for name in NEW_SKILLS if name not in known)), active=True)


# -- cases ---------------------------------------------------------------------------------------------------------


def new_case(draft: Draft, status: str, *, of: Row | None = None, assigned: Row | None = None, **values: Any) -> Row:
    """A case that has been there for some days, of a service, handled by a member of a group where one is given."""
    of = of or service(draft)
    requester = (
        values.pop("opened_for", None)
        or user(draft, "role = 'employee' AND user_id IN (SELECT user_id FROM hr_profile)")["user_id"]
    )
    first_name = draft.row("user", requester)["first_name"]
    title = titled(draft, of, first_name)
    if assigned is not None:
        group = assigned["group_id"]
        values |= {"assignment_group": group, "assigned_to": handler(draft, group, requester)["user_id"]}
    return draft.add(
        "hr_case",
        status=status,
        hr_service=of["hr_service_id"],
        opened_for=requester,
        source=draft.pick("email", "phone", "chat"),
        priority=draft.pick("high", "moderate", "low"),
        short_description=title,
        coe_type=of["coe_type"],
        **values,
    )


def titled(draft: Draft, offer: Row, first_name: str) -> str:
    """A title for a case of a service."""
    title = str(draft.pick(*TITLES)).format(offer["service_name"].lower(), first_name)
    return f"{title[0].upper()}{title[1:]}"


def told(draft: Draft, case: Row) -> str:
    """Words for a case."""
    requester = draft.row("user", case["opened_for"])
    offer = draft.row("hr_service", case["hr_service"])
    day = case["created_at"][:10]
    facts = [
        (f"opened for {person(draft, requester)}", "opened_for = ?", (requester["user_id"],)),
        (f"dated {draft.date(day)}", "substr(created_at, 1, 10) = ?", (day,)),
        (f'titled "{case["short_description"]}"', "short_description = ?", (case["short_description"],)),
        (f"about the service {offer['service_name']}", "hr_service = ?", (offer["hr_service_id"],)),
    ]
    return draft.described("hr_case", case["hr_case_id"], f"case {case['number']}", facts)


def find(draft: Draft, case: Row) -> None:
    """Look a case up as one would who knows what the request says of it."""
    if draft.conditions <= 1:
        draft.look("find_hr_case_by_number", number=case["number"])
    else:
        draft.look("list_hr_cases", opened_for=str(case["opened_for"]))


def twin(draft: Draft, case: Row, *, whole: bool = False) -> None:
    """Where a trap is wanted, add a case of the same title for somebody else, which a search for the title may find first.

    Args:
        draft: The draft.
        case: The right case.
        whole: Whether the tools take its key as an integer.
    """
    if draft.wants_trap("same_title"):
        other = user(draft, "user_id <> ? AND user_id IN (SELECT user_id FROM hr_profile)", case["opened_for"])
        copied = ("short_description", "status", "hr_service", "source", "priority", "coe_type", "request_status")
        kept = ("assignment_group", "assigned_to", "approver", "approval_criteria")
        values = {name: case[name] for name in (*copied, *kept)}
        if other["user_id"] in (values["assigned_to"], values["approver"]):
            raise Unfit("nobody handles or approves their own case")
        found = draft.add("hr_case", opened_for=other["user_id"], **values)
        kind = int if whole else str
        draft.trap("same_title", kind(case["hr_case_id"]), kind(found["hr_case_id"]))
