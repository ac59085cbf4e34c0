"""Tools for the messages of channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records, Row
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.graph import answer, properties, shaped
from opsgym.envs.enterprise_ops.teams.tables.channels import MESSAGE, REACTION
from opsgym.envs.enterprise_ops.teams.tools.shared import (
    CHANNEL_ID,
    EXPAND,
    TEAM_ID,
    Body,
    Text255,
    acting,
    change,
    channel,
    expanded,
    given_values,
    live,
    may,
    need,
    reading,
    retire,
    top,
)

_HERE = (TEAM_ID, CHANNEL_ID)
MESSAGE_ID = need("messageId", str, "Key of the message.")
REPLY_ID = may("replyId", str, "Key of a reply to the message, where that is meant.")
REACTION_TYPE = need("reactionType", str, "The reaction, such as like or an emoji.")


class Attachment(TypedDict, total=False):
    """Something attached to a message."""

    id: str
    contentType: str
    contentUrl: str
    content: str
    name: str
    thumbnailUrl: str


class Mention(TypedDict, total=False):
    """Somebody who is mentioned: ``mentioned`` is ``{"user": {"id": ...}}``."""

    id: int
    mentionText: str
    mentioned: dict[str, Any]


class Sender(TypedDict, total=False):
    """Who sent a message."""

    application: dict[str, Any]
    device: dict[str, Any]
    user: dict[str, Any]
    conversation: dict[str, Any]


class Reaction(TypedDict, total=False):
    """A reaction to a message."""

    reactionType: str
    createdDateTime: str
    user: dict[str, Any]


class History(TypedDict, total=False):
    """A former state of a message."""

    modifiedDateTime: str
    actions: str
    reaction: dict[str, Any]


class Violation(TypedDict, total=False):
    """What a data loss policy says of a message."""

    policyTip: dict[str, Any]
    verdictDetails: str
    dlpAction: str


MENTIONS = may("mentions", list[Mention], "Who is mentioned.")
READ_ONLY = ("from", "reactions", "messageHistory")
"""Properties that nobody can write, though signatures have them."""


def written(table: Table, given: Mapping[str, Any]) -> Row:
    """Values of a message by column.

    Raises:
        ToolError: ``invalid_value``: there is no content, a mention names nobody, or a property cannot be written.
    """
    for name in READ_ONLY:
        if name in given:
            raise ToolError("invalid_value", f"{name}: cannot be written")
    if "body" in given and not given["body"].get("content", "").strip():
        raise ToolError("missing_field", "body: expected content")
    for mention in given.get("mentions", ()):
        mentioned = mention.get("mentioned", {}).get("user")
        if not isinstance(mentioned, dict) or not isinstance(mentioned.get("id"), str):
            raise ToolError("missing_field", "mentions: each one needs mentioned.user.id")
    values = given_values(table, given)
    if "body_json" in values:
        values["body_json"] = {"contentType": "text"} | values["body_json"]
    return values


def seen(table: Table, row: Row) -> dict[str, Any]:
    """A message as agents see it; a deleted one without its content."""
    shape = shaped(table, row)
    if row["soft_deleted"]:
        shape.pop("body", None)
    return shape


def messages(records: Records, table: Table, equal: Mapping[str, Any]) -> list[Row]:
    """Messages, deleted ones too, the latest first."""
    return records.find(table, equal)[::-1]


def message(records: Records, table: Table, key: str, equal: Mapping[str, Any], *, deleted: bool = False) -> Row:
    """A message of a key.

    Raises:
        ToolError: ``not_found``; ``bad_state`` when it is deleted, or is not though it should be.
    """
    rows = records.find(table, {"message_id": key} | dict(equal))
    if not rows:
        raise ToolError("not_found", f"no message with id {key[:60]!r}")
    if rows[0]["soft_deleted"] != deleted:
        raise ToolError("bad_state", "the message is not deleted" if deleted else "the message is deleted")
    return rows[0]


def react(records: Records, table: Table, message_id: str, kind: str) -> dict[str, Any]:
    """Set the actor's reaction to a message."""
    equal = {"message_id": message_id, "user_id": records.actor.id, "reaction_type": kind}
    if live(records, table, **equal):
        raise ToolError("bad_state", "the reaction is set already")
    records.create(table, equal)
    return {"id": message_id, "reactionType": kind}


def unreact(records: Records, table: Table, message_id: str, kind: str) -> dict[str, Any]:
    """Unset the actor's reaction to a message."""
    rows = live(records, table, message_id=message_id, user_id=records.actor.id, reaction_type=kind)
    if not rows:
        raise ToolError("not_found", "you have set no such reaction")
    retire(records, table, rows[0]["id"])
    return {"id": message_id, "reactionType": kind}


