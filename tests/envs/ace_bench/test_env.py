"""ACEBench-v0 as a Gymnasium environment: every registered configuration keeps the contract."""

from __future__ import annotations

import gc
import json
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from opsgym.baselines.registry import make_policy
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.data.ace_bench_release import ReleasedInstance
from opsgym.data.packs import write_pack
from opsgym.envs.ace_bench.counter import feasible_items
from opsgym.envs.ace_bench.domains import DOMAINS
from opsgym.envs.ace_bench.env import ACEBenchEnv, ACEBenchVectorEnv
from opsgym.envs.ace_bench.family import board_of
from opsgym.envs.ace_bench.policies import success
from opsgym.envs.ace_bench.rules import Layout, compile_rules
from opsgym.envs.ace_bench.verifier import REWARD_MODES
from opsgym.evaluate.play import Player
from opsgym.evaluate.rollout import run_episode
from opsgym.wrappers import ToolFailureInjection

ROOT = Path(__file__).resolve().parents[3]
DONE = '{"name": "done"}'


def make(**kwargs: Any) -> ACEBenchEnv:
    env = gym.make("ACEBench-v0", **{"cache": None, **kwargs}).unwrapped
    assert isinstance(env, ACEBenchEnv)
    return env


CONFIGURATIONS: list[dict[str, Any]] = [
    *({"tier": tier} for tier in ("easy", "medium", "hard", "expert", "paper")),
    *({"tier": "easy", "reward_mode": mode} for mode in (*REWARD_MODES, "dense")),
    {"split": "test", "grade_on_truncation": False, "max_steps": 3},
    {"params": {"feedback": "slack", "budgets": "unlimited"}},
]


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda c: "-".join(map(str, c.values())))
def test_check_env_is_silent(configuration: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**configuration))


def test_the_spec_travels() -> None:
    env = gym.make("ACEBench-v0", tier="easy", cache=None, interface="discrete")
    assert env.spec is not None
    for again in (pickle.loads(pickle.dumps(env.spec)), gym.envs.registration.EnvSpec.from_json(env.spec.to_json())):
        assert gym.make(again).reset(seed=2)[0].tolist() == env.reset(seed=2)[0].tolist()


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync", "async"])
def test_every_vector_mode_gives_the_text_of_single_environments(mode: str) -> None:
    extra: dict[str, Any] = {"vector_kwargs": {"shared_memory": False}} if mode == "async" else {}
    envs = gym.make_vec("ACEBench-v0", num_envs=2, vectorization_mode=mode, tier="easy", cache=None, **extra)
    assert mode != "vector_entry_point" or isinstance(envs, ACEBenchVectorEnv)
    try:
        obs, _ = envs.reset(seed=5)
        alone = [make(tier="easy") for _ in range(2)]
        assert obs == tuple(env.reset(seed=5 + i)[0] for i, env in enumerate(alone))
        actions = ('{"name": "get_current_grid_state"}', DONE)
        obs, _, terminated, *_ = envs.step(actions)
        assert obs == tuple(env.step(action)[0] for env, action in zip(alone, actions, strict=True))
        assert terminated.tolist() == [False, True]
    finally:
        envs.close()


# -- tools and tasks


@pytest.mark.parametrize("domain", sorted(DOMAINS))
def test_an_episode_offers_the_eleven_tools_of_its_domain_and_no_others(domain: str) -> None:
    env = make(params={"domain": domain}, tier="easy")
    _, info = env.reset(seed=1)
    names = [schema["function"]["name"] for schema in info["tools"]]
    assert len(names) == 11 and sum(domain in name for name in names) == 5
    other = next(name for name in DOMAINS if name != domain)
    assert '"unknown_tool"' in env.step(ToolCall(name=f"check_{other}_global_constraints"))[0]


def test_one_environment_plays_domain_after_domain(tasks: dict[str, Task]) -> None:
    env = make(tasks=list(tasks.values()))
    for index in (0, 1, 2, 3, 0):
        env.reset(options={"index": index})
        assert tuple(env.tools) == env.task.tools
        for call in env.task.oracle:
            _, reward, terminated, *_ = env.step(call)
        assert (reward, terminated) == (1.0, True)


