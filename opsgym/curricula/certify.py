"""certifier: whether the family compiles a task, asked before it is played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gymnasium.utils import seeding

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula.ticket import Ticket
from opsgym.envs.cache import CacheArgument

__all__ = ["certifier"]


def certifier(
    env_id: str, *, split: str | None = None, cache: CacheArgument = "auto"
) -> Callable[[Mapping[str, Any], int], bool]:
    """A function that compiles the task of (parameters, seed of the reset) and says whether that worked.

    It takes the way of the environment, so that the task lies in the same cache when it is played.

    Args:
        env_id: The environment's id.
        split: As given to the environment.
        cache: As given to the environment.

    Raises:
        RegistryError: Unknown id or split.

    Example:
        >>> certify = certifier("ACEBench-v0", cache=None)
        >>> certify({"rows": 3, "cols": 3, "hidden": 2, "decoys": 1}, 7), certify({"rows": 3, "cols": 3, "hidden": 20}, 7)
        (True, False)
    """
    from opsgym.evaluate.entry_points import entry_point_of, load_env

    supply = load_env(entry_point_of(env_id), split=split, cache=cache).supply

    def certify(params: Mapping[str, Any], seed: int) -> bool:
        named = {name: value for name, value in params.items() if name != "failure_rate"}
        try:
            supply.pick(seeding.np_random(seed)[0], Ticket(0, named, seed).options())
        except RegistryError:
            raise
        except TaskError:
            return False
        return True

    return certify
