"""What the tests of curricula share: one maker of each sampler, a student that answers, and exact tests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from opsgym.curricula import (
    ALPGMM,
    Anneal,
    Bandit,
    DomainRandomization,
    Fixed,
    Ladder,
    Learnability,
    LearningProgress,
    LevelEditor,
    Mixture,
    PrioritizedLevelReplay,
    Product,
    Sampler,
    Sequence,
    Stage,
    TargetSuccess,
    TaskSpace,
    ThompsonTarget,
    Ticket,
    Uniform,
    Weighted,
)

SPACE = TaskSpace({"hidden": (1, 3), "decoys": (0, 3)})
RATES = TaskSpace({"failure_rate": (0.0, 0.4)})

MAKERS: dict[str, Callable[[int], Sampler]] = {
    "Uniform": lambda seed: Uniform(SPACE, seed=seed),
    "Uniform, numbers": lambda seed: Uniform(RATES, seed=seed),
    "Weighted": lambda seed: Weighted(SPACE, {"hidden=1,decoys=0": 3, "hidden=2,decoys=0": 1}, seed=seed),
    "Fixed": lambda seed: Fixed(SPACE, {"hidden": 2, "decoys": 1}, seed=seed),
    "Ladder": lambda seed: Ladder(SPACE, levels=4, window=3, seed=seed),
    "DomainRandomization": lambda seed: DomainRandomization(SPACE, queue=2, seed=seed),
    "TargetSuccess": lambda seed: TargetSuccess(SPACE, batch=2, rate=0.3, seed=seed),
    "ThompsonTarget": lambda seed: ThompsonTarget(SPACE, refresh=3, seed=seed),
    "Learnability": lambda seed: Learnability(SPACE, refresh=3, seed=seed),
    "Learnability, top": lambda seed: Learnability(SPACE, mode="top", top=3, refresh=3, seed=seed),
    "LearningProgress": lambda seed: LearningProgress(SPACE, refresh=3, seed=seed),
    "ALPGMM": lambda seed: ALPGMM(SPACE, fit=12, components=2, seed=seed),
    "PrioritizedLevelReplay": lambda seed: PrioritizedLevelReplay(SPACE, buffer=6, least=2, refresh=3, seed=seed),
    "LevelEditor": lambda seed: LevelEditor(SPACE, buffer=6, least=2, refresh=3, seed=seed),
    "Bandit": lambda seed: Bandit(SPACE, refresh=2, seed=seed),
    "Anneal": lambda seed: Anneal(SPACE, {"decoys": [(0, 0), (10, 3)]}, by="tells", draw="up_to", seed=seed),
    "Mixture": lambda seed: Mixture([(0.7, Ladder(SPACE, levels=4, window=3, seed=seed)), (0.3, Uniform(SPACE))], seed=seed),
    "Product": lambda seed: Product([Learnability(SPACE, refresh=2), Anneal(RATES, {"failure_rate": [(0, 0.2)]})], seed=seed),
    "Sequence": lambda seed: Sequence([Stage(Uniform(SPACE), tells=5), Stage(Ladder(SPACE, levels=3))], seed=seed),
}
FLOORS: dict[str, float] = {
    "Uniform": 1 / 12,
    "TargetSuccess": 0.05 / 12,
    "ThompsonTarget": 0.05 / 12,
    "Learnability": 0.15 / 12,
    "Learnability, top": 0.15 / 12,
    "LearningProgress": 0.25 / 12,
    "Bandit": 0.05 / 12,
    "Ladder": 0.02 / 4,
}
"""Least probability of a cell, by sampler."""


def saved(sampler: Any) -> dict[str, Any]:
    """A state that has been a file."""
    loaded: dict[str, Any] = json.loads(json.dumps(sampler.state_dict(), allow_nan=False))
    return loaded


def solves(ticket: Ticket) -> bool:
    """A student that makes some things of every sampler happen: fails at the hard end, and at a third of the rest."""
    return ticket.params.get("decoys", 0) < 3 and ticket.seed % 3 > 0


def practise(sampler: Sampler, answers: int, *, group: int = 1) -> list[Ticket]:
    """Play that many tickets, and give them."""
    tickets = []
    for _ in range(answers):
        ticket = sampler.ask(1, group)[0]
        tickets.append(ticket)
        sampler.tell([ticket.outcome(success=solves(ticket), trial=trial) for trial in range(group)])
    return tickets


def chi_square(counts: Counter[str], keys: list[str], probabilities: Any) -> float:
    """Probability of counts at least as far from the distribution, by the chi-square law; rare keys are put together."""
    from scipy import stats

    total = sum(counts.values())
    assert set(counts) <= set(keys)
    observed = np.array([counts[key] for key in keys], dtype=float)
    expected = np.asarray(probabilities) * total
    rare = expected < 5
    if rare.any():
        observed, expected = (np.append(values[~rare], values[rare].sum()) for values in (observed, expected))
        observed, expected = observed[expected > 0], expected[expected > 0]
    return 1.0 if len(observed) < 2 else float(stats.chisquare(observed, expected * total / expected.sum()).pvalue)
