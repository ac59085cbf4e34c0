"""Tools that tell about the account, apps and long-running operations."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.tables.people import USERS
from opsgym.envs.enterprise_ops.drive.tables.system import APPS, OPERATIONS
from opsgym.envs.enterprise_ops.drive.tools.shared import TERMS, full

QUOTA = 15 * 2**30
"""Bytes that an account may use."""


@TERMS.tool(
    "get_about", "Tell about the account that is signed in: user, storageQuota, exportFormats, canCreateDrives", "", "fields"
)
def get_about(records: Records, given: dict[str, Any]) -> Any:
    """The parts that are asked for."""
    used = records.world.execute(
        "SELECT coalesce(sum(size_bytes), 0), coalesce(sum(size_bytes * trashed), 0) FROM files WHERE created_by = ?",
        (records.actor.id,),
    ).fetchone()
    parts: dict[str, Any] = {
        "user": full(records.get(USERS, {"id": records.actor.id})) | {"me": True},
        "storageQuota": {"limit": QUOTA, "usageInDrive": used[0], "usageInDriveTrash": used[1]},
        "exportFormats": {kind: list(forms) for kind, forms in words.EXPORTS.items()},
        "canCreateDrives": records.domain.rights.allows(records.actor.role, "drives", "create"),
    }
    wanted = [item.strip() for item in given.get("fields", "").split(",") if item.strip() not in ("", "*")]
    unknown = [name for name in wanted if name not in parts]
    if unknown:
        raise ToolError("invalid_value", f"fields: expected some of {', '.join(parts)}, got {unknown[0][:60]!r}")
    return {name: parts[name] for name in wanted or parts}


@TERMS.tool("get_app", "Read one app", "appId")
def get_app(records: Records, given: dict[str, Any]) -> Any:
    """One app."""
    return full(records.get(APPS, {"id": given["appId"]}))


@TERMS.tool("list_apps", "List installed apps", "", "appFilterExtensions appFilterMimeTypes languageCode")
def list_apps(records: Records, given: dict[str, Any]) -> Any:
    """Installed apps that open one of the kinds asked for."""
    rows = records.find(APPS, {"installed": True})
    for name, column in (("appFilterExtensions", "file_extensions"), ("appFilterMimeTypes", "mime_types")):
        wanted = {item.strip() for item in given.get(name, "").split(",") if item.strip()}
        if wanted:
            rows = [row for row in rows if wanted & {*(row[f"primary_{column}"] or ()), *(row[f"secondary_{column}"] or ())}]
    return {"items": [full(row) for row in rows]}


@TERMS.tool("get_operations", "Read the state of a long-running operation", "name")
def get_operations(records: Records, given: dict[str, Any]) -> Any:
    """One operation."""
    return full(records.get(OPERATIONS, {"name": given["name"]}))


TOOLS = (get_about, get_app, list_apps, get_operations)
