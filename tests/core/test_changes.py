"""What is watched misses no write, and the digest that is kept up equals one that reads everything."""

from __future__ import annotations

import contextlib
import datetime as dt
import sqlite3
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.changes import RowHashes
from opsgym.core.errors import OpsGymError, RegistryError
from opsgym.core.world import World

TODAY = dt.date(2026, 5, 4)
DDL = """
CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE item (
    id INTEGER PRIMARY KEY, name TEXT, size REAL CHECK (size >= 0), content BLOB,
    shelf INTEGER REFERENCES shelf(id) ON DELETE CASCADE ON UPDATE CASCADE,
    next INTEGER REFERENCES item(id) ON DELETE SET NULL ON UPDATE CASCADE);
CREATE TABLE tag (
    item INTEGER REFERENCES item(id) ON DELETE CASCADE ON UPDATE CASCADE, word TEXT, PRIMARY KEY (item, word)) WITHOUT ROWID;
CREATE TABLE log (line TEXT);
CREATE TABLE "odd ""name" ("a ""key" INTEGER PRIMARY KEY, "b" TEXT);
CREATE TRIGGER noted AFTER UPDATE ON item BEGIN INSERT INTO log VALUES (new.name); END;
INSERT INTO shelf VALUES (1, 'top'), (2, 'low');
"""

keys = st.integers(1, 6)
words = st.sampled_from(["a", "b", "c", "\u00e9"])
STATEMENTS = (
    "INSERT INTO item VALUES ({a}, '{w}', {b}.5, x'00ff', 1, NULL)",
    "INSERT OR IGNORE INTO item VALUES ({a}, '{w}', {b}, NULL, 2, NULL)",
    "INSERT OR REPLACE INTO item VALUES ({a}, '{w}', {b}, NULL, 1, NULL)",
    "INSERT INTO item (id, name) VALUES ({a}, '{w}') ON CONFLICT (id) DO UPDATE SET name = name || '{w}'",
    "REPLACE INTO shelf VALUES ({a}, '{w}')",
    "UPDATE item SET name = '{w}', size = {b} WHERE id <= {a}",
    "UPDATE item SET next = {a} WHERE id = {b}",
    "UPDATE item SET size = 3 - id",
    "UPDATE item SET id = id + 10 WHERE id = {a}",
    "UPDATE item SET rowid = {a} WHERE rowid = {b}",
    "UPDATE shelf SET id = {a} + 20 WHERE id = {b}",
    "UPDATE shelf SET name = '{w}' WHERE id = {a}",
    "DELETE FROM shelf WHERE id = {a}",
    "DELETE FROM item WHERE id = {a}",
    "DELETE FROM item",
    "INSERT OR IGNORE INTO tag VALUES ({a}, '{w}')",
    "UPDATE OR REPLACE tag SET word = '{w}' WHERE item = {a}",
    "INSERT INTO log VALUES ('{w}')",
    "DELETE FROM log WHERE line = '{w}'",
    'INSERT OR REPLACE INTO "odd ""name" VALUES ({a}, \'{w}\')',
)
statement = st.builds(lambda sql, a, b, w: sql.format(a=a, b=b, w=w), st.sampled_from(STATEMENTS), keys, keys, words)
acts = st.lists(
    st.one_of(
        statement,
        st.tuples(st.sampled_from(["kept", "undone"]), st.lists(statement, max_size=4)),
        st.sampled_from(["advance", "snapshot", "restore", "vacuum", "digest"]),
    ),
    max_size=25,
)


def run(world: World, sql: str) -> None:
    with contextlib.suppress(sqlite3.IntegrityError):
        world.execute(sql)


def grouped(world: World, kind: str, statements: list[str]) -> None:
    """Statements in a savepoint, with a digest in the middle, kept or undone."""
    with contextlib.suppress(LookupError), world.savepoint():
        for sql in statements:
            run(world, sql)
            assert world.digest() == read_whole(world)
        if kind == "undone":
            raise LookupError


def read_whole(world: World) -> str:
    return RowHashes(world.conn, world._tables().values()).digest()


@given(acts=acts)
@settings(max_examples=200, deadline=None)
def test_the_digest_kept_up_equals_one_that_reads_everything(acts: list[str | tuple[str, list[str]]]) -> None:
    world = World(DDL, today=TODAY)
    snapshot = world.snapshot()
    for act in acts:
        if isinstance(act, tuple):
            grouped(world, *act)
        elif act == "advance":
            world.advance(minutes=1)
        elif act == "snapshot":
            snapshot = world.snapshot()
        elif act == "restore":
            world.restore(snapshot)
        elif act == "vacuum":
            world.execute("VACUUM")
        elif act != "digest":
            run(world, act)
        assert world.digest() == read_whole(world)
    fork = world.fork()
    assert fork.digest() == fork.digest() == world.digest()
    fork.close()
    world.close()


