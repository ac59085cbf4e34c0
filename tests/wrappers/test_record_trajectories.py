"""Recorded episodes replay to the digest, survive crashes and become training data."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import ToolCall
from opsgym.data.trajectories import (
    Trajectory,
    append,
    preference_pairs,
    read_trajectories,
    recorded,
    recover,
    replay,
    replay_file,
    sft_example,
)
from opsgym.wrappers import DenseReward, RecordTrajectories, ToolFailureInjection
from opsgym.wrappers.faults import KINDS
from tests.envs.toy_family import ToyEnv
from tests.wrappers.support import LOOK, SUBMIT, TOY, Env, base_of, play_oracle, toy


def stacked(path: Path, **kwargs: Any) -> RecordTrajectories:
    faults: dict[str, Any] = {
        "rate": [(0.0, 0.0), (1.0, 0.6)],
        "kinds": list(KINDS),
        "episodes": 50,
        "mean_burst": 2.0,
        "allowance": None,
    }
    inner: Env = DenseReward(ToolFailureInjection(gym.make(TOY, max_steps=12), **faults), potential="checks")
    return RecordTrajectories(inner, path=path, **kwargs)


def play(env: Env, seed: int, **options: Any) -> None:
    env.reset(seed=seed, options=options)
    base = base_of(env)
    base.action_space.seed(seed)
    queue: list[Any] = list(base.task.oracle[:-1]) if seed % 2 else []
    while not base.episode.over:
        env.step(queue.pop(0) if queue else base.action_space.sample())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of 20 episodes."""
    env = stacked(tmp_path / "episodes.jsonl")
    for seed in range(20):
        play(env, seed, fault_seed=seed)
    return tmp_path / "episodes.jsonl"


def test_two_hundred_recorded_episodes_replay_equal_at_each_step(tmp_path: Path) -> None:
    """With faults, their schedule, shaping and random and in-process actions in them."""
    env = stacked(tmp_path / "episodes.jsonl")
    for seed in range(200):
        play(env, seed, fault_seed=seed % 3)
    replayed = replay_file(tmp_path / "episodes.jsonl")
    assert (replayed.episodes, replayed.differences) == (200, {})
    assert replayed.steps > 600
    seen = list(read_trajectories(tmp_path / "episodes.jsonl"))
    assert any(each.info["faults"]["injected"] for each in seen) and any(each.is_success for each in seen)
    assert len({step.world for each in seen for step in each.steps}) > 100


@pytest.mark.parametrize("what", ["observation", "reward", "end", "world", "info"])
def test_a_replay_names_the_first_difference(what: str, file: Path) -> None:
    trajectory = next(iter(read_trajectories(file)))
    last = trajectory.steps[-1]
    changed = {
        "observation": replace(last, observation="other"),
        "reward": replace(last, reward=9.0),
        "end": replace(last, terminated=not last.terminated),
        "world": replace(last, world="0" * 16),
        "info": last,
    }[what]
    altered = replace(trajectory, steps=(*trajectory.steps[:-1], changed))
    if what == "info":
        altered = replace(altered, info={**trajectory.info, "calls": -1})
    assert trajectory.spec is not None
    env = gym.make(gym.envs.registration.EnvSpec.from_json(trajectory.spec))
    difference = replay(altered, env)
    assert difference is not None and (difference.step, difference.what) == (len(trajectory.steps), what)
    assert replay(trajectory, env) is None


def test_a_changed_action_shows_at_its_step(file: Path) -> None:
    trajectory = next(each for each in read_trajectories(file) if len(each.steps) > 2)
    altered = replace(trajectory, steps=(replace(trajectory.steps[0], action="nothing"), *trajectory.steps[1:]))
    difference = replay(altered, stacked(file.with_name("other.jsonl")).env)
    assert difference is not None and difference.step == 1


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_file_cut_anywhere_is_recovered_up_to_the_last_whole_episode(data: st.DataObject) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "episodes.jsonl"
        env = RecordTrajectories(toy(), path=path)
        for seed in range(3):
            play(env, seed)
        content = path.read_bytes()
        cut = data.draw(st.integers(0, len(content)))
        path.write_bytes(content[:cut])
        whole = content[:cut].count(b"\n")
        assert len(list(read_trajectories(path))) == whole
        RecordTrajectories(toy(), path=path)
        assert path.read_bytes() == b"".join(content.splitlines(keepends=True)[:whole])
        play(RecordTrajectories(toy(), path=path), 7)
        assert len(list(read_trajectories(path))) == whole + 1


def test_a_writer_removes_what_another_left_unfinished(file: Path) -> None:
    trajectory = next(iter(read_trajectories(file)))
    with file.open("ab") as broken:
        broken.write(b'{"hash": "')
    append(file, trajectory)
    assert len(list(read_trajectories(file))) == 21
    assert recover(file) == 0


def test_a_damaged_line_is_named(file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:4], lines[4].replace(b"Set the", b"Get the"), *lines[5:]]))
    with pytest.raises(TaskError, match=r"line 5: hash"):
        list(read_trajectories(file))
    file.write_bytes(b"{}\n")
    with pytest.raises(TaskError, match="line 1: not a trajectory"):
        list(read_trajectories(file))
    newer = json.loads(lines[0])
    newer["trajectory"]["format"] = 99
    with pytest.raises(TaskError, match="up to 1"):
        Trajectory.from_line(json.dumps(newer))


