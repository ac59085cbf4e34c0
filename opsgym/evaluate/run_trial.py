"""Stage: where trials are played, one after another; and what is written of each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from opsgym.baselines.chat import ChatModel, ChatReply, ChatRequest, Usage
from opsgym.baselines.policy import usage_of
from opsgym.core.errors import BackendError, ModelError
from opsgym.core.family import Family
from opsgym.core.task import Task
from opsgym.data.packs import Pack, open_pack
from opsgym.envs.cache import Lru
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.results import TrialResult
from opsgym.evaluate.rollout import Rollout, run_episode, run_episode_async
from opsgym.evaluate.run_plan import Pair, RunPlan
from opsgym.evaluate.run_policy import AnyPolicy, PolicyMaker
from opsgym.wrappers import RecordTrajectories, ToolFailureInjection

if TYPE_CHECKING:
    from opsgym.baselines.models import RequestCache


class Trial(NamedTuple):
    """A played trial.

    Attributes:
        result: Its result.
        trajectory: Its trajectory as a line, where it was recorded.
        unpriced: Replies of the model for which no price is known.
    """

    result: TrialResult
    trajectory: str | None = None
    unpriced: int = 0


class AnyStage(Protocol):
    """Plays trials, of one agent or of a team."""

    def play(self, pair: Pair) -> Trial:
        """Play a trial whose policy waits for nobody."""

    async def play_async(self, pair: Pair) -> Trial:
        """Play a trial whose policy waits for others."""

    def close(self) -> None:
        """Free the environment."""


class AnyScene(Protocol):
    """What a stage is made of; it can be sent to another process."""

    def stage(self, model: Any = None, cache: RequestCache | None = None) -> AnyStage:
        """Where the trials are played; ``model`` is what the run's model is, see :mod:`opsgym.evaluate.run_model`."""


class OutOfBudget(Exception):
    """A limit of the model was reached amid a trial, which is to be played again: not the agent's doing, nor the server's."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a stage is made of; it can be sent to another process.

    Attributes:
        plan: The plan.
        spec: The environment as Gymnasium's JSON: another process need not know its id.
        pack: Path of the tasks.
        maker: Makes the policies.
    """

    plan: RunPlan
    spec: str
    pack: str
    maker: PolicyMaker

    def env(self) -> gym.Env[Any, Any]:
        """The environment and the wrappers of the plan."""
        env: gym.Env[Any, Any] = gym.make(EnvSpec.from_json(self.spec), **{"cache": None, **self.plan.env_options})
        if self.plan.failure_rate:
            env = ToolFailureInjection(env, rate=self.plan.failure_rate)
        return RecordTrajectories(env, path=None, digests="none") if self.plan.trajectories else env

    def stage(self, model: ChatModel | None = None, cache: RequestCache | None = None) -> Stage:
        """Where the trials are played."""
        return Stage(self, model, cache)


class Stage:
    """Plays trials.

    Args:
        scene: What it is made of.
        model: The model that the policies ask.
        cache: Replies of the model, for trials that start over.
    """

    def __init__(self, scene: Scene, model: ChatModel | None = None, cache: RequestCache | None = None) -> None:
        self._scene, self._plan, self._model, self._cache = scene, scene.plan, model, cache
        self._env = scene.env()
        base = self._env.unwrapped
        assert isinstance(base, ToolEnv), "the id was looked up as one"
        self._family: Family[Any] = base.family
        self._tasks: Lru[Task] = Lru(64)

    @cached_property
    def _pack(self) -> Pack:
        return open_pack(self._scene.pack, family=self._family.id)

    def play(self, pair: Pair) -> Trial:
        """Play a trial.

        Raises:
            OutOfBudget: A limit was reached.
        """
        with no_exit():
            act = self._begin(pair)
            try:
                rollout = run_episode(self._env, act.policy, **act.start)  # type: ignore[arg-type]  # the runner knows which it is
            except BackendError as error:
                return act.masked(error)
            return self._end(act, rollout)

    async def play_async(self, pair: Pair) -> Trial:
        """As :meth:`play`, for a policy that waits for others."""
        with no_exit():
            act = self._begin(pair)
            try:
                rollout = await run_episode_async(self._env, act.policy, **act.start)  # type: ignore[arg-type]  # as above
            except BackendError as error:
                return act.masked(error)
            return self._end(act, rollout)

    def close(self) -> None:
        """Free the environment."""
        self._env.close()

    def _begin(self, pair: Pair) -> _Act:
        task = self._tasks.get(pair.place, lambda: self._pack[pair.place])
        seed = self._plan.episode_seed(pair)
        meter = self._metered(pair)
        policy = self._scene.maker.make(self._family, model=meter, seed=seed)
        return _Act(task, pair.trial, seed, policy, meter, {"fault_seed": seed} if self._plan.failure_rate else {})

    def _metered(self, pair: Pair) -> Meter | None:
        if self._model is None:
            return None
        if self._cache is None:
            return Meter(self._model)
        return Meter(self._cache.around(self._model, trial=f"{pair.task_id}/{pair.trial}"))

    def _end(self, act: _Act, rollout: Rollout) -> Trial:
        if rollout.backend_error:
            return act.masked(BackendError(rollout.backend_error))
        recorder = self._env
        trajectory = recorder.line if isinstance(recorder, RecordTrajectories) else None
        return Trial(act.scored(rollout), trajectory, act.usage.unpriced)


