"""A small Drive world for tests; its own rules hold in it."""

from __future__ import annotations

import datetime as dt
from typing import Any

from opsgym.core.records.actor import Actor
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.domain import DRIVE
from opsgym.envs.enterprise_ops.worlds import Builder
from tests.envs.enterprise_ops.small import SmallWorld

TREE = (  # name, kind, parent, owner, shared drive
    ("Ben's files", words.FOLDER, None, 2, None),  # 1
    ("Plans", words.FOLDER, 1, 2, None),  # 2
    ("Budget 2026", words.SHEET, 2, 2, None),  # 3
    ("Salaries", words.SHEET, 2, 2, None),  # 4: Confidential
    ("Old notes.txt", "text/plain", 1, 2, None),  # 5: in the trash
    ("Contract.pdf", words.PDF, 1, 2, None),  # 6: legal hold
    ("Cia's files", words.FOLDER, None, 3, None),  # 7
    ("Diary", words.DOCUMENT, 7, 3, None),  # 8
    ("Press kit.pdf", words.PDF, 2, 2, None),  # 9: Public
    ("Team", words.FOLDER, None, 3, 1),  # 10
    ("Roadmap", words.DOCUMENT, 10, 3, 1),  # 11
    ("Agenda", words.DOCUMENT, 7, 3, None),  # 12: Ben writes, but does not share
    ("Archive", words.FOLDER, 1, 2, None),  # 13
    ("Ana's files", words.FOLDER, None, 1, None),  # 14
    ("Board minutes", words.DOCUMENT, 2, 2, None),  # 15: Restricted
)


def rows() -> dict[str, list[dict[str, Any]]]:
    """The rows, by table."""
    made = Builder(DRIVE.tables, dt.datetime(2026, 5, 1, 8))
    for name, email in (
        ("Ana Hale", "ana@north.example"),
        ("Ben Ek", "ben@north.example"),
        ("Cia Lund", "cia@north.example"),
        ("Gus Roe", "gus@partner.example"),
        ("Sync", "sync@north.example"),
    ):
        made.add("users", display_name=name, email=email)
    made.add("groups", name="Finance", email="finance@north.example")
    made.add("group_memberships", group_id="GROUP_001", user_id="USER_003")
    made.add("drives", name="Team", domain_users_only=True)
    made.add("drives", name="Members", drive_members_only=True, sharing_folders_requires_organizer_permission=True)
    made.add("drives", name="Empty")
    for number, (name, kind, parent, owner, drive) in enumerate(TREE, 1):
        _file(made, number, name, kind, parent, owner, drive)
    made.add("files", name="Handbook", mime_type=words.FOLDER, drive_id="DRIVE_002", created_by="USER_003")  # 16
    made.add("path_closure", ancestor_id="FILE_016", descendant_id="FILE_016", depth=0)
    for drive, user, role in (
        (1, 3, "organizer"),
        (1, 2, "writer"),
        (2, 2, "fileOrganizer"),
        (2, 3, "organizer"),
        (3, 2, "organizer"),
    ):
        _member(made, drive, user, role)
    for file, user, role in ((12, 2, "writer"), (3, 3, "commenter"), (3, 4, "reader"), (13, 3, "reader"), (2, 5, "reader")):
        _share(made, file, user, role)
    for key, kind, options in (
        ("classification", "enum", list(words.CLASSES)),
        ("legal_hold", "boolean", None),
        ("retention", "date", None),
        ("reviewer", "string", None),
        ("pages", "number", None),
    ):
        made.add("labels", key=key, name=key.replace("_", " ").capitalize(), type=kind, options=options, required=kind == "enum")
    marks: tuple[tuple[int, int, str, Any], ...] = (
        (4, 1, "value_enum", "Confidential"),
        (6, 2, "value_boolean", 1),
        (9, 1, "value_enum", "Public"),
        (15, 1, "value_enum", "Restricted"),
    )
    for file, label, column, value in marks:
        made.add("file_labels", file_id=f"FILE_{file:03d}", label_id=f"LABEL_00{label}", **{column: value})
    _rest(made)
    return dict(made.done().rows)


