"""The ``paper`` preset: the release's rule system, built constructively instead of by rejection.

All rules are one-sided bounds, so the truth must not be beaten in every rule at once.  A hidden mixture of the linear
rules scores the locally feasible candidates; the truth is the best one of each slot.  With bounds at the truth's own
values any other completion would have to score at least as well, which none does: the completion is unique.  The
bounds are then loosened by the release's slacks as far as uniqueness allows.
Source: ACE-Bench, section 3.3 and appendix A; notes on the release.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opsgym.core.stream import Stream
from opsgym.envs.ace_bench.counter import count
from opsgym.envs.ace_bench.domains import Domain, GlobalRule
from opsgym.envs.ace_bench.params import AceParams
from opsgym.envs.ace_bench.placement import PlacementFailed
from opsgym.envs.ace_bench.rules import Ints, Layout, Matrix, compile_rules
from opsgym.envs.ace_bench.spec import Rule

HALVINGS = 16
"""Times all slacks are halved before they are zero."""


def allocate(params: AceParams, stream: Stream) -> list[int]:
    """Decoys per hidden slot: about sqrt(B) slots share B unevenly, as in the release."""
    shares = [0] * params.hidden
    total = params.decoys
    if not total:
        return shares
    branches = params.paper_branches
    cap = total if branches <= 2 else total // 2
    chosen = stream.sample(range(params.hidden), branches)
    for slot in chosen:
        shares[slot] = 1
    for _ in range(total - branches):
        open_slots = [slot for slot in chosen if shares[slot] < cap]
        shares[stream.pick(open_slots)] += 1
    return shares


def _template(entry: GlobalRule, domain: Domain) -> Rule:
    """A global rule of the domain, its bound still open (at 0)."""
    attribute = next(attribute for attribute in domain.attributes if attribute.name == entry.attribute)
    value = attribute.values.index(entry.value) if isinstance(entry.value, str) else entry.value
    return Rule(
        name=f"{entry.name}_{entry.sense}",
        kind=entry.kind,
        attribute=entry.attribute,
        scope=entry.scope,
        values=() if value is None else (value,),
        low=0 if entry.sense == "min" else None,
        high=0 if entry.sense == "max" else None,
    )


class PaperRules:
    """The domain's global rules around a truth that is yet to be chosen.

    Args:
        domain: The domain.
        layout: Grid, items and fixed cells.
        feasible: Per slot its locally feasible items.
        stream: Source of randomness.
    """

    def __init__(self, domain: Domain, layout: Layout, feasible: list[Ints], stream: Stream) -> None:
        self.entries = domain.global_rules
        self.templates = [_template(entry, domain) for entry in domain.global_rules]
        self.layout = layout
        self.matrix = compile_rules(self.templates, layout, feasible)
        self.stream = stream

    def choose_truth(self) -> list[int]:
        """Per slot the candidate that a hidden mixture of the linear rules scores best."""
        linear = [
            (row, 1 if self.entries[owner].sense == "min" else -1)
            for row, owner in enumerate(self.matrix.owner.tolist())
            if self.entries[owner].kind != "repeat" and self.entries[owner].scope == "grid"
        ]
        everything = np.vstack(self.matrix.weights)
        mixture = np.zeros(everything.shape[1])
        for row, sign in linear:
            spread = float(everything[:, row].std()) or 1.0
            mixture[row] = sign * self.stream.between(1, 1000) / spread
        return [int(np.argmax(weights @ mixture)) for weights in self.matrix.weights]

    def bound(self, truth: list[int]) -> list[Rule]:
        """The rules with bounds that only the truth keeps, as loose as the slacks and uniqueness allow.

        Raises:
            PlacementFailed: Another completion equals the truth in all rules.
        """
        sums = self.matrix.base + sum(weights[choice] for weights, choice in zip(self.matrix.weights, truth, strict=True))
        slacks = [self.stream.between(0, max(entry.slack, 1)) for entry in self.entries]
        groups = [cell // self.layout.cols for cell in self.layout.slot_cells]
        for _ in range(HALVINGS):
            rules = self._bounded(sums, slacks)
            if count(self._matrix_of(rules), groups=groups, limit=2).completions == 1:
                return rules
            if not any(slacks):
                break
            slacks = [slack // 2 for slack in slacks]
        raise PlacementFailed("another completion equals the truth in every rule")

    def _bounded(self, sums: Ints, slacks: Sequence[int]) -> list[Rule]:
        """The templates with their bounds: the truth's value, loosened by the slack."""
        rules = []
        for number, (rule, entry) in enumerate(zip(self.templates, self.entries, strict=True)):
            mine = sums[self.matrix.owner == number]
            low, high = int(mine.min()) - slacks[number], int(mine.max()) + slacks[number]
            rules.append(rule.model_copy(update={"low": low} if entry.sense == "min" else {"high": high}))
        return rules

    def _matrix_of(self, rules: Sequence[Rule]) -> Matrix:
        """The compiled templates with the bounds of ``rules``."""
        low, high = self.matrix.low.copy(), self.matrix.high.copy()
        for number, rule in enumerate(rules):
            mine = self.matrix.owner == number
            if rule.low is not None:
                low[mine] = rule.low
            if rule.high is not None:
                high[mine] = rule.high
        return Matrix(self.matrix.owner, self.matrix.base, self.matrix.weights, low, high)
