"""Prefetching changes when a task is compiled, never which one is played."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from itertools import count
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.envs.prefetch import Prefetch
from tests.envs.toy_family import ToyEnv, ToyFamily, ToyParams, ToyVectorEnv


class FailingFamily(ToyFamily):
    """Compiles no task of an even seed, and notes where each is compiled."""

    def compile(self, params: ToyParams, seed: int) -> Task:
        if seed % 2 == 0:
            raise TaskError(f"seed {seed} is even", field="params.counters")
        return super().compile(params, seed)


class FailingEnv(ToyEnv):
    """Fails on every other task."""

    family = FailingFamily()


class LocalFamily(ToyFamily):
    """Writes a line for every task that this process compiles."""

    compiled: list[int] = []  # noqa: RUF012  # shared on purpose

    def compile(self, params: ToyParams, seed: int) -> Task:
        self.compiled.append(seed)
        return super().compile(params, seed)


class LocalEnv(ToyEnv):
    """Says what was compiled in this process."""

    family = LocalFamily()


@pytest.fixture(autouse=True)
def forget() -> None:
    LocalFamily.compiled.clear()


def play(env: ToyEnv, episodes: int, **options: Any) -> list[str]:
    """What each of a row of resets gives: the task, or the error."""
    found = []
    for number in range(episodes):
        try:
            found.append(env.reset(seed=5 if number == 0 else None, options=options)[1]["task_id"])
        except TaskError as error:
            found.append(f"{error} {error.field}")
    return found


def test_tasks_and_errors_come_in_the_same_order_with_and_without() -> None:
    expected = play(FailingEnv(cache=None), 8)
    assert any("is even" in item for item in expected) and len(set(expected)) == 8
    env = FailingEnv(cache=None)
    with Prefetch(env, workers=2, ahead=3):
        assert play(env, 8) == expected


def test_a_new_seed_or_other_options_take_effect_at_once() -> None:
    def episodes(env: ToyEnv) -> list[str]:
        return play(env, 3) + play(env, 3, tier="medium") + play(env, 2)

    expected = episodes(ToyEnv(cache=None))
    env = ToyEnv(cache=None)
    with Prefetch(env, ahead=2):
        assert episodes(env) == expected


def test_given_seeds_are_compiled_elsewhere(tmp_path: Path) -> None:
    seeds = [3, 3, 8, 1, 4]
    expected = [ToyEnv(cache=None).reset(seed=seed)[1]["task_id"] for seed in seeds]
    env = LocalEnv(cache=str(tmp_path))
    with Prefetch(env, seeds=seeds, ahead=4) as prefetch:
        wait(prefetch)
        assert [env.reset(seed=seed)[1]["task_id"] for seed in seeds[:2]] == expected[:2]
        assert LocalFamily.compiled == []
        assert [env.reset(seed=seed)[1]["task_id"] for seed in seeds[2:]] == expected[2:]
    assert len(list(tmp_path.rglob("*.json"))) == 4


def wait(prefetch: Prefetch) -> None:
    """Wait until all that was begun is done."""
    for supply in prefetch._supplies:
        for job in supply.foresight._jobs.values():  # type: ignore[union-attr]  # there is one while it is open
            while job.future is None:
                time.sleep(0.01)
            job.future.exception()


def test_a_seed_left_out_or_unexpected_is_played_all_the_same() -> None:
    order = [0, 2, 100, 3, 1]
    expected = [ToyEnv(cache=None).reset(seed=seed)[1]["task_id"] for seed in order]
    env = ToyEnv(cache=None)
    with Prefetch(env, seeds=count(), ahead=3):
        assert [env.reset(seed=seed)[1]["task_id"] for seed in order] == expected


def test_no_more_is_made_in_advance_than_allowed() -> None:
    env = ToyEnv(cache=None)
    with Prefetch(env, seeds=count(), ahead=3):
        lane: Any = env.supply.foresight
        for seed in range(6):
            env.reset(seed=seed)
            assert len(lane._jobs) <= 4


def test_a_vector_is_served_whole() -> None:
    plain, served = ToyVectorEnv(num_envs=3, cache=None), ToyVectorEnv(num_envs=3, cache=None)
    with Prefetch(served, ahead=2):
        for seed in (7, None, None):
            assert list(plain.reset(seed=seed)[1]["task_id"]) == list(served.reset(seed=seed)[1]["task_id"])


def test_after_closing_the_environment_goes_on_alone() -> None:
    expected = play(ToyEnv(cache=None), 4)
    env = LocalEnv(cache=None)
    prefetch = Prefetch(env, ahead=2)
    assert play(env, 2) == expected[:2]
    prefetch.close()
    prefetch.close()
    assert env.supply.foresight is None
    assert [env.reset()[1]["task_id"] for _ in range(2)] == expected[2:]


@pytest.mark.filterwarnings("ignore:a prefetching process died")  # whether it comes depends on when the loss is noticed
def test_a_dead_process_is_replaced_by_this_one() -> None:
    expected = play(ToyEnv(cache=None), 6)
    env = ToyEnv(cache=None)
    with Prefetch(env, ahead=4) as prefetch:
        got = play(env, 1)
        wait(prefetch)
        for process in list(prefetch._crew._pool._processes.values()):
            process.kill()
            process.join()
        got += [env.reset()[1]["task_id"] for _ in range(5)]
    assert got == expected


def test_what_cannot_be_prefetched_is_said_or_left_alone() -> None:
    with pytest.raises(TaskError, match="expected a ToolEnv"):
        Prefetch(gym.make("CartPole-v1"))
    with pytest.raises(TaskError, match="workers: expected a positive number"):
        Prefetch(ToyEnv(cache=None), workers=0)
    with pytest.raises(TaskError, match="ahead: expected a positive number"):
        Prefetch(ToyEnv(cache=None), ahead=0)
    given = ToyEnv(tasks=[ToyFamily().compile(ToyParams(), 1)], cache=None)
    with Prefetch(given):
        given.reset(seed=1)
        assert given.supply.foresight is None


SCRIPT = """
    import sys
    from itertools import count
    from opsgym.envs.prefetch import Prefetch
    from tests.envs.test_prefetch import SlowEnv

    if __name__ == "__main__":
        env = SlowEnv(cache=None)
        prefetch = Prefetch(env, seeds=count(), ahead=200)
        env.reset(seed=0)
        {end}
"""


class SlowFamily(ToyFamily):
    """Takes a while."""

    def compile(self, params: ToyParams, seed: int) -> Task:
        time.sleep(0.2)
        return super().compile(params, seed)


class SlowEnv(ToyEnv):
    """Needs prefetching."""

    family = SlowFamily()


@pytest.mark.parametrize("end", ["pass", "import os, signal; os.kill(os.getpid(), signal.SIGINT)", "sys.exit(3)"])
def test_a_program_ends_at_once_whether_it_closes_or_not(end: str, tmp_path: Path) -> None:
    """200 tasks of 0.2 s are queued: an end that waited for them would run into the time-out."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT).format(end=end))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))}
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment, timeout=30)
    assert run.stderr.count("Traceback") == ("SIGINT" in end), run.stderr
    assert run.returncode == {"pass": 0, "sys.exit(3)": 3}.get(end, -signal.SIGINT)
