"""Tools for comments on files and replies to them."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.drive.tables.comments import COMMENTS, REPLIES
from opsgym.envs.enterprise_ops.drive.tools.shared import CONTENT, TERMS, full, within
from opsgym.envs.enterprise_ops.drive.tree import file_of
from opsgym.envs.enterprise_ops.paging import page

Row = dict[str, Any]


def _of_file(records: Records, given: Row) -> Row:
    return {"file_id": file_of(records, given["fileId"])["id"]}


def _comment(records: Records, given: Row, *, deleted: bool = False) -> Row:
    """The comment that is named, on the file that is named."""
    return _there(records, COMMENTS, _of_file(records, given) | {"id": given["commentId"]}, deleted)


def _reply(records: Records, given: Row, *, deleted: bool = False) -> Row:
    comment = _comment(records, given, deleted=deleted)
    return _there(records, REPLIES, {"comment_id": comment["id"], "id": given["replyId"]}, deleted)


def _there(records: Records, table: Table, equal: Row, deleted: bool) -> Row:
    row = records.get(table, equal)
    if row["deleted"] and not deleted:
        raise ToolError("not_found", f"{row['id']} was deleted", "Set includeDeleted to see that.")
    return _silent(row)


def _silent(row: Row) -> Row:
    """What is deleted has no text."""
    return {name: value for name, value in full(row).items() if not (row["deleted"] and name in ("content", "html_content"))}


def _list(records: Records, table: Table, name: str, equal: Row, given: Row) -> Any:
    since = given.get("startModifiedTime")
    where, bound = ("datetime(modified_time) >= datetime(?)", [since]) if since else ("1", [])
    rows = [_silent(row) for row in records.find(table, equal, where=where, bound=bound)]
    kept = [row for row in rows if given["includeDeleted"] or not row["deleted"]]
    return page(name, kept, given.get("pageToken"), given["pageSize"])


@TERMS.tool("create_comments", "Write a comment on a file", "fileId content", "anchor", mutates=True, content=CONTENT)
def create_comments(records: Records, given: Row) -> Any:
    """The new comment."""
    values = {name: given[name] for name in ("content", "anchor") if name in given}
    return full(records.create(COMMENTS, _of_file(records, given) | values))


@TERMS.tool("get_comments", "Read a comment with its replies", "fileId commentId", "includeDeleted=false")
def get_comments(records: Records, given: Row) -> Any:
    """The comment, and its replies."""
    comment = _comment(records, given, deleted=given["includeDeleted"])
    replies = [_silent(row) for row in records.find(REPLIES, {"comment_id": comment["id"]})]
    return comment | {"replies": [row for row in replies if given["includeDeleted"] or not row["deleted"]]}


@TERMS.tool(
    "list_comments",
    "List the comments on a file",
    "fileId",
    "includeDeleted=false pageSize=100 pageToken startModifiedTime",
    pageSize=within(1, 100),
)
def list_comments(records: Records, given: Row) -> Any:
    """Comments on a page."""
    return _list(records, COMMENTS, "comments", _of_file(records, given), given)


@TERMS.tool("update_comments", "Change a comment", "fileId commentId", "content anchor", mutates=True)
def update_comments(records: Records, given: Row) -> Any:
    """The comment after the change."""
    row = _comment(records, given)
    return full(
        records.update(COMMENTS, {"id": row["id"]}, {name: given[name] for name in ("content", "anchor") if name in given})
    )


@TERMS.tool("delete_comments", "Delete a comment; its place stays, its text goes", "fileId commentId", mutates=True)
def delete_comments(records: Records, given: Row) -> Any:
    """The id of what is deleted."""
    row = _comment(records, given)
    records.update(COMMENTS, {"id": row["id"]}, {"deleted": True})
    return {"deleted": row["id"]}


@TERMS.tool("create_replies", "Reply to a comment", "fileId commentId content", mutates=True, content=CONTENT)
def create_replies(records: Records, given: Row) -> Any:
    """The new reply."""
    return full(records.create(REPLIES, {"comment_id": _comment(records, given)["id"], "content": given["content"]}))


@TERMS.tool("get_replies", "Read a reply", "fileId commentId replyId", "includeDeleted=false")
def get_replies(records: Records, given: Row) -> Any:
    """One reply."""
    return _reply(records, given, deleted=given["includeDeleted"])


@TERMS.tool(
    "list_replies",
    "List the replies to a comment",
    "fileId commentId",
    "includeDeleted=false pageSize=10 pageToken",
    pageSize=within(1, 1000),
)
def list_replies(records: Records, given: Row) -> Any:
    """Replies on a page."""
    comment = _comment(records, given, deleted=given["includeDeleted"])
    return _list(records, REPLIES, "replies", {"comment_id": comment["id"]}, given)


@TERMS.tool("update_replies", "Change a reply", "fileId commentId replyId content", mutates=True, content=CONTENT)
def update_replies(records: Records, given: Row) -> Any:
    """The reply after the change."""
    return full(records.update(REPLIES, {"id": _reply(records, given)["id"]}, {"content": given["content"]}))


@TERMS.tool("delete_replies", "Delete a reply; its place stays, its text goes", "fileId commentId replyId", mutates=True)
def delete_replies(records: Records, given: Row) -> Any:
    """The id of what is deleted."""
    row = _reply(records, given)
    records.update(REPLIES, {"id": row["id"]}, {"deleted": True})
    return {"deleted": row["id"]}


TOOLS = (
    create_comments,
    get_comments,
    list_comments,
    update_comments,
    delete_comments,
    create_replies,
    get_replies,
    list_replies,
    update_replies,
    delete_replies,
)
