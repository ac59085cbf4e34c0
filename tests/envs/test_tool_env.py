"""ToolEnv keeps its promises, shown with a family of counters."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import BackendError, EpisodeOver, RegistryError, TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox, tool
from opsgym.core.world import World
from opsgym.data.packs import write_pack
from opsgym.data.splits import split_of
from opsgym.envs.cache import TaskCache
from opsgym.envs.episode import fit
from tests.envs.toy_family import TOOLBOX, ToyEnv, ToyFamily, ToyParams, add

SUBMIT = '{"name": "submit"}'
FAMILY = ToyFamily()


def make(**kwargs: Any) -> ToyEnv:
    return ToyEnv(**{"cache": None, **kwargs})


def add_call(name: str, amount: int) -> str:
    return json.dumps({"name": "add", "arguments": {"name": name, "amount": amount}})


def task_of(seed: int, **draw: Any) -> Task:
    return FAMILY.compile(FAMILY.draw(seed, **draw), seed)


@pytest.fixture
def env() -> ToyEnv:
    made = make(tier="easy", pattern="colours", params={"counters": 2})
    made.reset(seed=1)
    return made


# -- the Gymnasium contract


@pytest.mark.parametrize("reward_mode", ["paper", "binary", "dense"])
@pytest.mark.parametrize("disclosure", ["full", "brief"])
def test_check_env_is_silent(reward_mode: str, disclosure: str) -> None:
    gym.register("Toy-v0", entry_point="tests.envs.toy_family:ToyEnv")
    try:
        made = gym.make("Toy-v0", reward_mode=reward_mode, disclosure=disclosure, cache=None)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(made.unwrapped)
        pickle.loads(pickle.dumps(made.spec))
        assert made.spec is not None
        assert gym.make(made.spec).reset(seed=3)[0] == made.reset(seed=3)[0]
    finally:
        del gym.registry["Toy-v0"]


def test_the_same_seed_gives_the_same_task_and_the_stream_goes_on() -> None:
    first, second = make(), make()
    drawn = [[made.reset(seed=5)[1]["task_id"], *(made.reset()[1]["task_id"] for _ in range(4))] for made in (first, second)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 5


def test_the_global_random_streams_are_untouched(env: ToyEnv) -> None:
    random.seed(7)
    np.random.seed(7)
    before = random.getstate(), repr(np.random.get_state())
    made = make()
    made.reset(seed=3)
    made.step(made.action_space.sample())
    made.fork().close()
    assert (random.getstate(), repr(np.random.get_state())) == before


def test_stepping_too_early_or_too_late_is_a_clear_error() -> None:
    made = make()
    with pytest.raises(ResetNeeded, match="call reset"):
        made.step(SUBMIT)
    made.reset(seed=1)
    made.step(SUBMIT)
    with pytest.raises(EpisodeOver, match="call reset"):
        made.step(SUBMIT)


def test_close_is_idempotent_and_reset_opens_again() -> None:
    made = make()
    made.close()
    made.reset(seed=1)
    made.verdict()
    made.close()
    made.close()
    obs, _ = made.reset(seed=1)
    assert obs == make().reset(seed=1)[0]


def test_every_two_infos_share_no_object(env: ToyEnv) -> None:
    _, info = env.reset(seed=1)
    info["tools"][0]["function"]["name"] = "changed"
    _, again = env.reset(seed=1)
    assert again["tools"][0]["function"]["name"] == "look"
    first = env.step("garbage")[4]
    first["malformed"]["no_call"] = 99
    assert env.step("garbage")[4]["malformed"] == {"no_call": 2}


def test_spaces_hold_what_is_emitted() -> None:
    made = make(max_observation_chars=300, max_action_chars=100)
    obs, _ = made.reset(seed=2)
    assert obs in made.observation_space
    obs, *_ = made.step("[" + ", ".join([add_call("nothing of the kind", 1)] * 30) + "]")
    assert obs in made.observation_space


# -- ends and rewards


def test_submit_terminates_and_the_oracle_earns_everything(env: ToyEnv) -> None:
    rewards = []
    for call in env.task.oracle:
        _, reward, terminated, truncated, info = env.step(call)
        rewards.append(reward)
    assert (terminated, truncated) == (True, False)
    assert rewards == [0.0] * (len(rewards) - 1) + [1.0]
    assert info["is_success"] is True
    assert info["verdict"]["reward"] == 1.0


@pytest.mark.parametrize(("graded", "reward"), [(True, 0.5), (False, 0.0)])
def test_a_used_up_budget_truncates_with_the_declared_verdict(graded: bool, reward: float) -> None:
    made = make(params={"counters": 2}, tier="easy", max_steps=2, grade_on_truncation=graded)
    made.reset(seed=1)
    assert made.step(made.task.oracle[0])[1:4] == (0.0, False, False)
    _, got, terminated, truncated, info = made.step("nothing")
    assert (got, terminated, truncated) == (reward, False, True)
    assert ("verdict" in info) is graded
    assert info["is_success"] is False
    assert info["turns_left"] == 0


def test_submit_on_the_last_turn_is_a_termination() -> None:
    made = make(max_steps=1)
    made.reset(seed=1)
    assert made.step(SUBMIT)[2:4] == (True, False)


def test_binary_reward_is_all_or_nothing() -> None:
    for stop, reward in ((1, 0.0), (2, 1.0)):
        made = make(params={"counters": 2}, reward_mode="binary")
        made.reset(seed=1)
        made.step(list(made.task.oracle[:stop]))
        assert made.step(SUBMIT)[1] == reward


@given(st.lists(st.tuples(st.sampled_from(["red", "green", "blue"]), st.integers(-40, 60)), max_size=9), st.booleans())
@settings(max_examples=60, deadline=None)
def test_dense_rewards_add_up_exactly_to_the_final_potential(moves: list[tuple[str, int]], solve: bool) -> None:
    made = make(params={"counters": 3}, reward_mode="dense", max_steps=12)
    made.reset(seed=4)
    total = 0.0
    for name, amount in moves:
        total += made.step(add_call(name, amount))[1]
    if solve:
        total += made.step(made.task.oracle[0])[1]
    total += made.step(SUBMIT)[1]
    assert total == round(made.verdict().reward * 2**32) / 2**32
    assert total == pytest.approx(made.verdict().reward, abs=1e-9)


def test_dense_rewards_of_an_ungraded_episode_add_up_to_nothing() -> None:
    made = make(params={"counters": 3}, reward_mode="dense", max_steps=2, grade_on_truncation=False)
    made.reset(seed=4)
    first = made.step(made.task.oracle[0])[1]
    assert first > 0
    assert first + made.step("x")[1] == 0


def test_a_broken_backend_ends_the_episode_unscored(env: ToyEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    @tool()
    def ping(world: World) -> None:
        """Ask a machine that is down."""
        raise BackendError("connection lost")

    monkeypatch.setattr(env, "_toolbox", Toolbox([*TOOLBOX.values(), ping]))
    _, reward, terminated, truncated, info = env.step('{"name": "ping"}')
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["backend_error"] == "connection lost"
    assert "verdict" not in info and "is_success" not in info


# -- calls


def test_several_calls_run_in_order_and_each_is_atomic(env: ToyEnv) -> None:
    obs, *_, info = env.step("[" + ",".join([add_call("red", 5), add_call("red", 500), add_call("red", 2)]) + "]")
    lines = [json.loads(line) for line in obs.splitlines()]
    assert [line["ok"] for line in lines] == [True, False, True]
    assert lines[1]["error"]["code"] == "invalid_value"
    assert env.world.rows("counter")[1][2] == 7
    assert (info["calls"], info["errors"]) == (3, {"invalid_value": 1})


def test_a_call_that_fails_half_way_leaves_no_trace(env: ToyEnv) -> None:
    env.step(add_call("red", 50))
    before = env.world.digest()
    obs, *_ = env.step('{"name": "move", "arguments": {"source": "red", "target": "nowhere", "amount": 5}}')
    assert "not_found" in obs
    assert env.world.digest() == before


def test_calls_after_a_terminal_one_are_not_carried_out(env: ToyEnv) -> None:
    obs, _, terminated, *_ = env.step("[" + ",".join([SUBMIT, add_call("red", 5)]) + "]")
    assert terminated and len(obs.splitlines()) == 1
    assert env.world.rows("counter")[1][2] == 0


def test_a_bug_in_a_tool_propagates_and_leaves_no_trace(env: ToyEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    @tool(mutates=True)
    def crash(world: World, *, late: bool) -> object:
        """Change something, then break.

        Args:
            late: Break only when the result is written.
        """
        add.function(world, "red", 1)
        if not late:
            raise ZeroDivisionError
        return object()

    monkeypatch.setattr(env, "_toolbox", Toolbox([*TOOLBOX.values(), crash]))
    before = env.world.digest()
    with pytest.raises(ZeroDivisionError):
        env.step('{"name": "crash", "arguments": {"late": false}}')
    with pytest.raises(TypeError, match="JSON"):
        env.step('{"name": "crash", "arguments": {"late": true}}')
    assert env.world.digest() == before
    assert json.loads(env.step(add_call("red", 3))[0])["result"] == 3


@given(st.one_of(st.text(), st.binary(), st.integers(), st.none(), st.lists(st.text())))
@settings(max_examples=80, deadline=None)
def test_no_action_raises_and_a_refused_one_changes_nothing(action: object) -> None:
    made = make(max_steps=3)
    made.reset(seed=1)
    before = made.world.digest()
    obs, *_, info = made.step(action)
    assert made.world.digest() == before
    assert obs in made.observation_space
    assert sum(info["malformed"].values()) == info["calls"] == sum(info["errors"].values())


class Mute:
    """A stranger's object that has not even a text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "action",
    [
        Mute(),
        [Mute()],
        "\ud800 is no character",
        ToolCall(name="add", arguments={"name": "\ud800"}),
        ToolCall(name="add", arguments={"name": object()}),
        ToolCall(name="add", arguments={"name": Mute()}),
        "x" * 1_000_000,
        ToolCall(name="add", arguments={"name": "x" * 1_000_000}),
    ],
    ids=lambda action: type(action).__name__,
)
def test_the_transcript_holds_sound_text_of_bounded_length_whatever_was_sent(action: object, capsys: Any) -> None:
    made = make(render_mode="human")
    made.reset(seed=1)
    observation, *_ = made.step(action)
    assert observation in made.observation_space
    (turn,) = made.transcript
    assert len(turn.action) <= made.max_action_chars
    assert turn.action.encode()
    assert turn.observation in capsys.readouterr().out
    assert len(pickle.dumps(made.snapshot())) < 200_000


