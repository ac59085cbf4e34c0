"""ACEBenchDiscreteVectorEnv: many grids of the discrete interface, stepped together in NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from opsgym.core.errors import TaskError
from opsgym.core.family import Family
from opsgym.core.task import canonical_json
from opsgym.envs.ace_bench.discrete import CHOICE_FEATURES, CHOICES, SLOTS, STATE_FEATURES, DiscreteView, Vector
from opsgym.envs.ace_bench.engine import Board
from opsgym.envs.ace_bench.family import AceBenchFamily, board_of
from opsgym.envs.ace_bench.rules import NO_HIGH, NO_LOW, Bools, Ints
from opsgym.envs.ace_bench.spec import EMPTY
from opsgym.envs.cache import CacheArgument, Lru, task_cache
from opsgym.envs.supply import Selection, TaskSupply

__all__ = ["ACEBenchDiscreteVectorEnv"]

UNLIMITED = 2**30
"""Stands for "no limit" among check budgets."""


@dataclass(frozen=True, slots=True)
class _Grid:
    """All that a batch needs of a task: its choices in one list, and the constraints that some filling can break.

    Attributes:
        slots: Slot of each choice.
        actions: Action of each choice.
        weights: Choices by constraints: what a choice adds.
        least: Slots by constraints: the least that a choice adds.
        most: Slots by constraints: the most.
        rows: Four rows by constraints: base, low, high and scale.
        kinds: Number of constraints, those that cannot be broken among them.
        budget: Global checks.
    """

    slots: Ints
    actions: Ints
    weights: Vector
    least: Vector
    most: Vector
    rows: Vector
    kinds: int
    budget: int

    @classmethod
    def of(cls, board: Board, view: DiscreteView) -> _Grid:
        """That of a board; sums are whole numbers far below 2**24, so float32 holds them exactly."""
        table, matrix = view.table(board), board.matrix
        low, high = (matrix.base + part.sum(axis=0) for part in (table.least, table.most))
        biting = (low < matrix.low) | (high > matrix.high)
        slots, choices = table.offered.nonzero()
        budget = board.instance.check_budget
        count = len(table.positions)
        return cls(
            slots=slots,
            actions=slots * view.choices + choices,
            weights=table.weights[slots, choices][:, biting].astype(np.float32),
            least=table.least[:count, biting].astype(np.float32),
            most=table.most[:count, biting].astype(np.float32),
            rows=np.array([matrix.base, matrix.low, matrix.high, table.scale], dtype=np.float32)[:, biting],
            kinds=max(1, len(biting)),
            budget=UNLIMITED if budget is None else budget,
        )


_GRIDS: Lru[_Grid] = Lru(16_384)
"""By the reset that asks for them; shared by the batches of a process."""


class ACEBenchDiscreteVectorEnv(gym.vector.VectorEnv[Vector, Ints, Any]):
    """Many episodes of ``ACEBench-v0`` with ``interface="discrete"``, stepped together.

    Tasks, observations, masks, rewards and ends are those of :class:`~opsgym.envs.ace_bench.env.ACEBenchEnv` with the reward
    mode ``exact``, and a test compares the two step by step; only the text is missing, for no world is kept.  A batch of 64 costs
    about a tenth of as many steps there; a batch of one gains nothing.  An ended episode starts anew in the same step;
    ``infos["final_info"]`` says whether it was solved (``is_success``), and ``infos["final_obs"]`` how it ended.

    A task that is reset to by seed is kept in memory (up to 16,384 in a process), so that a second episode of it costs no
    generation.

    Args:
        num_envs: Number of episodes.
        tier: As for a single environment, like all that follow.
        pattern: The preset of rules.
        params: Overrides of single difficulty parameters.
        split: Which task seeds are drawn.
        max_slots: Greatest number of hidden slots.
        max_choices: Greatest number of candidates of one slot that keep its rules.
        max_steps: Turn budget of an episode.
        cache: Directory of compiled tasks, ``"auto"``, or ``None`` for memory only.

    Raises:
        RegistryError: An unknown name was given.
        TaskError: A value is out of range.

    Example:
        >>> envs = ACEBenchDiscreteVectorEnv(2, tier="easy", cache=None)
        >>> seen, infos = envs.reset(seed=7)
        >>> seen.shape, envs.action_masks().shape
        ((2, 774), (2, 194))
        >>> seen, rewards, terminated, truncated, infos = envs.step(envs.action_masks().argmax(axis=1))
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # type: ignore[misc]  # VectorEnv leaves it untyped

    def __init__(
        self,
        num_envs: int = 1,
        *,
        tier: str | None = None,
        pattern: str | None = None,
        params: Mapping[str, Any] | None = None,
        split: str | None = None,
        max_slots: int = SLOTS,
        max_choices: int = CHOICES,
        max_steps: int | None = None,
        cache: CacheArgument = "auto",
    ) -> None:
        family: Family[Any] = AceBenchFamily()
        self.max_steps = family.max_steps if max_steps is None else max_steps
        for name, value in (("num_envs", num_envs), ("max_steps", self.max_steps)):
            if value < 1:
                raise TaskError(f"expected a positive integer, got {value!r}", field=name)
        self.num_envs = num_envs
        self._view = DiscreteView(slots=max_slots, choices=max_choices)
        self.single_observation_space, self.single_action_space = self._view.observation_space, self._view.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        selection = Selection(tier=tier, pattern=pattern, params=params, split=split)
        self._supply = TaskSupply(family, selection, tasks=None, cache=task_cache(cache))
        self._key = (tier, pattern, canonical_json(params), split, max_slots, max_choices)
        self._rngs = [np_random(None)[0] for _ in range(num_envs)]
        self._begun = False
        self._every = np.arange(num_envs)
        self._each = self._every[:, None]
        self._allocate(1, 1)

    def _allocate(self, choices: int, rows: int) -> None:
        """Arrays with room for so many choices and constraints of a task, empty."""
        count, slots = self.num_envs, self._view.slots
        self._offered = np.zeros((count, self._view.check + 1), np.bool_)
        self._entry = np.zeros((count, self._view.check), np.int64)
        self._slot = np.zeros((count, choices), np.int64)
        self._action = np.full((count, choices), self._view.check)
        self._weights = np.zeros((count, choices, rows), np.float32)
        self._least = np.zeros((count, slots, rows), np.float32)
        self._most = self._least.copy()
        self._rows = np.zeros((count, 4, rows), np.float32)
        self._held = np.full((count, slots), EMPTY)
        self._slots = np.ones(count, np.int64)
        self._kinds, self._budget, self._checks, self._turns = np.ones((4, count), np.int64)

    # -- Gymnasium ----------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Start all episodes.

        Args:
            seed: A seed for each episode, or one from which they count on.
            options: As for a single environment: ``tier``, ``pattern``, ``params`` and ``split``, or a ``task``.

        Raises:
            RegistryError: An unknown name was given.
            TaskError: The parameters are infeasible, or the task is larger than the interface.
        """
        seeds = [seed] * self.num_envs if seed is None else seed
        if isinstance(seeds, int):
            seeds = range(seeds, seeds + self.num_envs)
        for index, one in enumerate(seeds):
            self.start(index, *((one, options or {}) if one is not None or options else self.next_task(index)))
        self._begun = True
        return self._observe(), {}

    def step(self, actions: Ints) -> tuple[Vector, NDArray[np.float64], Bools, Bools, dict[str, Any]]:
        """A step of every episode; an action that its mask rules out changes nothing and costs the step.

        Raises:
            ResetNeeded: There are no episodes yet.
        """
        if not self._begun:
            raise ResetNeeded("there are no episodes yet; call reset() first")
        taken = np.where(self.action_masks()[self._every, actions], actions, -1)
        self._set(np.flatnonzero((taken >= 0) & (taken < self._view.check)), taken)
        self._checks += taken == self._view.check
        self._turns += 1
        terminated = taken == self._view.done
        truncated = ~terminated & (self._turns >= self.max_steps)
        over = terminated | truncated
        seen, infos = self._observe(), {}
        rewards = np.where(over, self._solved(), 0.0)
        if over.any():
            infos = {"final_obs": seen, "final_info": {"is_success": rewards > 0, "_is_success": over}}
            infos |= {"_final_obs": over, "_final_info": over}
            for index in np.flatnonzero(over).tolist():
                self.ended(index, bool(rewards[index] > 0))
                self.start(index, *self.next_task(index))
            seen = self._observe()
        return seen, rewards, terminated, truncated, infos

    def action_masks(self) -> Bools:
        """Which actions can be taken now, of shape ``(num_envs, actions)``."""
        ends = np.stack([self._can_check(), np.ones(self.num_envs, np.bool_)], axis=1)
        masks = np.concatenate([self._offered[:, :-1], ends], axis=1)
        masks[self._holding()] = False
        return masks

    # -- tasks --------------------------------------------------------------------------------------------

    def next_task(self, index: int) -> tuple[int | None, Mapping[str, Any]]:
        """Seed and options with which an ended episode starts anew; a curriculum overrides this.

        Args:
            index: Which episode of the batch.
        """
        return None, {}

    def ended(self, index: int, is_success: bool) -> None:
        """Called when an episode has ended, before the next one starts; a curriculum overrides this.

        Args:
            index: Which episode of the batch.
            is_success: Whether it was solved.
        """

    def start(self, index: int, seed: int | None, options: Mapping[str, Any]) -> None:
        """Start one episode of the batch.

        Args:
            index: Which.
            seed: Seed of its stream, or ``None`` to draw on from it.
            options: See :meth:`reset`.

        Raises:
            RegistryError: An unknown name was given.
            TaskError: The parameters are infeasible, or the task is larger than the interface.
        """
        if seed is not None:
            self._rngs[index] = np_random(seed)[0]
        if seed is None or options.get("task") is not None:
            self._load(index, self._draw(index, options))
        else:
            self._load(index, _GRIDS.get((self._key, seed, canonical_json(options)), lambda: self._draw(index, options)))

    def _draw(self, index: int, options: Mapping[str, Any]) -> _Grid:
        return _Grid.of(board_of(self._supply.pick(self._rngs[index], options)), self._view)

    def _load(self, index: int, grid: _Grid) -> None:
        choices, rows = grid.weights.shape
        self._widen(choices - self._weights.shape[1], rows - self._weights.shape[2])
        for array in (self._offered, self._slot, self._weights, self._least, self._most, self._rows):
            array[index] = 0
        self._offered[index, grid.actions] = True
        self._entry[index, grid.actions] = np.arange(choices)
        self._action[index], self._slot[index, :choices] = self._view.check, grid.slots
        self._action[index, :choices], self._weights[index, :choices, :rows] = grid.actions, grid.weights
        self._slots[index] = slots = len(grid.least)
        self._least[index, :slots, :rows], self._most[index, :slots, :rows] = grid.least, grid.most
        # A constraint that is not there bounds nothing.
        self._rows[index, 1], self._rows[index, 2], self._rows[index, 3] = NO_LOW, NO_HIGH, 1
        self._rows[index, :, :rows] = grid.rows
        self._held[index], self._kinds[index] = EMPTY, grid.kinds
        self._budget[index], self._checks[index], self._turns[index] = grid.budget, 0, 0

    def _widen(self, choices: int, rows: int) -> None:
        """Make room for more choices and constraints, where these numbers are above 0."""
        if choices > 0:
            more = (0, choices)
            self._slot = np.pad(self._slot, ((0, 0), more))
            self._action = np.pad(self._action, ((0, 0), more), constant_values=self._view.check)
            self._weights = np.pad(self._weights, ((0, 0), more, (0, 0)))
        if rows > 0:
            self._weights, self._least, self._most, self._rows = (
                np.pad(part, ((0, 0), (0, 0), (0, rows))) for part in (self._weights, self._least, self._most, self._rows)
            )
            self._rows[:, 1, -rows:], self._rows[:, 2, -rows:], self._rows[:, 3, -rows:] = NO_LOW, NO_HIGH, 1

    # -- the grids ----------------------------------------------------------------------------------------

    def _set(self, which: Ints, actions: Ints) -> None:
        """Put choices into slots: they are then both the least and the most that the slot adds."""
        taken = actions[which]
        slots = taken // self._view.choices
        self._held[which, slots] = taken
        self._least[which, slots] = self._most[which, slots] = self._weights[which, self._entry[which, taken]]

    def _holding(self) -> tuple[Ints, Ints]:
        """Which episodes hold which choices, by their actions."""
        which, slots = (self._held != EMPTY).nonzero()
        return which, self._held[which, slots]

    def _filled(self) -> Bools:
        return np.asarray((self._held != EMPTY).sum(axis=1) == self._slots)

    def _can_check(self) -> Bools:
        return np.asarray(self._filled() & (self._checks < self._budget))

    def _sums(self) -> tuple[Vector, Vector]:
        base = self._rows[:, 0]
        return base + self._least.sum(axis=1), base + self._most.sum(axis=1)

    def _solved(self) -> Bools:
        """Whether the grids are full and all constraints hold; choices on offer keep the slot rules."""
        sums = self._sums()[0]
        return np.asarray(self._filled() & ((sums >= self._rows[:, 1]) & (sums <= self._rows[:, 2])).all(axis=1))

    def _missed(self, low: Vector, high: Vector) -> tuple[Vector, Vector]:
        """See :meth:`DiscreteView.observe`; the constraints are the last axis, the episodes the first."""
        shape = (self.num_envs, *[1] * (low.ndim - 2), -1)
        least, most, scale = (self._rows[:, row].reshape(shape) for row in (1, 2, 3))
        miss = np.maximum(least - high, low - most)
        np.maximum(miss, 0, out=miss)
        miss /= scale
        kinds = self._kinds.reshape(shape[:-1])
        return (miss > 0).sum(axis=-1) / kinds, np.minimum(1.0, miss).sum(axis=-1) / kinds

    def _observe(self) -> Vector:
        low, high = self._sums()
        changed = [
            (total[:, None] - part)[self._each, self._slot] + self._weights
            for total, part in ((low, self._least), (high, self._most))
        ]
        choices = np.zeros((self.num_envs, self._view.check + 1, len(CHOICE_FEATURES)), np.float32)
        for feature, part in enumerate(self._missed(*changed), 2):
            choices[self._each, self._action, feature] = part
        choices[..., 0] = self._offered
        choices[(*self._holding(), 1)] = 1.0
        state = np.empty((self.num_envs, len(STATE_FEATURES)), np.float32)
        state[:, 0] = (self._held != EMPTY).sum(axis=1) / self._slots
        state[:, 1], state[:, 2] = self._missed(low, high)
        state[:, 3] = self._can_check()
        unlimited = self._budget == UNLIMITED
        state[:, 4] = np.where(unlimited, 1.0, (self._budget - self._checks) / np.maximum(1, self._budget))
        state[:, 5] = 1.0 - self._turns / self.max_steps
        return np.concatenate([choices[:, :-1].reshape(self.num_envs, -1), state], axis=1)