def test_the_released_samples_are_played_through_the_same_tools(released_ace: list[ReleasedInstance]) -> None:
    played = [released.task() for released in released_ace]
    env = make(tasks=played)
    assert len(played) == 12
    for task in played:
        assert run_episode(env, make_policy("oracle", env.family), task=task).reward == 1.0
        assert run_episode(env, make_policy("submit-at-once", env.family), task=task).reward == 0.0


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.3, 0.5])
def test_the_papers_rates_of_tool_failure_are_injected_and_can_be_lived_with(tasks: dict[str, Task], rate: float) -> None:
    """Who tries again gets there; the more fails, the more often."""
    env = ToolFailureInjection(gym.make("ACEBench-v0", cache=None), rate=rate)
    env.reset(seed=3, options={"task": tasks["hard"]})
    failed = 0
    for call in tasks["hard"].oracle:
        for _ in range(50):
            observation, reward, terminated, truncated, _ = env.step(call)
            if terminated or truncated or '"ok":true' in observation:
                break
            failed += 1
    assert reward == 1.0 and (failed > 0) == (rate > 0)


def test_what_a_query_returns_is_charged_and_a_refused_one_is_not(tasks: dict[str, Task]) -> None:
    env = make()
    env.reset(options={"task": tasks["hard"]})
    instance = env.world.board.instance
    row, col = divmod(instance.slots[0].cell, instance.cols)
    numeric = next(attribute for attribute in instance.attributes if attribute.numeric)
    name = f"query_{instance.domain}_candidate_from_attribute"
    arguments = {"row": row, "col": col, "field": numeric.name, "operator": "<", "value": numeric.low}
    result = json.loads(env.step(ToolCall(name=name, arguments=arguments))[0])["result"]
    assert result == {"field": numeric.name, "matches": {}, "readings_left": instance.query_budget - 1}
    assert '"ok":false' in env.step(ToolCall(name=name, arguments={**arguments, "operator": "in"}))[0]
    assert env.world.spent[0] == 1


# -- rewards


def test_reward_modes_differ_where_they_should(tasks: dict[str, Task]) -> None:
    """All but one slot right, after one reading: nothing under exact, something under fraction, less with costs."""
    task = tasks["hard"]
    earned = {}
    for mode in (*REWARD_MODES, "dense"):
        env = make(reward_mode=mode)
        env.reset(options={"task": task})
        row, col = task.oracle[0].arguments["row"], task.oracle[0].arguments["col"]
        rewards = [env.step(call)[1] for call in task.oracle[:-2]]
        check = ToolCall(name=f"check_{env.world.board.instance.domain}_slot_constraints", arguments={"row": row, "col": col})
        rewards += [env.step(check)[1], env.step(DONE)[1]]
        assert mode == "dense" or not any(rewards[:-1])
        earned[mode] = sum(rewards)
    assert earned["exact"] == earned["exact_cost"] == 0.0
    assert 0.0 < earned["fraction_cost"] < earned["fraction"] < 1.0
    assert earned["dense"] == pytest.approx(earned["fraction"], abs=1e-9)


def test_dense_rewards_of_the_oracle_add_up_to_one(tasks: dict[str, Task]) -> None:
    env = make(reward_mode="dense")
    env.reset(options={"task": tasks["medium"]})
    rewards = [env.step(call)[1] for call in tasks["medium"].oracle]
    assert sum(rewards) == 1.0 and all(reward >= 0 for reward in rewards)


def test_a_budget_that_runs_out_is_judged(tasks: dict[str, Task]) -> None:
    task = tasks["easy"]
    for graded, expected in ((True, 1.0), (False, 0.0)):
        env = make(max_steps=len(task.oracle) - 1, grade_on_truncation=graded)
        env.reset(options={"task": task})
        for call in task.oracle[:-1]:
            _, reward, terminated, truncated, info = env.step(call)
        assert (reward, terminated, truncated, info["is_success"]) == (expected, False, True, graded)


# -- determinism


def test_seeds_reproduce_and_differ() -> None:
    ids = [[env.reset(seed=seed)[1]["task_id"] for seed in range(6)] for env in (make(), make())]
    assert ids[0] == ids[1] and len(set(ids[0])) == 6


def test_two_processes_with_other_hash_seeds_agree_and_need_no_solver() -> None:
    script = (
        "import sys\n"
        "sys.modules['ortools'] = None  # importing it now raises\n"
        "import opsgym, gymnasium as gym\n"
        "for tier in ('easy', 'hard', 'paper'):\n"
        "    env = gym.make('ACEBench-v0', tier=tier, cache=None, render_mode='ansi')\n"
        "    print(env.reset(seed=4))\n"
        "    base = env.unwrapped\n"
        "    print([env.step(call)[:4] for call in base.task.oracle], base.world.digest(), base.task.to_json(), env.render())\n"
        "env = gym.make('ACEBench-v0', interface='discrete', cache=None)\n"
        "print(env.reset(seed=4)[0].tolist())\n"
    )
    outputs = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment, cwd=ROOT
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_snapshots_and_forks_replay_identically(tasks: dict[str, Task]) -> None:
    env = make(reward_mode="dense")
    env.reset(seed=1, options={"task": tasks["hard"]})
    half = len(tasks["hard"].oracle) // 2
    for call in tasks["hard"].oracle[:half]:
        env.step(call)
    state, forked = pickle.loads(pickle.dumps(env.snapshot())), env.fork()

    def play(env: ACEBenchEnv) -> list[Any]:
        steps: list[Any] = [env.step(call) for call in tasks["hard"].oracle[half:]]
        return [*steps, env.world.digest(), env.reset()]

    first = play(env)
    env.restore(state)
    assert first == play(env) == play(forked)


