"""Files, where they lie, their revisions and content."""

from __future__ import annotations

from opsgym.core.records.columns import Flag, Json, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.drive.tables.people import CREATED, MODIFIED

BLOBS = Table(
    "blobs",
    (Key("id", "BLOB"), Text("digest"), Whole("size_bytes", 0), Text("storage"), Text("key"), CREATED),
    resource="files",
)
FILES = Table(
    "files",
    (
        Key("id", "FILE"),
        Ref("drive_id", "drives"),
        Text("name", 254, required=True),
        Text("mime_type", required=True),
        Whole("size_bytes", 0),
        Text("md5_checksum"),
        Ref("parent_id", "files"),
        Json("parent_ids", list[str], derived=True),
        Flag("starred", required=True, default=False),
        Flag("trashed", required=True, default=False),
        Moment("trashed_time", derived=True),
        Ref("created_by", "users", required=True, by_actor=True),
        Ref("modified_by", "users", by_actor=True, derived=True),
        CREATED,
        MODIFIED,
        Moment("viewed_by_me_time"),
        Json("properties"),
        Flag("is_shortcut", required=True, default=False),
        Ref("shortcut_target_id", "files"),
        Text("shortcut_target_mime"),
        Text("kind", default="drive#file"),
        Text("space", default="drive"),
        Text("file_extension"),
        Text("full_file_extension"),
        Text("original_filename"),
        Text("web_view_link"),
        Text("web_content_link"),
        Text("thumbnail_link"),
        Text("icon_link"),
        Flag("shared"),
        Flag("owned_by_me"),
        Flag("viewed_by_me"),
        Flag("modified_by_me"),
        Flag("explicitly_trashed", required=True, default=False, derived=True),
        Flag("writers_can_share", required=True, default=True),
        Whole("version", 1, required=True, default=1, derived=True),
        Text("head_revision_id", derived=True),
        Text("sha1_checksum"),
        Whole("quota_bytes_used", 0),
    ),
    resource="files",
    indexes=(("parent_id",), ("shortcut_target_id",), ("drive_id",)),
    checks={"parent_id IS NULL OR parent_id <> id": "A folder does not hold itself."},
)
CLOSURE = Table(
    "path_closure",
    (
        Ref("ancestor_id", "files", required=True),
        Ref("descendant_id", "files", required=True),
        Whole("depth", 0, required=True),
    ),
    resource="files",
    key=("ancestor_id", "descendant_id"),
    indexes=(("descendant_id",),),
    derived=True,
)
REVISIONS = Table(
    "revisions",
    (
        Key("id", "REV"),
        Ref("file_id", "files", required=True),
        Whole("revision_number", 1, required=True),
        Ref("blob_id", "blobs"),
        Text("md5_checksum"),
        Whole("size_bytes", 0),
        Text("mime_type"),
        Flag("keep_forever", required=True, default=False),
        Flag("published", required=True, default=False),
        Text("published_link"),
        CREATED,
        MODIFIED,
        Json("properties"),
        Ref("last_modifying_user_id", "users", by_actor=True),
        Text("kind", default="drive#revision"),
        Flag("publish_auto", required=True, default=False),
        Flag("published_outside_domain", required=True, default=False),
        Text("original_filename"),
        Json("export_links"),
    ),
    resource="revisions",
    unique=(("file_id", "revision_number"),),
)
THUMBNAILS = Table(
    "thumbnails",
    (
        Key("id", "THUMB"),
        Ref("file_id", "files", required=True),
        Ref("revision_id", "revisions"),
        Text("kind"),
        Ref("blob_id", "blobs"),
        Whole("width", 1),
        Whole("height", 1),
        CREATED,
    ),
    resource="files",
)
UPLOADS = Table(
    "uploads",
    (
        Key("id", "UPLOAD"),
        Ref("file_id", "files"),
        Text("intended_mime"),
        Whole("total_size", 0),
        Whole("received_bytes", 0),
        Whole("chunk_size", 0),
        Text("state"),
        CREATED,
        Moment("updated_time", stamp="updated"),
    ),
    resource="files",
)
TABLES = (BLOBS, FILES, CLOSURE, REVISIONS, THUMBNAILS, UPLOADS)
