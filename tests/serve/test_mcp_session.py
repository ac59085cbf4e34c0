"""A session answers anything, changes nothing when it refuses, and says of the score what its operator allows."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.data.fixed_sets import shipped
from opsgym.data.trajectories import read_trajectories, replay_file
from opsgym.serve.mcp_session import Offer, Session, Sessions

TOY = "ServedToy-v0"


@pytest.fixture(scope="module", autouse=True)
def toy_id() -> Iterator[None]:
    gym.register(TOY, entry_point="tests.envs.toy_family:ToyEnv", kwargs={"cache": None})
    yield
    del gym.registry[TOY]


def opened(**offer: Any) -> Session:
    return Sessions(Offer(env_id=TOY, **offer)).open()


def play_oracle(session: Session) -> str:
    """The ending, as the agent reads it."""
    answers = [session.call(call.name, call.arguments) for call in session.env.task.oracle]
    assert not any(answer.is_error or answer.ending for answer in answers[:-1])
    assert not answers[-1].is_error and answers[-1].ending
    return json.dumps(answers[-1].ending)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["look", "add", "move", "submit", "next_task", "", "__class__"]) | st.text(max_size=8)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["name", "amount", "source", "target", "number"]) | st.text(max_size=5), JSON, max_size=4
)


CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), max_size=6)


@given(CALLS)
def test_any_call_is_answered_by_json_and_one_that_is_refused_changes_nothing(calls: list[tuple[str, dict[str, Any]]]) -> None:
    session = opened(env_options={"tier": "easy"})
    for name, arguments in calls:
        before = session.env.world.digest()
        answer = session.call(name, arguments)
        said = json.loads(answer.line)
        assert said["ok"] is not answer.is_error
        if answer.is_error:
            assert session.env.world.digest() == before
            assert said["error"]["message"] and said["error"]["hint"]
    session.close()


@settings(max_examples=30)
@given(CALLS)
def test_any_calls_replay(calls: list[tuple[str, dict[str, Any]]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        session = opened(record=f"{directory}/episodes.jsonl")
        for name, arguments in [*calls, ("submit", {})]:
            session.call(name, arguments)
        session.close()
        replayed = replay_file(f"{directory}/episodes.jsonl")
        assert (replayed.episodes, replayed.differences) == (1, {})


def test_what_a_refusal_says_is_what_the_environment_says() -> None:
    session = opened()
    env = session.env
    said = [session.call("ad", {"name": "red"}).line, session.call("add", {"name": "red", "amount": "2"}).line]
    assert said == [turn.observation for turn in env.transcript]
    assert "Did you mean 'add'?" in said[0] and "expected an integer" in said[1]


def test_a_call_after_the_end_is_refused_and_changes_nothing() -> None:
    session = opened()
    play_oracle(session)
    before, turns = session.env.world.digest(), len(session.env.transcript)
    answer = session.call("add", {"name": session.env.task.world["counters"][0], "amount": 1})
    assert answer.is_error and json.loads(answer.line)["error"]["code"] == "bad_state"
    assert (session.env.world.digest(), len(session.env.transcript)) == (before, turns)


def test_the_score_is_told_only_where_the_operator_says_so() -> None:
    assert json.loads(play_oracle(opened())) == {"episode": "over", "why": "handed in"}
    told = json.loads(play_oracle(opened(reveal_score=True)))
    assert told["score"] == {"reward": 1.0, "is_success": True}


def test_the_end_of_the_budget_is_told() -> None:
    session = opened(env_options={"max_steps": 2}, reveal_score=True)
    assert session.call("look", {}).ending is None
    ending = session.call("look", {}).ending
    assert ending == {"episode": "over", "why": "the budget of calls is used up", "score": {"reward": 0.0, "is_success": False}}
    assert session.call("look", {}).is_error


def test_tasks_are_the_same_for_all_sessions_or_count_up() -> None:
    for per_session in (False, True):
        sessions = Sessions(Offer(env_id=TOY, number=5, task_per_session=per_session))
        seeds = [sessions.open().env.np_random_seed for _ in range(3)]
        assert seeds == ([5, 6, 7] if per_session else [5, 5, 5])


def test_a_number_may_be_a_place_in_a_fixed_set() -> None:
    options = {"split": "test", "cache": None}
    session = Sessions(Offer(env_id="ERPBench-v0", env_options=options, number=298, by_index=True, next_task=True)).open()
    pack = shipped(session.env.family, "test")
    assert pack is not None
    assert session.env.task == pack[298]
    assert not session.call("next_task", {}).is_error and session.env.task == pack[299]
    refused = session.call("next_task", {})
    assert refused.is_error and "expected an index below 300" in refused.line
    assert session.env.task == pack[299] and session.number == 299
    assert not session.call("submit", {}).is_error


def test_the_next_task_is_offered_only_where_the_operator_says_so() -> None:
    assert "next_task" not in [tool.name for tool in opened().tools]
    answer = opened().call("next_task", {})
    assert answer.is_error and json.loads(answer.line)["error"]["code"] == "unknown_tool"


def test_the_next_task_is_another_one_in_a_fresh_world() -> None:
    session = opened(next_task=True)
    assert [tool.name for tool in session.tools][-1] == "next_task"
    first = session.brief
    session.call("add", {"name": session.env.task.world["counters"][0], "amount": 1})
    assert json.loads(session.call("next_task", {}).line)["result"] == session.brief != first
    assert session.number == 1 and session.env.transcript == ()
    session.call("next_task", {"number": 0})
    assert session.brief == first and session.env.transcript == ()
    play_oracle(session)
    assert not session.call("next_task", {}).is_error
    refused = json.loads(session.call("next_task", {"number": -1}).line)
    assert refused["error"]["code"] == "invalid_arguments" and session.number == 1


def test_the_next_task_without_a_number_is_one_that_no_other_session_got() -> None:
    sessions = Sessions(Offer(env_id=TOY, task_per_session=True, next_task=True))
    first, second = sessions.open(), sessions.open()
    seen = [first.number, second.number]
    for session in (first, second):
        session.call("next_task", {})
        seen.append(session.number)
    assert seen == [0, 1, 2, 3]


def test_recorded_episodes_replay(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    sessions = Sessions(Offer(env_id=TOY, task_per_session=True, next_task=True, record=path))
    for _ in range(2):
        session = sessions.open()
        session.call("ad", {})
        play_oracle(session)
        session.call("next_task", {})
        play_oracle(session)
        session.call("next_task", {})
        session.call("look", {})
        session.close()
    replayed = replay_file(path)
    assert (replayed.episodes, replayed.differences) == (4, {})
    assert all(each.is_success for each in read_trajectories(path))


def test_a_closed_session_is_open_no_more() -> None:
    sessions = Sessions(Offer(env_id=TOY))
    session, other = sessions.open(), sessions.open()
    session.call("look", {})
    session.close()
    session.close()
    assert sessions.open_sessions == {other}


@pytest.mark.parametrize(
    ("offer", "error", "message"),
    [
        ({"env_id": "Nothing-v0"}, RegistryError, "unknown environment"),
        ({"env_id": "CartPole-v1"}, RegistryError, "unknown environment of OpsGym"),
        ({"env_id": TOY, "env_options": {"tier": "hard"}}, RegistryError, "unknown tier 'hard'"),
        ({"env_id": TOY, "by_index": True}, TaskError, "an index needs a pack"),
        ({"env_id": TOY, "record": "episodes.parquet"}, TaskError, "Parquet"),
    ],
)
def test_what_cannot_be_played_is_refused_before_a_client_comes(
    offer: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Sessions(Offer(**offer))
