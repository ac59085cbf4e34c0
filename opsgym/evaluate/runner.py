"""Runner: plays every trial of a plan, in processes or concurrently, so that an interrupted run can go on.

Policies that compute are played in processes, those that wait for a model's server concurrently in one.  Every trial has its
own seed and its own policy, so that scripted policies give the same results with any number of workers, in any order.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym

from opsgym.baselines.chat import ChatModel
from opsgym.baselines.policy import is_async
from opsgym.core.errors import TaskError
from opsgym.core.family import Family
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.metrics import Summary, summarise
from opsgym.evaluate.parallel import Progress
from opsgym.evaluate.results import TrialResult
from opsgym.evaluate.run_desk import Desk, Ending, Limits, Observer, Standing, interruptible
from opsgym.evaluate.run_directory import RunDirectory, RunWriter, locked, tasks_file
from opsgym.evaluate.run_model import AnyModel, RunModel
from opsgym.evaluate.run_plan import RunPlan, as_json
from opsgym.evaluate.run_policy import PolicyArgument, PolicyMaker, prompt_versions
from opsgym.evaluate.run_tasks import TaskChoice, task_ids
from opsgym.evaluate.run_trial import AnyScene, Scene
from opsgym.evaluate.run_workers import play_alone, play_concurrently, play_in_processes
from opsgym.evaluate.selection import Source

__all__ = ["Run", "evaluate"]


@dataclass(frozen=True)
class Run:
    """What came of :func:`evaluate`.

    Attributes:
        directory: The run on disk.
        ending: ``"complete"``, or why it stopped: ``"limit"``, ``"interrupted"`` or ``"outage"``.
        message: The reason in words; empty when complete.
        standing: How it stands.
    """

    directory: RunDirectory
    ending: Ending
    message: str
    standing: Standing

    @property
    def results(self) -> list[TrialResult]:
        """The results so far, in the order of the plan."""
        return self.directory.results()

    def summary(self) -> Summary:
        """The headline metrics of the results so far."""
        return summarise(self.results)


def evaluate(
    env_id: str,
    policy: PolicyArgument,
    *,
    out: str | os.PathLike[str],
    tasks: Source = None,
    split: str | None = None,
    tier: str | None = None,
    pattern: str | None = None,
    trials: int = 1,
    seed: int = 0,
    workers: int = 1,
    failure_rate: float = 0.0,
    model: str | ChatModel | None = None,
    base_url: str | None = None,
    model_options: Mapping[str, Any] | None = None,
    policy_options: Mapping[str, Any] | None = None,
    env_options: Mapping[str, Any] | None = None,
    trajectories: bool = True,
    request_cache: bool = True,
    limits: Limits | None = None,
    retry_masked: bool = False,
    observer: Observer | None = None,
    progress: Progress | None = None,
) -> Run:
    """Play every task with a policy and keep what comes of it; the same call goes on where an interrupted one ended.

    Args:
        env_id: The environment.
        policy: A name, an import path ``"package.module:Class"``, a class or function that makes a policy, or a policy.
        out: Directory of the run; see :mod:`opsgym.evaluate.results`.
        tasks: How many tasks, or which: a pack's path or a list; by default the fixed set of the split, or at least one
            generated task of every tier and pattern.
        split: Tasks of this split only.
        tier: Tasks of this tier only.
        pattern: Tasks of this pattern only.
        trials: Trials a task.
        seed: Seed of generated tasks and of every trial.
        workers: Number of processes, or of trials at the same time for a policy that asks a model.
        failure_rate: Probability that a tool call meets an injected fault.
        model: Name of the model, such as ``"openai:gpt-5-mini"``, or a model.
        base_url: Where the model is served.
        model_options: Further arguments of the model; those of how it is reached are no part of the plan.
        policy_options: Options of the policy, JSON values.
        env_options: Arguments of the environment, JSON values.
        trajectories: Whether episodes are recorded.
        request_cache: Whether the model's replies are kept in the directory, so that a trial that starts over is not paid twice.
        limits: What may be spent.
        retry_masked: Whether trials that were masked are played again.
        observer: Told how the run stands after every trial.
        progress: Told of every generated task.

    Raises:
        ModelError: The model cannot be made.
        OSError: A file cannot be written, as on a full disk.  What was played is kept.
        RegistryError: Unknown environment, policy, split, tier or pattern.
        TaskError: An argument is invalid, or the run in ``out`` has another plan; says what differs.
        TrialError: A bug ended the run; names the trial.  What was played is kept.

    Example:
        >>> import tempfile
        >>> from opsgym.evaluate import evaluate
        >>> run = evaluate("ACEBench-v0", "oracle", out=tempfile.mkdtemp() + "/run", tasks=2, trials=3)
        >>> run.ending, len(run.results), run.summary().success.value
        ('complete', 6, 1.0)
    """
    check_numbers(trials=trials, workers=workers, seed=seed, failure_rate=failure_rate)
    entry_point = entry_point_of(env_id)
    options = as_json(dict(env_options or {}), "env_options")
    family = _family(entry_point, options)
    maker = PolicyMaker(policy=policy, options=as_json(dict(policy_options or {}), "policy_options"))
    cache = Path(out) / "requests.sqlite" if request_cache else None
    asked = RunModel.make(model, base_url=base_url, options=model_options or {}, cache=cache, concurrency=workers)
    example = maker.make(family, model=asked.model)
    waits = is_async(example)
    if maker.is_instance and waits and workers > 1:
        raise TaskError("one policy cannot play several episodes at the same time: give its class, or one worker", field="policy")
    if asked.model is not None and not waits:
        raise TaskError(f"the policy {maker.name!r} asks no model, expected none, got {asked.name!r}", field="model")
    choice = TaskChoice(source=tasks, split=split, tier=tier, pattern=pattern, seed=seed)
    plan = RunPlan(
        env_id=env_id,
        env_version=family.version,
        env_options=options,
        policy=maker.name,
        policy_options=dict(maker.options),
        prompts=prompt_versions(example),
        model=asked.name,
        model_options=asked.options,
        base_url=asked.base_url,
        tasks=choice.describe(family),
        trials=trials,
        seed=seed,
        failure_rate=failure_rate,
        trajectories=trajectories,
    )
    with locked(out):
        directory = begun(out, plan, choice, family, entry_point, workers=workers, progress=progress)
        scene = Scene(plan=directory.plan, spec=gym.spec(env_id).to_json(), pack=str(tasks_file(out)), maker=maker)
        return play_rest(
            directory, scene, asked, workers, waits=waits, limits=limits, retry_masked=retry_masked, observer=observer
        )


def begun(
    out: str | os.PathLike[str],
    plan: RunPlan,
    choice: TaskChoice,
    family: Family[Any],
    entry_point: str,
    *,
    workers: int,
    progress: Progress | None,
) -> RunDirectory:
    """The run in ``out``, whose tasks are written where it is new.

    Raises:
        TaskError: There is another one; says what differs.
    """
    if RunDirectory.exists(out):
        return _resumed(out, plan, family)
    processes = min(workers, os.cpu_count() or 1)  # a hundred trials may wait for a model; compiling does not wait
    ids = choice.write(tasks_file(out), family, entry_point, workers=processes, progress=progress)
    return RunDirectory.create(out, plan.model_copy(update={"task_ids": ids}))


def play_rest(
    directory: RunDirectory,
    scene: AnyScene,
    asked: AnyModel,
    workers: int,
    *,
    waits: bool,
    limits: Limits | None,
    retry_masked: bool,
    observer: Observer | None,
) -> Run:
    """Play the trials that have no result yet.

    Raises:
        TrialError: A bug ended the run; names the trial.
    """
    pending = directory.pending(retry_masked=retry_masked)
    if not waits:
        pending.sort()  # by task: its world is seeded once for all its trials
    with closing(RunWriter(directory)) as writer:
        desk = Desk(directory, writer, pending, limits or Limits(), observer)
        with interruptible(desk):
            _play(desk, scene, workers, asked, waits=waits)
    desk.raise_bug()
    return Run(directory, desk.ending, desk.message, desk.standing)


def _play(desk: Desk, scene: AnyScene, workers: int, model: AnyModel, *, waits: bool) -> None:
    if waits:
        asyncio.run(play_concurrently(desk, scene, workers, model))
    elif workers == 1:
        play_alone(desk, scene)
    else:
        play_in_processes(desk, scene, workers)


def _family(entry_point: str, options: dict[str, Any]) -> Family[Any]:
    """The family of an environment, which is made once to see that it takes the options."""
    try:
        family: Family[Any] = load_env(entry_point, **{"cache": None, **options}).family
    except TypeError as error:
        raise TaskError(f"the environment cannot be made with {options}: {error}", field="env_options") from error
    return family


def check_numbers(*, trials: int, workers: int, seed: int, failure_rate: float) -> None:
    """Refuse numbers that no run has.

    Raises:
        TaskError: Names the first.
    """
    _check("trials", trials, 1)
    _check("workers", workers, 1)
    _check("seed", seed, 0)
    _check("failure_rate", failure_rate, 0, 1)


def _check(name: str, value: float, least: float, most: float = math.inf) -> None:
    if not least <= value <= most:
        upper = f" and at most {most}" if most < math.inf else ""
        raise TaskError(f"expected at least {least}{upper}, got {value}", field=name)


def _resumed(out: str | os.PathLike[str], plan: RunPlan, family: Family[Any]) -> RunDirectory:
    """The run in ``out``, made sound after a crash."""
    directory = RunDirectory(out)
    differences = directory.plan.differences(plan)
    if differences:
        raise TaskError(f"the run in {str(out)!r} has another plan: {'; '.join(differences)}", field="out")
    if task_ids(tasks_file(out), family) != directory.plan.task_ids:
        raise TaskError(f"the tasks in {str(tasks_file(out))!r} are not those of the plan", field="out")
    directory.recover()
    return directory
