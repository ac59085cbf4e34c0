"""ToolSyncVectorEnv: several ToolEnvs stepped in turn, as ``gymnasium.make_vec`` makes them by default.

:class:`opsgym.vector.ToolVectorEnv` takes wrappers and processes too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from opsgym.core.errors import EpisodeOver, TaskError
from opsgym.core.spaces import UnicodeText
from opsgym.envs.tool_env import ToolEnv


class TextSyncVectorEnv(SyncVectorEnv[Any, Any]):
    """Environments stepped in turn: text is passed on as it is, nothing encoded, copied or cut; other observations are copied.

    Args:
        env_fns: Make the environments.
        autoreset_mode: When an ended environment starts anew.
    """

    def __init__(self, env_fns: Sequence[Callable[[], gym.Env[Any, Any]]], *, autoreset_mode: str | AutoresetMode) -> None:
        super().__init__(env_fns, copy=False, autoreset_mode=autoreset_mode)
        self.copy = not isinstance(self.single_observation_space, UnicodeText)

    def step(self, actions: Any) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """A step of every environment.

        Raises:
            EpisodeOver: With ``DISABLED``, episodes have ended that were not started anew; says which.
        """
        if self.autoreset_mode is AutoresetMode.DISABLED:
            refuse_ended(self._autoreset_envs)
        return super().step(actions)


def refuse_ended(over: NDArray[np.bool_]) -> None:
    """Refuse a step of a batch in which episodes have ended.

    Raises:
        EpisodeOver: Names them.
    """
    if over.any():
        ended = ", ".join(map(str, np.flatnonzero(over)))
        message = f"the episodes of environments {ended} have ended; call reset() with a reset_mask of these in its options"
        raise EpisodeOver(message)


class ToolSyncVectorEnv(TextSyncVectorEnv):
    """A batch of environments of one family; observations and actions are tuples of text.

    Subclasses name their :attr:`env_type`; it is the ``vector_entry_point`` of the family's id.  The environments share the
    process's caches, so that a group of episodes of one task compiles and seeds it once.

    Args:
        num_envs: Number of environments.
        max_episode_steps: Upper limit of ``max_steps``; counts inside the environment, so that the verdict is computed.
        autoreset_mode: When an ended environment starts anew; all three modes of Gymnasium are tested.
        **kwargs: Arguments of the environment.
    """

    env_type: ClassVar[type[ToolEnv]]

    def __init__(
        self,
        *,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **kwargs: Any,
    ) -> None:
        if num_envs < 1:
            raise TaskError(f"expected at least one environment, got {num_envs}", field="num_envs")
        if max_episode_steps is not None and max_episode_steps > 0:
            budget = kwargs.get("max_steps") or self.env_type.family.max_steps
            kwargs["max_steps"] = min(budget, max_episode_steps)
        super().__init__([lambda: self.env_type(**kwargs)] * num_envs, autoreset_mode=autoreset_mode)

    def __iter__(self) -> Iterator[ToolEnv]:
        return iter(self.envs)  # type: ignore[arg-type]  # they are of env_type