@pytest.mark.parametrize(
    "write",
    [
        "REPLACE INTO shelf VALUES (3, 'low')",
        "DELETE FROM shelf",
        "UPDATE shelf SET id = 9 WHERE id = 1",
        "UPDATE item SET id = 9 WHERE id = 1",
        "UPDATE item SET rowid = 9 WHERE rowid = 1",
        "UPDATE item SET name = 'other'",
        "UPDATE OR REPLACE item SET id = 2 WHERE id = 1",
        "INSERT OR REPLACE INTO item (id, name) VALUES (1, 'other')",
        "DELETE FROM item WHERE id = 2",
        "DELETE FROM tag",
        "UPDATE OR REPLACE tag SET word = 'b'",
    ],
)
def test_writes_that_reach_further_than_they_say_are_seen(write: str) -> None:
    """Rows that are replaced, cascades, triggers of the family, and keys that change."""
    world = World(DDL, today=TODAY)
    world.execute("INSERT INTO item (id, name, shelf) VALUES (1, 'x', 1), (2, 'y', 2)")
    world.execute("UPDATE item SET next = 2 WHERE id = 1")
    world.execute("INSERT INTO tag VALUES (1, 'a'), (1, 'b'), (2, 'a')")
    before = {world.digest(), world.digest()}
    world.execute(write)
    assert world.digest() == read_whole(world)
    assert world.digest() not in before
    world.close()


@dataclass(frozen=True)
class Told:
    """A write of which the writer tells."""

    kind: str
    key: int
    word: str

    def run(self, world: World) -> None:
        sql = {
            "write": "UPDATE item SET name = ? WHERE id = ?",
            "delete": "DELETE FROM shelf WHERE name = ? OR id = ?",
            "insert": "INSERT INTO shelf (name) VALUES (? || ?)",
            "alter": "UPDATE item SET size = 7 WHERE name = ? OR id = ?",
        }[self.kind]
        params = self.word, self.key
        with contextlib.suppress(sqlite3.IntegrityError):
            if self.kind == "write":
                world.write("item", sql, [params], (self.key,))
            elif self.kind == "insert":
                world.insert("shelf", sql, params)
            else:
                world.alter("item" if self.kind == "alter" else "shelf", sql, params)


told = st.builds(Told, st.sampled_from(["write", "insert", "alter", "delete"]), keys, words)


@given(acts=st.lists(st.one_of(told, told, told, statement, st.sampled_from(["undone", "advance", "restore"])), max_size=25))
@settings(max_examples=200, deadline=None)
def test_writes_that_are_told_and_such_that_are_not_are_seen_alike(acts: list[Told | str]) -> None:
    """The table of items has a trigger and cascades, which nobody tells of."""
    world = World(DDL, today=TODAY)
    world.execute("INSERT INTO item (id, name, shelf) VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2)")
    snapshot, feed, rows = world.snapshot(), world.feed(), dict[str, dict[int, tuple[Any, ...]]]()
    seeded = {name: world.rows(name) for name in world._tables()}
    world.digest(), world.digest()
    for act in acts:
        if isinstance(act, Told):
            act.run(world)
        elif act == "undone":
            with contextlib.suppress(LookupError), world.savepoint():
                told_write(world, "undone")
                assert not world.pull()
                raise LookupError
        elif act == "advance":
            world.advance(minutes=1)
        elif act == "restore":
            world.restore(snapshot)
        else:
            run(world, act)
        assert world.pull()
        tables = list(world._tables())
        for number, name in enumerate(tables):
            found, keys = world.rows(name), feed.rows.get(number, set())
            if not feed.everything and None not in keys and world._tables()[name].key is not None:
                differ = {key for key in found.keys() | rows[name].keys() if found.get(key) != rows[name].get(key)}
                assert differ <= keys
            elif not feed.everything and not keys:
                assert found == rows[name]
            rows[name] = found
        feed.clear()
        written = world.written_since(snapshot)
        assert written is None or {name for name in tables if rows[name] != seeded[name]} <= written
        assert world.digest() == read_whole(world)
    world.close()


def test_what_differs_from_the_snapshot_is_known_only_while_all_was_watched_and_told() -> None:
    world = World("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)", today=TODAY)
    world.insert("item", "INSERT INTO item (name) VALUES (?)", ("a",))
    snapshot, other = world.snapshot(), world.snapshot()
    world.restore(snapshot)
    assert world.written_since(snapshot) is None, "not watched"
    world.feed()
    assert world.written_since(snapshot) is None, "not watched all the time"
    world.restore(snapshot)
    assert world.written_since(snapshot) == frozenset() and world.written_since(None) is None
    assert other == snapshot and world.written_since(other) is None, "told by identity"
    world.write("item", "UPDATE item SET name = ? WHERE id = ?", [("b", 1)], (1,))
    assert world.written_since(snapshot) == frozenset({"item"})
    with world.savepoint():
        assert world.written_since(snapshot) is None
    world.restore(snapshot)
    world.execute("UPDATE item SET name = 'c'")
    assert world.written_since(snapshot) is None, "not told"
    world.restore(snapshot)
    world.execute("UPDATE item SET name = 'c'")
    assert world.written_since(snapshot) == frozenset({"item"}), "triggers tell"


