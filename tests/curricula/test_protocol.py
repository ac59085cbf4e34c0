"""The protocol, for every sampler: draws follow the distribution, a state resumes bit for bit, and odd answers do no harm."""

from __future__ import annotations

import copy
import math
import os
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula import ALPGMM, Learnability, Outcome, Sampler, TaskSpace, ThompsonTarget, Ticket, Uniform
from tests.curricula.support import FLOORS, MAKERS, SPACE, chi_square, practise, saved, solves

every_sampler = pytest.mark.parametrize("name", MAKERS)


@every_sampler
def test_the_distribution_sums_to_one_and_starves_no_cell(name: str) -> None:
    sampler = MAKERS[name](0)
    for _ in range(12):
        keys, probabilities = sampler.distribution()
        assert len(keys) == len(probabilities) == len(set(keys))
        assert math.isclose(probabilities.sum(), 1.0, rel_tol=1e-12)
        assert probabilities.min() >= FLOORS.get(name, 0.0) * (1 - 1e-12)
        practise(sampler, 25)


@every_sampler
def test_draws_follow_the_distribution(name: str) -> None:
    sampler = MAKERS[name](1)
    practise(sampler, 60)
    at, draws = saved(sampler), Counter[str]()
    keys, probabilities = sampler.distribution()
    for index in range(1500):
        sampler.load_state_dict(at)  # asking alone may change what comes next, as a queue of edits or a schedule does
        for place, each in enumerate((sampler, *getattr(sampler, "parts", ()))):
            each.rng = np.random.Generator(np.random.PCG64([index, place]))
        draws[sampler.ask()[0].info["key"]] += 1
    assert chi_square(draws, keys, probabilities) > 1e-4


@every_sampler
def test_equal_seeds_give_equal_tickets_and_others_do_not(name: str) -> None:
    first, again, other = (practise(MAKERS[name](seed), 40) for seed in (3, 3, 4))
    assert first == again
    assert first != other


@every_sampler
@settings(max_examples=25)
@given(
    calls=st.lists(st.sampled_from(["ask", "group", "tell", "fail", "duplicate", "lose", "error", "unknown"]), max_size=60),
    cut=st.integers(0, 60),
    picks=st.randoms(use_true_random=False),
)
def test_a_saved_state_goes_on_bit_for_bit_under_any_interleaving(name: str, calls: list[str], cut: int, picks: Any) -> None:
    whole = MAKERS[name](5)
    tickets: list[Ticket] = []
    for call in calls[:cut]:
        _carry_out(call, [whole], tickets, picks)
    resumed = MAKERS[name](99)  # the seed is part of the state
    resumed.load_state_dict(saved(whole))
    assert saved(resumed) == saved(whole)
    for call in calls[cut:]:
        _carry_out(call, [whole, resumed], tickets, picks)
    assert saved(resumed) == saved(whole)
    assert resumed.ask(5) == whole.ask(5)
    assert resumed.metrics() == whole.metrics()


def _carry_out(call: str, samplers: list[Sampler], tickets: list[Ticket], picks: Any) -> None:
    if call in ("ask", "group"):
        answers = [sampler.ask(2, 3 if call == "group" else 1) for sampler in samplers]
        assert all(answer == answers[0] for answer in answers)
        tickets += answers[0]
    elif tickets:
        ticket = picks.choice(tickets)
        status = {"lose": "lost", "error": "error"}.get(call, "done")
        seed = ticket.seed + (call == "unknown")
        success = None if status != "done" else call == "tell"
        outcome = Outcome(ticket.id, seed, picks.randrange(ticket.group), success, status=status)  # type: ignore[arg-type]  # a drawn literal
        for sampler in samplers:
            sampler.tell([outcome, outcome] if call == "duplicate" else outcome)


