"""Runs: every trial once, the same with any number of workers, whatever interrupts them."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from opsgym.baselines.chat import Usage
from opsgym.baselines.models import Fault, MockServer, ScriptedModel
from opsgym.core.errors import ModelError, RegistryError, TaskError
from opsgym.data.lines import LineWriter, append_line
from opsgym.data.packs import open_pack
from opsgym.data.trajectories import replay_file
from opsgym.evaluate.run_desk import MASKED_IN_A_ROW, Limits, Standing, TrialError
from opsgym.evaluate.run_directory import RunDirectory, locked
from opsgym.evaluate.runner import Run, evaluate
from tests.envs.toy_family import ToyFamily, ToyParams
from tests.evaluate.run_support import (
    HERE,
    TOY,
    Asks,
    AsyncBreaks,
    AsyncPlays,
    Breaks,
    Pays,
    Plays,
    SeededRandom,
    check_whole,
    kill_command,
    same,
    toy_run,
)

FOUR = [
    ToyFamily().compile(ToyParams.build({"counters": counters, "pattern": pattern}), counters)
    for counters in (2, 4)
    for pattern in ("colours", "metals")
]
"""A task of each tier and pattern: with them no process is started to generate."""
HOW = ["alone", "processes", "concurrently"]


@pytest.fixture(autouse=True)
def ids() -> Iterator[None]:
    for env_id, entry_point in (("Toy-v0", TOY), ("Far-v0", f"{HERE}:FarEnv")):
        gym.register(env_id, entry_point=entry_point)
    yield
    del gym.registry["Toy-v0"], gym.registry["Far-v0"]


def play(out: Path, policy: Any = Plays, **arguments: Any) -> Run:
    return evaluate("Toy-v0", policy, out=out, **{"tasks": FOUR, **arguments})


def break_(out: Path, how: str, **arguments: Any) -> Run:
    """A run that breaks on tasks of one pattern, played in one of the three ways."""
    policy = AsyncBreaks if how == "concurrently" else Breaks
    return play(out, policy, workers=1 if how == "alone" else 2, **arguments)


# -- what is written


def test_a_run_is_its_plan_its_tasks_its_results_and_its_episodes(tmp_path: Path) -> None:
    run = play(tmp_path, "oracle", tasks=4, trials=2, seed=5)
    assert (run.ending, run.message, run.standing.done) == ("complete", "", 8)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["results.jsonl", "run.json", "tasks.jsonl", "trajectories.jsonl"]
    plan = RunDirectory(tmp_path).plan
    assert (plan.env_id, plan.policy, plan.trials, plan.seed, plan.tasks) == (
        "Toy-v0",
        "oracle",
        2,
        5,
        {"generated": 4, "seed": 5},
    )
    assert plan.task_ids == tuple(task.id for task in open_pack(tmp_path / "tasks.jsonl"))
    assert [(r.task_id, r.trial) for r in run.results] == [(pair.task_id, pair.trial) for pair in plan.pairs()]
    assert replay_file(tmp_path / "trajectories.jsonl").differences == {}
    check_whole(tmp_path)


def test_a_result_says_what_happened(tmp_path: Path) -> None:
    run = play(tmp_path, "oracle", tasks=1, tier="medium")
    (result,) = run.results
    task = run.directory.tasks[0]
    assert (result.score, result.is_success, result.clean, result.perfect, result.terminated) == (1.0, True, True, True, True)
    assert (result.calls, result.oracle_calls, result.turns) == (len(task.oracle),) * 3
    assert (result.checks_passed, result.checks_applicable, result.failed_rules) == (task.params["counters"],) * 2 + ((),)
    assert (result.optimality, result.refused, result.errors) == (None, None, {})
    assert (result.family, result.tier, result.pattern, result.params) == (task.family, "medium", task.pattern, task.params)
    (lazy,) = play(tmp_path / "lazy", "submit-at-once", tasks=1, tier="medium").results
    assert (lazy.score, lazy.is_success, lazy.clean, lazy.perfect, lazy.failed_rules) == (0.0, False, False, False, ("value",))


def test_faults_are_injected_and_counted(tmp_path: Path) -> None:
    results = play(tmp_path, failure_rate=0.5, trials=3, tier="medium").results
    assert sum(sum(result.faults.values()) for result in results) > 0
    assert all(sum(result.faults.values()) == result.errors.get("unavailable", 0) for result in results)
    assert len({result.episode_seed for result in results}) == len(results)


def test_episodes_need_not_be_recorded(tmp_path: Path) -> None:
    play(tmp_path, trajectories=False)
    assert not (tmp_path / "trajectories.jsonl").exists()
    assert list(RunDirectory(tmp_path).trajectories()) == []


def test_workers_do_not_change_what_comes_of_it(tmp_path: Path) -> None:
    runs = [toy_run(tmp_path / str(workers), workers) for workers in (1, 3)]
    assert same(runs[0].results) == same(runs[1].results)
    assert 0 < runs[0].standing.solved < 30
    for workers in (1, 3):
        check_whole(tmp_path / str(workers))
    names = [file.name for file in (tmp_path / "1").iterdir() if file.name in ("run.json", "tasks.jsonl")]
    assert all((tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes() for name in names)


def test_another_seed_gives_other_tasks_and_other_streams(tmp_path: Path) -> None:
    first, second = (play(tmp_path / str(seed), SeededRandom, tasks=4, seed=seed).results for seed in (0, 1))
    assert {result.task_id for result in first}.isdisjoint(result.task_id for result in second)


# -- going on


def test_a_finished_run_is_left_alone(tmp_path: Path) -> None:
    play(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert play(tmp_path).standing.played == 0
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"trials": 2}, "trials is 1, given 2"),
        ({"seed": 1}, "seed is 0, given 1"),
        ({"tasks": 3}, '"generated": 3'),
        ({"tier": "easy"}, '"tier": "easy"'),
        ({"policy": "oracle"}, f'policy is "{HERE}:Plays", given "oracle"'),
        ({"failure_rate": 0.1}, "failure_rate is 0.0, given 0.1"),
        ({"env_options": {"disclosure": "brief"}}, 'env_options is {}, given {"disclosure": "brief"}'),
        ({"trajectories": False}, "trajectories is true, given false"),
    ],
)
def test_a_run_with_another_plan_is_refused_with_what_differs(tmp_path: Path, other: dict[str, Any], what: str) -> None:
    play(tmp_path)
    with pytest.raises(TaskError, match="another plan") as error:
        play(tmp_path, **other)
    assert what in str(error.value)


def test_two_runners_do_not_meet_in_a_directory(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(TaskError, match="another process runs in"):
        play(tmp_path)


def test_what_is_no_run_or_is_damaged_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"no run\.json"):
        RunDirectory(tmp_path)
    play(tmp_path)
    append_line(tmp_path / "results.jsonl", b'{"task_id": "x"}')
    with pytest.raises(TaskError, match=r"results\.jsonl, line 5: not a result: trial"):
        play(tmp_path)
    play(tmp_path / "two")
    append_line(tmp_path / "two" / "trajectories.jsonl", b"{}")
    with pytest.raises(TaskError, match=r"trajectories\.jsonl, last line: not a trajectory"):
        play(tmp_path / "two")
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(TaskError, match=r"run\.json is no plan"):
        RunDirectory(tmp_path)


def test_an_episode_without_a_result_is_no_episode(tmp_path: Path) -> None:
    play(tmp_path)
    results = tmp_path / "results.jsonl"
    lines = results.read_text().splitlines(keepends=True)
    results.write_text("".join(lines[:-1]) + lines[-1][:20])
    assert len(list(RunDirectory(tmp_path).trajectories())) == 3
    play(tmp_path)
    check_whole(tmp_path)


def kill_and_resume(out: Path, workers: int, moments: int) -> None:
    """Kill a run amid seeded writes, start it again after each, and compare with one that was left alone."""
    rng, total = random.Random(workers), 2 * 30
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(moments):
        lines = (out / "results.jsonl").read_bytes().count(b"\n") if (out / "results.jsonl").exists() else 0
        write = rng.randint(1, max(1, (total - 2 * lines) // 4))
        command = kill_command(out, workers, write, rng.random())
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
    resumed = toy_run(out, workers)
    assert 0 < resumed.standing.played < 30
    check_whole(out)
    assert same(resumed.results) == same(toy_run(out.with_name("whole"), 1).results)


def test_a_run_that_is_killed_and_resumed_equals_one_that_was_left_alone(tmp_path: Path) -> None:
    kill_and_resume(tmp_path / "killed", workers=1, moments=3)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 8])
def test_ten_kills_change_nothing(tmp_path: Path, workers: int) -> None:
    kill_and_resume(tmp_path / "killed", workers, moments=10)


@pytest.mark.slow
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen(kill_command(tmp_path, 2, 5, 0.5), env=environment, start_new_session=True)
    assert parent.wait() == -signal.SIGKILL
    for _ in range(200):
        try:
            os.killpg(parent.pid, 0)  # the group is there as long as one of its processes
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("a process outlived its parent by 20 s")


# -- what stops a run


@pytest.mark.parametrize("how", HOW)
def test_ctrl_c_finishes_what_is_played_and_the_run_goes_on_later(tmp_path: Path, how: str) -> None:
    policy = AsyncPlays if how == "concurrently" else Plays
    workers = 1 if how == "alone" else 2

    def press(standing: Standing) -> None:
        if standing.played == 3:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    run = play(tmp_path, policy, trials=5, workers=workers, observer=press)
    assert run.ending == "interrupted" and 3 <= run.standing.done < 20
    assert signal.getsignal(signal.SIGINT) is before
    assert play(tmp_path, policy, trials=5, workers=workers).ending == "complete"
    check_whole(tmp_path)


def test_a_second_ctrl_c_ends_everything(tmp_path: Path) -> None:
    def press(standing: Standing) -> None:
        if standing.played == 3:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    for workers in (1, 2):
        out = tmp_path / str(workers)
        with pytest.raises(KeyboardInterrupt):
            play(out, trials=5, workers=workers, observer=press)
        play(out, trials=5)
        check_whole(out)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(cost=0.6), "0.7500 dollars are spent, the limit is 0.6"),
        (Limits(tokens=30), "30 tokens are used, the limit is 30"),
        (Limits(seconds=1e-9), "the time limit of 1e-09 s is reached"),
    ],
)
def test_a_limit_stops_the_run_and_a_higher_one_goes_on(tmp_path: Path, limits: Limits, message: str) -> None:
    run = play(tmp_path, Pays, limits=limits)
    assert (run.ending, run.message) == ("limit", message)
    assert run.standing.done == (0 if limits.seconds else 3)
    assert play(tmp_path, Pays, limits=limits).standing.played == 0
    assert play(tmp_path, Pays, limits=Limits(cost=10)).standing.cost == 1.0
    check_whole(tmp_path)


def test_limits_are_positive() -> None:
    with pytest.raises(TaskError, match="expected a positive number, got 0"):
        Limits(tokens=0)


@pytest.mark.parametrize("how", HOW)
def test_a_bug_stops_the_run_names_the_trial_and_loses_nothing(tmp_path: Path, how: str) -> None:
    options = {"policy_options": {"unless": str(tmp_path / "fixed")}}
    out = tmp_path / "run"
    with pytest.raises(TrialError, match=r"trial [01] of task \w{16} .* raised ZeroDivisionError: a bug") as error:
        break_(out, how, trials=2, **options)
    assert isinstance(error.value.__cause__, ZeroDivisionError)
    kept = RunDirectory(out).results()
    assert all(result.pattern == "colours" for result in kept)
    (tmp_path / "fixed").touch()
    run = break_(out, how, trials=2, **options)
    assert (run.ending, run.standing.done, run.standing.played) == ("complete", 8, 8 - len(kept))
    check_whole(out)


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ("alone", "exit", r"RuntimeError: sys\.exit\(7\) was called"),
        ("concurrently", "exit", r"RuntimeError: sys\.exit\(7\) was called"),
        ("processes", "exit", r"RuntimeError: sys\.exit\(7\) was called"),
        ("processes", "unsendable", "Unsendable: two arguments"),
    ],
)
def test_a_policy_that_exits_or_raises_what_cannot_be_sent_is_a_bug_like_others(
    tmp_path: Path, how: str, kind: str, message: str
) -> None:
    with pytest.raises(TrialError, match=message):
        break_(tmp_path, how, policy_options={"how": kind})


@pytest.mark.parametrize("how", HOW)
def test_a_full_disk_ends_the_run_which_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    policy, workers = AsyncPlays if how == "concurrently" else Plays, 1 if how == "alone" else 2
    add, added = LineWriter.add, 0

    def full(writer: LineWriter, line: bytes) -> None:
        nonlocal added
        added += 1
        if added == 4:  # the episode of the second trial is written, its result is not
            raise OSError(errno.ENOSPC, "No space left on device")
        add(writer, line)

    monkeypatch.setattr(LineWriter, "add", full)
    with pytest.raises(OSError, match="No space left"):
        play(tmp_path, policy, workers=workers)
    monkeypatch.undo()
    assert play(tmp_path, policy, workers=workers).standing.played == 3
    check_whole(tmp_path)


# -- what is masked


@pytest.mark.parametrize(
    ("how", "kind", "reason"),
    [
        ("alone", "model", "ModelError: server: is down"),
        ("alone", "backend", "BackendError: is gone"),
        ("concurrently", "model", "ModelError: server: is down"),
        pytest.param("processes", "model", "ModelError: server: is down", marks=pytest.mark.slow),
    ],
)
def test_infrastructure_is_masked_and_played_again_on_demand_only(tmp_path: Path, how: str, kind: str, reason: str) -> None:
    options = {"policy_options": {"how": kind, "unless": str(tmp_path / "up")}}
    out = tmp_path / "run"
    run = break_(out, how, **options)
    assert [(result.status, result.reason) for result in run.results] == [
        ("masked", reason) if result.pattern == "metals" else ("scored", "") for result in run.results
    ]
    assert (run.ending, run.standing.masked, run.summary().masked, run.summary().success.value) == ("complete", 2, 2, 1.0)
    assert len(list(run.directory.trajectories())) == 2
    (tmp_path / "up").touch()
    assert break_(out, how, **options).standing.masked == 2
    again = break_(out, how, retry_masked=True, **options)
    assert (again.standing.played, again.standing.masked, again.standing.done) == (2, 0, 4)
    assert [result.status for result in RunDirectory(out).results()] == ["scored"] * 4
    assert len((out / "results.jsonl").read_text().splitlines()) == 6
    assert len(list(again.directory.trajectories())) == 4


def test_a_tool_whose_system_broke_masks_the_trial(tmp_path: Path) -> None:
    run = evaluate("Far-v0", "oracle", out=tmp_path, tasks=4)
    reasons = {result.pattern: (result.status, result.reason) for result in run.results}
    assert reasons == {"colours": ("scored", ""), "metals": ("masked", "BackendError: the far side is gone")}


def test_failures_of_the_agent_are_never_masked(tmp_path: Path) -> None:
    for policy in ("do-nothing", "garbage", "random-valid", "echo"):
        assert play(tmp_path / policy, policy).standing.masked == 0


def test_an_empty_account_stops_the_run_and_leaves_the_trial_for_later(tmp_path: Path) -> None:
    run = play(tmp_path, Breaks, policy_options={"how": "budget"})
    assert (run.ending, run.message) == ("limit", "budget: the account is empty")
    assert {result.status for result in run.results} == {"scored"} and run.standing.done < 4


def test_an_outage_stops_the_run(tmp_path: Path) -> None:
    run = play(tmp_path, Breaks, trials=20, pattern="metals", policy_options={"how": "model"})
    assert (run.ending, run.standing.masked) == ("outage", MASKED_IN_A_ROW)
    assert run.message.endswith("the last one: ModelError: server: is down")


# -- models


def test_what_a_model_is_paid_is_counted_by_trial(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: "yes", usage=Usage(prompt_tokens=5, completion_tokens=2, cost=0.01))
    run = play(tmp_path, Asks, model=model, workers=3, trials=2)
    for result in run.results:
        assert (result.prompt_tokens, result.completion_tokens) == (5 * result.turns, 2 * result.turns)
        assert result.cost == pytest.approx(0.01 * result.turns)
    assert run.standing.tokens == 7 * len(model.requests)
    assert run.directory.plan.model == "scripted"


def test_a_trial_that_starts_over_is_not_paid_twice(tmp_path: Path) -> None:
    model = ScriptedModel([*["yes"] * 5, ModelError("server", "is down"), *["yes"] * 99], usage=Usage(prompt_tokens=1, cost=1.0))
    arguments: dict[str, Any] = {"model": model, "tier": "medium", "tasks": 2}
    first = play(tmp_path, Asks, **arguments).results
    assert [result.status for result in first].count("masked") == 1
    asked = len(model.requests)
    second = play(tmp_path, Asks, retry_masked=True, **arguments).results
    before, retried = next((old, new) for old, new in zip(first, second, strict=True) if old.status == "masked")
    assert before.cost >= 1.0 and retried.cost == retried.turns
    assert len(model.requests) - asked == retried.turns - before.cost


def test_a_limit_of_money_needs_a_price(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: "yes", usage=Usage(prompt_tokens=5, unpriced=1))
    run = play(tmp_path, Asks, model=model, limits=Limits(cost=1.0))
    assert (run.ending, run.standing.done) == ("limit", 1) and "price" in run.message


def test_no_secret_is_in_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ["sk-planted-0123456789", "hunter2hunter2", "querysecret99"]
    monkeypatch.setenv("OPENAI_API_KEY", secrets[0])
    with MockServer(lambda request: "Action: submit\nAction Input: {}", faults=[Fault("echo", 401)] * 2) as server:
        url = server.openai_url.replace("http://", f"http://me:{secrets[1]}@") + f"?token={secrets[2]}"
        run = evaluate("Toy-v0", "react", out=tmp_path, tasks=FOUR, model="openai:m", base_url=url, workers=2)
    assert [result.status for result in run.results].count("masked") == 2
    assert len(server.received) > 2
    for file in tmp_path.iterdir():
        assert not [secret for secret in secrets if secret.encode() in file.read_bytes()], file
    assert run.directory.plan.base_url == server.openai_url
    assert "react" in run.directory.plan.prompts and run.standing.tokens > 0


# -- policies


@pytest.mark.parametrize(
    "policy",
    [Plays, Plays(), AsyncPlays, AsyncPlays(), lambda: Plays(), f"{HERE}:Plays", "oracle"],
    ids=["class", "policy", "async class", "async policy", "function", "path", "name"],
)
def test_a_policy_is_a_name_a_path_a_class_a_function_or_itself(tmp_path: Path, policy: Any) -> None:
    assert play(tmp_path, policy).standing.solved == 4


@pytest.mark.parametrize(
    ("policy", "error", "message"),
    [
        ("genius", RegistryError, "unknown policy 'genius'"),
        ("no.such.module:Class", TaskError, "cannot import 'no.such.module:Class'"),
        (f"{HERE}:Nothing", TaskError, "cannot import"),
        (f"{HERE}:same", TaskError, "cannot be made with the options"),
        (f"{HERE}:SeededRandom.begin", TaskError, "cannot be made"),
        (f"{HERE}:MakesTrouble", TaskError, "cannot be made with the options {}: LookupError: no config"),
        (object, TaskError, "expected a policy with begin and act, builtins:object made object"),
    ],
)
def test_what_makes_no_policy_is_refused_before_anything_is_written(
    tmp_path: Path, policy: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        play(tmp_path / "run", policy)
    assert not (tmp_path / "run").exists()


def test_one_waiting_policy_is_not_shared_by_episodes(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="give its class, or one worker"):
        play(tmp_path, AsyncPlays(), workers=2)


def test_a_model_that_nobody_asks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="'oracle' asks no model"):
        play(tmp_path, "oracle", model=ScriptedModel(["yes"]))


# -- tasks


def chosen(out: Path, **arguments: Any) -> list[tuple[str, str]]:
    return [(task.tier, task.pattern) for task in play(out, "do-nothing", **arguments).directory.tasks]


def test_generated_tasks_are_spread_over_the_regions_that_are_asked_for(tmp_path: Path) -> None:
    assert chosen(tmp_path / "all", tasks=4) == [(t, p) for t in ("easy", "medium") for p in ("colours", "metals")]
    assert chosen(tmp_path / "some", tasks=3, tier="medium", pattern="metals") == [("medium", "metals")] * 3


def test_a_pack_is_played_and_a_changed_one_is_refused(tmp_path: Path) -> None:
    play(tmp_path / "source", "do-nothing", tasks=8)
    pack = tmp_path / "pack.jsonl"
    pack.write_bytes((tmp_path / "source" / "tasks.jsonl").read_bytes())
    run = play(tmp_path / "run", tasks=pack, tier="medium")
    assert run.standing.total == 4 and {result.tier for result in run.results} == {"medium"}
    assert run.directory.plan.tasks["pack"] == "pack.jsonl"
    pack.write_bytes(pack.read_bytes() + b"\n")
    with pytest.raises(TaskError, match="tasks is"):
        play(tmp_path / "run", tasks=pack, tier="medium")


def test_tasks_can_be_handed_in(tmp_path: Path) -> None:
    assert play(tmp_path / "run", tasks=FOUR[:2]).standing.solved == 2
    with pytest.raises(TaskError, match="expected every task once"):
        play(tmp_path / "twice", tasks=[FOUR[0], FOUR[0]])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"tasks": 0}, "expected at least one task"),
        ({"tasks": 1, "tier": "brutal"}, "unknown tier 'brutal'"),
        ({"tasks": 1, "pattern": "woods"}, "unknown pattern 'woods'"),
        ({"tier": "brutal"}, "no task has tier='brutal'"),
        ({"split": "dev"}, "unknown split 'dev'"),
        ({"tasks": "absent.jsonl"}, "no task pack at"),
        ({"workers": 0}, "workers: expected at least 1"),
        ({"env_options": {"gravity": 2}}, "env_options: the environment cannot be made with {'gravity': 2}"),
        ({"policy_options": {"x": {1, 2}}}, "values that JSON can hold"),
        ({"trials": 0}, "trials: expected at least 1"),
        ({"failure_rate": 1.5}, "failure_rate: expected at least 0 and at most 1"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(tmp_path: Path, arguments: dict[str, Any], error: str) -> None:
    with pytest.raises((TaskError, RegistryError), match=error):
        play(tmp_path, **arguments)
    assert not RunDirectory.exists(tmp_path)


# -- the shipped set


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "share"), [("oracle", 1.0), ("do-nothing", 0.0)])
def test_the_oracle_solves_the_fixed_set_and_nothing_solves_none_of_it(tmp_path: Path, policy: str, share: float) -> None:
    run = evaluate("ERPBench-v0", policy, out=tmp_path, split="test", workers=2, trajectories=False)
    assert (run.standing.done, run.standing.solved) == (300, 300 * share)
    assert {result.score for result in run.results} == {share}


@pytest.mark.slow
def test_a_noisy_oracle_fails_more_with_noise_and_with_calls(tmp_path: Path) -> None:
    shares: list[float] = []
    for rate in (0.0, 0.01, 0.05, 0.2):
        out = tmp_path / str(rate)
        options: dict[str, Any] = {"policy_options": {"rate": rate}, "trajectories": False}
        run = evaluate("ERPBench-v0", "noisy-oracle", out=out, split="test", tasks=40, trials=2, workers=2, **options)
        shares.append(run.summary().success.value)
        if rate == 0.01:
            half = sorted(run.results, key=lambda result: result.oracle_calls)
            short, long = half[: len(half) // 2], half[len(half) // 2 :]
            assert sum(result.is_success for result in short) > sum(result.is_success for result in long)
    assert shares[0] == 1.0 and shares == sorted(shares, reverse=True) and len(set(shares)) == 4
