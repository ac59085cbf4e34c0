"""Engine: an episode's state over a compiled instance, fast enough for hundreds of thousands of calls a second.

:class:`Board` is what never changes: an instance as look-up tables, shared by every episode on it.
:class:`AceWorld` is what changes: what each slot holds, the rules' running sums, and what was spent.  It offers
the same methods as :class:`opsgym.core.world.World` (snapshot, restore, fork, savepoint, digest, check, close)
without a database.  Source: ACE-Bench, section 3.5 and appendix B; the charges for readings are ours.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import numpy as np

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.task import canonical_json, content_hash
from opsgym.envs.ace_bench.rules import Layout, compile_rules
from opsgym.envs.ace_bench.spec import EMPTY, Instance

MOST_IDS = 5
"""Most ids that one batch query may name; the release's limit."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<=": operator.le,
    "<": operator.lt,
}
"""Operators for numeric attributes."""
MEMBERSHIPS = ("in", "not_in")
"""Operators for categorical attributes."""


class Board:
    """An instance compiled to look-up tables; immutable and shared.

    Args:
        instance: The instance.

    Attributes:
        instance: The instance.
        schema: Hash of the instance; worlds restore snapshots of their own schema only.
        slot_of: Slot number of every hidden cell.
        candidates: Per slot the ids of its candidates, in list order.
        positions: Per slot the position of each candidate by id.
        local: Per slot and candidate, whether it keeps the slot rules.
        matrix: The global rules over all candidates.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.schema = content_hash(instance.model_dump(mode="json"))
        self.rows, self.cols = instance.rows, instance.cols
        self.slot_of = {slot.cell: number for number, slot in enumerate(instance.slots)}
        self.candidates = [[instance.ids[item] for item in slot.candidates] for slot in instance.slots]
        self.positions = [{name: i for i, name in enumerate(names)} for names in self.candidates]
        self.fields = {attribute.name: i for i, attribute in enumerate(instance.attributes)}
        self.numeric = [attribute.numeric for attribute in instance.attributes]
        items = [np.array(slot.candidates, dtype=np.int64) for slot in instance.slots]
        self.matrix = compile_rules(instance.rules, Layout.of(instance), items)
        self.visible = {instance.ids[item]: item for item in instance.fixed if item != EMPTY}
        self.tables = [
            [
                [(instance.ids[item], instance.value(item, number)) for item in slot.candidates]
                for number in range(len(self.fields))
            ]
            for slot in instance.slots
        ]
        self.local = [[self._keeps(slot, c) for c in range(len(names))] for slot, names in enumerate(self.candidates)]
        self.names = [rule.name for rule in instance.rules]
        self.starts = np.flatnonzero(np.diff(self.matrix.owner, prepend=-1))

    @classmethod
    def from_json(cls, text: str) -> Board:
        """The board of an instance in JSON."""
        return cls(Instance.model_validate_json(text))

    def __reduce__(self) -> tuple[Any, ...]:
        return Board.from_json, (self.instance.model_dump_json(),)

    def _keeps(self, slot: int, candidate: int) -> bool:
        return all(margin >= 0 for margin in self.local_slacks(slot, candidate).values())

    def local_slacks(self, slot: int, candidate: int) -> dict[str, int]:
        """Signed distance from each slot rule's bound; negative where it is broken."""
        item = self.instance.slots[slot].candidates[candidate]
        slacks = {}
        for rule in self.instance.slots[slot].rules:
            value = self.instance.columns[self.fields[rule.attribute]][item]
            slacks[f"{rule.attribute} {rule.sense} {rule.bound}"] = (value - rule.bound) * (1 if rule.sense == ">=" else -1)
        return slacks


@dataclass(frozen=True, slots=True)
class AceSnapshot:
    """A world's whole state; picklable and immutable.

    Attributes:
        board: The board, shared in process.
        held: Candidate position per slot, :data:`EMPTY` where empty.
        spent: Readings made, per slot.
        checks: Global checks made.
    """

    board: Board = field(repr=False)
    held: tuple[int, ...]
    spent: tuple[int, ...]
    checks: int

    @property
    def schema(self) -> str:
        """Hash of the instance."""
        return self.board.schema

    def open(self) -> AceWorld:
        """A new world in this state."""
        world = AceWorld(self.board)
        world.restore(self)
        return world


