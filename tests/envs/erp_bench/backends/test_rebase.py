from __future__ import annotations

import datetime as dt
import re

import pytest

from opsgym.envs.erp_bench.backends import EmbeddedBackend, neutral, play, rebased
from opsgym.envs.erp_bench.family import scenario_of
from tests.envs.erp_bench.backends.tasks import SHORT, task_of

LATER = dt.date(2027, 2, 1)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@pytest.mark.parametrize("pattern", SHORT)
def test_a_task_is_solved_on_another_day_as_on_its_own(pattern: str) -> None:
    task = task_of(pattern)
    moved = rebased(task, LATER)
    assert scenario_of(moved).today == LATER
    assert moved.certificate == task.certificate
    assert moved.checks == task.checks
    with EmbeddedBackend() as backend:
        played = play(backend, moved)
        assert played.verdict.reward == 1
        there = str(neutral(played.state))
        here = str(neutral(play(backend, task).state))
    days = (LATER - scenario_of(task).today).days
    assert DATE.sub(lambda day: str(dt.date.fromisoformat(day.group()) + dt.timedelta(days=days)), here) == there.replace(
        f"INV/{LATER.year}", f"INV/{scenario_of(task).today.year}"
    )


def test_every_date_in_brief_and_documents_moves() -> None:
    task = task_of("10_single_bom_split_by_capacity")
    days = (LATER - scenario_of(task).today).days
    moved = rebased(task, LATER)
    for old, new in (
        (task.instruction, moved.instruction),
        *((one.body, two.body) for one, two in zip(scenario_of(task).documents, scenario_of(moved).documents, strict=True)),
    ):
        expected = [dt.date.fromisoformat(day) + dt.timedelta(days=days) for day in DATE.findall(old)]
        assert [dt.date.fromisoformat(day) for day in DATE.findall(new)] == expected


def test_a_task_on_its_own_day_is_itself_and_moving_back_gives_it_again() -> None:
    task = task_of("repair_plan_hard")
    assert rebased(task, scenario_of(task).today) is task
    assert rebased(rebased(task, LATER), scenario_of(task).today) == task


def test_an_instruction_of_other_origin_stays() -> None:
    task = task_of("repair_plan_hard")
    worded = task.model_copy(update={"instruction": "Mend the plan."})
    assert rebased(type(task).model_validate(worded.model_dump(exclude={"id"})), LATER).instruction == "Mend the plan."
