"""RecordTrajectories: every finished episode as a line of a file."""

from __future__ import annotations

import json
import os
from typing import Any, Literal, get_args

import gymnasium as gym

import opsgym
from opsgym.core.errors import RegistryError
from opsgym.core.task import JsonDict, ToolCall, canonical_json
from opsgym.data.trajectories import Step as RecordedStep
from opsgym.data.trajectories import Trajectory, append, check_lines, recover
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
        last: The episode that ended last, or ``None``.

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
        self.last: Trajectory | None = None
        self._spec = _spec_json(env)
        self._start: dict[str, Any] = {}
        self._steps: list[RecordedStep] = []
        self._digest, self._changes = "", 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        observation, info = super().reset(seed=seed, options=options)
        self._digest = self.base.world.digest() if self._digests == "step" else ""
        self._steps, self._changes = [], 0
        wrappers = [wrapper for wrapper in stack(self.env) if isinstance(wrapper, ToolWrapper)]
        self._start = {
            "options": {key: value for wrapper in wrappers for key, value in wrapper.reset_options().items()},
            "seed": seed,
            "tools": info["tools"] if self._with_tools else [],
            "brief": observation,
            "world": self._digest,
        }
        return observation, info

    def step(self, action: Any) -> Step:
        """As inside; the step is kept, and the episode written at its end."""
        observation, reward, terminated, truncated, info = super().step(action)
        over, changes = terminated or truncated, self.base.episode.changes
        if (self._digests == "step" and changes != self._changes) or (self._digests == "end" and over):
            self._digest = self.base.world.digest()
        self._changes = changes
        self._steps.append(RecordedStep(_plain(action), observation, reward, terminated, truncated, self._digest))
        if over:
            self.last = self._trajectory(info)
            if self._path is not None:
                append(self._path, self.last)
        return observation, reward, terminated, truncated, info

    def snapshot_state(self) -> Any:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        return self._start, list(self._steps), self._digest, self._changes

    def restore_state(self, state: Any) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        self._start, steps, self._digest, self._changes = state
        self._steps = list(steps)

    def _trajectory(self, info: dict[str, Any]) -> Trajectory:
        """The episode that has just ended."""
        return Trajectory(
            **self._start,
            task=self.base.task.model_dump(mode="json"),
            spec=self._spec,
            steps=tuple(self._steps),
            info=json.loads(canonical_json(info)),
            version=opsgym.__version__,
        )


def _spec_json(env: gym.Env[Any, Any]) -> str | None:
    """The environment and the wrappers inside as JSON; ``None`` where an argument cannot be written so."""
    if env.spec is None:
        return None
    try:
        return str(env.spec.to_json())
    except (TypeError, ValueError):  # a task or a function was given as an argument
        return None


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
