"""Placing the coupled rules: choose rules and bounds until the truth is the only completion left.

The truth is drawn uniformly among each slot's locally feasible candidates before any rule exists.  Rules are then
placed around it: the first ones are judged on a random sample of combinations, until few enough are left to list all
of them exactly; the others are placed against that list, so the last one is placed knowing that nothing but the truth
remains.  A bound lies at a random distance between the truth's sum and the nearest combination it is to rule out, on
each side: the place of a window does not tell where in it the truth lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from opsgym.core.stream import Stream
from opsgym.envs.ace_bench.counter import count
from opsgym.envs.ace_bench.rules import Bools, Ints, Layout, LinearRow, Matrix, compile_rules, linear_rows, scope_cells
from opsgym.envs.ace_bench.spec import Attribute, Rule, RuleKind, Scope

JOINT = 1000
"""Combinations, by estimate, from which on the survivors are listed."""
MOST = 20_000
"""Most combinations that are listed; a draw that leaves more is given up."""
SAMPLE = 600
"""Random combinations on which the first rules are judged."""
OPEN_TRIES, SETTLE_TRIES = 80, 160
"""Rules tried in the first and in the second stage before the placement is given up."""
LEAST_SHARE = 0.2
"""A rule is kept only if it excludes this share of the wrong survivors,"""
FEW = 6
"""unless so few are left."""
LEAST_RULES = 4
"""Least number of global rules of an instance."""
WINDOW = (1, 15)
"""Percentiles between which a window reaches into the survivors, by distance from the truth's sum."""

_ROW_KINDS: tuple[tuple[RuleKind, Scope], ...] = (
    ("sum", "row"),
    ("sum", "row"),
    ("sum", "row"),
    ("count_at_least", "row"),
    ("repeat", "row"),
    ("adjacent", "row"),
)
_WIDE_KINDS: tuple[tuple[RuleKind, Scope], ...] = (
    ("sum", "grid"),
    ("sum", "grid"),
    ("sum", "column"),
    ("count", "grid"),
    ("count_at_least", "grid"),
    ("repeat", "column"),
)
_SETTLE_KINDS: tuple[tuple[RuleKind, Scope], ...] = (
    ("sum", "column"),
    ("sum", "column"),
    ("sum", "grid"),
    ("count", "column"),
    ("count", "grid"),
    ("count_at_least", "column"),
    ("repeat", "column"),
    ("precede", "pair"),
    ("exclude", "pair"),
)


class PlacementFailed(Exception):
    """No rule separates what is left; the caller draws again."""


@dataclass(slots=True)
class Survivors:
    """Combinations that no rule has excluded yet; the first is the truth.

    Attributes:
        slots: The slots that the rows of ``choices`` stand for.
        choices: Positions in the slots' feasible lists, slot by combination.
    """

    slots: tuple[int, ...]
    choices: Ints

    def keep(self, good: Bools) -> None:
        """Drop the combinations that are not good."""
        self.choices = np.ascontiguousarray(self.choices[:, good])

    def __len__(self) -> int:
        return int(self.choices.shape[1])


