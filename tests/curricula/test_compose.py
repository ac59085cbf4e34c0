"""Mixture, Product and Sequence: each part hears of its own tickets, and draws from a stream of its own."""

from __future__ import annotations

import numpy as np
import pytest

from opsgym.core.errors import TaskError
from opsgym.curricula import Fixed, Ladder, Learnability, Mixture, Product, Sequence, Stage, TaskSpace, Uniform

TASKS = TaskSpace({"decoys": (0, 9)})
FAULTS = TaskSpace({"failure_rate": (0.0, 0.5)})


def test_a_mixture_tells_each_part_of_its_own_tickets_alone() -> None:
    ladder, even = Ladder(TASKS, window=4), Uniform(TASKS)
    sampler = Mixture([(3, ladder), (1, even)], seed=1)
    for _ in range(400):
        sampler.tell(sampler.ask()[0].outcome(success=True))
    assert ladder.metrics()["done"] + even.metrics()["done"] == 400
    assert abs(even.metrics()["done"] - 100) < 40
    assert ladder.metrics()["unknown"] == even.metrics()["unknown"] == ladder.metrics()["open"] == 0
    assert ladder.level > 3


def test_a_product_tells_both_axes_and_draws_them_apart() -> None:
    tasks, faults = Uniform(TASKS, seed=0), Uniform(FAULTS, seed=0)
    sampler = Product([tasks, faults])
    tickets = sampler.ask(2000)
    pairs = np.array([[ticket.params["decoys"], ticket.failure_rate] for ticket in tickets], dtype=float)
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 0.1, "equal seeds of the parts do not tie them together"
    sampler.tell([ticket.outcome(success=True) for ticket in tickets])
    assert tasks.metrics()["done"] == faults.metrics()["done"] == 2000


def test_a_sequence_moves_on_after_answers_or_at_mastery_and_never_back() -> None:
    easy, middle, rest = Fixed(TASKS, {"decoys": 0}), Fixed(TASKS, {"decoys": 4}), Uniform(TASKS)
    sampler = Sequence([Stage(easy, tells=10), Stage(middle, success=0.75, window=4), Stage(rest)])
    stages = []
    for answer in range(40):
        stages.append(sampler.stage)
        sampler.tell(sampler.ask()[0].outcome(success=answer < 10 or answer >= 22))
    assert stages == [0] * 10 + [1] * 16 + [2] * 14, "the window from 18 to 21 has none, from 22 to 25 all"


def test_answers_of_an_earlier_stage_do_not_move_the_next() -> None:
    sampler = Sequence([Stage(Fixed(TASKS, {"decoys": 0}), tells=2), Stage(Uniform(TASKS), tells=2), Stage(Uniform(TASKS))])
    sampler.tell([ticket.outcome(success=True) for ticket in sampler.ask(8)])
    assert sampler.stage == 1


def test_lost_tickets_are_lost_to_the_parts_too() -> None:
    part = Learnability(TASKS, ttl=2)
    sampler = Mixture([(1, part)])
    sampler.ask()
    for _ in range(4):
        sampler.tell(sampler.ask()[0].outcome(success=True))
    assert sampler.metrics()["lost"] == 1
    assert part.metrics()["lost"] == 1 and part.metrics()["open"] == 0


def test_compositions_nest_and_resume() -> None:
    def made() -> Mixture:
        inner = Product([Learnability(TASKS, refresh=2), Uniform(FAULTS)])
        return Mixture([(0.5, inner), (0.5, Sequence([Stage(Uniform(TASKS), tells=3), Stage(Ladder(TASKS))]))], seed=8)

    first, second = made(), made()
    for ticket in first.ask(40):
        first.tell(ticket.outcome(success=ticket.params["decoys"] < 5))
    second.load_state_dict(first.state_dict())
    assert first.ask(20) == second.ask(20)
    assert first.distribution().probabilities.sum() == pytest.approx(1.0)


def test_parts_that_make_no_sense_are_refused() -> None:
    part = Uniform(TASKS)
    with pytest.raises(TaskError, match="different samplers"):
        Mixture([(1, part), (1, part)])
    with pytest.raises(TaskError, match="above 0, got 0"):
        Mixture([(0, part)])
    with pytest.raises(TaskError, match="decoys: in more than one part"):
        Product([part, Uniform(TASKS)])
    with pytest.raises(TaskError, match="it never ends"):
        Sequence([Stage(part), Stage(Uniform(TASKS))])
    for empty in (Mixture, Product, Sequence):
        with pytest.raises(TaskError, match="at least one"):
            empty([])
