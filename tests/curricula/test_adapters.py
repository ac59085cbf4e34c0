"""Ray and stable-baselines3 are thin; their tests need them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import gymnasium as gym
import pytest

from opsgym.core.errors import TaskError
from opsgym.curricula import CurriculumWrapper, Desk, Ladder, RayDesk, TaskSpace, Uniform, load_state, save_state, sb3_callback
from opsgym.wrappers import DiscreteToolActions
from tests.curricula.support import practise, saved

SPACE = TaskSpace({"counters": (1, 5)})


def test_a_state_is_written_whole_and_read_back(tmp_path: Path) -> None:
    sampler = Ladder(SPACE, levels=4, window=2)
    practise(sampler, 20)
    save_state(sampler, tmp_path / "deep" / "state.json")
    again = Ladder(SPACE, levels=4, window=2)
    load_state(again, tmp_path / "deep" / "state.json")
    assert saved(again) == saved(sampler)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["state.json"]
    with pytest.raises(TaskError, match=r"state\.config"):
        load_state(Ladder(SPACE, levels=3), tmp_path / "deep" / "state.json")


def test_a_desk_resumes_inside_a_group() -> None:
    first, second = (Desk(Uniform(SPACE), group=3) for _ in range(2))
    first.draw()
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert [first.draw() for _ in range(4)] == [second.draw() for _ in range(4)]


@pytest.mark.train
def test_sb3_logs_and_saves_the_curriculum(toy_id: str, tmp_path: Path) -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    sampler = Ladder(SPACE, levels=4)

    def make() -> gym.Env[object, object]:
        return CurriculumWrapper(DiscreteToolActions(gym.make(toy_id, max_steps=8), size=40), sampler)

    model = PPO("MultiInputPolicy", DummyVecEnv([make, make]), n_steps=16, batch_size=16, n_epochs=1, device="cpu")
    model.learn(64, callback=sb3_callback(sampler, path=tmp_path / "state-{steps}.json", save_every=16))
    assert model.logger.name_to_value["curriculum/level"] >= 0
    assert sampler.metrics()["done"] > 0
    assert (tmp_path / "state-64.json").exists()
    load_state(Ladder(SPACE, levels=4), tmp_path / "state-32.json")


@pytest.mark.slow
@pytest.mark.train
def test_a_ray_actor_owns_the_sampler() -> None:
    ray = pytest.importorskip("ray")
    os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0")
    ray.init(num_cpus=1, include_dashboard=False, logging_level="ERROR")
    try:
        desk = RayDesk(partial(Uniform, SPACE, seed=3), group=2)

        @ray.remote  # type: ignore[untyped-decorator,unused-ignore]  # an extra
        def work(desk: RayDesk) -> int:
            for _ in range(4):
                ticket, trial = desk.draw()
                desk.tell(ticket.outcome(success=True, trial=trial))
            return os.getpid()

        assert os.getpid() not in ray.get([work.remote(desk), work.remote(desk)])
        assert desk.metrics()["done"] == 8
        again = RayDesk(partial(Uniform, SPACE, seed=3), group=2, state=desk.state_dict())
        assert again.draw() == desk.draw()
    finally:
        ray.shutdown()


@pytest.mark.train
def test_the_training_example_runs_from_end_to_end() -> None:
    pytest.importorskip("sb3_contrib")
    example = Path(__file__).parents[2] / "examples" / "train_maskable_ppo.py"
    arguments = ["--steps", "640", "--envs", "2", "--episodes", "2"]
    done = subprocess.run([sys.executable, str(example), *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("validation:") == 6, "before, and five times on the way"


@pytest.mark.slow
@pytest.mark.train
def test_the_training_example_learns() -> None:
    pytest.importorskip("sb3_contrib")
    example = Path(__file__).parents[2] / "examples" / "train_maskable_ppo.py"
    arguments = ["--steps", "20480", "--episodes", "40"]
    done = subprocess.run([sys.executable, str(example), *arguments], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    chance, *measured = (float(line.split()[-1]) for line in done.stdout.splitlines() if ":" in line and "weights" not in line)
    assert measured[-1] > max(0.3, 3 * chance), "on the hardest tasks of another split"
