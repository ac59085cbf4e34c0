"""What Drive templates have in common: choosing, describing and finding files."""

from __future__ import annotations

from typing import Any

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.template import Unfit

PLAIN = f"mime_type <> '{words.FOLDER}' AND NOT trashed AND drive_id IS NULL"
"""Documents outside shared drives."""


def bears(key: str, values: str = "1") -> str:
    """SQL over files: whether one bears a label whose value ``v`` meets a condition."""
    return (
        "EXISTS (SELECT 1 FROM file_labels v JOIN labels l ON l.id = v.label_id WHERE v.file_id = files.id"
        f" AND l.key = '{key}' AND {values})"
    )


SECRET = bears(words.CLASSIFICATION, "v.value_enum IN ('Confidential', 'Restricted')")
CLASSIFIED = bears(words.CLASSIFICATION)
HELD = bears(words.HOLD)


def own_files(draft: Draft, condition: str = "1", *, count: int) -> list[Row]:
    """Sign in somebody who owns enough files that meet a condition, and draw some of them.

    Raises:
        Unfit: Nobody does.
    """
    where = f"{PLAIN} AND ({condition})"
    owners = draft.rows(
        f"SELECT created_by FROM files WHERE {where} AND created_by NOT IN (SELECT m.user_id FROM group_memberships m"
        " JOIN groups g ON g.id = m.group_id WHERE g.name = 'Drive administrators')"
        " GROUP BY created_by HAVING count(*) >= ? ORDER BY created_by",
        count,
    )
    if not owners:
        raise Unfit(f"nobody owns {count} files where {condition}")
    draft.act_as(draft.pick(*owners)["created_by"])
    return draft.some(f"SELECT * FROM files WHERE {where} AND created_by = ? ORDER BY id", draft.actor.id, count=count)


def told(draft: Draft, file: Row) -> str:
    """Words for a file of the actor's."""
    folder = draft.row("files", file["parent_id"])
    made, changed = file["created_time"][:10], file["modified_time"][:10]
    mine = "created_by = ?"
    facts: list[tuple[str, str, tuple[Any, ...]]] = [
        (f"in my folder {folder['name']}", "parent_id = ?", (folder["id"],)),
        (f"which I created on {draft.date(made)}", f"substr(created_time, 1, 10) = ? AND {mine}", (made, draft.actor.id)),
    ]
    if changed != made:
        facts.append(
            (f"last changed on {draft.date(changed)}", f"substr(modified_time, 1, 10) = ? AND {mine}", (changed, draft.actor.id))
        )
    first = file["name"].split()[0]
    facts.append((f'whose name begins with "{first}"', f"name LIKE ? AND {mine}", (f"{first}%", draft.actor.id)))
    return "my " + draft.described("files", file["id"], f'file "{file["name"]}"', facts)


def find(draft: Draft, file: Row) -> None:
    """Look a file up as one would who knows what the request says of it."""
    if draft.conditions <= 1:
        draft.look("list_files", q=f"name = '{file['name']}' and 'me' in owners")
    else:
        folder = draft.row("files", file["parent_id"])
        draft.look("list_files", q=f"'{folder['id']}' in parents", orderBy="createdTime")


def twin(draft: Draft, file: Row) -> None:
    """Where a trap is wanted, share with the actor a colleague's file of the same name."""
    if not draft.wants_trap("same_name"):
        return
    root = draft.one(
        "SELECT id, created_by FROM files WHERE parent_id IS NULL AND drive_id IS NULL AND created_by <> ?"
        " AND created_by IN (SELECT id FROM users WHERE auth_token IS NOT NULL AND kind = 'drive#user') ORDER BY id",
        draft.actor.id,
    )
    other = add_file(draft, file["name"], file["mime_type"], root["id"], root["created_by"])
    share(draft, other["id"], draft.actor.id, "writer")
    draft.trap("same_name", file["id"], other["id"])


def add_file(draft: Draft, name: str, kind: str, parent: str, owner: str) -> Row:
    """A document as if it had been there, with two revisions."""
    row = draft.add(
        "files", name=name, mime_type=kind, parent_id=parent, parent_ids=[parent], created_by=owner, modified_by=owner
    )
    draft.add("path_closure", ancestor_id=row["id"], descendant_id=row["id"], depth=0)
    for link in draft.rows("SELECT * FROM path_closure WHERE descendant_id = ? ORDER BY depth", parent):
        draft.add("path_closure", ancestor_id=link["ancestor_id"], descendant_id=row["id"], depth=link["depth"] + 1)
    share(draft, row["id"], owner, "owner")
    for number in (1, 2):
        revision = draft.add("revisions", file_id=row["id"], revision_number=number, mime_type=kind, last_modifying_user_id=owner)
    draft.change("files", row["id"], head_revision_id=revision["id"])
    return draft.row("files", row["id"])


def share(draft: Draft, file: str, user: Any, role: str) -> Row:
    """Give a user access as if it had been so; a permission that is there gets the role."""
    there = draft.rows("SELECT id FROM permissions WHERE file_id = ? AND user_id = ? ORDER BY id", file, user)
    if there:
        draft.change("permissions", there[0]["id"], role=role)
        return draft.row("permissions", there[0]["id"])
    email = draft.row("users", user)["email"]
    return draft.add("permissions", file_id=file, role=role, type="user", user_id=user, email_address=email)


def label(draft: Draft, file: str, key: str, **value: Any) -> None:
    """Put a label on a file as if it had been there."""
    found = draft.value("SELECT id FROM labels WHERE key = ?", key)
    there = draft.rows("SELECT id FROM file_labels WHERE file_id = ? AND label_id = ? ORDER BY id", file, found)
    if there:
        draft.change("file_labels", there[0]["id"], **value)
    else:
        draft.add("file_labels", file_id=file, label_id=found, **value)


def colleague(draft: Draft, *without: str) -> Row:
    """Somebody of the actor's company who is not the actor."""
    known = [draft.actor.id, *without]
    marks = ", ".join("?" * len(known))
    return draft.one(
        f"SELECT * FROM users WHERE kind = 'drive#user' AND auth_token IS NOT NULL AND id NOT IN ({marks}) ORDER BY id", *known
    )


def person(draft: Draft, user: Row) -> str:
    """Words for a user that fit no other one: the name, with the address where there are namesakes."""
    same = draft.value("SELECT count(*) FROM users WHERE display_name = ?", user["display_name"])
    name = str(user["display_name"])
    return name if same == 1 else f"{name} ({user['email']})"


def domain(email: str) -> str:
    """The domain of an address."""
    return email.partition("@")[2]
