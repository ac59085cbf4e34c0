"""Labels, each with a value of one type, and the files that bear them."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Number, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.tables.people import CREATED

LABELS = Table(
    "labels",
    (
        Key("id", "LABEL"),
        Text("key", 60, required=True),
        Text("name", 120, required=True),
        Choice("type", words.LABEL_TYPES, required=True),
        Json("options", list[str]),
        Flag("required", required=True, default=False),
        CREATED,
    ),
    resource="labels",
    unique=(("key",),),
)
FILE_LABELS = Table(
    "file_labels",
    (
        Key("id", "FL"),
        Ref("file_id", "files", required=True),
        Ref("label_id", "labels", required=True),
        Text("value_string", 500),
        Number("value_number"),
        Flag("value_boolean"),
        Text("value_date", 10),
        Text("value_enum", 120),
        CREATED,
    ),
    resource="labels",
    unique=(("file_id", "label_id"),),
)
TABLES = (LABELS, FILE_LABELS)
