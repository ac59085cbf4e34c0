"""Policies that play a role of a team; those for single agents can play one, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from opsgym.baselines.policy import Policy
from opsgym.envs.tool_env import ToolEnv

__all__ = ["ROLE_POLICIES", "OracleOfRole"]


class OracleOfRole:
    """Plays the role's part of the reference solution, and acts only on what the role has been told.

    It knows which calls are its own, but makes none before an answer or a message has shown it what the call refers to.

    Args:
        talks: Whether it tells the others what these need to know.
    """

    def __init__(self, *, talks: bool = True) -> None:
        self._talks = talks

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Take up the role's part; ``env`` is a :class:`~opsgym.envs.teams.seat.Seat`."""
        seat: Any = env
        self._tools = tuple(seat.tools)
        self._script = seat.game.oracle(seat.agent, talks=self._talks)

    def act(self, observation: str) -> str:
        """The next action."""
        action: str = self._script.act(observation, self._tools)
        return action


ROLE_POLICIES: dict[str, Callable[[], Policy]] = {
    "oracle-team": OracleOfRole,
    "oracle-silent": partial(OracleOfRole, talks=False),
}
"""Policies that can only play roles, by name."""
