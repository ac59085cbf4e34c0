"""Reserved ids, the log of emptied trash, long-running operations and apps."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.drive import words

POOL = Table(
    "id_pool",
    (Key("id", "ID"), Flag("reserved", required=True, default=True), Moment("reserved_time", stamp="created")),
    resource="files",
)
TRASH_LOG = Table(
    "trash_log",
    (
        Key("id", "TRASH"),
        Text("file_id"),  # no reference: the file is gone
        Moment("emptied_time", stamp="created"),
        Ref("actor_id", "users", by_actor=True),
    ),
    resource="files",
    derived=True,
)
OPERATIONS = Table(
    "operations",
    (
        Key("id", "OP"),
        Text("name", required=True),
        Text("operation_type", required=True),
        Choice("status", words.OPERATION_STATES, required=True),
        Json("operation_metadata"),
        Json("response_data"),
        Json("error_data"),
        Moment("created_at", stamp="created"),
        Moment("completed_at"),
    ),
    resource="operations",
    derived=True,
    unique=(("name",),),
)
APPS = Table(
    "apps",
    (
        Key("id", "APP"),
        Text("name", required=True),
        Text("object_type"),
        Text("product_id"),
        Text("product_url"),
        *(
            Flag(name, required=True, default=False)
            for name in (
                "supports_create",
                "supports_import",
                "supports_multi_open",
                "supports_offline_create",
                "has_drive_wide_scope",
                "installed",
                "authorized",
                "use_by_default",
            )
        ),
        *(
            Json(name, list[str])
            for name in (
                "primary_mime_types",
                "secondary_mime_types",
                "primary_file_extensions",
                "secondary_file_extensions",
            )
        ),
        Text("create_url"),
        Text("create_in_folder_template"),
        Text("open_url_template"),
        Text("short_description"),
        Text("long_description"),
        Json("icons", list[str]),
        Moment("created_at", stamp="created"),
        Moment("updated_at", stamp="updated"),
        Ref("installed_by", "users"),
    ),
    resource="apps",
)
TABLES = (POOL, TRASH_LOG, OPERATIONS, APPS)
