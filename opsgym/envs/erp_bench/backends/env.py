"""HostedEnv: a ToolEnv whose episodes may be played on a backend in place of the embedded ERP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from opsgym.core.errors import BackendError, OpsGymError, ToolError
from opsgym.core.task import Task, ToolCall
from opsgym.core.verify import Verdict
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.middleware import Reply, answer
from opsgym.envs.supply import TasksArgument, TaskSupply
from opsgym.envs.tool_env import ToolEnv, _Template

if TYPE_CHECKING:
    from opsgym.envs.erp_bench.backends.protocol import ErpBackend


@dataclass(frozen=True, slots=True)
class Seed:
    """The start of a task on a backend: all that can be returned to there."""

    backend: ErpBackend
    task: Task

    @property
    def schema(self) -> str:
        """The kind of backend."""
        return f"backend {self.backend.name}"

    def open(self) -> HostedWorld:
        """The backend, seeded anew."""
        self.backend.reset(self.task)
        return HostedWorld(self.backend)


@dataclass(frozen=True, slots=True)
class HostedWorld:
    """The records of a backend as far as an environment asks for them; the backend stays its owner's."""

    backend: ErpBackend

    @property
    def schema(self) -> str:
        """The kind of backend."""
        return f"backend {self.backend.name}"

    def snapshot(self) -> NoReturn:
        """Refused: what is booked in another system can only be seeded anew."""
        raise OpsGymError(f"the backend {self.backend.name!r} has no snapshots; only reset() returns to a known state")

    def restore(self, snapshot: Seed) -> None:
        """Seed the backend anew."""
        snapshot.backend.reset(snapshot.task)

    def fork(self) -> Self:
        """Refused like a snapshot."""
        self.snapshot()

    def savepoint(self) -> AbstractContextManager[object]:
        """Nothing: calls on a backend are whole by themselves."""
        return nullcontext()

    def digest(self) -> str:
        """See :func:`~opsgym.envs.erp_bench.backends.protocol.fingerprint`."""
        from opsgym.envs.erp_bench.backends.protocol import fingerprint

        return fingerprint(self.backend.snapshot())

    def check(self) -> list[str]:
        """Nothing: the other system looks after its records."""
        return []

    def close(self) -> None:
        """Nothing: whoever made the backend closes it."""


class _HostedFamily(ErpBenchFamily):
    """The family on a backend."""

    def __init__(self, backend: ErpBackend) -> None:
        self._backend = backend

    def session(self, world: Any, task: Task) -> Any:
        """Nothing: the tools act on the backend's own session."""

    def verify(self, before: Any, after: Any, task: Task) -> Verdict:
        """The verifier's judgement of the backend's state."""
        from opsgym.envs.erp_bench.backends.protocol import verdict_of

        return verdict_of(self._backend, task)

    def score(self, before: Any, after: Any, task: Task) -> float:
        """The dense potential of the backend's state."""
        return self.reward(self.verify(before, after, task), "dense")

    def render(self, world: Any, task: Task) -> str:
        """The documents in the backend, a line each."""
        return self.listing(self._backend.snapshot())

    def candidates(self, session: Any, task: Task) -> Sequence[ToolCall] | None:
        """None: they would have to be enumerated in the backend."""
        return None


class _HostedSupply(TaskSupply):
    """The tasks of another supply as a backend can play them."""

    def __init__(self, backend: ErpBackend, supply: TaskSupply, *, tasks: TasksArgument) -> None:
        super().__init__(supply.family, supply.selection, tasks=tasks, cache=supply.cache)
        self._backend = backend

    def pick(self, rng: np.random.Generator, options: Mapping[str, Any]) -> Task:
        """See :meth:`~opsgym.envs.supply.TaskSupply.pick`."""
        return self._backend.adapt(super().pick(rng, options))


class HostedEnv(ToolEnv):
    """A ToolEnv of ERPBench that plays on a backend where one is given.

    Args:
        backend: The ERP to play on, or ``None`` for the embedded one.  It serves one environment at a time, and is left open
            when that is closed.
        **arguments: Arguments of :class:`~opsgym.envs.tool_env.ToolEnv`.
    """

    def __init__(self, *, backend: ErpBackend | None = None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._backend = backend
        if backend is not None:
            self._arguments["backend"] = backend
            self.family = _HostedFamily(backend)  # type: ignore[misc]  # this environment's own, in place of its class's
            self.supply = _HostedSupply(backend, self.supply, tasks=arguments.get("tasks"))

    def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """See :meth:`~opsgym.envs.tool_env.ToolEnv.step`; a backend that breaks while it is judged marks the episode too."""
        try:
            return super().step(action)
        except BackendError as error:
            self.episode.turns.pop()
            return self._break_off(action, error)

    def _execute(self, call: ToolCall) -> Reply:
        if self._backend is None or call.name not in self.family.toolbox(self.harness):
            return super()._execute(call)
        try:
            tool = self._toolbox.find(call.name)
        except ToolError as error:  # a layer may have taken it away
            return self._refuse(error, call.name)
        result = self._backend.apply(call)
        self._running.changes += result.ok and tool.mutates
        return answer(result)

    def _template(self, task: Task) -> _Template:
        return super()._template(task) if self._backend is None else _Template(Seed(self._backend, task), None)
