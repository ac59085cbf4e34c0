"""Mutants: end states that each break one check, for the mutation audit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opsgym.core.task import CheckSpec
from opsgym.envs.ace_bench.engine import AceSnapshot, Board
from opsgym.envs.ace_bench.rules import NO_HIGH, NO_LOW
from opsgym.envs.ace_bench.spec import EMPTY
from opsgym.envs.ace_bench.verifier import judge

Held = list[int]


def mutants(board: Board, truth: Sequence[int], checks: Sequence[CheckSpec]) -> list[tuple[CheckSpec, AceSnapshot]]:
    """For every check one state, near the solved one, that must fail it.

    Args:
        board: The compiled instance.
        truth: Candidate position of every slot in the one completion.
        checks: The checks to break.
    """
    found = []
    for spec in checks:
        held = _MUTATIONS[spec.rule](board, list(truth), spec)
        if held is not None:
            found.append((spec, AceSnapshot(board, tuple(held), (0,) * len(held), 0)))
    return found


def emptied(board: Board, truth: Sequence[int]) -> list[AceSnapshot]:
    """The solved state with one slot cleared, for every slot: no such state is solved."""
    states = []
    for slot in range(len(truth)):
        held = list(truth)
        held[slot] = EMPTY
        states.append(AceSnapshot(board, tuple(held), (0,) * len(held), 0))
    return states


def _slot(board: Board, spec: CheckSpec) -> int:
    return board.slot_of[spec.args["row"] * board.cols + spec.args["col"]]


def _filter_candidate(board: Board, held: Held, spec: CheckSpec) -> Held | None:
    """A candidate that breaks the slot's rules."""
    slot = _slot(board, spec)
    held[slot] = next((i for i, good in enumerate(board.local[slot]) if not good), EMPTY)
    return held


def _other_candidate(board: Board, held: Held, spec: CheckSpec) -> Held:
    """Another candidate, one that keeps the slot's rules if there is one."""
    slot = _slot(board, spec)
    others = [i for i in range(len(board.local[slot])) if i != held[slot]]
    held[slot] = max(others, key=lambda i: board.local[slot][i])
    return held


def _break_rule(board: Board, held: Held, spec: CheckSpec) -> Held | None:
    """Candidates pushed one slot after the other until a row of the rule leaves its bounds; few slots change."""
    matrix = board.matrix
    mine = np.flatnonzero(matrix.owner == board.names.index(spec.args["name"]))
    for row in mine.tolist():
        for bound, sign in ((int(matrix.high[row]), 1), (-int(matrix.low[row]), -1)):
            if bound in (NO_HIGH, -NO_LOW):
                continue
            state = list(held)
            total = sign * int(matrix.base[row] + sum(w[c, row] for w, c in zip(matrix.weights, state, strict=True)))
            for slot, weights in enumerate(matrix.weights):
                column = sign * weights[:, row]
                best = int(column.argmax())
                total += int(column[best] - column[state[slot]])
                state[slot] = best if column[best] > column[state[slot]] else state[slot]
                if total > bound:
                    return state
    return None


_MUTATIONS = {"slot_rules": _filter_candidate, "right_item": _other_candidate, "global_rule": _break_rule}


def audit(board: Board, truth: Sequence[int], checks: Sequence[CheckSpec]) -> list[tuple[str, bool]]:
    """The mutation audit: for every mutant its rule, and whether that very check fails on it and the task is not solved.

    Args:
        board: The compiled instance.
        truth: Candidate position of every slot in the one completion.
        checks: The task's checks.
    """
    found = []
    for spec, snapshot in mutants(board, truth, checks):
        verdict = judge(snapshot.open(), checks)
        caught = any(result.spec == spec and result.status == "fail" for result in verdict.checks)
        found.append((spec.rule, caught and not verdict.is_success))
    found += [("slot_rules", not judge(snapshot.open(), checks).is_success) for snapshot in emptied(board, truth)]
    return found
