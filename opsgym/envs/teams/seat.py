"""Seat: a role of a running team episode, in the shape in which single-agent policies look at an environment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from opsgym.core.family import Family
from opsgym.core.task import Task
from opsgym.core.tools import Toolbox
from opsgym.envs.teams.game import TeamGame
from opsgym.envs.teams.tools import approve, wait

__all__ = ["Seat"]

_ENDS = {tool.name: replace(tool, terminal=True) for tool in (approve, wait)}


class Seat:
    """What a policy that plays a role is given in place of a :class:`~opsgym.envs.tool_env.ToolEnv`.

    A role that cannot hand in is told that another tool ends its work: ``approve`` for a checker, else ``wait``.

    Args:
        game: The game, with a running episode.
        agent: The role.

    Attributes:
        game: The game.
        agent: The role.
        agents: The team.
    """

    def __init__(self, game: TeamGame, agent: str) -> None:
        self.game, self.agent, self.agents = game, agent, tuple(game.state.agents)

    @property
    def tools(self) -> Toolbox:
        """The tools of the role."""
        offered = self.game.tools(self.agent)
        if any(tool.terminal for tool in offered.values()):
            return offered
        name = next(name for name in _ENDS if name in offered)
        return Toolbox(_ENDS[name] if tool.name == name else tool for tool in offered.values())

    @property
    def family(self) -> Family[Any]:
        """The family of the tasks."""
        return self.game.env.family

    @property
    def harness(self) -> str:
        """The tool surface."""
        return self.game.env.harness

    @property
    def task(self) -> Task:
        """The task, with its solution; a fair policy does not look at it."""
        return self.game.env.task

    @property
    def max_calls_per_step(self) -> int:
        """Greatest number of calls in one action."""
        return self.game.env.max_calls_per_step

    @property
    def max_action_chars(self) -> int:
        """Greatest length of an action."""
        return self.game.env.max_action_chars
