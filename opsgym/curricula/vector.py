"""CurriculumVectorEnv: a batch of environments that share one curriculum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from opsgym.core.errors import TaskError
from opsgym.curricula.desk import Desk, Source
from opsgym.curricula.sampler import Sampler
from opsgym.curricula.server import Server
from opsgym.curricula.wrapper import CurriculumWrapper
from opsgym.vector import Mode, ToolVectorEnv

__all__ = ["CurriculumVectorEnv"]

Env = gym.Env[Any, Any]


class CurriculumVectorEnv(ToolVectorEnv):
    """:class:`~opsgym.vector.ToolVectorEnv` whose environments draw their tasks from one sampler.

    **How tickets travel.**  Gymnasium's autoreset calls ``reset`` without options, and with ``reset_mask`` it hands the same
    options to all environments, so tickets cannot come from outside.  Each environment holds a :class:`CurriculumWrapper`
    that draws its own when it is reset, by whomever: in the next step (``NEXT_STEP``; that step's action is not used and
    nothing is told twice), in the same step (``SAME_STEP``; ``infos["final_info"]`` names the ticket that ended, ``infos``
    the new one), or by you (``DISABLED``).

    In one process (``"sync"``) the wrappers share a desk; tickets go to environments in their order, and a run is
    deterministic.  In processes (``"async"``) the sampler stays here and a :class:`Server` hands out trials; which
    environment gets which ticket then depends on who asks first, and ``desk.log`` says what happened.

    Args:
        env: An id such as ``"ERPBench-v0"``, or its spec.
        source: A sampler, a desk, or another :class:`~opsgym.curricula.desk.Source` that workers can use.
        num_envs: Number of environments.
        wrappers: Inside the curriculum's, innermost first.
        vectorization_mode: ``"sync"`` or ``"async"``.
        autoreset_mode: When an ended environment starts anew.
        context: How processes are started; a thread answers them, so ``"spawn"`` or ``"forkserver"`` are the safe ones.
        **kwargs: Arguments of each environment.

    Raises:
        RegistryError: Unknown id or mode.
        TaskError: As for :class:`~opsgym.vector.ToolVectorEnv`.

    Example:
        >>> from opsgym.curricula import TaskSpace, Uniform
        >>> space = TaskSpace.of("ACEBench-v0", {"hidden": (1, 3)}, fixed={"tier": "easy", "rows": 3, "cols": 3})
        >>> envs = CurriculumVectorEnv("ACEBench-v0", Uniform(space), num_envs=2, cache=None)
        >>> briefs, infos = envs.reset()
        >>> infos["ticket_id"].tolist()
        [0, 1]
        >>> for _ in range(2):
        ...     observations, rewards, terminated, truncated, infos = envs.step(('{"name": "done"}', "look"))
        >>> infos["ticket_id"].tolist(), envs.desk.sampler.metrics()["done"]
        ([2, 0], 1.0)
        >>> envs.close()
    """

    def __init__(
        self,
        env: str | EnvSpec,
        source: Sampler | Source,
        *,
        num_envs: int = 1,
        wrappers: Sequence[Callable[[Env], Env]] = (),
        vectorization_mode: Mode = "sync",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        context: str | None = None,
        **kwargs: Any,
    ) -> None:
        shared: Source = Desk(source) if isinstance(source, Sampler) else source
        self._desk = shared if isinstance(shared, Desk) else None
        self._server = Server(shared) if isinstance(shared, Desk) and vectorization_mode == "async" else None
        given: Source = shared if self._server is None else self._server.client()
        try:
            super().__init__(
                env,
                num_envs=num_envs,
                wrappers=[*wrappers, partial(CurriculumWrapper, source=given)],
                vectorization_mode=vectorization_mode,
                autoreset_mode=autoreset_mode,
                context=context,
                **kwargs,
            )
        except BaseException:
            self._stop()
            raise

    @property
    def desk(self) -> Desk:
        """The desk in this process, with the sampler.

        Raises:
            TaskError: The source is elsewhere.
        """
        if self._desk is None:
            raise TaskError("the sampler is in another process; ask its source", field="source")
        return self._desk

    def close(self, **kwargs: Any) -> None:
        """Close the environments, then the server; running episodes are told as lost."""
        super().close(**kwargs)
        self._stop()

    def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
