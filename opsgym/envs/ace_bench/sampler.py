"""Drawing instances: one distribution for all items, slot rules that classify them, global rules set afterwards.

Every candidate is drawn from the same ranges.  Slot bounds are then chosen such that exactly 1 + d candidates of a
slot keep them; the truth is one of those.  So neither the order, the id nor the range of a value tells truth, decoys
and filters apart.  Every instance is certified by an exact count.  A draw that cannot be finished is repeated with the
next stream, a bounded number of times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from math import ceil, log10, prod
from typing import Literal

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.core.stream import Stream
from opsgym.envs.ace_bench import policies
from opsgym.envs.ace_bench.counter import count
from opsgym.envs.ace_bench.domains import Domain, find_domain
from opsgym.envs.ace_bench.oracle import readings_needed
from opsgym.envs.ace_bench.paper import PaperRules, allocate
from opsgym.envs.ace_bench.params import AceParams
from opsgym.envs.ace_bench.placement import Placement, PlacementFailed
from opsgym.envs.ace_bench.rules import Bools, Ints, Layout, Matrix, compile_rules
from opsgym.envs.ace_bench.spec import EMPTY, Instance, Rule, Slot, SlotRule, Solved

VERSION = "1"
"""Version of the generator; part of every stream, changed whenever an instance would change."""

PRESENTATION = {"budgets", "query_slack", "global_checks", "feedback"}
"""Parameters that change how an instance is played, not which one it is: the same seed gives the same puzzle."""

TRIES = 60
"""Draws before the generator gives up."""
SLOT_TRIES = 30
"""Draws of one slot's candidates before the draw is given up."""
PAIR_TRIES = 6
"""Pairs of slot rules tried on one draw of candidates."""
SPARE = 5
"""A slot has at least so many candidates more than decoys: the truth, and some that each slot rule rejects."""
ORDERS = 4
"""Orders of the candidates, beside the drawn one, in which a greedy-proof instance must withstand the policies."""
NEAR = 64
"""Alternatives among which pairs of changes are looked at for the count of critical rules."""

Sense = Literal["<=", ">="]
RulePair = tuple[tuple[int, Sense], tuple[int, Sense]]


def sample(params: AceParams, seed: int) -> Solved:
    """The certified instance of ``(params, seed)``.

    Raises:
        TaskError: No instance was found in a bounded number of draws; says what stood in the way.
    """
    failures: Counter[str] = Counter()
    for attempt in range(TRIES):
        stream = Stream("ace_bench", VERSION, params.model_dump(mode="json", exclude=PRESENTATION), seed, attempt)
        try:
            return _Draw(params, stream).run(attempt)
        except PlacementFailed as failure:
            failures[str(failure)] += 1
    tried = "; ".join(f"{times}x {reason}" for reason, times in failures.most_common(3))
    raise TaskError(
        f"no instance with {params.preset} rules, H={params.hidden}, B={params.decoys} on {params.rows}x{params.cols}, "
        f"coupling={params.coupling}, greedy_proof={params.greedy_proof} in {TRIES} draws: {tried}; "
        "lower coupling or decoys, or turn greedy_proof off",
        field="params",
    )


