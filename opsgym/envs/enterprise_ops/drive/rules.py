"""Policy of Drive: rights of accounts, and rules on files, sharing, labels and channels.

Source: the mandate, roles and sections of the published policy of EnterpriseOps-Gym's Drive tasks, in our words; its table
of roles was not published, so that the least role for each operation is that of the public service's documentation.  Labels of
classification and legal hold are our addition.
"""

from __future__ import annotations

from opsgym.core.records.lifecycle import Lifecycle
from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Rule
from opsgym.core.records.sight import Sight
from opsgym.envs.enterprise_ops.drive.access import ACTOR_DOMAIN, bears, domain_of, holds, lacks, lacks_drive, may, may_drive
from opsgym.envs.enterprise_ops.drive.words import CLASSIFICATION, HOLD, ROLES

RIGHTS = Rights(
    {
        "admin": {"*": "crud"},
        "user": {
            **dict.fromkeys(("files", "revisions", "permissions", "comments", "labels", "drives", "channels"), "crud"),
            "access_proposals": "crud",
            "*": "read",
        },
        "guest": {"comments": "crud", "*": "read"},
        "service_account": {"channels": "crud", "*": "read"},
    }
)
"""What kinds of accounts may do at all; what one may do with a single file is in the rules."""

SIGHTS = tuple(
    Sight(
        f"DRV-SEE-{role.upper()}",
        f"An account of role {role} sees only files and folders that are shared with it.",
        role,
        "files",
        may("files.id", "reader"),
    )
    for role in ("user", "guest", "service_account")
)

LIFECYCLES = (
    Lifecycle(
        "DRV-PROP",
        "access_proposals",
        "status",
        start=("pending",),
        moves={"pending": ("approved", "denied")},
        needs={"approved": ("resolved_at", "resolved_by_email"), "denied": ("resolved_at", "resolved_by_email")},
    ),
)

_LEVEL = "CASE {} " + " ".join(f"WHEN '{role}' THEN {number}" for number, role in enumerate(ROLES)) + " END"
_HELD = "v.value_boolean = 1"
_SECRET = "v.value_enum IN ('Confidential', 'Restricted')"
_GRANTEE_DOMAIN = f"coalesce(new.domain, {domain_of('new.email_address')})"
_OUTSIDE = f"(new.type = 'anyone' OR {_GRANTEE_DOMAIN} IS NOT {ACTOR_DOMAIN})"


def _file(id: str, sentence: str, breach: str, on: str = "update", section: str = "files") -> Rule:
    """A rule on single steps: what the actor might do then, the end state does not show."""
    return Rule(id, sentence, "files", breach, "0", (on,), section)  # type: ignore[arg-type]  # one of three words


def _may_share(row: str) -> str:
    """SQL: whether the actor may change who has access to what a permission is for."""
    file = f"{row}.file_id"
    writers = f"((SELECT f.writers_can_share FROM files f WHERE f.id = {file}) AND ({may(file, 'writer')}))"
    return f"({writers} OR {may(file, 'organizer')} OR {may_drive(f'{row}.drive_id', 'organizer')})"


