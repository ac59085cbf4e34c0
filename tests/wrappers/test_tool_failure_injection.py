"""ToolFailureInjection makes calls fail as its table says, and keeps its promises."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import gymnasium as gym
import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.wrappers.base import fork
from opsgym.wrappers.faults import KINDS
from opsgym.wrappers.tool_failure_injection import CUT, ToolFailureInjection
from tests.wrappers.support import LOOK, SUBMIT, TOY, Env, base_of, play_oracle, toy

ADD = '{"name": "add", "arguments": {"name": "red", "amount": 1}}'
ALL = dict.fromkeys(KINDS, 1.0)


def failing(kind: str, rate: Any = 1.0, **kwargs: Any) -> ToolFailureInjection:
    env = ToolFailureInjection(toy(pattern="colours", max_steps=50), rate=rate, kinds=[kind], allowance=None, **kwargs)
    env.reset(seed=1)
    return env


def red(env: Env) -> int:
    return int(base_of(env).world.rows("counter")[1][2])


def faults_at_end(env: Env) -> dict[str, Any]:
    while True:
        *_, terminated, _, info = env.step(SUBMIT)
        if terminated:
            return dict(info["faults"])
        assert "faults" not in info


REJECTING = [name for name, kind in KINDS.items() if not kind.executes]


@pytest.mark.parametrize("kind", REJECTING)
def test_a_rejected_call_changes_nothing_and_says_so(kind: str) -> None:
    env = failing(kind)
    line = json.loads(env.step(ADD)[0])
    assert (line["tool"], line["ok"], red(env)) == ("add", False, 0)
    assert line["error"]["code"] == ("not_allowed" if kind == "forbidden" else "unavailable")
    assert "othing was changed" in line["error"]["hint"]
    report = faults_at_end(env)
    assert report["ledger"][0] | {"seconds": 0} == {
        "call": 1, "turn": 1, "tool": "add", "kind": kind, "surfaced": True, "seconds": 0,
    }  # fmt: skip
    assert report["outcome"] == "faulted"


def test_a_lost_response_hides_that_the_call_was_carried_out() -> None:
    env = failing("response_lost")
    line = json.loads(env.step(ADD)[0])
    assert not line["ok"] and "check" in line["error"]["hint"]
    assert red(env) == 1


def test_a_truncated_line_is_cut_and_a_short_one_does_not_surface() -> None:
    env = failing("truncated", keep_chars=10)
    assert env.step(LOOK)[0] == '{"tool":"l' + CUT
    env = failing("truncated", keep_chars=500)
    assert json.loads(env.step(LOOK)[0])["ok"]
    report = faults_at_end(env)
    assert (report["injected"], report["surfaced"], report["outcome"]) == (1, 0, "clean")


def test_a_stale_read_gives_what_it_gave_the_last_time() -> None:
    env = failing("stale", rate={"look": 1.0})
    first = env.step(LOOK)[0]
    env.step(ADD)
    assert env.step(LOOK)[0] == first
    assert json.loads(env.step(LOOK)[0])["result"]["red"] == 1
    report = faults_at_end(env)
    assert [entry["surfaced"] for entry in report["ledger"]] == [False, True, False]


def test_the_second_of_two_stale_reads_is_right() -> None:
    """So that a lost response can be checked by two reads, whatever befalls them."""
    env = failing("stale", rate={"look": 1.0})
    for amount in range(1, 5):
        env.step(LOOK)
        env.step(ADD)
        env.step(LOOK)
        assert json.loads(env.step(LOOK)[0])["result"]["red"] == amount


def test_slow_calls_and_waits_spend_virtual_time_only() -> None:
    env = failing("slow")
    assert json.loads(env.step(LOOK)[0])["ok"]
    assert 5 <= base_of(env).episode.seconds <= 60
    env = failing("rate_limited", rate={"look": 1.0})
    line = json.loads(env.step(LOOK)[0])
    assert base_of(env).episode.seconds == 0
    env.step(LOOK)
    assert f"retry after {round(base_of(env).episode.seconds)} s" in line["error"]["message"]


def test_calls_that_are_wrong_in_themselves_meet_no_fault() -> None:
    env = failing("timeout")
    assert "malformed_call" in env.step("nothing")[0]
    assert "unknown_tool" in env.step('{"name": "lok"}')[0]
    assert faults_at_end(env)["ledger"][0]["call"] == 1


def outcomes(env: Env, actions: list[str], **options: Any) -> list[Any]:
    env.reset(seed=3, options=options)
    return [env.step(action)[0] for action in actions]


def test_equal_histories_meet_equal_faults_in_every_kind_of_environment() -> None:
    actions = [LOOK, ADD] * 10
    stacked: dict[str, Any] = {"rate": 0.5, "kinds": ALL, "allowance": None}

    def wrapped(env: Env) -> ToolFailureInjection:
        return ToolFailureInjection(env, **stacked)

    alone = [outcomes(ToolFailureInjection(gym.make(TOY, max_steps=50), **stacked), actions) for _ in range(2)]
    assert alone[0] == alone[1]
    for mode, vector_kwargs in (("sync", {}), ("async", {"shared_memory": False})):
        envs = gym.make_vec(
            TOY, num_envs=2, vectorization_mode=mode, vector_kwargs=vector_kwargs, wrappers=[wrapped], max_steps=50
        )
        try:
            envs.reset(seed=[3, 3])  # type: ignore[arg-type]  # a seed for each, as both modes take it
            seen = [envs.step((action, action))[0] for action in actions]
        finally:
            envs.close()
        assert [pair[0] for pair in seen] == [pair[1] for pair in seen] == alone[0]


def test_fault_seed_and_seed_draw_other_faults_for_the_same_task() -> None:
    actions = [LOOK] * 20
    env = ToolFailureInjection(toy(max_steps=50), rate=0.5, allowance=None)
    first = outcomes(env, actions)
    assert outcomes(env, actions, fault_seed=0) == first
    assert outcomes(env, actions, fault_seed=1) != first
    assert outcomes(ToolFailureInjection(toy(max_steps=50), rate=0.5, allowance=None, seed=1), actions) != first


def test_progress_moves_a_schedule_by_option_or_by_episodes() -> None:
    env = ToolFailureInjection(toy(max_steps=50), rate=[(0.0, 0.0), (1.0, 1.0)], allowance=None, episodes=2)
    failed = [sum('"ok":false' in line for line in outcomes(env, [LOOK] * 30)) for _ in range(4)]
    assert failed[0] == 0 < failed[1] < failed[2] == failed[3] == 30
    assert not any('"ok":false' in line for line in outcomes(env, [LOOK] * 30, progress=0.0))
    with pytest.raises(TaskError, match="progress"):
        env.reset(options={"progress": 2})


@pytest.mark.parametrize("kinds", [["timeout", "unavailable"], sorted(KINDS)])
@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_a_retrying_oracle_reaches_the_optimum_within_the_turn_budget(kinds: list[str], rate: float) -> None:
    env = ToolFailureInjection(toy(), rate=rate, kinds=kinds, allowance=1.0, max_blocked_submits=10)
    for seed in range(100):
        reward, info = play_oracle(env, retry=True, seed=seed)
        assert (reward, info["is_success"]) == (1.0, True)
        assert info["faults"]["outcome"] == info["verdict"]["faults"]
        assert info["faults"]["outcome"] == ("recovered" if info["faults"]["surfaced"] else "clean")


def test_a_non_retrying_oracle_falls_with_the_rate() -> None:
    means = []
    for rate in (0.0, 0.1, 0.3, 0.5):
        env = ToolFailureInjection(toy(), rate=rate, allowance=None)
        means.append(sum(play_oracle(env, retry=False, seed=seed)[1]["is_success"] for seed in range(100)))
    assert means[0] == 100
    assert means == sorted(means, reverse=True) and len(set(means)) == 4


def test_snapshots_and_forks_hold_the_faults_to_come() -> None:
    env = ToolFailureInjection(toy(max_steps=50), rate=0.5, kinds=ALL, mean_burst=2.0, allowance=None)
    env.reset(seed=5)
    for _ in range(5):
        env.step(LOOK)
    state, twin = base_of(env).snapshot(), fork(env)
    actions = [LOOK, ADD] * 8

    def go_on(played: Env) -> list[Any]:
        return [*(played.step(action)[:4] for action in actions), faults_at_end(played)]

    first = go_on(env)
    base_of(env).restore(state)
    assert go_on(env) == first == go_on(twin)


def test_unknown_tools_are_refused_by_name() -> None:
    with pytest.raises(RegistryError, match="look"):
        ToolFailureInjection(toy(), rate={"loook": 0.1})
    with pytest.raises(TaskError, match="allowance"):
        ToolFailureInjection(toy(), allowance=2.0)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["ERPBench-v0", "ACEBench-v0"])
def test_a_retrying_oracle_solves_a_hundred_tasks_of_a_family_at_rate_three_tenths(family: str) -> None:
    env = ToolFailureInjection(gym.make(family), rate=0.3, kinds=sorted(KINDS))
    injected = 0
    for seed in range(100):
        reward, info = play_oracle(env, retry=True, seed=seed)
        assert reward == pytest.approx(1.0) and info["is_success"], seed
        injected += info["faults"]["injected"]
    assert injected > 300


@pytest.mark.slow
@pytest.mark.parametrize("family", ["ERPBench-v0", "ACEBench-v0"])
def test_a_naive_oracle_falls_with_the_rate_in_a_family(family: str) -> None:
    means = []
    for rate in (0.0, 0.1, 0.3, 0.5):
        env = ToolFailureInjection(gym.make(family, tier="easy"), rate=rate, allowance=None)
        means.append(sum(play_oracle(env, retry=False, seed=seed)[0] for seed in range(50)) / 50)
    assert means[0] == pytest.approx(1.0)
    assert all(higher > lower for higher, lower in pairwise(means))
