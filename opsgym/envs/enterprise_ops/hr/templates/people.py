"""Tasks of joining, moving and leaving."""

from __future__ import annotations

import datetime as dt
from typing import Any

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.rules.shared import named_by
from opsgym.envs.enterprise_ops.hr.templates.common import look_up, name_of, namesake, person, user
from opsgym.envs.enterprise_ops.template import Unfit, heed, template
from opsgym.envs.enterprise_ops.words import FIRST, LAST

_EMPLOYED = {"full-time": "full time", "part-time": "part time", "contractor": "as a contractor"}
_PLACE = {"Remote": "working from home", "Hotdesk": "at a hot desk", "Office Based": "based in the office"}
_NATION = {"US": "American", "GB": "British", "CA": "Canadian", "IN": "Indian", "DE": "German", "FR": "French"}
_OPEN = "status NOT IN ('closed_complete', 'closed_incomplete', 'cancelled')"
_IDLE = (
    f"user_id NOT IN (SELECT assigned_to FROM hr_case WHERE {_OPEN} AND assigned_to IS NOT NULL)"
    f" AND user_id NOT IN (SELECT assigned_to FROM hr_case_task WHERE {_OPEN} AND assigned_to IS NOT NULL)"
    " AND user_id IN (SELECT user_id FROM hr_profile WHERE employment_end_date IS NULL AND manager IS NOT NULL)"
)


