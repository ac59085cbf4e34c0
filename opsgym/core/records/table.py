"""Table: the declaration of one kind of record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.records.columns import Column, Flag, Json, Key, Moment, Ref


@dataclass(frozen=True)
class Table:
    """A kind of record.

    Attributes:
        name: Its name.
        columns: Its columns in their order.
        resource: What rights call it; several tables may be one resource.  Empty: no tool touches it.
        scope: The column that holds a record's tenant; tools see and write the actor's own only.
        via: The reference whose record's tenant counts, in a table without a scope of its own.
        unique: Groups of columns that no two records share.
        checks: Conditions in SQL over one row, each with its sentence.
        indexes: Groups of columns by which rules or tools look records up often.
        key: Names of the primary key's columns; by default the one :class:`~opsgym.core.records.columns.Key`.
        derived: Whether the system keeps its records up to date, as they follow from others; its changes are not judged.

    Raises:
        TaskError: Two columns have one name, or there is no key.
        RegistryError: ``scope``, ``via``, ``unique``, ``indexes`` or ``key`` names a column that does not exist.
    """

    name: str
    columns: tuple[Column, ...]
    resource: str = ""
    scope: str = ""
    via: str = ""
    unique: tuple[tuple[str, ...], ...] = ()
    indexes: tuple[tuple[str, ...], ...] = ()
    checks: Mapping[str, str] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    derived: bool = False

    def __post_init__(self) -> None:
        if len(self.by_name) != len(self.columns):
            raise TaskError(f"two columns of {self.name!r} have one name", field="columns")
        if not self.key:
            object.__setattr__(self, "key", tuple(item.name for item in self.columns if isinstance(item, Key)))
        if not self.key:
            raise TaskError(f"table {self.name!r} has no key; expected a Key column, or key=", field="key")
        for name in (
            *self.key,
            *(name for group in (*self.unique, *self.indexes) for name in group),
            *filter(None, (self.scope, self.via)),
        ):
            self.column(name)

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """Columns by name; share it, do not change it."""
        return {item.name: item for item in self.columns}

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises:
            RegistryError: There is none.
        """
        found = self.by_name.get(name)
        if found is None:
            raise RegistryError(f"column of {self.name!r}", name, self.by_name)
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in their order."""
        return tuple(self.by_name)

    @cached_property
    def open_names(self) -> tuple[str, ...]:
        """Names of the columns that are no secrets."""
        return tuple(item.name for item in self.columns if not item.secret)

    @cached_property
    def spoken(self) -> tuple[Flag | Json, ...]:
        """The columns, other than secrets, whose values agents see otherwise than the database holds them."""
        return tuple(item for item in self.columns if isinstance(item, Flag | Json) and not item.secret)

    @cached_property
    def refs(self) -> tuple[Ref, ...]:
        """The references."""
        return tuple(item for item in self.columns if isinstance(item, Ref))

    @cached_property
    def id(self) -> str:
        """Name of the only key column.

        Raises:
            TaskError: The key has several.
        """
        if len(self.key) != 1:
            raise TaskError(f"table {self.name!r} has a key of {len(self.key)} columns, expected one", field="key")
        return self.key[0]

    def stamp(self, kind: str) -> str:
        """Name of the column that the clock fills at creation or update, or empty."""
        return next((item.name for item in self.columns if isinstance(item, Moment) and item.stamp == kind), "")
