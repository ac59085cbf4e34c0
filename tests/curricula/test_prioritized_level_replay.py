"""PrioritizedLevelReplay: the published mixture on fixed scores, a buffer of the best, no level forgotten, robust probes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula import PrioritizedLevelReplay, TaskSpace
from opsgym.curricula.prioritized_level_replay import replay_probabilities

SPACE = TaskSpace({"decoys": (0, 9)})


def filled(scores: list[float], **arguments: object) -> PrioritizedLevelReplay:
    """A sampler whose levels have these scores, in the order of play."""
    settings = {"least": 1, "score": "abs_advantage", "replay": 0.0, "refresh": 1, "temperature": 0.5, **arguments}
    sampler = PrioritizedLevelReplay(SPACE, **settings)  # type: ignore[arg-type]  # arguments by name
    for score in scores:
        sampler.tell(sampler.ask()[0].outcome(success=True, abs_advantage=score))
    return sampler


def test_replay_follows_the_rank_formula_mixed_with_staleness() -> None:
    sampler = filled([0.2, 0.9, 0.5], staleness=0.3)
    by_rank = np.array([3.0**-2, 1.0, 2.0**-2])
    by_age = np.array([2.0, 1.0, 0.0])
    expected = 0.7 * by_rank / by_rank.sum() + 0.3 * by_age / by_age.sum()
    assert np.allclose(sampler._probabilities, expected, atol=1e-15)
    sampler._replay = 0.8
    keys, probabilities = sampler.distribution()
    assert keys == ["new", "level 0", "level 1", "level 2"]
    assert np.allclose(probabilities, [0.2, *(0.8 * expected)])


def test_a_lower_temperature_gives_the_best_level_more() -> None:
    scores, ages = np.array([0.1, 0.4, 0.3]), np.zeros(3)
    cold, warm = (replay_probabilities(scores, ages, temperature=t, staleness=0.0)[1] for t in (0.1, 1.0))
    assert cold > 0.99 > warm > 1 / 3
    assert np.allclose(replay_probabilities(scores, ages, temperature=0.1, staleness=1.0), 1 / 3)


def test_a_full_buffer_keeps_the_top_scores() -> None:
    scores = np.random.default_rng(0).random(200).tolist()
    sampler = filled(scores, buffer=20)
    assert sorted(level.score for level in sampler.levels) == sorted(scores)[-20:]
    assert len({level.id for level in sampler.levels}) == 20


def test_no_level_is_forgotten() -> None:
    """Every level is replayed again within the bound that staleness gives, and just as often as it was said to be.

    With n levels, staleness r and no gap above G so far, a level of age a is drawn with probability of at least r a / (n G):
    G rounds without it have at most the probability exp(-r G / 2 n).  With N gaps in all, none is longer than
    2 n ln(N / d) / r but with probability d.
    """
    count, staleness, rounds, doubt = 30, 0.3, 6000, 1e-4
    sampler = filled([index / count for index in range(count)], buffer=count, staleness=staleness, temperature=0.1)
    sampler._replay = 1.0
    ages, waited, gaps, longest = np.zeros(count), np.zeros(count), list[float](), 0.0
    for _ in range(rounds):
        probabilities = sampler.distribution().probabilities[1:]
        ages = sampler.tells - np.array([level.played for level in sampler.levels])
        if ages.any():
            assert (probabilities >= staleness * ages / ages.sum() * (1 - 1e-9)).all()
        ticket = sampler.ask()[0]
        number = ticket.info["level"]
        waited += probabilities
        gaps.append(waited[number])
        waited[number], longest = 0.0, max(longest, ages[number])
        sampler.tell(ticket.outcome(success=True, abs_advantage=sampler.levels[number].score))  # the score stays as it is
    assert max(longest, ages.max()) < 2 * count * math.log((rounds + count) / doubt) / staleness
    # What a level was promised between two draws adds up to 1 on average, and seldom to much more.
    assert max(max(gaps), waited.max()) < math.log((rounds + count) / doubt) + 1
    assert abs(np.mean(gaps) - 1) < 4 * np.std(gaps) / math.sqrt(rounds) + waited.sum() / rounds


def test_replays_are_the_same_task_and_probes_do_not_train() -> None:
    sampler = PrioritizedLevelReplay(SPACE, least=4, robust=True, seed=3)
    probes: dict[int, tuple[dict[str, int], int]] = {}
    replays = 0
    for _ in range(300):
        ticket = sampler.ask()[0]
        if "level" in ticket.info:
            replays += 1
            assert ticket.train and probes[ticket.info["level"]] == (dict(ticket.params), ticket.seed)
        else:
            assert not ticket.train
        sampler.tell(ticket.outcome(success=ticket.params["decoys"] < 5))
        probes |= {level.id: (level.params, level.seed) for level in sampler.levels}
    assert 100 < replays < 200
    assert all(ticket.train for ticket in PrioritizedLevelReplay(SPACE).ask(5))


def test_surprise_is_least_where_the_agent_always_succeeds_or_fails() -> None:
    sampler = PrioritizedLevelReplay(SPACE, replay=0.0, seed=1)
    rng, late = np.random.default_rng(2), dict[int, list[float]]()
    for answer in range(6000):
        ticket = sampler.ask()[0]
        chance = 1 / (1 + np.exp(2.0 * (ticket.params["decoys"] - 4.5)))
        sampler.tell(ticket.outcome(success=bool(rng.random() < chance)))
        if answer > 3000:
            late.setdefault(ticket.params["decoys"], []).append(sampler.levels[-1].score)
    means = {decoys: float(np.mean(scores)) for decoys, scores in late.items()}
    assert min(means[4], means[5]) > 3 * max(means[0], means[1], means[8], means[9])


def test_what_it_needs_is_asked_for() -> None:
    sampler = PrioritizedLevelReplay(SPACE, score="value_loss")
    with pytest.raises(TaskError, match="expected 'value_loss'"):
        sampler.tell(sampler.ask()[0].outcome(success=True))
    with pytest.raises(RegistryError, match="unknown score 'regret'"):
        PrioritizedLevelReplay(SPACE, score="regret")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(TaskError, match=r"least: expected at most buffer=3, got 32"):
        PrioritizedLevelReplay(SPACE, buffer=3)


def test_a_level_that_is_no_task_after_all_loses_its_score() -> None:
    sampler = filled([0.5, 0.9])
    sampler._replay = 1.0
    ticket = next(ticket for ticket in sampler.ask(50) if ticket.info.get("level") == 1)
    sampler.tell(ticket.outcome(success=None, status="infeasible"))
    assert [level.score for level in sampler.levels] == [0.5, 0.0]