@template(
    "hr",
    roles=("admin",),
    rules=("HR-LEAVE-USER", "HR-LEAVE-GROUPS", "HR-LEAVE-REPORTS"),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def offboard_employee(draft: Draft) -> None:
    """Offboard people today: profile, account, groups, and whom they managed."""
    leavers = _leavers(draft)
    if draft.is_infeasible:
        case = draft.one(f"SELECT * FROM hr_case WHERE org_id = ? AND {_OPEN} ORDER BY hr_case_id", draft.actor.scope)
        group = draft.one("SELECT group_id FROM user_group_member WHERE user_id = ? ORDER BY member_id", leavers[-1]["user_id"])
        held = {"assigned_to": leavers[-1]["user_id"], "assignment_group": group["group_id"]}
        draft.change("hr_case", case["hr_case_id"], **held, skills=None)
        if draft.rows(_NARROW, case["hr_case_id"]):
            raise Unfit("only some may hold the case")
    who = draft.listed([person(draft, leaver) for leaver in leavers])
    draft.ask(
        f"{who} {'leaves' if len(leavers) == 1 else 'leave'} us today: please do the offboarding.",
        f"Please offboard {who} as of today.",
        f"Today is the last day of {who}. Carry out what belongs to leaving.",
    )
    if draft.is_infeasible:
        why = f"{name_of(leavers[-1])} still has open cases (HR-LEAVE-WORK), and an admin does not reassign them."
        draft.block("policy_conflict", why=why)
    for leaver in leavers:
        look_up(draft, leaver)
        _offboard(draft, leaver)


_NARROW = (
    "SELECT 1 FROM hr_case k JOIN hr_service s ON s.hr_service_id = k.hr_service"
    " JOIN hr_criteria c ON c.hr_criteria_id = s.hr_criteria"
    " WHERE k.hr_case_id = ? AND c.active AND c.type = 'case_visibility'"
    f" AND NOT {named_by('c', 'k.assigned_to')}"
)
"""Whether a case is one of those that only some may hold (HR-CASE-VISIBLE), and its holder is none of them."""


def _leavers(draft: Draft) -> list[Row]:
    """People without open work; the first one manages somebody and is a member of a group."""
    found = [user(draft, f"role = 'agent' AND user_id IN (SELECT user_id FROM user_group_member) AND {_IDLE}")]
    for _ in range(draft.horizon - 1):
        marks = ", ".join("?" * len(found))
        found.append(user(draft, f"role <> 'admin' AND user_id NOT IN ({marks}) AND {_IDLE}", *(row["user_id"] for row in found)))
    if draft.is_infeasible and len(found) > 1:
        found.reverse()
    namesake(draft, found[0], "user_id NOT IN (SELECT assigned_to FROM hr_case WHERE assigned_to IS NOT NULL)")
    chosen = {row["user_id"] for row in found}
    bosses = {draft.value("SELECT manager FROM hr_profile WHERE user_id = ?", key) for key in chosen}
    if bosses & chosen:
        raise Unfit("a leaver manages another")
    return found


def _offboard(draft: Draft, leaver: Row) -> None:
    """All that belongs to leaving."""
    key = leaver["user_id"]
    profile = draft.look("get_users_hr_profile", user_id=str(key))
    boss = draft.row("user", profile["manager"])
    reports = draft.rows(
        "SELECT hr_profile_id FROM hr_profile WHERE manager = ? AND employment_end_date IS NULL ORDER BY hr_profile_id", key
    )
    for report in reports:
        draft.oblige(
            "HR-LEAVE-REPORTS",
            "Whoever reports to somebody who leaves gets that person's own manager.",
            "update_hr_profile",
            hr_profile_id=str(report["hr_profile_id"]),
            manager=str(boss["user_id"]),
        )
    draft.do("offboard_hr_profile", user_id=str(key))
    groups = draft.rows("SELECT group_id FROM user_group_member WHERE user_id = ? ORDER BY group_id", key)
    draft.oblige("HR-LEAVE-USER", "Deactivate the users too.", "update_user_details", user_id=str(key), active=False)
    for group in groups:
        draft.oblige(
            "HR-LEAVE-GROUPS",
            "End their memberships in groups.",
            "remove_group_membership",
            group_id=str(group["group_id"]),
            user_id=str(key),
        )


@template(
    "hr",
    roles=("admin",),
    rules=("HR-GROUP-RESTRICTED",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def onboard_employee(draft: Draft) -> None:
    """Onboard people: user, profile, a restricted group, and a skill."""
    sql = (
        "SELECT g.* FROM user_group g WHERE g.org_id = ? AND g.active AND g.group_id IN"
        " (SELECT c.user_group FROM hr_criteria c WHERE c.active) ORDER BY g.group_id"
    )
    group = draft.one(sql, draft.actor.scope)
    skill = draft.one("SELECT * FROM skill WHERE org_id = ? AND active ORDER BY skill_id", draft.actor.scope)
    boss = user(draft, "role = 'manager'")
    namesake(draft, boss)
    is_closed = draft.is_infeasible and draft.pick(True, False)
    if is_closed:
        closed = "SELECT * FROM user_group WHERE org_id = ? AND NOT active ORDER BY group_id"
        group = draft.one(closed, draft.actor.scope)
    elif draft.is_infeasible:
        boss = user(draft, "role = 'agent' AND user_id <> ?", boss["user_id"])
    people = [_newcomer(draft, place) for place in range(min(draft.horizon, 4))]
    with_skill = draft.pick(True, False)
    for newcomer in people:
        _announce(draft, newcomer, boss, group)
    if with_skill:
        draft.ask(f"Record the skill {skill['name']} for {'all of them' if len(people) > 1 else 'them'} too.")
    if is_closed:
        draft.block("policy_conflict", why=f"The group {group['name']} is not active (HR-GROUP-JOIN).")
    elif draft.is_infeasible:
        draft.block("policy_conflict", why=f"{name_of(boss)} is no manager (HR-PROFILE-MANAGER).")
    look_up(draft, boss)
    draft.look("find_group_by_name", name=group["name"])
    draft.look("list_hr_criteria", user_group=str(group["group_id"]))
    for newcomer in people:
        _onboard(draft, newcomer, boss, group, skill if with_skill else None)


def _newcomer(draft: Draft, place: int) -> dict[str, Any]:
    """Somebody who joins."""
    first, last = draft.pick(*FIRST), draft.pick(*LAST)
    count = 'SELECT count(*) FROM "user" WHERE first_name = ? AND last_name = ?'
    if draft.value(count, first, last):
        raise Unfit("the name is taken")
    host = draft.actor_email.partition("@")[2]
    number = draft.draw.randrange(1000, 10_000)
    country = draft.pick(*_NATION)
    return {
        "first_name": first,
        "last_name": last,
        "email": f"new.hire{number}.{place}@{host}",
        "personal_email": f"hire{number}.{place}@mail.example",
        "national_tax_id": f"{country}-{number}-{place}{draft.draw.randrange(100, 1000)}",
        "nationality": country,
        "position": draft.pick("HR", "IT Support", "Administration"),
        "location_type": draft.pick(*words.LOCATION_TYPES),
        "type": draft.pick(*words.EMPLOYMENTS),
        "employment_start_date": (draft.now.date() + dt.timedelta(days=draft.draw.randrange(1, 40))).isoformat(),
    }


def _announce(draft: Draft, newcomer: dict[str, Any], boss: Row, group: Row) -> None:
    name, start = f"{newcomer['first_name']} {newcomer['last_name']}", draft.date(newcomer["employment_start_date"])
    how = f"{_EMPLOYED[newcomer['type']]}, {_PLACE[newcomer['location_type']]}, position {newcomer['position']}"
    draft.ask(
        f"{name} joins us on {start} and reports to {person(draft, boss)} ({how}).",
        f"From {start} on we have a new colleague, {name}, who reports to {person(draft, boss)} ({how}).",
    )
    private = f"{_NATION[newcomer['nationality']]}, tax number {newcomer['national_tax_id']}"
    draft.ask(
        f"The addresses are {newcomer['email']} at work and {newcomer['personal_email']} in private; {private}.",
        f"For the records: {private}; mail goes to {newcomer['email']} at work and {newcomer['personal_email']} in private.",
    )
    draft.ask(
        f"Create the user and the profile, and make {newcomer['first_name']} a member of {group['name']}.",
        f"{newcomer['first_name']} needs a user, a profile and a place in the group {group['name']}.",
    )


def _onboard(draft: Draft, newcomer: dict[str, Any], boss: Row, group: Row, skill: Row | None) -> None:
    """User, profile, group and skill."""
    account = {name: newcomer[name] for name in ("first_name", "last_name", "email")}
    made = draft.do(
        "add_new_user",
        heed("HR-GROUP-RESTRICTED", "Their role is agent.", role="agent", blindly={"role": "employee"}),
        **account,
    )
    key = str(made["user_id"])
    profile = {name: value for name, value in newcomer.items() if name not in account}
    draft.do("onboard_new_hr_profile", user_id=key, manager=str(boss["user_id"]), **profile)
    draft.do("add_new_group_member", group_id=str(group["group_id"]), user_id=key)
    if skill is not None:
        draft.do("add_new_skill_to_user", skill=str(skill["skill_id"]), user=key)


TEMPLATES = (offboard_employee, onboard_employee)
