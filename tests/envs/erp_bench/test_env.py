"""ERPBench-v0 as a Gymnasium environment: every registered configuration keeps the contract."""

from __future__ import annotations

import gc
import json
import os
import pickle
import random
import subprocess
import sys
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import CustomSpaceError
from gymnasium.utils.env_checker import check_env

import opsgym
from opsgym.baselines.registry import make_policy
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.data.packs import write_pack
from opsgym.envs.erp_bench.env import ERPBenchEnv, ERPBenchVectorEnv
from opsgym.envs.erp_bench.regions import PATTERNS
from opsgym.evaluate.rollout import run_episode

ROOT = Path(__file__).resolve().parents[3]
SUBMIT = '{"name": "submit"}'


def make(**kwargs: Any) -> ERPBenchEnv:
    env = gym.make("ERPBench-v0", **{"cache": None, **kwargs}).unwrapped
    assert isinstance(env, ERPBenchEnv)
    return env


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """One task of every pattern."""
    family = ERPBenchEnv.family
    return [family.compile(family.draw(seed, pattern=pattern), seed) for seed, pattern in enumerate(PATTERNS)]


# -- registration


def test_importing_registers_quickly_and_lightly() -> None:
    script = "import sys, opsgym, gymnasium; print('ERPBench-v0' in gymnasium.registry, sorted(sys.modules))"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert printed.startswith("True")
    for heavy in ("ortools", "pettingzoo", "typer", "rich", "pydantic", "sqlite3"):
        assert f"'{heavy}'" not in printed


def test_the_spec_travels() -> None:
    spec = gym.spec("ERPBench-v0")
    assert spec.max_episode_steps is None and not spec.disable_env_checker and not spec.nondeterministic
    env = gym.make("ERPBench-v0", tier="easy", cache=None)
    assert env.spec is not None
    for again in (pickle.loads(pickle.dumps(env.spec)), gym.envs.registration.EnvSpec.from_json(env.spec.to_json())):
        assert gym.make(again).reset(seed=2)[0] == env.reset(seed=2)[0]


CONFIGURATIONS = [
    *({"tier": tier, "harness": harness, "disclosure": disclosure}
      for tier, harness, disclosure in product(("easy", "medium"), ("tools", "api"), ("full", "brief", "policy"))),
    *({"tier": "easy", "reward_mode": mode} for mode in ("binary", "dense")),
    {"split": "test", "grade_on_truncation": False, "max_steps": 3},
]  # fmt: skip


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda c: "-".join(map(str, c.values())))
def test_check_env_is_silent(configuration: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**configuration))


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync", "async"])
def test_every_vector_mode_gives_the_text_of_single_environments(mode: str) -> None:
    extra: dict[str, Any] = {"vector_kwargs": {"shared_memory": False}} if mode == "async" else {}
    envs = gym.make_vec("ERPBench-v0", num_envs=2, vectorization_mode=mode, tier="easy", cache=None, **extra)
    try:
        obs, info = envs.reset(seed=5)
        alone = [make(tier="easy") for _ in range(2)]
        starts = [env.reset(seed=5 + i) for i, env in enumerate(alone)]
        assert obs == tuple(start[0] for start in starts)
        assert list(info["task_id"]) == [start[1]["task_id"] for start in starts]
        actions = ('{"name": "get_current_date"}', SUBMIT)
        obs, _, terminated, *_ = envs.step(actions)
        assert obs == tuple(env.step(action)[0] for env, action in zip(alone, actions, strict=True))
        assert terminated.tolist() == [False, True]
    finally:
        envs.close()


def test_plain_make_vec_is_right_and_shared_memory_refuses() -> None:
    envs = gym.make_vec("ERPBench-v0", num_envs=2, max_episode_steps=7, cache=None)
    assert isinstance(envs, ERPBenchVectorEnv)
    assert [env.max_steps for env in envs] == [7, 7]
    envs.close()
    with pytest.raises((CustomSpaceError, ValueError), match="shared_memory=False"):
        gym.make_vec("ERPBench-v0", num_envs=2, vectorization_mode="async", cache=None)


# -- determinism


def test_seeds_reproduce_and_differ() -> None:
    first, second = make(tier="easy"), make(tier="easy")
    ids = [[env.reset(seed=seed)[1]["task_id"] for seed in range(4)] for env in (first, second)]
    assert ids[0] == ids[1] and len(set(ids[0])) == 4


def test_the_global_random_streams_are_untouched() -> None:
    before = random.getstate(), repr(np.random.get_state())
    env = make(tier="medium")
    env.reset(seed=3)
    for call in env.task.oracle:
        env.step(call)
    env.reset()
    env.step(env.action_space.sample())
    assert (random.getstate(), repr(np.random.get_state())) == before


def test_two_processes_with_other_hash_seeds_agree() -> None:
    script = (
        "import opsgym, gymnasium as gym\n"
        "for tier in ('easy', 'medium', 'hard'):\n"
        "    env = gym.make('ERPBench-v0', tier=tier, cache=None)\n"
        "    print(env.reset(seed=4))\n"
        "    base = env.unwrapped\n"
        "    print([env.step(call)[:4] for call in base.task.oracle], base.world.digest(), base.task.to_json())\n"
    )
    outputs = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment, cwd=ROOT
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_snapshots_and_forks_replay_identically(tasks: list[Task]) -> None:
    env = make(reward_mode="dense")
    env.reset(seed=1, options={"task": tasks[-1]})
    half = len(tasks[-1].oracle) // 2
    for call in tasks[-1].oracle[:half]:
        env.step(call)
    state, forked = pickle.loads(pickle.dumps(env.snapshot())), env.fork()

    def play(env: ERPBenchEnv) -> list[Any]:
        steps: list[Any] = [env.step(call) for call in tasks[-1].oracle[half:]]
        return [*steps, env.world.digest(), env.reset()]

    first = play(env)
    env.restore(state)
    assert first == play(env) == play(forked)