class _Act:
    """One trial while it is played."""

    def __init__(
        self, task: Task, trial: int, seed: int, policy: AnyPolicy, meter: Meter | None, options: Mapping[str, Any]
    ) -> None:
        self._task, self._trial, self._seed, self._meter = task, trial, seed, meter
        self.policy = policy
        self.start: dict[str, Any] = {"seed": seed, "task": task, "options": options}
        self._clock = time.perf_counter()

    @property
    def usage(self) -> Usage:
        return usage_of(self.policy) if self._meter is None else self._meter.usage

    def scored(self, rollout: Rollout) -> TrialResult:
        return self._result(**outcome(rollout))

    def masked(self, error: BackendError) -> Trial:
        return Trial(self._result(status="masked", reason=masked_reason(error)), None, self.usage.unpriced)

    def _result(self, **values: Any) -> TrialResult:
        seconds = time.perf_counter() - self._clock
        return trial_result(self._task, self._trial, self._seed, self.usage, seconds=seconds, **values)


class Meter:
    """A model that counts what one trial uses of it.

    Args:
        model: The model.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.usage = Usage()

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model.name

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Pass the request on and count the reply."""
        reply = await self._model.complete(request)
        self.usage += reply.usage
        return reply

    async def aclose(self) -> None:
        """The model is not the trial's to close."""


def trial_result(task: Task, trial: int, seed: int, usage: Usage, *, seconds: float, **values: Any) -> TrialResult:
    """The result of a trial.

    Args:
        task: The task.
        trial: Number of the trial.
        seed: Its seed.
        usage: Tokens and cost.
        seconds: Wall time.
        **values: What the episode says, see :func:`outcome`, or why it is masked.
    """
    return TrialResult(
        task_id=task.id,
        trial=trial,
        family=task.family,
        tier=task.tier,
        pattern=task.pattern,
        params=task.params,
        oracle_calls=len(task.oracle),
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost=usage.cost + usage.replayed_cost,
        seconds=round(seconds, 6),
        episode_seed=seed,
        **values,
    )


def masked_reason(error: BackendError) -> str:
    """Why a trial is masked.

    Raises:
        OutOfBudget: A limit was reached: it is to be played again.
    """
    if isinstance(error, ModelError) and error.kind == "budget":
        raise OutOfBudget(str(error)) from error
    return f"{type(error).__name__}: {error}"


@contextmanager
def no_exit() -> Iterator[None]:
    """Make a bug of the attempt of a policy, or of what it calls, to end the process."""
    try:
        yield
    except SystemExit as error:
        raise RuntimeError(f"sys.exit({error.code!r}) was called") from error


def outcome(rollout: Rollout) -> dict[str, Any]:
    """What a played episode says of the agent, as fields of a :class:`~opsgym.evaluate.results.TrialResult`."""
    verdict = rollout.verdict
    every = verdict.get("checks", ())
    constraints = [check for check in every if check["dimension"] == "constraint"] or every
    statuses = Counter(check["status"] for check in every)
    return {
        "score": rollout.reward,
        "is_success": rollout.is_success,
        "clean": bool(verdict) and all(check["status"] != "fail" for check in constraints),
        "perfect": verdict.get("reward") == 1,
        "optimality": verdict.get("scores", {}).get("optimality"),
        "refused": verdict.get("metrics", {}).get("refused"),
        "terminated": rollout.terminated,
        "checks_passed": statuses["pass"],
        "checks_applicable": statuses["pass"] + statuses["fail"],
        "failed_rules": tuple(sorted({check["rule"] for check in every if check["status"] == "fail"})),
        "failure_families": tuple(sorted(verdict.get("failure_families", ()))),
        "calls": rollout.calls,
        "turns": len(rollout.turns),
        "errors": rollout.errors,
        "faults": rollout.faults,
    }
