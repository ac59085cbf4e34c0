"""How many completions an instance has, exactly, by two independent methods.

:func:`count` is a vectorised branch and bound over the integer arrays of :mod:`rules`; it certifies every generated
instance.  :func:`count_cpsat` lets CP-SAT enumerate a model that is built from the rules' plain meaning, and shares
no code with the first beyond the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from math import ceil, log2, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.envs.ace_bench.rules import Bools, Ints, Layout, Matrix, compile_rules, scope_cells
from opsgym.envs.ace_bench.spec import EMPTY, Instance, Rule

Small = NDArray[np.int16]
"""Choices: positions in candidate lists."""
Sums = NDArray[np.int32]
"""Sums of attributes: at most 100 cells of at most four digits."""

BLOCK = 4096
"""Most combinations that neighbouring slots may have to be enumerated as one block."""
BIN = 1 << 15
"""Most combinations that blocks may have to be merged."""
BATCH = 1 << 20
"""Most pairs of partial states that are looked at at once; bounds the memory."""


@dataclass(slots=True)
class Count:
    """Result of a count.

    Attributes:
        completions: Completions found: all of them, or ``limit`` if the search stopped there.
        solutions: Those completions, one row each, one candidate position per slot.
        states: Partial states that were looked at; the measure of work.
    """

    completions: int
    solutions: NDArray[np.integer[Any]]
    states: int


@dataclass(slots=True)
class _Block:
    """Slots that are decided together: their joint choices and what each adds to every row."""

    slots: tuple[int, ...]
    choices: Small
    sums: Sums

    def __len__(self) -> int:
        return len(self.choices)

    def keep(self, mask: Bools) -> None:
        self.choices = self.choices[mask]
        self.sums = self.sums[mask]

    def times(self, other: _Block) -> _Block:
        """All pairs of choices of two blocks."""
        choices = np.hstack([np.repeat(self.choices, len(other), axis=0), np.tile(other.choices, (len(self), 1))])
        sums = (self.sums[:, None, :] + other.sums[None, :, :]).reshape(len(choices), self.sums.shape[1])
        return _Block(self.slots + other.slots, choices, sums)


def combinations(sizes: Sequence[int]) -> Small:
    """All combinations of choices, one row each, the last slot fastest."""
    return np.indices(tuple(sizes), dtype=np.int16).reshape(len(sizes), -1).T


def count(matrix: Matrix, *, groups: Sequence[int] | None = None, limit: int = 2) -> Count:
    """Count the assignments that keep all rows of a matrix within their bounds.

    Args:
        matrix: The rules over the candidates to consider, usually the locally feasible ones.
        groups: A number per slot; neighbouring slots of equal number are enumerated together (the grid row helps most).
        limit: Stop after so many completions.
    """
    return _Search(matrix, groups or [0] * len(matrix.weights), limit).run()


class _Search:
    """One count: enumerate rows of slots, propagate bounds, merge, and join the few blocks that are left."""

    def __init__(self, matrix: Matrix, groups: Sequence[int], limit: int) -> None:
        self.slots = len(matrix.weights)
        least = matrix.base + sum(weights.min(axis=0) for weights in matrix.weights)
        most = matrix.base + sum(weights.max(axis=0) for weights in matrix.weights)
        biting = (least < matrix.low) | (most > matrix.high)
        self.low = (matrix.low - matrix.base)[biting].astype(np.int32)
        self.high = (matrix.high - matrix.base)[biting].astype(np.int32)
        self.weights = [weights[:, biting].astype(np.int32) for weights in matrix.weights]
        self.groups = groups
        self.limit = limit
        self.states = 0
        self.found: list[Small] = []
        self.completions = 0

    def run(self) -> Count:
        blocks = self._blocks()
        if self._propagate(blocks):
            blocks = self._merge(blocks)
            if self._propagate(blocks):
                blocks.sort(key=len, reverse=True)
                least, most = self._suffixes(blocks)
                self._descend(blocks, least, most, blocks[0].sums, blocks[0].choices, 1)
        order = np.argsort([slot for block in blocks for slot in block.slots])
        rows = np.vstack(self.found)[: self.limit] if self.found else np.zeros((0, self.slots), dtype=np.int16)
        return Count(min(self.completions, self.limit), rows[:, order] if len(rows) else rows, self.states)

    def _blocks(self) -> list[_Block]:
        """The slots in runs of one group, each small enough to enumerate."""
        runs: list[list[int]] = []
        size = 1
        for slot, weights in enumerate(self.weights):
            size *= len(weights)
            if not runs or self.groups[slot] != self.groups[runs[-1][0]] or size > BLOCK:
                runs.append([])
                size = len(weights)
            runs[-1].append(slot)
        return [self._enumerate(tuple(run)) for run in runs]

    def _enumerate(self, slots: tuple[int, ...]) -> _Block:
        choices = combinations([len(self.weights[slot]) for slot in slots])
        sums = np.zeros((len(choices), len(self.low)), dtype=np.int32)
        for position, slot in enumerate(slots):
            sums += self.weights[slot][choices[:, position]]
        return _Block(slots, choices, sums)

    def _merge(self, blocks: list[_Block]) -> list[_Block]:
        """As few blocks as fit the bins, of about equal size."""
        number = ceil(sum(log2(len(block)) for block in blocks) / log2(BIN)) or 1
        while True:
            bins: list[list[_Block]] = [[] for _ in range(number)]
            for block in sorted(blocks, key=len, reverse=True):
                min(bins, key=lambda members: prod(len(member) for member in members)).append(block)
            if number == len(blocks) or all(prod(len(member) for member in members) <= BIN for members in bins):
                return [reduce(_Block.times, members) for members in bins if members]
            number += 1

    def _propagate(self, blocks: list[_Block]) -> bool:
        """Drop choices that no choice of the other blocks can repair, until nothing changes; false if none are left."""
        if not all(len(block) for block in blocks):
            return False
        least = np.array([block.sums.min(axis=0) for block in blocks])
        most = np.array([block.sums.max(axis=0) for block in blocks])
        changed = True
        while changed:
            changed = False
            for number, block in enumerate(blocks):
                low = self.low - (most.sum(axis=0) - most[number])
                high = self.high - (least.sum(axis=0) - least[number])
                self.states += len(block)
                if ((least[number] >= low) & (most[number] <= high)).all():
                    continue
                block.keep(((block.sums >= low) & (block.sums <= high)).all(axis=1))
                if not len(block):
                    return False
                least[number], most[number] = block.sums.min(axis=0), block.sums.max(axis=0)
                changed = True
        return True

    def _suffixes(self, blocks: list[_Block]) -> tuple[Sums, Sums]:
        """Least and greatest sums that the blocks from each position on can still add."""
        least = np.zeros((len(blocks) + 1, len(self.low)), dtype=np.int32)
        most = np.zeros((len(blocks) + 1, len(self.low)), dtype=np.int32)
        for number in range(len(blocks) - 1, -1, -1):
            least[number] = least[number + 1] + blocks[number].sums.min(axis=0)
            most[number] = most[number + 1] + blocks[number].sums.max(axis=0)
        return least, most

    def _descend(self, blocks: list[_Block], least: Sums, most: Sums, sums: Sums, chosen: Small, depth: int) -> None:
        """Extend partial states block by block, dropping those that the later blocks cannot repair."""
        if depth == len(blocks):
            self.completions += len(sums)
            self.found.append(chosen)
            return
        block = blocks[depth]
        low, high = self.low - most[depth + 1], self.high - least[depth + 1]
        step = max(1, BATCH // len(block))
        for start in range(0, len(sums), step):
            if self.completions >= self.limit:
                return
            batch = sums[start : start + step]
            left, right = self._join(batch, block.sums, low, high)
            if len(left):
                prefix = np.hstack([chosen[start : start + step][left], block.choices[right]])
                self._descend(blocks, least, most, batch[left] + block.sums[right], prefix, depth + 1)

    def _join(self, left: Sums, right: Sums, low: Sums, high: Sums) -> tuple[Ints, Ints]:
        """Pairs of rows of ``left`` and ``right`` whose sums are within the bounds: sorted by the tightest one first."""
        if not len(low):
            return np.repeat(np.arange(len(left)), len(right)), np.tile(np.arange(len(right)), len(left))
        tightness = (high - low + 1) / (left.std(axis=0) + right.std(axis=0) + 1e-9)
        rows = np.argsort(tightness, kind="stable")
        first = int(rows[0])
        order = np.argsort(right[:, first], kind="stable")
        keys = right[order, first]
        begin = np.searchsorted(keys, low[first] - left[:, first], side="left")
        sizes = np.searchsorted(keys, high[first] - left[:, first], side="right") - begin
        i = np.repeat(np.arange(len(left)), sizes)
        offsets = np.arange(len(i)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        j = order[np.repeat(begin, sizes) + offsets]
        self.states += len(i)
        for row in rows[1:].tolist():
            total = left[i, row] + right[j, row]
            good = (total >= low[row]) & (total <= high[row])
            i, j = i[good], j[good]
        return i, j


# -- of an instance ---------------------------------------------------------------------------------------------------


def feasible_items(instance: Instance) -> list[Ints]:
    """Per slot the candidates that keep the slot rules, as item numbers in list order."""
    found = []
    for slot in instance.slots:
        columns = [(instance.columns[instance.attribute_index[rule.attribute]], rule) for rule in slot.rules]
        keep = [item for item in slot.candidates if all(rule.holds(column[item]) for column, rule in columns)]
        found.append(np.array(keep, dtype=np.int64))
    return found


def count_instance(instance: Instance, *, limit: int = 2) -> Count:
    """Count an instance's completions by branch and bound; solutions are item numbers per slot."""
    feasible = feasible_items(instance)
    if any(not len(items) for items in feasible):
        return Count(0, np.zeros((0, len(feasible)), dtype=np.int64), 0)
    matrix = compile_rules(instance.rules, Layout.of(instance), feasible)
    result = count(matrix, groups=[slot.cell // instance.cols for slot in instance.slots], limit=limit)
    columns = [items[result.solutions[:, slot]] for slot, items in enumerate(feasible)]
    return Count(result.completions, np.array(columns).T.reshape(-1, len(feasible)), result.states)


def count_cpsat(instance: Instance, *, limit: int = 2) -> Count:
    """Count an instance's completions by CP-SAT enumeration; needs ortools.

    One worker, no time limit, all solutions: the answer does not depend on the machine.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    picks: list[dict[int, Any]] = []
    for number, slot in enumerate(instance.slots):
        picks.append({item: model.new_bool_var(f"s{number}_{item}") for item in slot.candidates})
        model.add_exactly_one(picks[-1].values())
        for local in slot.rules:
            column = instance.columns[instance.attribute_index[local.attribute]]
            value = sum(column[item] * chosen for item, chosen in picks[-1].items())
            model.add(value <= local.bound if local.sense == "<=" else value >= local.bound)
    for rule in instance.rules:
        _constrain(model, rule, instance, picks)
    found: list[list[int]] = []

    class _Collect(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found.append([next(item for item, chosen in pick.items() if self.boolean_value(chosen)) for pick in picks])
            if len(found) >= limit:
                self.stop_search()

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.solve(model, _Collect())
    return Count(len(found), np.array(found, dtype=np.int64).reshape(-1, len(picks)), int(solver.num_branches))


def _constrain(model: Any, rule: Rule, instance: Instance, picks: list[dict[int, Any]]) -> None:
    """Add a global rule to a CP-SAT model, from its plain meaning."""
    column = instance.columns[instance.attribute_index[rule.attribute]]
    values = sorted(set(column))
    slot_of_cell = {slot.cell: number for number, slot in enumerate(instance.slots)}

    def worth(cell: int, value_of: Callable[[int], int]) -> Any:
        """What the value in a cell is worth, as an expression or, for a fixed cell, a number."""
        if instance.fixed[cell] != EMPTY:
            return value_of(column[instance.fixed[cell]])
        return sum(value_of(column[item]) * chosen for item, chosen in picks[slot_of_cell[cell]].items())

    def occurrences(cells: Sequence[int], value: int) -> Any:
        return sum(worth(cell, lambda v: int(v == value)) for cell in cells)

    measured: dict[str, Callable[[tuple[int, ...]], list[Any]]] = {
        "sum": lambda cells: [sum(worth(cell, lambda v: v) for cell in cells)],
        "count": lambda cells: [occurrences(cells, rule.values[0])],
        "count_at_least": lambda cells: [sum(worth(cell, lambda v: int(v >= rule.values[0])) for cell in cells)],
        "repeat": lambda cells: [occurrences(cells, value) for value in values],
        "adjacent": lambda cells: [occurrences(pair, value) - 1 for pair in pairwise(cells) for value in values],
        "precede": lambda cells: [worth(cells[1], lambda v: v) - worth(cells[0], lambda v: v)],
        "exclude": lambda cells: [sum(occurrences([cell], value) for cell, value in zip(cells, rule.values, strict=True))],
    }
    always = model.new_constant(1)
    for cells in scope_cells(rule, instance.rows, instance.cols):
        for expression in measured[rule.kind](cells):
            if rule.low is not None:
                model.add(expression + 0 * always >= rule.low)
            if rule.high is not None:
                model.add(expression + 0 * always <= rule.high)
