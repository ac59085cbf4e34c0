"""RunPlan: everything that defines a run, fixed when it starts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import Field

import opsgym
from opsgym.core.errors import TaskError
from opsgym.core.task import Frozen, JsonDict, canonical_json

FORMAT = 1
"""Version of the format of a run directory; a reader refuses newer ones."""


class Pair(NamedTuple):
    """One trial to play.

    Attributes:
        place: Position of the task in the run's pack.
        task_id: The task.
        trial: Number of the trial, from 0.
    """

    place: int
    task_id: str
    trial: int


class RunPlan(Frozen):
    """What is run; two runs with equal plans and deterministic policies have equal results.

    Attributes:
        format: Version of the format of the directory.
        opsgym: Version of OpsGym.
        env_id: The environment.
        env_version: Version of its family.
        env_options: Arguments of the environment.
        form: PettingZoo's form that is played, for a team; ``None`` for one agent.
        policy: Name or import path of the policy; for a team one for all roles, or ``ROLE=NAME`` for each, with commas.
        policy_options: Its options.
        prompts: Version and hash of its prompts, by name.
        model: The model, or ``None``.
        model_options: Those of its options that change what it answers.
        base_url: Where the model is served, without what may be secret; ``None`` for the default.
        tasks: Where the tasks come from.
        task_ids: The tasks in order.
        trials: Trials a task.
        seed: Seed of generated tasks and of every trial.
        failure_rate: Probability that a tool call meets an injected fault.
        trajectories: Whether episodes are recorded.
    """

    format: int = FORMAT
    opsgym: str = opsgym.__version__
    env_id: str
    env_version: str
    env_options: JsonDict = Field(default_factory=dict)
    form: str | None = None
    policy: str
    policy_options: JsonDict = Field(default_factory=dict)
    prompts: dict[str, str] = Field(default_factory=dict)
    model: str | None = None
    model_options: JsonDict = Field(default_factory=dict)
    base_url: str | None = None
    tasks: JsonDict
    task_ids: tuple[str, ...] = ()
    trials: int = Field(default=1, ge=1)
    seed: int = Field(default=0, ge=0)
    failure_rate: float = Field(default=0.0, ge=0, le=1)
    trajectories: bool = True

    def pairs(self) -> Iterator[Pair]:
        """Every trial: the first of all tasks, then the second, so that a run that is stopped says something of every task."""
        for trial in range(self.trials):
            for place, task_id in enumerate(self.task_ids):
                yield Pair(place, task_id, trial)

    def episode_seed(self, pair: Pair) -> int:
        """Seed of a trial, below 2**53: depends on the run's seed, the task and the number of the trial only."""
        digest = hashlib.blake2b(f"{self.seed}/{pair.task_id}/{pair.trial}".encode(), digest_size=8).digest()
        return int.from_bytes(digest) >> 11

    def differences(self, other: RunPlan) -> list[str]:
        """What another plan has otherwise, a phrase each; the ids of the tasks follow from their source."""
        ours, theirs = (plan.model_dump(exclude={"task_ids"}) for plan in (self, other))
        return [f"{name} is {_short(ours[name])}, given {_short(theirs[name])}" for name in ours if ours[name] != theirs[name]]


def as_json(values: object, field: str) -> Any:
    """Values as JSON reads them, so that they compare equal after a resume.

    Raises:
        TaskError: They are not JSON.
    """
    try:
        return json.loads(canonical_json(values))
    except (TypeError, ValueError) as error:
        raise TaskError(f"expected values that JSON can hold, got {values!r}", field=field) from error


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:99] + "…"