class _Draw:
    """One attempt at an instance."""

    def __init__(self, params: AceParams, stream: Stream) -> None:
        self.params = params
        self.stream = stream
        self.domain: Domain = find_domain(params.domain)
        self.index = {attribute.name: i for i, attribute in enumerate(self.domain.attributes)}
        numeric = [self.index[attribute.name] for attribute in self.domain.numeric]
        senses: tuple[Sense, ...] = ("<=", ">=")
        self.pairs: list[RulePair] = [((a, s), (b, t)) for (a, b), s, t in product(permutations(numeric, 2), senses, senses)]

    def run(self, attempt: int) -> Solved:
        """Draw, place, certify and measure.

        Raises:
            PlacementFailed: This attempt cannot be finished.
        """
        params = self.params
        hidden = self._hidden_cells()
        decoys = allocate(params, self.stream) if params.preset == "paper" else self._spread()
        per_slot = max(params.candidates, max(decoys) + SPARE)
        fixed_cells = [cell for cell in range(params.rows * params.cols) if cell not in set(hidden)]
        columns = self._columns(len(fixed_cells) + per_slot * params.hidden)
        fixed = np.full(params.rows * params.cols, EMPTY, dtype=np.int64)
        fixed[fixed_cells] = np.arange(len(fixed_cells))
        blocks = [np.arange(start, start + per_slot) for start in range(len(fixed_cells), columns.shape[1], per_slot)]
        fitted = [self._fit(columns, blocks[slot], 1 + extra, slot) for slot, extra in enumerate(decoys)]
        slot_rules, feasible = [rules for rules, _ in fitted], [items for _, items in fitted]
        sizes = tuple(len(attribute.values) for attribute in self.domain.attributes)
        layout = Layout(params.rows, params.cols, columns, self.index, sizes, fixed, tuple(hidden))
        truth, rules = self._rules(layout, feasible)
        matrix = compile_rules(rules, layout, feasible)
        certificate = count(matrix, groups=[cell // params.cols for cell in hidden], limit=2)
        if certificate.solutions.tolist() != [truth]:
            raise AssertionError(f"the placed rules leave {certificate.completions} completions, expected the truth alone")
        success = policies.success(matrix, rules)
        if params.greedy_proof and (max(success.values()) >= 0.5 or self._solved_in_another_order(matrix, rules)):
            raise PlacementFailed("a policy that does not search solves it")
        idle = [rule for rule in _idle(rules, matrix) if rule in _idle([rule], compile_rules([rule], layout, blocks))]
        rules = [rule for rule in rules if rule not in idle]
        instance = self._assemble(columns, fixed, hidden, blocks, slot_rules, rules)
        items = tuple(int(items[choice]) for items, choice in zip(feasible, truth, strict=True))
        metadata = {
            "combinations_log10": round(sum(log10(len(items)) for items in feasible), 6),
            "open_slots": sum(len(items) > 1 for items in feasible),
            "global_rules": len(rules),
            "critical_rules": critical_rules(matrix, truth),
            "solver_states": certificate.states,
            "attempt": attempt,
            **{f"policy_{name}": round(chance, 12) for name, chance in success.items()},
        }
        return Solved(instance=instance, truth=items, metadata=metadata)

    # -- the grid and its items ---------------------------------------------------------------------------------------

    def _hidden_cells(self) -> list[int]:
        """Hidden cells in ascending order: anywhere in the paper's preset, spread evenly over the rows in ours."""
        params, stream = self.params, self.stream
        if params.preset == "paper":
            return sorted(stream.sample(range(params.rows * params.cols), params.hidden))
        share, rest = divmod(params.hidden, params.rows)
        fuller = set(stream.sample(range(params.rows), rest))
        cells: list[int] = []
        for row in range(params.rows):
            chosen = stream.sample(range(params.cols), share + (row in fuller))
            cells += sorted(row * params.cols + col for col in chosen)
        return cells

    def _spread(self) -> list[int]:
        """Decoys per slot, as even as can be: every slot holds a choice once B reaches H."""
        share, rest = divmod(self.params.decoys, self.params.hidden)
        extra = set(self.stream.sample(range(self.params.hidden), rest))
        return [share + (slot in extra) for slot in range(self.params.hidden)]

    def _columns(self, items: int) -> Ints:
        """All attributes of all items, each uniform over its range."""
        return np.array([self.stream.integers(a.low, a.high, items) for a in self.domain.attributes])

    # -- slot rules ---------------------------------------------------------------------------------------------------

    def _fit(self, columns: Ints, block: Ints, wanted: int, slot: int) -> tuple[tuple[SlotRule, ...], Ints]:
        """Two slot rules that exactly ``wanted`` of a block's items keep; redraws the items if no bounds do it.

        Raises:
            PlacementFailed: No bounds were found in a bounded number of draws.
        """
        for attempt in range(SLOT_TRIES):
            if attempt:
                columns[:, block] = self._columns(len(block))
            for pair in self._pairs(slot):
                found = self._bounds(columns[:, block], pair, wanted)
                if found is not None:
                    bounds, keep = found
                    rules = tuple(
                        SlotRule(attribute=self.domain.attributes[which].name, sense=sense, bound=bound)
                        for (which, sense), bound in zip(pair, bounds, strict=True)
                    )
                    return rules, block[keep]
        raise PlacementFailed(f"no slot bounds leave {wanted} of {len(block)} candidates")

    def _pairs(self, slot: int) -> Sequence[RulePair]:
        """Pairs of attribute and sense to try, in random order (in the paper's preset: dealt over the slots)."""
        if self.params.preset == "paper":
            rules = [(self.index[name], sense) for name, sense in self.domain.slot_rules]
            dealt = [(rules[slot % len(rules)], other) for other in rules if other != rules[slot % len(rules)]]
            return self.stream.sample(dealt, len(dealt))
        return [self.stream.pick(self.pairs) for _ in range(PAIR_TRIES)]

    def _bounds(self, values: Ints, pair: RulePair, wanted: int) -> tuple[tuple[int, int], Bools] | None:
        """Bounds under which exactly ``wanted`` items pass and neither rule is idle."""
        (a, sense_a), (b, sense_b) = pair
        first = values[a] if sense_a == "<=" else -values[a]
        second = values[b] if sense_b == "<=" else -values[b]
        pass_a = first[None, :] <= first[:, None]
        pass_b = second[None, :] <= second[:, None]
        both = pass_a.astype(np.float32) @ pass_b.T.astype(np.float32)
        good = (both == wanted) & (both < pass_a.sum(axis=1)[:, None]) & (both < pass_b.sum(axis=1)[None, :])
        options = np.flatnonzero(good)
        if not len(options):
            return None
        i, j = divmod(int(options[self.stream.below(len(options))]), values.shape[1])
        return (int(values[a][i]), int(values[b][j])), pass_a[i] & pass_b[j]

    # -- truth and global rules ---------------------------------------------------------------------------------------

    def _rules(self, layout: Layout, feasible: list[Ints]) -> tuple[list[int], list[Rule]]:
        """The truth, as positions among the feasible candidates, and the global rules that only it keeps."""
        if self.params.preset == "paper":
            system = PaperRules(self.domain, layout, feasible, self.stream)
            truth = system.choose_truth()
            return truth, system.bound(truth)
        truth = [self.stream.below(len(items)) for items in feasible]
        placement = Placement(layout, self.domain.attributes, feasible, truth, self.stream)
        return truth, placement.run(self.params.coupling)

    def _solved_in_another_order(self, matrix: Matrix, rules: Sequence[Rule]) -> bool:
        """Whether a policy solves it when candidates are listed otherwise, so that ties between them fall otherwise."""
        for _ in range(ORDERS):
            weights = tuple(part[self.stream.permutation(len(part))] for part in matrix.weights)
            if max(policies.success(replace(matrix, weights=weights), rules).values()) >= 0.5:
                return True
        return False

    # -- the instance -------------------------------------------------------------------------------------------------

    def _assemble(
        self,
        columns: Ints,
        fixed: Ints,
        hidden: list[int],
        blocks: list[Ints],
        slot_rules: list[tuple[SlotRule, ...]],
        rules: list[Rule],
    ) -> Instance:
        """The instance; candidates are shuffled last, so that no rejection above can have favoured a position."""
        params = self.params
        bound = params.budgets == "bound"
        slots = tuple(
            Slot(cell=cell, candidates=tuple(block[self.stream.permutation(len(block))].tolist()), rules=local)
            for cell, block, local in zip(hidden, blocks, slot_rules, strict=True)
        )
        instance = Instance(
            domain=params.domain,
            rows=params.rows,
            cols=params.cols,
            attributes=self.domain.attributes,
            ids=self._ids(columns.shape[1]),
            columns=tuple(tuple(column) for column in columns.tolist()),
            fixed=tuple(fixed.tolist()),
            slots=slots,
            rules=tuple(rules),
            check_budget=params.global_checks if bound else None,
            feedback=params.feedback,
        )
        if not bound:
            return instance
        need = max(readings_needed(instance))
        return instance.model_copy(update={"query_budget": ceil(need * (100 + params.query_slack) / 100)})

    def _ids(self, size: int) -> tuple[str, ...]:
        """Random unique ids; an item's number says nothing about its role."""
        digits = 4 if size < 3000 else 5
        numbers = dict.fromkeys(self.stream.integers(0, 10**digits - 1, 2 * size).tolist())
        while len(numbers) < size:
            numbers |= dict.fromkeys(self.stream.integers(0, 10**digits - 1, size).tolist())
        return tuple(f"{self.domain.prefix}{number:0{digits}d}" for number in list(numbers)[:size])


def _idle(rules: Sequence[Rule], matrix: Matrix) -> list[Rule]:
    """The rules that no choice of the matrix's candidates can break."""
    least = matrix.base + sum(weights.min(axis=0) for weights in matrix.weights)
    most = matrix.base + sum(weights.max(axis=0) for weights in matrix.weights)
    biting = set(matrix.owner[(least < matrix.low) | (most > matrix.high)].tolist())
    return [rule for number, rule in enumerate(rules) if number not in biting]


def critical_rules(matrix: Matrix, truth: Sequence[int]) -> int:
    """Rules without which some combination one or two changes away from the truth would be feasible.

    Each of them is needed, so this is a lower bound on the number of rules that must be used jointly.
    """
    total = matrix.base + sum(weights[choice] for weights, choice in zip(matrix.weights, truth, strict=True))
    deltas = np.vstack([weights - weights[choice] for weights, choice in zip(matrix.weights, truth, strict=True)])
    slot_of = np.repeat(np.arange(len(matrix.weights)), [len(weights) for weights in matrix.weights])
    alternative = np.ones(len(slot_of), dtype=np.bool_)
    alternative[np.cumsum([0] + [len(weights) for weights in matrix.weights])[:-1] + np.array(truth)] = False
    deltas, slot_of = deltas[alternative], slot_of[alternative]
    first, second = np.triu_indices(min(len(deltas), NEAR), k=1)
    apart = slot_of[first] != slot_of[second]
    changes = np.vstack([deltas, deltas[first[apart]] + deltas[second[apart]]])
    sums = total + changes
    broken_rows = (sums < matrix.low) | (sums > matrix.high)
    starts = np.flatnonzero(np.diff(matrix.owner, prepend=-1))
    broken = np.logical_or.reduceat(broken_rows, starts, axis=1) if len(changes) else np.zeros((0, len(starts)), dtype=np.bool_)
    alone = broken[broken.sum(axis=1) == 1]
    return int(prod(alone.shape) and alone.any(axis=0).sum())
