"""Settings of which each mailbox has one record: IMAP, POP, language and the vacation responder."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.email import words
from opsgym.envs.enterprise_ops.email.tables.shared import OWNER

IMAP = Table(
    "imap_settings",
    (
        Key("id", "imap"),
        OWNER,
        Flag("enabled", required=True, default=True),
        Flag("auto_expunge", required=True, default=True),
        Choice("expunge_behavior", words.EXPUNGES, required=True, default="archive"),
        Whole("max_folder_size", 0, required=True, default=0),
    ),
    resource="settings",
    scope="user_id",
    unique=(("user_id",),),
)
POP = Table(
    "pop_settings",
    (
        Key("id", "pop"),
        OWNER,
        Choice("access_window", words.ACCESS_WINDOWS, required=True, default="disabled"),
        Choice("disposition", words.DISPOSITIONS, required=True, default="leaveInInbox"),
    ),
    resource="settings",
    scope="user_id",
    unique=(("user_id",),),
)
LANGUAGE = Table(
    "language_settings",
    (Key("id", "lang"), OWNER, Choice("display_language", words.LANGUAGES, required=True, default="en", shown=False)),
    resource="settings",
    scope="user_id",
    unique=(("user_id",),),
)
VACATION = Table(
    "vacation_settings",
    (
        Key("id", "vacation"),
        OWNER,
        Flag("enable_auto_reply", required=True, default=False),
        Text("response_subject", 500),
        Text("response_body_plain_text", 10_000),
        Text("response_body_html", 20_000),
        Flag("restrict_to_contacts", required=True, default=False),
        Flag("restrict_to_domain", required=True, default=False),
        Text("start_time", 20, doc="First moment, in milliseconds since 1970."),
        Text("end_time", 20, doc="Last moment, in milliseconds since 1970."),
    ),
    resource="settings",
    scope="user_id",
    unique=(("user_id",),),
)
TABLES = (IMAP, POP, LANGUAGE, VACATION)
