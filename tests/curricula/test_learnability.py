"""Learnability: cells are drawn by p (1 - p), the same for p and 1 - p, and get only the floor where p is 0 or 1."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula import Learnability, Outcome, TaskSpace
from tests.curricula.support import chi_square

SPACE = TaskSpace({"cell": (0, 6)})
CHANCE = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])


def informed(**arguments: object) -> Learnability:
    """A sampler that knows the chances."""
    sampler = Learnability(SPACE, **arguments)  # type: ignore[arg-type]  # arguments by name
    sampler._success = CHANCE.tolist()
    sampler._renew()
    return sampler


def test_with_known_chances_draws_match_their_variance() -> None:
    sampler = informed(seed=2, floor=0.1)
    value = CHANCE * (1 - CHANCE)
    expected = 0.1 / 7 + 0.9 * value / value.sum()
    counts = Counter(ticket.info["key"] for ticket in sampler.ask(20_000))
    assert chi_square(counts, sampler.keys, expected) > 1e-4


def test_it_is_symmetric_and_leaves_the_floor_to_what_teaches_nothing() -> None:
    probabilities = informed(floor=0.14).distribution().probabilities
    assert np.allclose(probabilities, probabilities[::-1])
    assert np.allclose(probabilities[[0, 6]], 0.02)


def test_the_top_cells_share_alike() -> None:
    probabilities = informed(mode="top", top=3, floor=0.0).distribution().probabilities
    assert np.allclose(probabilities, [0, 0, 1 / 3, 1 / 3, 1 / 3, 0, 0])


def test_estimates_come_close_to_the_chances() -> None:
    sampler, rng = Learnability(SPACE, alpha=0.02, floor=1.0), np.random.default_rng(0)
    for _ in range(7000):
        ticket = sampler.ask()[0]
        sampler.tell(ticket.outcome(success=bool(rng.random() < CHANCE[ticket.params["cell"]])))
    assert np.abs(np.array(sampler._success) - CHANCE).max() < 0.25
    assert np.abs(sampler.learnability() - CHANCE * (1 - CHANCE)).max() < 0.08


def test_arguments_are_checked() -> None:
    with pytest.raises(RegistryError, match="unknown mode 'best'"):
        Learnability(SPACE, mode="best")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(TaskError, match="alpha"):
        Learnability(SPACE, alpha=0.0)


def test_the_order_of_answers_from_different_cells_does_not_matter() -> None:
    first, second = (Learnability(TaskSpace({"cell": (0, 9)}), refresh=8, seed=5) for _ in range(2))
    outcomes: dict[int, Outcome] = {}
    for ticket, twin in zip(first.ask(40), second.ask(40), strict=True):
        assert ticket == twin
        outcomes.setdefault(ticket.params["cell"], ticket.outcome(success=ticket.params["cell"] % 2 == 0))
    answers = list(outcomes.values())[:8]
    assert len(answers) == 8
    first.tell(answers)
    second.tell(reversed(answers))
    assert first.distribution().probabilities.tolist() == second.distribution().probabilities.tolist()
