"""Tools for access to calendars."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar import words
from opsgym.envs.enterprise_ops.calendar.scopes import checked, scope_id
from opsgym.envs.enterprise_ops.calendar.tables.calendars import ACL_RULES
from opsgym.envs.enterprise_ops.calendar.tools.shared import TERMS, Row, calendar_of, full, since, sync_token, within
from opsgym.envs.enterprise_ops.paging import page


def _shown(records: Records, row: Row) -> Row:
    kind, value = records.world.execute("SELECT type, value FROM acl_scopes WHERE id = ?", (row["scope_id"],)).fetchone()
    return full(row) | {"scope": full({"type": kind, "value": value})}


def _rule(records: Records, given: Row) -> Row:
    """The access rule that is named, by id or as ``user:address``."""
    calendar = calendar_of(records, given["calendarId"])
    kind, _, value = given["ruleId"].partition(":")
    equal = {"id": given["ruleId"]}
    if kind in words.SCOPES:
        found = records.world.execute("SELECT id FROM acl_scopes WHERE type = ? AND value IS ?", (kind, value or None)).fetchone()
        equal = {"scope_id": found[0] if found else ""}
    return records.get(ACL_RULES, {"calendar_id": calendar["id"], "deleted": False} | equal)


def _role(given: Row) -> Row:
    if "role" not in given:
        return {}
    if given["role"] not in words.ACL_ROLES:
        raise ToolError("invalid_value", f"role: expected one of {', '.join(words.ACL_ROLES)}, got {given['role'][:40]!r}")
    return {"role": given["role"]}


@TERMS.tool(
    "list_acl_rules",
    "List who has access to a calendar",
    "calendarId",
    "maxResults=100 pageToken showDeleted=false syncToken",
    maxResults=within(1, 250),
)
def list_acl_rules(records: Records, given: Row) -> Any:
    """Access rules on a page."""
    since(given.get("syncToken"))
    equal = {"calendar_id": calendar_of(records, given["calendarId"])["id"]} | (
        {} if given["showDeleted"] else {"deleted": False}
    )
    rows = [_shown(records, row) for row in records.find(ACL_RULES, equal)]
    return page("items", rows, given.get("pageToken"), given["maxResults"]) | {"nextSyncToken": sync_token(records)}


@TERMS.tool("get_acl_rule", "Read one access rule, by its id or as user:address", "calendarId ruleId")
def get_acl_rule(records: Records, given: Row) -> Any:
    """One access rule."""
    return _shown(records, _rule(records, given))


@TERMS.tool(
    "insert_acl_rule",
    "Give access to a calendar; who has access already gets the new role",
    "calendarId scope role",
    "sendNotifications=true",
    mutates=True,
)
def insert_acl_rule(records: Records, given: Row) -> Any:
    """The access rule."""
    calendar, role = calendar_of(records, given["calendarId"]), _role(given)
    scope = scope_id(records, *checked(given["scope"]))
    there = records.find(ACL_RULES, {"calendar_id": calendar["id"], "scope_id": scope})
    if there:
        return _shown(records, records.update(ACL_RULES, {"id": there[0]["id"]}, role | {"deleted": False}))
    return _shown(records, records.create(ACL_RULES, {"calendar_id": calendar["id"], "scope_id": scope} | role))


def _update(records: Records, given: Row) -> Row:
    rule, values = _rule(records, given), _role(given)
    if "scope" in given:
        values["scope_id"] = scope_id(records, *checked(given["scope"]))
    return _shown(records, records.update(ACL_RULES, {"id": rule["id"]}, values))


@TERMS.tool("update_acl_rule", "Replace an access rule", "calendarId ruleId scope", "role sendNotifications=true", mutates=True)
def update_acl_rule(records: Records, given: Row) -> Any:
    """The access rule after the change."""
    return _update(records, given)


@TERMS.tool(
    "patch_acl_rule",
    "Change what is given of an access rule",
    "calendarId ruleId",
    "scope role sendNotifications=true",
    mutates=True,
)
def patch_acl_rule(records: Records, given: Row) -> Any:
    """The access rule after the change."""
    return _update(records, given)


@TERMS.tool("delete_acl_rule", "Take access to a calendar away", "calendarId ruleId", mutates=True)
def delete_acl_rule(records: Records, given: Row) -> Any:
    """The access rule, which stays as a deleted one."""
    row = records.update(ACL_RULES, {"id": _rule(records, given)["id"]}, {"deleted": True})
    return {"deleted": _shown(records, row)}


TOOLS = (list_acl_rules, get_acl_rule, insert_acl_rule, update_acl_rule, patch_acl_rule, delete_acl_rule)
