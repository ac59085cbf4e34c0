"""Tools for messages and their attachments."""

from __future__ import annotations

import email.utils
from typing import Any, Literal

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import EMAIL
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email import post
from opsgym.envs.enterprise_ops.email.letters import Letter, letter
from opsgym.envs.enterprise_ops.email.mailbox import milliseconds, moment, owner
from opsgym.envs.enterprise_ops.email.query import compiled
from opsgym.envs.enterprise_ops.email.tables.messages import ATTACHMENTS, MESSAGES
from opsgym.envs.enterprise_ops.email.tables.sending import ALIASES
from opsgym.envs.enterprise_ops.email.tools.shared import (
    ADD,
    MAX_RESULTS,
    MAYBE_USER,
    MESSAGE_ID,
    PAGE_TOKEN,
    REMOVE,
    SPAM_TRASH,
    USER,
    Format,
    Given,
    Payload,
    Q,
    mail_tool,
)
from opsgym.envs.enterprise_ops.email.words import FIXED_LABELS, MAX_BATCH
from opsgym.envs.enterprise_ops.paging import page

LABEL_IDS = Argument("labelIds", list[str], "Only those that bear all these labels.", False, [])
_CONTENT = (
    Argument("threadId", str, "The thread to answer in.", False),
    MAYBE_USER,
    Argument("labelIds", list[str], "Keys of its labels.", False, []),
    Argument("snippet", str, "Ignored: made of the text.", False),
    Argument("historyId", str, "Ignored.", False),
    Argument("internalDate", str, "Its time, in milliseconds since 1970; by default now.", False),
    Argument("payload", Payload, "Content: headers (From, To, Subject, ...) and body, or parts.", False),
    Argument("sizeEstimate", int, "Ignored: counted.", False),
    Argument("raw", str, "Content as in RFC 2822, base64url; instead of payload.", False),
)
_SOURCE = Argument(
    "internalDateSource",
    Literal["receivedTime", "dateHeader"],
    "Where its time comes from when internalDate is not given.",
    False,
    "receivedTime",
)
_DELETED = Argument("deleted", bool, "Must be false: a deleted message is not kept.", False, False)


def found(box: Records, given: Given) -> list[Given]:
    """Messages that a query and labels ask for, the newest first."""
    box.find(MESSAGES, {"id": ""})  # who may not read mail may not search it
    query = compiled(given.get("q", ""), box.world.now)
    sql = f"SELECT {', '.join(f'm.{name}' for name in MESSAGES.names)} FROM messages m WHERE m.user_id = ? AND ({query.sql})"
    bound: list[Any] = [box.actor.scope, *query.bound]
    asked = given.get("labelIds") or []
    for key in asked:
        sql += " AND EXISTS (SELECT 1 FROM message_labels l WHERE l.message_id = m.id AND l.label_id = ?)"
        bound.append(post.label_of(box, key)["id"])
    if not (given.get("includeSpamTrash") or query.reaches_trash or {"TRASH", "SPAM"} & {*asked}):
        sql += " AND NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.message_id = m.id AND l.label_id IN ('TRASH', 'SPAM'))"
    rows = box.world.execute(f"{sql} ORDER BY CAST(m.internal_date AS INTEGER) DESC, m.id", bound).fetchall()
    return [dict(zip(MESSAGES.names, row, strict=True)) for row in rows]


def _list(box: Records, given: Given) -> Given:
    rows = found(box, given)
    return page("messages", [post.brief(row) for row in rows], given.get("pageToken"), given["maxResults"]) | {
        "resultSizeEstimate": len(rows)
    }


def _get(box: Records, given: Given) -> Given:
    return post.shown(box, post.message_of(box, given["id"]), given["format"], given["metadataHeaders"])


def _modify(box: Records, given: Given) -> Given:
    message = post.message_of(box, given["id"])
    post.checked_labels(box, given["addLabelIds"], given["removeLabelIds"])
    post.relabel(box, message, given["addLabelIds"], given["removeLabelIds"])
    return _minimal(box, given["id"])


