"""Tools for the feed of changes, and for channels on which they are told."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

from pydantic import Field

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Moment
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive.derived import write
from opsgym.envs.enterprise_ops.drive.feed import last_token
from opsgym.envs.enterprise_ops.drive.tables.feed import CHANGES, CHANNELS, DRIVE_CHANNELS
from opsgym.envs.enterprise_ops.drive.tables.people import DRIVES
from opsgym.envs.enterprise_ops.drive.tools.shared import TERMS, full, within
from opsgym.envs.enterprise_ops.drive.tree import file_of

Row = dict[str, Any]


def _drive_id(records: Records, given: Row) -> str | None:
    key = given.get("driveId") or given.get("teamDriveId")
    return records.get(DRIVES, {"id": key})["id"] if key else None


def _token(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 15:
        raise ToolError(
            "invalid_value", f"pageToken: expected a token of get_changes_start_page_token or a page, got {text[:60]!r}"
        )
    return int(text)


@TERMS.tool(
    "get_changes_start_page_token",
    "Get the token from which to list later changes",
    "",
    "driveId supportsAllDrives=false supportsTeamDrives teamDriveId",
)
def get_changes_start_page_token(records: Records, given: Row) -> Any:
    """The token after the last change."""
    return {"startPageToken": str(last_token(records, _drive_id(records, given)) + 1)}


@TERMS.tool(
    "list_changes",
    "List the changes from a token on, the oldest first",
    "pageToken",
    "driveId includeCorpusRemovals=false includeItemsFromAllDrives=false includeRemoved=false pageSize=100"
    " restrictToMyDrive=false spaces supportsAllDrives=false includePermissionsForView includeLabels",
    pageSize=within(1, 1000),
)
def list_changes(records: Records, given: Row) -> Any:
    """Changes on a page, with the token of the next page or, at the end, of later changes."""
    start, drive = _token(given["pageToken"]), _drive_id(records, given)
    conditions, bound = ["token >= ?"], [start]
    if drive is not None:
        conditions.append("drive_id = ?")
    elif given["restrictToMyDrive"] or not given["includeItemsFromAllDrives"]:
        conditions.append("drive_id IS NULL")
    if not given["includeRemoved"]:
        conditions.append("NOT removed")
    rows = records.find(CHANGES, {}, where=" AND ".join(conditions), bound=[*bound, *([drive] if drive else [])])
    shown = [full(row) for row in rows[: given["pageSize"]]]
    if len(rows) > given["pageSize"]:
        return {"changes": shown, "nextPageToken": str(rows[given["pageSize"]]["token"])}
    latest = records.world.execute("SELECT coalesce(max(token), 0) FROM changes").fetchone()[0]
    return {"changes": shown, "newStartPageToken": str(max(latest, start - 1) + 1)}


def _expiration(records: Records, given: Row) -> str:
    """When a channel ends: as given, or in a day."""
    value = given.get("expiration")
    if value in (None, ""):
        return (records.world.now + dt.timedelta(days=1)).isoformat(" ")
    text = str(value)
    try:
        if text.isascii() and text.isdecimal():
            return (dt.datetime(1970, 1, 1) + dt.timedelta(milliseconds=int(text))).replace(microsecond=0).isoformat(" ")
        moment = Moment.canonical(text)
    except (ValueError, OverflowError):
        raise ToolError(
            "invalid_value", f"expiration: expected milliseconds since 1970 or a time in ISO 8601, got {text[:40]!r}"
        ) from None
    return moment


def _channel(records: Records, given: Row) -> Row:
    """What every channel has; its id is new, and it ends later than now."""
    if given["type"] not in ("web_hook", "webhook"):
        raise ToolError("invalid_value", f"type: expected web_hook, got {given['type'][:40]!r}")
    for table in (CHANNELS, DRIVE_CHANNELS):
        if records.find(table, {"id": given["id"]}):
            raise ToolError("bad_state", f"id: there is a channel {given['id'][:60]!r} already")
    end = _expiration(records, given)
    if end <= records.now:
        raise ToolError("invalid_value", f"expiration: expected a time after {records.now}, got {end}")
    kept = {name: given[name] for name in ("id", "address", "type", "token", "params") if name in given}
    return kept | {"expiration": end}


@TERMS.tool(
    "watch_changes",
    "Set up a channel on which changes from a token on are told",
    "pageToken id address",
    "driveId includeCorpusRemovals=false includeItemsFromAllDrives=true includePermissionsForView includeRemoved=true"
    " restrictToMyDrive=false spaces=drive supportsAllDrives=true type=web_hook token expiration params payload=true"
    " resourceUri resourceId",
    mutates=True,
    expiration=Annotated[int, Field(ge=0)],
)
def watch_changes(records: Records, given: Row) -> Any:
    """The channel."""
    _token(given["pageToken"])
    drive = _drive_id(records, given)
    values = _channel(records, given)
    values["resource_id"] = given.get("resourceId") or drive or "changes"
    values["resource_uri"] = given.get("resourceUri") or f"https://drive.example/changes?pageToken={given['pageToken']}"
    return full(records.create(DRIVE_CHANNELS, values))


@TERMS.tool(
    "watch_files",
    "Set up a channel on which changes of a file are told",
    "fileId id address resourceId resourceUri",
    "supportsAllDrives=false acknowledgeAbuse=false includePermissionsForView includeLabels token expiration payload=false"
    " type=web_hook params kind=api#channel",
    mutates=True,
)
def watch_files(records: Records, given: Row) -> Any:
    """The channel."""
    file = file_of(records, given["fileId"])
    named = {"resource_id": given["resourceId"], "resource_uri": given["resourceUri"], "payload": given["payload"]}
    row = records.create(CHANNELS, _channel(records, given) | named)
    write(
        records,
        "subscriptions",
        "INSERT INTO subscriptions (id, channel_id, resource_type, resource_id, callback_url, created_time, expires_time, active)"
        " SELECT printf('SUB_%03d', count(*) + 1), ?, 'file', ?, ?, ?, ?, 1 FROM subscriptions",
        row["id"],
        file["id"],
        row["address"],
        records.now,
        row["expiration"],
    )
    return full(row)


@TERMS.tool("stop_channels", "Stop a channel", "id resourceId", "token", mutates=True)
def stop_channels(records: Records, given: Row) -> Any:
    """The channel that was stopped."""
    equal = {"id": given["id"], "resource_id": given["resourceId"]}
    if records.find(DRIVE_CHANNELS, equal):
        return {"stopped": full(records.delete(DRIVE_CHANNELS, equal)[0])}
    row = records.get(CHANNELS, equal)
    if not row["active"]:
        raise ToolError("bad_state", f"channel {row['id']} was stopped already")
    stopped = records.update(CHANNELS, {"id": row["id"]}, {"active": False})
    write(records, "subscriptions", "UPDATE subscriptions SET active = 0 WHERE channel_id = ?", row["id"])
    return {"stopped": full(stopped)}


TOOLS = (get_changes_start_page_token, list_changes, watch_changes, watch_files, stop_channels)
