"""World: copies are independent and exact, failures leave no trace, and the digest sees content only."""

from __future__ import annotations

import dataclasses
import datetime as dt
import pickle
import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import OpsGymError, RegistryError, TaskError
from opsgym.core.world import World, WorldLike

TODAY = dt.date(2026, 5, 4)
DDL = """
CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE item (
    id INTEGER PRIMARY KEY, name TEXT, size REAL CHECK (size >= 0),
    shelf INTEGER REFERENCES shelf(id) DEFERRABLE INITIALLY IMMEDIATE);
CREATE TABLE tag (item INTEGER REFERENCES item(id) ON DELETE CASCADE, word TEXT, PRIMARY KEY (item, word)) WITHOUT ROWID;
CREATE INDEX item_name ON item(name);
INSERT INTO shelf VALUES (1, 'top'), (2, 'low');
"""

rows = st.dictionaries(
    st.integers(1, 40), st.tuples(st.text(max_size=8), st.floats(0, 1e6), st.sampled_from([1, 2, None])), max_size=12
)


@pytest.fixture
def world() -> Iterator[World]:
    opened = World(DDL, today=TODAY)
    yield opened
    opened.close()


def fill(world: World, content: dict[int, tuple[str, float, int | None]], order: list[int] | None = None) -> None:
    for key in order if order is not None else list(content):
        world.execute("INSERT INTO item VALUES (?, ?, ?, ?)", (key, *content[key]))
        world.execute("INSERT INTO tag VALUES (?, ?)", (key, f"t{key}"))


def insert_and_fail(world: World) -> None:
    with world.savepoint():
        world.execute("INSERT INTO shelf VALUES (4, 'lost')")
        raise LookupError


def insert_orphan_late(world: World) -> None:
    with world.savepoint():
        world.execute("PRAGMA defer_foreign_keys = ON")
        world.execute("INSERT INTO item VALUES (1, 'a', 1, 9)")


@given(content=rows, data=st.data())
def test_the_digest_ignores_the_history(content: dict[int, tuple[str, float, int | None]], data: st.DataObject) -> None:
    """Another order of insertion, rows that came and went and a vacuum leave the digest alone."""
    one, other = World(DDL, today=TODAY), World(DDL, today=TODAY)
    fill(one, content)
    for extra in range(100, 100 + data.draw(st.integers(0, 30))):
        other.execute("INSERT INTO item VALUES (?, ?, 1, 1)", (extra, "x" * 200))
    fill(other, content, data.draw(st.permutations(sorted(content))))
    other.execute("DELETE FROM item WHERE id >= 100")
    assert one.digest() == other.digest()
    other.execute("VACUUM")
    assert one.digest() == other.digest()
    one.close()
    other.close()


@given(content=rows)
def test_the_digest_sees_every_change(content: dict[int, tuple[str, float, int | None]]) -> None:
    world = World(DDL, today=TODAY)
    fill(world, content)
    digests = {world.digest()}
    for change in (
        "INSERT INTO item VALUES (77, 'new', 1, NULL)",
        "UPDATE item SET name = 'renamed' WHERE id = 77",
        "INSERT INTO tag VALUES (77, 'w')",
        "UPDATE shelf SET name = 'attic' WHERE id = 1",
    ):
        world.execute(change)
        digests.add(world.digest())
    world.advance(days=1)
    digests.add(world.digest())
    assert len(digests) == 6
    world.close()


@given(before=rows, after=rows)
def test_copies_are_exact_and_independent(
    before: dict[int, tuple[str, float, int | None]], after: dict[int, tuple[str, float, int | None]]
) -> None:
    world = World(DDL, today=TODAY)
    fill(world, before)
    start, snapshot, fork = world.digest(), world.snapshot(), world.fork()
    world.execute("DELETE FROM item")
    fill(world, after)
    world.advance(days=3)
    assert fork.digest() == start
    assert fork.rows("item") == {k: (k, *before[k]) for k in sorted(before)}
    end = world.digest()
    fork.execute("UPDATE shelf SET name = name || '!'")
    assert world.digest() == end
    world.restore(pickle.loads(pickle.dumps(snapshot)))
    assert world.digest() == start
    assert world.today == TODAY
    assert world.check() == []
    fork.restore(snapshot)
    assert fork.digest() == start
    world.close()
    fork.close()


@given(content=rows, depth=st.integers(1, 4))
def test_a_failing_savepoint_leaves_no_trace(content: dict[int, tuple[str, float, int | None]], depth: int) -> None:
    world = World(DDL, today=TODAY)
    fill(world, {50: ("kept", 1.0, 1)})
    start = world.digest()

    def nest(levels: int) -> None:
        with world.savepoint():
            world.advance(minutes=5)
            if levels:
                nest(levels - 1)
            fill(world, content)
            raise LookupError("stop")

    with pytest.raises(LookupError, match="stop"):
        nest(depth)
    assert world.digest() == start
    assert world.now == dt.datetime(2026, 5, 4, 8)
    world.close()


def test_an_inner_failure_that_is_handled_keeps_the_outer_work(world: World) -> None:
    with world.savepoint():
        world.execute("INSERT INTO shelf VALUES (3, 'kept')")
        with pytest.raises(LookupError):
            insert_and_fail(world)
    assert set(world.rows("shelf")) == {1, 2, 3}


def test_a_deferred_foreign_key_fails_the_savepoint_whole(world: World) -> None:
    start = world.digest()
    with pytest.raises(sqlite3.IntegrityError):
        insert_orphan_late(world)
    assert world.digest() == start
    with world.savepoint():
        world.execute("INSERT INTO shelf VALUES (3, 'works')")
    assert 3 in world.rows("shelf")


