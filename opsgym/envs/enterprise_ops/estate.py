"""Estate: several systems as one world, and their tools side by side."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any, Self, get_type_hints

from opsgym.core.errors import TaskError
from opsgym.core.records import outcome
from opsgym.core.records.outcome import Reason
from opsgym.core.records.records import Records
from opsgym.core.tools import Tool, tool
from opsgym.core.world import Snapshot, World


@dataclass(frozen=True, slots=True, weakref_slot=True)
class EstateSnapshot:
    """The states of several worlds.

    Attributes:
        schema: Names the kinds of worlds.
        parts: The states by system.
    """

    schema: str
    parts: Mapping[str, Snapshot]

    def open(self) -> Estate:
        """A new estate in this state."""
        return Estate({name: part.open() for name, part in self.parts.items()})


class Estate:
    """Worlds of several systems, played as one.

    Args:
        parts: The worlds by system; from now on the estate's.

    Attributes:
        parts: The worlds by system.
        schema: Names their kinds.
    """

    def __init__(self, parts: Mapping[str, World]) -> None:
        self.parts = dict(parts)
        kinds = "/".join(f"{name}:{world.schema}" for name, world in self.parts.items())
        self.schema = hashlib.sha256(kinds.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"Estate({', '.join(f'{name}={world!r}' for name, world in self.parts.items())})"

    def snapshot(self) -> EstateSnapshot:
        """The whole state, detached."""
        return EstateSnapshot(self.schema, {name: world.snapshot() for name, world in self.parts.items()})

    def restore(self, snapshot: EstateSnapshot) -> None:
        """Return to a state of the same systems.

        Raises:
            TaskError: It is of other systems.
        """
        if snapshot.schema != self.schema:
            raise TaskError("the snapshot was taken of other systems", field="snapshot")
        for name, world in self.parts.items():
            world.restore(snapshot.parts[name])

    def fork(self) -> Self:
        """An independent copy."""
        return type(self)({name: world.fork() for name, world in self.parts.items()})

    def savepoint(self) -> AbstractContextManager[object]:
        """A context in which everything is undone when an exception leaves it; contexts nest."""
        stack = ExitStack()
        for world in self.parts.values():
            stack.enter_context(world.savepoint())
        return stack

    def digest(self) -> str:
        """Hash of the content."""
        return hashlib.sha256("/".join(world.digest() for world in self.parts.values()).encode()).hexdigest()

    def check(self) -> list[str]:
        """What is wrong with the state, one sentence each."""
        return [f"{name}: {fault}" for name, world in self.parts.items() for fault in world.check()]

    def close(self) -> None:
        """Free the memory."""
        for world in self.parts.values():
            world.close()


def parts_of(world: Estate | World, first: str) -> dict[str, World]:
    """Worlds by system; of a single world, ``first`` is the system's name."""
    return world.parts if isinstance(world, Estate) else {first: world}


@dataclass(frozen=True, slots=True)
class Desk:
    """What the tools of several systems act on.

    Attributes:
        records: The records by system, the first one holds the outcome.
    """

    records: Mapping[str, Records]

    @property
    def first(self) -> Records:
        """The records of the first system."""
        return next(iter(self.records.values()))


class _Routed:
    """A system's tool function, called with a desk."""

    def __init__(self, name: str, function: Any) -> None:
        hints = get_type_hints(function, include_extras=True)
        signature = inspect.signature(function)
        session, *others = signature.parameters.values()
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__annotations__ = {item.name: hints[item.name] for item in others if item.name in hints}
        self.__signature__ = inspect.Signature([session.replace(annotation=inspect.Parameter.empty), *others])
        self._name = name
        self._function = function

    def __call__(self, session: Desk, **arguments: Any) -> Any:
        return self._function(session.records[self._name], **arguments)


def of_system(name: str, item: Tool) -> Tool:
    """A system's tool among those of several, its name with the system's in front."""
    return Tool(f"{name}.{item.name}", item.description, _Routed(name, item.function), item.mutates, item.terminal)


@tool()
def whoami(session: Desk) -> dict[str, Any]:
    """Tell for whom you act in each system, in which role, and what time it is."""
    return {name: outcome.whoami.function(records) for name, records in session.records.items()}


@tool(mutates=True, terminal=True)
def submit(session: Desk, answer: str = "") -> dict[str, Any]:
    """End the episode: the request has been met.

    Args:
        session: What the tool acts on.
        answer: What to tell the requester.
    """
    found: dict[str, Any] = outcome.submit.function(session.first, answer=answer)
    return found


@tool(mutates=True, terminal=True)
def refuse(session: Desk, reason_code: Reason, explanation: str) -> dict[str, Any]:
    """End the episode: the request cannot be met, and nothing was changed.

    Args:
        session: What the tool acts on.
        reason_code: Why.
        explanation: The rule or the fact that stands against it.
    """
    found: dict[str, Any] = outcome.refuse.function(session.first, reason_code=reason_code, explanation=explanation)
    return found


ENDING: tuple[Tool, ...] = (whoami, submit, refuse)
"""The tools that end episodes in several systems."""


def watched(world: World) -> World:
    """Have writes watched from the present state on, so that what differs from it is found without reading everything."""
    seeded = world.origin or world.snapshot()
    if not world.is_watched:
        world.stamp(outcome.TABLE)
    if world.written_since(seeded) is None:
        world.restore(seeded)
    return world
