"""Blocking: an agent as a plain policy, for notebooks and loops without asyncio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from typing import Any, Self, TypeVar

from opsgym.baselines.chat import Usage
from opsgym.baselines.policy import AsyncPolicy, usage_of
from opsgym.envs.tool_env import ToolEnv

__all__ = ["Blocking"]

T = TypeVar("T")


class Blocking:
    """Makes a policy that waits for others a plain one, which keeps the caller waiting.

    It works in an event loop and a thread of its own, so that it also serves where a loop runs already, as in a notebook.
    Close it at the end, or use it as a context manager.

    Args:
        policy: The policy that waits.

    Example:
        >>> class Patient:
        ...     async def begin(self, env, observation, info): ...
        ...     async def act(self, observation):
        ...         return observation.upper()
        >>> with Blocking(Patient()) as policy:
        ...     policy.begin(None, "", {})
        ...     policy.act("yes")
        'YES'
    """

    def __init__(self, policy: AsyncPolicy) -> None:
        self._policy = policy
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="opsgym-blocking", daemon=True)
        self._thread.start()

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """As :meth:`Policy.begin <opsgym.baselines.policy.Policy.begin>`."""
        self.wait(self._policy.begin(env, observation, info))

    def act(self, observation: str) -> Any:
        """As :meth:`Policy.act <opsgym.baselines.policy.Policy.act>`."""
        return self.wait(self._policy.act(observation))

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of any coroutine in the policy's loop, for example of its model's ``aclose()``."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    @property
    def usage(self) -> Usage:
        """See :func:`~opsgym.baselines.policy.usage_of`."""
        return usage_of(self._policy)

    def close(self) -> None:
        """Stop the loop; a second call does nothing."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