@pytest.mark.parametrize("sql", ["INSERT INTO item VALUES (1, 'a', -1, 1)", "INSERT INTO item VALUES (1, 'a', 1, 9)"])
def test_constraints_hold(world: World, sql: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        world.execute(sql)


def test_executemany_is_all_or_nothing(world: World) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        world.executemany("INSERT INTO shelf VALUES (?, ?)", [(3, "ok"), (1, "taken")])
    assert set(world.rows("shelf")) == {1, 2}


def test_the_clock_moves_only_by_advance(world: World) -> None:
    assert world.now == dt.datetime(2026, 5, 4, 8)
    assert world.today == TODAY
    assert world.advance(days=2, minutes=30) == world.now == dt.datetime(2026, 5, 6, 8, 30)
    with pytest.raises(OpsGymError, match="forward"):
        world.advance(days=-1)


def test_layout_is_described(world: World) -> None:
    assert world.tables() == ("item", "shelf", "tag")
    assert world.columns("item") == ("id", "name", "size", "shelf")
    fill(world, {8: ("b", 1, None), 3: ("a", 2, 1)})
    assert list(world.rows("item")) == [3, 8]
    assert world.rows("tag") == {0: (3, "t3"), 1: (8, "t8")}
    with pytest.raises(RegistryError, match="did you mean 'item'"):
        world.rows("items")


def test_check_names_what_is_broken(world: World) -> None:
    assert world.check() == []
    world.execute("PRAGMA foreign_keys = OFF")
    world.execute("INSERT INTO item VALUES (1, 'a', 1, 9)")
    assert world.check() == ["row 1 of item refers to a missing row of shelf"]


def test_a_world_opens_from_a_snapshot(world: World) -> None:
    fill(world, {3: ("a", 2, 1)})
    twin = World.from_snapshot(world.snapshot())
    assert twin.digest() == world.digest()
    assert twin.now == world.now
    with pytest.raises(sqlite3.IntegrityError):
        twin.execute("INSERT INTO item VALUES (9, 'a', 1, 9)")
    twin.close()


def test_the_version_tells_that_content_may_have_changed(world: World) -> None:
    seen, snapshot = [world.version], world.snapshot()
    world.execute("INSERT INTO shelf VALUES (3, 'new')")
    seen.append(world.version)
    world.restore(snapshot)
    seen.append(world.version)
    world.rows("shelf")
    assert len(set(seen)) == 3
    assert world.version == seen[-1]


def test_bad_ddl_is_a_task_error() -> None:
    with pytest.raises(TaskError, match="ddl: expected SQL"):
        World("CREATE TABLE", today=TODAY)


def test_restoring_needs_a_database(world: World) -> None:
    good, start = world.snapshot(), world.digest()
    with pytest.raises(TaskError, match="no database"):
        world.restore(dataclasses.replace(good, data=b"rubbish" * 1000))
    assert world.digest() == start


def test_statements_and_virtual_tables_survive_a_restore(world: World) -> None:
    """SQLite keeps compiled statements and json_each's table, which must not remember the schema of before."""
    fill(world, dict.fromkeys(range(1, 20), ("x", 1.0, 1)))
    snapshot = world.snapshot()
    for _ in range(50):
        found = world.execute("SELECT COUNT(*) FROM item WHERE id IN (SELECT value FROM json_each(?))", ("[1, 2, 3]",)).fetchall()
        assert found == [(3,)]
        world.execute("DELETE FROM item WHERE id = 1")
        world.execute("CREATE TEMP TABLE IF NOT EXISTS scratch (a)")
        world.execute("INSERT INTO scratch VALUES (1)")
        world.restore(snapshot)


def test_restoring_inside_a_savepoint_is_refused(world: World) -> None:
    snapshot = world.snapshot()
    with pytest.raises(OpsGymError, match="inside a savepoint"), world.savepoint():
        world.restore(snapshot)


def test_restoring_under_an_open_cursor_is_refused(world: World) -> None:
    """SQLite itself would let it happen and crash at the next row."""
    fill(world, dict.fromkeys(range(1, 200), ("x" * 300, 1.0, 1)))
    snapshot = world.snapshot()
    cursor = world.execute("SELECT * FROM item ORDER BY id")
    cursor.fetchone()
    with pytest.raises(OpsGymError, match="unread"):
        world.restore(snapshot)
    assert len(cursor.fetchall()) == 198
    world.restore(snapshot)


def test_a_snapshot_of_another_schema_is_refused(world: World) -> None:
    other = World("CREATE TABLE shelf (name TEXT, id INTEGER PRIMARY KEY)", today=TODAY)
    with pytest.raises(TaskError, match="another schema"):
        world.restore(other.snapshot())
    other.close()


def test_a_closed_world_says_so() -> None:
    world = World(DDL, today=TODAY)
    world.close()
    assert repr(world) == "World(closed)"
    with pytest.raises(OpsGymError, match="closed"):
        world.digest()


def test_memory_stays_flat_over_many_restores(world: World) -> None:
    """Each image is freed when the next one is loaded: 20,000 restores of a 30 kB world would else take 600 MB."""
    resource = pytest.importorskip("resource")
    snapshot = world.snapshot()
    for _ in range(1000):
        world.restore(snapshot)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20_000):
        world.restore(snapshot)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kB on Linux


def test_a_snapshot_opens_as_a_world_of_its_own(world: World) -> None:
    """What an environment asks of any world, so that a family may bring another kind."""
    like: WorldLike = world
    opened = like.snapshot().open()
    assert opened.digest() == like.digest() and opened.schema == like.schema
    world.execute("INSERT INTO item VALUES (1, 'bolt', 1, 1)")
    assert opened.digest() != like.digest()
    opened.close()
