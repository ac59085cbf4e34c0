"""Specification of an ACEBench task: a grid, its items, its hidden slots and its rules.

An :class:`Instance` is what the world, the brief and the verifier are made from.  It holds neither the truth nor
any label of a candidate: a :class:`Solved` instance pairs it with the one completion that its rules admit.
Numbers are integers; a categorical value is stored as its index in the attribute's ``values``.  Cells are numbered
row by row from 0.  Source: ACE-Bench, section 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from pydantic import model_validator

from opsgym.core.task import Frozen

Feedback = Literal["boolean", "rules", "slack"]
"""What the two check tools tell: yes or no (the paper), the names of broken rules, or each rule's signed slack."""

RuleKind = Literal["sum", "count", "count_at_least", "repeat", "adjacent", "precede", "exclude"]
Scope = Literal["grid", "row", "column", "each_row", "pair"]

EMPTY = -1
"""Marks a hidden cell in ``Instance.fixed`` and an empty slot in a state."""


class Attribute(Frozen):
    """An attribute of the items: numeric from ``low`` to ``high``, or categorical when it has ``values``."""

    name: str
    low: int = 0
    high: int = 0
    values: tuple[str, ...] = ()

    @property
    def numeric(self) -> bool:
        """Whether the attribute is a number."""
        return not self.values


class SlotRule(Frozen):
    """A bound on one attribute of the item in one slot: at most or at least ``bound``."""

    attribute: str
    sense: Literal["<=", ">="]
    bound: int

    def holds(self, value: int) -> bool:
        """Whether ``value`` keeps to the bound."""
        return value <= self.bound if self.sense == "<=" else value >= self.bound


class Slot(Frozen):
    """A hidden cell, its candidates (item numbers, in the order in which tools list them) and its rules."""

    cell: int
    candidates: tuple[int, ...]
    rules: tuple[SlotRule, ...]


class Rule(Frozen):
    """A rule over several cells.  What is measured must lie between ``low`` and ``high`` (``None``: no bound).

    Attributes:
        name: Unique name, as feedback and verdicts use it.
        kind: ``sum``: sum of a numeric attribute.  ``count``: cells whose category is ``values[0]``.
            ``count_at_least``: cells whose attribute reaches ``values[0]``.  ``repeat``: how often one category
            occurs, for every category.  ``adjacent``: horizontally neighbouring cells of equal category, pair by
            pair.  ``precede``: attribute of the second cell minus that of the first.  ``exclude``: how many of
            "first cell is ``values[0]``" and "second cell is ``values[1]``" are true.
        attribute: What is measured.
        scope: Over which cells; ``each_row`` measures every row by itself, ``pair`` the two ``cells``.
        index: Number of the row or column.
        cells: The two cells of a pair.
        values: Category indices, or the threshold.
        low: Least value, inclusive.
        high: Greatest value, inclusive.
    """

    name: str
    kind: RuleKind
    attribute: str
    scope: Scope = "grid"
    index: int = 0
    cells: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    low: int | None = None
    high: int | None = None


class Instance(Frozen):
    """A grid planning problem as the engine plays it.

    Attributes:
        domain: Name of the domain; part of the tools' names.
        rows: Rows of the grid.
        cols: Columns of the grid.
        attributes: Attributes of every item.
        ids: Id of every item.
        columns: For each attribute, its value for every item.
        fixed: Item of every cell, :data:`EMPTY` where hidden.
        slots: The hidden slots, row by row.
        rules: The global rules.
        query_budget: Readings per slot, or ``None`` for no limit.
        check_budget: Global checks, or ``None`` for no limit.
        feedback: What checks tell.
    """

    domain: str
    rows: int
    cols: int
    attributes: tuple[Attribute, ...]
    ids: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]
    fixed: tuple[int, ...]
    slots: tuple[Slot, ...]
    rules: tuple[Rule, ...]
    query_budget: int | None = None
    check_budget: int | None = None
    feedback: Feedback = "boolean"

    @model_validator(mode="after")
    def _consistent(self) -> Instance:
        items = len(self.ids)
        hidden = [cell for cell, item in enumerate(self.fixed) if item == EMPTY]
        used = [item for slot in self.slots for item in slot.candidates]
        used += [item for item in self.fixed if item != EMPTY]
        demands = {
            "fixed must name one item for every cell": len(self.fixed) == self.rows * self.cols,
            "slots must be the hidden cells, row by row": [slot.cell for slot in self.slots] == hidden,
            "ids must be unique": len(set(self.ids)) == items,
            "columns must hold one value per attribute and item": len(self.columns) == len(self.attributes)
            and all(len(column) == items for column in self.columns),
            "items must exist and be used once": len(set(used)) == len(used) and all(0 <= item < items for item in used),
            "rule names must be unique": len({rule.name for rule in self.rules}) == len(self.rules),
            "rules must name known attributes": {rule.attribute for rule in self.rules}
            | {rule.attribute for slot in self.slots for rule in slot.rules}
            <= {attribute.name for attribute in self.attributes},
        }
        for demand, met in demands.items():
            if not met:
                raise ValueError(demand)
        return self

    @cached_property
    def attribute_index(self) -> dict[str, int]:
        """Position of each attribute in ``attributes`` and ``columns``."""
        return {attribute.name: i for i, attribute in enumerate(self.attributes)}

    @cached_property
    def item_index(self) -> dict[str, int]:
        """Number of each item by id."""
        return {item: i for i, item in enumerate(self.ids)}

    def value(self, item: int, attribute: int) -> int | str:
        """An attribute's value as agents see it."""
        raw = self.columns[attribute][item]
        values = self.attributes[attribute].values
        return values[raw] if values else raw

    def grid_with(self, items: tuple[int, ...] | list[int]) -> list[int]:
        """The grid when slot ``i`` holds ``items[i]`` (:data:`EMPTY`: nothing)."""
        grid = list(self.fixed)
        for slot, item in zip(self.slots, items, strict=True):
            grid[slot.cell] = item
        return grid


class Solved(Frozen):
    """An instance with its one completion.

    Attributes:
        instance: The instance.
        truth: Item of every slot.
        metadata: What was measured while it was made.
    """

    instance: Instance
    truth: tuple[int, ...]
    metadata: Mapping[str, float | int | bool | str]

    @model_validator(mode="after")
    def _candidates(self) -> Solved:
        if len(self.truth) != len(self.instance.slots):
            raise ValueError(f"expected one truth item for each of {len(self.instance.slots)} slots, got {len(self.truth)}")
        for slot, item in zip(self.instance.slots, self.truth, strict=True):
            if item not in slot.candidates:
                raise ValueError(f"the truth of cell {slot.cell} is none of its candidates")
        return self