class AceWorld:
    """The state of an episode, and the eleven operations of the paper on it.

    Operations check before they change: a refused call leaves no trace.  Rows and columns count from 0.

    Args:
        board: The compiled instance.
    """

    __slots__ = ("_local", "_sums", "board", "checks", "empty", "held", "spent")

    def __init__(self, board: Board) -> None:
        self.board = board
        slots = len(board.candidates)
        self.held = [EMPTY] * slots
        self.spent = [0] * slots
        self.checks = 0
        self.empty = slots
        self._local = 0
        self._sums = board.matrix.base.copy()

    # -- the world's own methods --------------------------------------------------------------------------------------

    @property
    def schema(self) -> str:
        """Hash of the instance."""
        return self.board.schema

    def snapshot(self) -> AceSnapshot:
        """The whole state."""
        return AceSnapshot(self.board, tuple(self.held), tuple(self.spent), self.checks)

    def restore(self, snapshot: AceSnapshot) -> None:
        """Return to a snapshot.

        Raises:
            TaskError: The snapshot is of another instance.
        """
        if snapshot.schema != self.schema:
            message = f"expected a snapshot of instance {self.schema}, got one of {snapshot.schema}"
            raise TaskError(message, field="snapshot.schema")
        self.held, self.spent, self.checks = list(snapshot.held), list(snapshot.spent), snapshot.checks
        self._recount()

    def _recount(self) -> None:
        board = self.board
        self.empty = self.held.count(EMPTY)
        self._local = sum(board.local[slot][held] for slot, held in enumerate(self.held) if held != EMPTY)
        self._sums = board.matrix.base.copy()
        for slot, held in enumerate(self.held):
            if held != EMPTY:
                self._sums += board.matrix.weights[slot][held]

    def fork(self) -> Self:
        """Another world in the same state."""
        twin = type(self)(self.board)
        twin.restore(self.snapshot())
        return twin

    def savepoint(self) -> Savepoint:
        """A context in which everything is undone when an exception leaves it; contexts nest."""
        return Savepoint(self)

    def digest(self) -> str:
        """Hash of the state, independent of how it was reached."""
        state = canonical_json([self.schema, self.held, self.spent, self.checks])
        return hashlib.sha256(state.encode()).hexdigest()

    def check(self) -> list[str]:
        """What is wrong with the state, one sentence each; empty when it is sound."""
        twin = self.fork()
        faults = []
        if (twin.empty, twin._local) != (self.empty, self._local) or not np.array_equal(twin._sums, self._sums):
            faults.append("running sums differ from those of the held candidates")
        for slot, held in enumerate(self.held):
            if not EMPTY <= held < len(self.board.candidates[slot]):
                faults.append(f"slot {slot} holds candidate {held}, which does not exist")
        budget = self.board.instance.query_budget
        for slot, spent in enumerate(self.spent):
            if budget is not None and spent > budget:
                faults.append(f"slot {slot} has spent {spent} of {budget} readings")
        return faults

    def close(self) -> None:
        """Nothing to free."""

    # -- the grid -----------------------------------------------------------------------------------------------------

    def grid(self) -> list[list[str | None]]:
        """Ids of all cells, ``None`` where empty."""
        instance = self.board.instance
        flat = [None if item == EMPTY else instance.ids[item] for item in instance.fixed]
        for slot, held in zip(instance.slots, self.held, strict=True):
            flat[slot.cell] = None if held == EMPTY else instance.ids[slot.candidates[held]]
        return [flat[start : start + instance.cols] for start in range(0, len(flat), instance.cols)]

    def items(self) -> list[int]:
        """Item per slot, :data:`EMPTY` where empty."""
        slots = self.board.instance.slots
        return [EMPTY if held == EMPTY else slot.candidates[held] for slot, held in zip(slots, self.held, strict=True)]

    def item_at(self, row: int, col: int) -> str | None:
        """Id in a cell, ``None`` where empty.

        Raises:
            ToolError: There is no such cell.
        """
        cell = self._cell(row, col)
        slot = self.board.slot_of.get(cell)
        if slot is None:
            return self.board.instance.ids[self.board.instance.fixed[cell]]
        held = self.held[slot]
        return None if held == EMPTY else self.board.candidates[slot][held]

    def set_slot(self, row: int, col: int, item: str | None) -> None:
        """Put a candidate into a hidden slot, or clear it.

        Raises:
            ToolError: No such cell; the cell is fixed; the slot is empty already; not a candidate of the slot.
        """
        slot = self._slot(row, col)
        board = self.board
        old = self.held[slot]
        if item is None or item == "":
            if old == EMPTY:
                raise ToolError("bad_state", f"Slot ({row}, {col}) is empty already.")
            new = EMPTY
        else:
            new = board.positions[slot].get(item, EMPTY)
            if new == EMPTY:
                message = f"{item!r} is no candidate of slot ({row}, {col})."
                raise ToolError("not_found", message, "Find candidates with the query tool.")
        weights, local = board.matrix.weights[slot], board.local[slot]
        if old != EMPTY:
            self._sums -= weights[old]
            self._local -= local[old]
        if new != EMPTY:
            self._sums += weights[new]
            self._local += local[new]
        self.empty += (new == EMPTY) - (old == EMPTY)
        self.held[slot] = new

    # -- looking at candidates and items ------------------------------------------------------------------------------

    def query(
        self, row: int, col: int, name: str, comparison: str, value: int | Sequence[str], among: Sequence[str] | None = None
    ) -> dict[str, int | str]:
        """Candidates of a slot whose attribute meets a condition, with that attribute's value.

        Charges one reading for every candidate that it returns, at least one.

        Raises:
            ToolError: Not a hidden slot, an unknown attribute or operator, a value of the wrong kind, or too few
                readings left; nothing is charged.
        """
        slot = self._slot(row, col)
        test = self._condition(name, comparison, value)
        table = self.board.tables[slot][self.board.fields[name]]
        if among is None:
            found = {item: known for item, known in table if test(known)}
        else:
            wanted = set(among)
            found = {item: known for item, known in table if item in wanted and test(known)}
        self._charge(slot, row, col, max(1, len(found)))
        return found

    def _condition(self, name: str, comparison: str, value: int | Sequence[str]) -> Callable[[Any], bool]:
        """The condition of a query as a function of an attribute's value."""
        position = self._field(name)
        if self.board.numeric[position]:
            compare = COMPARISONS.get(comparison)
            if compare is None:
                hint = f"Use one of: {' '.join(COMPARISONS)}"
                raise ToolError("invalid_value", f"{name} is a number, got operator {comparison!r}.", hint)
            if isinstance(value, bool) or not isinstance(value, int):
                raise ToolError("invalid_value", f"{name} is a number, got value {value!r}.")
            return lambda known: compare(known, value)
        if comparison not in MEMBERSHIPS:
            hint = f"Use one of: {' '.join(MEMBERSHIPS)}"
            raise ToolError("invalid_value", f"{name} is a category, got operator {comparison!r}.", hint)
        if isinstance(value, int | str):
            raise ToolError("invalid_value", f"{name} needs a list of categories, got {value!r}.")
        wanted = set(value)
        return wanted.__contains__ if comparison == "in" else lambda known: known not in wanted

    def item_info(self, item: str) -> dict[str, int | str]:
        """All attributes of an item that was on the grid from the start.

        Raises:
            ToolError: The item is none of those.
        """
        number = self._visible(item)
        return {name: self.board.instance.value(number, position) for name, position in self.board.fields.items()}

    def item_attribute(self, items: Sequence[str], name: str) -> dict[str, int | str]:
        """One attribute of several items that were on the grid from the start.

        Raises:
            ToolError: Too many ids, an unknown attribute, or an item that is none of those.
        """
        position = self._field(name)
        if not 1 <= len(items) <= MOST_IDS:
            raise ToolError("invalid_value", f"Expected 1 to {MOST_IDS} ids, got {len(items)}.")
        return {item: self.board.instance.value(self._visible(item), position) for item in items}

    def query_budget(self, row: int, col: int) -> dict[str, int | bool | None]:
        """Readings of a slot: allowed, made and left.

        Raises:
            ToolError: Not a hidden slot.
        """
        spent = self.spent[self._slot(row, col)]
        budget = self.board.instance.query_budget
        return {"unlimited": budget is None, "budget": budget, "used": spent, "left": None if budget is None else budget - spent}

    def check_budget(self) -> dict[str, int | bool | None]:
        """Global checks: allowed, made and left."""
        budget = self.board.instance.check_budget
        return {
            "unlimited": budget is None,
            "budget": budget,
            "used": self.checks,
            "left": None if budget is None else budget - self.checks,
        }

    # -- checks -------------------------------------------------------------------------------------------------------

    def check_slot(self, row: int, col: int) -> dict[str, Any]:
        """Whether the slot's item keeps the slot rules, in the detail of the feedback level; charges one reading.

        Raises:
            ToolError: Not a hidden slot, an empty slot, or no reading left; nothing is charged.
        """
        slot = self._slot(row, col)
        held = self.held[slot]
        if held == EMPTY:
            raise ToolError("bad_state", f"Slot ({row}, {col}) is empty.", "Fill it first.")
        self._charge(slot, row, col, 1)
        if self.board.instance.feedback == "boolean":
            return {"is_valid": self.board.local[slot][held]}
        return self._report(self.board.local[slot][held], self.board.local_slacks(slot, held))

    def check_global(self) -> dict[str, Any]:
        """Whether all rules hold, slot rules included, in the detail of the feedback level; charges one check.

        Raises:
            ToolError: The grid is not full, or no check is left; nothing is charged.
        """
        budget = self.board.instance.check_budget
        if self.empty:
            raise ToolError("bad_state", f"{self.empty} slots are empty.", "Fill every slot before a global check.")
        if budget is not None and self.checks >= budget:
            raise ToolError("not_allowed", f"All {budget} global checks are used up.")
        self.checks += 1
        valid = self.valid()
        if self.board.instance.feedback == "boolean":
            return {"is_valid": valid}
        return self._report(valid, self.slacks()) | {"slot_rules_hold": self._local == len(self.held)}

    def _report(self, valid: bool, slacks: dict[str, int]) -> dict[str, Any]:
        broken = [name for name, margin in slacks.items() if margin < 0]
        if self.board.instance.feedback == "rules":
            return {"is_valid": valid, "broken": broken}
        return {"is_valid": valid, "slack": slacks}

    def valid(self) -> bool:
        """Whether the grid is full and all rules hold."""
        matrix = self.board.matrix
        if self.empty or self._local != len(self.held):
            return False
        return not ((self._sums < matrix.low) | (self._sums > matrix.high)).any()

    def slacks(self) -> dict[str, int]:
        """Signed slack of every global rule; negative where it is broken."""
        matrix = self.board.matrix
        margins = np.minimum(self._sums - matrix.low, matrix.high - self._sums)
        if not len(margins):
            return {}
        return dict(zip(self.board.names, np.minimum.reduceat(margins, self.board.starts).tolist(), strict=True))

    # -- arguments ----------------------------------------------------------------------------------------------------

    def _cell(self, row: int, col: int) -> int:
        board = self.board
        if not (0 <= row < board.rows and 0 <= col < board.cols):
            hint = f"Rows 0 to {board.rows - 1}, columns 0 to {board.cols - 1}."
            raise ToolError("invalid_value", f"There is no cell ({row}, {col}).", hint)
        return row * board.cols + col

    def _slot(self, row: int, col: int) -> int:
        slot = self.board.slot_of.get(self._cell(row, col))
        if slot is None:
            hint = "Only slots that were empty at the start can be used here."
            raise ToolError("not_allowed", f"Cell ({row}, {col}) is fixed.", hint)
        return slot

    def _field(self, name: str) -> int:
        position = self.board.fields.get(name)
        if position is None:
            raise ToolError("invalid_value", f"There is no attribute {name!r}.", f"Attributes: {', '.join(self.board.fields)}")
        return position

    def _visible(self, item: str) -> int:
        number = self.board.visible.get(item)
        if number is None:
            hint = "Candidates are looked up with the query tool."
            raise ToolError("not_found", f"{item!r} was not on the grid at the start.", hint)
        return number

    def _charge(self, slot: int, row: int, col: int, readings: int) -> None:
        budget = self.board.instance.query_budget
        if budget is not None and self.spent[slot] + readings > budget:
            left = budget - self.spent[slot]
            message = f"This needs {readings} readings, slot ({row}, {col}) has {left} of {budget} left."
            raise ToolError("not_allowed", message, "Narrow the condition.")
        self.spent[slot] += readings


class Savepoint:
    """Context manager of :meth:`AceWorld.savepoint`."""

    __slots__ = ("_snapshot", "_world")

    def __init__(self, world: AceWorld) -> None:
        self._world = world

    def __enter__(self) -> AceWorld:
        self._snapshot = self._world.snapshot()
        return self._world

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            self._world.restore(self._snapshot)