def told_write(world: World, word: str) -> None:
    world.write("item", "UPDATE item SET name = ? WHERE id = ?", [(word, 1), (word, 2)], (1, 2))


def test_a_world_whose_writers_tell_needs_no_triggers() -> None:
    world = World(
        DDL.replace("CREATE TRIGGER noted AFTER UPDATE ON item BEGIN INSERT INTO log VALUES (new.name); END;", ""), today=TODAY
    )
    world.execute("INSERT INTO item (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    world.digest(), world.digest()
    feed = world.feed()
    feed.clear()
    told_write(world, "x")
    assert world.insert("shelf", "INSERT INTO shelf (name) VALUES (?)", ("new",)) == 3
    assert world.alter("shelf", "DELETE FROM shelf WHERE name = ?", ("low",)) == [2]
    world.write("tag", "INSERT INTO tag VALUES (?, ?)", [(1, "a")], (None,))
    assert world.pull() and not feed.everything
    tables = list(world._tables())
    assert {tables[number]: keys for number, keys in feed.rows.items()} == {"item": {1, 2}, "shelf": {2, 3}, "tag": {None}}
    assert world.digest() == read_whole(world)
    assert world._changes is not None and not world._changes.has_triggers
    world.execute("UPDATE item SET name = 'y'")
    assert world.digest() == read_whole(world) and world._changes.has_triggers
    assert feed.everything


@given(acts=acts)
@settings(max_examples=100, deadline=None)
def test_an_equal_stamp_means_equal_rows(acts: list[str | tuple[str, list[str]]]) -> None:
    world = World(DDL, today=TODAY)
    snapshot = world.snapshot()
    seen: dict[tuple[str, Any], list[tuple[Any, ...]]] = {}
    for act in acts:
        if isinstance(act, tuple):
            grouped(world, *act)
        elif act == "restore":
            world.restore(snapshot)
        elif act not in ("advance", "snapshot", "vacuum", "digest"):
            run(world, act)
        for table in world.tables():
            rows = world.execute('SELECT * FROM "' + table.replace('"', '""') + '"').fetchall()
            assert seen.setdefault((table, world.stamp(table)), sorted(rows, key=repr)) == sorted(rows, key=repr)
    world.close()


def test_rows_are_told_apart_by_type_table_and_number() -> None:
    world = World("CREATE TABLE a (v); CREATE TABLE b (v);", today=TODAY)
    digests = set()
    for sql in ("VALUES (1)", "VALUES (1.0)", "VALUES ('1')", "VALUES (x'31')", "VALUES (NULL)", "VALUES (1), (1)"):
        for table in ("a", "b"):
            world.execute(f"INSERT INTO {table} {sql}")
            digests.add(world.digest())
            world.execute(f"DELETE FROM {table}")
    digests.add(world.digest())
    assert len(digests) == 13
    assert World("CREATE TABLE a (w); CREATE TABLE b (v);", today=TODAY).digest() not in digests


def test_nothing_is_watched_until_it_pays() -> None:
    world = World(DDL, today=TODAY)
    world.digest()
    assert not world.is_watched
    world.digest()
    assert world.is_watched


def test_inside_a_savepoint_there_is_no_stamp() -> None:
    world = World(DDL, today=TODAY)
    first = world.stamp("item", "shelf")
    with world.savepoint():
        assert world.stamp("item") is None
    assert world.stamp("item", "shelf") == first
    with pytest.raises(RegistryError, match="did you mean 'item'"):
        world.stamp("items")


def test_a_closed_world_says_so() -> None:
    world = World(DDL, today=TODAY)
    world.digest(), world.digest()
    world.close()
    with pytest.raises(OpsGymError, match="cannot be read"):
        world.digest()
    with pytest.raises(OpsGymError, match="cannot be read"):
        world.stamp("item")


def test_a_snapshot_of_what_is_rolled_back_is_not_taken_for_the_world() -> None:
    world = World(DDL, today=TODAY)
    world.digest(), world.digest()
    world.execute("BEGIN")
    world.execute("UPDATE shelf SET name = 'attic' WHERE id = 1")
    snapshot = world.snapshot()
    world.execute("ROLLBACK")
    assert world.origin is None
    assert world.digest() == read_whole(world) != World.from_snapshot(snapshot).digest()


def test_an_interrupt_while_triggers_are_set_up_loses_no_write() -> None:
    world = World(DDL, today=TODAY)
    stamp = world.stamp("item")
    world.execute("INSERT INTO item (name) VALUES ('a')")
    for steps in range(1, 2000, 97):
        world.conn.set_progress_handler(lambda: 1, steps)
        with contextlib.suppress(sqlite3.OperationalError):
            world.stamp("item")
        world.conn.set_progress_handler(None, 0)
        world.execute("UPDATE item SET name = name || 'b'")
        assert world.stamp("item") != stamp
        stamp = world.stamp("item")