def test_limits_on_actions_name_the_limit() -> None:
    made = make(max_calls_per_step=2, max_action_chars=200)
    made.reset(seed=1)
    obs, *_, info = made.step([ToolCall(name="look")] * 3)
    assert "At most 2 calls" in obs and info["malformed"] == {"too_many_calls": 1}
    obs, *_, info = made.step("x" * 201)
    assert "200" in obs and info["malformed"]["too_large"] == 1


def test_an_observation_is_cut_with_a_mark_and_short_lines_stay_whole() -> None:
    lines = ["a" * 20, "b" * 500, "c" * 400]
    text = fit(lines, 300)
    assert len(text) <= 300
    assert text.splitlines()[0] == lines[0]
    assert text.count("characters left out") == 2
    assert fit(lines, 1000) == "\n".join(lines)


@given(st.lists(st.text("x", max_size=200), min_size=1, max_size=20), st.integers(1, 400))
def test_a_fitted_text_never_exceeds_the_limit(lines: list[str], limit: int) -> None:
    assert len(fit(lines, limit)) <= limit


# -- choosing tasks


def test_unknown_names_are_refused_with_what_exists() -> None:
    for name, known in (
        ("tier", "easy"),
        ("pattern", "metals"),
        ("harness", "tools"),
        ("disclosure", "brief"),
        ("reward_mode", "dense"),
    ):
        with pytest.raises(RegistryError, match=known):
            make(**{name: "nonsense"})
    with pytest.raises(RegistryError, match="counters"):
        make(params={"countters": 3})
    with pytest.raises(RegistryError, match="train"):
        make(split="dev")
    with pytest.raises(TaskError, match="counters"):
        make(params={"counters": 0})
    with pytest.raises(TaskError, match="max_steps"):
        make(max_steps=0)
    made = make()
    with pytest.raises(RegistryError, match=r"taks.*task"):
        made.reset(options={"taks": 1})