_FILES = (
    _file(
        "DRV-EDIT",
        "A file is changed only by those who have at least the role writer on it.",
        "new.drive_id IS old.drive_id AND " + lacks("new.id", "writer"),
    ),
    _file(
        "DRV-PLACE",
        "A new file is put only into a folder or shared drive on which you have at least the role writer.",
        f"(new.parent_id IS NOT NULL AND {lacks('new.parent_id', 'writer')})"
        f" OR (new.parent_id IS NULL AND new.drive_id IS NOT NULL AND {lacks_drive('new.drive_id', 'writer')})",
        "create",
    ),
    _file(
        "DRV-MOVE",
        "A file is moved only by those who have at least the role writer on both the old and the new folder.",
        "new.parent_id IS NOT old.parent_id AND ("
        f"(old.parent_id IS NOT NULL AND {lacks('old.parent_id', 'writer')})"
        f" OR (old.parent_id IS NULL AND old.drive_id IS NOT NULL AND {lacks_drive('old.drive_id', 'writer')})"
        f" OR (new.parent_id IS NOT NULL AND {lacks('new.parent_id', 'writer')})"
        f" OR (new.parent_id IS NULL AND new.drive_id IS NOT NULL AND {lacks_drive('new.drive_id', 'writer')}))",
    ),
    _file(
        "DRV-TRASH",
        "A file is put into the trash only by its owner or, in a shared drive, by those with at least the role fileOrganizer.",
        f"new.trashed AND NOT old.trashed AND {lacks('new.id', 'fileOrganizer')}",
    ),
    _file(
        "DRV-DELETE",
        "A file is removed for good only by its owner or, in a shared drive, by an organizer.",
        lacks("old.id", "organizer"),
        "delete",
    ),
    _file(
        "DRV-TRASH-FIRST",
        "Only what is in the trash is removed for good.",
        "NOT old.trashed",
        "delete",
    ),
    Rule(
        "DRV-HOLD-TRASH",
        "A file under legal hold, by its own label or that of a folder above it, is not put into the trash.",
        "files",
        f"new.trashed AND NOT coalesce(old.trashed, 0) AND {bears('new.id', HOLD, _HELD)}",
        on=("update",),
        section="labels",
    ),
    _file(
        "DRV-HOLD-DELETE",
        "A file under legal hold is not removed for good.",
        bears("old.id", HOLD, _HELD),
        "delete",
        "labels",
    ),
    Rule(
        "DRV-COPY-CLASS",
        "A copy of a file that bears the classification Confidential or Restricted bears the same one.",
        "files",
        None,
        "EXISTS (SELECT 1 FROM file_labels v JOIN labels l ON l.id = v.label_id"
        " WHERE v.file_id = json_extract(new.properties, '$.copiedFrom')"
        f" AND l.key = '{CLASSIFICATION}' AND {_SECRET} AND NOT EXISTS (SELECT 1 FROM file_labels w"
        " WHERE w.file_id = new.id AND w.label_id = v.label_id AND w.value_enum = v.value_enum))",
        on=("create",),
        section="labels",
    ),
)

_REVISIONS = (
    Rule(
        "DRV-REV-EDIT",
        "Revisions are changed only by those who have at least the role writer on the file.",
        "revisions",
        f"old.id IS NOT NULL AND {lacks('new.file_id', 'writer')}",
        "0",
        on=("update",),
    ),
    Rule(
        "DRV-REV-KEEP",
        "A revision that is kept forever is not deleted, nor is one of a file under legal hold.",
        "revisions",
        f"EXISTS (SELECT 1 FROM files f WHERE f.id = old.file_id) AND (old.keep_forever OR {bears('old.file_id', HOLD, _HELD)})",
        on=("delete",),
    ),
    Rule(
        "DRV-REV-PUBLISH",
        "A revision of a file that is classified Confidential or Restricted is not published.",
        "revisions",
        f"new.published AND NOT coalesce(old.published, 0) AND {bears('new.file_id', CLASSIFICATION, _SECRET)}",
    ),
)

