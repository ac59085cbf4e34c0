"""Runs of teams: the runner of single agents, with a policy for every role."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsgym.baselines.chat import ChatModel
from opsgym.baselines.policy import is_async
from opsgym.core.errors import RegistryError, TaskError
from opsgym.evaluate.entry_points import entry_point_of
from opsgym.evaluate.parallel import Progress
from opsgym.evaluate.run_desk import Limits, Observer
from opsgym.evaluate.run_directory import locked, tasks_file
from opsgym.evaluate.run_plan import RunPlan, as_json
from opsgym.evaluate.run_policy import prompt_versions
from opsgym.evaluate.run_tasks import TaskChoice
from opsgym.evaluate.run_team_model import TeamModels
from opsgym.evaluate.run_team_policy import TeamArgument, TeamMaker
from opsgym.evaluate.runner import Run, begun, check_numbers, play_rest
from opsgym.evaluate.selection import Source

__all__ = ["evaluate_team"]

ModelArgument = str | ChatModel | Mapping[str, str | ChatModel] | None
"""A model for every role that asks one, or models by role."""


def evaluate_team(
    env_id: str,
    team: TeamArgument,
    *,
    out: str | os.PathLike[str],
    form: str = "aec",
    tasks: Source = None,
    split: str | None = None,
    tier: str | None = None,
    pattern: str | None = None,
    trials: int = 1,
    seed: int = 0,
    workers: int = 1,
    failure_rate: float = 0.0,
    model: ModelArgument = None,
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
    """Play every task with a team and keep what comes of it; the same call goes on where an interrupted one ended.

    Args:
        env_id: The team's environment, one of :data:`opsgym.envs.teams.TEAMS`.
        team: A policy for all roles, or one by role; see :func:`~opsgym.evaluate.run_team_policy.read_team`.  A policy is one of
            single agents, ``"oracle-team"`` or ``"oracle-silent"``.
        out: Directory of the run; see :mod:`opsgym.evaluate.results`.
        form: PettingZoo's form: ``"aec"`` or ``"parallel"``.
        tasks: See :func:`~opsgym.evaluate.runner.evaluate`, as for all that is not listed here.
        split: Tasks of this split only.
        tier: Tasks of this tier only.
        pattern: Tasks of this pattern only.
        trials: Trials a task.
        seed: Seed of generated tasks and of every trial; every role's policy has a seed of its own, made of the trial's.
        workers: Number of processes, or of trials at the same time where a role asks a model.
        failure_rate: Probability that a tool call meets an injected fault, whoever makes it.
        model: The model of roles that ask one and name none of their own; or models by role.
        base_url: Where models are served.
        model_options: Further arguments of the models.
        policy_options: Options of the policies: ``ROLE.NAME`` for one role, ``NAME`` for all.
        env_options: Arguments of the environment, such as ``information`` or ``credit``; JSON values.
        trajectories: Whether episodes are recorded.
        request_cache: Whether the models' replies are kept.
        limits: What may be spent.
        retry_masked: Whether trials that were masked are played again.
        observer: Told how the run stands after every trial.
        progress: Told of every generated task.

    Raises:
        ModelError: A model cannot be made.
        OSError: A file cannot be written, as on a full disk.  What was played is kept.
        RegistryError: Unknown team, form, role, policy, split, tier or pattern.
        TaskError: An argument is invalid, or the run in ``out`` has another plan; says what differs.
        TrialError: A bug ended the run; names the trial.  What was played is kept.

    Example:
        >>> import tempfile
        >>> run = evaluate_team("PlannerExecutor-v0", "oracle-team", env_options={"family": "ACEBench-v0"}, tasks=2,
        ...                     out=tempfile.mkdtemp() + "/run")
        >>> [result.roles["planner_0"].messages for result in run.results], run.summary().success.value
        ([1, 1], 1.0)
    """
    from opsgym.evaluate.run_team_stage import TeamScene

    check_numbers(trials=trials, workers=workers, seed=seed, failure_rate=failure_rate)
    options = as_json(dict(env_options or {}), "env_options")
    env = _made(form, env_id, options)
    family, roles = env.game.env.family, tuple(env.possible_agents)
    maker = TeamMaker.of(team, roles, family, as_json(dict(policy_options or {}), "policy_options"))
    default, own = (None, dict(model)) if isinstance(model, Mapping) else (model, {})
    models = TeamModels.make(
        default,
        {**own, **maker.models},
        roles,
        base_url=base_url,
        options=model_options or {},
        cache=Path(out) / "requests.sqlite" if request_cache else None,
        concurrency=workers * len(roles),
    )
    examples = {role: maker.make(role, family, model=models.model.get(role)) for role in roles}
    waiting = tuple(role for role, policy in examples.items() if is_async(policy))
    _expect_asked(maker, {**own, **maker.models}, default, waiting)
    models = models.only(waiting)
    choice = TaskChoice(source=tasks, split=split, tier=tier, pattern=pattern, seed=seed)
    plan = RunPlan(
        env_id=env_id,
        env_version=family.version,
        env_options=options,
        form=form,
        policy=maker.name,
        policy_options=as_json(dict(policy_options or {}), "policy_options"),
        prompts={name: version for policy in examples.values() for name, version in prompt_versions(policy).items()},
        model=models.name,
        model_options=models.options,
        base_url=models.base_url,
        tasks=choice.describe(family),
        trials=trials,
        seed=seed,
        failure_rate=failure_rate,
        trajectories=trajectories,
    )
    with locked(out):
        directory = begun(out, plan, choice, family, entry_point_of(family.id), workers=workers, progress=progress)
        scene = TeamScene(plan=directory.plan, pack=str(tasks_file(out)), maker=maker)
        return play_rest(
            directory,
            scene,
            models,
            workers,
            waits=bool(waiting),
            limits=limits,
            retry_masked=retry_masked,
            observer=observer,
        )


def _made(form: str, env_id: str, options: Mapping[str, Any]) -> Any:
    """The environment, made once to see that it takes the options."""
    import opsgym
    from opsgym.envs.teams import TEAMS, make

    if env_id in opsgym.ENV_IDS:
        message = f"{env_id} is played by one agent: give --policy, or a team's environment ({', '.join(TEAMS)})"
        raise TaskError(message, field="team")
    if env_id not in TEAMS:
        raise RegistryError("team", env_id, TEAMS)
    try:
        return make(form, env_id, **{"cache": None, **options})
    except TypeError as error:
        raise TaskError(f"the environment cannot be made with {dict(options)}: {error}", field="env_options") from error


def _expect_asked(
    maker: TeamMaker, own: Mapping[str, str | ChatModel], default: str | ChatModel | None, waiting: tuple[str, ...]
) -> None:
    """Refuse models that no role asks."""
    for role, model in own.items():
        if role not in waiting:
            raise TaskError(f"the policy of {role} asks no model, expected none, got {_name(model)!r}", field="model")
    if default is not None and not set(waiting) - set(own):
        raise TaskError(f"no role of {maker.name!r} asks for a model, expected none, got {_name(default)!r}", field="model")


def _name(model: str | ChatModel) -> str:
    return model if isinstance(model, str) else model.name
