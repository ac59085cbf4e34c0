"""Rules twice: as plain Python that reads like the brief, and compiled to integer arrays.

:func:`measure` is what the verifier trusts.  :func:`linear_rows` turns the same rule into linear rows
``low <= sum of weights <= high``; every kind of rule is linear in "slot s holds candidate c".  A test demands that
both agree on every state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from opsgym.envs.ace_bench.spec import EMPTY, Instance, Rule

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NO_LOW = -(2**29)
"""Stands for "no lower bound"; no sum of attributes comes near it."""
NO_HIGH = 2**29
"""Stands for "no upper bound"."""


# -- plain semantics --------------------------------------------------------------------------------------------------


def scope_cells(rule: Rule, rows: int, cols: int) -> list[tuple[int, ...]]:
    """The cell groups over which a rule measures: one, except for ``each_row``."""
    if rule.scope == "pair":
        return [rule.cells]
    lines = [tuple(range(row * cols, (row + 1) * cols)) for row in range(rows)]
    if rule.scope == "each_row":
        return list(lines)
    if rule.scope == "row":
        return [lines[rule.index]]
    if rule.scope == "column":
        return [tuple(range(rule.index, rows * cols, cols))]
    return [tuple(range(rows * cols))]


def _neighbours(cells: Sequence[int], cols: int) -> list[tuple[int, int]]:
    """Horizontally neighbouring cells among ``cells``."""
    return [(a, b) for a, b in pairwise(cells) if b == a + 1 and a // cols == b // cols]


def _equal_neighbours(rule: Rule, values: dict[int, int], cols: int) -> list[int]:
    return [int(values[a] == values[b]) for a, b in _neighbours(list(values), cols)]


_MEASURES: dict[str, Callable[[Rule, dict[int, int], int], list[int]]] = {
    "sum": lambda rule, values, cols: [sum(values.values())],
    "count": lambda rule, values, cols: [sum(value == rule.values[0] for value in values.values())],
    "count_at_least": lambda rule, values, cols: [sum(value >= rule.values[0] for value in values.values())],
    "repeat": lambda rule, values, cols: [max(list(values.values()).count(v) for v in set(values.values()))],
    "adjacent": _equal_neighbours,
    "precede": lambda rule, values, cols: [values[rule.cells[1]] - values[rule.cells[0]]],
    "exclude": lambda rule, values, cols: [
        int(values[rule.cells[0]] == rule.values[0]) + int(values[rule.cells[1]] == rule.values[1])
    ],
}


def measure(rule: Rule, instance: Instance, grid: Sequence[int]) -> list[int] | None:
    """What a rule measures on a grid of items, one number per cell group or pair.

    Returns:
        ``None`` when a cell that the rule looks at is empty.
    """
    column = instance.columns[instance.attribute_index[rule.attribute]]
    found: list[int] = []
    for cells in scope_cells(rule, instance.rows, instance.cols):
        if any(grid[cell] == EMPTY for cell in cells):
            return None
        found += _MEASURES[rule.kind](rule, {cell: column[grid[cell]] for cell in cells}, instance.cols)
    return found


def slack(rule: Rule, measured: Iterable[int]) -> int:
    """Distance of the measured values from the nearest bound; negative when the rule is broken."""
    return min(
        min(value - rule.low if rule.low is not None else NO_HIGH, rule.high - value if rule.high is not None else NO_HIGH)
        for value in measured
    )


# -- compiled ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinearRow:
    """One linear condition: the items' ``weights`` of each term, summed over the term's cells, within the bounds.

    Attributes:
        terms: Pairs of cells and weights (one weight per item).
        low: Least sum.
        high: Greatest sum.
    """

    terms: tuple[tuple[tuple[int, ...], Ints], ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Where items lie: what compiling a rule needs to know.

    Attributes:
        rows: Rows of the grid.
        cols: Columns of the grid.
        columns: Values, attribute by item.
        attribute_index: Position of each attribute.
        sizes: For each attribute, its number of categories (0: numeric).
        fixed: Item of each cell, :data:`~opsgym.envs.ace_bench.spec.EMPTY` where hidden.
        slot_cells: Cell of each slot.
    """

    rows: int
    cols: int
    columns: Ints
    attribute_index: dict[str, int]
    sizes: tuple[int, ...]
    fixed: Ints
    slot_cells: tuple[int, ...]

    @classmethod
    def of(cls, instance: Instance) -> Layout:
        """The layout of an instance."""
        return cls(
            rows=instance.rows,
            cols=instance.cols,
            columns=np.array(instance.columns, dtype=np.int64),
            attribute_index=instance.attribute_index,
            sizes=tuple(len(attribute.values) for attribute in instance.attributes),
            fixed=np.array(instance.fixed, dtype=np.int64),
            slot_cells=tuple(slot.cell for slot in instance.slots),
        )