def erase(records: Records, table: Table, message_id: str) -> dict[str, Any]:
    """Delete a message so that it can be brought back."""
    records.update(table, {"message_id": message_id}, {"soft_deleted": True, "deleted_at": records.now})
    return {"id": message_id, "deleted": True}


def restore(records: Records, table: Table, message_id: str) -> dict[str, Any]:
    """Bring a deleted message back."""
    return seen(table, records.update(table, {"message_id": message_id}, {"soft_deleted": False, "deleted_at": ""}))


def _target(records: Records, given: Mapping[str, Any], *, deleted: bool = False) -> str:
    """Key of the message, or of its reply, that a call means."""
    place = channel(records, given)["channel_id"]
    if given.get("replyId"):
        equal = {"channel_id": place, "reply_to_id": given["messageId"]}
        return str(message(records, MESSAGE, given["replyId"], equal, deleted=deleted)["message_id"])
    return str(message(records, MESSAGE, given["messageId"], {"channel_id": place}, deleted=deleted)["message_id"])


def _send(records: Records, given: dict[str, Any]) -> Any:
    place = channel(records, given)["channel_id"]
    if not given["body"]:
        raise ToolError("missing_field", "body: expected content")
    return seen(MESSAGE, records.create(MESSAGE, {"channel_id": place} | written(MESSAGE, given)))


def _update(records: Records, given: dict[str, Any]) -> Any:
    return change(records, MESSAGE, _target(records, given), written(MESSAGE, given))


def _list(records: Records, given: dict[str, Any]) -> Any:
    place = channel(records, given)["channel_id"]
    found = messages(records, MESSAGE, {"channel_id": place})
    rows = [(row, seen(MESSAGE, row)) for row in found if row["reply_to_id"] is None]
    related = {
        "replies": lambda row: [seen(MESSAGE, item) for item in found if item["reply_to_id"] == row["message_id"]],
        "reactions": lambda row: [shaped(REACTION, item) for item in live(records, REACTION, message_id=row["message_id"])],
    }
    return answer(expanded(given, rows, related), [*properties(MESSAGE), *related], given)


def _on_target(act: Any, table: Table) -> Any:
    return lambda records, given: act(records, table, _target(records, given), given["reactionType"])


_ATTACHMENTS = may("attachments", list[Attachment], "What is attached.")

TOOLS = (
    acting(
        "send_channel_message",
        "Send a message in a channel",
        (
            *_HERE,
            need("body", Body, "What it says."),
            may("subject", Text255, "Its subject."),
            _ATTACHMENTS,
            MENTIONS,
            may("importance", words.Importance, "How important it is.", "normal"),
        ),
        _send,
    ),
    acting(
        "update_channel_message",
        "Change a message in a channel, or a reply to it",
        (
            *_HERE,
            MESSAGE_ID,
            REPLY_ID,
            may("model", Literal["A"], "How the call is charged."),
            may("messageType", Literal["message"], "Kind of message.", "message"),
            may("subject", str, "Its subject."),
            may("summary", str, "A summary."),
            may("importance", words.Importance, "How important it is.", "normal"),
            may("locale", str, "Its language."),
            may("from", Sender, "Who sent it; cannot be written."),
            may("body", Body, "What it says."),
            _ATTACHMENTS,
            MENTIONS,
            may("reactions", list[Reaction], "Reactions; cannot be written."),
            may("messageHistory", list[History], "Former states; cannot be written."),
            may("policyViolation", Violation, "What a data loss policy says of it."),
        ),
        _update,
    ),
    reading(
        "list_channel_messages",
        "List the messages of a channel, the latest first; deleted ones without their content",
        (*_HERE, top(20, 50), EXPAND),
        _list,
    ),
    acting(
        "soft_delete_channel_message",
        "Delete a message in a channel, or a reply to it; it can be brought back",
        (*_HERE, MESSAGE_ID, REPLY_ID),
        lambda records, given: erase(records, MESSAGE, _target(records, given)),
    ),
    acting(
        "undo_soft_delete_channel_message",
        "Bring back a deleted message of a channel, or a reply to it",
        (*_HERE, MESSAGE_ID, REPLY_ID),
        lambda records, given: restore(records, MESSAGE, _target(records, given, deleted=True)),
    ),
    acting(
        "set_channel_message_reaction",
        "React to a message in a channel, or to a reply",
        (*_HERE, MESSAGE_ID, REACTION_TYPE, REPLY_ID),
        _on_target(react, REACTION),
    ),
    acting(
        "unset_channel_message_reaction",
        "Take back a reaction to a message in a channel, or to a reply",
        (*_HERE, MESSAGE_ID, REACTION_TYPE, REPLY_ID),
        _on_target(unreact, REACTION),
    ),
)
