"""Email: its policy binds in strict mode, shows in end states, and its tools keep the world whole."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.tools import Tool
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.email import words
from opsgym.envs.enterprise_ops.email.domain import EMAIL
from tests.envs.enterprise_ops.calls import Make, attempt, every_sort, known_values, valid
from tests.envs.enterprise_ops.small import Step
from tests.envs.enterprise_ops.small_email import ACTORS, NOW_MS, broken, call, forbidden, letter, recounted, rows, session

ME = {"userId": "me"}


def test_it_has_28_tables_and_79_tools() -> None:
    assert len(EMAIL.tables) == 28
    assert len(EMAIL.toolbox) == 79


# -- rules ------------------------------------------------------------------------------------------------------

VACATION: dict[str, Any] = {
    "userId": "me",
    "enableAutoReply": True,
    "responseSubject": "Away",
    "responseBodyPlainText": "",
    "responseBodyHtml": "",
    "restrictToContacts": False,
    "restrictToDomain": False,
    "startTime": str(NOW_MS),
    "endTime": "",
}
IMAP = {"userId": "me", "enabled": True, "autoExpunge": True, "expungeBehavior": "archive", "maxFolderSize": "0"}
AUTO = {"userId": "me", "enabled": True, "emailAddress": "dan@north.example", "disposition": "leaveInInbox"}
SMIME = {
    "userId": "me",
    "sendAsEmail": "ann@north.example",
    "issuerCn": "Root",
    "expiration": str(NOW_MS + 1000),
    "pkcs12": "YWJj",
}
IDENTITY = {"userId": "me", "emailAddress": "ann@north.example"}

BREACHES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("EMAIL-TRASH-FIRST", "owner", "delete_message", {"id": "m1"}),
    ("EMAIL-TRASH-FIRST", "owner", "batch_delete_messages", {"ids": ["m4", "m3"], **ME}),
    ("EMAIL-TRASH-FIRST", "owner", "delete_thread", {"id": "t1", **ME}),
    ("EMAIL-SEND-FROM", "owner", "send_message", {"payload": letter(sender="news@north.example"), **ME}),
    ("EMAIL-SEND-FROM", "owner", "create_draft", {"message": {"payload": letter(sender="dan@north.example")}}),
    ("EMAIL-SEND-COMPLETE", "owner", "send_message", {"payload": letter(subject=""), **ME}),
    ("EMAIL-SEND-COMPLETE", "owner", "send_draft", {"id": "draft_001", "message": {"payload": letter(to="")}}),
    ("EMAIL-LABEL-USED", "owner", "delete_label", {"id": "Label_15", **ME}),
    (
        "EMAIL-FILTER-FORWARD",
        "owner",
        "create_filter",
        {"criteria": {"from": "x@y.example"}, "action": {"forward": "ben@north.example"}, **ME},
    ),
    (
        "EMAIL-FILTER-KEEP",
        "owner",
        "create_filter",
        {"criteria": {"from": "x@y.example"}, "action": {"addLabelIds": ["TRASH"]}, **ME},
    ),
    ("EMAIL-FORWARD-INSIDE", "owner", "create_forwarding_address", {"forwardingEmail": "ann@n0rth.example", **ME}),
    ("EMAIL-FORWARD-USED", "owner", "delete_forwarding_address", {"forwardingEmail": "ann@outside.example", **ME}),
    ("EMAIL-AUTO-ACCEPTED", "owner", "update_auto_forwarding", AUTO | {"emailAddress": "ben@north.example"}),
    ("EMAIL-AUTO-ACCEPTED", "owner", "update_auto_forwarding", AUTO | {"emailAddress": ""}),
    ("EMAIL-AUTO-KEEP", "owner", "update_auto_forwarding", AUTO | {"disposition": "trash"}),
    ("EMAIL-ALIAS-DEFAULT", "owner", "patch_send_as_alias", {"sendAsEmail": "news@north.example", "isDefault": True, **ME}),
    (
        "EMAIL-ALIAS-REPLY",
        "owner",
        "patch_send_as_alias",
        {"sendAsEmail": "sales@north.example", "replyToAddress": "ann@outside.example", **ME},
    ),
    ("EMAIL-SMIME-COMPLETE", "owner", "insert_smime_config", {name: SMIME[name] for name in SMIME if name != "pkcs12"}),
    ("EMAIL-SMIME-EXPIRED", "owner", "insert_smime_config", SMIME | {"expiration": "1000"}),
    ("EMAIL-SMIME-EXPIRED", "owner", "set_default_smime_config", {"sendAsEmail": "ann@north.example", "id": "smime_002", **ME}),
    ("EMAIL-KEY-USED", "admin", "email_disable_cse_keypair", {"userId": "ann@north.example", "keyPairId": "key_001"}),
    ("EMAIL-KEY-OBLITERATE", "admin", "email_obliterate_cse_keypair", {"userId": "user_001", "keyPairId": "key_003"}),
    ("EMAIL-KEY-OBLITERATE", "admin", "email_obliterate_cse_keypair", {"userId": "user_001", "keyPairId": "key_004"}),
    ("EMAIL-IDENTITY-KEY", "admin", "patch_cse_identity", IDENTITY | {"userId": "user_001", "primaryKeyPairId": "key_002"}),
    (
        "EMAIL-IDENTITY-KEY",
        "admin",
        "create_cse_identity",
        {"userId": "user_001", "emailAddress": "sales@north.example", "primaryKeyPairId": "key_001"},
    ),
    (
        "EMAIL-IDENTITY-ADDRESS",
        "admin",
        "create_cse_identity",
        {"userId": "user_001", "emailAddress": "news@north.example", "primaryKeyPairId": "key_004"},
    ),
    ("EMAIL-DELEGATE-ACTIVE", "admin", "email_create_delegate", {"userId": "user_001", "delegateEmail": "cas@north.example"}),
    ("EMAIL-DELEGATE-ACTIVE", "admin", "email_create_delegate", {"userId": "user_001", "delegateEmail": "ann@north.example"}),
    ("EMAIL-VACATION-COMPLETE", "owner", "update_vacation_settings", VACATION | {"startTime": ""}),
    ("EMAIL-VACATION-COMPLETE", "owner", "update_vacation_settings", VACATION | {"responseSubject": ""}),
    ("EMAIL-VACATION-ORDER", "owner", "update_vacation_settings", VACATION | {"endTime": str(NOW_MS)}),
    ("EMAIL-IMAP-KEEP", "owner", "update_imap_settings", IMAP | {"expungeBehavior": "deleteForever"}),
    ("EMAIL-POP-KEEP", "owner", "update_pop_settings", {"accessWindow": "allMail", "disposition": "trash", **ME}),
    ("RIGHTS", "owner", "email_create_delegate", {"delegateEmail": "dan@north.example", **ME}),
    ("RIGHTS", "owner", "email_disable_cse_keypair", {"keyPairId": "key_004", **ME}),
    ("RIGHTS", "admin", "send_message", {"payload": letter(), "userId": "user_001"}),
    ("RIGHTS", "admin", "trash_message", {"id": "m1", "userId": "user_001"}),
    ("RIGHTS", "delegate", "update_language_settings", {"displayLanguage": "de", "userId": "user_001"}),
    ("RIGHTS", "delegate", "create_label", {"name": "Mine", "userId": "user_001"}),
]


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_a_strict_tool_refuses_with_the_rule(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    forbidden(session(role), rule, tool, **arguments)


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_the_same_breach_shows_in_the_end_state(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    assert rule in broken(role, (tool, arguments))


def test_the_breaches_are_of_all_rules() -> None:
    tried = {rule for rule, *_ in BREACHES}
    elsewhere = {"EMAIL-FILTER-LIMIT", "EMAIL-DELEGATE-LIMIT", "EMAIL-KEY-START", "EMAIL-KEY-MOVE"}  # below; or no tool can
    assert {rule.id for rule in EMAIL.rules} - tried == elsewhere


@pytest.mark.parametrize(
    ("role", "steps"),
    [
        ("owner", [("trash_message", {"id": "m1", **ME}), ("delete_message", {"id": "m1"})]),
        ("owner", [("verify_send_as_alias", {"sendAsEmail": "news@north.example", **ME})]),
        (
            "owner",
            [
                ("verify_send_as_alias", {"sendAsEmail": "news@north.example", **ME}),
                ("send_message", {"payload": letter(sender="News <news@north.example>"), **ME}),
            ],
        ),
        ("owner", [("delete_draft", {"id": "draft_001"})]),
        ("owner", [("delete_label", {"id": "Label_16", **ME})]),
        (
            "owner",
            [("modify_message", {"id": "m1", "removeLabelIds": ["Label_15"], **ME}), ("delete_label", {"id": "Label_15", **ME})],
        ),
        (
            "owner",
            [
                ("delete_filter", {"id": "filter_001", **ME}),
                ("delete_forwarding_address", {"forwardingEmail": "ann@outside.example", **ME}),
            ],
        ),
        ("owner", [("update_auto_forwarding", AUTO)]),
        ("owner", [("update_vacation_settings", VACATION)]),
        (
            "admin",
            [
                ("patch_cse_identity", IDENTITY | {"userId": "user_001", "primaryKeyPairId": "key_004"}),
                ("email_disable_cse_keypair", {"userId": "user_001", "keyPairId": "key_001"}),
                ("email_obliterate_cse_keypair", {"userId": "user_001", "keyPairId": "key_002"}),
            ],
        ),
        ("admin", [("email_create_delegate", {"userId": "user_001", "delegateEmail": "dan@north.example"})]),
        ("delegate", [("send_message", {"payload": letter(), "userId": "ann@north.example"})]),
    ],
)
def test_work_by_the_rules_is_done_and_breaks_nothing(role: str, steps: list[Step]) -> None:
    strict = session(role)
    for tool, arguments in steps:
        call(strict, tool, **arguments)
    assert strict.world.check() == []
    assert broken(role, *steps) == set()


def test_a_key_pair_is_obliterated_after_thirty_days() -> None:
    steps = (
        ("email_disable_cse_keypair", {"userId": "user_001", "keyPairId": "key_004"}),
        ("email_obliterate_cse_keypair", {"userId": "user_001", "keyPairId": "key_004"}),
    )
    assert broken("admin", *steps, minutes=30 * 24 * 60 - 1) == {"EMAIL-KEY-OBLITERATE"}
    assert broken("admin", *steps, minutes=30 * 24 * 60) == set()


def test_a_key_pair_in_use_is_not_obliterated_in_any_mode() -> None:
    with pytest.raises(ToolError, match="an identity uses"):
        call(session("admin", "permissive"), "email_obliterate_cse_keypair", userId="user_001", keyPairId="key_001")


def test_numbers_of_filters_and_delegates_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    records = session()
    sql = "INSERT INTO filters VALUES ('f' || ?, 'user_001', '{}', '{}')"
    records.world.executemany(sql, [(number,) for number in range(words.MAX_FILTERS - 1)])
    new = {"criteria": {"from": "x@y.example"}, "action": {"addLabelIds": ["STARRED"]}, **ME}
    forbidden(records, "EMAIL-FILTER-LIMIT", "create_filter", **new)
    admin = session("admin")
    for number in range(words.MAX_DELEGATES - 1):
        admin.world.execute(
            "INSERT INTO users (id, email, display_name, is_admin, suspended, messages_total, threads_total, history_id)"
            " VALUES (?, ?, 'x', 0, 0, 0, 0, 0)",
            (f"x{number}", f"x{number}@north.example"),
        )
        call(admin, "email_create_delegate", userId="user_001", delegateEmail=f"x{number}@north.example")
    forbidden(admin, "EMAIL-DELEGATE-LIMIT", "email_create_delegate", userId="user_001", delegateEmail="dan@north.example")


# -- mailboxes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["strict", "permissive"])
def test_a_mailbox_is_closed_to_others(mode: Any) -> None:
    stranger = session("stranger", mode)
    forbidden(stranger, "EMAIL-ACCESS", "list_messages", userId="ann@north.example")
    forbidden(stranger, "EMAIL-ACCESS", "create_label", userId="user_001", name="Mine")
    forbidden(session("delegate", mode), "EMAIL-ACCESS", "list_messages", userId="dan@north.example")
    with pytest.raises(ToolError, match="no message"):
        call(stranger, "get_message", id="m1")
    with pytest.raises(ToolError, match="no label"):
        call(stranger, "modify_message", id="m6", userId="me", addLabelIds=["Label_15"])
    with pytest.raises(ToolError, match="no mailbox"):
        call(stranger, "get_user_profile", userId="nobody@north.example")


def test_a_delegate_reads_and_writes_mail_until_the_admin_says_no() -> None:
    records = session("delegate")
    assert call(records, "get_message", id="m1", userId="user_001")["snippet"] == "Please pay invoice 17."
    admin = Records(EMAIL, records.world, ACTORS["admin"], enforcement="strict")
    call(admin, "email_delete_delegate", userId="user_001", delegateEmail="ben@north.example")
    forbidden(records, "EMAIL-ACCESS", "get_message", id="m1", userId="user_001")


def test_mail_sent_by_a_delegate_comes_from_the_owner() -> None:
    records = session("delegate")
    sent = call(records, "send_message", userId="user_001", payload=letter())
    headers = call(records, "get_message", id=sent["id"], userId="user_001")["payload"]["headers"]
    assert {"name": "From", "value": "Ann Hale <ann@north.example>"} in headers


# -- messages and threads ---------------------------------------------------------------------------------------


def test_counts_threads_and_history_follow_from_what_is_done() -> None:
    records = session()
    steps: list[Step] = [
        ("send_message", {"payload": letter(), "threadId": "t1", **ME}),
        ("modify_message", {"id": "m1", "removeLabelIds": ["UNREAD"], **ME}),
        ("modify_thread", {"id": "t1", "addLabelIds": ["Label_16"], **ME}),
        ("batch_modify_messages", {"ids": ["m1", "m3"], "addLabelIds": ["UNREAD", "Label_15"]}),
        ("trash_thread", {"id": "t3", **ME}),
        ("delete_thread", {"id": "t3", **ME}),
        ("import_message", {"payload": letter(sender="x@y.example"), "labelIds": ["Label_15"]}),
        ("send_draft", {"id": "draft_001", "message": {}}),
    ]
    for tool, arguments in steps:
        call(records, tool, **arguments)
        labels, users = recounted(records.world)
        for key, (total, unread, threads) in labels.items():
            found = records.world.execute("SELECT * FROM labels WHERE id = ?", (key,)).fetchone()
            names = EMAIL.table("labels").names
            row = dict(zip(names, found, strict=True))
            assert (row["messages_total"], row["messages_unread"], row["threads_total"]) == (total, unread, threads), tool
        for key, counts in users.items():
            sql = "SELECT messages_total, threads_total FROM users WHERE id = ?"
            assert records.world.execute(sql, (key,)).fetchone() == counts, tool
    assert records.world.check() == []
    history = call(records, "list_history", startHistoryId="0", **ME)
    kinds = {name for entry in history["history"] for name in entry}
    assert {"messagesAdded", "messagesDeleted", "labelsAdded", "labelsRemoved"} <= kinds
    assert call(records, "get_user_profile", **ME)["historyId"] == history["historyId"]


def test_labels_of_threads_are_those_of_their_messages() -> None:
    records = session()
    call(records, "modify_message", id="m2", addLabelIds=["Label_16"], **ME)
    call(records, "modify_message", id="m1", removeLabelIds=["INBOX", "UNREAD"], **ME)
    union = "SELECT DISTINCT m.thread_id, l.label_id FROM messages m JOIN message_labels l ON l.message_id = m.id ORDER BY 1, 2"
    kept = "SELECT thread_id, label_id FROM thread_labels ORDER BY 1, 2"
    assert records.world.execute(kept).fetchall() == records.world.execute(union).fetchall()


def test_a_message_is_stored_with_what_it_was_given() -> None:
    records = session()
    parts = [
        {"mimeType": "text/plain", "body": {"data": "See the file."}},
        {"mimeType": "text/csv", "filename": "a.csv", "body": {"data": "YSxi"}},
    ]
    headers = [{"name": "to", "value": "Fay Roe <FAY@client.example>"}, {"name": "SUBJECT", "value": "File"}]
    payload = {"headers": headers, "parts": parts}
    sent = call(records, "send_message", payload=payload, threadId="t1", labelIds=["Label_15"], **ME)
    assert (sent["threadId"], sent["labelIds"]) == ("t1", ["Label_15", "SENT"])
    read = call(records, "get_message", id=sent["id"])
    assert read["payload"]["headers"][1:] == [{"name": "To", "value": "fay@client.example"}, {"name": "Subject", "value": "File"}]
    file = read["payload"]["parts"][1]
    assert (file["filename"], "data" in file["body"]) == ("a.csv", False)
    got = call(records, "get_attachment", messageId=sent["id"], id=file["body"]["attachmentId"], **ME)
    assert got["data"] == "YSxi"
    assert (read["snippet"], read["internalDate"]) == ("See the file.", str(NOW_MS))


def test_raw_text_and_its_base64url_are_read_alike() -> None:
    records = session()
    raw = "To: fay@client.example\nSubject: Plain\nContent-Type: text/plain; charset=utf-8\n\nGood day: all is well.\n"
    packed = base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")
    told = []
    for text in (raw, packed):
        sent = call(records, "send_message", raw=text, **ME)
        told.append(call(records, "get_message", id=sent["id"])["payload"])
    assert told[0]["headers"] == told[1]["headers"]
    assert told[0]["body"] == told[1]["body"] == {"size": 22, "data": "Good day: all is well."}
    with pytest.raises(ToolError, match="base64url"):
        call(records, "send_message", raw="??", **ME)


def test_what_exceeds_a_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    records = session("owner", "permissive")
    monkeypatch.setattr("opsgym.envs.enterprise_ops.email.letters.MAX_SIZE", 100)
    with pytest.raises(ToolError, match="at most 100 bytes"):
        call(records, "send_message", payload=letter(text="x" * 101), **ME)
    with pytest.raises(ToolError, match="1 to 1000"):
        call(records, "batch_modify_messages", ids=[f"m{number}" for number in range(1001)], addLabelIds=["STARRED"])
    with pytest.raises(ToolError, match="at most 100 labels"):
        call(records, "modify_message", id="m1", addLabelIds=[f"L{number}" for number in range(101)], **ME)
    with pytest.raises(ToolError, match="500"):
        call(records, "list_messages", maxResults=501, **ME)


def test_a_batch_is_done_whole_or_not_at_all() -> None:
    records = session("owner", "permissive")
    before = records.world.digest()
    with pytest.raises(ToolError):
        call(records, "batch_modify_messages", ids=["m1", "m6"], addLabelIds=["STARRED"])
    assert records.world.digest() == before


def test_trash_and_back() -> None:
    records = session()
    assert call(records, "trash_message", id="m1", **ME)["labelIds"] == ["Label_15", "TRASH", "UNREAD"]
    assert "INBOX" in call(records, "untrash_message", id="m1", **ME)["labelIds"]
    with pytest.raises(ToolError, match="not in the trash"):
        call(records, "untrash_message", id="m1", **ME)
    call(records, "trash_thread", id="t1", **ME)
    assert call(records, "list_threads", q="in:trash invoice", **ME)["threads"][0]["id"] == "t1"
    messages = call(records, "untrash_thread", id="t1", **ME)["messages"]
    assert [("TRASH" in item["labelIds"], "INBOX" in item["labelIds"]) for item in messages] == [(False, True), (False, False)]


def test_drafts_are_written_changed_and_sent() -> None:
    records = session()
    draft = call(records, "create_draft", message={"payload": letter(text="One.")})
    call(records, "update_draft", id=draft["id"], message={"payload": letter(text="Two.")})
    read = call(records, "get_draft", id=draft["id"])["message"]
    assert (read["snippet"], read["labelIds"]) == ("Two.", ["DRAFT"])
    assert [item["id"] for item in call(records, "list_drafts", q="two")["drafts"]] == [draft["id"]]
    sent = call(records, "send_draft", id=draft["id"], message={})
    assert sent["labelIds"] == ["SENT"]
    with pytest.raises(ToolError, match="no draft"):
        call(records, "get_draft", id=draft["id"])


def test_pages_follow_each_other() -> None:
    records = session()
    first = call(records, "list_messages", maxResults=2, **ME)
    second = call(records, "list_messages", maxResults=2, pageToken=first["nextPageToken"], **ME)
    assert [item["id"] for item in (*first["messages"], *second["messages"])] == ["m5", "m2", "m1", "m3"]
    assert "nextPageToken" not in second
    with pytest.raises(ToolError, match="pageToken"):
        call(records, "list_messages", pageToken="x", **ME)


def test_formats_give_more_or_less() -> None:
    records = session()
    assert "payload" not in call(records, "get_message", id="m1", format="minimal")
    told = call(records, "get_message", id="m1", format="metadata", metadataHeaders=["subject"])
    assert told["payload"] == {"headers": [{"name": "Subject", "value": "Invoice 17"}]}
    assert "Please pay invoice 17." in call(records, "get_message", id="m1", format="raw")["raw"]


# -- labels, settings, keys -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("delete_label", {"id": "INBOX"}, "system label"),
        ("patch_label", {"id": "INBOX", "name": "In"}, "system label"),
        ("create_label", {"name": "inbox"}, "system label"),
        ("create_label", {"name": "INVOICES"}, "already"),
        ("create_label", {"name": "x" * 101}, "1 to 100"),
        ("create_label", {"name": "  "}, "1 to 100"),
        ("modify_message", {"id": "m1", "addLabelIds": ["SENT"]}, "by hand"),
        ("modify_message", {"id": "m1", "addLabelIds": ["Label_17"]}, "no label"),
        ("modify_message", {"id": "m1", "addLabelIds": ["STARRED"], "removeLabelIds": ["STARRED"]}, "got both"),
        ("modify_message", {"id": "m1"}, "addLabelIds or removeLabelIds"),
        ("delete_send_as_alias", {"sendAsEmail": "ann@north.example"}, "primary"),
        ("verify_send_as_alias", {"sendAsEmail": "sales@north.example"}, "while it is pending"),
        ("patch_send_as_alias", {"sendAsEmail": "news@north.example", "verificationStatus": "accepted"}, "only verification"),
        ("create_filter", {"criteria": {}, "action": {"addLabelIds": ["STARRED"]}}, "at least one"),
        ("create_filter", {"criteria": {"from": "x"}, "action": {}}, "at least one"),
        ("create_filter", {"criteria": {"query": "in:nowhere"}, "action": {"addLabelIds": ["STARRED"]}}, "expected in:"),
        ("create_filter", {"criteria": {"from": "x"}, "action": {"forward": "nobody"}}, "e-mail address"),
        ("update_vacation_settings", VACATION | {"startTime": "2026-05-04"}, "milliseconds"),
        ("update_language_settings", {"displayLanguage": "xx"}, "expected one of"),
        ("insert_message", {"payload": letter(), "deleted": True}, "expected false"),
        ("send_message", {}, "payload or raw|payload: expected"),
        ("send_message", {"payload": letter(to="nobody")}, "e-mail addresses"),
        ("watch_user_mailbox", {"topicName": "t", "labelIds": ["Label_17"]}, "no label"),
    ],
)
def test_what_cannot_be_is_refused_in_any_mode(tool: str, arguments: dict[str, Any], words: str) -> None:
    for mode in ("strict", "permissive"):
        records = session("owner", mode)
        before = records.world.digest()
        with pytest.raises(ToolError, match=words):
            call(records, tool, **(ME | arguments))
        assert records.world.digest() == before


def test_labels_tell_their_counts() -> None:
    records = session()
    assert call(records, "get_label", id="Label_15", **ME)["messagesUnread"] == 1
    inbox = call(records, "get_label", id="INBOX", **ME)
    assert (inbox["messagesTotal"], inbox["messagesUnread"], inbox["threadsTotal"]) == (2, 1, 2)
    made = call(records, "create_label", name="Clients/Roe", color={"textColor": "#000000", "backgroundColor": "#ffffff"}, **ME)
    assert (made["id"], made["color"]["textColor"], made["messagesTotal"]) == ("Label_18", "#000000", 0)
    changed = call(records, "patch_label", id="Label_16", name="Void", labelListVisibility="labelHide", **ME)
    assert (changed["name"], changed["labelListVisibility"]) == ("Void", "labelHide")
    names = [item["name"] for item in call(records, "list_labels", **ME)["labels"] if item["type"] == "user"]
    assert names == ["Invoices", "Void", "Clients/Roe"]


def test_the_default_address_is_one() -> None:
    records = session()
    call(records, "patch_send_as_alias", sendAsEmail="sales@north.example", isDefault=True, **ME)
    listed = call(records, "list_send_as_aliases", **ME)["sendAs"]
    assert [item["sendAsEmail"] for item in listed if item["isDefault"]] == ["sales@north.example"]
    assert "password" not in str(listed)
    sent = call(records, "send_message", payload=letter(), **ME)
    assert "sales@north.example" in call(records, "get_message", id=sent["id"])["payload"]["headers"][0]["value"]


def test_a_watch_lasts_seven_days_and_is_replaced() -> None:
    records = session()
    told = call(records, "watch_user_mailbox", topicName="topics/new", labelIds=["Label_15"], **ME)
    assert int(told["expiration"]) == NOW_MS + 7 * 86_400_000
    assert records.world.execute("SELECT label_id FROM watch_labels").fetchall() == [("Label_15",)]
    call(records, "stop_user_watch", **ME)
    with pytest.raises(ToolError, match="not watched"):
        call(records, "stop_user_watch", **ME)


def test_secrets_are_never_told() -> None:
    records = session("admin")
    assert "hush" not in str(call(records, "email_get_cse_keypair", userId="user_001", keyPairId="key_002"))
    assert "hush" not in str(call(records, "get_send_as_alias", userId="user_001", sendAsEmail="sales@north.example"))


def test_a_disabled_key_pair_can_be_enabled_again() -> None:
    records = session("admin")
    told = call(records, "email_enable_cse_keypair", userId="user_001", keyPairId="key_002")
    assert "disableTime" not in told
    told = call(records, "email_disable_cse_keypair", userId="user_001", keyPairId="key_002")
    assert told["disableTime"] == "2026-05-04 08:00:00"


# -- every tool -------------------------------------------------------------------------------------------------

KNOWN = known_values(rows()) | {
    "userId": ["me", "user_001", "dan@north.example"],
    "ids": ["m1"],
    "sendAsEmail": ["ann@north.example", "news@north.example", "sales@north.example"],
    "forwardingEmail": ["dan@north.example"],
    "delegateEmail": ["dan@north.example", "ben@north.example"],
    "emailAddress": ["ann@north.example"],
    "cseEmailAddress": ["ann@north.example"],
    "keyPairId": ["key_001", "key_002", "key_004"],
    "primaryKeyPairId": ["key_004"],
    "messageId": ["m1"],
    "q": ["is:unread", "from:fay OR -in:inbox"],
    "pageToken": ["0", "1"],
    "startHistoryId": ["0"],
    "threadId": ["t1"],
    "name": ["New label"],
    "startTime": [str(NOW_MS)],
    "endTime": [str(NOW_MS + 1)],
    "expiration": [str(NOW_MS + 1)],
    "displayLanguage": ["de"],
}


@every_sort
@pytest.mark.parametrize("role", ["owner", "admin"])
@pytest.mark.parametrize("tool", EMAIL.tools, ids=lambda tool: tool.name)
def test_no_call_of_any_tool_breaks_the_world(tool: Tool, role: str, make: Make) -> None:
    rng = np.random.default_rng(5)
    records = session(role, "permissive")
    for _ in range(2):
        attempt(tool, records, make(tool, rng, KNOWN))


@pytest.mark.parametrize("tool", [tool for tool in EMAIL.tools if tool.mutates], ids=lambda tool: tool.name)
def test_a_delegate_writes_nothing_but_mail(tool: Tool) -> None:
    rng = np.random.default_rng(5)
    records = session("delegate")
    before = _content(records.world)
    for user in ("me", "user_001"):
        given = valid(tool, rng, KNOWN)
        attempt(tool, records, given | {"userId": user} if "userId" in tool.parameters["properties"] else given)
    changed = {name for name, found in _content(records.world).items() if found != before[name]}
    settings = {item.name for item in EMAIL.tables if item.resource != "mail"} - {"users", "labels", "history"}  # counts
    assert not changed & settings


def _content(world: World) -> dict[str, Any]:
    return {name: world.rows(name) for name in world.tables() if not name.startswith("_")}


def test_a_reply_may_name_what_it_answers_which_its_thread_tells() -> None:
    payload = letter()
    plain, named = session(), session()
    headers = [
        *payload["headers"],
        {"name": "In-Reply-To", "value": "<1@client.example>"},
        {"name": "References", "value": "<1>"},
    ]
    call(plain, "send_message", payload=payload, **ME)
    call(named, "send_message", payload=payload | {"headers": headers}, **ME)
    assert plain.world.rows("message_headers") == named.world.rows("message_headers")
