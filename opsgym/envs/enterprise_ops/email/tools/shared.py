"""What many tools have in common: arguments, their shapes, and the mailbox that a call opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.email.mailbox import ME, opened

Given = dict[str, Any]
Run = Callable[[Records, Given], Any]
"""What a tool does in a mailbox with the arguments given."""

Address = Annotated[str, Field(json_schema_extra={"format": "email"})]
Format = Literal["minimal", "full", "raw", "metadata"]


class Header(TypedDict, total=False):
    """A header of a message."""

    name: str
    value: str


class Body(TypedDict, total=False):
    """The body of a part: ``data`` is the text itself; of a file, base64url."""

    attachmentId: str
    size: int
    data: str


class Part(TypedDict, total=False):
    """A part of a message."""

    partId: str
    mimeType: str
    filename: str
    headers: list[Header]
    body: Body


class Payload(TypedDict, total=False):
    """The content of a message."""

    partId: str
    mimeType: str
    filename: str
    headers: list[Header]
    body: Body
    parts: list[Part]


class Message(TypedDict, total=False):
    """A message: ``payload`` or ``raw`` hold its content."""

    id: str
    threadId: str
    labelIds: list[str]
    snippet: str
    historyId: str
    internalDate: str
    payload: Payload
    sizeEstimate: int
    raw: str


USER = Argument("userId", str, "The mailbox: 'me', the key of its owner, or the owner's e-mail address.")
MAYBE_USER = Argument(
    "userId", str, "The mailbox: 'me' (the default), the key of its owner, or the owner's e-mail address.", False
)
ID = Argument("id", str, "Its key.")
MESSAGE_ID = Argument("id", str, "Key of the message.")
THREAD_ID = Argument("id", str, "Key of the thread.")
ADD = Argument("addLabelIds", list[str], "Keys of labels to put on.", False, [])
REMOVE = Argument("removeLabelIds", list[str], "Keys of labels to take off.", False, [])
MESSAGE = Argument("message", Message, "The message: payload with headers and body, or raw; threadId to answer in a thread.")
Q = Argument("q", str, "Search query, for example: from:ann is:unread after:2026/05/01 -label:travel.", False)
MAX_RESULTS = Argument("maxResults", Annotated[int, Field(ge=1, le=500)], "Greatest number of items.", False, 100)
PAGE_TOKEN = Argument("pageToken", str, "The nextPageToken of the call before.", False)
SPAM_TRASH = Argument("includeSpamTrash", bool, "Whether spam and trash are searched too.", False, False)


def mail_tool(name: str, summary: str, arguments: Sequence[Argument], run: Run, *, mutates: bool = False) -> Tool:
    """A tool that acts in the mailbox of its ``userId``, by default the actor's own."""

    def act(records: Records, given: Given) -> Any:
        return run(opened(records, given.pop("userId", ME)), given)

    return declared(name, summary, arguments, act, mutates=mutates)


def stated(name: str, annotation: Any, about: str, default: Any) -> Argument:
    """An argument that must be given, although the published signature states a default too."""
    return Argument(name, Annotated[annotation, Field(json_schema_extra={"default": default})], about)


def optional(argument: Argument, default: Any = None) -> Argument:
    """The argument, where it need not be given."""
    return Argument(argument.name, argument.annotation, argument.about, False, default)


def camel(row: Given, names: Sequence[tuple[str, str]]) -> Given:
    """Columns of a row under the names that tools use, without those that are empty."""
    return {told: row[column] for told, column in names if row[column] is not None}