# -- showing and playing


def test_render_shows_the_grid(tasks: dict[str, Task]) -> None:
    env = make(render_mode="ansi")
    env.reset(options={"task": tasks["easy"]})
    assert f"{len(tasks['easy'].oracle) - 1} slots empty, 0 readings, 0 global checks" in (env.render() or "")
    for call in tasks["easy"].oracle:
        env.step(call)
    text = env.render() or ""
    assert "0 slots empty" in text and "solved" in text and tasks["easy"].oracle[0].arguments["id"] in text


def test_a_person_can_play_it(tasks: dict[str, Task]) -> None:
    lines = [f"set_slot row={a['row']} col={a['col']} id={a['id']}" for a in (c.arguments for c in tasks["easy"].oracle[:-1])]
    shown: list[str] = []
    env = make(tasks=[tasks["easy"]])
    script = iter(["help", *lines, "undo", lines[-1], "done"])
    assert Player(env, read=lambda: next(script), write=shown.append).run(options={"index": 0})
    assert any(text.startswith("taken back") for text in shown) and any("reward 1.0000, solved" in text for text in shown)


def test_policies_that_do_not_search_are_played_through_the_tools(tasks: dict[str, Task]) -> None:
    """They see the candidates in the listed order, so ties may fall otherwise than when the task was made."""
    env = make()
    for name in ("frugal", "one-opt"):
        for task in tasks.values():
            instance = board_of(task).instance
            feasible = feasible_items(instance)
            chances = success(compile_rules(instance.rules, Layout.of(instance), feasible), instance.rules)
            rollout = run_episode(env, make_policy(name, env.family), task=task)
            assert not rollout.errors and rollout.is_success == (chances[name.replace("-", "_")] == 1.0)


def test_a_pack_is_played(tasks: dict[str, Task], tmp_path: Path) -> None:
    write_pack(tmp_path / "pack.jsonl", list(tasks.values()))
    env = make(tasks=tmp_path / "pack.jsonl", tier="hard")
    assert env.reset(seed=0)[1]["task_id"] == tasks["hard"].id


# -- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tier": "impossible"}, "easy, expert, hard, medium, paper"),
        ({"pattern": "release"}, "coupled, paper"),
        ({"params": {"preset": "release"}}, "coupled, paper"),
        ({"tier": "hard", "pattern": "paper"}, "tiers of the paper preset"),
        ({"params": {"hiden": 3}}, "hidden"),
        ({"harness": "api"}, "tools"),
        ({"reward_mode": "sparse"}, "exact_cost"),
        ({"interface": "pixels"}, "discrete, text"),
    ],
)
def test_unknown_names_are_refused_at_make_with_what_exists(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RegistryError, match=message):
        make(**arguments)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"hidden": 36, "rows": 5, "cols": 7, "decoys": 0}, "hidden must be 1 to 35"),
        ({"hidden": 2, "decoys": 199}, "decoys must be 0 to"),
        ({"domain": "cooking"}, "'meal'"),
    ],
)
def test_values_that_cannot_be_are_refused_at_make_with_those_that_can(params: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        make(params=params)


# -- no growth


@pytest.mark.slow
def test_a_hundred_thousand_episodes_keep_memory_flat(tasks: dict[str, Task]) -> None:
    """Within 10 MB of resident memory, steps and verdicts included, over known and over 2,000 new tasks."""
    env = make(tasks=list(tasks.values()))
    fresh = make(tier="easy")

    def resident_mb() -> float:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def play(env: ACEBenchEnv, number: int) -> None:
        env.reset(seed=number)
        env.step(env.task.oracle[0])
        env.step(DONE)

    for number in range(1_000):
        play(env, number)
        play(fresh, number)
    before = resident_mb()
    for number in range(100_000):
        play(env, number)
        if number % 50 == 0:
            play(fresh, 10_000 + number)
    assert resident_mb() - before < 10