_SHARING = (
    Rule(
        "DRV-SHARE",
        "Access is given or changed only by the owner, by organizers, and by writers where the file lets writers share.",
        "permissions",
        f":role <> 'admin' AND NOT {_may_share('new')}",
        "0",
    ),
    Rule(
        "DRV-UNSHARE",
        "Access is taken away only by the owner, by organizers, and by writers where the file lets writers share.",
        "permissions",
        f":role <> 'admin' AND NOT {_may_share('old')}",
        "0",
        on=("delete",),
    ),
    Rule(
        "DRV-OWNER",
        "Ownership is transferred only by the present owner.",
        "permissions",
        "old.role = 'owner' AND new.role <> 'owner' AND old.user_id IS NOT :actor",
        on=("update",),
    ),
    Rule(
        "DRV-OWNER-KEEP",
        "The owner's access is not taken away.",
        "permissions",
        "old.role = 'owner' AND EXISTS (SELECT 1 FROM files f WHERE f.id = old.file_id)",
        on=("delete",),
    ),
    Rule(
        "DRV-ONE-OWNER",
        "A file has at most one owner.",
        "permissions",
        "new.role = 'owner' AND EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = new.file_id AND p.role = 'owner'"
        " AND p.id <> new.id)",
        section="permissions",
    ),
    Rule(
        "DRV-LEVEL",
        "Organizer and fileOrganizer are roles in shared drives only, and owner is none there.",
        "permissions",
        "(new.role IN ('organizer', 'fileOrganizer') AND new.drive_id IS NULL"
        " AND (SELECT f.drive_id FROM files f WHERE f.id = new.file_id) IS NULL)"
        " OR (new.role = 'owner' AND (new.drive_id IS NOT NULL"
        " OR (SELECT f.drive_id FROM files f WHERE f.id = new.file_id) IS NOT NULL))",
    ),
    Rule(
        "DRV-ANYONE",
        "A link for anyone gives the role reader, and only to files that bear the classification Public.",
        "permissions",
        "new.type = 'anyone' AND (old.id IS NULL OR new.role <> old.role) AND (new.role <> 'reader' OR NOT "
        + bears("new.file_id", CLASSIFICATION, "v.value_enum = 'Public'")
        + ")",
    ),
    Rule(
        "DRV-OUTSIDE",
        "Files that bear the classification Confidential or Restricted, by themselves or by a folder above them, and folders"
        " that hold such files, are shared with nobody outside your own domain.",
        "permissions",
        f"(old.id IS NULL OR {_LEVEL.format('new.role')} > {_LEVEL.format('old.role')}) AND {_OUTSIDE}"
        f" AND ({bears('new.file_id', CLASSIFICATION, _SECRET)} OR {holds('new.file_id', CLASSIFICATION, _SECRET)})",
    ),
    Rule(
        "DRV-DOMAIN-ONLY",
        "A shared drive for users of the domain only, and what lies in it, is shared with nobody outside the domain.",
        "permissions",
        f"{_OUTSIDE} AND EXISTS (SELECT 1 FROM drives d WHERE (d.domain_users_only OR d.restricted_to_domain)"
        " AND d.id = coalesce(new.drive_id, (SELECT f.drive_id FROM files f WHERE f.id = new.file_id)))",
        on=("create",),
    ),
    Rule(
        "DRV-MEMBERS-ONLY",
        "In a shared drive for members only, single files are not shared.",
        "permissions",
        "EXISTS (SELECT 1 FROM drives d JOIN files f ON f.drive_id = d.id WHERE f.id = new.file_id AND d.drive_members_only)",
        on=("create",),
    ),
    Rule(
        "DRV-FOLDER-SHARE",
        "Where a shared drive says so, only organizers share folders in it.",
        "permissions",
        ":role <> 'admin' AND EXISTS (SELECT 1 FROM files f JOIN drives d ON d.id = f.drive_id WHERE f.id = new.file_id"
        " AND f.mime_type = 'application/vnd.google-apps.folder' AND d.sharing_folders_requires_organizer_permission)"
        f" AND NOT ({may('new.file_id', 'organizer')})",
        "0",
    ),
    Rule(
        "DRV-PROP-WHO",
        "A request for access is decided only by those who may share the file.",
        "access_proposals",
        f":role <> 'admin' AND NOT {_may_share('new').replace('new.drive_id', 'NULL')}",
        "0",
        on=("update",),
        section="access_proposals",
    ),
)

_COMMENTS = (
    Rule(
        "DRV-COMMENT",
        "Comments are written only by those who have at least the role commenter on the file.",
        "comments",
        lacks("new.file_id", "commenter"),
        "0",
        on=("create",),
    ),
    Rule(
        "DRV-COMMENT-OWN",
        "A comment is changed or deleted only by its author; whoever may write may resolve it.",
        "comments",
        ":role <> 'admin' AND old.author_id <> :actor AND (new.content IS NOT old.content OR new.deleted <> old.deleted)",
        on=("update",),
    ),
    Rule(
        "DRV-REPLY",
        "Replies are written only by those who have at least the role commenter on the file.",
        "replies",
        lacks("(SELECT k.file_id FROM comments k WHERE k.id = new.comment_id)", "commenter"),
        "0",
        on=("create",),
        section="comments",
    ),
    Rule(
        "DRV-REPLY-OWN",
        "A reply is changed or deleted only by its author.",
        "replies",
        ":role <> 'admin' AND old.author_id <> :actor",
        on=("update",),
        section="comments",
    ),
)

