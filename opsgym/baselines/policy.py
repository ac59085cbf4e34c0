"""Policies: what answers observations with actions, at once or after waiting for others."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Protocol, TypeGuard

from opsgym.baselines.chat import Usage
from opsgym.envs.tool_env import ToolEnv

__all__ = ["AsyncPolicy", "Policy", "is_async", "usage_of"]


class Policy(Protocol):
    """Answers observations with actions, one episode after another.

    One that pays for tokens also has a ``usage`` of type :class:`~opsgym.baselines.chat.Usage`: what the running episode has
    used so far.
    """

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Start an episode.

        Args:
            env: The environment, just reset.  A fair policy does not look at ``env.task``.
            observation: The brief.
            info: Info of the reset.
        """

    def act(self, observation: str) -> Any:
        """The next action.

        Args:
            observation: The latest observation; at the first call the brief.
        """


class AsyncPolicy(Protocol):
    """A :class:`Policy` that waits for others, such as a language model's server."""

    async def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """As :meth:`Policy.begin`."""

    async def act(self, observation: str) -> Any:
        """As :meth:`Policy.act`.

        Raises:
            ModelError: The model's server gave no answer: nobody's fault but the server's.
        """


def is_async(policy: Policy | AsyncPolicy) -> TypeGuard[AsyncPolicy]:
    """Whether a policy is to be awaited."""
    return inspect.iscoroutinefunction(policy.act)


def usage_of(policy: Policy | AsyncPolicy) -> Usage:
    """Tokens and cost of the policy's running episode; nothing for one that keeps no count."""
    usage = getattr(policy, "usage", None)
    return usage if isinstance(usage, Usage) else Usage()
