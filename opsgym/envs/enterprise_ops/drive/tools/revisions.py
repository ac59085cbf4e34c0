"""Tools for revisions and content."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.derived import write
from opsgym.envs.enterprise_ops.drive.tables.files import REVISIONS
from opsgym.envs.enterprise_ops.drive.tools.shared import TERMS, full, within
from opsgym.envs.enterprise_ops.drive.tree import file_of
from opsgym.envs.enterprise_ops.paging import page

Row = dict[str, Any]


def _revision(records: Records, given: Row) -> Row:
    """The revision that is named, of the file that is named; ``head`` means the latest."""
    file = file_of(records, given["fileId"])
    key = given["revisionId"] if given["revisionId"] != "head" else file["head_revision_id"]
    return records.get(REVISIONS, {"file_id": file["id"], "id": key or ""})


@TERMS.tool(
    "list_revisions",
    "List the revisions of a file, the oldest first",
    "fileId",
    "pageSize=10 pageToken",
    pageSize=within(1, 1000),
)
def list_revisions(records: Records, given: Row) -> Any:
    """Revisions on a page."""
    rows = records.find(REVISIONS, {"file_id": file_of(records, given["fileId"])["id"]})
    rows.sort(key=lambda row: row["revision_number"])
    return page("revisions", [full(row) for row in rows], given.get("pageToken"), given["pageSize"])


@TERMS.tool("get_revisions", "Read one revision; head means the latest", "fileId revisionId", "acknowledgeAbuse=false")
def get_revisions(records: Records, given: Row) -> Any:
    """One revision."""
    return full(_revision(records, given))


@TERMS.tool(
    "update_revisions",
    "Keep a revision forever or no longer, or publish it or no longer",
    "fileId revisionId",
    "keepForever published publishAuto",
    mutates=True,
)
def update_revisions(records: Records, given: Row) -> Any:
    """The revision after the change."""
    row = _revision(records, given)
    names = {"keepForever": "keep_forever", "published": "published", "publishAuto": "publish_auto"}
    values = {column: given[name] for name, column in names.items() if name in given}
    if given.get("published"):
        values["published_link"] = f"https://docs.drive.example/published/{row['id']}"
    elif "published" in given:
        values["published_link"] = ""
    return full(records.update(REVISIONS, {"id": row["id"]}, values))


@TERMS.tool("delete_revisions", "Delete a revision for good; never the only one", "fileId revisionId", mutates=True)
def delete_revisions(records: Records, given: Row) -> Any:
    """The revision that is gone."""
    row = _revision(records, given)
    if len(records.find(REVISIONS, {"file_id": row["file_id"]})) == 1:
        raise ToolError("bad_state", "the only revision of a file cannot be deleted")
    if file_of(records, given["fileId"])["head_revision_id"] == row["id"]:
        raise ToolError("bad_state", f"revision {row['id']} is the latest and cannot be deleted")
    for table in ("thumbnails",):
        write(records, table, f"DELETE FROM {table} WHERE revision_id = ?", row["id"])
    return {"deleted": [full(item) for item in records.delete(REVISIONS, {"id": row["id"]})]}


@TERMS.tool(
    "download_files",
    "Download a file's content, of a revision or of the latest; gives an operation to look up",
    "fileId",
    "mimeType revisionId",
    mutates=True,
)
def download_files(records: Records, given: Row) -> Any:
    """The operation, which is done: contents are small, and only their digest is kept."""
    file = file_of(records, given["fileId"])
    if file["mime_type"] == words.FOLDER:
        raise ToolError("unsupported", "a folder has no content")
    content = full(_content(records, file, given.get("revisionId", "head")))
    kind = given.get("mimeType", file["mime_type"])
    if kind != file["mime_type"] and kind not in words.EXPORTS.get(file["mime_type"], ()):
        raise ToolError("unsupported", f"mimeType: {file['id']} cannot be had as {kind[:60]}")
    number = records.world.execute("SELECT count(*) + 1 FROM operations").fetchone()[0]
    name = f"operations/download-{number:04d}"
    response = {"file_id": file["id"], "mime_type": kind} | content
    write(
        records,
        "operations",
        "INSERT INTO operations (id, name, operation_type, status, operation_metadata, response_data, created_at, completed_at)"
        " VALUES (?, ?, 'download', 'done', json_object('file_id', ?), json_object('mime_type', ?, 'size_bytes', ?), ?, ?)",
        f"OPD_{number:04d}",
        name,
        file["id"],
        kind,
        content.get("size_bytes"),
        records.now,
        records.now,
    )
    return {"name": name, "done": True, "response": response}


@TERMS.tool("export_files", "Export a document, sheet or presentation in another form", "fileId mimeType")
def export_files(records: Records, given: Row) -> Any:
    """The form, and the digest of the content."""
    file = file_of(records, given["fileId"])
    forms = words.EXPORTS.get(file["mime_type"])
    if forms is None:
        raise ToolError("unsupported", f"{file['id']} is no document, sheet or presentation", "Use download_files.")
    if given["mimeType"] not in forms:
        raise ToolError("invalid_value", f"mimeType: expected one of {', '.join(forms)}, got {given['mimeType'][:60]!r}")
    return {"file_id": file["id"], "mime_type": given["mimeType"]} | full(_content(records, file, "head"))


def _content(records: Records, file: Row, revision: str) -> Row:
    """Size and digest of a revision's content."""
    if file["head_revision_id"] is None:
        return {"size_bytes": file["size_bytes"], "md5_checksum": file["md5_checksum"]}
    row = _revision(records, {"fileId": file["id"], "revisionId": revision})
    return {"revision_id": row["id"], "size_bytes": row["size_bytes"], "md5_checksum": row["md5_checksum"]}


TOOLS = (list_revisions, get_revisions, update_revisions, delete_revisions, download_files, export_files)
