"""Labels on files: a value of the label's own type."""

from __future__ import annotations

import datetime as dt
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive.tables.labels import FILE_LABELS, LABELS

SETTERS = {
    "string": "setTextValues",
    "number": "setIntegerValues",
    "boolean": "setBooleanValues",
    "date": "setDateValues",
    "enum": "setSelectionValues",
}
"""How a value of each type is set."""

_VALUES = tuple(f"value_{kind}" for kind in SETTERS)


def label_of(records: Records, name: str) -> dict[str, Any]:
    """The label of an id, a key or a name.

    Raises:
        ToolError: ``not_found``, with the labels that there are.
    """
    found = records.find(LABELS, {}, where="? IN (id, key, name)", bound=[name.removeprefix("labels/")])
    if not found:
        known = ", ".join(f"{row['id']} ({row['name']}, {row['type']})" for row in records.find(LABELS, {})[:20])
        raise ToolError("not_found", f"labelId: no label {name[:60]!r}; there are: {known}")
    return found[0]


def modify(records: Records, file_id: str, change: dict[str, Any]) -> dict[str, Any]:
    """Put a label on a file, change its value, or take it off; returns the label as the file bears it.

    Raises:
        ToolError: ``missing_field``, ``not_found``, ``invalid_value``, ``not_allowed``.
    """
    if not change.get("labelId"):
        raise ToolError("missing_field", "labelModifications: each needs labelId")
    label = label_of(records, change["labelId"])
    there = records.find(FILE_LABELS, {"file_id": file_id, "label_id": label["id"]})
    if change.get("removeLabel"):
        return records.delete(FILE_LABELS, {"file_id": file_id, "label_id": label["id"]})[0] | {"removed": True}
    values = _values(label, change.get("fieldModifications") or [])
    if there:
        return records.update(FILE_LABELS, {"id": there[0]["id"]}, {name: values.get(name, "") for name in _VALUES})
    return records.create(FILE_LABELS, {"file_id": file_id, "label_id": label["id"]} | values)


def _values(label: dict[str, Any], changes: list[dict[str, Any]]) -> dict[str, Any]:
    """The value by column."""
    setter, unset = SETTERS[label["type"]], any(item.get("unsetValues") for item in changes)
    for item in changes:
        wrong = [name for name in item if name.startswith("set") and name != setter]
        if wrong:
            raise ToolError(
                "invalid_value", f"{wrong[0][:60]}: label {label['name']} is of type {label['type']}, expected {setter}"
            )
    given = [value for item in changes for value in _listed(item.get(setter))]
    if len(given) > 1:
        raise ToolError("invalid_value", f"{setter}: expected one value, got {len(given)}")
    if not given or unset:
        if label["required"] or (changes and not unset):
            raise ToolError("missing_field", f"label {label['name']} needs a value, by {setter}")
        return {}
    return {f"value_{label['type']}": _typed(label, given[0])}


def _listed(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _typed(label: dict[str, Any], value: Any) -> Any:
    kind, options = label["type"], label["options"] or []
    if kind == "enum" and value in options:
        return value
    if kind == "boolean" and isinstance(value, bool):
        return value
    if kind == "number" and isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if kind == "string" and isinstance(value, str) and value:
        return value
    if kind == "date" and isinstance(value, str) and _is_date(value):
        return value
    wanted = {"enum": f"one of {', '.join(options)}", "date": "YYYY-MM-DD", "boolean": "true or false"}.get(kind, f"a {kind}")
    raise ToolError("invalid_value", f"label {label['name']}: expected {wanted}, got {str(value)[:60]!r}")


def _is_date(text: str) -> bool:
    try:
        return dt.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def take_over(records: Records, source: str, copy: str, names: str) -> None:
    """Put those labels of a file that are named on its copy.

    Raises:
        ToolError: ``not_found``: there is no such label, or the file does not bear it.
    """
    for name in filter(None, (item.strip() for item in names.split(","))):
        label = label_of(records, name)
        found = records.find(FILE_LABELS, {"file_id": source, "label_id": label["id"]})
        if not found:
            raise ToolError("not_found", f"includeLabels: file {source} does not bear label {label['name']}")
        values = {column: found[0][column] for column in _VALUES if found[0][column] is not None}
        records.create(FILE_LABELS, {"file_id": copy, "label_id": label["id"]} | values)
