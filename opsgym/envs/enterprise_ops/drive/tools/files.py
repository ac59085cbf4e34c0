"""Tools for files and folders."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive import query, words
from opsgym.envs.enterprise_ops.drive.derived import write
from opsgym.envs.enterprise_ops.drive.feed import note
from opsgym.envs.enterprise_ops.drive.labelling import take_over
from opsgym.envs.enterprise_ops.drive.tables.files import FILES, REVISIONS
from opsgym.envs.enterprise_ops.drive.tables.system import POOL
from opsgym.envs.enterprise_ops.drive.tools.shared import PUBLISHED, TERMS, shown_file, within
from opsgym.envs.enterprise_ops.drive.tools.sharing import grant
from opsgym.envs.enterprise_ops.drive.tree import edited, file_of, folder_of, hang, move, own, purge, root_of, trash
from opsgym.envs.enterprise_ops.paging import page

_IN_PROPERTIES = ("description", "folderColorRgb", "contentRestrictions", "copyRequiresWriterPermission", "downloadRestrictions")
"""Arguments that have no column of their own."""

_ORDER = {
    "name": "name",
    "name_natural": "name",
    "createdTime": "created_time",
    "modifiedTime": "modified_time",
    "viewedByMeTime": "viewed_by_me_time",
    "quotaBytesUsed": "size_bytes",
    "starred": "starred",
    "folder": "mime_type",
}
_CREATING = (
    "ignoreDefaultVisibility=false keepRevisionForever=false ocrLanguage supportsAllDrives uploadType=media"
    " useContentAsIndexableText includePermissionsForView includeLabels parents permissions properties appProperties"
    " permissionIds contentRestrictions copyRequiresWriterPermission contentHints writersCanShare folderColorRgb description"
    " starred trashed createdTime modifiedTime originalFilename shortcutDetails inheritedPermissionsDisabled"
    " downloadRestrictions"
)


def _create(records: Records, values: dict[str, Any], *, keep: bool = False) -> dict[str, Any]:
    """Create a file with its place, its owner and its first revision."""
    parent_id, drive_id = folder_of(records, values.pop("parents", None))
    place = {"parent_id": parent_id or "", "drive_id": drive_id or "", "parent_ids": [parent_id or drive_id]}
    source = values.pop("source_revision", {})
    row = records.create(FILES, {**_named(values["name"], values["mime_type"]), **place, **values})
    hang(records, row["id"], parent_id)
    if drive_id is None:
        own(records, row["id"])
    if values["mime_type"] not in (words.FOLDER, words.SHORTCUT):
        revision = records.create(
            REVISIONS,
            {"file_id": row["id"], "revision_number": 1, "mime_type": values["mime_type"], "keep_forever": keep} | source,
        )
        row = _headed(records, row, revision["id"])
    note(records, file_id=row["id"], drive_id=drive_id)
    return row


def _headed(records: Records, row: dict[str, Any], revision_id: str) -> dict[str, Any]:
    """Note the latest revision of a new file."""
    sql = "UPDATE files SET head_revision_id = ? WHERE id = ?"
    write(records, "files", sql, revision_id, row["id"], key=(row["id"],))
    return row | {"head_revision_id": revision_id}


def _named(name: str, mime_type: str) -> dict[str, Any]:
    _, dot, extension = name.rpartition(".")
    has_one = bool(dot) and not mime_type.startswith("application/vnd.google-apps")
    return {"original_filename": name, **({"file_extension": extension, "full_file_extension": extension} if has_one else {})}


def _properties(given: dict[str, Any], old: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """Properties after what is given; ``None`` when nothing is."""
    named = {**given.get("properties", {}), **given.get("appProperties", {})}
    named |= {name: given[name] for name in _IN_PROPERTIES if name in given}
    if not named:
        return None
    return {name: value for name, value in ((old or {}) | named).items() if value not in (None, "")}


@TERMS.tool(
    "list_files",
    "List files and folders, of those that you see, by a query; what is in the trash is given unless the query or trashed says"
    " otherwise",
    "",
    "corpora driveId includeItemsFromAllDrives orderBy pageSize pageToken q spaces supportsAllDrives trashed",
    pageSize=within(1, 1000),
)
def list_files(records: Records, given: dict[str, Any]) -> Any:
    """Files that meet every condition, in order."""
    where, bound = query.FILES.compile(given.get("q", ""), _aliases(records))
    equal: dict[str, Any] = {name: given[key] for key, name in (("driveId", "drive_id"), ("trashed", "trashed")) if key in given}
    if given.get("includeItemsFromAllDrives") is False and "driveId" not in given:
        where = f"({where}) AND drive_id IS NULL"
    rows = records.find(FILES, equal, where=where, bound=bound)
    for key, reverse in reversed(_keys(given.get("orderBy", ""))):
        rows.sort(key=lambda row: _sortable(row, key), reverse=reverse)
    found = page("files", rows, given.get("pageToken"), given.get("pageSize"))
    return found | {"files": [shown_file(records, row) for row in found["files"]]}


def _aliases(records: Records) -> dict[str, str]:
    """What ``me`` and ``root`` stand for in queries."""
    email = records.world.execute("SELECT email FROM users WHERE id = ?", (records.actor.id,)).fetchone()
    try:
        root = root_of(records)
    except ToolError:
        root = "root"
    return {"me": email[0] if email else "me", "root": root}


def _keys(text: str) -> list[tuple[str, bool]]:
    keys = []
    for part in filter(None, (item.strip() for item in text.split(","))):
        name, _, way = part.partition(" ")
        if name not in _ORDER or way.strip() not in ("", "desc", "asc"):
            raise ToolError(
                "invalid_value", f"orderBy: expected keys of {', '.join(_ORDER)}, each with desc or not, got {part[:40]!r}"
            )
        keys.append((name, way.strip() == "desc"))
    return keys


def _sortable(row: dict[str, Any], key: str) -> Any:
    value = row[_ORDER[key]]
    if key == "folder":
        return value != words.FOLDER
    return (value is not None, value if value is not None else 0)


@TERMS.tool(
    "get_files",
    "Read what is known of a file or folder",
    "fileId",
    "acknowledgeAbuse supportsAllDrives includePermissionsForView includeLabels alt",
)
def get_files(records: Records, given: dict[str, Any]) -> Any:
    """One file."""
    return shown_file(records, file_of(records, given["fileId"]))


@TERMS.tool(
    "create_file",
    "Create a file or, with MIME type application/vnd.google-apps.folder, a folder; by default at the top of your own files",
    "mimeType name",
    _CREATING,
    mutates=True,
)
def create_file(records: Records, given: dict[str, Any]) -> Any:
    """A new file without content."""
    values: dict[str, Any] = {"name": given["name"], "mime_type": given["mimeType"]}
    values |= {
        name: given[key]
        for key, name in (
            ("parents", "parents"),
            ("starred", "starred"),
            ("writersCanShare", "writers_can_share"),
            ("createdTime", "created_time"),
            ("modifiedTime", "modified_time"),
            ("originalFilename", "original_filename"),
        )
        if key in given
    }
    if (properties := _properties(given)) is not None:
        values["properties"] = properties
    values |= _shortcut(records, given)
    row = _create(records, values, keep=given["keepRevisionForever"])
    for wanted in given.get("permissions", ()):
        grant(records, {"fileId": row["id"]} | wanted)
    if given.get("trashed"):
        row = trash(records, row, True)
    return shown_file(records, row)


def _shortcut(records: Records, given: dict[str, Any]) -> dict[str, Any]:
    target = given.get("shortcutDetails", {}).get("targetId")
    if (given["mimeType"] == words.SHORTCUT) != (target is not None):
        raise ToolError("invalid_value", f"expected shortcutDetails.targetId with MIME type {words.SHORTCUT}, and only then")
    if target is None:
        return {}
    file = file_of(records, target)
    return {"is_shortcut": True, "shortcut_target_id": file["id"], "shortcut_target_mime": file["mime_type"]}


@TERMS.tool(
    "copy_files",
    "Copy a file; the copy is yours, lies beside it unless parents says otherwise, and bears the labels that includeLabels names",
    "fileId",
    "name parents keepRevisionForever=false ocrLanguage supportsAllDrives=false ignoreDefaultVisibility=false"
    " includePermissionsForView includeLabels mimeType starred description",
    mutates=True,
    includePermissionsForView=PUBLISHED,
)
def copy_files(records: Records, given: dict[str, Any]) -> Any:
    """A copy of the latest revision."""
    source = file_of(records, given["fileId"])
    if source["mime_type"] == words.FOLDER:
        raise ToolError("unsupported", "a folder cannot be copied", "Create a folder and copy the files into it.")
    if source["trashed"]:
        raise ToolError("bad_state", f"file {source['id']} is in the trash")
    kept = {name: source[name] for name in ("size_bytes", "md5_checksum", "sha1_checksum", "quota_bytes_used", "is_shortcut")}
    kept |= {name: source[name] for name in ("shortcut_target_id", "shortcut_target_mime")}
    properties = _properties(given, source["properties"]) or source["properties"] or {}
    head = source["head_revision_id"] and records.get(REVISIONS, {"id": source["head_revision_id"]})
    values = {
        **{name: value for name, value in kept.items() if value is not None},
        "name": given.get("name", f"Copy of {source['name']}"[:254]),
        "mime_type": given.get("mimeType", source["mime_type"]),
        "properties": properties | {"copiedFrom": source["id"]},
        "starred": given.get("starred", False),
        "parents": given.get("parents") or [source["parent_id"] or source["drive_id"] or "root"],
        "source_revision": {name: head[name] for name in ("blob_id", "size_bytes") if head[name] is not None} if head else {},
    }
    row = _create(records, values, keep=given["keepRevisionForever"])
    take_over(records, source["id"], row["id"], given.get("includeLabels", ""))
    return shown_file(records, row)


@TERMS.tool(
    "update_files",
    "Change what is known of a file, move it to another folder, or put it into the trash or take it out",
    "fileId",
    "name description mimeType starred trashed properties appProperties addParents removeParents supportsAllDrives"
    " includePermissionsForView includeLabels",
    mutates=True,
)
def update_files(records: Records, given: dict[str, Any]) -> Any:
    """Changes in the order: move, facts, trash."""
    file = file_of(records, given["fileId"])
    _check_parents(file, given)
    values = {
        name: given[key] for key, name in (("name", "name"), ("mimeType", "mime_type"), ("starred", "starred")) if key in given
    }
    if (properties := _properties(given, file["properties"])) is not None:
        values["properties"] = properties
    values = {name: value for name, value in values.items() if value != file[name]}
    moves = given.get("addParents") not in (None, "", file["parent_id"])
    trashes = given.get("trashed", file["trashed"]) != file["trashed"]
    if not (values or moves or trashes):
        raise ToolError("invalid_value", "nothing would change", "Give at least one new value.")
    if moves:
        file = move(records, file, [given["addParents"]])
    if values:
        file = records.update(FILES, {"id": file["id"]}, values | edited(file, records))
    if trashes:
        file = trash(records, file, given["trashed"])
    note(records, file_id=file["id"], drive_id=file["drive_id"])
    return shown_file(records, file)


def _check_parents(file: dict[str, Any], given: dict[str, Any]) -> None:
    """A file lies in one folder: what it leaves is where it lies, and it leaves it only for another one."""
    leaving = [item.strip() for item in given.get("removeParents", "").split(",") if item.strip()]
    if leaving and leaving != [file["parent_id"] or file["drive_id"]]:
        raise ToolError(
            "invalid_value",
            f"removeParents: expected {file['parent_id'] or file['drive_id']}, where it lies, got {leaving[0][:60]!r}",
        )
    if leaving and not given.get("addParents"):
        raise ToolError("missing_field", "addParents: a file that leaves its folder needs another one")


@TERMS.tool(
    "delete_files",
    "Remove a file for good, with all that lies in it; this cannot be undone",
    "fileId",
    mutates=True,
)
def delete_files(records: Records, given: dict[str, Any]) -> Any:
    """The ids of what is gone."""
    file = file_of(records, given["fileId"])
    if file["parent_id"] is None and file["drive_id"] is None:
        raise ToolError("bad_state", "the top folder of your own files cannot be removed")
    return {"deleted": purge(records, file)}


@TERMS.tool(
    "empty_files_trash",
    "Remove for good what is in the trash: yours, or that of a shared drive; this cannot be undone",
    "",
    "driveId",
    mutates=True,
)
def empty_files_trash(records: Records, given: dict[str, Any]) -> Any:
    """The ids of what is gone; each is noted in the log."""
    whose = {"drive_id": given["driveId"]} if "driveId" in given else {"created_by": records.actor.id}
    gone: list[str] = []
    for file in records.find(FILES, {"trashed": True, **whose}, where="drive_id IS NULL" if "driveId" not in given else "1"):
        if file["id"] not in gone:
            gone += purge(records, file)
    for key in gone:
        write(
            records,
            "trash_log",
            "INSERT INTO trash_log (id, file_id, emptied_time, actor_id)"
            " SELECT printf('TRASH_%03d', count(*) + 1), ?, ?, ? FROM trash_log",
            key,
            records.now,
            records.actor.id,
        )
    return {"deleted": gone}


@TERMS.tool(
    "generate_files_Ids",
    "Reserve ids for files to be created",
    "",
    "count=10 space=drive type=files",
    mutates=True,
)
def generate_files_ids(records: Records, given: dict[str, Any]) -> Any:
    """Reserved ids."""
    if not 1 <= given["count"] <= 1000:
        raise ToolError("invalid_value", f"count: expected 1 to 1000, got {given['count']}")
    return {"ids": [records.create(POOL, {})["id"] for _ in range(given["count"])], "space": given["space"]}


TOOLS = (
    list_files,
    get_files,
    create_file,
    copy_files,
    update_files,
    delete_files,
    empty_files_trash,
    generate_files_ids,
)