def _indicator(mask: Bools) -> Ints:
    return mask.astype(np.int64)


def _per_value(cells: Sequence[tuple[int, ...]], column: Ints, size: int, low: int, high: int) -> list[LinearRow]:
    """For every group of cells and every category: how often the category occurs."""
    masks = [_indicator(column == value) for value in range(size)]
    return [LinearRow(((group, mask),), low, high) for group in cells for mask in masks]


def linear_rows(rule: Rule, layout: Layout) -> list[LinearRow]:
    """A rule as linear rows; it holds exactly when all of them do."""
    position = layout.attribute_index[rule.attribute]
    column = layout.columns[position]
    low = NO_LOW if rule.low is None else rule.low
    high = NO_HIGH if rule.high is None else rule.high
    groups = scope_cells(rule, layout.rows, layout.cols)
    if rule.kind == "repeat":
        return _per_value(groups, column, layout.sizes[position], NO_LOW, high)
    if rule.kind == "adjacent":
        return _per_value(_neighbours(groups[0], layout.cols), column, layout.sizes[position], NO_LOW, high + 1)
    if rule.kind == "precede":
        return [LinearRow((((rule.cells[0],), -column), ((rule.cells[1],), column)), low, high)]
    if rule.kind == "exclude":
        marks = [_indicator(column == value) for value in rule.values]
        return [LinearRow(tuple(((cell,), mark) for cell, mark in zip(rule.cells, marks, strict=True)), low, high)]
    if rule.kind == "sum":
        weights = column
    else:
        weights = _indicator(column == rule.values[0] if rule.kind == "count" else column >= rule.values[0])
    return [LinearRow(((cells, weights),), low, high) for cells in groups]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Global rules as arrays: ``base + sum over slots of weights[slot][candidate]`` against ``low`` and ``high``.

    Attributes:
        owner: Number of the rule to which each row belongs, ascending.
        base: Sum over the fixed cells, per row.
        weights: Per slot an array of candidates by rows.
        low: Lower bounds.
        high: Upper bounds.
    """

    owner: Ints
    base: Ints
    weights: tuple[Ints, ...]
    low: Ints
    high: Ints


def compile_rows(rows: Sequence[tuple[int, LinearRow]], layout: Layout, candidates: Sequence[Ints]) -> Matrix:
    """Rows with their owners as a :class:`Matrix` over the given candidates (item numbers, per slot)."""
    slot_of_cell = {cell: slot for slot, cell in enumerate(layout.slot_cells)}
    base = np.zeros(len(rows), dtype=np.int64)
    weights = tuple(np.zeros((len(items), len(rows)), dtype=np.int64) for items in candidates)
    for number, (_, row) in enumerate(rows):
        for cells, values in row.terms:
            fixed = layout.fixed[list(cells)]
            base[number] += values[fixed[fixed != EMPTY]].sum()
            for cell in cells:
                slot = slot_of_cell.get(cell)
                if slot is not None:
                    weights[slot][:, number] += values[candidates[slot]]
    return Matrix(
        owner=np.array([owner for owner, _ in rows], dtype=np.int64),
        base=base,
        weights=weights,
        low=np.array([row.low for _, row in rows], dtype=np.int64),
        high=np.array([row.high for _, row in rows], dtype=np.int64),
    )


def compile_rules(rules: Sequence[Rule], layout: Layout, candidates: Sequence[Ints]) -> Matrix:
    """Global rules as a :class:`Matrix`; see :func:`compile_rows`."""
    rows = [(number, row) for number, rule in enumerate(rules) for row in linear_rows(rule, layout)]
    return compile_rows(rows, layout, candidates)
