"""Comments on files and replies to them."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.tables.people import CREATED, MODIFIED

COMMENTS = Table(
    "comments",
    (
        Key("id", "COM"),
        Ref("file_id", "files", required=True),
        Ref("author_id", "users", required=True, by_actor=True),
        Text("content", 8192, required=True),
        Text("anchor"),
        Flag("resolved", required=True, default=False),
        Flag("deleted", required=True, default=False),
        Text("quoted_file_content_mime_type"),
        Text("quoted_file_content_value"),
        Text("kind", default="drive#comment"),
        Text("html_content"),
        CREATED,
        MODIFIED,
    ),
    resource="comments",
    indexes=(("file_id",),),
)
REPLIES = Table(
    "replies",
    (
        Key("id", "REP"),
        Ref("comment_id", "comments", required=True),
        Ref("author_id", "users", required=True, by_actor=True),
        Text("content", 8192, required=True),
        Choice("action", words.REPLY_ACTIONS),
        Flag("deleted", required=True, default=False),
        Text("kind", default="drive#reply"),
        Text("html_content"),
        CREATED,
        MODIFIED,
    ),
    resource="comments",
    indexes=(("comment_id",),),
)
TABLES = (COMMENTS, REPLIES)
