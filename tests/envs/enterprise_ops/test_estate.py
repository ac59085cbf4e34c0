"""Several systems as one world."""

from __future__ import annotations

import datetime as dt

import pytest

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.estate import Estate, of_system, parts_of
from opsgym.envs.enterprise_ops.systems import SYSTEMS, system
from opsgym.envs.enterprise_ops.toolboxes import all_tools

DAY = dt.date(2026, 5, 4)


def estate() -> Estate:
    return Estate(
        {name: World(f"CREATE TABLE {name}_item (id INTEGER PRIMARY KEY, word TEXT)", today=DAY) for name in ("a", "b")}
    )


def words(held: Estate) -> list[list[str]]:
    return [[row[0] for row in world.execute(f"SELECT word FROM {name}_item").fetchall()] for name, world in held.parts.items()]


def write(held: Estate, name: str, word: str) -> None:
    held.parts[name].execute(f"INSERT INTO {name}_item (word) VALUES (?)", (word,))


def test_restore_returns_all_systems_and_a_fork_goes_its_own_way() -> None:
    held = estate()
    write(held, "a", "kept")
    before, digest = held.snapshot(), held.digest()
    twin = held.fork()
    write(held, "b", "lost")
    assert held.digest() != digest == twin.digest()
    held.restore(before)
    assert words(held) == words(twin) == [["kept"], []]
    assert words(before.open()) == [["kept"], []]
    assert held.check() == []


def test_a_savepoint_undoes_both_systems() -> None:
    held = estate()
    with pytest.raises(OpsGymError), held.savepoint():
        write(held, "a", "x")
        write(held, "b", "y")
        raise OpsGymError("stop")
    assert words(held) == [[], []]


def test_snapshots_of_other_systems_are_refused() -> None:
    other = Estate({"a": World("CREATE TABLE t (id INTEGER PRIMARY KEY)", today=DAY)})
    with pytest.raises(TaskError, match="other systems"):
        estate().restore(other.snapshot())


def test_a_single_world_counts_as_the_first_system() -> None:
    world = World("CREATE TABLE t (id INTEGER PRIMARY KEY)", today=DAY)
    assert parts_of(world, "itsm") == {"itsm": world}


def test_every_tool_keeps_its_signature_among_those_of_several_systems() -> None:
    for name in SYSTEMS:
        for item in system(name).domain.tools:
            routed = of_system(name, item)
            assert routed.name == f"{name}.{item.name}"
            assert routed.parameters == item.parameters
            assert (routed.mutates, routed.description) == (item.mutates, item.description)


def test_there_are_512_tools_each_under_its_systems_name() -> None:
    assert len(all_tools(SYSTEMS)) == 512 + 3