_LABELS = (
    Rule(
        "DRV-LABEL",
        "Labels are put on a file only by those who have at least the role writer on it.",
        "file_labels",
        lacks("new.file_id", "writer"),
        "0",
        section="labels",
    ),
    Rule(
        "DRV-LABEL-DOWN",
        "Classification is never lowered but by an admin; from the lowest: Public, Internal, Confidential, Restricted.",
        "file_labels",
        ":role <> 'admin' AND EXISTS (SELECT 1 FROM labels l WHERE l.id = new.label_id AND l.key = 'classification')"
        " AND instr('Public Internal Confidential Restricted', new.value_enum)"
        " < instr('Public Internal Confidential Restricted', old.value_enum)",
        on=("update",),
        section="labels",
    ),
    Rule(
        "DRV-LABEL-OFF",
        "Only an admin takes the labels of classification and legal hold off a file.",
        "file_labels",
        ":role <> 'admin' AND EXISTS (SELECT 1 FROM files f WHERE f.id = old.file_id)"
        f" AND EXISTS (SELECT 1 FROM labels l WHERE l.id = old.label_id AND l.key IN ('{CLASSIFICATION}', '{HOLD}'))",
        on=("delete",),
        section="labels",
    ),
)

_DRIVES = (
    Rule(
        "DRV-DRIVE-EDIT",
        "A shared drive is changed only by its organizers.",
        "drives",
        lacks_drive("new.id", "organizer"),
        "0",
        on=("update",),
    ),
    Rule(
        "DRV-DRIVE-DELETE",
        "A shared drive is deleted only by its organizers.",
        "drives",
        lacks_drive("old.id", "organizer"),
        "0",
        on=("delete",),
    ),
    Rule(
        "DRV-DRIVE-EMPTY",
        "A shared drive is deleted only when nothing lies in it but trash.",
        "drives",
        "EXISTS (SELECT 1 FROM files f WHERE f.drive_id = old.id AND NOT f.trashed)",
        "0",
        on=("delete",),
    ),
)

_CHANNELS = tuple(
    Rule(
        f"DRV-{short}-{suffix}",
        sentence,
        table,
        breach,
        section="channels",
    )
    for table, short, what in (("channels", "WATCH", "file"), ("drive_channels", "FEED", "feed of changes"))
    for suffix, sentence, breach in (
        ("ADDRESS", f"The address of a channel for a {what} starts with https://.", "new.address NOT LIKE 'https://%'"),
        (
            "EXPIRY",
            f"A channel for a {what} is set up for at most seven days and renewed then.",
            "old.id IS NULL AND (new.expiration IS NULL OR (julianday(new.expiration) - julianday(new.created_time)) > 7 + 1e-6)",
        ),
    )
)

RULES = (*_FILES, *_REVISIONS, *_SHARING, *_COMMENTS, *_LABELS, *_DRIVES, *_CHANNELS)

NOTES = {
    "conduct": (
        "Act only on what the system shows: permissions, states of files, ids. Never make up an id.",
        "If a request breaks a rule, refuse it, change nothing, and name the rule.",
        "Where several files fit a description, they are told apart by what the request says of them; if nothing tells them"
        " apart, the request is ambiguous.",
        "Prefer the trash to removal for good.",
        "Whoever asks for a file means its latest version, not an older copy.",
    ),
    "files": (
        "A permission on a folder holds for everything below it, one on a shared drive for everything in it.",
        "New files lie in the folder that is named, or at the top of your own files.",
        "Names have fewer than 255 characters. A folder never lies in itself.",
    ),
    "permissions": ("Role and kind of grantee are always given. A notification is sent unless the request says otherwise.",),
}