@every_sampler
def test_answers_that_teach_nothing_leave_what_was_learned_alone(name: str) -> None:
    sampler = MAKERS[name](2)
    done = practise(sampler, 30)
    asked = sampler.ask(3)
    before = sampler.distribution()
    ignored = [
        done[-1].outcome(success=not solves(done[-1])),
        done[-1].outcome(success=True, trial=1),
        Outcome(10**6, 0, success=True),
        Outcome(-1, 0, success=True),
        Outcome(asked[0].id, asked[0].seed + 1, success=True),
        asked[0].outcome(success=True, trial=1),
        asked[0].outcome(success=True, trial=-1),
    ]
    sampler.tell(ignored)
    sampler.tell([asked[0].outcome(success=None, status="error"), asked[1].outcome(success=None, status="lost")])
    after = sampler.distribution()
    assert after.keys == before.keys
    assert np.array_equal(after.probabilities, before.probabilities)
    metrics = sampler.metrics()
    assert (metrics["duplicate"], metrics["unknown"], metrics["error"], metrics["lost"]) == (2, 5, 1, 1)
    assert metrics["done"] == 30


@every_sampler
def test_a_state_is_refused_by_another_sampler(name: str) -> None:
    state = saved(MAKERS[name](0))
    other = Uniform(TaskSpace({"decoys": (0, 9)}))
    with pytest.raises(TaskError, match=r"state\.(sampler|config): expected"):
        other.load_state_dict(state)
    with pytest.raises(TaskError, match=r"state\.schema: expected 1, got 2"):
        MAKERS[name](0).load_state_dict({**state, "schema": 2})


@every_sampler
def test_copies_go_on_alike_and_apart(name: str) -> None:
    sampler = MAKERS[name](6)
    practise(sampler, 20)
    twin = pickle.loads(pickle.dumps(sampler))
    assert practise(copy.deepcopy(sampler), 10) == practise(twin, 10)
    assert saved(twin) != saved(sampler)


@every_sampler
def test_groups_share_their_task_and_every_trial_counts(name: str) -> None:
    sampler = MAKERS[name](7)
    tickets = practise(sampler, 10, group=4)
    assert {ticket.group for ticket in tickets} == {4}
    assert sampler.metrics()["done"] == 40
    assert sampler.metrics()["open"] == 0


TTL, LOST = 300, 4096
"""For the next test: after how many answers a ticket is lost, and how many lost ones a sampler remembers."""
LEDGER = LOST + 40 * TTL
"""Most numbers and texts that a ledger holds: the lost tickets, and the open ones with all that they say."""
OWN: dict[str, int] = {"ALPGMM": 6 * (500 + 2 * 250), "PrioritizedLevelReplay": 10 * 6, "LevelEditor": 10 * 6 + 6 * 64}
"""What a sampler holds beside the ledger, where that is more than 300 numbers for 12 cells: earlier tasks, levels, edits."""
RARELY: dict[str, Callable[[], Sampler]] = {
    "ALPGMM": lambda: ALPGMM(SPACE, components=2, memory=500),
    "ThompsonTarget": lambda: ThompsonTarget(SPACE, refresh=500),
}
"""Samplers that compute long, made to do it seldom."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_what_is_kept_does_not_grow_with_the_answers(name: str) -> None:
    """Over 100,000 tickets, of which every tenth is never answered."""
    sampler = RARELY[name]() if name in RARELY else MAKERS[name](3)
    ledgers = [sampler, *getattr(sampler, "parts", ())]
    for each in ledgers:
        each._ttl = TTL
        each._ledger.next_id = each._ledger.tells = 10**6  # so that all numbers are equally long when pickled
    sizes = []
    for number in range(100_000):
        ticket = sampler.ask()[0]
        if number % 10:
            sampler.tell(ticket.outcome(success=solves(ticket)))
        if number % 20_000 == 19_999:
            assert _counted(saved(sampler)) <= (LEDGER + 300) * len(ledgers) + OWN.get(name, 0)
            sizes.append(len(pickle.dumps(sampler)))
    late = sizes[2:]  # since 50,000 tickets the memory of lost ones is full
    assert max(late) < 1.02 * min(late), "what is not in the state does not grow either"


def _counted(value: Any) -> int:
    """Numbers, texts and keys in JSON."""
    if isinstance(value, dict):
        return len(value) + sum(map(_counted, value.values()))
    return sum(map(_counted, value)) if isinstance(value, list) else 1


ORDER_FREE: dict[str, tuple[int, int]] = {
    "Uniform": (12, 12),
    "Uniform, numbers": (12, 12),
    "Weighted": (12, 12),
    "Fixed": (12, 12),
    "Ladder": (3, 3),
    "DomainRandomization": (2, 2),
    "TargetSuccess": (2, 2),
    "ThompsonTarget": (12, 1),
    "Learnability": (12, 1),
    "Learnability, top": (12, 1),
    "LearningProgress": (12, 1),
}
"""Samplers to which the order of a batch does not matter: its size, here a window or all cells, and the most from one cell.

