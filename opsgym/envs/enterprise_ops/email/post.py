"""Post: what happens to messages, with all that follows: threads, counts, history, the records of their content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records import numbering, statements
from opsgym.core.records.columns import Key
from opsgym.core.records.records import Records
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.email.letters import Letter, Part
from opsgym.envs.enterprise_ops.email.mailbox import milliseconds
from opsgym.envs.enterprise_ops.email.tables.labels import LABELS, MESSAGE_LABELS
from opsgym.envs.enterprise_ops.email.tables.messages import (
    ATTACHMENTS,
    DRAFTS,
    MESSAGE_HEADERS,
    MESSAGE_PART_BODIES,
    MESSAGE_PARTS,
    MESSAGES,
    THREADS,
)
from opsgym.envs.enterprise_ops.email.words import FIXED_LABELS, MAX_LABELS

Row = dict[str, Any]

_TALLY = (
    "SELECT l.label_id, count(*), count(u.message_id) FROM messages m JOIN message_labels l ON l.message_id = m.id"
    " LEFT JOIN message_labels u ON u.message_id = m.id AND u.label_id = 'UNREAD' WHERE m.thread_id = ? GROUP BY l.label_id"
)
_COUNTS = ("messages_total", "messages_unread", "threads_total", "threads_unread")
_SYSTEM_COUNTS = (
    "SELECT count(*), count(u.message_id), count(DISTINCT m.thread_id),"
    " count(DISTINCT CASE WHEN u.message_id IS NOT NULL THEN m.thread_id END)"
    " FROM message_labels l JOIN messages m ON m.id = l.message_id AND m.user_id = ?"
    " LEFT JOIN message_labels u ON u.message_id = m.id AND u.label_id = 'UNREAD' WHERE l.label_id = ?"
)


# -- identity and history ---------------------------------------------------------------------------------------


def opaque(number: int) -> str:
    """The key of the message of a number: different numbers give different keys."""
    return f"19{number * 2654435761 % (1 << 56):014x}"


def _log(box: Records, message: str, thread: str, kind: str, labels: Sequence[str]) -> int:
    """Note a change in the history of the mailbox, and return its number."""
    world, user = box.world, box.actor.scope
    number: int = world.execute("SELECT coalesce(max(id), 0) + 1 FROM history").fetchone()[0]
    listed = "[" + ",".join(f'"{label}"' for label in labels) + "]"
    world.insert(
        "history", "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)", (number, user, message, thread, kind, listed, box.now)
    )
    for table, key in (("users", user), ("threads", thread), ("messages", message)):
        world.write(table, f"UPDATE {table} SET history_id = ? WHERE id = ?", [(number, key)], ((key,),))
    return number


# -- counts -----------------------------------------------------------------------------------------------------


Tally = tuple[int, dict[str, tuple[int, int]]]
"""Messages of a thread; those that bear each label, and how many of them are unread."""


def _tally(box: Records, thread: str) -> Tally:
    conn = box.world.conn
    count = conn.execute("SELECT count(*) FROM messages WHERE thread_id = ?", (thread,)).fetchone()[0]
    return count, {label: (total, unread) for label, total, unread in conn.execute(_TALLY, (thread,)).fetchall()}


@contextmanager
def counted(box: Records, thread: str) -> Iterator[None]:
    """Keep the counts of labels and mailbox, the labels of a thread and the thread itself in line with its messages."""
    was = _tally(box, thread)
    yield
    now = _tally(box, thread)
    world = box.world
    for label in sorted({*was[1], *now[1]}):
        _count_label(box, thread, label, was[1].get(label, (0, 0)), now[1].get(label, (0, 0)))
    change = (now[0] - was[0], (now[0] > 0) - (was[0] > 0))
    if any(change):
        sql = "UPDATE users SET messages_total = messages_total + ?, threads_total = threads_total + ? WHERE id = ?"
        world.write("users", sql, [(*change, box.actor.scope)], ((box.actor.scope,),))
    if was[0] and not now[0]:
        world.write("threads", "DELETE FROM threads WHERE id = ?", [(thread,)], ((thread,),))
    elif now[0] != was[0]:
        sql = (
            "UPDATE threads SET snippet = (SELECT snippet FROM messages WHERE thread_id = threads.id"
            " ORDER BY CAST(internal_date AS INTEGER) DESC LIMIT 1) WHERE id = ?"
        )
        world.write("threads", sql, [(thread,)], ((thread,),))


def _count_label(box: Records, thread: str, label: str, was: tuple[int, int], now: tuple[int, int]) -> None:
    world = box.world
    change = [after - before for before, after in zip(was, now, strict=True)]
    change += [(after > 0) - (before > 0) for before, after in zip(was, now, strict=True)]
    if any(change):
        sets = ", ".join(f"{name} = {name} + ?" for name in _COUNTS)
        world.write("labels", f"UPDATE labels SET {sets} WHERE id = ? AND type = 'user'", [(*change, label)], ((label,),))
    if change[2]:
        verb = "INSERT INTO thread_labels VALUES (?, ?)" if change[2] > 0 else ""
        sql = verb or "DELETE FROM thread_labels WHERE thread_id = ? AND label_id = ?"
        world.write("thread_labels", sql, [(thread, label)], ((thread, label),))


def label_counts(box: Records, label: Row) -> dict[str, int]:
    """Counts of a label in the mailbox; those of system labels, which mailboxes share, are counted when they are asked for."""
    if label["type"] == "user":
        return {name: label[name] for name in _COUNTS}
    found = box.world.execute(_SYSTEM_COUNTS, (box.actor.scope, label["id"])).fetchone()
    return dict(zip(_COUNTS, found, strict=True))


# -- labels -----------------------------------------------------------------------------------------------------


def label_of(box: Records, key: str) -> Row:
    """A label that the mailbox has.

    Raises:
        ToolError: ``not_found``.
    """
    row = next(iter(box.find(LABELS, {"id": key})), None)
    if row is None or row["user_id"] not in (None, box.actor.scope):
        raise ToolError("not_found", f"no label with id {key[:60]!r}", "Labels are given by id; list_labels tells them.")
    return row


def labels_on(box: Records, message: str) -> list[str]:
    """Keys of the labels of a message, sorted."""
    sql = "SELECT label_id FROM message_labels WHERE message_id = ? ORDER BY label_id"
    return [key for (key,) in box.world.execute(sql, (message,)).fetchall()]


def checked_labels(box: Records, add: Sequence[str], remove: Sequence[str]) -> None:
    """Check what is to be put on and taken off by hand.

    Raises:
        ToolError: ``missing_field``, ``invalid_value``, ``not_found``.
    """
    if not add and not remove:
        raise ToolError("missing_field", "expected addLabelIds or removeLabelIds")
    if len(add) > MAX_LABELS or len(remove) > MAX_LABELS:
        raise ToolError("invalid_value", f"expected at most {MAX_LABELS} labels to add and {MAX_LABELS} to remove")
    for key in dict.fromkeys((*add, *remove)):
        label_of(box, key)
        if key in FIXED_LABELS:
            raise ToolError("invalid_value", f"label {key} cannot be put on or taken off by hand")
    both = sorted({*add} & {*remove})
    if both:
        raise ToolError("invalid_value", f"expected labels to add or to remove, got both for {', '.join(both)}")


def relabel(box: Records, message: Row, add: Iterable[str], remove: Iterable[str]) -> None:
    """Put labels on a message and take labels off; those that it has or has not already are left alone."""
    has = labels_on(box, message["id"])
    new = [key for key in dict.fromkeys(add) if key not in has]
    gone = [key for key in dict.fromkeys(remove) if key in has]
    with counted(box, message["thread_id"]):
        for key in new:
            box.create(MESSAGE_LABELS, {"message_id": message["id"], "label_id": key})
        for key in gone:
            box.delete(MESSAGE_LABELS, {"message_id": message["id"], "label_id": key})
    for kind, keys in (("labelRemoved", gone), ("labelAdded", new)):
        if keys:
            _log(box, message["id"], message["thread_id"], kind, keys)


# -- coming and going -------------------------------------------------------------------------------------------


def message_of(box: Records, key: str) -> Row:
    """A message of the mailbox.

    Raises:
        ToolError: ``not_found``.
    """
    return box.get(MESSAGES, {"id": key})


def stored(box: Records, letter: Letter, labels: Iterable[str], *, thread: str | None = None, date: int | None = None) -> Row:
    """Put a new message into the mailbox.

    Args:
        box: The mailbox.
        letter: Its content.
        labels: Keys of its labels, which the mailbox has.
        thread: The thread that it continues; by default a new one.
        date: Its time, in milliseconds since 1970; by default now.

    Raises:
        ToolError: ``not_found`` of the thread, and what :meth:`~opsgym.core.records.records.Records.create` raises.
    """
    number = box.world.execute("SELECT coalesce(max(id), 0) + 1 FROM history").fetchone()[0]
    key = opaque(number)
    place = thread or key
    if thread is None:
        box.create(THREADS, {"id": key})
    else:
        box.get(THREADS, {"id": thread})
    when = milliseconds(box.world.now) if date is None else date
    listed = sorted(set(labels))
    with counted(box, place):
        values = {"id": key, "thread_id": place, "snippet": letter.snippet, "internal_date": str(when)}
        message = box.create(MESSAGES, values | {"size_estimate": letter.size, "raw": letter.raw})
        fill(box, key, letter)
        for label in listed:
            box.create(MESSAGE_LABELS, {"message_id": key, "label_id": label})
    return message | {"history_id": _log(box, key, place, "messageAdded", listed)}


def fill(box: Records, message: str, letter: Letter) -> None:
    """Write the headers, parts and attachments of a message, which the actor may write."""
    _insert(box, MESSAGE_HEADERS, [{"message_id": message, "name": name, "value": value} for name, value in letter.headers])
    root = None
    if len(letter.parts) != 1 or letter.parts[0].filename:
        (root,) = _insert(box, MESSAGE_PARTS, [{"message_id": message, "mime_type": letter.mime_type}])
    leaves = [
        {
            "message_id": message,
            "part_id": str(number) if root is not None else "",
            "mime_type": part.mime_type,
            "filename": part.filename or None,
            "parent_part_id": root,
        }
        for number, part in enumerate(letter.parts)
    ]
    keys = _insert(box, MESSAGE_PARTS, leaves)
    _insert(box, MESSAGE_PART_BODIES, [_body(box, message, key, part) for key, part in zip(keys, letter.parts, strict=True)])


def _body(box: Records, message: str, key: int, part: Part) -> Row:
    """The body of a leaf; that of a file lies in an attachment."""
    file = None
    if part.filename:
        values = {"message_id": message, "mime_type": part.mime_type, "filename": part.filename}
        file = box.create(ATTACHMENTS, values | {"size": len(part.data) * 3 // 4, "data": part.data})["id"]
    return {"part_id": key, "attachment_id": file, "size": len(part.data.encode()), "data": None if file else part.data}


def _insert(box: Records, table: Table, rows: Sequence[Row]) -> list[int]:
    """Insert rows with whole keys at once, and return the keys; no rule speaks of their tables."""
    column = table.column(table.id)
    assert isinstance(column, Key)
    first = numbering.following(box.world, table, column)
    keys = [int(first) + place for place in range(len(rows))]
    empty = {item.name: item.default for item in table.columns}
    for name, value in (item for row in rows for item in row.items()):
        problem = "" if value is None or name.endswith("_id") else table.by_name[name].problem(value)
        if problem:
            raise ToolError("invalid_value", f"{name}: {problem}")
    full = [list({**empty, table.id: key, **row}.values()) for key, row in zip(keys, rows, strict=True)]
    box.world.write(table.name, statements.insert(table), full, keys)
    return keys


def emptied(box: Records, message: str) -> None:
    """Delete the headers, parts and attachments of a message."""
    for part in box.find(MESSAGE_PARTS, {"message_id": message}):
        _drop(box, MESSAGE_PART_BODIES, {"part_id": part["id"]})
    for table in (MESSAGE_PARTS, ATTACHMENTS, MESSAGE_HEADERS):
        _drop(box, table, {"message_id": message})


def purge(box: Records, message: Row) -> None:
    """Delete a message for good."""
    labels = labels_on(box, message["id"])
    with box.world.savepoint():
        box.world.execute("PRAGMA defer_foreign_keys = ON")  # the message goes first, while rules still see its labels
        with counted(box, message["thread_id"]):
            box.delete(MESSAGES, {"id": message["id"]})
            emptied(box, message["id"])
            for table in (MESSAGE_LABELS, DRAFTS):
                _drop(box, table, {"message_id": message["id"]})
        _log(box, message["id"], message["thread_id"], "messageDeleted", labels)


def _drop(box: Records, table: Table, equal: Mapping[str, Any]) -> None:
    if box.find(table, equal):
        box.delete(table, equal)


# -- as agents see it -------------------------------------------------------------------------------------------


def brief(message: Row) -> Row:
    """A message in a list."""
    return {"id": message["id"], "threadId": message["thread_id"]}


def shown(box: Records, message: Row, form: str = "full", headers: Sequence[str] = ()) -> Row:
    """A message as agents see it.

    Args:
        box: The mailbox.
        message: The message.
        form: ``"minimal"``, ``"metadata"`` (with headers), ``"full"`` (with its content), or ``"raw"``.
        headers: The headers to give, where the form is ``"metadata"``; by default all.
    """
    key = message["id"]
    told: Row = {
        "id": key,
        "threadId": message["thread_id"],
        "labelIds": labels_on(box, key),
        "snippet": message["snippet"] or "",
        "historyId": str(message["history_id"]),
        "internalDate": message["internal_date"],
        "sizeEstimate": message["size_estimate"],
    }
    if form in ("full", "metadata"):
        wanted = {name.lower() for name in headers} if form == "metadata" else set()
        listed = [
            {"name": row["name"], "value": row["value"]}
            for row in box.find(MESSAGE_HEADERS, {"message_id": key})
            if not wanted or row["name"].lower() in wanted
        ]
        told["payload"] = {"headers": listed} | (_content(box, key) if form == "full" else {})
    if form == "raw":
        told["raw"] = message["raw"] or _raw(box, key)
    return told


def _content(box: Records, key: str) -> Row:
    """The parts of a message, as a tree of one or two levels."""
    rows = box.find(MESSAGE_PARTS, {"message_id": key})
    roots = [row for row in rows if row["parent_part_id"] is None]
    if not roots:
        return {}
    told = _part(box, roots[0])
    leaves = [_part(box, row) for row in rows if row["parent_part_id"] == roots[0]["id"]]
    return told | ({"parts": leaves} if leaves else {})


def _part(box: Records, row: Row) -> Row:
    told: Row = {"partId": row["part_id"], "mimeType": row["mime_type"], "filename": row["filename"] or ""}
    for body in box.find(MESSAGE_PART_BODIES, {"part_id": row["id"]}):
        content = {"attachmentId": body["attachment_id"]} if body["attachment_id"] else {"data": body["data"] or ""}
        told["body"] = {"size": body["size"], **content}
    return told


def _raw(box: Records, key: str) -> str:
    headers = [f"{row['name']}: {row['value']}" for row in box.find(MESSAGE_HEADERS, {"message_id": key})]
    parts = [_part(box, row) for row in box.find(MESSAGE_PARTS, {"message_id": key})]
    texts = [part["body"]["data"] for part in parts if part.get("body", {}).get("data")]
    return "\n".join((*headers, "", *texts))
