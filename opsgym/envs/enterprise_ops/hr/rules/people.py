"""Users, groups, skills and profiles: joining, changing and leaving."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.hr.rules.shared import CLOSED, ME, changed
from opsgym.envs.enterprise_ops.hr.tables.profiles import PROFILE

_LEAVES = "old.active AND NOT new.active"
_ENDED = f"old.employment_end_date IS NOT NULL AND {changed(PROFILE, ())}"
_SELF = f"new.user_id = {ME} AND (new.role <> old.role OR new.active < old.active)"
_YOUNG = "new.employment_start_date < date(new.dob, '+16 years')"
_LEAVING = "leaving"

RULES = (
    Rule(
        "HR-USER-SELF",
        "Nobody changes their own role or deactivates themselves.",
        "user",
        _SELF,
        _SELF,
        on=("update",),
    ),
    Rule(
        "HR-GROUP-JOIN",
        "Only active users become members, and only of active groups.",
        "user_group_member",
        "NOT EXISTS (SELECT 1 FROM user u, user_group g WHERE u.user_id = new.user_id AND u.active"
        " AND g.group_id = new.group_id AND g.active)",
        on=("create",),
    ),
    Rule(
        "HR-GROUP-RESTRICTED",
        "A group that active criteria name is restricted: only agents and managers are its members.",
        "user_group_member",
        "EXISTS (SELECT 1 FROM hr_criteria c WHERE c.user_group = new.group_id AND c.active)"
        " AND EXISTS (SELECT 1 FROM user u WHERE u.user_id = new.user_id AND u.role NOT IN ('agent', 'manager'))",
    ),
    Rule(
        "HR-GROUP-OFF",
        "A group is not deactivated while open cases or tasks are assigned to it.",
        "user_group",
        "old.active AND NOT new.active AND (EXISTS (SELECT 1 FROM hr_case c WHERE c.assignment_group = new.group_id"
        f" AND c.status NOT IN {CLOSED}) OR EXISTS (SELECT 1 FROM hr_case_task t WHERE t.assignment_group = new.group_id"
        f" AND t.status NOT IN {CLOSED}))",
        on=("update",),
    ),
    Rule(
        "HR-SKILL-GIVE",
        "Only active skills are given, and only to active agents and managers.",
        "user_skill",
        "NOT EXISTS (SELECT 1 FROM skill s, user u WHERE s.skill_id = new.skill AND s.active"
        " AND u.user_id = new.user AND u.active AND u.role IN ('agent', 'manager'))",
        on=("create",),
    ),
    Rule(
        "HR-PROFILE-USER",
        "A profile is created only for an active user.",
        "hr_profile",
        "NOT EXISTS (SELECT 1 FROM user u WHERE u.user_id = new.user_id AND u.active)",
        on=("create",),
    ),
    Rule(
        "HR-PROFILE-MANAGER",
        "The manager of somebody who is employed is another active user, whose role is manager or admin.",
        "hr_profile",
        "new.manager IS NOT NULL AND new.manager IS NOT old.manager AND new.employment_end_date IS NULL"
        " AND (new.manager = new.user_id OR NOT EXISTS (SELECT 1 FROM user u WHERE u.user_id = new.manager AND u.active"
        " AND u.role IN ('manager', 'admin')))",
    ),
    Rule(
        "HR-PROFILE-AGE",
        "Nobody is employed before the age of 16.",
        "hr_profile",
        _YOUNG,
        _YOUNG,
    ),
    Rule(
        "HR-PROFILE-PII",
        "Only an admin changes more of a profile than position, type, location type, manager and start date.",
        "hr_profile",
        ":role <> 'admin' AND " + changed(PROFILE, ("position", "type", "location_type", "manager", "employment_start_date")),
        on=("update",),
    ),
    Rule(
        "HR-PROFILE-ENDED",
        "The profile of an employment that has an end is not changed.",
        "hr_profile",
        _ENDED,
        _ENDED,
        on=("update",),
    ),
    Rule(
        "HR-PROFILE-PAST",
        "No employment is ended before today.",
        "hr_profile",
        "new.employment_end_date IS NOT old.employment_end_date AND new.employment_end_date < date(:start)",
    ),
    Rule(
        "HR-LEAVE-REPORTS",
        "When an employment ends, nobody who stays has that person as manager.",
        "hr_profile",
        None,
        end="old.employment_end_date IS NULL AND new.employment_end_date IS NOT NULL AND EXISTS (SELECT 1 FROM hr_profile p"
        " WHERE p.manager = new.user_id AND p.employment_end_date IS NULL)",
        on=("update",),
        section=_LEAVING,
    ),
    Rule(
        "HR-LEAVE-USER",
        "When an employment ends today, the user is deactivated.",
        "hr_profile",
        None,
        end="old.employment_end_date IS NULL AND new.employment_end_date <= date(:now)"
        " AND EXISTS (SELECT 1 FROM user u WHERE u.user_id = new.user_id AND u.active)",
        on=("update",),
        section=_LEAVING,
    ),
    Rule(
        "HR-LEAVE-PROFILE",
        "A user who has a profile is deactivated only when the employment has an end.",
        "user",
        None,
        end=f"{_LEAVES} AND EXISTS (SELECT 1 FROM hr_profile p WHERE p.user_id = new.user_id AND p.employment_end_date IS NULL)",
        on=("update",),
        section=_LEAVING,
    ),
    Rule(
        "HR-LEAVE-GROUPS",
        "A user who is deactivated is a member of no group.",
        "user",
        None,
        end=f"{_LEAVES} AND EXISTS (SELECT 1 FROM user_group_member m WHERE m.user_id = new.user_id)",
        on=("update",),
        section=_LEAVING,
    ),
    Rule(
        "HR-LEAVE-WORK",
        "A user to whom open cases or tasks are assigned is not deactivated.",
        "user",
        f"{_LEAVES} AND (EXISTS (SELECT 1 FROM hr_case c WHERE c.assigned_to = new.user_id AND c.status NOT IN {CLOSED})"
        f" OR EXISTS (SELECT 1 FROM hr_case_task t WHERE t.assigned_to = new.user_id AND t.status NOT IN {CLOSED}))",
        on=("update",),
        section=_LEAVING,
    ),
)
