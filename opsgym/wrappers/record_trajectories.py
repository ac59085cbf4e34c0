"""RecordTrajectories: every finished episode as a line of a file."""

from __future__ import annotations

import json
import os
from typing import Any, Literal, get_args

import gymnasium as gym

import opsgym
from opsgym.core.errors import RegistryError
from opsgym.core.task import JsonDict, ToolCall, canonical_json
from opsgym.data.lines import append_line
from opsgym.data.trajectories import FORMAT, Trajectory, as_line, as_text, check_lines, recover
from opsgym.envs.cache import Lru
from opsgym.wrappers.base import Step, ToolWrapper, stack

__all__ = ["RecordTrajectories"]

Digests = Literal["step", "end", "none"]


class RecordTrajectories(ToolWrapper):
    """Writes every episode to a file of JSON Lines, with everything needed to replay it.

    An episode is written when it ends, as one line, whole or not at all; see :mod:`opsgym.data.trajectories` for reading,
    replay and export.  Episodes that are broken off by ``reset`` or ``close`` are not written.  An existing file is
    continued; a line that a crash left unfinished is removed first.  The file holds the solutions of the tasks: keep it from
    agents.

    Attributes:
        line: The line of the episode that ended last; empty before.

    Args:
        env: A ToolEnv with observations of text, wrapped or not.
        path: The file.  Several environments, also in other processes, may write to one.  ``None`` writes nothing: the episode
            is in :attr:`last`.
        digests: When the digest of the world is taken: after each ``"step"`` that may have changed it, at the ``"end"``, or
            ``"none"``.
        tools: Whether the tool schemas are written; training data needs them.

    Raises:
        RegistryError: Unknown choice of digests.
        TaskError: The file is Parquet, which cannot be added to.

    Example:
        >>> import gymnasium as gym, tempfile, opsgym
        >>> from opsgym.data.trajectories import replay_file
        >>> path = tempfile.mkdtemp() + "/episodes.jsonl"
        >>> env = RecordTrajectories(gym.make("ERPBench-v0", tier="easy", cache=None), path=path)
        >>> brief, info = env.reset(seed=7)
        >>> for call in env.unwrapped.task.oracle:
        ...     observation, reward, terminated, truncated, info = env.step(call)
        >>> replayed = replay_file(path)
        >>> replayed.episodes, replayed.differences
        (1, {})
    """

    reads_text = True

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        path: str | os.PathLike[str] | None,
        digests: Digests = "step",
        tools: bool = True,
    ) -> None:
        if digests not in get_args(Digests):
            raise RegistryError("choice of digests", digests, get_args(Digests))
        self._path = None if path is None else os.fspath(path)
        if self._path is not None:
            check_lines(self._path)
        super().__init__(env, path=self._path, digests=digests, tools=tools)
        self._digests, self._with_tools = digests, tools
        if self._path is not None:
            recover(self._path)
        self.line = ""
        self._spec = _spec_json(env)
        self._start: dict[str, str] = {}
        self._steps: list[JsonDict] = []
        self._tasks: Lru[str] = Lru(64)
        self._tools: tuple[list[JsonDict], str] = ([], "[]")
        self._digest, self._changes = "", 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        observation, info = super().reset(seed=seed, options=options)
        self._digest = self.base.world.digest() if self._digests == "step" else ""
        self._steps, self._changes = [], 0
        wrappers = [wrapper for wrapper in stack(self.env) if isinstance(wrapper, ToolWrapper)]
        start = {
            "options": {key: value for wrapper in wrappers for key, value in wrapper.reset_options().items()},
            "seed": seed,
            "brief": observation,
            "world": self._digest,
        }
        tools = self._written_tools(info["tools"] if self._with_tools else [])
        self._start = {**{name: as_text(value) for name, value in start.items()}, "tools": tools}
        return observation, info

    def step(self, action: Any) -> Step:
        """As inside; the step is kept, and the episode written at its end."""
        observation, reward, terminated, truncated, info = super().step(action)
        over, changes = terminated or truncated, self.base.episode.changes
        if (self._digests == "step" and changes != self._changes) or (self._digests == "end" and over):
            self._digest = self.base.world.digest()
        self._changes = changes
        self._steps.append(
            {
                "action": _copied(action),
                "observation": observation,
                "reward": reward,
                "terminated": terminated,
                "truncated": truncated,
                "world": self._digest,
            }
        )
        if over:
            self.line = self._written(info)
            if self._path is not None:
                append_line(self._path, self.line.encode())
        return observation, reward, terminated, truncated, info

    @property
    def last(self) -> Trajectory | None:
        """The episode that ended last, or ``None``; read from :attr:`line` at every call."""
        return Trajectory.from_line(self.line) if self.line else None

    def snapshot_state(self) -> Any:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        return self._start, list(self._steps), self._digest, self._changes

    def restore_state(self, state: Any) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        self._start, steps, self._digest, self._changes = state
        self._steps = list(steps)

    def _written(self, info: dict[str, Any]) -> str:
        """The line of the episode that has just ended; its task is written once for many episodes."""
        task = self.base.task
        rest = {"spec": self._spec, "steps": self._steps, "info": info, "version": opsgym.__version__, "format": FORMAT}
        text = self._tasks.get(task.id, lambda: as_text(task.model_dump(mode="json")))
        return as_line(rest, {**self._start, "task": text})

    def _written_tools(self, tools: list[JsonDict]) -> str:
        """Tools as JSON, written when they change: an environment offers the same ones again and again."""
        if tools != self._tools[0]:
            text = as_text(tools)
            self._tools = json.loads(text), text
        return self._tools[1]


def _spec_json(env: gym.Env[Any, Any]) -> str | None:
    """The environment and the wrappers inside as JSON; ``None`` where an argument cannot be written so."""
    if env.spec is None:
        return None
    try:
        return str(env.spec.to_json())
    except (TypeError, ValueError):  # a task or a function was given as an argument
        return None


def _copied(action: Any) -> Any:
    """An action as the file holds it."""
    try:
        return _plain(action)
    except RecursionError:  # it is too deep, or holds itself: it was refused already
        return f"<{type(action).__name__}>"


def _plain(action: Any) -> Any:
    """An action as JSON that is read to the same calls."""
    if isinstance(action, str):
        return action
    if isinstance(action, ToolCall):
        return action.model_dump()
    if isinstance(action, list | tuple):
        return [_plain(item) for item in action]
    try:
        copied: JsonDict = json.loads(canonical_json(action))
    except (TypeError, ValueError):
        return repr(action)
    return copied
