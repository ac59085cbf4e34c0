"""Tasks for the tests of Harbor's directories: of the fixed set, so that nothing is solved."""

from __future__ import annotations

from opsgym.core.task import Task, ToolCall
from opsgym.data.fixed_sets import shipped
from opsgym.envs.erp_bench.family import ErpBenchFamily


def fixed(*indices: int) -> list[Task]:
    """Tasks at places of the fixed set."""
    pack = shipped(ErpBenchFamily(), "test")
    assert pack is not None
    return [pack[index] for index in indices]


def changed(task: Task, **values: object) -> Task:
    """The task with other values, and so another id."""
    return Task.model_validate({**task.model_dump(exclude={"id"}), **values})


def idle(task: Task, **values: object) -> Task:
    """The task with a solution that does nothing, which is exported in no time."""
    return changed(task, oracle=(ToolCall(name="submit"),), **values)
