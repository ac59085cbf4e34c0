"""Registers the toy family for every test of curricula."""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium as gym
import pytest

TOY = "CurriculumToy-v0"


@pytest.fixture
def toy_id() -> Iterator[str]:
    """The id of the toy family."""
    gym.register(TOY, entry_point="tests.envs.toy_family:ToyEnv", kwargs={"cache": None})
    yield TOY
    del gym.registry[TOY]
