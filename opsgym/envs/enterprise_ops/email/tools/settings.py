"""Tools for IMAP, POP, language and vacation settings."""

from __future__ import annotations

from typing import Literal

from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.core.records.table import Table
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.email.mailbox import moment
from opsgym.envs.enterprise_ops.email.tables.settings import IMAP, LANGUAGE, POP, VACATION
from opsgym.envs.enterprise_ops.email.tools.shared import USER, Given, camel, mail_tool, stated
from opsgym.envs.enterprise_ops.email.words import FOLDER_SIZES

Names = tuple[tuple[str, str], ...]

_IMAP: Names = (
    ("enabled", "enabled"),
    ("autoExpunge", "auto_expunge"),
    ("expungeBehavior", "expunge_behavior"),
    ("maxFolderSize", "max_folder_size"),
)
_POP: Names = (("accessWindow", "access_window"), ("disposition", "disposition"))
_LANGUAGE: Names = (("displayLanguage", "display_language"),)
_VACATION: Names = (
    ("enableAutoReply", "enable_auto_reply"),
    ("responseSubject", "response_subject"),
    ("responseBodyPlainText", "response_body_plain_text"),
    ("responseBodyHtml", "response_body_html"),
    ("restrictToContacts", "restrict_to_contacts"),
    ("restrictToDomain", "restrict_to_domain"),
    ("startTime", "start_time"),
    ("endTime", "end_time"),
)


def _getter(name: str, summary: str, table: Table, names: Names) -> Tool:
    def run(box: Records, given: Given) -> Given:
        return camel(box.get(table, {"user_id": box.actor.scope}), names)

    return mail_tool(name, summary, (USER,), run)


def _setter(name: str, summary: str, table: Table, names: Names, arguments: tuple[Argument, ...]) -> Tool:
    columns = dict(names)

    def run(box: Records, given: Given) -> Given:
        for key in ("startTime", "endTime"):
            if given.get(key):
                moment(given[key], key)
        values = {columns[key]: value for key, value in given.items()}
        return camel(box.update(table, {"user_id": box.actor.scope}, values), names)

    return mail_tool(name, summary, (USER, *arguments), run, mutates=True)


_DISPOSITION = Literal["leaveInInbox", "archive", "trash", "markRead"]

TOOLS = (
    _getter("get_imap_settings", "Read the IMAP settings of the mailbox", IMAP, _IMAP),
    _setter(
        "update_imap_settings",
        "Replace the IMAP settings of the mailbox",
        IMAP,
        _IMAP,
        (
            stated("enabled", bool, "Whether IMAP is on.", True),
            stated("autoExpunge", bool, "Whether messages marked as deleted go at once.", True),
            stated("expungeBehavior", Literal["archive", "trash", "deleteForever"], "Where they go.", "archive"),
            stated("maxFolderSize", Literal[FOLDER_SIZES], "Greatest number of messages of a folder; 0 for no limit.", "0"),
        ),
    ),
    _getter("get_pop_settings", "Read the POP settings of the mailbox", POP, _POP),
    _setter(
        "update_pop_settings",
        "Replace the POP settings of the mailbox",
        POP,
        _POP,
        (
            stated("accessWindow", Literal["disabled", "fromNowOn", "allMail"], "Which mail POP reads.", "disabled"),
            stated("disposition", _DISPOSITION, "What becomes of mail that was read by POP.", "leaveInInbox"),
        ),
    ),
    _getter("get_language_settings", "Read the language of the mailbox", LANGUAGE, _LANGUAGE),
    _setter(
        "update_language_settings",
        "Change the language of the mailbox",
        LANGUAGE,
        _LANGUAGE,
        (stated("displayLanguage", str, "Language as in RFC 3066, for example en-GB.", "en"),),
    ),
    _getter("get_vacation_settings", "Read the automatic reply of the mailbox", VACATION, _VACATION),
    _setter(
        "update_vacation_settings",
        "Replace the automatic reply of the mailbox; an empty text clears a field",
        VACATION,
        _VACATION,
        (
            stated("enableAutoReply", bool, "Whether mail is answered.", False),
            Argument("responseSubject", str, "Subject of the reply."),
            Argument("responseBodyPlainText", str, "Text of the reply."),
            Argument("responseBodyHtml", str, "Text of the reply in HTML."),
            stated("restrictToContacts", bool, "Whether only contacts are answered.", True),
            stated("restrictToDomain", bool, "Whether only people of the organization are answered.", True),
            Argument("startTime", str, "First moment, in milliseconds since 1970."),
            Argument("endTime", str, "Last moment, in milliseconds since 1970."),
        ),
    ),
)
