"""PlannerExecutorGrid-v0: planner and executor on the grids of ACEBench, in numbers, for classical RL."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils import BaseWrapper

from opsgym.core.task import ToolCall
from opsgym.envs.ace_bench.discrete import CHOICE_FEATURES, CHOICES, SLOTS, DiscreteView, Vector
from opsgym.envs.ace_bench.engine import AceWorld
from opsgym.envs.cache import Lru
from opsgym.envs.teams.planner_executor_v0 import EXECUTOR, PLANNER, PlannerExecutorEnv

__all__ = ["PlannerExecutorGrid", "env", "raw_env"]

Seen = dict[str, NDArray[Any]]


class PlannerExecutorGrid(BaseWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """Planner and executor on the grids of ACEBench, in numbers.

    ## Description

    `PlannerExecutor-v0` on `ACEBench-v0`, each turn one number: the planner, which sees what every choice would do to the rules,
    names a choice; the executor, which sees the choices on offer but nothing of the rules over the grid, makes one.  It is a
    wrapper around the text game: the planner's number becomes a `message` that holds a call, the executor's number becomes
    that call.  So recording, replay, snapshots and scripted partners work as there.

    ## Observation

    `{"observation": ..., "action_mask": ...}`, as PettingZoo's games with masks have it.  `observation` is a `Box` of numbers in
    [0, 1], of one size for all tasks, laid out as in `ACEBench-v0` with `interface="discrete"`.

    | number | `planner_0` | `executor_0` |
    |---|---|---|
    | of each choice: 1, 2 | whether it is on offer, held | the same |
    | 3 | share of the rules that it would put out of reach | 1 where the planner named it |
    | 4 | by how much they would be missed | 0 |
    | at the end: 1, 6 | shares of slots filled, of turns left | the same |
    | 2 | share of the rules that are out of reach | 1 when the planner said to hand in |
    | 3 to 5 | by how much, whether the check can be made, checks left | 0 |

    ## Actions

    `Discrete`, numbered as in `ACEBench-v0` with `interface="discrete"`: slot times `max_choices` plus choice, the global check,
    `done`.  The mask allows choices on offer that are not held, and `done`; the check is masked, for its answer has no
    number here.  A number that stands for no choice of the grid is refused and costs the turn.

    ## Reward

    Each agent earns the team's reward, as `reward_mode` says; see `ACEBench-v0`.

    ## End of episode

    - Termination: the executor plays `done`.
    - Truncation: the turns of the pool, `max_cycles` for each agent, are used up.

    ## Arguments

    `max_slots` and `max_choices`, the size of the interface; `max_cycles` (40); all other arguments of
    :class:`~opsgym.envs.teams.planner_executor_v0.PlannerExecutorEnv` but `family`, `checker` and `messages`.

    ## Example

    >>> from opsgym.envs.teams import planner_executor_grid_v0
    >>> env = planner_executor_grid_v0.env(tier="easy", cache=None)
    >>> env.reset(seed=7)
    >>> seen, reward, terminated, truncated, info = env.last()
    >>> env.agent_selection, seen["observation"].shape, int(seen["action_mask"].sum())
    ('planner_0', (774,), 9)
    >>> env.step(int(seen["action_mask"].argmax()))
    >>> named = env.last()[0]["observation"][2:768:4]
    >>> env.agent_selection, int(named.sum())
    ('executor_0', 1)
    """

    def __init__(self, env: PlannerExecutorEnv, *, max_slots: int = SLOTS, max_choices: int = CHOICES) -> None:
        super().__init__(env)
        self._view = DiscreteView(slots=max_slots, choices=max_choices)
        self._numbers: Lru[dict[str, int]] = Lru(64)
        count = int(self._view.action_space.n)
        mask = spaces.Box(0, 1, (count,), np.int8)
        seen: dict[str, spaces.Space[Any]] = {"observation": self._view.observation_space, "action_mask": mask}
        self._observations = {agent: spaces.Dict(seen) for agent in (PLANNER, EXECUTOR)}
        self._actions = {agent: spaces.Discrete(count) for agent in (PLANNER, EXECUTOR)}

    def observation_space(self, agent: str) -> spaces.Dict:
        """``Dict({"observation": Box, "action_mask": Box})``, the same object at each call."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        """``Discrete``, the same object at each call."""
        return self._actions[agent]

    def observe(self, agent: str) -> Seen:
        """What an agent sees, in numbers."""
        game, view = self.unwrapped.game, self._view
        left = 1.0 - len(game.state.actors) / game.env.max_steps
        seen, mask = view.observe(game.env.world, left), view.masks(game.env.world).astype(np.int8)
        mask[view.check] = 0
        if agent == EXECUTOR:
            self._hide_rules(seen)
        return {"observation": seen, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play a number; ``None`` for an agent whose episode has ended."""
        if action is not None:
            action = self._view.call(int(action), self.unwrapped.game.env.world)
            if self.agent_selection == PLANNER and isinstance(action, ToolCall):
                action = ToolCall(name="message", arguments={"text": action.model_dump_json()})
        super().step(action)

    def _hide_rules(self, seen: Vector) -> None:
        """Put what the executor was told in place of what the planner sees of the rules."""
        told, end = self._told(), self._view.check * len(CHOICE_FEATURES)
        choices = seen[:end].reshape(-1, len(CHOICE_FEATURES))
        choices[:, 2:] = 0.0
        _filled, done, *hidden, _left = range(end, len(seen))
        seen[[done, *hidden]] = 0.0
        if told == self._view.done:
            seen[done] = 1.0
        elif told is not None:
            choices[told, 2] = 1.0

    def _told(self) -> int | None:
        """The number of the call in the planner's last message."""
        game = self.unwrapped.game
        inbox = game.state.inbox[EXECUTOR]
        if not inbox:
            return None
        world = game.env.world
        numbers = self._numbers.get(world.board.schema, lambda: self._numbered(world))
        return numbers.get(json.loads(inbox[-1])["message"]["text"])

    def _numbered(self, world: AceWorld) -> dict[str, int]:
        """The number of every call that can be made in a grid, by its text."""
        calls = {number: self._view.call(number, world) for number in range(self._view.done + 1)}
        return {call.model_dump_json(): number for number, call in calls.items() if isinstance(call, ToolCall)}


def raw_env(*, max_slots: int = SLOTS, max_choices: int = CHOICES, max_cycles: int = 40, **arguments: Any) -> PlannerExecutorGrid:
    """The environment; see :class:`PlannerExecutorGrid`."""
    text = PlannerExecutorEnv(family="ACEBench-v0", max_cycles=max_cycles, messages=max_cycles, **arguments)
    return PlannerExecutorGrid(text, max_slots=max_slots, max_choices=max_choices)


env = raw_env
