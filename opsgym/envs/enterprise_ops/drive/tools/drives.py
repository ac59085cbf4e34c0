"""Tools for shared drives, and their deprecated twins."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive import query
from opsgym.envs.enterprise_ops.drive.derived import write
from opsgym.envs.enterprise_ops.drive.feed import note
from opsgym.envs.enterprise_ops.drive.tables.files import FILES
from opsgym.envs.enterprise_ops.drive.tables.people import DRIVES
from opsgym.envs.enterprise_ops.drive.tables.sharing import PERMISSIONS
from opsgym.envs.enterprise_ops.drive.tools.shared import TERMS, full, within
from opsgym.envs.enterprise_ops.drive.tree import purge
from opsgym.envs.enterprise_ops.paging import page

Row = dict[str, Any]

_COLUMNS = {
    "name": "name",
    "colorRgb": "color_rgb",
    "color_rgb": "color_rgb",
    "themeId": "theme_id",
    "theme_id": "theme_id",
    "hidden": "hidden",
    "backgroundImageLink": "background_image_link",
    "adminManagedRestrictions": "admin_managed_restrictions",
    "copyRequiresWriterPermission": "copy_requires_writer_permission",
    "domainUsersOnly": "domain_users_only",
    "driveMembersOnly": "drive_members_only",
    "sharingFoldersRequiresOrganizerPermission": "sharing_folders_requires_organizer_permission",
    "downloadRestrictedForReaders": "download_restricted_for_readers",
    "downloadRestrictedForWriters": "download_restricted_for_writers",
}
"""Columns by argument."""


def _values(given: Row) -> Row:
    flat = given | given.get("restrictions", {})
    for name in ("backgroundImageFile", "background_image_file"):
        if given.get(name, {}).get("id"):
            flat["backgroundImageLink"] = f"https://drive.example/images/{given[name]['id']}"
    return {column: flat[name] for name, column in _COLUMNS.items() if name in flat}


def _create(records: Records, given: Row) -> Row:
    """A shared drive whose organizer is the actor; a request id that is known creates nothing."""
    key = f"request:{given['requestId']}"
    again = records.find(DRIVES, {"org_unit_id": key})
    if again:
        return full(again[0])
    row = records.create(DRIVES, _values(given) | {"org_unit_id": key})
    email = records.world.execute("SELECT email FROM users WHERE id = ?", (records.actor.id,)).fetchone()
    _found(records, row["id"], email[0])
    return full(row)


def _found(records: Records, drive_id: str, email: str) -> None:
    """Make the actor the organizer of a new shared drive."""
    first = {"drive_id": drive_id, "role": "organizer", "type": "user", "user_id": records.actor.id, "email_address": email}
    row = records.create(PERMISSIONS, first)
    write(
        records,
        "drive_memberships",
        "INSERT INTO drive_memberships (id, drive_id, type, user_id, role, created_time)"
        " VALUES (?, ?, 'user', ?, 'organizer', ?)",
        row["id"],
        drive_id,
        records.actor.id,
        records.now,
    )
    note(records, drive_id=drive_id)


def _update(records: Records, key: str, given: Row) -> Row:
    """Change what was given."""
    old = records.get(DRIVES, {"id": key})
    values = {name: value for name, value in _values(given).items() if value != old[name]}
    row = records.update(DRIVES, {"id": key}, values)
    note(records, drive_id=key)
    return full(row)


def _delete(records: Records, key: str, *, with_items: bool) -> Row:
    """Delete a shared drive; its trash goes with it, and what else lies in it only if that is asked for."""
    drive = records.get(DRIVES, {"id": key})
    left = records.find(FILES, {"drive_id": key, "trashed": False})
    if left and not with_items:
        raise ToolError("bad_state", f"{len(left)} files lie in shared drive {key}", "Move or trash them first.")
    with records.world.savepoint():
        records.world.execute("PRAGMA defer_foreign_keys = ON")
        records.delete(DRIVES, {"id": key})
        for file in records.find(FILES, {"drive_id": key}, where="parent_id IS NULL"):
            purge(records, file)
        for table in ("permissions", "drive_memberships"):
            write(records, table, f"DELETE FROM {table} WHERE drive_id = ?", key)
        note(records, drive_id=key, removed=True)
    return {"deleted": full(drive)}


def _list(records: Records, given: Row) -> Any:
    where, bound = query.DRIVES.compile(given.get("q", ""), {})
    rows = [full(row) for row in records.find(DRIVES, {}, where=where, bound=bound)]
    return page("drives", rows, given.get("pageToken"), given["pageSize"])


@TERMS.tool(
    "create_drive",
    "Create a shared drive; you are its organizer",
    "requestId name",
    "colorRgb themeId hidden=false",
    mutates=True,
)
def create_drive(records: Records, given: Row) -> Any:
    """The shared drive."""
    return _create(records, given)


@TERMS.tool("get_drive", "Read a shared drive", "driveId", "useDomainAdminAccess")
def get_drive(records: Records, given: Row) -> Any:
    """One shared drive."""
    return full(records.get(DRIVES, {"id": given["driveId"]}))


@TERMS.tool(
    "list_drives",
    "List shared drives, of those that meet a query such as name contains 'Sales' and hidden = false",
    "",
    "pageSize=100 pageToken q useDomainAdminAccess=false",
    pageSize=within(1, 100),
)
def list_drives(records: Records, given: Row) -> Any:
    """Shared drives on a page."""
    return _list(records, given)


@TERMS.tool(
    "update_drives",
    "Change a shared drive; flags that are not given become false",
    "driveId",
    "name colorRgb themeId backgroundImageFile hidden=false restrictions sharingFoldersRequiresOrganizerPermission=false"
    " downloadRestrictedForReaders=false downloadRestrictedForWriters=false useDomainAdminAccess=false",
    mutates=True,
)
def update_drives(records: Records, given: Row) -> Any:
    """The shared drive after the change."""
    return _update(records, given["driveId"], given)


@TERMS.tool("hide_drives", "Hide a shared drive from the default view", "driveId", mutates=True)
def hide_drives(records: Records, given: Row) -> Any:
    """The shared drive after the change."""
    return _update(records, given["driveId"], {"hidden": True})


@TERMS.tool("unhide_drives", "Show a shared drive in the default view again", "driveId", mutates=True)
def unhide_drives(records: Records, given: Row) -> Any:
    """The shared drive after the change."""
    return _update(records, given["driveId"], {"hidden": False})


@TERMS.tool(
    "delete_drive",
    "Delete a shared drive for good; what lies in it goes only with allowItemDeletion",
    "driveId",
    "useDomainAdminAccess=false allowItemDeletion=false",
    mutates=True,
)
def delete_drive(records: Records, given: Row) -> Any:
    """The shared drive that is gone."""
    return _delete(records, given["driveId"], with_items=given["allowItemDeletion"])


@TERMS.tool(
    "create_teamdrives",
    "Deprecated: create a shared drive",
    "requestId name",
    "colorRgb themeId backgroundImageLink hidden",
    mutates=True,
)
def create_teamdrives(records: Records, given: Row) -> Any:
    """The shared drive."""
    return _create(records, given)


@TERMS.tool("get_teamdrives", "Deprecated: read a shared drive", "teamDriveId")
def get_teamdrives(records: Records, given: Row) -> Any:
    """One shared drive."""
    return full(records.get(DRIVES, {"id": given["teamDriveId"]}))


@TERMS.tool("list_teamdrives", "Deprecated: list shared drives", "", "pageSize=10 pageToken q")
def list_teamdrives(records: Records, given: Row) -> Any:
    """Shared drives on a page."""
    return _list(records, given)


@TERMS.tool(
    "update_teamdrive",
    "Deprecated: change a shared drive",
    "team_drive_id",
    "name color_rgb theme_id background_image_file use_domain_admin_access=false",
    mutates=True,
)
def update_teamdrive(records: Records, given: Row) -> Any:
    """The shared drive after the change."""
    return _update(records, given["team_drive_id"], given)


@TERMS.tool("delete_teamdrives", "Deprecated: delete an empty shared drive for good", "teamDriveId", mutates=True)
def delete_teamdrives(records: Records, given: Row) -> Any:
    """The shared drive that is gone."""
    return _delete(records, given["teamDriveId"], with_items=False)


TOOLS = (
    create_drive,
    get_drive,
    list_drives,
    update_drives,
    hide_drives,
    unhide_drives,
    delete_drive,
    create_teamdrives,
    get_teamdrives,
    list_teamdrives,
    update_teamdrive,
    delete_teamdrives,
)