def _file(made: Builder, number: int, name: str, kind: str, parent: int | None, owner: int, drive: int | None) -> None:
    key, up = f"FILE_{number:03d}", parent and f"FILE_{parent:03d}"
    row = made.add(
        "files",
        name=name,
        mime_type=kind,
        parent_id=up,
        parent_ids=[up] if up else [],
        drive_id=drive and f"DRIVE_00{drive}",
        created_by=f"USER_00{owner}",
        modified_by=f"USER_00{owner}",
        trashed=number == 5,
        explicitly_trashed=number == 5,
        writers_can_share=number != 12,
        size_bytes=None if kind == words.FOLDER else 1000 * number,
    )
    above = [link for link in made.rows["path_closure"] if link["descendant_id"] == up]
    for link in above:
        made.add("path_closure", ancestor_id=link["ancestor_id"], descendant_id=key, depth=link["depth"] + 1)
    made.add("path_closure", ancestor_id=key, descendant_id=key, depth=0)
    if drive is None:
        _share(made, number, owner, "owner")
    if kind != words.FOLDER:
        for version in (1, 2):
            blob = made.add("blobs", digest=f"d{number}{version}", size_bytes=500 * number * version)
            revision = made.add(
                "revisions",
                file_id=key,
                revision_number=version,
                blob_id=blob["id"],
                size_bytes=500 * number * version,
                mime_type=kind,
                keep_forever=number == 3 and version == 1,
                last_modifying_user_id=f"USER_00{owner}",
            )
        row["head_revision_id"] = revision["id"]


def _email(made: Builder, user: int) -> str:
    return str(made.rows["users"][user - 1]["email"])


def _share(made: Builder, file: int, user: int, role: str) -> None:
    made.add(
        "permissions",
        file_id=f"FILE_{file:03d}",
        role=role,
        type="user",
        user_id=f"USER_00{user}",
        email_address=_email(made, user),
    )


def _member(made: Builder, drive: int, user: int, role: str) -> None:
    who: dict[str, Any] = {"role": role, "type": "user", "user_id": f"USER_00{user}", "drive_id": f"DRIVE_00{drive}"}
    row = made.add("permissions", **who, email_address=_email(made, user))
    made.add("drive_memberships", id=row["id"], **who)


def _rest(made: Builder) -> None:
    made.add("comments", file_id="FILE_003", author_id="USER_003", content="Too high?")
    made.add("comments", file_id="FILE_003", author_id="USER_002", content="Done", deleted=True)
    made.add("replies", comment_id="COM_001", author_id="USER_002", content="No.")
    made.add("replies", comment_id="COM_001", author_id="USER_003", content="Yes.")
    made.add(
        "access_proposals",
        file_id="FILE_003",
        requester_email="ana@north.example",
        recipient_email="ben@north.example",
        proposed_roles=["commenter"],
    )
    made.add(
        "access_proposals",
        file_id="FILE_008",
        requester_email="ana@north.example",
        recipient_email="cia@north.example",
        proposed_roles=["reader"],
    )
    made.add("changes", file_id="FILE_003")
    made.add("change_tokens", scope="user", last_token=1)
    channel = {"address": "https://hooks.north.example/a", "expiration": "2026-05-06 08:00:00", "resource_id": "res-1"}
    made.add("channels", id="chan-1", user_id="USER_002", **channel)
    made.add("subscriptions", channel_id="chan-1", resource_id="FILE_003")
    made.add("drive_channels", id="chan-2", **channel)
    made.add("operations", name="operations/export-1", operation_type="export", status="running")
    made.add(
        "apps",
        name="Sketcher",
        installed=True,
        primary_mime_types=["image/svg+xml"],
        primary_file_extensions=["svg"],
        secondary_file_extensions=["pdf"],
    )


ROWS = rows()
ACTORS = {
    role: Actor(f"USER_00{number}", role) for number, role in ((1, "admin"), (2, "user"), (4, "guest"), (5, "service_account"))
} | {"cia": Actor("USER_003", "user")}

SMALL = SmallWorld(DRIVE, ROWS, ACTORS, acting="user")
open_world, session, call = SMALL.open, SMALL.session, SMALL.call
refused, forbidden, broken = SMALL.refused, SMALL.forbidden, SMALL.broken
