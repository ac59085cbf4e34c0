"""Setting: where a task plays; base worlds by reference, and what the task's template made of them."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from pydantic import Field

from opsgym.core.changes import quoted
from opsgym.core.errors import TaskError
from opsgym.core.records.actor import Actor
from opsgym.core.records.domain import Domain
from opsgym.core.records.enforcement import Enforcement
from opsgym.core.records.seeding import seeded
from opsgym.core.records.statements import by_key, names
from opsgym.core.task import Frozen, JsonDict
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.bases import base
from opsgym.envs.enterprise_ops.company import Size
from opsgym.envs.enterprise_ops.systems import system


class Part(Frozen):
    """One system of a setting.

    Attributes:
        system: Its name.
        base: Digest of the base world; a task of another generator's worlds is refused.  Empty for an empty world.
        actor: Key of the user who is signed in.
        role: The user's role.
        scope: The user's tenant, or empty.
        name: The user's name.
        email: The user's e-mail address.
        put: Rows by table that the base world has not, or has otherwise.
        gone: Keys by table of rows that the base world has.
    """

    system: str
    base: str
    actor: str | int
    role: str
    scope: str | int = ""
    name: str = ""
    email: str = ""
    put: dict[str, list[JsonDict]] = Field(default_factory=dict)
    gone: dict[str, list[list[Any]]] = Field(default_factory=dict)

    def signed_in(self) -> Actor:
        """The actor."""
        return Actor(self.actor, self.role, self.scope)

    def open(self, seed: int, size: Size, today: str = "") -> World:
        """A fresh world.

        Args:
            seed: Seed of the base world's company.
            size: Its size.
            today: First day, of a world without a base.

        Raises:
            TaskError: The base world is another one, or a row does not fit.
        """
        if not self.base:
            return seeded(system(self.system).domain, self.put, today=dt.date.fromisoformat(today))
        found = base(self.system, seed, size)
        if found.digest != self.base:
            raise TaskError(f"expected the base world {self.base}, this version makes {found.digest}", field="world.base")
        world = World.from_snapshot(found.snapshot)
        if self.put or self.gone:
            with world.savepoint():
                world.execute("PRAGMA defer_foreign_keys = ON")
                _patch(world, system(self.system).domain, self)
        return world


class Setting(Frozen):
    """Where a task plays.

    Attributes:
        seed: Seed of the company, from which all base worlds are made.
        size: Their size.
        enforcement: Whether tools enforce rights and rules.
        parts: The systems.
        today: First day, where the worlds have no base.
        grading: ``"full"``: checks, rules, rights and the changes that are granted; ``"release"``: checks alone, as published
            tasks are graded, on sealed copies.
    """

    seed: int
    size: Size
    enforcement: Enforcement
    parts: tuple[Part, ...]
    today: str = ""
    grading: Literal["full", "release"] = "full"

    def open(self) -> dict[str, World]:
        """Fresh worlds by system; see :meth:`Part.open`."""
        return {part.system: part.open(self.seed, self.size, self.today) for part in self.parts}

    def part(self, name: str) -> Part:
        """The part of a system."""
        return next(part for part in self.parts if part.system == name)


def _patch(world: World, domain: Domain, part: Part) -> None:
    for name, keys in part.gone.items():
        table = domain.table(name)
        world.conn.executemany(f"DELETE FROM {quoted(name)} WHERE {by_key(table)}", keys)
    for name, rows in part.put.items():
        table = domain.table(name)
        for row in rows:
            world.execute(f"DELETE FROM {quoted(name)} WHERE {by_key(table)}", [row[column] for column in table.key])
        marks = ", ".join("?" * len(table.names))
        sql = f"INSERT INTO {quoted(name)} ({names(table.names)}) VALUES ({marks})"
        world.conn.executemany(sql, [[row.get(column) for column in table.names] for row in rows])
