"""Scripted policies: fixed ones without a model, by which an environment is measured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from opsgym.baselines.blindness import KINDS, Kind, blinded
from opsgym.baselines.noise import noisy
from opsgym.core.errors import TaskError
from opsgym.core.spaces import ToolCallText
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.envs.tool_env import ToolEnv

__all__ = [
    "DoNothing",
    "Echo",
    "Garbage",
    "Greedy",
    "NoisyOracle",
    "Oracle",
    "RandomValid",
    "RuleBlindOracle",
    "Scripted",
    "SubmitAtOnce",
    "call_space",
    "finishing_call",
]

GARBAGE = "".join(map(chr, [*range(32, 127), 0x00E9, 0x20AC, 0x2028, 0x1F600]))
"""Characters of which :class:`Garbage` makes its text."""


class DoNothing:
    """Says nothing until the turn budget is used up."""

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Nothing to prepare."""

    def act(self, observation: str) -> str:
        """An empty action."""
        return ""


class Echo(DoNothing):
    """Repeats what it is told."""

    def act(self, observation: str) -> str:
        """The observation."""
        return observation


class SubmitAtOnce(DoNothing):
    """Submits the seeded world."""

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Look up how an episode is ended."""
        self._tools = env.tools

    def act(self, observation: str) -> Any:
        """The call that ends the episode."""
        return finishing_call(self._tools)


class Garbage:
    """Writes random text, broken JSON among it.

    Args:
        seed: Seed of its random stream, with the task's id.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = _checked_seed(seed)

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Start the task's random stream."""
        self._rng = task_rng(self._seed, info)

    def act(self, observation: str) -> str:
        """Random characters."""
        start = ("", "{", '{"name": ', "<tool_call>")[int(self._rng.integers(4))]
        return start + "".join(GARBAGE[i] for i in self._rng.integers(len(GARBAGE), size=40))


class RandomValid:
    """Draws calls that the tools' schemas accept.

    Args:
        seed: Seed of its random stream, with the task's id.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = _checked_seed(seed)

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Take the space of calls, seeded for the task."""
        self._space = call_space(env, task_rng(self._seed, info))

    def act(self, observation: str) -> Any:
        """A random call."""
        return self._space.sample()


class Scripted:
    """Plays prepared actions in order, then says nothing.

    Args:
        script: The actions, or a function that gives them for a task (and so may know its solution).
    """

    def __init__(self, script: Iterable[Any] | Callable[[Task], Iterable[Any]]) -> None:
        self._script = script

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Take up the script for the task."""
        actions = self._script(env.task) if callable(self._script) else self._script
        self._rest: Iterator[Any] = iter(list(actions))

    def act(self, observation: str) -> Any:
        """The next action of the script."""
        return next(self._rest, "")


class _Planned(Scripted, ABC):
    """Plays calls that are written for the family's default harness."""

    def __init__(self) -> None:
        super().__init__(())

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Take up the plan for the task.

        Raises:
            TaskError: The environment has another harness than the one that the plan is written for.
        """
        default = env.family.harnesses[0]
        if env.harness != default:
            raise TaskError(f"the plan is written for the harness {default!r}, got {env.harness!r}", field="env")
        self._rest = iter(self._plan(env, info))

    @abstractmethod
    def _plan(self, env: ToolEnv, info: Mapping[str, Any]) -> Sequence[ToolCall]:
        """The calls to play."""


class Oracle(_Planned):
    """Plays the reference solution, under the default harness."""

    def _plan(self, env: ToolEnv, info: Mapping[str, Any]) -> Sequence[ToolCall]:
        return env.task.oracle


class NoisyOracle(_Planned):
    """Plays the reference solution with mistakes: each call but the last fails to be right with probability ``rate``.

    A wrong call has one number or date a step off, or is left out: each of these equally often.

    Args:
        rate: Probability in [0, 1].
        seed: Seed of its random stream, with the task's id.

    Raises:
        TaskError: The rate is no probability.
    """

    def __init__(self, *, rate: float = 0.1, seed: int = 0) -> None:
        super().__init__()
        if not 0.0 <= rate <= 1.0:
            raise TaskError(f"expected a probability in [0, 1], got {rate!r}", field="rate")
        self._rate, self._seed = rate, _checked_seed(seed)

    def _plan(self, env: ToolEnv, info: Mapping[str, Any]) -> Sequence[ToolCall]:
        return noisy(env.task.oracle, self._rate, task_rng(self._seed, info))


class RuleBlindOracle(_Planned):
    """Plays the reference solution as someone would who does not know one rule: without what only that rule asks for.

    Args:
        blind: What it does not know; see :func:`~opsgym.baselines.blindness.blinded` for the forms.

    Raises:
        TaskError: ``blind`` has none of the forms.
        RegistryError: At the start of an episode: no tool has that name, or that argument.
    """

    def __init__(self, *, blind: str) -> None:
        super().__init__()
        kind, _, name = blind.partition(":")
        if kind not in KINDS or not name:
            raise TaskError(f"expected one of {', '.join(f'{each}:NAME' for each in KINDS)}, got {blind!r}", field="blind")
        self._kind: Kind = kind
        self._name = name

    def _plan(self, env: ToolEnv, info: Mapping[str, Any]) -> Sequence[ToolCall]:
        return blinded(env, self._kind, self._name)


class Greedy(_Planned):
    """Plays the plan of one of the family's fixed planners, which do not search.

    Args:
        planner: Gives the calls for a task; see :meth:`Family.policies <opsgym.core.family.Family.policies>`.
    """

    def __init__(self, planner: Callable[[Task], Sequence[ToolCall]]) -> None:
        super().__init__()
        self._planner = planner

    def _plan(self, env: ToolEnv, info: Mapping[str, Any]) -> Sequence[ToolCall]:
        return self._planner(env.task)


def call_space(env: ToolEnv, seed: int | np.random.Generator | None = None) -> ToolCallText:
    """The calls of the tools on offer in the running episode; the action space may hold those of other tasks too."""
    return ToolCallText(env.tools, env.max_action_chars, seed=seed)


def finishing_call(tools: Toolbox) -> ToolCall:
    """The call that ends an episode and needs no arguments: ``submit`` or what the family calls it."""
    return ToolCall(name=next(tool.name for tool in tools.values() if tool.terminal and not tool.parameters.get("required")))


def task_rng(seed: int, info: Mapping[str, Any]) -> np.random.Generator:
    """The random stream of a seed on a task: the same in every process and in any order of tasks."""
    return np.random.default_rng([seed, int(info["task_id"], 16)])


def _checked_seed(seed: int) -> int:
    if seed < 0:
        raise TaskError(f"expected a seed of at least 0, got {seed!r}", field="seed")
    return seed
