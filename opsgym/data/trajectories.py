"""Trajectories: recorded episodes in JSON Lines, to replay, to train on, to compare.

One line is one whole episode and ends with the hash of its content.  Lines are appended under a lock and in one piece, so that
several processes may write one file; a line that a crash cut off is no line, and the next writer removes it.
:mod:`opsgym.data.trajectory_tables` turns such a file into Parquet, :mod:`opsgym.data.minari_export` into a data set of Minari.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from opsgym.core.errors import TaskError
from opsgym.core.task import JsonDict, canonical_json
from opsgym.data.lines import append_line, read_lines, recover
from opsgym.envs.tool_env import ToolEnv

__all__ = [
    "Difference",
    "Step",
    "Trajectory",
    "append",
    "better_and_worse",
    "check_lines",
    "opening",
    "preference_pairs",
    "read_trajectories",
    "recorded",
    "recover",
    "replay",
    "replay_file",
    "said",
    "sft_example",
]

FORMAT = 1
"""Version of the file format; a reader refuses newer ones."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an episode.

    Attributes:
        action: The action: text, or the JSON of tool calls.
        observation: What answered it.
        reward: Its reward.
        terminated: Whether the agent ended the episode.
        truncated: Whether the environment cut it off.
        world: Digest of the world afterwards; empty where none was taken.
    """

    action: Any
    observation: str
    reward: float
    terminated: bool
    truncated: bool
    world: str = ""

    def as_dict(self) -> JsonDict:
        """The step as JSON; shares the action with it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """One episode and everything needed to play it again.

    Attributes:
        task: The task as JSON, with its solution: keep such files from agents.
        options: Further options of ``reset`` that make the same episode, such as the seed of faults.
        seed: Seed that ``reset`` was given, for reference.
        spec: The environment and its wrappers as JSON of Gymnasium, or ``None`` where they cannot be written so.
        tools: Tool schemas on offer.
        brief: The first observation.
        world: Digest of the first world; empty where none was taken.
        steps: The steps.
        info: The last info.
        version: Version of OpsGym that wrote it.
        format: Version of the file format.
    """

    task: JsonDict
    options: JsonDict
    seed: int | None
    spec: str | None
    tools: list[JsonDict]
    brief: str
    world: str
    steps: tuple[Step, ...]
    info: JsonDict
    version: str
    format: int = FORMAT

    @property
    def task_id(self) -> str:
        """Id of the task."""
        return str(self.task["id"])

    @property
    def total(self) -> float:
        """Sum of the rewards."""
        return sum(step.reward for step in self.steps)

    @property
    def is_success(self) -> bool:
        """Whether the task was solved."""
        return bool(self.info.get("is_success", False))

    def to_line(self) -> str:
        """The trajectory as one line without its end."""
        return as_line({**vars(self), "steps": [step.as_dict() for step in self.steps]})

    @classmethod
    def from_line(cls, line: str) -> Trajectory:
        """Read a line.

        Raises:
            TaskError: It is damaged, altered or of a newer format.
        """
        try:
            data = json.loads(line)
            body, given = data["trajectory"], data["hash"]
            if body["format"] > FORMAT:
                raise TaskError(f"the file has format version {body['format']}, this OpsGym reads up to {FORMAT}", field="format")
            written = line.removeprefix(_opening(given))[:-1]  # where it was written here, there is no need to write it again
            if _digest(written) != given and _hash(body) != given:
                raise TaskError("the content does not match its hash: the line was altered", field="hash")
            return cls(**{**body, "steps": tuple(Step(**step) for step in body["steps"])})
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            if isinstance(error, TaskError):
                raise
            raise TaskError(f"not a trajectory: {error}") from error


def as_line(values: Mapping[str, Any], texts: Mapping[str, str] | None = None) -> str:
    """Fields of a :class:`Trajectory` as its line.

    Args:
        values: Fields that JSON can hold.
        texts: Those of them that were written by :func:`as_text` before: what many episodes share is written once.
    """
    parts = {name: as_text(value) for name, value in values.items()} | dict(texts or {})
    body = f"{{{','.join(f'{as_text(name)}:{parts[name]}' for name in sorted(parts))}}}"
    return f"{_opening(_digest(body))}{body}}}"


