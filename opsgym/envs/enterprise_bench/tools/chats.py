"""Tools of the chats."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Row
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.chats import CONVERSATION, MESSAGE
from opsgym.envs.enterprise_bench.tools.makers import (
    PAGES,
    SPAN,
    Given,
    as_self,
    check_self,
    getting,
    made,
    removing,
    span,
    updating,
)


def _messages(desk: Desk, row: Row) -> Row:
    return {"messages": desk.find(MESSAGE, {"conversation_id": row["conversation_id"]})}


def _mine(desk: Desk, given: Given) -> Any:
    check_self(desk, given, "emp_id")
    where, bound = span("date", given)
    terms = [where] if where else []
    if given.get("with_emp_id") is not None:
        terms.append("? IN (sender_emp_id, recipient_emp_id)")
        bound.append(given["with_emp_id"])
    terms.append("? IN (sender_emp_id, recipient_emp_id)")
    bound.append(desk.actor.id)
    rows, total = desk.page(
        CONVERSATION, {}, limit=given["limit"], offset=given["offset"], where=" AND ".join(terms), bound=bound
    )
    return {"conversations": rows, "total": total}


def _between(desk: Desk, given: Given) -> Any:
    pair = [given["sender_emp_id"], given["recipient_emp_id"]]
    rows = desk.find(CONVERSATION, {}, where="sender_emp_id IN (?, ?) AND recipient_emp_id IN (?, ?)", bound=[*pair, *pair])
    return {"conversation_ids": [row["conversation_id"] for row in rows]}


def _send(desk: Desk, given: Given) -> Any:
    check_self(desk, given, "sender_emp_id")
    with desk.world.savepoint():
        key = given.get("conversation_id") or _begin(desk, given)["conversation_id"]
        talk = desk.fetch(CONVERSATION, {"conversation_id": key})
        if given["recipient_emp_id"] not in (talk["sender_emp_id"], talk["recipient_emp_id"]):
            raise ToolError("invalid_value", f"recipient_emp_id: expected the other one of conversation {key}")
        values = {"conversation_id": key, "emp_id": desk.actor.id, "sent_at": desk.now, "text": given["text"]}
        return desk.create(MESSAGE, values)


def _begin(desk: Desk, given: Given) -> Row:
    values = {
        "sender_emp_id": desk.actor.id,
        "recipient_emp_id": given["recipient_emp_id"],
        "category": desk.persona.department,
        "topic": given["topic"],
        "date": desk.now,
    }
    return desk.create(CONVERSATION, values)


TOOLS = (
    made(
        "send_message",
        "Send a chat message, in a new conversation or in one that there is",
        (
            Argument("recipient_emp_id", str, "Employee id of the other one."),
            Argument("text", str, "The message."),
            Argument("conversation_id", str, "Conversation to go on with; by default a new one begins.", False),
            Argument("topic", str, "Topic of a new conversation.", False, "Chat"),
            as_self("sender_emp_id"),
        ),
        _send,
        mutates=True,
    ),
    updating("edit_message", "Change the text of a message", MESSAGE, "message_id", "", need="text"),
    removing("delete_message", "Delete a message", MESSAGE, "message_id"),
    removing(
        "delete_conversation",
        "Delete a conversation with its messages",
        CONVERSATION,
        "conversation_id",
        parts=((MESSAGE, "conversation_id"),),
    ),
    made(
        "list_my_conversations",
        "List your conversations, without their messages",
        (
            Argument("with_emp_id", str, "Only those with this employee.", False),
            *SPAN,
            as_self("emp_id"),
            *PAGES,
        ),
        _mine,
    ),
    made(
        "list_conversation_ids_between_employees",
        "List ids of the conversations of two employees, in either direction",
        (Argument("sender_emp_id", str, "One of them."), Argument("recipient_emp_id", str, "The other one.")),
        _between,
    ),
    getting(
        "fetch_conversation_by_id",
        "Read a conversation with its messages",
        CONVERSATION,
        "conversation_id",
        also=_messages,
    ),
)
"""The tools."""
