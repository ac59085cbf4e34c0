"""Recorded episodes of the toy family, for the tests of what is made of them."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from opsgym.core.task import ToolCall
from opsgym.data.trajectories import Trajectory, read_trajectories
from opsgym.wrappers import RecordTrajectories

TOY = "RecordedToy-v0"


@contextmanager
def toy_id() -> Iterator[None]:
    """Registers the toy family as :data:`TOY`."""
    gym.register(TOY, entry_point="tests.envs.toy_family:ToyEnv", kwargs={"cache": None})
    try:
        yield
    finally:
        del gym.registry[TOY]


def record(path: Path, episodes: int) -> list[Trajectory]:
    """Episodes that were played by the oracle in process, or with text that comes to nothing."""
    env = RecordTrajectories(gym.make(TOY), path=path)
    for seed in range(episodes):
        env.reset(seed=seed)
        if seed % 2:
            env.step("Größe: 3 € — 数")
        for call in [ToolCall(name="submit")] if seed % 2 else env.base.task.oracle:
            env.step(call)
    return list(read_trajectories(path))


def forget(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """Makes packages seem not to be installed."""
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] in packages:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
