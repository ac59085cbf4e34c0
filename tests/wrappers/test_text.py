"""PlanHint, ObservationLimit and ChatHistory change what is read, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.wrappers import TransformObservation
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.wrappers import ChatHistory, DropToolResults, ObservationLimit, PlanHint, Summarise, ToolBudget, Window
from opsgym.wrappers.chat_history import LEFT_OUT, Message
from opsgym.wrappers.observation_limit import Keep, shorten
from opsgym.wrappers.plan_hint import hint
from tests.wrappers.support import LOOK, SUBMIT, Env, base_of, toy

# -- PlanHint


def test_the_oracle_plan_can_be_played_from_the_brief() -> None:
    env = PlanHint(toy(), level="oracle")
    for seed in range(10):
        brief, _ = env.reset(seed=seed)
        assert brief in env.observation_space
        plan = [line.split(". ", 1)[1] for line in brief.split("\n\n")[1].splitlines()[1:]]
        steps = [env.step(call) for call in plan]
        assert steps[-1][1] == 1.0
        assert all("Plan" not in step[0] for step in steps)


def test_the_outline_names_the_tools_and_no_argument() -> None:
    env = PlanHint(toy(params={"counters": 3}), level="outline")
    brief, _ = env.reset(seed=1)
    assert brief.split("\n\n")[1].splitlines()[1:] == ["1. add (3 times)", "2. submit"]


def test_no_plan_leaves_brief_and_space_alone() -> None:
    env = PlanHint(toy(), level="none")
    assert env.reset(seed=1)[0] == toy().reset(seed=1)[0]
    assert env.observation_space == toy().observation_space
    assert hint(base_of(env).task, "none") == ""


def test_a_plan_without_room_or_of_an_unknown_level_is_refused() -> None:
    with pytest.raises(TaskError, match="max_chars"):
        PlanHint(toy(), level="oracle", max_chars=10).reset(seed=1)
    with pytest.raises(RegistryError, match="outline"):
        PlanHint(toy(), level="outlin")  # type: ignore[arg-type]  # on purpose


def test_a_plan_for_another_harness_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    env = toy()
    monkeypatch.setattr(env, "harness", "api")
    with pytest.raises(TaskError, match="harness"):
        PlanHint(env, level="oracle")
    PlanHint(env, level="none")


# -- ObservationLimit


@given(st.text(max_size=200), st.integers(0, 120), st.sampled_from(["start", "end", "both"]))
@settings(max_examples=200, deadline=None)
def test_a_shortened_text_fits_and_keeps_its_part(text: str, limit: int, keep: Keep) -> None:
    short = shorten(text, limit, keep)
    assert len(short) <= max(limit, 0)
    if len(text) <= limit:
        assert short == text
    elif limit >= 40:
        head, _, rest = short.partition("…[")
        tail = rest.partition("left out]")[2]
        assert text.startswith(head) and text.endswith(tail)
        assert len(head) + len(tail) + int(rest.split(" ", 1)[0]) == len(text)
        assert (keep == "end" or head) and (keep == "start" or tail)


def test_steps_are_cut_and_the_brief_is_whole() -> None:
    env = ObservationLimit(toy(params={"counters": 8}), max_chars=50)
    assert env.reset(seed=1)[0] == toy(params={"counters": 8}).reset(seed=1)[0]
    observation = env.step(LOOK)[0]
    assert len(observation) <= 50 and "left out" in observation
    with pytest.raises(TaskError, match="max_chars"):
        ObservationLimit(toy(), max_chars=3)
    with pytest.raises(RegistryError, match="both"):
        ObservationLimit(toy(), keep="middle")  # type: ignore[arg-type]  # on purpose


def test_wrappers_of_text_refuse_what_is_not_text() -> None:
    arrays: Env = TransformObservation(toy(), lambda text: len(text), gym.spaces.Discrete(100_000))
    for kind in (PlanHint, ObservationLimit, ChatHistory):
        with pytest.raises(TaskError, match="observations of text"):
            kind(arrays)


# -- ChatHistory


def contents(messages: Any) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in messages]


def test_messages_hold_the_conversation() -> None:
    env = ChatHistory(toy(), system="Be brief.", result_role="user")
    messages, _ = env.reset(seed=1)
    brief = toy().reset(seed=1)[0]
    assert contents(messages) == [("system", "Be brief."), ("user", brief)]
    messages = env.step(LOOK)[0]
    bare = toy()
    bare.reset(seed=1)
    assert contents(messages)[2:] == [("assistant", LOOK), ("user", bare.step(LOOK)[0])]
    assert messages in env.observation_space


def test_messages_share_nothing_with_the_next_observation() -> None:
    env = ChatHistory(toy())
    messages, _ = env.reset(seed=1)
    messages[0]["content"] = "changed"
    assert env.step(LOOK)[0][0]["content"] != "changed"


def test_a_transcript_is_the_same_as_text() -> None:
    env, as_text = ChatHistory(toy()), ChatHistory(toy(), format="transcript")
    env.reset(seed=1), as_text.reset(seed=1)
    for action in (LOOK, "nothing", SUBMIT):
        messages, text = env.step(action)[0], as_text.step(action)[0]
        assert text == "\n\n".join(f"[{role}]\n{content}" for role, content in contents(messages))
        assert text in as_text.observation_space


def test_a_window_shows_the_last_turns() -> None:
    env = ChatHistory(toy(), strategy=Window(2))
    env.reset(seed=1)
    for _ in range(5):
        messages = env.step(LOOK)[0]
    assert len(messages) == 5 and "[3 earlier turns left out]" in messages[0]["content"]


def test_dropped_results_leave_the_actions() -> None:
    env = ChatHistory(toy(), strategy=DropToolResults(keep=1))
    env.reset(seed=1)
    for _ in range(3):
        messages = env.step(LOOK)[0]
    results = [content for role, content in contents(messages) if role == "tool"]
    assert results[:2] == [LEFT_OUT, LEFT_OUT] and json.loads(results[2])["ok"]
    assert [content for role, content in contents(messages) if role == "assistant"] == [LOOK] * 3


def test_summaries_are_made_once_for_each_chunk() -> None:
    asked: list[int] = []

    def summary(before: str, messages: Sequence[Message]) -> str:
        asked.append(len(messages))
        return f"{before}+{len(messages) // 2}"

    env = ChatHistory(toy(), strategy=Summarise(summary, keep=2, every=3))
    env.reset(seed=1)
    for _ in range(9):
        messages = env.step(LOOK)[0]
    assert asked == [6, 6]
    assert messages[0]["content"].endswith("\n\n+3+3")
    assert len(messages) == 1 + 2 * 3
    env.reset(seed=1)
    assert "+3" not in env.step(LOOK)[0][0]["content"]


@given(st.integers(0, 400), st.lists(st.sampled_from([LOOK, "x" * 150, ""]), max_size=9), st.sampled_from([None, Window(3)]))
@settings(max_examples=60, deadline=None)
def test_a_limit_is_kept_and_the_brief_and_the_last_turn_stay(room: int, actions: list[str], strategy: Any) -> None:
    brief = toy().reset(seed=1)[0]
    env = ChatHistory(toy(), max_chars=len(brief) + room, strategy=strategy)
    env.reset(seed=1)
    for action in actions:
        messages = env.step(action)[0]
        assert sum(len(message["content"]) for message in messages) <= len(brief) + room
        assert messages[0]["content"].startswith(brief)
        assert messages[-1]["role"] == "tool"
        assert messages in env.observation_space


def test_a_brief_beyond_the_limit_and_unknown_formats_are_refused() -> None:
    with pytest.raises(TaskError, match="max_chars"):
        ChatHistory(toy(), max_chars=5).reset(seed=1)
    with pytest.raises(RegistryError, match="messages"):
        ChatHistory(toy(), format="message")  # type: ignore[arg-type]  # on purpose
    with pytest.raises(RegistryError, match="tool"):
        ChatHistory(toy(), result_role="function")  # type: ignore[arg-type]  # on purpose


def test_the_history_does_not_grow_over_episodes() -> None:
    env = ChatHistory(ToolBudget(toy()), format="transcript")
    lengths = set()
    for _ in range(5):
        env.reset(seed=1)
        lengths.add(len([env.step(LOOK)[0] for _ in range(8)][-1]))
    assert len(lengths) == 1
