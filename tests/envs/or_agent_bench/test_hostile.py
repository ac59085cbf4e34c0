"""Plans that keep the schema and mean harm: unknown names, negative and huge numbers, empty and doubled lists."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from opsgym.envs.or_agent_bench.catalogue import NAMES
from opsgym.envs.or_agent_bench.sampler import Drawn, read_plan, seen
from tests.envs.or_agent_bench.conftest import drawn

HUGE = 10**30


def spots(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The first two entries of every list, and everything in them."""
    if path:
        yield path, value
    parts = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, part in parts:
        yield from spots(part, (*path, key))


def instead(value: Any) -> list[Any]:
    """Hostile values of the same type."""
    if isinstance(value, list):
        return [[], value * 2, value[:1] * 3]
    if isinstance(value, str):
        return ["", "Nowhere", f"{value}-C", f"{value} ", "\u0000"]
    return [0, -1, HUGE, -HUGE] if type(value) is int else []


def hostile(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path, value in spots(plan):
        for other in instead(value):
            changed = copy.deepcopy(plan)
            place: Any = changed
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = other
            yield changed


@pytest.mark.parametrize("kind", ["rich", "plain"])
@pytest.mark.parametrize("name", NAMES)
def test_hostile_plans_are_judged_and_none_beats_the_bound(name: str, kind: str) -> None:
    task: Drawn = drawn(name, kind)
    epoch = len(task.stages) - 1
    instance = seen(task.problem, task.instance, epoch, len(task.stages))
    previous = read_plan(task.problem, task.stages[epoch - 1].plan)[0] if epoch else None
    bound = task.bound
    judged = 0
    for changed in hostile(dict(task.stages[epoch].plan)):
        plan, faults = read_plan(task.problem, changed)
        if faults:
            continue
        report = task.problem.validate(instance, plan, previous)
        judged += 1
        json.dumps([report.violations, report.objective])
        if report.is_feasible and bound is not None:
            better = bound - report.objective if task.problem.sense == "min" else report.objective - bound
            assert better <= 1e-6 * max(1.0, abs(bound)), changed
    assert judged > 10
