"""Tasks on files and what is in them."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.stock import PROJECTS
from opsgym.envs.enterprise_ops.drive.templates.common import (
    CLASSIFIED,
    HELD,
    SECRET,
    colleague,
    find,
    label,
    own_files,
    person,
    told,
    twin,
)
from opsgym.envs.enterprise_ops.template import heed, template

_VERSIONS = "(SELECT count(*) FROM revisions r WHERE r.file_id = files.id)"


@template("drive", roles=("user",), rules=("DRV-COPY-CLASS",), traps=("same_name",), blocked=("policy_conflict",))
def compile_pack(draft: Draft) -> None:
    """Copy files into a new folder for a reviewer; copies keep their classification."""
    files = own_files(draft, f"NOT {HELD} AND NOT {SECRET}", count=draft.horizon)
    label(draft, files[0]["id"], words.CLASSIFICATION, value_enum="Confidential")
    guest = draft.one("SELECT * FROM users WHERE kind = 'drive#guest' ORDER BY id")
    reviewer = guest if draft.is_infeasible else colleague(draft)
    for file in files[:1]:
        twin(draft, file)
    title = f"{draft.pick('Review', 'Audit', 'Board', 'Compliance')} pack {draft.pick(*PROJECTS)}"
    note = draft.pick("Added to the pack for review.", "Part of the review pack.", "Copied for the review board.")
    names = draft.listed([told(draft, file) for file in files])
    draft.ask(
        f'Create a folder "{title}" at the top of my files and copy {names} into it, under the same names.',
        f'Put together a folder named "{title}" (directly in My Drive) with copies of {names}; the copies keep their names.',
    )
    draft.ask(
        f'On each copy leave the comment "{note}", and let {person(draft, reviewer)} comment on everything in the folder.',
        f'Give {person(draft, reviewer)} the role of commenter on the folder, and write "{note}" as a comment on every copy.',
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{files[0]['name']} is Confidential, and outsiders do not see it (DRV-OUTSIDE).")
    folder = draft.do("create_file", name=title, mimeType=words.FOLDER)
    for file in files:
        find(draft, file)
        _copy(draft, file, folder["id"], note)
    draft.do("create_permission", fileId=folder["id"], role="commenter", type="user", emailAddress=reviewer["email"])


def _copy(draft: Draft, file: Row, folder: str, note: str) -> None:
    """A copy in the folder, classified like its original, with a comment."""
    marks = draft.look("list_files_labels", fileId=file["id"])["labels"]
    call = {"fileId": file["id"], "name": file["name"], "parents": [folder]}
    secret = [row for row in marks if row.get("value_enum") in ("Confidential", "Restricted")]
    if secret:
        told_of = "Copies of classified files bear the classification of their originals."
        copy = draft.do("copy_files", heed("DRV-COPY-CLASS", told_of, includeLabels=secret[0]["label_id"]), **call)
    else:
        copy = draft.do("copy_files", **call)
    draft.do("create_comments", fileId=copy["id"], content=note)


@template("drive", roles=("user",), traps=("same_name",), blocked=("policy_conflict",))
def pin_revisions(draft: Draft) -> None:
    """Keep certain versions of files forever, and publish the latest version of one."""
    files = own_files(draft, f"{_VERSIONS} >= 2 AND NOT {SECRET} AND NOT {HELD}", count=draft.horizon)
    published = draft.pick(*files)
    if not draft.value(f"SELECT 1 FROM files WHERE id = ? AND {CLASSIFIED}", published["id"]):
        label(draft, published["id"], words.CLASSIFICATION, value_enum=draft.pick("Public", "Internal"))
    for file in files[:1]:
        twin(draft, file)
    chosen = []
    for file in files:
        versions = draft.rows("SELECT * FROM revisions WHERE file_id = ? ORDER BY revision_number", file["id"])
        row = draft.pick(*versions[:-1])
        chosen.append(row)
        day = draft.date(row["created_time"][:10])
        number = "first" if row["revision_number"] == 1 else f"number {row['revision_number']}"
        which = draft.pick(f"the version of {day}", f"the {number} version" if number == "first" else f"version {number}")
        draft.ask(
            f"Keep {which} of {told(draft, file)} forever.",
            f"See to it that {which} of {told(draft, file)} is never removed.",
        )
    draft.ask(
        f'Publish the latest version of my file "{published["name"]}".',
        f'The newest version of "{published["name"]}", the file I own, is to be published.',
    )
    if draft.is_infeasible:
        label(draft, published["id"], words.CLASSIFICATION, value_enum=draft.pick("Confidential", "Restricted"))
        draft.block("policy_conflict", why=f"{published['name']} is classified and not to be published (DRV-REV-PUBLISH).")
    for file, row in zip(files, chosen, strict=True):
        find(draft, file)
        draft.look("list_revisions", fileId=file["id"])
        draft.do("update_revisions", fileId=file["id"], revisionId=row["id"], keepForever=True)
    draft.do("update_revisions", fileId=published["id"], revisionId=published["head_revision_id"], published=True)


@template("drive", roles=("user",), rules=("DRV-TRASH-FIRST",), traps=("same_name",), blocked=("policy_conflict",))
def remove_for_good(draft: Draft) -> None:
    """Remove files for good, by way of the trash."""
    files = own_files(draft, f"NOT {HELD} AND NOT {_KEPT}", count=draft.horizon)
    for file in files[:1]:
        twin(draft, file)
    names = draft.listed([told(draft, file) for file in files])
    draft.ask(
        f"Delete {names} permanently; nobody needs that any more.",
        f"Please remove {names} for good.",
        f"{names[0].upper()}{names[1:]} can go: delete for ever, not only to the trash.",
    )
    if draft.is_infeasible:
        held = draft.pick(*files)
        label(draft, held["id"], words.HOLD, value_boolean=True)
        draft.block("policy_conflict", why=f"{held['name']} is under legal hold (DRV-HOLD-TRASH, DRV-HOLD-DELETE).")
    for file in files:
        find(draft, file)
        draft.oblige(
            "DRV-TRASH-FIRST",
            "Put it into the trash before you remove it.",
            "update_files",
            fileId=file["id"],
            trashed=True,
        )
        draft.do("delete_files", fileId=file["id"])


_KEPT = "EXISTS (SELECT 1 FROM revisions r WHERE r.file_id = files.id AND r.keep_forever)"

TEMPLATES = (compile_pack, pin_revisions, remove_for_good)
