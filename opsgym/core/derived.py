"""Values read of a world, read again only when tables that they are read of may have changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from opsgym.core.world import World

T = TypeVar("T")


class Derived:
    """Values derived of one world, by name.

    Watching writes costs time as well, so a world is watched only once it is read a second time without having been restored
    in between.  Where a value comes out equal, the old object stays: whoever holds it sees by identity that it did not change.
    """

    def __init__(self) -> None:
        self._restored = -1
        self._watching = False
        self._values: dict[str, tuple[Any, tuple[Any, ...], Any]] = {}

    def begin(self, world: World) -> None:
        """To be called before a round of :meth:`get`."""
        restored = world.version[0]
        self._watching = world.is_watched or restored == self._restored
        self._restored = restored

    def stamp(self, world: World, tables: tuple[str, ...]) -> tuple[int, ...] | None:
        """As :meth:`World.stamp <opsgym.core.world.World.stamp>`; ``None`` too while nothing is watched."""
        return world.stamp(*tables) if self._watching else None

    def get(self, world: World, name: str, tables: tuple[str, ...], make: Callable[[], T], *inputs: object) -> T:
        """A value.

        Args:
            world: The world; always the same one.
            name: Name of the value.
            tables: The tables that it is read of.
            make: Reads it.
            *inputs: What else it depends on, compared by identity; kept, so never the world itself.
        """
        stamp = self.stamp(world, tables) if tables else ()
        known = self._values.get(name)
        if known is not None and stamp is not None and stamp == known[0] and all(map(_is, inputs, known[1])):
            value: T = known[2]
            return value
        value = make()
        if known is not None and known[2] == value:
            value = known[2]
        self._values[name] = stamp, inputs, value
        return value

    def known(self, name: str) -> tuple[tuple[Any, ...], Any] | None:
        """The inputs and the value that were last found, whether or not they still hold."""
        found = self._values.get(name)
        return None if found is None else found[1:]


def _is(one: object, other: object) -> bool:
    return one is other
