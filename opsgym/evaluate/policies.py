"""Policies: what answers observations with actions, and the fixed ones by which an environment is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from opsgym.core.errors import RegistryError
from opsgym.core.family import Family
from opsgym.core.spaces import ToolCallText
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.envs.tool_env import ToolEnv

GARBAGE = "".join(map(chr, [*range(32, 127), 0x00E9, 0x20AC, 0x2028, 0x1F600]))
"""Characters of which :class:`Garbage` makes its text."""


class Policy(Protocol):
    """Answers observations with actions, one episode after another."""

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Start an episode.

        Args:
            env: The environment, just reset.  A fair policy does not look at ``env.task``.
            observation: The brief.
            info: Info of the reset.
        """

    def act(self, observation: str) -> Any:
        """The next action.

        Args:
            observation: The latest observation.
        """


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


class Garbage:
    """Writes random text, broken JSON among it.

    Args:
        seed: Seed of its random stream.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Start the task's random stream."""
        self._rng = np.random.default_rng([self._seed, int(info["task_id"], 16)])

    def act(self, observation: str) -> str:
        """Random characters."""
        start = ("", "{", '{"name": ', "<tool_call>")[int(self._rng.integers(4))]
        return start + "".join(GARBAGE[i] for i in self._rng.integers(len(GARBAGE), size=40))


class RandomValid:
    """Draws calls that the tools' schemas accept.

    Args:
        seed: Seed of its random stream.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Take the space of calls, seeded for the task."""
        self._space = call_space(env)
        self._space.seed(self._seed + int(info["task_id"], 16) % 2**31)

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


class SubmitAtOnce(DoNothing):
    """Submits the seeded world."""

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Look up how an episode is ended."""
        self._tools = env.tools

    def act(self, observation: str) -> Any:
        """The call that ends the episode."""
        return finishing_call(self._tools)


def oracle() -> Scripted:
    """A policy that plays the reference solution, under the default harness."""
    return Scripted(lambda task: task.oracle)


POLICIES: dict[str, Callable[[], Policy]] = {
    "do-nothing": DoNothing,
    "submit-at-once": SubmitAtOnce,
    "echo": Echo,
    "garbage": Garbage,
    "random-valid": RandomValid,
    "oracle": oracle,
}
"""Policies for every family, by name."""


def call_space(env: ToolEnv) -> ToolCallText:
    """The calls of the tools on offer in the running episode; the action space may hold those of other tasks too."""
    return ToolCallText(env.tools, env.max_action_chars)


def finishing_call(tools: Toolbox) -> ToolCall:
    """The call that ends an episode and needs no arguments: ``submit`` or what the family calls it."""
    return ToolCall(name=next(tool.name for tool in tools.values() if tool.terminal and not tool.parameters.get("required")))


def make_policy(name: str, family: Family[Any]) -> Policy:
    """A policy by name: one of :data:`POLICIES`, or a fixed planner of the family.

    Args:
        name: The name; hyphens and underscores are the same.
        family: The family that is played.

    Raises:
        RegistryError: There is no such policy.
    """
    own = {key.replace("_", "-"): script for key, script in family.policies().items()}
    wanted = name.replace("_", "-")
    if wanted in own:
        return Scripted(own[wanted])
    if wanted not in POLICIES:
        raise RegistryError("policy", name, [*POLICIES, *own])
    return POLICIES[wanted]()
