"""The same calls lead to the same world and the same verdict through every door."""

from __future__ import annotations

from functools import cache

import pytest

from opsgym.core.task import Task, ToolCall
from opsgym.serve import ErpServer
from tests.serve.conftest import fixed
from tests.serve.doors import DOORS, Outcome, tools

TASKS = range(7, 300, 15)
"""Places in the fixed set: 20 tasks, of nearly as many patterns."""
SMALL = (0, 6, 15, 30, 45, 286, 288, 290, 292, 294)
"""Ten tasks with few documents, repairs among them: Odoo's client connects anew for every call."""


@cache
def expected(index: int, share: float = 1.0) -> Outcome:
    """What the business tools make of an oracle, or of its first calls."""
    return tools(fixed(index), part(fixed(index), share), None)


def part(task: Task, share: float) -> list[ToolCall]:
    """The first calls of a task's oracle, and the last, which submits."""
    return [*task.oracle[: round(share * (len(task.oracle) - 1))], task.oracle[-1]]


@pytest.mark.parametrize("name", [name for name in DOORS if name not in ("tools", "odoo_client")])
@pytest.mark.parametrize("index", TASKS)
def test_an_oracle_ends_the_same_through_every_door(server: ErpServer, name: str, index: int) -> None:
    task = fixed(index)
    outcome = DOORS[name](task, task.oracle, server)
    assert outcome == expected(index)
    assert outcome.reward == 1.0


@pytest.mark.parametrize("name", [name for name in DOORS if name not in ("tools", "odoo_client")])
def test_half_a_plan_ends_the_same_through_every_door(server: ErpServer, name: str) -> None:
    task = fixed(75)
    outcome = DOORS[name](task, part(task, 0.5), server)
    assert outcome == expected(75, 0.5)
    assert outcome.reward < 1.0


@pytest.mark.parametrize("index", SMALL)
def test_odoo_s_own_client_books_whole_plans(server: ErpServer, index: int) -> None:
    task = fixed(index)
    outcome = DOORS["odoo_client"](task, task.oracle, server)
    assert outcome == expected(index)
    assert outcome.reward == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("index", TASKS)
def test_odoo_s_own_client_books_large_plans(server: ErpServer, index: int) -> None:
    task = fixed(index)
    assert DOORS["odoo_client"](task, task.oracle, server).reward == 1.0
