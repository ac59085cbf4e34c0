"""Mailbox: whose mail and settings a call acts on.  A mailbox is a tenant: what is in another one does not exist for the call."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.email.tables.people import USERS

ME = "me"
"""Stands for the mailbox of whoever is signed in."""

_EPOCH = dt.datetime(1970, 1, 1)
_DELEGATED = (
    "SELECT 1 FROM delegates d JOIN users u ON u.email = d.delegate_email"
    " WHERE d.user_id = ? AND u.id = ? AND d.verification_status = 'accepted'"
)


def opened(records: Records, name: str) -> Records:
    """The session, confined to one mailbox.

    Args:
        records: The session of whoever is signed in.
        name: Key or address of the mailbox's owner, or :data:`ME`.

    Raises:
        ToolError: ``not_found`` of the mailbox; ``not_allowed`` when the actor may not open it, in either mode.
    """
    actor = records.actor
    if name in (ME, actor.id):
        box = actor.id
    else:
        found = records.world.execute("SELECT id FROM users WHERE id = ? OR email = ?", (name, name.lower())).fetchone()
        if found is None:
            raise ToolError("not_found", f"no mailbox {name[:60]!r}", "Give 'me', the key of a user, or an e-mail address.")
        box = found[0]
        if box != actor.id and not _may_open(records, box):
            raise ToolError("not_allowed", f"EMAIL-ACCESS: role {actor.role} may not open the mailbox {name[:60]!r}.")
    if box == actor.scope:
        return records
    return Records(records.domain, records.world, replace(actor, scope=box), enforcement=records.enforcement, book=records.book)


def _may_open(records: Records, box: str) -> bool:
    if records.actor.role == "admin":
        return True
    found = records.world.execute(_DELEGATED, (box, records.actor.id)).fetchone()
    return records.actor.role == "delegate" and found is not None


def owner(box: Records) -> dict[str, Any]:
    """The user whose mailbox it is."""
    return box.get(USERS, {"id": box.actor.scope})


def milliseconds(moment: dt.datetime) -> int:
    """A time without zone, in UTC, as milliseconds since 1970."""
    return (moment - _EPOCH) // dt.timedelta(milliseconds=1)


def moment(text: str, name: str) -> int:
    """A time in milliseconds, from text.

    Raises:
        ToolError: ``invalid_value``.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise ToolError("invalid_value", f"{name}: expected milliseconds since 1970-01-01 as text, got {text[:60]!r}")
    return int(text)
