"""The tree of files: the path table, moves without cycles, trash, and removal for good."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.derived import write
from opsgym.envs.enterprise_ops.drive.feed import note
from opsgym.envs.enterprise_ops.drive.tables.files import FILES
from opsgym.envs.enterprise_ops.drive.tables.sharing import PERMISSIONS

ROOT = "root"
"""Stands for the top folder of the actor's own files."""

_HANGS_ON = (
    "thumbnails",
    "uploads",
    "file_labels",
    "share_links",
    "access_proposals",
    "comments",
    "revisions",
    "permissions",
)
"""Tables of what goes with a file."""


def file_of(records: Records, key: str) -> dict[str, Any]:
    """The file of an id.

    Raises:
        ToolError: ``not_found``.
    """
    return records.get(FILES, {"id": root_of(records) if key == ROOT else key})


def root_of(records: Records) -> str:
    """The id of the actor's top folder.

    Raises:
        ToolError: ``not_found``: the actor has none.
    """
    row = records.world.execute(
        "SELECT id FROM files WHERE parent_id IS NULL AND drive_id IS NULL AND created_by = ? AND mime_type = ? ORDER BY rowid",
        (records.actor.id, words.FOLDER),
    ).fetchone()
    if row is None:
        raise ToolError("not_found", "you have no top folder of your own", "Name a parent.")
    return str(row[0])


def folder_of(records: Records, parents: list[str] | None) -> tuple[str | None, str | None]:
    """The folder and the shared drive that a list of parents means; by default the actor's top folder.

    A shared drive itself may be named: its top has no folder.

    Raises:
        ToolError: ``invalid_value`` for several parents or for a parent that is no folder; ``not_found``; ``bad_state`` for a
            folder in the trash.
    """
    if parents is not None and len(parents) != 1:
        raise ToolError("invalid_value", f"parents: expected one folder, got {len(parents)}", "A file lies in one folder.")
    key = parents[0] if parents else ROOT
    if records.world.execute("SELECT 1 FROM drives WHERE id = ?", (key,)).fetchone():
        return None, key
    folder = file_of(records, key)
    if folder["mime_type"] != words.FOLDER:
        raise ToolError("invalid_value", f"parents: expected a folder, got {folder['id']}, a file of type {folder['mime_type']}")
    if folder["trashed"]:
        raise ToolError("bad_state", f"parents: folder {folder['id']} is in the trash")
    return folder["id"], folder["drive_id"]


def hang(records: Records, file_id: str, parent_id: str | None) -> None:
    """Enter a new file into the path table."""
    write(records, "path_closure", "INSERT INTO path_closure VALUES (?, ?, 0)", file_id, file_id, key=(file_id, file_id))
    _attach(records, file_id, parent_id)


def move(records: Records, file: dict[str, Any], parents: list[str]) -> dict[str, Any]:
    """Move a file with all that lies in it, and return its row.

    Raises:
        ToolError: ``bad_state``: the folder is the file itself or lies in it.
    """
    parent_id, drive_id = folder_of(records, parents)
    below = [key for key, _ in descendants(records, file["id"])]
    if parent_id in (file["id"], *below):
        raise ToolError("bad_state", f"folder {parent_id} lies in {file['id']}; a folder cannot be moved into itself")
    values = {"parent_id": parent_id or "", "parent_ids": [parent_id or drive_id], "drive_id": drive_id or ""}
    moved = records.update(FILES, {"id": file["id"]}, values | edited(file, records))
    write(
        records,
        "path_closure",
        "DELETE FROM path_closure WHERE descendant_id IN (SELECT descendant_id FROM path_closure WHERE ancestor_id = ?)"
        " AND ancestor_id NOT IN (SELECT descendant_id FROM path_closure WHERE ancestor_id = ?)",
        file["id"],
        file["id"],
    )
    _attach(records, file["id"], parent_id)
    if drive_id != file["drive_id"]:
        _rehome(records, [file["id"], *below], drive_id)
    return moved