def test_infeasible_parameters_are_a_task_error() -> None:
    with pytest.raises(TaskError, match="nine counters"):
        make(params={"counters": 9}).reset(seed=1)


def test_options_narrow_the_supply() -> None:
    made = make(tier="easy")
    for seed in range(10):
        _, info = made.reset(seed=seed, options={"tier": "medium", "pattern": "metals", "split": "test"})
        assert (info["tier"], info["pattern"], split_of(made.task.seed)) == ("medium", "metals", "test")
    made.reset(seed=1, options={"params": {"counters": 7}})
    assert made.task.params["counters"] == 7


def test_a_task_can_be_given_in_any_form() -> None:
    task, made = task_of(3), make()
    for form in (task, task.to_json(), json.loads(task.to_json())):
        assert made.reset(options={"task": form})[1]["task_id"] == task.id
    with pytest.raises(TaskError, match="family"):
        made.reset(options={"task": {**json.loads(task.to_json()), "family": "Other-v0"}})
    newer = task.model_dump(mode="json", exclude={"id"}) | {"version": "2"}
    with pytest.raises(TaskError, match="made by version 2"):
        made.reset(options={"task": newer})
    with pytest.raises(TaskError, match="cannot be combined"):
        made.reset(options={"task": task, "tier": "easy"})


