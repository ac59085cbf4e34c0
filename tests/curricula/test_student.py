"""The simulated student: every sampler that listens teaches it sooner than uniform; the target alone teaches it nothing."""

from __future__ import annotations

import statistics

import pytest

from benchmarks.curricula import MOST, SPACE, STUDENTS, Make
from opsgym.curricula import ALPGMM, Fixed, SimulatedStudent, TaskSpace, Uniform, episodes_to_mastery

SAMPLERS = [name for name in STUDENTS if not name.startswith(("Uniform", "Fixed", "ALPGMM"))]
"""Those that listen; ALPGMM, whose fits take longer, has a test of its own."""


def median(make: Make) -> float:
    return statistics.median(episodes_to_mastery(make(seed), SimulatedStudent(seed=seed), most=MOST) for seed in range(3))


@pytest.fixture(scope="module")
def uniform() -> float:
    return median(lambda seed: Uniform(SPACE, seed=seed))


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler_that_listens_beats_uniform_by_a_fifth(name: str, uniform: float) -> None:
    assert median(STUDENTS[name]) < 0.8 * uniform


def test_the_samplers_with_a_direction_come_first(uniform: float) -> None:
    for name in ("Ladder, 20 levels", "TargetSuccess"):
        assert median(STUDENTS[name]) < uniform / 3


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
