"""Recording: finished team episodes as lines of a file, through PettingZoo's own wrapper bases, and their replay."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from opsgym.core.task import JsonDict, Task, canonical_json
from opsgym.data.lines import append_line
from opsgym.envs.teams.forms import TeamAEC, TeamParallel
from opsgym.envs.teams.game import TeamGame

__all__ = ["RecordTeam", "RecordTeamParallel", "replay"]


class RecordTeam(BaseWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """Writes every finished episode of an AEC team as one line of JSON: task, agents, briefs, turns and rewards.

    Episodes that are broken off are not written.  The file holds the solutions of the tasks: keep it from agents.

    Args:
        env: A team, wrapped or not.
        path: The file; it is continued where it exists.

    Example:
        >>> import tempfile
        >>> from opsgym.envs.teams import erp_bench_team_v0
        >>> path = tempfile.mkdtemp() + "/episodes.jsonl"
        >>> env = RecordTeam(erp_bench_team_v0.env(tier="easy", cache=None), path)
        >>> env.reset(seed=7)
        >>> for agent in env.agent_iter():
        ...     env.step(None if env.terminations[agent] else '{"name": "submit"}')
        >>> with open(path) as lines:
        ...     replay(lines.readline(), erp_bench_team_v0.env(tier="easy", cache=None))
    """

    def __init__(self, env: TeamAEC, path: str | os.PathLike[str]) -> None:
        super().__init__(env)
        self._path = os.fspath(path)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode."""
        super().reset(seed=seed, options=options)
        self._briefs = dict(self.unwrapped.game.state.heard)

    def step(self, action: Any) -> None:
        """Step; at the end of the episode, write it."""
        was_over = _over(self.unwrapped)
        super().step(action)
        if not was_over and _over(self.unwrapped):
            append_line(self._path, record(self.unwrapped.game, self._briefs).encode())


class RecordTeamParallel(BaseParallelWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """The same for the Parallel form; turns are written in the order in which they were carried out.

    Args:
        env: A team, wrapped or not.
        path: The file; it is continued where it exists.
    """

    def __init__(self, env: TeamParallel, path: str | os.PathLike[str]) -> None:
        super().__init__(env)
        self._path = os.fspath(path)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Start an episode."""
        views = super().reset(seed=seed, options=options)
        self._briefs = dict(self.unwrapped.game.state.heard)
        return views

    def step(self, actions: Mapping[str, Any]) -> Any:
        """Step; at the end of the episode, write it."""
        results = super().step(actions)
        if not self.unwrapped.agents:
            append_line(self._path, record(self.unwrapped.game, self._briefs).encode())
        return results


def record(game: TeamGame, briefs: Mapping[str, str]) -> str:
    """A finished episode as one line of JSON."""
    episode, state = game.env.episode, game.state
    verdict = episode.verdict
    reward = game.env.family.reward(verdict, game.env.reward_mode) if verdict else 0.0
    pairs = zip(state.actors, episode.turns, strict=True)
    return canonical_json(
        {
            "task": json.loads(game.env.task.to_json()),
            "agents": state.agents,
            "briefs": dict(briefs),
            "turns": [{"agent": agent, "action": turn.action, "observation": turn.observation} for agent, turn in pairs],
            "rewards": game.rewards(reward),
            "is_success": verdict is not None and verdict.is_success,
        }
    )


def replay(line: str, env: TeamAEC | TeamParallel) -> int | None:
    """Play a recorded episode again, turn by turn.

    Args:
        line: The episode.
        env: A team with the arguments under which it was recorded; either form.

    Returns:
        Number of the first turn that is answered differently, from 0; ``None`` when all agree.
    """
    episode: JsonDict = json.loads(line)
    env.reset(options={"task": Task.from_dict(episode["task"])})
    for number, turn in enumerate(episode["turns"]):
        env.game.listen([turn["agent"]])
        env.game.act(turn["agent"], turn["action"])
        if env.game.state.heard[turn["agent"]] != turn["observation"]:
            return number
    return None


def _over(env: TeamAEC) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values()) or not env.agents
