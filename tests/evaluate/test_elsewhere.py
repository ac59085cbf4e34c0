"""Hashes from other processes come in the tasks' order, however many processes share them, and failures are told."""

from __future__ import annotations

import pytest

from opsgym.core.errors import OpsGymError
from opsgym.core.task import content_hash
from opsgym.evaluate.elsewhere import hashes_elsewhere
from tests.envs.toy_family import ToyFamily

ENTRY_POINT = "tests.envs.toy_family:ToyEnv"
FAMILY = ToyFamily()
TASKS = [FAMILY.compile(FAMILY.draw(seed), seed) for seed in range(5)]


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_hashes_come_in_the_order_of_the_tasks(workers: int) -> None:
    found = hashes_elsewhere("compile", ENTRY_POINT, TASKS, phase="again", workers=workers)
    assert found == [content_hash(task.to_json()) for task in TASKS]


def test_no_tasks_have_no_hashes() -> None:
    assert hashes_elsewhere("compile", ENTRY_POINT, [], phase="again") == []


def test_a_process_that_fails_is_told_with_its_words() -> None:
    with pytest.raises(OpsGymError, match="KeyError: 'no such hash'"):
        hashes_elsewhere("no such hash", ENTRY_POINT, TASKS, phase="again", workers=2)
