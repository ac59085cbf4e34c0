"""Sight: which records of a table, and which of their columns, a role may see."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sight:
    """A limit on what a role sees; in strict mode other records do not exist for it.

    Attributes:
        id: Short name, as rules have.
        sentence: The limit as agents read it.
        role: The role.
        table: The table.
        condition: True of the rows that it may see, in SQL over the table's columns and ``:actor``.
    """

    id: str
    sentence: str
    role: str
    table: str
    condition: str


MASKED = "***"
"""What stands for a value that is masked."""


@dataclass(frozen=True)
class Mask:
    """Columns that some roles do not see; in strict mode :data:`MASKED` stands for their values.

    Attributes:
        id: Short name, as rules have.
        sentence: The limit as agents read it.
        roles: The roles.
        table: The table.
        columns: The columns.
    """

    id: str
    sentence: str
    roles: tuple[str, ...]
    table: str
    columns: tuple[str, ...]
