"""Raw calls: what business tools do, as calls of the ERP's own API.

Every business tool changes the ERP through that API only, so a list of tool calls can be written down as the API calls
that it leads to.  The ids in them are those of the task's world, where records get the same ids in every copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from opsgym.core.task import Task, ToolCall
from opsgym.core.world import World
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.erp_bench.tools import toolbox
from opsgym.envs.erp_bench.world import open_world


def raw_calls(task: Task, calls: Iterable[ToolCall] | None = None) -> list[ToolCall]:
    """Calls of harness ``"api"`` that change a fresh world of ``task`` as ``calls`` of harness ``"tools"`` do.

    Args:
        task: The task.
        calls: Calls of business tools; by default the task's oracle.  Those that only read are left out.

    Raises:
        RegistryError: A tool does not exist.
        ToolError: The ERP refuses a call.

    Example:
        >>> from opsgym.data.fixed_sets import shipped
        >>> from opsgym.envs.erp_bench.family import ErpBenchFamily
        >>> task = shipped(ErpBenchFamily(), "test")[0]
        >>> first = raw_calls(task)[0].arguments
        >>> first["model"], first["method"]
        ('sale.order', 'create')
    """
    tools = toolbox("tools")
    erp = _Recorder(open_world(scenario_of(task)))
    try:
        for call in task.oracle if calls is None else calls:
            tool = tools.find(call.name)
            if tool.terminal:
                erp.made.append(call)
                break
            tool.function(erp, **tool.validate(call.arguments))
    finally:
        erp.world.close()
    return erp.made


class _Recorder(Erp):
    """An ERP that keeps the calls that may have changed it."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.made: list[ToolCall] = []

    def call(
        self, model: str, method: str, /, ids: Sequence[int] | int = (), context: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> Any:
        arguments: dict[str, Any] = {"model": model, "method": method}
        if ids:
            arguments["ids"] = list(ids) if isinstance(ids, Sequence) else [ids]
        given = deepcopy(kwargs) if context is None else {**deepcopy(kwargs), "context": dict(context)}
        if given:
            arguments["kwargs"] = given
        result = super().call(model, method, ids, context, **kwargs)
        if self[model].methods[method].mutates:
            self.made.append(ToolCall(name="call", arguments=arguments))
        return result
