"""Tools for labels."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email import post
from opsgym.envs.enterprise_ops.email.tables.labels import LABELS, MESSAGE_LABELS
from opsgym.envs.enterprise_ops.email.tables.messages import MESSAGES
from opsgym.envs.enterprise_ops.email.tables.people import WATCH_LABELS
from opsgym.envs.enterprise_ops.email.tools.shared import USER, Given, mail_tool, optional, stated
from opsgym.envs.enterprise_ops.email.words import SYSTEM_LABELS


class Color(TypedDict, total=False):
    """Colours of a label, as #rrggbb."""

    textColor: str
    backgroundColor: str


def _told(box: Records, label: Given, *, counts: bool = True) -> Given:
    told = {
        "id": label["id"],
        "name": label["name"],
        "type": label["type"],
        "messageListVisibility": label["message_list_visibility"],
        "labelListVisibility": label["label_list_visibility"],
    }
    if label["text_color"] or label["background_color"]:
        told["color"] = {"textColor": label["text_color"], "backgroundColor": label["background_color"]}
    if counts:
        numbers = post.label_counts(box, label)
        told |= dict(zip(("messagesTotal", "messagesUnread", "threadsTotal", "threadsUnread"), numbers.values(), strict=True))
    return told


def _columns(given: Given) -> Given:
    names = (
        ("name", "name"),
        ("messageListVisibility", "message_list_visibility"),
        ("labelListVisibility", "label_list_visibility"),
    )
    values = {column: given[name] for name, column in names if name in given}
    if "name" in values:
        values["name"] = _name(values["name"])
    color = given.get("color") or {}
    colors = (("textColor", "text_color"), ("backgroundColor", "background_color"))
    return values | {column: color[name] for name, column in colors if name in color}


def _name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= 100:
        raise ToolError("invalid_value", f"name: expected 1 to 100 characters, got {len(name)}")
    if name.upper() in SYSTEM_LABELS:
        raise ToolError("invalid_value", f"name: {name!r} is the name of a system label")
    return name


def _free(box: Records, name: str, *, but: str = "") -> None:
    """Check that no other label of the mailbox has a name, whatever the case of its letters."""
    for row in box.find(LABELS, {"user_id": box.actor.scope}):
        if row["name"].lower() == name.lower() and row["id"] != but:
            raise ToolError("bad_state", f"there is a label {row['name']!r} already: {row['id']}")


def _own(box: Records, key: str) -> Given:
    label = post.label_of(box, key)
    if label["type"] == "system":
        raise ToolError("bad_state", f"{key} is a system label, which nobody changes or deletes")
    return label


def _list(box: Records, given: Given) -> Given:
    rows = [*box.find(LABELS, {"type": "system"}), *box.find(LABELS, {"user_id": box.actor.scope})]
    return {"labels": [_told(box, row, counts=False) for row in rows]}


def _get(box: Records, given: Given) -> Given:
    return _told(box, post.label_of(box, given["id"]))


def _create(box: Records, given: Given) -> Given:
    values = _columns(given)
    _free(box, values["name"])
    return _told(box, box.create(LABELS, values | {"user_id": box.actor.scope}))


def _change(box: Records, given: Given) -> Given:
    label = _own(box, given["id"])
    values = _columns(given)
    if "name" in values:
        _free(box, values["name"], but=label["id"])
    return _told(box, box.update(LABELS, {"id": label["id"]}, values))


def _delete(box: Records, given: Given) -> Given:
    label = _own(box, given["id"])
    borne = box.find(MESSAGE_LABELS, {"label_id": label["id"]})
    with box.world.savepoint():
        box.world.execute("PRAGMA defer_foreign_keys = ON")  # the label goes first, while rules still see who bears it
        box.delete(LABELS, {"id": label["id"]})
        for row in borne:
            post.relabel(box, box.get(MESSAGES, {"id": row["message_id"]}), (), (label["id"],))
        if box.find(WATCH_LABELS, {"label_id": label["id"]}):
            box.delete(WATCH_LABELS, {"label_id": label["id"]})
    return {"deleted": 1, "messages": len(borne)}


_ID = Argument("id", str, "Key of the label.")
_NAME = Argument("name", str, "Its name, 1 to 100 characters; a slash makes it lie under another one.")
_IN_MESSAGES = Argument("messageListVisibility", Literal["show", "hide"], "Whether it is shown at messages.", False, "show")
_IN_LIST = Argument(
    "labelListVisibility",
    Literal["labelShow", "labelShowIfUnread", "labelHide"],
    "Whether it is shown in the list of labels.",
    False,
    "labelShow",
)
_COLOR = Argument("color", Color, "Its colours.", False)


def _needed(argument: Argument) -> Argument:
    return stated(argument.name, argument.annotation, argument.about, argument.default)


TOOLS = (
    mail_tool("list_labels", "List the labels of the mailbox, without counts", (USER,), _list),
    mail_tool("get_label", "Read a label with its counts of messages and threads", (_ID, USER), _get),
    mail_tool("create_label", "Create a label", (USER, _NAME, _IN_MESSAGES, _IN_LIST, _COLOR), _create, mutates=True),
    mail_tool(
        "patch_label",
        "Change a label; visibilities that are not given become the defaults",
        (_ID, USER, optional(_NAME), _IN_MESSAGES, _IN_LIST, _COLOR),
        _change,
        mutates=True,
    ),
    mail_tool(
        "update_label",
        "Replace name and visibilities of a label",
        (_ID, USER, _NAME, _needed(_IN_MESSAGES), _needed(_IN_LIST), _COLOR),
        _change,
        mutates=True,
    ),
    mail_tool("delete_label", "Delete a label and take it off all messages", (_ID, USER), _delete, mutates=True),
)