def write(path: Path, first: int) -> None:
    env = RecordTrajectories(ToyEnv(cache=None), path=path)
    for seed in range(first, first + 25):
        play(env, seed)


def test_several_processes_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write, args=(path, 100 * number)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(each.seed or 0 for each in read_trajectories(path)) == [
        100 * number + seed for number in range(3) for seed in range(25)
    ]


def test_what_is_recorded_is_known_so_that_a_run_can_go_on(file: Path) -> None:
    assert set(recorded(file).values()) == {1}
    assert {seed for _, seed in recorded(file)} == set(range(20))
    assert not recorded(file.with_name("none.jsonl"))


def test_without_a_file_the_last_episode_is_at_hand(file: Path) -> None:
    env = RecordTrajectories(gym.make(TOY, max_steps=12), path=None)
    for seed in (0, 1):
        assert env.last is None or env.last.seed == seed - 1
        play(env, seed)
    assert env.last is not None and env.last.seed == 1
    assert Trajectory.from_line(env.last.to_line()) == env.last


def test_episodes_broken_off_are_not_written(tmp_path: Path) -> None:
    env = RecordTrajectories(toy(), path=tmp_path / "episodes.jsonl")
    env.reset(seed=1)
    env.step(LOOK)
    env.reset(seed=2)
    env.step(SUBMIT)
    (only,) = read_trajectories(tmp_path / "episodes.jsonl")
    assert only.seed == 2 and len(only.steps) == 1


@pytest.mark.parametrize(
    "action",
    ["\ud800 text", ToolCall(name="look"), [ToolCall(name="look"), ToolCall(name="add", arguments={"x": 1})],
     {"name": "look"}, 3, None, float("inf"), b"bytes", ["text", 5]],
)  # fmt: skip
def test_any_action_is_recorded_and_replays(action: Any, tmp_path: Path) -> None:
    env = RecordTrajectories(toy(), path=tmp_path / "episodes.jsonl")
    env.reset(seed=1)
    observation = env.step(action)[0]
    env.step(SUBMIT)
    (only,) = read_trajectories(tmp_path / "episodes.jsonl")
    assert only.steps[0].observation == observation
    readable = not isinstance(action, bytes | float)
    assert (replay(only, toy()) is None) == readable


def test_without_a_name_of_the_environment_one_must_be_given(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    play(RecordTrajectories(toy(), path=path), 1)
    with pytest.raises(TaskError, match="names no environment"):
        replay_file(path)
    assert replay_file(path, env=toy()).differences == {}


@pytest.mark.parametrize("digests", ["end", "none"])
def test_digests_can_be_left_out(digests: Any, tmp_path: Path) -> None:
    env = RecordTrajectories(toy(), path=tmp_path / "episodes.jsonl", digests=digests, tools=False)
    play(env, 1)
    (only,) = read_trajectories(tmp_path / "episodes.jsonl")
    worlds = [only.world, *(step.world for step in only.steps)]
    assert not any(worlds[:-1]) and bool(worlds[-1]) == (digests == "end")
    assert only.tools == []
    with pytest.raises(RegistryError, match="step"):
        RecordTrajectories(toy(), path=tmp_path / "x", digests="all")  # type: ignore[arg-type]  # on purpose


def test_training_data_holds_the_conversation_and_the_better_of_two(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    env = RecordTrajectories(toy(), path=path)
    for seed in (1, 2):
        play_oracle(env, retry=False, seed=seed)
        env.reset(seed=seed)
        env.step(SUBMIT)
    trajectories = list(read_trajectories(path))
    example = sft_example(trajectories[0])
    assert [message["role"] for message in example["messages"]][:3] == ["user", "assistant", "tool"]
    assert example["messages"][0]["content"] == trajectories[0].brief
    assert example["tools"] == base_of(env).tools.schemas()
    pairs = list(preference_pairs(trajectories))
    assert len(pairs) == 2
    for pair in pairs:
        assert (pair["chosen_return"], pair["rejected_return"]) == (1.0, 0.0)
        assert pair["rejected"][0]["content"] == SUBMIT
    assert not list(preference_pairs(trajectories[:1] * 3))


def test_an_action_without_an_end_is_recorded_by_its_kind() -> None:
    env = RecordTrajectories(toy(), path=None)
    env.reset(seed=1)
    endless: list[Any] = []
    endless.append(endless)
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"deeper": deep}
    for action in (endless, deep, SUBMIT):
        env.step(action)
    assert env.last is not None
    assert [step.action for step in env.last.steps[:2]] == ["<list>", "<dict>"]


def test_what_episodes_share_is_written_anew_when_it_changes(tmp_path: Path) -> None:
    env = RecordTrajectories(toy(), path=tmp_path / "episodes.jsonl")
    for seed in (1, 2, 1):
        _, info = env.reset(seed=seed)
        info["tools"].clear()
        env.step(SUBMIT)
    first, second, third = read_trajectories(tmp_path / "episodes.jsonl")
    assert first.task != second.task and first == third
    assert first.tools == second.tools and len(first.tools) == len(env.base.tools)
