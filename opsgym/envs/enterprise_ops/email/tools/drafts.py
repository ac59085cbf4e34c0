"""Tools for drafts."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email import post
from opsgym.envs.enterprise_ops.email.mailbox import milliseconds
from opsgym.envs.enterprise_ops.email.tables.messages import DRAFTS, MESSAGES
from opsgym.envs.enterprise_ops.email.tools.messages import FORMAT, composed, found
from opsgym.envs.enterprise_ops.email.tools.shared import (
    MAX_RESULTS,
    MAYBE_USER,
    MESSAGE,
    PAGE_TOKEN,
    SPAM_TRASH,
    Given,
    Q,
    mail_tool,
)
from opsgym.envs.enterprise_ops.paging import page


def _draft(box: Records, key: str) -> tuple[Given, Given]:
    draft = box.get(DRAFTS, {"id": key})
    return draft, post.message_of(box, draft["message_id"])


def _list(box: Records, given: Given) -> Given:
    drafts = {row["message_id"]: row["id"] for row in box.find(DRAFTS, {})}
    rows = [row for row in found(box, given) if row["id"] in drafts]
    told = [{"id": drafts[row["id"]], "message": post.brief(row)} for row in rows]
    return page("drafts", told, given.get("pageToken"), given["maxResults"]) | {"resultSizeEstimate": len(rows)}


def _get(box: Records, given: Given) -> Given:
    draft, message = _draft(box, given["id"])
    return {"id": draft["id"], "message": post.shown(box, message, given["format"])}


def _create(box: Records, given: Given) -> Given:
    content = given["message"]
    message = post.stored(box, composed(box, content), {"DRAFT"}, thread=content.get("threadId"))
    draft = box.create(DRAFTS, {"message_id": message["id"]})
    return {"id": draft["id"], "message": post.brief(message) | {"labelIds": ["DRAFT"]}}


def _replace(box: Records, message: Given, content: dict[str, Any]) -> None:
    """Give a draft other content; its place in a thread stays."""
    if content.get("threadId") not in (None, "", message["thread_id"]):
        raise ToolError("invalid_value", "message.threadId: a draft stays in its thread")
    made = composed(box, content)
    values: Given = {"snippet": made.snippet, "size_estimate": made.size, "raw": made.raw or ""}
    values["internal_date"] = str(milliseconds(box.world.now))
    post.emptied(box, message["id"])
    post.fill(box, message["id"], made)
    if any(message[name] != value for name, value in values.items()):
        box.update(MESSAGES, {"id": message["id"]}, values)


def _update(box: Records, given: Given) -> Given:
    draft, message = _draft(box, given["id"])
    _replace(box, message, given["message"])
    return {"id": draft["id"], "message": post.brief(message) | {"labelIds": post.labels_on(box, message["id"])}}


def _send(box: Records, given: Given) -> Given:
    draft, message = _draft(box, given["id"])
    if given["message"].get("payload") or given["message"].get("raw"):
        _replace(box, message, given["message"])
    box.delete(DRAFTS, {"id": draft["id"]})
    post.relabel(box, message, ("SENT",), ("DRAFT",))
    return post.brief(message) | {"labelIds": post.labels_on(box, message["id"])}


def _delete(box: Records, given: Given) -> Given:
    post.purge(box, _draft(box, given["id"])[1])
    return {"deleted": 1}


_ID = Argument("id", str, "Key of the draft.")

TOOLS = (
    mail_tool(
        "list_drafts",
        "List the drafts of the mailbox, the newest first",
        (MAX_RESULTS, MAYBE_USER, PAGE_TOKEN, Q, SPAM_TRASH),
        _list,
    ),
    mail_tool("get_draft", "Read a draft", (_ID, MAYBE_USER, FORMAT), _get),
    mail_tool(
        "create_draft",
        "Write a draft; From is the default address unless it is given",
        (MESSAGE, MAYBE_USER),
        _create,
        mutates=True,
    ),
    mail_tool("update_draft", "Replace the content of a draft", (_ID, MESSAGE, MAYBE_USER), _update, mutates=True),
    mail_tool(
        "send_draft",
        "Send a draft, which then is a draft no longer; an empty message sends it as it is, other content replaces it",
        (_ID, MESSAGE, MAYBE_USER),
        _send,
        mutates=True,
    ),
    mail_tool("delete_draft", "Delete a draft for good", (_ID, MAYBE_USER), _delete, mutates=True),
)
