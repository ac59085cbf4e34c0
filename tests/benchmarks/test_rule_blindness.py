"""The table of rule blindness says what is left out and what it costs."""

from __future__ import annotations

from benchmarks.rule_blindness import left_out, rows
from opsgym.core.task import ToolCall
from tests.baselines.support import env_of, task_of


def test_every_row_is_a_failure_of_a_rule_or_a_tool_not_used() -> None:
    task = task_of("ACEBench-v0")
    table = list(rows(env_of("ACEBench-v0"), task))
    assert [row.split("`")[1] for row in table] == ["tool:set_slot", "rule:slot_rules", "rule:global_rule", "rule:right_item"]
    assert f"{len(task.oracle) - 1} calls of `set_slot`" in table[0] and all("one call of `set_slot`" in row for row in table[1:])
    assert all("| 0.000 |" in row for row in table)


def test_what_is_left_out_is_named() -> None:
    order = ToolCall(name="order", arguments={"product": "P1", "lines": [{"origin": "S1", "quantity": 2}]})
    bare = ToolCall(name="order", arguments={"product": "P1", "lines": [{"quantity": 2}]})
    assert left_out((order, order), (bare, bare)) == "`origin` of 2 calls of `order`"
    assert left_out((order, bare), (bare,)) == "one call of `order`"