def _batch(box: Records, given: Given) -> list[Given]:
    keys = list(dict.fromkeys(given["ids"]))
    if not 1 <= len(keys) <= MAX_BATCH:
        raise ToolError("invalid_value", f"ids: expected 1 to {MAX_BATCH} messages, got {len(keys)}")
    return [post.message_of(box, key) for key in keys]


def _batch_modify(box: Records, given: Given) -> Given:
    messages = _batch(box, given)
    post.checked_labels(box, given["addLabelIds"], given["removeLabelIds"])
    for message in messages:
        post.relabel(box, message, given["addLabelIds"], given["removeLabelIds"])
    return {"modified": len(messages)}


def _batch_delete(box: Records, given: Given) -> Given:
    messages = _batch(box, given)
    for message in messages:
        post.purge(box, message)
    return {"deleted": len(messages)}


def _delete(box: Records, given: Given) -> Given:
    post.purge(box, post.message_of(box, given["id"]))
    return {"deleted": 1}


def trash(box: Records, message: Given) -> None:
    """Move a message to the trash."""
    post.relabel(box, message, ("TRASH",), ("INBOX", "SPAM"))


def untrash(box: Records, message: Given) -> None:
    """Take a message out of the trash; one that was received comes back to the inbox.

    Raises:
        ToolError: ``bad_state`` when it is not there.
    """
    labels = post.labels_on(box, message["id"])
    if "TRASH" not in labels:
        raise ToolError("bad_state", f"message {message['id']} is not in the trash")
    post.relabel(box, message, () if {"SENT", "DRAFT"} & {*labels} else ("INBOX",), ("TRASH",))


def _trash(box: Records, given: Given) -> Given:
    trash(box, post.message_of(box, given["id"]))
    return _minimal(box, given["id"])


def _untrash(box: Records, given: Given) -> Given:
    untrash(box, post.message_of(box, given["id"]))
    return _minimal(box, given["id"])


def _minimal(box: Records, key: str) -> Given:
    return post.shown(box, post.message_of(box, key), "minimal")


def composed(box: Records, given: Given) -> Letter:
    """A letter of this mailbox: with its sender and bare addresses; time and message id are not for its writer to give."""
    made = letter(given)
    headers = [("From", _sender(box, made.header("From")))]
    for name, value in made.headers:
        if name in ("To", "Cc", "Bcc", "Reply-To"):
            value = _addresses(name, value)
        if name not in ("From", "Date", "Message-ID", "In-Reply-To", "References"):  # its thread tells what it answers
            headers.append((name, value))
    return made.with_headers(headers)


def _sender(box: Records, given: str) -> str:
    """An address of the mailbox with its name, by default the default one; another address as it is given."""
    address = email.utils.parseaddr(given)[1].lower()
    for row in box.find(ALIASES, {"send_as_email": address} if given else {"is_default": 1}):
        return f"{row['display_name'] or owner(box)['display_name']} <{row['send_as_email']}>"
    return given or f"{owner(box)['display_name']} <{owner(box)['email']}>"


def _addresses(name: str, value: str) -> str:
    found = [address.lower() for _, address in email.utils.getaddresses([value])]
    if value and not all(EMAIL.fullmatch(address) for address in found):
        raise ToolError("invalid_value", f"{name}: expected e-mail addresses with commas between, got {value[:60]!r}")
    return ", ".join(dict.fromkeys(found))


def _send(box: Records, given: Given) -> Given:
    _by_hand(box, given["labelIds"])
    made = composed(box, given)
    return post.brief(post.stored(box, made, {"SENT", *given["labelIds"]}, thread=given.get("threadId"))) | {
        "labelIds": sorted({"SENT", *given["labelIds"]})
    }


def _by_hand(box: Records, keys: list[str]) -> None:
    for key in keys:
        post.label_of(box, key)
        if key in FIXED_LABELS:
            raise ToolError("invalid_value", f"labelIds: label {key} cannot be put on by hand")


def _put(box: Records, given: Given, labels: set[str]) -> Given:
    """Put a message into the mailbox that was not sent from it."""
    if given["deleted"]:
        raise ToolError("invalid_value", "deleted: expected false")
    _by_hand(box, sorted(labels))
    made = letter(given)
    if not made.header("From"):
        raise ToolError("missing_field", "payload: expected a header From")
    message = post.stored(box, made, labels, thread=given.get("threadId"), date=_date(box, given, made))
    return post.brief(message) | {"labelIds": sorted(labels)}


