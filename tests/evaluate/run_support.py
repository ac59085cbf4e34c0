"""Policies, environments and a driver that is killed, for the tests of runs."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym

import opsgym.data.lines
from opsgym.baselines.chat import ChatModel, ChatRequest, Message, Usage
from opsgym.core.errors import BackendError, ModelError
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox, tool
from opsgym.core.world import World
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.results import TrialResult
from opsgym.evaluate.run_directory import RunDirectory
from opsgym.evaluate.runner import evaluate
from tests.envs.toy_family import TOOLBOX, ToyEnv, ToyFamily

TOY = "tests.envs.toy_family:ToyEnv"
HERE = __name__


class Plays:
    """Plays the reference solution."""

    usage = Usage()

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        self.calls = iter(env.task.oracle)

    def act(self, observation: str) -> Any:
        return next(self.calls, "")


class Pays(Plays):
    """Uses ten tokens and a quarter dollar an episode."""

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        super().begin(env, observation, info)
        self.usage = Usage(prompt_tokens=7, completion_tokens=3, cost=0.25)


class Unsendable(Exception):
    """Can be pickled, but not be read again."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what} {why}")


class MakesTrouble(Plays):
    """Cannot be made."""

    def __init__(self) -> None:
        raise LookupError("no config")


@dataclass
class Breaks(Plays):
    """Breaks on tasks of one pattern, in the way that it is told, as long as the file ``unless`` is absent."""

    how: str = "bug"
    pattern: str = "metals"
    unless: str = ""

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        super().begin(env, observation, info)
        self.broken = info["pattern"] == self.pattern and not (self.unless and Path(self.unless).exists())

    def act(self, observation: str) -> Any:
        if self.broken:
            raise {
                "bug": ZeroDivisionError("a bug"),
                "exit": SystemExit(7),
                "unsendable": Unsendable("two", "arguments"),
                "model": ModelError("server", "is down"),
                "backend": BackendError("is gone"),
                "budget": ModelError("budget", "the account is empty"),
            }[self.how]
        return super().act(observation)


class AsyncPlays:
    """The same, awaited."""

    kind = Plays

    def __init__(self, **options: Any) -> None:
        self.policy = self.kind(**options)

    async def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        self.policy.begin(env, observation, info)

    async def act(self, observation: str) -> Any:
        return self.policy.act(observation)


class AsyncBreaks(AsyncPlays):
    kind = Breaks


@dataclass
class Asks:
    """Asks its model once for each step of the reference solution, and plays that."""

    model: ChatModel
    seed: int = 0

    async def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        self.calls = iter(env.task.oracle)

    async def act(self, observation: str) -> Any:
        await self.model.complete(ChatRequest(messages=(Message(role="user", content=observation),)))
        return next(self.calls, "")


class SeededRandom:
    """Plays the reference solution or gives up, as its seed says."""

    def __init__(self, *, seed: int) -> None:
        self.rng = random.Random(seed)

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        solved = self.rng.random() < 0.5
        self.calls = iter(env.task.oracle if solved else [ToolCall(name="submit")])

    def act(self, observation: str) -> Any:
        return next(self.calls, "")


@tool()
def look_far(world: World) -> str:
    """Look where nothing answers."""
    raise BackendError("the far side is gone")


class FarFamily(ToyFamily):
    id = "Far-v0"

    def compile(self, params: Any, seed: int) -> Task:
        task = super().compile(params, seed)
        calls = (ToolCall(name="look_far"), *task.oracle) if task.pattern == "metals" else task.oracle
        return Task.from_dict({**task.model_dump(exclude={"id"}), "oracle": [call.model_dump() for call in calls]})

    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        return FAR_TOOLBOX


FAR_TOOLBOX = Toolbox([*TOOLBOX.values(), look_far])


class FarEnv(ToyEnv):
    """A toy with a tool of which the external system is gone."""

    family = FarFamily()


def same(results: list[TrialResult]) -> list[TrialResult]:
    """Results without what differs from run to run."""
    return [result.model_copy(update={"seconds": 0.0}) for result in results]


def check_whole(path: Path) -> None:
    """Every trial of the plan has one result line and one trajectory line, and nothing else is there."""
    directory = RunDirectory(path)
    pairs = [(pair.task_id, pair.trial) for pair in directory.plan.pairs()]
    lines = [TrialResult.model_validate_json(line) for line in (path / "results.jsonl").read_text().splitlines()]
    assert sorted((line.task_id, line.trial) for line in lines) == sorted(pairs)
    recorded = [(result.task_id, result.trial) for result, _ in directory.trajectories()]
    assert sorted(recorded) == sorted(pairs)
    assert len((path / "trajectories.jsonl").read_text().splitlines()) == len(pairs)


def toy_run(out: str | os.PathLike[str], workers: int, **options: Any) -> Any:
    """A run over the toy that is deterministic and whose trials differ."""
    if "Toy-v0" not in gym.registry:
        gym.register("Toy-v0", entry_point=TOY)
    arguments: dict[str, Any] = {"tasks": 5, "trials": 6, "failure_rate": 0.2, "seed": 3, **options}
    return evaluate("Toy-v0", f"{HERE}:SeededRandom", out=out, workers=workers, **arguments)


def kill_command(out: Path, workers: int, write: int, share: float) -> list[str]:
    """The command that runs :func:`killed` in a process of its own."""
    return [sys.executable, "-c", f"import {HERE} as support; support.killed({str(out)!r}, {workers}, {write}, {share})"]


def killed(out: str, workers: int, write: int, share: float) -> None:
    """Run, and kill the process amid a write: of the n-th line only a share is written."""
    count = 0
    true_write = os.write

    def write_or_die(descriptor: int, data: Any) -> int:
        nonlocal count
        count += 1
        if count == write:
            true_write(descriptor, bytes(data)[: int(len(data) * share)])
            os.kill(os.getpid(), signal.SIGKILL)
        return true_write(descriptor, data)

    setattr(opsgym.data.lines, "os", SimpleNamespace(**{**vars(os), "write": write_or_die}))  # noqa: B010  # not exported
    toy_run(out, workers)
