"""Tools for threads: what they do, they do to all messages of a thread."""

from __future__ import annotations

from typing import Literal

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email import post
from opsgym.envs.enterprise_ops.email.tables.messages import MESSAGES, THREADS
from opsgym.envs.enterprise_ops.email.tools.messages import LABEL_IDS, METADATA, found, trash, untrash
from opsgym.envs.enterprise_ops.email.tools.shared import (
    ADD,
    MAX_RESULTS,
    PAGE_TOKEN,
    REMOVE,
    SPAM_TRASH,
    THREAD_ID,
    USER,
    Given,
    Q,
    mail_tool,
    optional,
)
from opsgym.envs.enterprise_ops.paging import page


def _thread(box: Records, key: str) -> tuple[Given, list[Given]]:
    """A thread with its messages, the oldest first."""
    thread = box.get(THREADS, {"id": key})
    messages = box.find(MESSAGES, {"thread_id": key})
    return thread, sorted(messages, key=lambda row: int(row["internal_date"]))


def _told(thread: Given) -> Given:
    return {"id": thread["id"], "snippet": thread["snippet"] or "", "historyId": str(thread["history_id"])}


def _list(box: Records, given: Given) -> Given:
    keys = list(dict.fromkeys(row["thread_id"] for row in found(box, given)))
    told = page("threads", keys, given.get("pageToken"), given["maxResults"])
    told["threads"] = [_told(box.get(THREADS, {"id": key})) for key in told["threads"]]
    return told | {"resultSizeEstimate": len(keys)}


def _get(box: Records, given: Given) -> Given:
    thread, messages = _thread(box, given["id"])
    headers = given.get("metadataHeaders") or ()
    return _told(thread) | {"messages": [post.shown(box, row, given["format"], headers) for row in messages]}


def _modify(box: Records, given: Given) -> Given:
    add, remove = given.get("addLabelIds") or [], given.get("removeLabelIds") or []
    _, messages = _thread(box, given["id"])
    post.checked_labels(box, add, remove)
    for message in messages:
        post.relabel(box, message, add, remove)
    return _minimal(box, given["id"])


def _trash(box: Records, given: Given) -> Given:
    for message in _thread(box, given["id"])[1]:
        trash(box, message)
    return _minimal(box, given["id"])


def _untrash(box: Records, given: Given) -> Given:
    gone = [row for row in _thread(box, given["id"])[1] if "TRASH" in post.labels_on(box, row["id"])]
    if not gone:
        raise ToolError("bad_state", f"no message of thread {given['id']} is in the trash")
    for message in gone:
        untrash(box, message)
    return _minimal(box, given["id"])


def _delete(box: Records, given: Given) -> Given:
    messages = _thread(box, given["id"])[1]
    for message in messages:
        post.purge(box, message)
    return {"deleted": len(messages)}


def _minimal(box: Records, key: str) -> Given:
    return _get(box, {"id": key, "format": "minimal"})


_FORMAT = Argument("format", Literal["minimal", "full", "metadata"], "How much of each message to give.", False, "full")

TOOLS = (
    mail_tool(
        "list_threads",
        "List threads with a message that is asked for, the newest first",
        (USER, MAX_RESULTS, PAGE_TOKEN, Q, optional(LABEL_IDS), SPAM_TRASH),
        _list,
    ),
    mail_tool("get_thread", "Read a thread with its messages", (USER, THREAD_ID, _FORMAT, optional(METADATA)), _get),
    mail_tool(
        "modify_thread",
        "Put labels on all messages of a thread and take labels off",
        (USER, THREAD_ID, optional(ADD), optional(REMOVE)),
        _modify,
        mutates=True,
    ),
    mail_tool("trash_thread", "Move all messages of a thread to the trash", (USER, THREAD_ID), _trash, mutates=True),
    mail_tool("untrash_thread", "Take the messages of a thread out of the trash", (USER, THREAD_ID), _untrash, mutates=True),
    mail_tool("delete_thread", "Delete all messages of a thread for good", (USER, THREAD_ID), _delete, mutates=True),
)
