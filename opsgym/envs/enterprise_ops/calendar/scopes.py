"""Scopes of access rules: each is kept once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import EMAIL
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar import words


def scope_id(records: Records, kind: str, value: str | None) -> str:
    """The id of a scope, which is made where it is not there."""
    world = records.world
    found = world.execute("SELECT id FROM acl_scopes WHERE type = ? AND value IS ?", (kind, value)).fetchone()
    if found is not None:
        return str(found[0])
    number = world.execute("SELECT coalesce(max(CAST(substr(id, 7) AS INTEGER)), 0) + 1 FROM acl_scopes").fetchone()[0]
    key = f"SCOPE_{number:03d}"
    world.write("acl_scopes", "INSERT INTO acl_scopes (id, type, value) VALUES (?, ?, ?)", [(key, kind, value)], (None,))
    return key


def checked(given: Mapping[str, Any]) -> tuple[str, str | None]:
    """Type and value of a scope as a tool takes it.

    Raises:
        ToolError: ``missing_field`` or ``invalid_value``.
    """
    kind, value = given.get("type"), (given.get("value") or "").lower() or None
    if kind not in words.SCOPES:
        raise ToolError("invalid_value", f"scope.type: expected one of {', '.join(words.SCOPES)}, got {str(kind)[:40]!r}")
    if kind == "default":
        return kind, None
    if value is None:
        raise ToolError("missing_field", f"scope.value: type {kind} needs it")
    if kind in ("user", "group") and not EMAIL.fullmatch(value):
        raise ToolError("invalid_value", f"scope.value: expected an address, got {value[:60]!r}")
    return kind, value
