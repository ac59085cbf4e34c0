"""Booking: a task's reference solution as requests of JSON-2, which need no tool of ours."""

from __future__ import annotations

import json

from opsgym.core.errors import RegistryError, TaskError, ToolError
from opsgym.core.task import JsonDict, Task, canonical_json
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.erp_bench.raw_calls import raw_calls
from opsgym.envs.erp_bench.world import open_world


def json2_calls(task: Task) -> list[JsonDict]:
    """The requests that book a task's oracle, in order: ``model``, ``method``, ``body`` as it is posted, and what it ``returns``.

    Worlds open equal, so the ids are those that every server of the task has.

    Raises:
        TaskError: The ERP refuses a call of the oracle.
    """
    try:
        calls = [call.arguments for call in raw_calls(task) if call.name == "call"]
    except (ToolError, RegistryError) as error:
        raise TaskError(f"expected calls that the ERP carries out: {error}", field="oracle") from error
    erp = Erp(open_world(scenario_of(task)))
    try:
        return [_request(erp, **call) for call in calls]
    finally:
        erp.world.close()


def _request(erp: Erp, model: str, method: str, ids: list[int] | None = None, kwargs: JsonDict | None = None) -> JsonDict:
    body = {**({"ids": ids} if ids else {}), **(kwargs or {})}
    returns = erp.call(model, method, ids or (), **(kwargs or {}))
    return {"model": model, "method": method, "body": body, "returns": json.loads(canonical_json(returns))}
