"""The discrete interface: a grid as a vector of fixed size and a masked set of numbered actions, for classical RL.

It hands out what an informed agent would have read: only candidates that keep the slot rules are on offer, and each
comes with what the global rules say of it.  Nothing here knows the truth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from opsgym.core.errors import TaskError
from opsgym.core.task import ToolCall
from opsgym.envs.ace_bench.engine import AceWorld, Board
from opsgym.envs.ace_bench.rules import Bools, Ints
from opsgym.envs.ace_bench.spec import EMPTY
from opsgym.envs.cache import Lru

SLOTS, CHOICES = 24, 8
"""Default size: enough for every tier of the ``coupled`` preset."""

CHOICE_FEATURES = ("offered", "held", "broken", "excess")
"""What is said of every choice: whether it can be chosen, whether it is held, and, were it chosen, the share of constraints
that no filling of the empty slots could keep and by how much they are missed on average (each by its own range)."""
STATE_FEATURES = ("filled", "broken", "excess", "can_check", "checks_left", "turns_left")
"""What is said of the grid as it stands; shares in [0, 1]."""

Floats = NDArray[np.float64]
Vector = NDArray[np.float32]


@dataclass(frozen=True)
class _Table:
    """A board's locally feasible candidates in arrays of the interface's size.

    Attributes:
        positions: Per slot the positions of its choices in the candidate list.
        offered: Slots by choices: whether there is such a choice.
        weights: Slots by choices by constraints: what the choice adds.
        least: Slots by constraints: the least that any choice adds.
        most: Slots by constraints: the most that any choice adds.
        scale: Range of each constraint over all fillings.
    """

    positions: tuple[tuple[int, ...], ...]
    offered: Bools
    weights: Ints
    least: Ints
    most: Ints
    scale: Ints


class DiscreteView:
    """Reads worlds as vectors and numbers as tool calls.

    Action ``slot * choices + choice`` puts a slot's choice into it (in the order in which slots and candidates are
    listed), the two after that are the global check and ``done``.

    Args:
        slots: Greatest number of hidden slots.
        choices: Greatest number of candidates of one slot that keep its rules.

    Raises:
        TaskError: One of them is not positive.
    """

    def __init__(self, *, slots: int = SLOTS, choices: int = CHOICES) -> None:
        for name, value in (("max_slots", slots), ("max_choices", choices)):
            if value < 1:
                raise TaskError(f"expected a positive integer, got {value!r}", field=name)
        self.slots, self.choices = slots, choices
        self.check = slots * choices
        self.done = self.check + 1
        self.action_space = Discrete(self.done + 1)
        size = slots * choices * len(CHOICE_FEATURES) + len(STATE_FEATURES)
        self.observation_space = Box(0.0, 1.0, (size,), np.float32)
        self._tables: Lru[_Table] = Lru(64)

    def call(self, action: int, world: AceWorld) -> ToolCall | str:
        """The tool call of an action; a text that says so, which the environment refuses, where there is none."""
        domain = world.board.instance.domain
        if action == self.check:
            return ToolCall(name=f"check_{domain}_global_constraints")
        if action == self.done:
            return ToolCall(name="done")
        slot, choice = divmod(action, self.choices)
        table = self.table(world.board)
        if not 0 <= action < self.check or not table.offered[slot, choice]:
            return f"action {action} is not on offer in this grid"
        row, col = divmod(world.board.instance.slots[slot].cell, world.board.cols)
        item = world.board.candidates[slot][table.positions[slot][choice]]
        return ToolCall(name="set_slot", arguments={"row": row, "col": col, "id": item})

    def masks(self, world: AceWorld) -> Bools:
        """Which actions can be taken: choices not held already, the check on a full grid with checks left, and ``done``."""
        free = self.table(world.board).offered & ~self._held(world)
        return np.concatenate([free.ravel(), [self._can_check(world), True]])

    def observe(self, world: AceWorld, turns_left: float) -> Vector:
        """The observation of a world.

        Args:
            world: The world.
            turns_left: Share of the turn budget that is left.
        """
        table, matrix = self.table(world.board), world.board.matrix
        least, most = table.least.copy(), table.most.copy()
        for slot, held in enumerate(world.held):
            if held != EMPTY:
                least[slot] = most[slot] = matrix.weights[slot][held]
        low, high = matrix.base + least.sum(axis=0), matrix.base + most.sum(axis=0)

        def missed(low: Ints, high: Ints) -> tuple[Floats, Floats]:
            """Share of the constraints out of reach, and the mean miss, when the sums can be anything from low to high."""
            miss = np.maximum(0, np.maximum(matrix.low - high, low - matrix.high)) / table.scale
            count = max(1, len(table.scale))
            return (miss > 0).sum(axis=-1) / count, np.minimum(1.0, miss).sum(axis=-1) / count

        changed = low - least[:, None, :] + table.weights, high - most[:, None, :] + table.weights
        broken, excess = (np.where(table.offered, part, 0.0) for part in missed(*changed))
        choices = np.stack([table.offered, self._held(world), broken, excess], axis=-1)
        budget = world.board.instance.check_budget
        state = [
            1.0 - world.empty / len(world.held),
            *missed(low, high),
            self._can_check(world),
            1.0 if budget is None else (budget - world.checks) / max(1, budget),
            turns_left,
        ]
        return np.concatenate([choices.ravel(), state]).astype(np.float32)

    def table(self, board: Board) -> _Table:
        """The arrays of a board.

        Raises:
            TaskError: The instance is larger than the interface.
        """
        return self._tables.get(board.schema, lambda: self._tabulate(board))

    def _tabulate(self, board: Board) -> _Table:
        positions = tuple(tuple(i for i, good in enumerate(local) if good) for local in board.local)
        needed = {"max_slots": (len(positions), self.slots), "max_choices": (max(map(len, positions)), self.choices)}
        for name, (given, limit) in needed.items():
            if given > limit:
                raise TaskError(f"the task needs {given}, the discrete interface has {limit}", field=name)
        rows = len(board.matrix.base)
        offered = np.zeros((self.slots, self.choices), dtype=np.bool_)
        weights = np.zeros((self.slots, self.choices, rows), dtype=np.int64)
        least = np.zeros((self.slots, rows), dtype=np.int64)
        most = least.copy()
        for slot, kept in enumerate(positions):
            mine = board.matrix.weights[slot][list(kept)]
            offered[slot, : len(kept)] = True
            weights[slot, : len(kept)] = mine
            least[slot], most[slot] = mine.min(axis=0), mine.max(axis=0)
        return _Table(positions, offered, weights, least, most, np.maximum(1, (most - least).sum(axis=0)))

    def _held(self, world: AceWorld) -> Bools:
        held = np.zeros((self.slots, self.choices), dtype=np.bool_)
        for slot, (kept, position) in enumerate(zip(self.table(world.board).positions, world.held, strict=True)):
            if position in kept:
                held[slot, kept.index(position)] = True
        return held

    @staticmethod
    def _can_check(world: AceWorld) -> bool:
        budget = world.board.instance.check_budget
        return not world.empty and (budget is None or world.checks < budget)
