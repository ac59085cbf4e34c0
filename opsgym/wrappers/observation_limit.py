"""ObservationLimit: shorter observations."""

from __future__ import annotations

from typing import Any, Literal, get_args

import gymnasium as gym

from opsgym.core.errors import RegistryError, TaskError
from opsgym.envs.episode import CUT
from opsgym.wrappers.base import Step, ToolWrapper, text_limit

__all__ = ["ObservationLimit", "shorten"]

Keep = Literal["start", "end", "both"]


def shorten(text: str, limit: int, keep: Keep = "start") -> str:
    """The text in at most ``limit`` characters, with a mark that says how many were left out.

    Example:
        >>> shorten("x" * 50 + "y" * 50, 40, "both")
        'xxxxxxx…[86 characters left out]yyyyyyy'
    """
    if len(text) <= limit:
        return text
    room = max(0, limit - len(CUT.format(left_out=len(text))))
    mark = CUT.format(left_out=len(text) - room)
    head = {"start": room, "end": 0, "both": room - room // 2}[keep]
    return (text[:head] + mark + text[len(text) - (room - head) :])[:limit]


class ObservationLimit(ToolWrapper):
    """Cuts the observations of the steps to a length; the brief is left whole, since the task stands in it.

    Args:
        env: A ToolEnv with observations of text, wrapped or not.
        max_chars: Greatest length; ``None`` for no limit.
        keep: Which part of a longer observation stays: ``"start"``, ``"end"`` or ``"both"``.

    Raises:
        RegistryError: Unknown part.
        TaskError: The limit leaves no room for the mark.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = ObservationLimit(gym.make("ERPBench-v0", tier="easy", cache=None), max_chars=60)
        >>> brief, info = env.reset(seed=7)
        >>> len(env.step('{"name": "search_products"}')[0]) <= 60
        True
    """

    reads_text = True

    def __init__(self, env: gym.Env[Any, Any], *, max_chars: int | None = 4096, keep: Keep = "start") -> None:
        if keep not in get_args(Keep):
            raise RegistryError("part", keep, get_args(Keep))
        if max_chars is not None and max_chars < len(CUT) + 8:
            raise TaskError(f"expected at least {len(CUT) + 8}, got {max_chars!r}", field="max_chars")
        super().__init__(env, max_chars=max_chars, keep=keep)
        self._limit = text_limit(env) if max_chars is None else max_chars
        self._keep: Keep = keep

    def step(self, action: Any) -> Step:
        """As inside, with the observation cut."""
        observation, reward, terminated, truncated, info = super().step(action)
        return shorten(observation, self._limit, self._keep), reward, terminated, truncated, info
