"""EmbeddedBackend: the ERP in memory, behind the protocol that all backends share."""

from __future__ import annotations

from typing import Self

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import ToolResult
from opsgym.core.world import World
from opsgym.envs.erp_bench.backends.protocol import ALL, TOOLS, Capability, require
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.export import Baseline, baseline_of, export_state
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.erp_bench.state import ErpState
from opsgym.envs.erp_bench.world import open_world


class EmbeddedBackend:
    """The ERP that ships with OpsGym: in memory, on any day, and undone where a call fails."""

    name = "embedded"
    capabilities: frozenset[Capability] = ALL

    def __init__(self) -> None:
        self._open: tuple[Baseline, World] | None = None

    def adapt(self, task: Task) -> Task:
        """The task itself."""
        return task

    def reset(self, task: Task) -> None:
        """See :meth:`~opsgym.envs.erp_bench.backends.protocol.ErpBackend.reset`."""
        require(self, task)
        world = open_world(scenario_of(task))
        self.close()
        self._open = baseline_of(world), world

    def apply(self, call: ToolCall) -> ToolResult:
        """See :meth:`~opsgym.envs.erp_bench.backends.protocol.ErpBackend.apply`."""
        _, world = self._seeded
        try:
            tool = TOOLS.find(call.name)
            arguments = tool.validate(call.arguments)
            with world.savepoint():
                return ToolResult(tool.name, tool.function(Erp(world), **arguments))
        except ToolError as error:
            return ToolResult(call.name, error=error)

    def snapshot(self) -> ErpState:
        """See :meth:`~opsgym.envs.erp_bench.backends.protocol.ErpBackend.snapshot`."""
        return export_state(*self._seeded)

    @property
    def world(self) -> World:
        """The present world; for programmers."""
        return self._seeded[1]

    @property
    def _seeded(self) -> tuple[Baseline, World]:
        if self._open is None:
            raise TaskError("the backend holds no task; call reset() first", field="backend")
        return self._open

    def close(self) -> None:
        """Free the world."""
        if self._open is not None:
            self._open[1].close()
        self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
