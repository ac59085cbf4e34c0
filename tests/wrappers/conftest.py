"""Registers the toy family for every test of the wrappers."""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium as gym
import pytest

from tests.wrappers.support import TOY


@pytest.fixture(autouse=True)
def toy_id() -> Iterator[None]:
    """The id ``support.TOY``."""
    toys = "tests.envs.toy_family"
    gym.register(TOY, entry_point=f"{toys}:ToyEnv", vector_entry_point=f"{toys}:ToyVectorEnv", kwargs={"cache": None})
    yield
    del gym.registry[TOY]