class Placement:
    """Rules under construction around a given truth.

    Args:
        layout: Grid, items and fixed cells.
        attributes: The domain's attributes.
        feasible: Per slot its locally feasible items.
        truth: Per slot the position of the truth in ``feasible``.
        stream: Source of randomness.
    """

    def __init__(
        self, layout: Layout, attributes: Sequence[Attribute], feasible: list[Ints], truth: list[int], stream: Stream
    ) -> None:
        self.layout = layout
        self.numeric = [attribute for attribute in attributes if attribute.numeric]
        self.categorical = [attribute for attribute in attributes if not attribute.numeric]
        self.feasible = feasible
        self.truth = truth
        self.stream = stream
        self.rules: list[Rule] = []
        self.sizes = [len(items) for items in feasible]
        self.truth_grid = layout.fixed.copy()
        self.truth_grid[list(layout.slot_cells)] = [items[t] for items, t in zip(feasible, truth, strict=True)]
        self._names: set[str] = set()

    # -- the two stages -----------------------------------------------------------------------------------------------

    def run(self, coupling: int) -> list[Rule]:
        """Place rules until only the truth is left.

        Args:
            coupling: Percent of the first stage's rules that span rows; the others stay inside one row.

        Raises:
            PlacementFailed: The rules that were tried do not suffice.
        """
        self._open(coupling)
        self._settle(self._survivors())
        while len(self.rules) < LEAST_RULES:
            self._add_ample_rule()
        return self.rules

    def _open(self, coupling: int) -> None:
        """Add rules, judged on a sample, until by estimate few enough combinations are left to list them."""
        left = float(prod(self.sizes))
        open_slots = [slot for slot, size in enumerate(self.sizes) if size > 1]
        sample = Survivors(tuple(open_slots), self._sample(open_slots))
        rows = sorted({self.layout.slot_cells[slot] // self.layout.cols for slot in open_slots})
        for _ in range(OPEN_TRIES):
            if left <= JOINT:
                return
            wide = self.stream.below(100) < coupling
            kind, scope = self.stream.pick(_WIDE_KINDS if wide else _ROW_KINDS)
            line = self.stream.below(self.layout.cols) if wide else self.stream.pick(rows)
            kept = self._try(kind, scope, line, sample)
            left *= kept if kept is not None else 1.0
        raise PlacementFailed(f"about {left:.0f} combinations are left after {OPEN_TRIES} rules were tried")

    def _sample(self, slots: list[int]) -> Ints:
        """The truth and some random combinations of the given slots."""
        drawn = [np.append(self.truth[slot], self.stream.integers(0, self.sizes[slot] - 1, SAMPLE)) for slot in slots]
        return np.array(drawn, dtype=np.int64).reshape(len(slots), SAMPLE + 1)

    def _survivors(self) -> Survivors:
        """All combinations that keep the rules so far, listed exactly."""
        matrix = compile_rules(self.rules, self.layout, self.feasible)
        groups = [cell // self.layout.cols for cell in self.layout.slot_cells]
        found = count(matrix, groups=groups, limit=MOST)
        if found.completions == MOST:
            raise PlacementFailed(f"{MOST} combinations or more are left by the first rules")
        wrong = (found.solutions != self.truth).any(axis=1)
        choices = np.vstack([found.solutions[~wrong], found.solutions[wrong]])
        return Survivors(tuple(range(len(self.sizes))), np.ascontiguousarray(choices.T, dtype=np.int64))

    def _settle(self, joint: Survivors) -> None:
        """Add rules until only the truth is left."""
        for _ in range(SETTLE_TRIES):
            if len(joint) == 1:
                return
            kind, scope = self.stream.pick(_SETTLE_KINDS)
            if self._try(kind, scope, self.stream.below(self.layout.cols), joint) is not None:
                joint.keep(self._good(self.rules[-1], joint))
        raise PlacementFailed(f"{len(joint) - 1} wrong combinations are left after {SETTLE_TRIES} rules were tried")

    # -- one rule -----------------------------------------------------------------------------------------------------

    def _try(self, kind: RuleKind, scope: Scope, line: int, survivors: Survivors) -> float | None:
        """Draw a rule and keep it if it excludes enough and does not isolate the truth by itself.

        Returns:
            The share of wrong survivors that keep the rule, or ``None`` if the rule was not kept.
        """
        cells = self._cells(scope, survivors)
        drawn = None if cells is None else self._draw(kind, scope, line, cells, survivors)
        if drawn is None or drawn.name in self._names:
            return None
        wrong = len(survivors) - 1
        left = int(self._good(drawn, survivors).sum()) - 1
        excluded = wrong - left
        if excluded == 0 or (wrong > FEW and excluded < LEAST_SHARE * wrong) or self._isolates(drawn):
            return None
        self._add(drawn)
        return (left + 0.5) / wrong

    def _add(self, rule: Rule) -> None:
        self.rules.append(rule)
        self._names.add(rule.name)

    def _cells(self, scope: Scope, survivors: Survivors) -> tuple[int, ...] | None:
        """Two open cells for a pair rule; an empty tuple for other scopes; ``None`` if there is no pair."""
        if scope != "pair":
            return ()
        cells = [self.layout.slot_cells[slot] for slot in survivors.slots if self.sizes[slot] > 1]
        return tuple(self.stream.sample(cells, 2)) if len(cells) > 1 else None

    def _draw(self, kind: RuleKind, scope: Scope, line: int, cells: tuple[int, ...], survivors: Survivors) -> Rule | None:
        """A rule of a kind that the truth keeps, its bounds placed against the survivors."""
        if kind in ("sum", "count_at_least"):
            attribute = self.stream.pick(self.numeric)
            values = () if kind == "sum" else (self.stream.between(attribute.low + 1, attribute.high),)
            return self._window(kind, attribute, scope, line, values, survivors)
        if kind == "precede":
            return self._precede(cells)
        attribute = self.stream.pick(self.categorical)
        if kind == "count":
            return self._window(kind, attribute, scope, line, (self.stream.below(len(attribute.values)),), survivors)
        if kind == "exclude":
            return self._exclude(attribute, cells, survivors)
        return self._repeat(kind, attribute, scope, line)

    def _window(
        self, kind: RuleKind, attribute: Attribute, scope: Scope, line: int, values: tuple[int, ...], survivors: Survivors
    ) -> Rule | None:
        """A rule with two bounds around the truth that excludes most of the survivors."""
        name = "_".join([*self._place(scope, line), kind, attribute.name, *(str(value) for value in values)])
        rule = Rule(name=name, kind=kind, attribute=attribute.name, scope=scope, index=line, values=values, low=0, high=0)
        found = self._sums(linear_rows(rule, self.layout)[0], survivors)
        distances = np.sort(np.abs(found[1:] - found[0]))
        reach = int(distances[len(distances) * self.stream.between(*WINDOW) // 100])
        if reach == 0:
            reach = int(distances[distances > 0][0]) if distances[-1] > 0 else 0
        if reach == 0:
            return None
        truth = int(found[0])
        return rule.model_copy(update={"low": truth - self.stream.below(reach), "high": truth + self.stream.below(reach)})

    def _place(self, scope: Scope, line: int) -> tuple[str, ...]:
        return (scope, str(line)) if scope in ("row", "column") else (scope,)

    def _precede(self, cells: tuple[int, ...]) -> Rule:
        """One cell's attribute is at most another's; which of them comes first is the truth's doing."""
        attribute = self.stream.pick(self.numeric)
        column = self.layout.columns[self.layout.attribute_index[attribute.name]]
        first, second = sorted(cells, key=lambda cell: int(column[self.truth_grid[cell]]))
        name = f"order_{attribute.name}_{self._label(first)}_{self._label(second)}"
        return Rule(name=name, kind="precede", attribute=attribute.name, scope="pair", cells=(first, second), low=0)

    def _exclude(self, attribute: Attribute, cells: tuple[int, ...], survivors: Survivors) -> Rule | None:
        """Two categories that must not stand in two given cells together: those of some wrong combination."""
        if len(survivors) < 2:
            return None
        column = self.layout.columns[self.layout.attribute_index[attribute.name]]
        wrong = survivors.choices[:, self.stream.between(1, len(survivors) - 1)]
        items = {cell: int(self.truth_grid[cell]) for cell in cells}
        for slot, choice in zip(survivors.slots, wrong.tolist(), strict=True):
            if self.layout.slot_cells[slot] in items:
                items[self.layout.slot_cells[slot]] = int(self.feasible[slot][choice])
        values = tuple(int(column[items[cell]]) for cell in cells)
        if values == tuple(int(column[self.truth_grid[cell]]) for cell in cells):
            return None
        words = [f"{self._label(cell)}_{attribute.values[value]}" for cell, value in zip(cells, values, strict=True)]
        name = "_".join(["exclude", *words]).replace(" ", "_")
        return Rule(name=name, kind="exclude", attribute=attribute.name, scope="pair", cells=cells, values=values, high=1)

    def _label(self, cell: int) -> str:
        return f"r{cell // self.layout.cols}c{cell % self.layout.cols}"

    def _repeat(self, kind: RuleKind, attribute: Attribute, scope: Scope, line: int) -> Rule | None:
        """No category more often than in the truth; or no equal neighbours, if the truth has none."""
        name = "_".join([*self._place(scope, line), "repeat" if kind == "repeat" else "neighbours", attribute.name])
        rule = Rule(name=name, kind=kind, attribute=attribute.name, scope=scope, index=line, high=0)
        truth = Survivors((), np.zeros((0, 1), dtype=np.int64))
        sums = [int(self._sums(row, truth)[0]) for row in linear_rows(rule, self.layout)]
        if kind == "adjacent":
            return rule if max(sums, default=2) <= 1 else None
        return rule.model_copy(update={"high": max(sums)})

    def _add_ample_rule(self) -> None:
        """A rule over the grid with wide bounds, for instances whose choices need no more rules."""
        attribute = self.stream.pick(self.numeric)
        rule = Rule(name=f"grid_sum_{attribute.name}", kind="sum", attribute=attribute.name)
        if rule.name in self._names:
            rule = rule.model_copy(update={"name": f"{rule.name}_{len(self.rules) + 1}"})
        column = self.layout.columns[self.layout.attribute_index[attribute.name]]
        total = int(column[self.truth_grid].sum())
        span = attribute.high - attribute.low
        self._add(rule.model_copy(update={"low": total - self.stream.below(span), "high": total + self.stream.below(span)}))

    # -- evaluation ---------------------------------------------------------------------------------------------------

    def _sums(self, row: LinearRow, survivors: Survivors) -> Ints:
        """A linear row's sum for every survivor; slots outside the survivors hold the truth."""
        total = np.zeros(len(survivors), dtype=np.int64)
        for cells, weights in row.terms:
            total += weights[self.truth_grid[list(cells)]].sum()
            for number, slot in enumerate(survivors.slots):
                cell = self.layout.slot_cells[slot]
                if self.sizes[slot] > 1 and cell in cells:
                    total += (weights[self.feasible[slot]] - weights[self.truth_grid[cell]])[survivors.choices[number]]
        return total

    def _good(self, rule: Rule, survivors: Survivors) -> Bools:
        """Which survivors keep a rule."""
        good = np.ones(len(survivors), dtype=np.bool_)
        for row in linear_rows(rule, self.layout):
            sums = self._sums(row, survivors)
            good &= (sums >= row.low) & (sums <= row.high)
        return good

    def _isolates(self, rule: Rule) -> bool:
        """Whether the truth is the only combination of all slots that keeps this one rule (with four or more)."""
        seen = {cell for cells in scope_cells(rule, self.layout.rows, self.layout.cols) for cell in cells}
        unseen = any(size > 1 and cell not in seen for size, cell in zip(self.sizes, self.layout.slot_cells, strict=True))
        if unseen or prod(self.sizes) < 4:
            return False
        matrix = compile_rules([rule], self.layout, self.feasible)
        if swap_survives(matrix, self.truth):
            return False
        return count(matrix, limit=2).completions == 1


def swap_survives(matrix: Matrix, truth: Sequence[int]) -> bool:
    """Whether some combination that differs from the truth in one slot keeps all rows."""
    total = matrix.base + sum(weights[choice] for weights, choice in zip(matrix.weights, truth, strict=True))
    for weights, choice in zip(matrix.weights, truth, strict=True):
        sums = total - weights[choice] + weights
        good = ((sums >= matrix.low) & (sums <= matrix.high)).all(axis=1)
        good[choice] = False
        if good.any():
            return True
    return False