The others look at what came before: averages of the payoff (Bandit), a model of success (level replay, the editor), the nearest
earlier task (ALPGMM); a composition is as free as its parts."""


@pytest.mark.parametrize("name", ORDER_FREE)
@settings(max_examples=25)
@given(bits=st.lists(st.booleans(), min_size=12, max_size=12), order=st.permutations(range(12)))
def test_the_order_of_a_batch_does_not_matter(name: str, bits: list[bool], order: list[int]) -> None:
    size, most = ORDER_FREE[name]
    first, second = MAKERS[name](11), MAKERS[name](11)
    batch, seen = list[Outcome](), Counter[str]()
    while len(batch) < size:
        ticket = first.ask()[0]
        assert second.ask()[0] == ticket
        if seen[ticket.info["key"]] < most:
            seen[ticket.info["key"]] += 1
            batch.append(ticket.outcome(success=bits[len(batch)]))
    first.tell(batch)
    second.tell([batch[place] for place in order if place < size])
    assert saved(first) == saved(second)


# -- what does not depend on the kind ---------------------------------------------------------------------


def test_a_ticket_open_for_too_long_is_lost_and_its_answer_late() -> None:
    sampler = Learnability(SPACE, ttl=3, refresh=1)
    old = sampler.ask(1, group=2)[0]
    sampler.tell(old.outcome(success=True))
    fresh = sampler.ask(5)
    for ticket in fresh[:2]:
        sampler.tell(ticket.outcome(success=False))
    assert old in sampler.open_tickets
    sampler.tell(fresh[2].outcome(success=False))
    assert old not in sampler.open_tickets
    before = sampler.distribution().probabilities
    sampler.tell(old.outcome(success=True, trial=1))
    metrics = sampler.metrics()
    assert (metrics["lost"], metrics["late"], metrics["duplicate"], metrics["done"]) == (1, 1, 0, 4)
    assert np.array_equal(sampler.distribution().probabilities, before)


def test_the_success_bit_and_the_score_are_apart() -> None:
    plain, shaped = (Learnability(SPACE, refresh=1, seed=1) for _ in range(2))
    for index in range(50):
        first, second = plain.ask()[0], shaped.ask()[0]
        plain.tell(first.outcome(success=index % 2 == 0))
        shaped.tell(second.outcome(success=index % 2 == 0, score=index * 7.0))
    assert np.array_equal(plain.distribution().probabilities, shaped.distribution().probabilities)


def test_a_copy_in_another_process_must_be_adopted() -> None:
    sampler = pickle.loads(pickle.dumps(Uniform(SPACE)))
    sampler._owner = os.getpid() + 1
    with pytest.raises(TaskError, match="copy of a sampler of another process"):
        sampler.ask()
    sampler.adopt()
    assert sampler.ask()[0].id == 0


@pytest.mark.parametrize(("n", "group"), [(0, 1), (1, 0)])
def test_ask_refuses_numbers_that_are_not_positive(n: int, group: int) -> None:
    with pytest.raises(TaskError, match="positive"):
        Uniform(SPACE).ask(n, group)


def test_outcomes_are_checked() -> None:
    ticket = Uniform(SPACE).ask()[0]
    with pytest.raises(TaskError, match="success: expected True or False"):
        ticket.outcome(success=None)
    with pytest.raises(TaskError, match="score: expected a finite number, got nan"):
        ticket.outcome(success=True, score=float("nan"))
    with pytest.raises(RegistryError, match="unknown status 'won'"):
        ticket.outcome(success=True, status="won")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(TaskError, match="expected the fields of Ticket"):
        Ticket.from_dict({"number": 1})
    assert Ticket.from_dict(ticket.as_dict()) == ticket
    outcome = ticket.outcome(success=True, score=0.5, turns=3, value_loss=0.1)
    assert Outcome.from_dict(outcome.as_dict()) == outcome
