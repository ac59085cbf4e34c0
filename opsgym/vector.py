"""ToolVectorEnv: a batch of environments with their wrappers, in this process or one process each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.wrappers import Autoreset
from numpy.typing import NDArray

import opsgym
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.spaces import UnicodeText
from opsgym.envs.vector import TextSyncVectorEnv
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
    envs: AsyncVectorEnv[Any, Any] = AsyncVectorEnv(
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
