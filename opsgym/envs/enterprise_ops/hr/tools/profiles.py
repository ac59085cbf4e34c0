"""Tools for profiles of employees, onboarding and offboarding, and for skills."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared, fields
from opsgym.core.records.tools import creating, getting, listing, removing, updating
from opsgym.envs.enterprise_ops.hr.tables.profiles import PROFILE, SKILL, USER_SKILL
from opsgym.envs.enterprise_ops.hr.tools.shared import CREATED, Search, texts

_WHO = "hr_profile_id number personal_email user_id"
_PERSON = "gender marital_status type dob nationality employment_start_date employment_end_date manager location_type"
_IDS = texts("hr_profile_id user_id manager user_skill_id skill user skill_id")
_ONE = fields(PROFILE, _WHO, required=False, searching=True, kinds=_IDS)
_MANY = fields(
    PROFILE,
    f"hr_profile_id number user_id personal_email {_PERSON} national_tax_id position",
    required=False,
    searching=True,
    kinds=_IDS,
)


def _offboard(records: Records, given: dict[str, Any]) -> Any:
    """End one employment today."""
    if not given:
        raise ToolError("missing_field", f"expected one of {_WHO.replace(' ', ', ')}")
    return _ended(records, records.get(PROFILE, _ONE.values(given)))


def _offboard_all(records: Records, given: dict[str, Any]) -> Any:
    """End the employments that match and have no end yet, all or none."""
    if not given:
        raise ToolError("missing_field", "expected at least one filter", "Without one, everybody would be offboarded.")
    after, before = given.get("created_after"), given.get("created_before")
    rows = records.find(PROFILE, _MANY.values(given), after=after, before=before)
    found = [row for row in rows if row["employment_end_date"] is None]
    if not found:
        raise ToolError("not_found", "no hr profile matches that is not offboarded yet")
    with records.together():
        return [_ended(records, row) for row in found]


def _ended(records: Records, row: dict[str, Any]) -> dict[str, Any]:
    if row["employment_end_date"] is not None:
        raise ToolError("bad_state", f"hr profile {row['number']} is offboarded already")
    today = records.world.today.isoformat()
    return records.update(PROFILE, {"hr_profile_id": row["hr_profile_id"]}, {"employment_end_date": today})


_BY_MAIL = "SELECT hr_profile_id FROM hr_profile WHERE org_id = ? AND lower(personal_email) = lower(?)"


def _by_personal_email(records: Records, given: dict[str, Any]) -> Any:
    """The profile of an address, which may be masked in what is read."""
    found = records.world.execute(_BY_MAIL, (records.actor.scope, given["personal_email"])).fetchone()
    if found is None:
        raise ToolError("not_found", "no hr profile with this personal email")
    return records.get(PROFILE, {"hr_profile_id": found[0]})


TOOLS = (
    creating(
        "onboard_new_hr_profile",
        "Create the profile of a user",
        PROFILE,
        "user_id personal_email national_tax_id",
        f"{_PERSON} position",
        kinds=_IDS,
    ),
    updating(
        "update_hr_profile",
        "Change a profile, told by its key, its number, the personal email or the user",
        PROFILE,
        _WHO,
        f"{_PERSON} position national_tax_id",
        either=True,
        kinds=_IDS,
    ),
    declared("offboard_hr_profile", "End one employment today, told by profile or user", _ONE.arguments, _offboard, mutates=True),
    declared(
        "offboard_hr_profiles",
        "End today all employments that match every argument given; those that have ended stay as they are",
        (*_MANY.arguments, *CREATED),
        _offboard_all,
        mutates=True,
    ),
    getting("get_hr_profile_by_id", "Read a profile by key", PROFILE, "hr_profile_id", kinds=_IDS),
    declared(
        "get_hr_profile_by_personal_email",
        "Read a profile by personal email address, whatever its case",
        (Argument("personal_email", str, "The address."),),
        _by_personal_email,
    ),
    getting("get_users_hr_profile", "Read the profile of a user", PROFILE, "user_id", kinds=_IDS),
    getting("fetch_hr_profile_by_number", "Read a profile by number", PROFILE, "number"),
    listing(
        "fetch_hr_profiles",
        "List profiles; all arguments given must match",
        PROFILE,
        f"{_PERSON} national_tax_id position",
        kinds=_IDS,
    ),
    creating("add_new_skill", "Create a skill", SKILL, "name", "active", defaults={"active": True}),
    updating("update_skill", "Change a skill", SKILL, "skill_id", "name active", kinds=_IDS),
    Search(SKILL, "skill_id name active", kinds=_IDS, is_dated=True).tool(
        "list_skills", "List skills; all arguments given must match"
    ),
    creating("add_new_skill_to_user", "Give a user a skill", USER_SKILL, "skill user", kinds=_IDS),
    Search(USER_SKILL, "user_skill_id skill user", kinds=_IDS, is_dated=True).tool(
        "list_user_skills", "List who has which skill; all arguments given must match"
    ),
    removing("remove_user_skills", "Take a skill from a user", USER_SKILL, need="user_skill_id", kinds=_IDS),
)
