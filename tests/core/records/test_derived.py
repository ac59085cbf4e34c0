"""What the system keeps up to date is not judged as a change; all else is."""

from __future__ import annotations

import datetime as dt

from opsgym.core.records.actor import Actor
from opsgym.core.records.columns import Key, Text, Whole
from opsgym.core.records.diff import changes
from opsgym.core.records.domain import Domain
from opsgym.core.records.judge import Judge
from opsgym.core.records.rights import Rights
from opsgym.core.records.seeding import seeded
from opsgym.core.records.table import Table

BOX = Table("box", (Key("id", "BOX"), Text("name"), Whole("letters", derived=True)), resource="boxes")
LOG = Table("log", (Key("id", whole=True), Text("what")), resource="log", derived=True)
DOMAIN = Domain(name="post", title="Post", tables=(BOX, LOG), rights=Rights({"clerk": {"boxes": "crud"}}))
ROWS = {"box": [{"id": "BOX_001", "name": "ann", "letters": 0}]}


def changed(*statements: str, derived: bool = False) -> list[str]:
    world = seeded(DOMAIN, ROWS, today=dt.date(2026, 5, 4))
    before = world.snapshot()
    for sql in statements:
        world.execute(sql)
    with Judge(DOMAIN, before, world.snapshot(), Actor("x", "clerk")) as judge:
        assert judge.rights().status == "pass"
        return [str(change) for change in (changes(judge.conn, DOMAIN.tables, derived=True) if derived else judge.changes)]


COUNT = "UPDATE box SET letters = 1"
NOTE = "INSERT INTO log VALUES (1, 'came')"


def test_derived_values_and_tables_are_left_out() -> None:
    assert changed(COUNT, NOTE) == []


def test_they_are_told_where_they_are_asked_for() -> None:
    assert changed(COUNT, NOTE, derived=True) == ["update box BOX_001 ()", "create log 1"]


def test_another_column_of_the_same_record_counts() -> None:
    assert changed("UPDATE box SET letters = 1, name = 'ben'", NOTE) == ["update box BOX_001 (name)"]


def test_a_new_record_counts_whatever_it_holds() -> None:
    assert changed("INSERT INTO box VALUES ('BOX_002', NULL, 1)") == ["create box BOX_002"]
