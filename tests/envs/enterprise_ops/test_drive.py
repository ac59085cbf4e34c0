"""Drive: access comes from folders and drives, the policy binds, the tree stays a tree, and tools keep the world whole."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import ToolError
from opsgym.core.records.invariants import violations
from opsgym.core.records.records import Records
from opsgym.core.tools import Tool
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.domain import DRIVE
from tests.envs.enterprise_ops.calls import Make, attempt, every_sort, known_values, valid
from tests.envs.enterprise_ops.small import Step
from tests.envs.enterprise_ops.small_drive import ACTORS, ROWS, broken, call, forbidden, open_world, refused, session


def names(records: Records, q: str, **more: Any) -> list[str]:
    return [row["name"] for row in call(records, "list_files", q=q, **more)["files"]]


def test_it_has_28_tables_and_55_tools() -> None:
    assert len(DRIVE.tables) == 28
    assert len(DRIVE.toolbox) == 55


# -- policy -------------------------------------------------------------------------------------------------

SHARE = {"role": "reader", "type": "user", "emailAddress": "gus@partner.example"}
WATCH = {"fileId": "FILE_003", "id": "chan-9", "resourceId": "r", "resourceUri": "u"}
BREACHES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("DRV-EDIT", "cia", "update_files", {"fileId": "FILE_003", "name": "x"}),
    ("DRV-PLACE", "cia", "create_file", {"name": "x", "mimeType": "text/plain", "parents": ["FILE_013"]}),
    ("DRV-MOVE", "cia", "update_files", {"fileId": "FILE_008", "addParents": "FILE_013"}),
    ("DRV-TRASH", "user", "update_files", {"fileId": "FILE_012", "trashed": True}),
    ("DRV-DELETE", "user", "delete_files", {"fileId": "FILE_012"}),
    ("DRV-TRASH-FIRST", "user", "delete_files", {"fileId": "FILE_003"}),
    ("DRV-HOLD-TRASH", "user", "update_files", {"fileId": "FILE_006", "trashed": True}),
    ("DRV-HOLD-DELETE", "user", "delete_files", {"fileId": "FILE_006"}),
    ("DRV-REV-EDIT", "cia", "update_revisions", {"fileId": "FILE_003", "revisionId": "REV_002", "keepForever": True}),
    ("DRV-REV-KEEP", "user", "delete_revisions", {"fileId": "FILE_003", "revisionId": "REV_001"}),
    ("DRV-REV-KEEP", "user", "delete_revisions", {"fileId": "FILE_006", "revisionId": "REV_007"}),
    ("DRV-REV-PUBLISH", "user", "update_revisions", {"fileId": "FILE_004", "revisionId": "head", "published": True}),
    ("DRV-SHARE", "user", "create_permission", {"fileId": "FILE_012", **SHARE}),
    ("DRV-SHARE", "cia", "create_permission", {"fileId": "FILE_003", **SHARE, "emailAddress": "ana@north.example"}),
    ("DRV-UNSHARE", "cia", "delete_permission", {"fileId": "FILE_003", "permissionId": "PERM_021"}),
    ("DRV-OWNER-KEEP", "user", "delete_permission", {"fileId": "FILE_003", "permissionId": "PERM_003"}),
    ("DRV-OWNER", "user", "update_permission", {"fileId": "FILE_012", "permissionId": "PERM_010", "role": "reader"}),
    (
        "DRV-LEVEL",
        "user",
        "create_permission",
        {"fileId": "FILE_003", **SHARE, "role": "organizer", "emailAddress": "ana@north.example"},
    ),
    ("DRV-ANYONE", "user", "create_permission", {"fileId": "FILE_003", "role": "reader", "type": "anyone"}),
    ("DRV-ANYONE", "user", "create_permission", {"fileId": "FILE_009", "role": "writer", "type": "anyone"}),
    ("DRV-OUTSIDE", "user", "create_permission", {"fileId": "FILE_004", **SHARE}),
    (
        "DRV-OUTSIDE",
        "user",
        "create_permission",
        {"fileId": "FILE_004", "role": "reader", "type": "domain", "domain": "x.example"},
    ),
    ("DRV-DOMAIN-ONLY", "user", "create_permission", {"fileId": "FILE_011", **SHARE}),
    ("DRV-DOMAIN-ONLY", "cia", "create_permission", {"fileId": "DRIVE_001", **SHARE}),
    ("DRV-MEMBERS-ONLY", "cia", "create_permission", {"fileId": "FILE_016", **SHARE}),
    ("DRV-FOLDER-SHARE", "user", "create_permission", {"fileId": "FILE_016", **SHARE, "emailAddress": "ana@north.example"}),
    ("DRV-PROP-WHO", "cia", "resolve_accessproposals", {"fileId": "FILE_003", "proposalId": "PROP_001", "action": "DENY"}),
    ("DRV-COMMENT", "guest", "create_comments", {"fileId": "FILE_003", "content": "x"}),
    ("DRV-COMMENT-OWN", "user", "update_comments", {"fileId": "FILE_003", "commentId": "COM_001", "content": "x"}),
    ("DRV-COMMENT-OWN", "user", "delete_comments", {"fileId": "FILE_003", "commentId": "COM_001"}),
    ("DRV-REPLY", "guest", "create_replies", {"fileId": "FILE_003", "commentId": "COM_001", "content": "x"}),
    (
        "DRV-REPLY-OWN",
        "user",
        "update_replies",
        {"fileId": "FILE_003", "commentId": "COM_001", "replyId": "REP_002", "content": "x"},
    ),
    (
        "DRV-LABEL",
        "cia",
        "modify_files_labels",
        {"fileId": "FILE_003", "labelModifications": [{"labelId": "reviewer", "fieldModifications": [{"setTextValues": ["x"]}]}]},
    ),
    (
        "DRV-LABEL-DOWN",
        "user",
        "modify_files_labels",
        {
            "fileId": "FILE_004",
            "labelModifications": [{"labelId": "LABEL_001", "fieldModifications": [{"setSelectionValues": ["Public"]}]}],
        },
    ),
    (
        "DRV-LABEL-OFF",
        "user",
        "modify_files_labels",
        {"fileId": "FILE_006", "labelModifications": [{"labelId": "Legal hold", "removeLabel": True}]},
    ),
    ("DRV-DRIVE-EDIT", "user", "update_drives", {"driveId": "DRIVE_001", "name": "x"}),
    ("DRV-DRIVE-DELETE", "user", "delete_drive", {"driveId": "DRIVE_001", "allowItemDeletion": True}),
    ("DRV-DRIVE-EMPTY", "cia", "delete_drive", {"driveId": "DRIVE_001", "allowItemDeletion": True}),
    ("DRV-WATCH-ADDRESS", "user", "watch_files", {**WATCH, "address": "http://a.example"}),
    ("DRV-WATCH-EXPIRY", "user", "watch_files", {**WATCH, "address": "https://a.example", "expiration": "2026-05-12"}),
    ("DRV-FEED-ADDRESS", "user", "watch_changes", {"pageToken": "2", "id": "chan-9", "address": "mailto:a"}),
    (
        "DRV-FEED-EXPIRY",
        "user",
        "watch_changes",
        {"pageToken": "2", "id": "chan-9", "address": "https://a.example", "expiration": 1790000000000},
    ),
    ("RIGHTS", "guest", "create_drive", {"requestId": "r", "name": "x"}),
    ("RIGHTS", "service_account", "create_comments", {"fileId": "FILE_003", "content": "x"}),
]


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_a_strict_tool_refuses_with_the_rule(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    records = session(role)
    forbidden(records, rule, tool, **arguments)


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_the_same_breach_shows_in_the_end_state(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    assert rule in broken(role, (tool, arguments))


def test_every_rule_has_a_breach_above_or_a_test_of_its_own() -> None:
    own = {"DRV-ONE-OWNER", "DRV-COPY-CLASS", "DRV-PROP-START", "DRV-PROP-MOVE", "DRV-PROP-NEED-APPROVED", "DRV-PROP-NEED-DENIED"}
    assert {rule.id for rule in DRIVE.rules} == {rule for rule, *_ in BREACHES} - {"RIGHTS"} | own


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ("UPDATE permissions SET role = 'owner' WHERE id = 'PERM_022'", "DRV-ONE-OWNER"),
        ("UPDATE access_proposals SET status = 'approved'", "DRV-PROP-NEED-APPROVED"),
        ("UPDATE access_proposals SET status = 'denied'", "DRV-PROP-NEED-DENIED"),
    ],
)
def test_a_world_with_a_breach_is_found_out(change: str, rule: str) -> None:
    world = open_world()
    world.execute(change)
    assert any(rule in item for item in violations(DRIVE, world))


def test_a_decided_request_stays_decided() -> None:
    records = session()
    call(records, "resolve_accessproposals", fileId="FILE_003", proposalId="PROP_001", action="DENY")
    refused(records, "bad_state", "resolve_accessproposals", fileId="FILE_003", proposalId="PROP_001", action="ACCEPT")


def test_a_copy_of_a_classified_file_is_to_be_classified() -> None:
    copy = ("copy_files", {"fileId": "FILE_004"})
    assert broken("user", copy) == {"DRV-COPY-CLASS"}
    assert broken("user", ("copy_files", {"fileId": "FILE_004", "includeLabels": "classification"})) == set()
    assert broken("user", ("copy_files", {"fileId": "FILE_003"})) == set()


PUBLIC = [{"labelId": "classification", "fieldModifications": [{"setSelectionValues": ["Public"]}]}]


@pytest.mark.parametrize(
    ("role", "steps"),
    [
        (
            "user",
            [
                ("create_file", {"name": "New", "mimeType": words.FOLDER}),
                ("update_files", {"fileId": "FILE_003", "addParents": "FILE_017"}),
            ],
        ),
        ("user", [("create_permission", {"fileId": "FILE_002", **SHARE, "emailAddress": "ana@north.example"})]),
        (
            "user",
            [
                ("modify_files_labels", {"fileId": "FILE_003", "labelModifications": PUBLIC}),
                ("create_permission", {"fileId": "FILE_003", "role": "reader", "type": "anyone"}),
            ],
        ),
        ("user", [("update_files", {"fileId": "FILE_003", "trashed": True}), ("delete_files", {"fileId": "FILE_003"})]),
        (
            "user",
            [
                (
                    "update_permission",
                    {"fileId": "FILE_003", "permissionId": "PERM_020", "role": "owner", "transferOwnership": True},
                )
            ],
        ),
        ("user", [("delete_permission", {"fileId": "FILE_003", "permissionId": "PERM_021"})]),
        ("user", [("resolve_accessproposals", {"fileId": "FILE_003", "proposalId": "PROP_001", "action": "ACCEPT"})]),
        ("user", [("create_drive", {"requestId": "r", "name": "New"}), ("hide_drives", {"driveId": "DRIVE_004"})]),
        ("user", [("delete_teamdrives", {"teamDriveId": "DRIVE_003"})]),
        ("user", [("empty_files_trash", {})]),
        ("user", [("copy_files", {"fileId": "FILE_003", "parents": ["FILE_013"], "description": "A copy"})]),
        ("cia", [("create_comments", {"fileId": "FILE_003", "content": "Fine"})]),
        ("cia", [("update_files", {"fileId": "FILE_008", "addParents": "FILE_010"})]),
        ("service_account", [("watch_changes", {"pageToken": "2", "id": "chan-9", "address": "https://a.example"})]),
        ("user", [("watch_files", {**WATCH, "address": "https://a.example", "expiration": "2026-05-11"})]),
        ("admin", [("update_files", {"fileId": "FILE_008", "name": "Journal"})]),
    ],
)
def test_work_by_the_rules_is_done_and_breaks_nothing(role: str, steps: list[Step]) -> None:
    strict = session(role)
    for tool, arguments in steps:
        call(strict, tool, **arguments)
    assert broken(role, *steps) == set()
    assert violations(DRIVE, strict.world) == []


# -- access -------------------------------------------------------------------------------------------------


def test_a_role_on_a_folder_holds_for_what_lies_below() -> None:
    cia = session("cia")
    assert refused(cia, "not_found", "get_files", fileId="FILE_009")
    call_as_ben = session("user")
    call(call_as_ben, "create_permission", fileId="FILE_002", role="writer", type="user", emailAddress="cia@north.example")
    after = Records(DRIVE, call_as_ben.world, ACTORS["cia"], enforcement="strict")
    assert call(after, "update_files", fileId="FILE_009", name="Kit")["name"] == "Kit"
    listed = call(after, "list_permission", fileId="FILE_009")["permissions"]
    assert [(row["role"], row.get("inherited_from")) for row in listed] == [
        ("owner", None),
        ("reader", "FILE_002"),
        ("writer", "FILE_002"),
    ]
    refused(after, "bad_state", "delete_permission", fileId="FILE_009", permissionId=listed[1]["id"])


def test_groups_and_domains_reach_their_members() -> None:
    ben = session("user")
    finance = {"role": "reader", "type": "group", "emailAddress": "finance@north.example"}
    call(ben, "create_permission", fileId="FILE_009", **finance)
    cia = Records(DRIVE, ben.world, ACTORS["cia"], enforcement="strict")
    assert call(cia, "get_files", fileId="FILE_009")["name"] == "Press kit.pdf"
    ana = Records(DRIVE, ben.world, ACTORS["service_account"], enforcement="strict")
    refused(ana, "not_found", "get_files", fileId="FILE_013")
    call(ben, "create_permission", fileId="FILE_013", role="reader", type="domain", domain="north.example")
    assert call(ana, "get_files", fileId="FILE_013")["id"] == "FILE_013"
    guest = Records(DRIVE, ben.world, ACTORS["guest"], enforcement="strict")
    refused(guest, "not_found", "get_files", fileId="FILE_013")


def test_each_account_sees_what_is_shared_with_it() -> None:
    assert names(session("guest"), "") == ["Budget 2026"]
    assert "Diary" not in names(session("user"), "")
    assert "Roadmap" in names(session("user"), "")
    assert len(names(session("admin"), "")) == 16
    assert len(names(session("guest", "permissive"), "")) == 16


def test_ownership_moves_to_one_user_and_the_old_owner_writes() -> None:
    records = session()
    wish = {"fileId": "FILE_009", "role": "owner", "type": "user", "emailAddress": "cia@north.example"}
    refused(records, "missing_field", "create_permission", **wish)
    call(records, "create_permission", **wish, transferOwnership=True, moveToNewOwnersRoot=False)
    roles = records.world.execute("SELECT role, user_id FROM permissions WHERE file_id = 'FILE_009' ORDER BY role").fetchall()
    assert roles == [("owner", "USER_003"), ("writer", "USER_002")]


def test_what_moves_into_a_shared_drive_has_no_owner_and_what_leaves_it_is_mine() -> None:
    records = session("cia")
    owners = "SELECT user_id FROM permissions WHERE role = 'owner' AND file_id = ?"
    call(records, "update_files", fileId="FILE_008", addParents="FILE_010")
    assert records.world.execute(owners, ("FILE_008",)).fetchall() == []
    call(records, "update_files", fileId="FILE_010", addParents="root")
    assert records.world.execute(owners, ("FILE_011",)).fetchall() == [("USER_003",)]
    assert violations(DRIVE, records.world) == []


def test_links_and_members_follow_permissions() -> None:
    records = session()
    made = call(records, "create_permission", fileId="FILE_009", role="reader", type="anyone", expirationTime="2026-06-01")
    assert records.world.execute("SELECT permission_role, expires_time FROM share_links").fetchall() == [
        ("reader", "2026-06-01 00:00:00")
    ]
    call(records, "delete_permission", fileId="FILE_009", permissionId=made["id"])
    assert records.world.execute("SELECT count(*) FROM share_links").fetchone() == (0,)
    member = call(records, "create_permission", fileId="DRIVE_003", **SHARE)
    call(records, "update_permission", fileId="DRIVE_003", permissionId=member["id"], role="writer")
    mirrored = "SELECT role FROM drive_memberships WHERE id = ?"
    assert records.world.execute(mirrored, (member["id"],)).fetchall() == [("writer",)]


# -- the tree -----------------------------------------------------------------------------------------------


def closure(world: World) -> set[tuple[str, str, int]]:
    """The path table as it follows from the parents."""
    parents = dict(world.execute("SELECT id, parent_id FROM files").fetchall())
    found = set()
    for key in parents:
        up, depth = key, 0
        while up is not None:
            found.add((up, key, depth))
            up, depth = parents[up], depth + 1
    return found


FOLDERS = ["FILE_001", "FILE_002", "FILE_007", "FILE_010", "FILE_013", "FILE_016"]
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("update_files"), st.sampled_from([f"FILE_{n:03d}" for n in range(1, 17)]), st.sampled_from(FOLDERS)),
        st.tuples(st.just("create_file"), st.just(""), st.sampled_from(FOLDERS)),
        st.tuples(st.just("delete_files"), st.sampled_from([f"FILE_{n:03d}" for n in range(2, 17)]), st.just("")),
    ),
    max_size=8,
)


@given(MOVES)
@settings(max_examples=25, deadline=None)
def test_the_path_table_follows_the_parents_whatever_is_done(steps: list[tuple[str, str, str]]) -> None:
    records = session("admin", "permissive")
    for tool, file, folder in steps:
        wanted: dict[str, dict[str, Any]] = {
            "update_files": {"fileId": file, "addParents": folder},
            "create_file": {"name": "n", "mimeType": words.FOLDER, "parents": [folder]},
            "delete_files": {"fileId": file},
        }
        with suppress(ToolError):
            call(records, tool, **wanted[tool])
    kept = set(records.world.execute("SELECT ancestor_id, descendant_id, depth FROM path_closure").fetchall())
    assert kept == closure(records.world)
    assert records.world.check() == []


def test_a_folder_never_lies_in_itself() -> None:
    records = session()
    call(records, "update_files", fileId="FILE_013", addParents="FILE_002")
    assert "lies in" in refused(records, "bad_state", "update_files", fileId="FILE_002", addParents="FILE_013")
    refused(records, "bad_state", "update_files", fileId="FILE_002", addParents="FILE_002")


def test_the_trash_takes_what_lies_in_a_folder_and_gives_it_back() -> None:
    records = session()
    call(records, "update_files", fileId="FILE_009", trashed=True)
    call(records, "update_files", fileId="FILE_002", trashed=True)
    assert "Budget 2026" in names(records, "trashed = true")
    call(records, "update_files", fileId="FILE_002", trashed=False)
    assert names(records, "trashed = true") == ["Old notes.txt", "Press kit.pdf"]


def test_removal_takes_everything_that_hangs_on_a_file_and_is_told() -> None:
    records = session("admin")
    call(records, "update_files", fileId="FILE_003", trashed=True)
    token = call(records, "get_changes_start_page_token")["startPageToken"]
    call(records, "delete_files", fileId="FILE_003")
    for table in ("permissions", "revisions", "comments"):
        assert records.world.execute(f"SELECT count(*) FROM {table} WHERE file_id = 'FILE_003'").fetchone() == (0,)
    told = call(records, "list_changes", pageToken=token, includeRemoved=True)
    assert [(row["file_id"], row["removed"]) for row in told["changes"]] == [("FILE_003", True)]
    assert call(records, "list_changes", pageToken=token)["changes"] == []


def test_emptying_the_trash_is_logged() -> None:
    records = session()
    assert call(records, "empty_files_trash") == {"deleted": ["FILE_005"]}
    assert records.world.execute("SELECT file_id, actor_id FROM trash_log").fetchall() == [("FILE_005", "USER_002")]


# -- the query language -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("name = 'Budget 2026'", ["Budget 2026"]),
        ("name contains 'budget'", ["Budget 2026"]),
        ("mimeType = 'application/pdf' and 'me' in owners", ["Contract.pdf", "Press kit.pdf"]),
        ("'root' in parents and not trashed = true", ["Plans", "Contract.pdf", "Archive"]),
        ("'FILE_001' in ancestors and mimeType contains 'spreadsheet'", ["Budget 2026", "Salaries"]),
        ("'cia@north.example' in readers and 'me' in owners", ["Budget 2026", "Archive"]),
        ("'classification' in labels", ["Salaries", "Press kit.pdf", "Board minutes"]),
        ("name = 'Agenda' or (name = 'Team' and mimeType != 'text/plain')", ["Team", "Agenda"]),
        ("size > 8000 and size <= 9000", ["Press kit.pdf"]),
        ("modifiedTime > '2027-01-01T00:00:00'", []),
        ("modifiedTime <= '2026-05-01T10:00:00+02:00' and name = 'Archive'", ["Archive"]),
        ("visibility = 'limited' and name contains 'press'", ["Press kit.pdf"]),
        ("starred = true", []),
        ("properties has { key='a' and value='b' }", []),
        (r"name = 'it\'s'", []),
    ],
)
def test_queries_find_what_they_say(q: str, found: list[str]) -> None:
    assert names(session(), q) == found


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ("title = 'x'", "one of the fields name"),
        ("name like 'x'", "one of contains = !="),
        ("name = x", "text in single quotes at character 8"),
        ("name = 'x", "a closing quote at character 8"),
        ("name = 'x' name = 'y'", "'and', 'or' or the end"),
        ("(name = 'x'", "'\\)' at character 12, got the end"),
        ("trashed = 'true'", "true or false"),
        ("modifiedTime > 'yesterday'", "a time in ISO 8601"),
        ("'x' in children", "one of the collections parents"),
        ("name = 'x'; DROP TABLE files", "at character 11"),
        ("not " * 40 + "trashed = true", "at most 30 levels"),
        ("name contains 'x' and", "a field"),
    ],
)
def test_a_query_that_does_not_parse_is_refused_with_the_place(q: str, message: str) -> None:
    records = session()
    with pytest.raises(ToolError, match=message):
        call(records, "list_files", q=q)


@given(st.text(alphabet="()'\\ =<>!nameandortruein0.{};-%", max_size=40))
@settings(max_examples=150, deadline=None)
def test_no_query_raises_anything_but_a_refusal(q: str) -> None:
    with suppress(ToolError):
        call(QUERIED, "list_files", q=q)


QUERIED = session()


def test_lists_come_in_order_and_on_pages() -> None:
    records = session()
    first = call(records, "list_files", q="'FILE_002' in parents", orderBy="name desc", pageSize=2)
    assert [row["name"] for row in first["files"]] == ["Salaries", "Press kit.pdf"]
    second = call(
        records, "list_files", q="'FILE_002' in parents", orderBy="name desc", pageSize=2, pageToken=first["nextPageToken"]
    )
    assert [row["name"] for row in second["files"]] == ["Budget 2026", "Board minutes"]
    assert "nextPageToken" not in second
    refused(records, "invalid_value", "list_files", pageToken="x")
    refused(records, "invalid_value", "list_files", orderBy="colour")


def test_shared_drives_are_found_by_members() -> None:
    found = call(session(), "list_drives", q="organizerCount = 1 and 'cia@north.example' in members")["drives"]
    assert [row["name"] for row in found] == ["Team", "Members"]


# -- labels, comments, revisions, channels ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "setter", "value", "column"),
    [
        ("LABEL_001", "setSelectionValues", "Internal", "value_enum"),
        ("legal_hold", "setBooleanValues", True, "value_boolean"),
        ("Retention", "setDateValues", "2030-01-31", "value_date"),
        ("reviewer", "setTextValues", "Ida", "value_string"),
        ("pages", "setIntegerValues", 12, "value_number"),
    ],
)
def test_labels_hold_values_of_their_own_type(label: str, setter: str, value: Any, column: str) -> None:
    records = session()
    change = [{"labelId": label, "fieldModifications": [{setter: [value]}]}]
    made = call(records, "modify_files_labels", fileId="FILE_003", labelModifications=change)["modifiedLabels"]
    assert made[0][column] == value
    assert call(records, "list_files_labels", fileId="FILE_003")["labels"] == made
    wrong = [{"labelId": label, "fieldModifications": [{setter: [["x"]]}]}]
    refused(records, "invalid_value", "modify_files_labels", fileId="FILE_003", labelModifications=wrong)


def test_unknown_labels_are_answered_with_the_known_ones() -> None:
    told = refused(session(), "not_found", "modify_files_labels", fileId="FILE_003", labelModifications=[{"labelId": "x"}])
    assert "LABEL_002 (Legal hold, boolean)" in told


def test_a_deleted_comment_keeps_its_place_without_its_text() -> None:
    records = session("cia")
    call(records, "delete_comments", fileId="FILE_003", commentId="COM_001")
    assert call(records, "list_comments", fileId="FILE_003")["comments"] == []
    kept = call(records, "list_comments", fileId="FILE_003", includeDeleted=True)["comments"]
    assert len(kept) == 2 and all("content" not in row for row in kept)


def test_only_older_revisions_can_be_deleted() -> None:
    records = session()
    assert call(records, "delete_revisions", fileId="FILE_004", revisionId="REV_003")["deleted"][0]["id"] == "REV_003"
    refused(records, "bad_state", "delete_revisions", fileId="FILE_004", revisionId="REV_004")
    refused(records, "bad_state", "delete_revisions", fileId="FILE_009", revisionId="head")


def test_a_watched_file_queues_a_delivery_until_the_channel_is_stopped() -> None:
    records = session()
    count = "SELECT count(*) FROM webhook_deliveries"
    call(records, "update_files", fileId="FILE_003", starred=True)
    assert records.world.execute(count).fetchone() == (1,)
    call(records, "stop_channels", id="chan-1", resourceId="res-1")
    call(records, "update_files", fileId="FILE_003", starred=False)
    assert records.world.execute(count).fetchone() == (1,)
    refused(records, "bad_state", "watch_files", **WATCH | {"id": "chan-1", "address": "https://a.example"})
    assert call(records, "stop_channels", id="chan-2", resourceId="res-1")["stopped"]["id"] == "chan-2"


def test_changes_are_read_from_a_token_on() -> None:
    records = session()
    token = call(records, "get_changes_start_page_token")["startPageToken"]
    call(records, "update_files", fileId="FILE_009", name="Kit")
    call(records, "update_files", fileId="FILE_011", name="Way")
    mine = call(records, "list_changes", pageToken=token)
    assert [row["file_id"] for row in mine["changes"]] == ["FILE_009"]
    everything = call(records, "list_changes", pageToken=token, includeItemsFromAllDrives=True, pageSize=1)
    assert everything["nextPageToken"] == str(int(token) + 1)
    assert call(records, "list_changes", pageToken=mine["newStartPageToken"])["changes"] == []


def test_downloads_are_operations_and_exports_know_their_forms() -> None:
    records = session()
    made = call(records, "download_files", fileId="FILE_003")
    assert call(records, "get_operations", name=made["name"])["status"] == "done"
    assert call(records, "export_files", fileId="FILE_003", mimeType="text/csv")["revision_id"] == "REV_002"
    refused(records, "invalid_value", "export_files", fileId="FILE_003", mimeType="image/png")
    refused(records, "unsupported", "export_files", fileId="FILE_006", mimeType=words.PDF)
    refused(records, "unsupported", "download_files", fileId="FILE_002")


def test_copies_are_mine_and_lie_where_i_say() -> None:
    records = session()
    made = call(records, "copy_files", fileId="FILE_012", parents=["FILE_013"], name="Mine")
    assert (made["owned_by_me"], made["parent_id"], made["properties"]) == (True, "FILE_013", {"copiedFrom": "FILE_012"})
    head = call(records, "get_revisions", fileId=made["id"], revisionId="head")
    assert head["blob_id"] == call(records, "get_revisions", fileId="FILE_012", revisionId="head")["blob_id"]
    refused(records, "unsupported", "copy_files", fileId="FILE_002")


def test_the_same_request_creates_one_shared_drive() -> None:
    records = session()
    assert (
        call(records, "create_drive", requestId="r", name="A")["id"]
        == call(records, "create_drive", requestId="r", name="B")["id"]
    )


def test_the_account_knows_its_use() -> None:
    about = call(session(), "get_about", fields="user,storageQuota")
    assert set(about) == {"user", "storageQuota"}
    assert about["storageQuota"]["usageInDriveTrash"] == 5000


def test_apps_are_filtered_by_what_they_open() -> None:
    records = session()
    assert [row["id"] for row in call(records, "list_apps", appFilterExtensions="doc, pdf")["items"]] == ["APP_001"]
    assert call(records, "list_apps", appFilterMimeTypes="text/plain")["items"] == []
    assert call(records, "get_app", appId="APP_001")["name"] == "Sketcher"


# -- every tool ---------------------------------------------------------------------------------------------

KNOWN = known_values(ROWS) | {
    argument: [row["id"] for row in ROWS[table]]
    for argument, table in (
        ("fileId", "files"),
        ("permissionId", "permissions"),
        ("commentId", "comments"),
        ("replyId", "replies"),
        ("revisionId", "revisions"),
        ("driveId", "drives"),
        ("teamDriveId", "drives"),
        ("team_drive_id", "drives"),
        ("proposalId", "access_proposals"),
        ("appId", "apps"),
        ("addParents", "files"),
    )
}


@every_sort
@pytest.mark.parametrize("tool", DRIVE.tools, ids=lambda tool: tool.name)
@pytest.mark.parametrize("role", ["admin", "user"])
def test_no_call_of_any_tool_breaks_the_world(tool: Tool, make: Make, role: str) -> None:
    rng = np.random.default_rng(5)
    records = session(role, "permissive" if role == "admin" else "strict")
    for _ in range(3):
        attempt(tool, records, make(tool, rng, KNOWN))


@pytest.mark.parametrize("tool", [tool for tool in DRIVE.tools if tool.mutates], ids=lambda tool: tool.name)
def test_a_guest_writes_nothing_but_comments(tool: Tool) -> None:
    rng = np.random.default_rng(5)
    records = session("guest")
    before = {name: records.world.rows(name) for name in records.world.tables()}
    for _ in range(3):
        attempt(tool, records, valid(tool, rng, KNOWN))
    changed = {name for name in before if records.world.rows(name) != before[name]}
    assert changed <= {"comments", "replies", "operations"}


def test_results_are_json() -> None:
    json.dumps(call(session(), "list_files"))