# -- episodes


def test_the_oracle_earns_everything_and_doing_nothing_earns_nothing(tasks: list[Task]) -> None:
    env = make()
    for task in tasks:
        oracle = run_episode(env, make_policy("oracle", env.family), task=task)
        assert (oracle.reward, oracle.is_success, oracle.errors) == (1.0, True, {})
        for name in ("do-nothing", "submit-at-once"):
            assert run_episode(env, make_policy(name, env.family), task=task).reward == 0.0


def test_fixed_planners_are_policies_between_floor_and_oracle(tasks: list[Task]) -> None:
    env = make()
    for name in env.family.policies():
        rewards = [run_episode(env, make_policy(name, env.family), task=task).reward for task in tasks]
        assert all(0.0 <= reward <= 1.0 for reward in rewards)
        assert max(rewards) > 0.25


def test_dense_rewards_of_the_oracle_add_up_to_one(tasks: list[Task]) -> None:
    env = make(reward_mode="dense")
    env.reset(options={"task": tasks[-1]})
    rewards = [env.step(call)[1] for call in tasks[-1].oracle]
    assert sum(rewards) == 1.0 and sum(reward != 0 for reward in rewards) > 1


def test_a_budget_that_runs_out_is_judged(tasks: list[Task]) -> None:
    env = make(max_steps=len(tasks[0].oracle) - 1)
    env.reset(options={"task": tasks[0]})
    for call in tasks[0].oracle[:-1]:
        _, reward, terminated, truncated, info = env.step(call)
    assert (reward, terminated, truncated, info["is_success"]) == (1.0, False, True, True)


def test_the_raw_api_is_a_harness(tasks: list[Task]) -> None:
    env = make(harness="api")
    _, info = env.reset(options={"task": tasks[0]})
    assert [schema["function"]["name"] for schema in info["tools"]] == ["call", "submit"]
    obs, *_ = env.step(
        ToolCall(name="call", arguments={"model": "product.product", "method": "search_count", "kwargs": {"domain": []}})
    )
    assert json.loads(obs)["ok"] is True


def test_the_verdict_shows_only_at_the_end(tasks: list[Task]) -> None:
    env = make()
    _, info = env.reset(options={"task": tasks[0]})
    *_, later = env.step(SUBMIT[:-3])
    assert not {"verdict", "is_success", "oracle", "checks", "certificate"} & (info.keys() | later.keys())
    *_, end = env.step(SUBMIT)
    assert end["verdict"]["checks"] and json.dumps(end["verdict"])


def test_render_shows_the_documents(tasks: list[Task]) -> None:
    env = make(render_mode="ansi")
    env.reset(options={"task": tasks[0]})
    for call in tasks[0].oracle:
        env.step(call)
    text = env.render()
    assert text is not None and "S00001 confirmed" in text and "P00001 confirmed" in text and "solved" in text


# -- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tier": "impossible"}, "easy"),
        ({"pattern": "99_nothing"}, "01_buy_only_baseline"),
        ({"tier": "easy", "pattern": "09_single_bom_lowest_cost"}, "medium"),
        ({"params": {"custumers": 3}}, "customers"),
        ({"harness": "browser"}, "api"),
        ({"disclosure": "none"}, "policy"),
        ({"reward_mode": "sparse"}, "dense"),
    ],
)
def test_unknown_names_are_refused_at_make_with_what_exists(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RegistryError, match=message):
        make(**arguments)


def test_values_out_of_range_name_the_parameter() -> None:
    with pytest.raises(TaskError, match=r"params\.customers"):
        make(params={"customers": 1000})


def test_a_pack_plays_without_ortools(tasks: list[Task], tmp_path: Path) -> None:
    write_pack(tmp_path / "pack.jsonl", tasks)
    script = (
        "import sys\n"
        "sys.modules['ortools'] = None  # importing it now raises\n"
        "import opsgym, gymnasium as gym\n"
        f"options = dict(tasks={str(tmp_path / 'pack.jsonl')!r}, disclosure='brief', render_mode='ansi')\n"
        "env = gym.make('ERPBench-v0', cache=None, **options)\n"
        f"for index in range({len(tasks)}):\n"
        "    env.reset(options={'index': index})\n"
        "    for call in env.unwrapped.task.oracle:\n"
        "        _, reward, terminated, *_ = env.step(call)\n"
        "    assert env.render() and terminated\n"
        "    print(reward)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.split() == ["1.0"] * len(tasks)


def test_every_id_is_made() -> None:
    for env_id in opsgym.ENV_IDS:
        assert gym.spec(env_id).entry_point


@pytest.mark.slow
def test_twenty_thousand_resets_keep_memory_flat(tasks: list[Task]) -> None:
    """Within 10 MB of resident memory, steps and verdicts included."""
    env = make(tasks=tasks)

    def resident_mb() -> float:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def play(number: int) -> None:
        env.reset(seed=number)
        env.step('{"name": "list_sales_orders"}')
        if number % 10 == 0:
            env.step(env.task.oracle[0])
            env.step(SUBMIT)

    for number in range(2_000):
        play(number)
    before = resident_mb()
    for number in range(20_000):
        play(number)
    assert resident_mb() - before < 10
