"""ToolVectorEnv: a batch of environments with their wrappers, in this process or one process each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.async_vector_env import AsyncState
from gymnasium.wrappers import Autoreset
from numpy.typing import NDArray

import opsgym
from opsgym.core.errors import BackendError, RegistryError, TaskError
from opsgym.core.spaces import UnicodeText
from opsgym.envs.vector import TextSyncVectorEnv, refuse_ended
from opsgym.wrappers.base import tool_env

__all__ = ["ToolVectorEnv"]

Mode = Literal["sync", "async"]
Env = gym.Env[Any, Any]
Wrap = Callable[[Env], Env]


class ToolVectorEnv(VectorWrapper[Any, Any, Any, Any, NDArray[Any]]):
    """A batch of environments, each inside its own wrappers.

    Faults, budgets, shaped rewards and recording are inside: they depend on an environment's own task and history, so that an
    environment plays the same alone, in a batch and in a process of its own.  Observations of text are a tuple of text, passed
    on as it is; the infos are batched as Gymnasium does.  ``metadata["autoreset_mode"]`` says when an ended environment
    starts anew; in every mode the infos of an episode's end reach the caller.

    With ``vectorization_mode="async"`` this is Gymnasium's ``AsyncVectorEnv`` without shared memory, which text does not fit
    into.  There a bare ``AsyncVectorEnv`` with ``NEXT_STEP`` resets twice when ``reset`` is called after an
    episode's end, and drops an action; here it does not.

    Args:
        env: An id such as ``"ERPBench-v0"``, or its spec.
        num_envs: Number of environments.
        wrappers: Put around each environment, innermost first: functions from an environment to an environment, such as
            ``functools.partial(ToolFailureInjection, rate=0.3)``.  All may record to one file.
        vectorization_mode: ``"sync"``: in turn, in this process, with its caches; ``"async"``: one process each.
        autoreset_mode: When an ended environment starts anew: ``NEXT_STEP``, ``SAME_STEP`` or ``DISABLED``.
        context: How processes are started: ``"fork"``, ``"forkserver"`` or ``"spawn"``; by default as Python does.
        **kwargs: Arguments of each environment.

    Raises:
        RegistryError: Unknown id or mode.
        TaskError: ``num_envs`` is not positive, it is no environment of tool calls, a limit of steps was given from outside,
            or the order of the wrappers makes no sense.

    Example:
        >>> from functools import partial
        >>> from opsgym.wrappers import ToolFailureInjection
        >>> faults = partial(ToolFailureInjection, rate=1.0, kinds=["timeout"], max_blocked_submits=1)
        >>> envs = ToolVectorEnv("ERPBench-v0", num_envs=2, wrappers=[faults], tier="easy", cache=None)
        >>> briefs, infos = envs.reset(seed=[7, 7])
        >>> briefs[0] == briefs[1], envs.metadata["autoreset_mode"].name
        (True, 'NEXT_STEP')
        >>> for _ in range(2):
        ...     observations, rewards, terminated, truncated, infos = envs.step(('{"name": "submit"}', '{"name": "get_stock"}'))
        >>> terminated.tolist(), infos["faults"]["outcome"].tolist()
        ([True, False], ['faulted', None])
        >>> envs.close()
    """

    def __init__(
        self,
        env: str | EnvSpec,
        *,
        num_envs: int = 1,
        wrappers: Sequence[Wrap] = (),
        vectorization_mode: Mode = "sync",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        context: str | None = None,
        **kwargs: Any,
    ) -> None:
        if num_envs < 1:
            raise TaskError(f"expected at least one environment, got {num_envs}", field="num_envs")
        if vectorization_mode not in get_args(Mode):
            raise RegistryError("vectorization mode", vectorization_mode, get_args(Mode))
        if "max_episode_steps" in kwargs:
            message = "it cuts from outside, so that no verdict is computed; use max_steps"
            raise TaskError(message, field="max_episode_steps")
        mode = AutoresetMode(autoreset_mode)
        make = partial(_make, _spec(env), tuple(wrappers), kwargs)
        super().__init__(_sync(make, num_envs, mode) if vectorization_mode == "sync" else _async(make, num_envs, mode, context))
        self.metadata = {**self.env.metadata, "autoreset_mode": mode}
        numbered = isinstance(self.single_action_space, gym.spaces.Discrete)
        self._masked = numbered and all(self.call("has_wrapper_attr", "action_masks"))
        self._begun = False
        self._over: NDArray[np.bool_] = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes.

        Args:
            seed: A seed for each environment, or one from which they count on.
            options: As for each environment; with ``DISABLED`` a ``reset_mask`` says which start anew.

        Raises:
            BackendError: The process of an environment is gone.
        """
        mask = None if options is None else options.get("reset_mask")
        found: tuple[Any, dict[str, Any]] = self._ask(lambda: self.env.reset(seed=seed, options=options))  # type: ignore[arg-type]  # a tuple of seeds is as good
        self._begun, self._over = True, np.zeros(self.num_envs, np.bool_) if mask is None else self._over & ~mask
        return found

    def step(self, actions: Any) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """A step of every environment; where it is refused, none has made it.

        Raises:
            ResetNeeded: There are no episodes yet.
            EpisodeOver: With ``DISABLED``, episodes have ended that were not started anew; says which.
            BackendError: The process of an environment is gone.
        """
        if not self._begun:
            raise ResetNeeded("there are no episodes yet; call reset() first")
        if self.metadata["autoreset_mode"] is AutoresetMode.DISABLED:
            refuse_ended(self._over)
        found: tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]] = self._ask(lambda: self.env.step(actions))
        self._over = found[2] | found[3]
        return found

    def _ask(self, ask: Callable[[], Any]) -> Any:
        """An answer of the environments; one that fails for good ends the batch, in processes as Gymnasium does."""
        try:
            return ask()
        except (EOFError, ConnectionError) as error:
            self.env.close(terminate=True)
            raise BackendError("the process of an environment was ended from outside or crashed; make the batch anew") from error

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions each environment allows now: a row an environment, as MaskablePPO asks for it.

        Raises:
            TaskError: The environments have no masks.
        """
        if not self._masked:
            raise TaskError("the environments have no masks: put DiscreteToolActions around them", field="wrappers")
        return np.stack(self.call("action_masks"))

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What a method or attribute of every environment gives; see Gymnasium's ``AsyncVectorEnv.call``."""
        return self.env.call(name, *args, **kwargs)  # type: ignore[attr-defined,no-any-return]  # both kinds have it


