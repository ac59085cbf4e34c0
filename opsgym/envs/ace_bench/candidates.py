"""Candidates: the calls that make sense in the present state, for policies that choose by number or under a schema.

They are made of what an informed agent would have read: the slot rules of the brief, and the items that keep all rules of a slot,
as its queries tell.  Nothing comes from the solution: which of these items keep the rules over several cells is the choice.
"""

from __future__ import annotations

from collections.abc import Iterator

from opsgym.core.task import ToolCall
from opsgym.envs.ace_bench.engine import AceWorld
from opsgym.envs.ace_bench.spec import EMPTY

__all__ = ["grid_calls"]


def grid_calls(world: AceWorld) -> list[ToolCall]:
    """Calls that make sense now.

    - for a slot of which nothing was read yet: a query by each of its rules;
    - for a slot that was read: each item that keeps its rules and is not in it;
    - on a full grid: the global check, while there are checks left, and ``done``.

    Args:
        world: The grid in its present state.
    """
    instance = world.board.instance
    calls = [call for slot in range(len(instance.slots)) for call in _slot_calls(world, slot)]
    if not world.empty:
        budget = instance.check_budget
        checks = [ToolCall(name=f"check_{instance.domain}_global_constraints")]
        calls += [*(checks if budget is None or world.checks < budget else []), ToolCall(name="done")]
    return calls or [ToolCall(name="done")]


def _slot_calls(world: AceWorld, slot: int) -> Iterator[ToolCall]:
    board, instance = world.board, world.board.instance
    row, col = divmod(instance.slots[slot].cell, instance.cols)
    if not world.spent[slot] and world.held[slot] == EMPTY:
        for rule in instance.slots[slot].rules:
            condition = {"field": rule.attribute, "operator": rule.sense, "value": rule.bound}
            name = f"query_{instance.domain}_candidate_from_attribute"
            yield ToolCall(name=name, arguments={"row": row, "col": col, **condition})
        return
    for place, item in enumerate(board.candidates[slot]):
        if board.local[slot][place] and world.held[slot] != place:
            yield ToolCall(name="set_slot", arguments={"row": row, "col": col, "id": item})