def _rehome(records: Records, keys: list[str], drive_id: str | None) -> None:
    """Files that change between shared drives and files of one's own: a shared drive owns what lies in it."""
    for key in keys:
        if records.get(FILES, {"id": key})["drive_id"] != drive_id:
            records.update(FILES, {"id": key}, {"drive_id": drive_id or ""})
        for owner in records.find(PERMISSIONS, {"file_id": key, "role": "owner"} if drive_id else {"id": ""}):
            records.update(PERMISSIONS, {"id": owner["id"]}, {"role": "writer"})
        if drive_id is None:
            own(records, key)


def own(records: Records, file_id: str) -> None:
    """Make the actor the owner of a file that has none."""
    email = records.world.execute("SELECT email FROM users WHERE id = ?", (records.actor.id,)).fetchone()
    values = {"file_id": file_id, "role": "owner", "type": "user", "user_id": records.actor.id, "email_address": email[0]}
    records.create(PERMISSIONS, values)


def edited(file: dict[str, Any], records: Records) -> dict[str, Any]:
    """What every change of a file brings with it."""
    return {"version": file["version"] + 1, "modified_by": records.actor.id}


def descendants(records: Records, file_id: str) -> list[tuple[str, int]]:
    """What lies below a file, at any depth, deepest first."""
    found: list[tuple[str, int]] = records.world.execute(
        "SELECT descendant_id, depth FROM path_closure WHERE ancestor_id = ? AND depth > 0 ORDER BY depth DESC, descendant_id",
        (file_id,),
    ).fetchall()
    return found


def trash(records: Records, file: dict[str, Any], into: bool) -> dict[str, Any]:
    """Put a file with all that lies in it into the trash, or take it out; what was trashed by itself stays there."""
    time = records.now if into else ""
    changed = {"trashed": into, "explicitly_trashed": into, "trashed_time": time} | edited(file, records)
    row = records.update(FILES, {"id": file["id"]}, changed)
    for key, _ in descendants(records, file["id"]):
        below = records.get(FILES, {"id": key})
        if below["trashed"] != into and not below["explicitly_trashed"]:
            records.update(FILES, {"id": key}, {"trashed": into, "trashed_time": time})
            note(records, file_id=key, drive_id=below["drive_id"])
    return row


def purge(records: Records, file: dict[str, Any]) -> list[str]:
    """Remove a file for good, with all that lies in it and all that hangs on it, and return the ids."""
    keys = [key for key, _ in descendants(records, file["id"])] + [file["id"]]
    with records.world.savepoint():
        records.world.execute("PRAGMA defer_foreign_keys = ON")
        for key in keys:
            records.delete(FILES, {"id": key})
        for key in keys:
            _forget(records, key)
            note(records, file_id=key, drive_id=file["drive_id"], removed=True)
    return keys


def _forget(records: Records, key: str) -> None:
    """Remove what hung on a file that is gone; shortcuts to it lead nowhere."""
    write(records, "replies", "DELETE FROM replies WHERE comment_id IN (SELECT id FROM comments WHERE file_id = ?)", key)
    for table in _HANGS_ON:
        write(records, table, f"DELETE FROM {table} WHERE file_id = ?", key)
    write(records, "path_closure", "DELETE FROM path_closure WHERE descendant_id = ?", key)
    write(records, "files", "UPDATE files SET shortcut_target_id = NULL WHERE shortcut_target_id = ?", key)


def _attach(records: Records, file_id: str, parent_id: str | None) -> None:
    """Join the tree below a file to the ancestors of its new parent."""
    write(
        records,
        "path_closure",
        "INSERT INTO path_closure SELECT up.ancestor_id, down.descendant_id, up.depth + down.depth + 1"
        " FROM path_closure up, path_closure down WHERE up.descendant_id = ? AND down.ancestor_id = ?",
        parent_id,
        file_id,
    )