def _spec(env: str | EnvSpec) -> EnvSpec:
    spec = gym.registry.get(env) if isinstance(env, str) else env
    if spec is None:
        raise RegistryError("environment", str(env), opsgym.ENV_IDS)
    return spec


def _make(spec: EnvSpec, wrappers: Sequence[Wrap], kwargs: Mapping[str, Any]) -> Env:
    env: Env = gym.make(spec, disable_env_checker=True, **kwargs)
    tool_env(env)
    for wrap in wrappers:
        env = wrap(env)
    return env


def _sync(make: Callable[[], Env], num_envs: int, mode: AutoresetMode) -> VectorEnv[Any, Any, NDArray[Any]]:
    return TextSyncVectorEnv([make] * num_envs, autoreset_mode=mode)


def _async(make: Callable[[], Env], num_envs: int, mode: AutoresetMode, context: str | None) -> VectorEnv[Any, Any, NDArray[Any]]:
    # Without shared memory Gymnasium's worker forgets that a reset has come; its wrapper Autoreset does not.
    inside = mode is AutoresetMode.NEXT_STEP
    envs = _ProcessVectorEnv(
        [partial(_autoreset, make) if inside else make] * num_envs,
        shared_memory=False,
        copy=False,
        context=context,
        autoreset_mode=AutoresetMode.DISABLED if inside else mode,
    )
    envs.copy = not isinstance(envs.single_observation_space, UnicodeText)
    return envs


def _autoreset(make: Callable[[], Env]) -> Env:
    return Autoreset(make())


class _ProcessVectorEnv(AsyncVectorEnv[Any, Any]):
    """Gymnasium's, but the exception of an environment reaches the caller as it is, and ends the batch."""

    def _raise_if_errors(self, successes: Iterable[bool]) -> None:
        failed = list(successes).count(False)
        if failed:
            errors = sorted((self.error_queue.get() for _ in range(failed)), key=lambda each: each[0])
            self._state = AsyncState.DEFAULT
            self.close(terminate=True)
            raise errors[0][2]