@pytest.mark.parametrize("form", ["list", "one", "pack"])
def test_given_tasks_are_played_and_indexed(form: str, tmp_path: Path) -> None:
    tasks = [task_of(seed) for seed in range(6)]
    write_pack(tmp_path / "pack.jsonl", tasks)
    made = make(tasks={"list": tasks, "one": tasks[0], "pack": tmp_path / "pack.jsonl"}[form])
    ids = {task.id for task in (tasks[:1] if form == "one" else tasks)}
    assert {made.reset(seed=seed)[1]["task_id"] for seed in range(60)} == ids
    assert made.reset(options={"index": 0})[1]["task_id"] == tasks[0].id
    with pytest.raises(TaskError, match="index"):
        made.reset(options={"index": 99})
    with pytest.raises(TaskError, match="compiled"):
        made.reset(options={"params": {"counters": 2}})


def test_given_tasks_can_be_narrowed() -> None:
    tasks = [task_of(seed) for seed in range(20)]
    made = make(tasks=tasks, tier="easy")
    assert {made.reset(seed=seed)[1]["tier"] for seed in range(10)} == {"easy"}
    with pytest.raises(RegistryError, match="medium"):
        made.reset(options={"tier": "legendary"})
    with pytest.raises(TaskError, match="expected at least one"):
        make(tasks=[])


# -- caches


def test_tasks_are_compiled_once_and_kept_on_disk(tmp_path: Path) -> None:
    compiled = []

    class Counting(ToyFamily):
        def compile(self, params: ToyParams, seed: int) -> Task:
            compiled.append(seed)
            return super().compile(params, seed)

    params = FAMILY.draw(3)
    first = TaskCache(tmp_path).get(Counting(), params, 3)
    assert TaskCache(tmp_path).get(Counting(), params, 3) == first
    assert compiled == [3]
    (file,) = tmp_path.rglob("*.json")
    assert file.parent == tmp_path / "Toy-v0" / "1"


@pytest.mark.parametrize("damage", [b"", b"{", b'{"family": "Toy-v0"}', "altered", "other"])
def test_a_damaged_file_of_the_cache_is_compiled_anew(tmp_path: Path, damage: bytes | str) -> None:
    params = FAMILY.draw(3)
    task = TaskCache(tmp_path).get(FAMILY, params, 3)
    (file,) = tmp_path.rglob("*.json")
    altered = file.read_bytes().replace(b"Set the counters", b"Get the counters")
    contents = {"altered": altered, "other": task_of(4).to_json().encode()}
    file.write_bytes(contents[damage] if isinstance(damage, str) else damage)
    assert TaskCache(tmp_path).get(FAMILY, params, 3) == task
    assert Task.from_json(file.read_bytes()) == task


def test_a_cache_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = TaskCache(tmp_path / "file")
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        cache.get(FAMILY, FAMILY.draw(3), 3)
    cache.get(FAMILY, FAMILY.draw(4), 4)


# -- branch points


