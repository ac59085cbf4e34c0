"""ToolWrapper: the base of every wrapper here, and what is done with a whole stack of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.spaces import UnicodeText
from opsgym.envs.middleware import Middleware
from opsgym.envs.tool_env import ToolEnv
from opsgym.wrappers.compose import check_stack

__all__ = ["ToolWrapper", "fork", "known_tools", "stack", "text_limit", "tool_env"]

AnyEnv = gym.Env[Any, Any]
Step = tuple[Any, float, bool, bool, dict[str, Any]]


class ToolWrapper(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs, Middleware):
    """A Gymnasium wrapper that may also sit around the single calls of the :class:`ToolEnv` inside.

    It records its arguments, so that ``gym.make(env.spec)`` makes the stack again.  What it keeps of a running episode it
    gives by ``snapshot_state``: snapshots of the ToolEnv then hold the state of all wrappers.
    A subclass checks its arguments before it calls this constructor, so that one that is refused leaves no layer behind.
    The stack made last over an environment is the one in force; resetting an older one is an error.

    Args:
        env: A ToolEnv, wrapped or not.
        **arguments: The arguments of the subclass, to be recorded.

    Raises:
        TaskError: ``env`` is no ToolEnv, or the order of the stack makes no sense; says why.
    """

    reads_text: ClassVar[bool] = False
    """Whether the observations inside must be text."""

    def __init__(self, env: AnyEnv, **arguments: Any) -> None:
        RecordConstructorArgs.__init__(self, **arguments)
        gym.Wrapper.__init__(self, env)
        base = tool_env(env)
        inside = list(stack(env))
        check_stack(inside, self, base)
        if self.reads_text:
            text_limit(env)
        self.base: ToolEnv = base
        base.use([*(wrapper for wrapper in reversed(inside) if isinstance(wrapper, ToolWrapper)), self])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the environment inside, the arguments and the state of the episode."""
        return _remade, (type(self), self.env, self._saved_kwargs), self.snapshot_state()

    def __setstate__(self, state: Any) -> None:
        """Take up the state of the episode."""
        self.restore_state(state)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; arguments as for :meth:`ToolEnv.reset`.

        Raises:
            TaskError: Another stack was made over the same environment since.
        """
        if not any(layer is self for layer in self.base.layers):
            raise TaskError(f"another stack was made over this environment after {type(self).__name__}", field="env")
        return self.env.reset(seed=seed, options=options)

    def reset_options(self) -> dict[str, Any]:
        """Options of ``reset`` that, beside the task, make the running episode again; JSON values."""
        return {}

    def step(self, action: Any) -> Step:
        """See :meth:`ToolEnv.step`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, float(reward), terminated, truncated, info


def _remade(kind: type[ToolWrapper], env: AnyEnv, arguments: dict[str, Any]) -> ToolWrapper:
    """The wrapper that :meth:`ToolWrapper.__reduce__` describes."""
    return kind(env, **arguments)


def tool_env(env: AnyEnv) -> ToolEnv:
    """The ToolEnv inside a stack.

    Raises:
        TaskError: There is another environment.
    """
    base = env.unwrapped
    if not isinstance(base, ToolEnv):
        raise TaskError(f"expected a ToolEnv, got {type(base).__name__}", field="env")
    return base


def text_limit(env: AnyEnv) -> int:
    """Greatest length of an environment's observations.

    Raises:
        TaskError: They are not text.
    """
    space = env.observation_space
    if not isinstance(space, UnicodeText):
        raise TaskError(f"expected observations of text, got {space!r}", field="env")
    return int(space.max_length)


def known_tools(env: AnyEnv, names: Iterable[str]) -> None:
    """Refuse names that are neither tools of the environment nor ``"*"``.

    Raises:
        RegistryError: Names the first unknown one.
        TaskError: There is no ToolEnv.
    """
    known = ["*", *tool_env(env).tools]
    for name in names:
        if name not in known:
            raise RegistryError("tool", name, known)


def stack(env: AnyEnv) -> Iterator[gym.Wrapper[Any, Any, Any, Any]]:
    """The wrappers of an environment, outermost first."""
    while isinstance(env, gym.Wrapper):
        yield env
        env = env.env


def fork(env: AnyEnv) -> AnyEnv:
    """A copy of an environment and its wrappers in the same state; the two go on independently.

    Gymnasium's own checks (``OrderEnforcing``, ``PassiveEnvChecker``) are left out of the copy.

    Raises:
        TaskError: One of the wrappers is of another library, so that its state is not known.
    """
    base = tool_env(env)
    twin: AnyEnv = base.fork()
    for wrapper in reversed(list(stack(env))):
        if isinstance(wrapper, ToolWrapper):
            twin = type(wrapper)(twin, **wrapper._saved_kwargs)
        elif not isinstance(wrapper, OrderEnforcing | PassiveEnvChecker):
            raise TaskError(f"cannot fork {type(wrapper).__name__}: its state is not known", field="env")
    tool_env(twin).restore(base.snapshot())
    return twin
