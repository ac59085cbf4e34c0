"""Tools for the profile, delegates, the history and the watch of a mailbox."""

from __future__ import annotations

from typing import Literal

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email import post
from opsgym.envs.enterprise_ops.email.mailbox import milliseconds, owner
from opsgym.envs.enterprise_ops.email.tables.people import DELEGATES, HISTORY, WATCH_LABELS, WATCHES
from opsgym.envs.enterprise_ops.email.tools.shared import MAX_RESULTS, PAGE_TOKEN, USER, Given, camel, mail_tool
from opsgym.envs.enterprise_ops.email.words import DAY_MS, WATCH_DAYS
from opsgym.envs.enterprise_ops.paging import page

_DELEGATE = (("delegateEmail", "delegate_email"), ("verificationStatus", "verification_status"))
_PLURALS = {
    "messageAdded": "messagesAdded",
    "messageDeleted": "messagesDeleted",
    "labelAdded": "labelsAdded",
    "labelRemoved": "labelsRemoved",
}


def _profile(box: Records, given: Given) -> Given:
    user = owner(box)
    return {
        "emailAddress": user["email"],
        "displayName": user["display_name"],
        "suspended": user["suspended"],
        "messagesTotal": user["messages_total"],
        "threadsTotal": user["threads_total"],
        "historyId": str(user["history_id"]),
    }


def _list_delegates(box: Records, given: Given) -> Given:
    return {"delegates": [camel(row, _DELEGATE) for row in box.find(DELEGATES, {})]}


def _get_delegate(box: Records, given: Given) -> Given:
    return camel(box.get(DELEGATES, {"delegate_email": given["delegateEmail"].lower()}), _DELEGATE)


def _create_delegate(box: Records, given: Given) -> Given:
    return camel(box.create(DELEGATES, {"delegate_email": given["delegateEmail"].lower()}), _DELEGATE)


def _delete_delegate(box: Records, given: Given) -> Given:
    return {"deleted": len(box.delete(DELEGATES, {"delegate_email": given["delegateEmail"].lower()}))}


def _history(box: Records, given: Given) -> Given:
    start = given["startHistoryId"]
    if not (start.isascii() and start.isdecimal() and len(start) < 16):
        raise ToolError("invalid_value", f"startHistoryId: expected a history id, got {start[:30]!r}")
    types = given.get("historyTypes")
    label = given.get("labelId")
    rows = [
        row
        for row in box.find(HISTORY, {})
        if row["id"] > int(start)
        and (not types or row["change_type"] in types)
        and (not label or label in (row["label_ids"] or ()))
    ]
    told = page("history", [_told(row) for row in rows], given.get("pageToken"), given["maxResults"])
    return told | {"historyId": str(owner(box)["history_id"])}


def _told(row: Given) -> Given:
    message = {"id": row["message_id"], "threadId": row["thread_id"]}
    change = {"message": message, "labelIds": row["label_ids"] or []}
    return {"id": str(row["id"]), "messages": [message], _PLURALS[row["change_type"]]: [change]}


def _watch(box: Records, given: Given) -> Given:
    labels = [post.label_of(box, key)["id"] for key in dict.fromkeys(given["labelIds"])]
    user = owner(box)
    values = {
        "topic_name": given["topicName"],
        "label_filter_behavior": given.get("labelFilterBehavior", "include"),
        "history_id": user["history_id"],
        "expiration": str(milliseconds(box.world.now) + WATCH_DAYS * DAY_MS),
        "active": True,
    }
    old = box.find(WATCHES, {})
    if old:
        changed = any(old[0][name] != value for name, value in values.items())
        watch = box.update(WATCHES, {"id": old[0]["id"]}, values) if changed else old[0]
        if box.find(WATCH_LABELS, {"watch_id": watch["id"]}):
            box.delete(WATCH_LABELS, {"watch_id": watch["id"]})
    else:
        watch = box.create(WATCHES, values)
    for key in labels:
        box.create(WATCH_LABELS, {"watch_id": watch["id"], "label_id": key})
    return {"historyId": str(watch["history_id"]), "expiration": watch["expiration"]}


def _stop(box: Records, given: Given) -> Given:
    if not box.find(WATCHES, {"active": 1}):
        raise ToolError("bad_state", "the mailbox is not watched")
    box.update(WATCHES, {"user_id": box.actor.scope}, {"active": False})
    return {"stopped": True}


_EMAIL = Argument("delegateEmail", str, "Address of the delegate.")

TOOLS = (
    mail_tool("email_list_delegates", "List who may open the mailbox besides its owner", (USER,), _list_delegates),
    mail_tool("email_get_delegate", "Read whether somebody may open the mailbox", (USER, _EMAIL), _get_delegate),
    mail_tool(
        "email_create_delegate",
        "Let somebody open the mailbox, at once",
        (USER, _EMAIL),
        _create_delegate,
        mutates=True,
    ),
    mail_tool("email_delete_delegate", "Let somebody open the mailbox no longer", (USER, _EMAIL), _delete_delegate, mutates=True),
    mail_tool("get_user_profile", "Read address, name and counts of the mailbox", (USER,), _profile),
    mail_tool(
        "list_history",
        "List what changed in the mailbox after a history id, the oldest first",
        (
            USER,
            Argument("startHistoryId", str, "Only changes after this one."),
            MAX_RESULTS,
            PAGE_TOKEN,
            Argument("labelId", str, "Only changes of this label, or of messages that bore it then.", False),
            Argument(
                "historyTypes",
                list[Literal["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"]],
                "Only these kinds of changes.",
                False,
            ),
        ),
        _history,
    ),
    mail_tool(
        "watch_user_mailbox",
        f"Have changes of the mailbox told to a topic for {WATCH_DAYS} days; a watch that there is is replaced",
        (
            Argument("topicName", str, "Where they are told."),
            USER,
            Argument("labelIds", list[str], "Labels that limit what is told; none for no limit."),
            Argument(
                "labelFilterBehavior",
                Literal["include", "exclude"],
                "Whether only these labels are told (the default), or all others.",
                False,
            ),
        ),
        _watch,
        mutates=True,
    ),
    mail_tool("stop_user_watch", "Have changes of the mailbox told no longer", (USER,), _stop, mutates=True),
)
