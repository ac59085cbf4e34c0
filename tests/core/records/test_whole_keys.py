"""Tables may have integer keys, and columns with JSON."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.records.actor import Actor
from opsgym.core.records.columns import Flag, Json, Key, Ref, Serial, Text
from opsgym.core.records.domain import Domain
from opsgym.core.records.records import Records
from opsgym.core.records.rights import Rights
from opsgym.core.records.seeding import seeded
from opsgym.core.records.table import Table
from opsgym.core.records.tools import creating, listing, updating

CASE = Table(
    "case",
    (
        Key("case_id", whole=True),
        Serial("number", "CS-", 6),
        Ref("parent", "case", whole=True),
        Flag("urgent"),
        Json("labels", list[str]),
    ),
    resource="cases",
)
DOMAIN = Domain(
    "cases",
    "Cases",
    (CASE,),
    Rights({"agent": {"cases": "crud"}}),
    tools=(
        creating("create_case", "Create a case", CASE, "", "parent labels urgent"),
        updating("update_case", "Change a case", CASE, "case_id", "parent labels", kinds={"parent": Text("parent")}),
        listing("list_cases", "List cases", CASE, "case_id urgent", kinds={"case_id": Text("case_id"), "urgent": Text("urgent")}),
    ),
)


def session() -> Records:
    world = seeded(DOMAIN, {"case": [{"case_id": 41, "number": "CS-000007"}]}, today=dt.date(2026, 5, 4))
    return Records(DOMAIN, world, Actor("1", "agent"))


def call(records: Records, tool: str, **arguments: Any) -> Any:
    item = DOMAIN.toolbox[tool]
    return item.function(records, **item.validate(arguments))


def test_new_integer_keys_follow_the_greatest() -> None:
    made = call(session(), "create_case", parent=41, labels=["a", "b"], urgent=True)
    assert made == {"case_id": 42, "number": "CS-000008", "parent": 41, "urgent": True, "labels": ["a", "b"]}


def test_integers_and_flags_may_come_as_text() -> None:
    records = session()
    call(records, "create_case", urgent=True)
    assert call(records, "update_case", case_id=42, parent="41")["parent"] == 41
    assert [row["case_id"] for row in call(records, "list_cases", case_id="41")] == [41]
    assert [row["case_id"] for row in call(records, "list_cases", urgent="True")] == [42]
    for wrong in ({"case_id": "forty"}, {"case_id": "9" * 30}, {"urgent": "yes"}):
        with pytest.raises(ToolError) as caught:
            call(records, "list_cases", **wrong)
        assert caught.value.code == "invalid_value"


def test_a_missing_parent_is_not_found() -> None:
    with pytest.raises(ToolError, match="parent: no case"):
        call(session(), "create_case", parent=7)


def test_writes_are_told_by_key() -> None:
    records = session()
    feed = records.world.feed()
    assert records.world.pull()
    feed.clear()
    call(records, "create_case")
    assert records.world.pull()
    assert feed.written() == {"case": {42}}


def test_a_reference_has_the_kind_of_its_target() -> None:
    with pytest.raises(TaskError, match=r"t\.case"):
        Domain("d", "D", (CASE, Table("t", (Key("t_id", "T"), Ref("case", "case")))), Rights({}))
