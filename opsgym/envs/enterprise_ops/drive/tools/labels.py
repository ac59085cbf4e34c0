"""Tools for labels on files."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive.feed import note
from opsgym.envs.enterprise_ops.drive.labelling import modify
from opsgym.envs.enterprise_ops.drive.tables.labels import FILE_LABELS, LABELS
from opsgym.envs.enterprise_ops.drive.tools.shared import TERMS, full, within
from opsgym.envs.enterprise_ops.drive.tree import file_of
from opsgym.envs.enterprise_ops.paging import page


def _named(records: Records, row: dict[str, Any]) -> dict[str, Any]:
    label = records.get(LABELS, {"id": row["label_id"]})
    return full({"key": label["key"], "name": label["name"], "type": label["type"]} | row)


@TERMS.tool("list_files_labels", "List the labels of a file", "fileId", "maxResults pageToken", maxResults=within(1, 1000))
def list_files_labels(records: Records, given: dict[str, Any]) -> Any:
    """Labels on a page."""
    file = file_of(records, given["fileId"])
    rows = [_named(records, row) for row in records.find(FILE_LABELS, {"file_id": file["id"]})]
    return page("labels", rows, given.get("pageToken"), given.get("maxResults"))


@TERMS.tool(
    "modify_files_labels",
    "Put labels on a file, change their values or take them off, all or none; a label is named by id, key or name",
    "fileId labelModifications",
    mutates=True,
)
def modify_files_labels(records: Records, given: dict[str, Any]) -> Any:
    """The labels that were changed."""
    file = file_of(records, given["fileId"])
    if not given["labelModifications"]:
        raise ToolError("missing_field", "labelModifications: expected at least one")
    with records.together():
        changed = [_named(records, modify(records, file["id"], change)) for change in given["labelModifications"]]
    note(records, file_id=file["id"], drive_id=file["drive_id"])
    return {"modifiedLabels": changed}


TOOLS = (list_files_labels, modify_files_labels)
