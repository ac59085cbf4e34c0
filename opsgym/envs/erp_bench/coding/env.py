"""CodingEnv: the part of ERPBench's environment that knows the coding harness."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.envs.erp_bench.backends.env import HostedEnv
from opsgym.envs.tool_env import _Template


class CodingEnv(HostedEnv):
    """A ToolEnv of ERPBench that, under the harness ``"coding"``, adds a working folder to the world.

    Args:
        **arguments: Arguments of :class:`~opsgym.envs.erp_bench.backends.env.HostedEnv`.

    Raises:
        TaskError: The coding harness is asked for on a backend; there the ERP's own API can be used.
    """

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        if self.harness != "coding":
            return
        if self._backend is not None:
            raise TaskError("the coding harness plays on the embedded ERP only", field="backend")
        from opsgym.envs.erp_bench.coding.family import CodingFamily

        self.family = CodingFamily()  # type: ignore[misc]  # this environment's own, in place of its class's

    def _template(self, task: Task) -> _Template:
        template = super()._template(task)
        if self.harness != "coding":
            return template
        from opsgym.envs.erp_bench.coding.family import first_files
        from opsgym.envs.erp_bench.coding.world import CodingSnapshot

        return _Template(CodingSnapshot(template.snapshot, first_files()), template.baseline)  # type: ignore[arg-type]  # an ERP's
