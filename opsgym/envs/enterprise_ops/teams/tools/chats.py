"""Tools for chats and their messages; the chats are those of the user who is signed in."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.graph import answer, properties, shaped
from opsgym.envs.enterprise_ops.teams.odata import bound
from opsgym.envs.enterprise_ops.teams.tables.apps import APP, CHAT_APP, CHAT_TAB
from opsgym.envs.enterprise_ops.teams.tables.channels import CHANNEL
from opsgym.envs.enterprise_ops.teams.tables.chats import CHAT, CHAT_MEMBER, CHAT_MESSAGE, CHAT_REACTION, PIN
from opsgym.envs.enterprise_ops.teams.tables.teams import TEAM
from opsgym.envs.enterprise_ops.teams.tools.channels import Configuration
from opsgym.envs.enterprise_ops.teams.tools.messages import (
    MENTIONS,
    MESSAGE_ID,
    REACTION_TYPE,
    History,
    Reaction,
    erase,
    message,
    messages,
    react,
    restore,
    seen,
    unreact,
    written,
)
from opsgym.envs.enterprise_ops.teams.tools.shared import (
    CHAT_ID,
    EXPAND,
    FILTER,
    Body,
    Text250,
    Text255,
    Text256,
    acting,
    change,
    expanded,
    live,
    may,
    member,
    named,
    need,
    one,
    reading,
    top,
    user,
)


class ChatMember(TypedDict, total=False):
    """A member of a chat to be."""

    _odata_type: str
    roles: list[str]
    user_odata_bind: str
    tenantId: str


class ChatApp(TypedDict, total=False):
    """An app to be installed in a chat."""

    teamsApp_odata_bind: str
    consentedPermissionSet: dict[str, Any]


class ChatAttachment(TypedDict, total=False):
    """Something attached to a message of a chat."""

    id: str
    contentType: str
    contentUrl: str
    content: str
    name: str
    thumbnailUrl: str
    teamsAppId: str


class PlainAttachment(TypedDict, total=False):
    """Something attached to a message that is changed."""

    id: str
    contentType: str
    contentUrl: str
    content: str
    name: str
    thumbnailUrl: str


class ChannelIdentity(TypedDict, total=False):
    """A channel."""

    teamId: str
    channelId: str


class ChatViolation(TypedDict, total=False):
    """What a data loss policy says of a message."""

    dlpAction: str
    justificationText: str
    policyTip: dict[str, Any]
    userAction: str
    verdictDetails: str


def _create(records: Records, given: dict[str, Any]) -> Any:
    if not given["members"]:
        raise ToolError("missing_field", "members: expected at least one")
    values = {"chat_type": given["chatType"], "topic": given.get("topic", "")}
    chat = records.create(CHAT, values)
    for spec in given["members"]:
        whose, roles = member(records, spec, ("owner",), words.CHAT_MEMBER_ROLES)
        values = {"chat_id": chat["chat_id"], "user_id": whose["user_id"], "roles": roles or ["guest"]}
        records.create(CHAT_MEMBER, values)
    for app in given.get("installedApps", ()):
        key = one(records, APP, bound("teamsApp_odata_bind", app.get("teamsApp_odata_bind", ""), "teamsApps"))["app_id"]
        records.create(CHAT_APP, {"chat_id": chat["chat_id"], "app_id": key})
    return shaped(CHAT, chat)


def _update(records: Records, given: dict[str, Any]) -> Any:
    return change(records, CHAT, one(records, CHAT, given["chatId"])["chat_id"], {"topic": given["topic"]})


def _list(records: Records, given: dict[str, Any]) -> Any:
    mine = [row["chat_id"] for row in live(records, CHAT_MEMBER, user_id=records.actor.id)]
    rows = [(row, shaped(CHAT, row)) for key in mine for row in live(records, CHAT, chat_id=key)]
    related = {
        "members": lambda row: named(records, CHAT_MEMBER, live(records, CHAT_MEMBER, chat_id=row["chat_id"])),
        "lastMessagePreview": lambda row: _last(records, row["chat_id"]),
    }
    return answer(expanded(given, rows, related), [*properties(CHAT), *related], given)


def _last(records: Records, chat: str) -> Any:
    found = messages(records, CHAT_MESSAGE, {"chat_id": chat})
    return seen(CHAT_MESSAGE, found[0]) if found else None


def _add_tab(records: Records, given: dict[str, Any]) -> Any:
    chat = one(records, CHAT, given["chatId"])["chat_id"]
    app = one(records, APP, bound("teamsApp_odata_bind", given["teamsApp_odata_bind"], "teamsApps"))["app_id"]
    values = {"chat_id": chat, "app_id": app, "display_name": given["displayName"]}
    return shaped(CHAT_TAB, records.create(CHAT_TAB, values | {"configuration": given.get("configuration", {})}))


# -- messages -------------------------------------------------------------------------------------------------


def _target(records: Records, given: dict[str, Any], *, deleted: bool = False) -> str:
    chat = one(records, CHAT, given["chatId"])["chat_id"]
    return str(message(records, CHAT_MESSAGE, given["messageId"], {"chat_id": chat}, deleted=deleted)["message_id"])


def _send(records: Records, given: dict[str, Any]) -> Any:
    chat = one(records, CHAT, given["chatId"])["chat_id"]
    if not given["body"]:
        raise ToolError("missing_field", "body: expected content")
    if given.get("replyToId"):
        message(records, CHAT_MESSAGE, given["replyToId"], {"chat_id": chat})
    if "channelIdentity" in given:
        place = given["channelIdentity"]
        one(records, CHANNEL, place.get("channelId", ""), team_id=one(records, TEAM, place.get("teamId", ""))["team_id"])
    return seen(CHAT_MESSAGE, records.create(CHAT_MESSAGE, {"chat_id": chat} | written(CHAT_MESSAGE, given)))


def _update_message(records: Records, given: dict[str, Any]) -> Any:
    return change(records, CHAT_MESSAGE, _target(records, given), written(CHAT_MESSAGE, given))


def _list_messages(records: Records, given: dict[str, Any]) -> Any:
    equal = {"chat_id": one(records, CHAT, given["chatId"])["chat_id"]}
    if given.get("userId"):
        equal["from_user_id"] = user(records, given["userId"])["user_id"]
    rows = [seen(CHAT_MESSAGE, row) for row in messages(records, CHAT_MESSAGE, equal)]
    for row in rows:
        row.setdefault("lastModifiedDateTime", row["createdDateTime"])
    return answer(rows, properties(CHAT_MESSAGE), given)


def _pin(records: Records, given: dict[str, Any]) -> Any:
    target = _target(records, given)
    equal = {"chat_id": given["chatId"], "message_id": target}
    if live(records, PIN, **equal):
        raise ToolError("bad_state", "the message is pinned already")
    return shaped(PIN, records.create(PIN, equal))


def _react(records: Records, given: dict[str, Any]) -> Any:
    return react(records, CHAT_REACTION, _target(records, given), given["reactionType"])


def _unreact(records: Records, given: dict[str, Any]) -> Any:
    return unreact(records, CHAT_REACTION, _target(records, given), given["reactionType"])


_HERE = (CHAT_ID, MESSAGE_ID)
_ORDER = Literal["lastModifiedDateTime desc", "createdDateTime desc"]
_VIOLATION = may("policyViolation", ChatViolation, "What a data loss policy says of it.")

TOOLS = (
    acting(
        "create_chat",
        "Create a chat of two or of a group",
        (
            need("chatType", words.ChatType, "Whether it is for two."),
            need("members", list[ChatMember], "All members, you too."),
            may("topic", Text255, "Its topic, for a group."),
            may("installedApps", list[ChatApp], "Apps to install."),
        ),
        _create,
    ),
    acting("update_chat", "Change the topic of a chat", (CHAT_ID, need("topic", Text250, "The new topic.")), _update),
    reading(
        "list_chats",
        "List your chats",
        (EXPAND, top(50, 50), FILTER, may("_orderby", str, "Properties to order by, each with asc or desc.")),
        _list,
    ),
    acting(
        "add_tab_to_chat",
        "Pin an app as a tab of a chat",
        (
            CHAT_ID,
            need("displayName", Text256, "Name of the tab."),
            need("teamsApp_odata_bind", str, "The app, as .../teamsApps('<id>')."),
            may("configuration", Configuration, "What it shows."),
        ),
        _add_tab,
    ),
    acting(
        "send_chat_message",
        "Send a message in a chat",
        (
            CHAT_ID,
            need("body", Body, "What it says."),
            may("replyToId", str, "Key of the message that it answers."),
            may("subject", str, "Its subject."),
            may("summary", str, "A summary."),
            may("importance", words.Importance, "How important it is.", "normal"),
            may("locale", str, "Its language.", "en-us"),
            may("attachments", list[ChatAttachment], "What is attached."),
            MENTIONS,
            may("channelIdentity", ChannelIdentity, "The channel to which it belongs."),
            _VIOLATION,
            may("messageType", words.MessageType, "Kind of message.", "message"),
        ),
        _send,
    ),
    acting(
        "update_chat_message",
        "Change a message in a chat",
        (
            *_HERE,
            may("body", Body, "What it says."),
            may("subject", str, "Its subject."),
            may("importance", words.Importance, "How important it is."),
            may("attachments", list[PlainAttachment], "What is attached."),
            MENTIONS,
            may("reactions", list[Reaction], "Reactions; cannot be written."),
            may("messageHistory", list[History], "Former states; cannot be written."),
            _VIOLATION,
        ),
        _update_message,
    ),
    reading(
        "list_chat_messages",
        "List the messages of a chat, the latest first; deleted ones without their content",
        (
            CHAT_ID,
            may("userId", str, "Only messages from this user."),
            top(20, 50),
            may("_orderby", _ORDER, "The order.", "lastModifiedDateTime desc"),
            FILTER,
        ),
        _list_messages,
    ),
    acting("pin_chat_message", "Pin a message in a chat", _HERE, _pin),
    acting("set_chat_message_reaction", "React to a message in a chat", (*_HERE, REACTION_TYPE), _react),
    acting("unset_chat_message_reaction", "Take back a reaction to a message in a chat", (*_HERE, REACTION_TYPE), _unreact),
    acting(
        "soft_delete_chat_message",
        "Delete a message in a chat; it can be brought back",
        _HERE,
        lambda records, given: erase(records, CHAT_MESSAGE, _target(records, given)),
    ),
    acting(
        "undo_soft_delete_chat_message",
        "Bring back a deleted message of a chat",
        _HERE,
        lambda records, given: restore(records, CHAT_MESSAGE, _target(records, given, deleted=True)),
    ),
)