def _date(box: Records, given: Given, made: Letter) -> int:
    if given.get("internalDate"):
        return moment(given["internalDate"], "internalDate")
    if given["internalDateSource"] == "receivedTime" or not made.header("Date"):
        return milliseconds(box.world.now)
    try:
        return int(email.utils.parsedate_to_datetime(made.header("Date")).timestamp()) * 1000
    except (ValueError, OverflowError) as error:
        raise ToolError("invalid_value", f"Date: expected a date as in RFC 2822, got {made.header('Date')[:40]!r}") from error


def _insert(box: Records, given: Given) -> Given:
    return _put(box, given, {*given["labelIds"]})


def _import(box: Records, given: Given) -> Given:
    spam = "SPAM" in given["labelIds"] and not given["neverMarkSpam"]
    return _put(box, given, {*given["labelIds"], "UNREAD"} - {"SPAM"} | ({"SPAM"} if spam else {"INBOX"}))


def _attachment(box: Records, given: Given) -> Given:
    post.message_of(box, given["messageId"])
    row = box.get(ATTACHMENTS, {"id": given["id"], "message_id": given["messageId"]})
    return {"attachmentId": row["id"], "filename": row["filename"], "size": row["size"], "data": row["data"]}


FORMAT = Argument("format", Format, "How much of it to give.", False, "full")
METADATA = Argument("metadataHeaders", list[str], "The headers to give where format is metadata; by default all.", False, [])
_IDS = Argument("ids", list[str], f"Keys of the messages, at most {MAX_BATCH}.")

TOOLS = (
    mail_tool(
        "list_messages",
        "List the keys of messages, the newest first; spam and trash only where they are asked for",
        (USER, MAX_RESULTS, PAGE_TOKEN, Q, LABEL_IDS, SPAM_TRASH),
        _list,
    ),
    mail_tool("get_message", "Read a message", (MESSAGE_ID, MAYBE_USER, FORMAT, METADATA), _get),
    mail_tool(
        "send_message",
        "Send a message; From is the default address unless it is given, To and Subject are needed",
        tuple(USER if item is MAYBE_USER else item for item in _CONTENT),
        _send,
        mutates=True,
    ),
    mail_tool(
        "insert_message",
        "Put a message into the mailbox with the labels given, without sending it",
        (*_CONTENT, _SOURCE, _DELETED),
        _insert,
        mutates=True,
    ),
    mail_tool(
        "import_message",
        "Receive a message: it comes into the inbox, unread",
        (
            *_CONTENT,
            _SOURCE,
            Argument("neverMarkSpam", bool, "Whether it is never put into spam.", False, False),
            Argument("processForCalendar", bool, "Ignored.", False, False),
            _DELETED,
        ),
        _import,
        mutates=True,
    ),
    mail_tool(
        "modify_message",
        "Put labels on a message and take labels off",
        (MESSAGE_ID, USER, ADD, REMOVE),
        _modify,
        mutates=True,
    ),
    mail_tool(
        "batch_modify_messages",
        "Put labels on messages and take labels off, all or none",
        (_IDS, MAYBE_USER, ADD, REMOVE),
        _batch_modify,
        mutates=True,
    ),
    mail_tool("trash_message", "Move a message to the trash", (MESSAGE_ID, USER), _trash, mutates=True),
    mail_tool(
        "untrash_message",
        "Take a message out of the trash; one that was received comes back to the inbox",
        (MESSAGE_ID, USER),
        _untrash,
        mutates=True,
    ),
    mail_tool("delete_message", "Delete a message for good", (MESSAGE_ID, MAYBE_USER), _delete, mutates=True),
    mail_tool("batch_delete_messages", "Delete messages for good, all or none", (USER, _IDS), _batch_delete, mutates=True),
    mail_tool(
        "get_attachment",
        "Read an attachment of a message; its data are base64url",
        (Argument("messageId", str, "Key of the message."), Argument("id", str, "Key of the attachment."), USER),
        _attachment,
    ),
)
