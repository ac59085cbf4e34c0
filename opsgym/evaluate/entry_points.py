"""Entry points: how processes name an environment to each other, and what they make of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator

from opsgym.core.errors import RegistryError
from opsgym.envs.tool_env import ToolEnv


def entry_point_of(env_id: str) -> str:
    """The entry point ``"module:Class"`` of a registered id.

    Raises:
        RegistryError: There is no such id; lists those of OpsGym.
    """
    import opsgym  # registers the ids

    spec = gym.registry.get(env_id)
    if spec is None or not isinstance(spec.entry_point, str):
        from opsgym.envs.teams import TEAMS

        note = f"{env_id} is played by a team: opsgym eval --team plays it." if env_id in TEAMS else ""
        raise RegistryError("environment", env_id, opsgym.ENV_IDS, note=note)
    return spec.entry_point


def load_env(entry_point: str, **kwargs: Any) -> ToolEnv:
    """The environment of an entry point, without wrappers.

    Raises:
        RegistryError: It is no ToolEnv.
    """
    creator: object = load_env_creator(entry_point)
    if not (isinstance(creator, type) and issubclass(creator, ToolEnv)):
        import opsgym

        raise RegistryError("environment of OpsGym", entry_point, opsgym.ENV_IDS)
    return creator(**kwargs)


def generate(
    entry_point: str, seed: int, tier: str | None = None, pattern: str | None = None, params: Mapping[str, Any] | None = None
) -> str:
    """JSON of the task of a task seed, compiled here and now.

    Raises:
        RegistryError: Unknown tier, pattern or parameter.
        TaskError: The parameters are infeasible.
    """
    family = load_env(entry_point, cache=None).family
    return family.compile(family.draw(seed, tier=tier, pattern=pattern, overrides=params), seed).to_json()
