"""What the tests of this folder share."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from opsgym.core.errors import ToolError
from opsgym.core.world import World
from opsgym.envs.enterprise_bench import system
from opsgym.envs.enterprise_bench.access import Persona, Preset
from opsgym.envs.enterprise_bench.embedding import Embedding
from opsgym.envs.enterprise_bench.session import Desk

BASE = system.base(3, "S")


def fresh() -> World:
    """A world that no test has written."""
    return World.from_snapshot(BASE.snapshot)


def desk(world: World, emp_id: str, preset: Preset = "standard") -> Desk:
    """An employee's session."""
    return system.sign_in(world, emp_id, preset, BASE.retriever)


def call(session: Desk, name: str, /, **arguments: Any) -> Any:
    """The result of a tool, or its error as a dictionary."""
    tool = system.TOOLBOX[name]
    try:
        return tool.function(session, **tool.validate(arguments))
    except ToolError as error:
        return error.as_dict()


def personas(world: World) -> list[Persona]:
    """One or two employees of each department and level; bosses first."""
    sql = (
        "SELECT emp_id, department, level FROM employee AS me WHERE is_valid ORDER BY department, level,"
        " (SELECT count(*) FROM employee AS report WHERE report.reports_to = me.emp_id) DESC, emp_id"
    )
    people = (Persona(*row) for row in world.execute(sql).fetchall())
    groups = itertools.groupby(people, key=lambda one: (one.department, one.level))
    return [one for _, group in groups for one in itertools.islice(group, 2)]


def rows(world: World, table: str) -> Iterator[dict[str, Any]]:
    """All rows of a table."""
    names = world.columns(table)
    return (dict(zip(names, row, strict=True)) for row in world.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall())


def letters(texts: Sequence[str]) -> Any:
    """A model for search: counts of letters."""
    return np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz0123456789_"] for text in texts], float)


def by_letters() -> Embedding:
    """What makes a retriever, for import paths."""
    return Embedding(letters)
