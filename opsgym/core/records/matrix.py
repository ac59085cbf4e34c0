"""Matrix: a column whose value follows from others, such as priority from impact and urgency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from opsgym.core.errors import TaskError
from opsgym.core.records.columns import Choice
from opsgym.core.records.lifecycle import noun
from opsgym.core.records.rules import Rule
from opsgym.core.records.table import Table


@dataclass(frozen=True)
class Matrix:
    """A function of enumerations, given as a table.

    Attributes:
        id: Id of its rule.
        table: Whose records.
        inputs: The columns that decide.
        output: The column that follows.
        values: Its value for each combination.
        computed: Whether tools fill it; if not, agents must state it, and may get it wrong.
    """

    id: str
    table: str
    inputs: tuple[str, ...]
    output: str
    values: Mapping[tuple[str, ...], str]
    computed: bool = False

    def check(self, table: Table) -> None:
        """Check the declaration against its table.

        Raises:
            TaskError: A column is no enumeration, a value is none of its own, or a combination is missing.
            RegistryError: A column does not exist.
        """
        kinds = [table.column(name) for name in (*self.inputs, self.output)]
        choices = [kind.values for kind in kinds if isinstance(kind, Choice)]
        if len(choices) != len(kinds):
            raise TaskError(f"matrix {self.id!r} needs enumerations", field="inputs")
        missing = set(product(*choices[:-1])) ^ set(self.values)
        if missing:
            raise TaskError(f"matrix {self.id!r} and its inputs differ in {sorted(missing)[:3]}", field="values")
        unknown = set(self.values.values()) - set(choices[-1])
        if unknown:
            raise TaskError(f"matrix {self.id!r} gives {sorted(unknown)}, no values of {self.output}", field="values")

    def rule(self) -> Rule:
        """Its rule."""
        cases = " ".join(
            "WHEN "
            + " AND ".join(f"new.{name} = '{value}'" for name, value in zip(self.inputs, given, strict=True))
            + f" THEN '{out}'"
            for given, out in self.values.items()
        )
        sentence = f"{self.output.capitalize()} of {noun(self.table)} follows from {' and '.join(self.inputs)}: " + "; ".join(
            f"{'/'.join(given)} gives {out}" for given, out in self.values.items()
        )
        return Rule(self.id, f"{sentence}.", self.table, f"new.{self.output} IS NOT CASE {cases} END", section=self.table)