def _opening(digest: str) -> str:
    return f'{{"hash":"{digest}","trajectory":'


def as_text(value: Any) -> str:
    """JSON in ASCII: an action may hold what UTF-8 cannot say, such as half of a surrogate pair."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(value: Any) -> str:
    return _digest(as_text(value))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# -- files


def append(path: str | os.PathLike[str], trajectory: Trajectory) -> None:
    """Add a trajectory to a file, whole or not at all; other processes may do the same."""
    check_lines(path)
    append_line(path, trajectory.to_line().encode())


def check_lines(path: str | os.PathLike[str]) -> None:
    """Refuse a file that cannot be added to.

    Raises:
        TaskError: Its name says that it is no JSON Lines.
    """
    if Path(path).suffix == ".parquet":
        raise TaskError("Parquet cannot be added to: record JSON Lines, then call write_parquet", field="path")


def read_trajectories(path: str | os.PathLike[str]) -> Iterator[Trajectory]:
    """The trajectories of a file in JSON Lines, or in Parquet where its name ends so; an unfinished line is passed over.

    Raises:
        OpsGymError: It is Parquet and pyarrow is missing.
        TaskError: A line is damaged or of a newer format; says which.
    """
    if Path(path).suffix == ".parquet":
        from opsgym.data.trajectory_tables import read_parquet

        yield from read_parquet(path)
        return
    for number, line in read_lines(path):
        try:
            yield Trajectory.from_line(line)
        except TaskError as error:
            raise TaskError(f"{Path(path).name}, line {number}: {error}") from error


def recorded(path: str | os.PathLike[str]) -> Counter[tuple[str, int | None]]:
    """How often each (task id, seed) stands in a file, so that an interrupted run can go on; empty where there is none."""
    if not Path(path).exists():
        return Counter()
    return Counter((trajectory.task_id, trajectory.seed) for trajectory in read_trajectories(path))


# -- replay


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay was not equal.

    Attributes:
        step: Number of the step, 0 for the reset.
        what: What differs: ``"observation"``, ``"reward"``, ``"end"``, ``"world"`` or ``"info"``.
        recorded: What the file says.
        replayed: What came now.
    """

    step: int
    what: str
    recorded: Any
    replayed: Any


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of the replay of a file.

    Attributes:
        episodes: Number of episodes.
        steps: Number of steps.
        differences: First difference by number of the episode, from 1; empty when all is equal.
    """

    episodes: int
    steps: int
    differences: dict[int, Difference] = field(default_factory=dict)


def replay(trajectory: Trajectory, env: gym.Env[Any, Any]) -> Difference | None:
    """Play a trajectory again; returns the first difference, ``None`` when every step is equal.

    Args:
        trajectory: The trajectory.
        env: The same environment with the same wrappers.

    Raises:
        TaskError: ``env`` is no ToolEnv, or cannot play the task.
    """
    base = env.unwrapped
    if not isinstance(base, ToolEnv):
        raise TaskError(f"expected a ToolEnv, got {type(base).__name__}", field="env")
    observation, info = env.reset(seed=trajectory.seed, options={**trajectory.options, "task": trajectory.task})
    found = _compare(0, {"observation": (trajectory.brief, observation), "world": (trajectory.world, base.world)})
    for number, step in enumerate(trajectory.steps, start=1):
        if found:
            return found
        observation, reward, terminated, truncated, info = env.step(step.action)
        found = _compare(
            number,
            {
                "observation": (step.observation, observation),
                "reward": (step.reward, float(reward)),
                "end": ((step.terminated, step.truncated), (terminated, truncated)),
                "world": (step.world, base.world),
            },
        )
    last = json.loads(canonical_json(info))
    return found or (_compare(len(trajectory.steps), {"info": (trajectory.info, last)}) if trajectory.steps else None)


def replay_file(path: str | os.PathLike[str], *, env: gym.Env[Any, Any] | None = None) -> Replayed:
    """Play every trajectory of a file again and compare; what ``opsgym replay FILE`` does.

    Args:
        path: The file.
        env: The environment to play in; by default the one that each trajectory names.

    Raises:
        TaskError: The file is damaged, or names no environment.
    """
    episodes = steps = 0
    differences: dict[int, Difference] = {}
    made: dict[str, gym.Env[Any, Any]] = {}
    for trajectory in read_trajectories(path):
        episodes += 1
        steps += len(trajectory.steps)
        if env is None and trajectory.spec is None:
            raise TaskError("the trajectory names no environment; give one", field="env")
        spec = trajectory.spec or ""
        if env is None and spec not in made:
            made[spec] = gym.make(EnvSpec.from_json(spec))
        difference = replay(trajectory, env or made[spec])
        if difference:
            differences[episodes] = difference
    for each in made.values():
        each.close()
    return Replayed(episodes, steps, differences)


def _compare(step: int, pairs: Mapping[str, tuple[Any, Any]]) -> Difference | None:
    for what, (then, now) in pairs.items():
        if what == "world":
            if then and then != (digest := now.digest()):
                return Difference(step, what, then, digest)
        elif then != now:
            return Difference(step, what, then, now)
    return None


# -- training data


def sft_example(trajectory: Trajectory) -> JsonDict:
    """A trajectory as a chat for supervised fine-tuning: ``messages``, and ``tools`` in OpenAI function format."""
    messages = [*_prompt(trajectory), *_completion(trajectory)]
    return {"messages": messages, "tools": trajectory.tools}


def preference_pairs(trajectories: Iterable[Trajectory]) -> Iterator[JsonDict]:
    """Pairs of a better and a worse trajectory of the same prompt, for preference learning.

    Those of one prompt are sorted by their return; the best is paired with the worst, the second best with the second
    worst and so on, while the returns differ.  Each pair has ``prompt``, ``chosen`` and ``rejected`` (messages), both
    returns and ``tools``.
    """
    for better, worse in better_and_worse(trajectories):
        yield {
            "prompt": _prompt(better),
            "chosen": _completion(better),
            "rejected": _completion(worse),
            "chosen_return": better.total,
            "rejected_return": worse.total,
            "tools": better.tools,
        }


def better_and_worse(trajectories: Iterable[Trajectory]) -> Iterator[tuple[Trajectory, Trajectory]]:
    """The pairs of :func:`preference_pairs` as trajectories."""
    groups: defaultdict[str, list[Trajectory]] = defaultdict(list)
    for trajectory in trajectories:
        groups[_hash([trajectory.task_id, trajectory.brief, trajectory.tools])].append(trajectory)
    for group in groups.values():
        ranked = sorted(group, key=lambda each: -each.total)
        for better, worse in zip(ranked[: len(ranked) // 2], reversed(ranked), strict=False):
            if better.total > worse.total:
                yield better, worse


def opening(trajectory: Trajectory) -> tuple[str, str]:
    """The policy of a trajectory's task, empty where it has none, and the brief without it, so that it is said once."""
    policy = str(trajectory.task.get("policy", ""))
    rest = trajectory.brief.replace(policy.strip(), "", 1).strip() if policy.strip() else ""
    return policy, rest or trajectory.brief


def said(step: Step) -> str:
    """The action of a step as text."""
    return step.action if isinstance(step.action, str) else canonical_json(step.action)


def _prompt(trajectory: Trajectory) -> list[JsonDict]:
    policy, request = opening(trajectory)
    system = [{"role": "system", "content": policy}] if policy else []
    return [*system, {"role": "user", "content": request}]


def _completion(trajectory: Trajectory) -> list[JsonDict]:
    messages: list[JsonDict] = []
    for step in trajectory.steps:
        messages += [{"role": "assistant", "content": said(step)}, {"role": "tool", "content": step.observation}]
    return messages
