"""The reference solution as tool calls, and an informed agent that earns it: reads what it needs, then searches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opsgym.core.task import ToolCall
from opsgym.envs.ace_bench.counter import count
from opsgym.envs.ace_bench.engine import AceWorld
from opsgym.envs.ace_bench.rules import Ints, Layout, compile_rules, scope_cells
from opsgym.envs.ace_bench.spec import Instance, Slot


def oracle_calls(instance: Instance, truth: Sequence[int]) -> tuple[ToolCall, ...]:
    """Fill every slot with its item of the one completion, then finish."""
    calls = [
        ToolCall(
            name="set_slot",
            arguments={"row": slot.cell // instance.cols, "col": slot.cell % instance.cols, "id": instance.ids[item]},
        )
        for slot, item in zip(instance.slots, truth, strict=True)
    ]
    return (*calls, ToolCall(name="done"))


def attributes_seen(instance: Instance) -> dict[int, set[str]]:
    """For each hidden cell, the attributes that the global rules on it look at."""
    seen: dict[int, set[str]] = {slot.cell: set() for slot in instance.slots}
    for rule in instance.rules:
        for cells in scope_cells(rule, instance.rows, instance.cols):
            for cell in cells:
                if cell in seen:
                    seen[cell].add(rule.attribute)
    return seen


def readings_needed(instance: Instance) -> list[int]:
    """Readings of the informed agent in each slot: rule by rule among what is left, then what global rules look at."""
    seen = attributes_seen(instance)
    needed = []
    for slot in instance.slots:
        left = list(slot.candidates)
        readings = 0
        for rule in slot.rules:
            column = instance.columns[instance.attribute_index[rule.attribute]]
            left = [item for item in left if rule.holds(column[item])]
            readings += max(1, len(left))
        more = seen[slot.cell] - {rule.attribute for rule in slot.rules}
        needed.append(readings + len(left) * len(more))
    return needed


class InformedAgent:
    """Plays by queries and an exact search: what the budgets are meant to be enough for.

    It knows what the brief says (rules, bounds, fixed items) and learns the rest by readings only.

    Args:
        world: A world at its start.
    """

    def __init__(self, world: AceWorld) -> None:
        self.world = world
        self.instance = world.board.instance
        self.columns = np.zeros((len(self.instance.attributes), len(self.instance.ids)), dtype=np.int64)
        for item in self.instance.fixed:
            if item >= 0:
                self.columns[:, item] = [column[item] for column in self.instance.columns]

    def play(self) -> bool:
        """Read, solve, fill; returns whether a completion was found.

        Raises:
            ToolError: The readings do not suffice.
        """
        seen = attributes_seen(self.instance)
        feasible = [self._read(slot, seen[slot.cell]) for slot in self.instance.slots]
        layout = Layout.of(self.instance)
        known = Layout(
            layout.rows, layout.cols, self.columns, layout.attribute_index, layout.sizes, layout.fixed, layout.slot_cells
        )
        groups = [slot.cell // self.instance.cols for slot in self.instance.slots]
        found = count(compile_rules(self.instance.rules, known, feasible), groups=groups, limit=1)
        if not found.completions:
            return False
        for slot, items, choice in zip(self.instance.slots, feasible, found.solutions[0].tolist(), strict=True):
            self.world.set_slot(*divmod(slot.cell, self.instance.cols), self.instance.ids[int(items[choice])])
        return True

    def _read(self, slot: Slot, more: set[str]) -> Ints:
        """The slot's locally feasible items; learns what the global rules want to know of them."""
        left: list[str] | None = None
        for rule in slot.rules:
            left = self._query(slot, rule.attribute, rule.sense, rule.bound, left)
        for name in sorted(more - {rule.attribute for rule in slot.rules}):
            attribute = self.instance.attributes[self.instance.attribute_index[name]]
            if attribute.numeric:
                left = self._query(slot, name, ">=", attribute.low, left)
            else:
                left = self._query(slot, name, "not_in", [], left)
        return np.array([self.instance.item_index[name] for name in left or []], dtype=np.int64)

    def _query(self, slot: Slot, name: str, comparison: str, value: int | list[str], among: list[str] | None) -> list[str]:
        row, col = divmod(slot.cell, self.instance.cols)
        found = self.world.query(row, col, name, comparison, value, among)
        position = self.instance.attribute_index[name]
        values = self.instance.attributes[position].values
        for item, known in found.items():
            self.columns[position, self.instance.item_index[item]] = values.index(known) if isinstance(known, str) else known
        return list(found)
