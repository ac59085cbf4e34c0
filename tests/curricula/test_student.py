"""The simulated student: every sampler that listens teaches it sooner than uniform; the target alone teaches it nothing."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import pytest

from opsgym.curricula import (
    ALPGMM,
    Bandit,
    DomainRandomization,
    Fixed,
    Ladder,
    Learnability,
    LearningProgress,
    LevelEditor,
    Mixture,
    PrioritizedLevelReplay,
    Sampler,
    SimulatedStudent,
    TargetSuccess,
    TaskSpace,
    Uniform,
    episodes_to_mastery,
)

SPACE = SimulatedStudent().space
MOST = 25_000
SAMPLERS: dict[str, Callable[[int], Sampler]] = {
    "Ladder": lambda seed: Ladder(SPACE, levels=20, seed=seed),
    "TargetSuccess": lambda seed: TargetSuccess(SPACE, seed=seed),
    "Learnability": lambda seed: Learnability(SPACE, seed=seed),
    "LearningProgress": lambda seed: LearningProgress(SPACE, seed=seed),
    "PrioritizedLevelReplay": lambda seed: PrioritizedLevelReplay(SPACE, seed=seed),
    "LevelEditor": lambda seed: LevelEditor(SPACE, seed=seed),
    "Bandit": lambda seed: Bandit(SPACE, seed=seed),
    "DomainRandomization": lambda seed: DomainRandomization(SPACE, seed=seed),
    "Mixture": lambda seed: Mixture([(0.8, Ladder(SPACE, levels=20)), (0.2, Uniform(SPACE))], seed=seed),
}


def median(make: Callable[[int], Sampler]) -> float:
    return statistics.median(episodes_to_mastery(make(seed), SimulatedStudent(seed=seed), most=MOST) for seed in range(3))


@pytest.fixture(scope="module")
def uniform() -> float:
    return median(lambda seed: Uniform(SPACE, seed=seed))


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler_that_listens_beats_uniform_by_a_fifth(name: str, uniform: float) -> None:
    assert median(SAMPLERS[name]) < 0.8 * uniform


def test_the_samplers_with_a_direction_come_first(uniform: float) -> None:
    for name in ("Ladder", "TargetSuccess"):
        assert median(SAMPLERS[name]) < uniform / 3


@pytest.mark.slow
def test_alp_gmm_beats_uniform(uniform: float) -> None:
    pytest.importorskip("sklearn")
    assert episodes_to_mastery(ALPGMM(SPACE), SimulatedStudent(), most=MOST) < 0.8 * uniform


def test_the_hardest_cell_alone_teaches_nothing() -> None:
    student = SimulatedStudent()
    assert episodes_to_mastery(Fixed(SPACE, {"hidden": 6, "decoys": 6}), student, most=5000) == 5000
    assert student.success.min() < 0.01


def test_the_student_is_deterministic_and_learns_only_when_it_should() -> None:
    first, second = SimulatedStudent(seed=3), SimulatedStudent(seed=3)
    cell = {"hidden": 1, "decoys": 0}
    assert [first.play(cell) for _ in range(30)] == [second.play(cell) for _ in range(30)]
    before = first.skill.copy()
    first.play(cell, learn=False)
    assert (first.skill == before).all()
    first.play(cell)
    assert (first.skill > before).all()
    assert isinstance(first.space, TaskSpace)