@given(st.integers(0, 6), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_a_restored_state_replays_identically(steps: int, seed: int) -> None:
    made = make(params={"counters": 3}, reward_mode="dense")
    made.reset(seed=seed)
    made.action_space.seed(seed)
    actions = [made.action_space.sample() for _ in range(9)]
    for action in actions[:steps]:
        if not made._running.over:
            made.step(action)
    state = pickle.loads(pickle.dumps(made.snapshot()))
    other = make(params={"counters": 3}, reward_mode="dense")
    other.restore(state)
    forked = made.fork()

    def play(env: ToyEnv) -> list[Any]:
        seen: list[Any] = []
        for action in actions[steps:]:
            if not env._running.over:
                seen.append(env.step(action))
        return [seen, env.world.digest(), env.transcript, env.reset()]

    first = play(made)
    made.restore(state)
    assert play(made) == first == play(other) == play(forked)


def test_forks_go_on_independently(env: ToyEnv) -> None:
    env.step(add_call("red", 1))
    forked = env.fork()
    forked.step(add_call("red", 1))
    assert (env.world.rows("counter")[1][2], forked.world.rows("counter")[1][2]) == (1, 2)
    assert len(env.transcript) == 1


def test_a_snapshot_of_another_configuration_is_refused(env: ToyEnv) -> None:
    other = make(disclosure="brief")
    with pytest.raises(TaskError, match="expected a snapshot of"):
        other.restore(env.snapshot())


# -- secrecy and showing


def test_info_holds_nothing_of_the_solution_before_the_end(env: ToyEnv) -> None:
    _, reset_info = env.reset(seed=1)
    *_, step_info = env.step(add_call("red", 1))
    for info in (reset_info, step_info):
        assert not {"verdict", "oracle", "checks", "certificate", "seed", "world"} & info.keys()
        assert json.dumps(env.task.checks[0].args) not in json.dumps(info)


def test_render_shows_transcript_world_and_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    made = make(render_mode="ansi", params={"counters": 2}, pattern="colours")
    made.reset(seed=1)
    made.step(add_call("red", 1))
    made.step(SUBMIT)
    text = made.render()
    assert text is not None
    for part in ("Set the counters", "[1] > ", "red=1", "verdict: reward 0.0000, not solved"):
        assert part in text
    human = make(render_mode="human")
    human.reset(seed=1)
    human.step(SUBMIT)
    assert human.render() is None
    assert "verdict: reward" in capsys.readouterr().out


def test_two_processes_with_other_hash_seeds_see_the_same(tmp_path: Path) -> None:
    script = (
        "from tests.envs.toy_family import ToyEnv\n"
        "env = ToyEnv(cache=None); env.action_space.seed(1)\n"
        "for seed in range(5):\n"
        "    print(env.reset(seed=seed))\n"
        "    print([env.step(env.action_space.sample())[:2] for _ in range(1)], env.world.digest())\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    outputs = set()
    for seed in ("1", "2"):
        command = [sys.executable, "-c", script]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": root}
        outputs.add(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
    assert len(outputs) == 1


def test_gymnasium_wrappers_work_around_it() -> None:
    wrapped = gym.wrappers.RecordEpisodeStatistics(gym.wrappers.OrderEnforcing(make(params={"counters": 2})))
    wrapped.reset(seed=1)
    with pytest.raises(ResetNeeded):
        gym.wrappers.OrderEnforcing(make()).step(SUBMIT)
    *_, info = wrapped.step([*wrapped.unwrapped.task.oracle])  # type: ignore[attr-defined]  # a ToolEnv
    assert (info["episode"]["r"], info["is_success"]) == (1.0, True)


@pytest.mark.parametrize("name", ["tier", "pattern", "split", "params"])
@pytest.mark.parametrize("value", [5, 1.5, ["x"], {"tier"}, b"x", object()])
def test_choices_of_a_wrong_type_are_a_task_error_that_names_them(env: ToyEnv, name: str, value: object) -> None:
    with pytest.raises(TaskError, match=f"options.{name}"):
        env.reset(options={name: value})
    with pytest.raises(TaskError, match=name):
        make(**{name: value})


def test_options_that_are_no_mapping_are_a_task_error(env: ToyEnv) -> None:
    with pytest.raises(TaskError, match="options"):
        env.reset(options=5)  # type: ignore[arg-type]  # what a caller may get wrong


def test_a_compiled_task_and_a_cached_one_are_equal_to_the_letter(tmp_path: Path) -> None:
    class Unsorted(ToyFamily):
        def compile(self, params: ToyParams, seed: int) -> Task:
            task = super().compile(params, seed)
            oracle = [call.model_copy(update={"arguments": dict(reversed(call.arguments.items()))}) for call in task.oracle]
            return task.model_copy(update={"oracle": tuple(oracle)})

    params = FAMILY.draw(3)
    memory, compiled, read = (TaskCache(place).get(Unsorted(), params, 3) for place in (None, tmp_path, tmp_path))
    assert repr(memory) == repr(compiled) == repr(read)
