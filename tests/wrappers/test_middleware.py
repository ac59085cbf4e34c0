"""The hooks of ToolEnv on which the wrappers stand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.task import ToolCall
from opsgym.core.tools import ToolResult
from opsgym.envs.middleware import Middleware, Proceed, Reply, answer
from tests.wrappers.support import LOOK, SUBMIT, toy

ADD = '{"name": "add", "arguments": {"name": "red", "amount": 1}}'


class Refuse(Middleware):
    """Refuses one tool and counts."""

    def __init__(self, name: str) -> None:
        self.name, self.seen = name, 0

    def around(self, call: ToolCall, proceed: Proceed) -> Reply:
        self.seen += 1
        if call.name == self.name:
            return answer(ToolResult(call.name, error=ToolError("not_allowed", f"not {call.name}")))
        return proceed(call)

    def snapshot_state(self) -> Any:
        return self.seen

    def restore_state(self, state: Any) -> None:
        self.seen = state


class Hide(Middleware):
    """Carries out every call and tells nothing."""

    def around(self, call: ToolCall, proceed: Proceed) -> Reply:
        return answer(ToolResult(call.name, error=ToolError("unavailable", "lost"))) if proceed(call) else proceed(call)


def test_the_outermost_layer_sees_a_call_first() -> None:
    env, inner, outer = toy(), Refuse("look"), Refuse("add")
    env.use([inner, outer])
    env.reset(seed=1)
    assert [json.loads(env.step(action)[0])["ok"] for action in (LOOK, ADD, SUBMIT)] == [False, False, True]
    assert (inner.seen, outer.seen) == (2, 3)


def test_layers_see_each_call_of_an_action_and_no_malformed_one() -> None:
    env, layer = toy(), Refuse("none")
    env.use([layer])
    env.reset(seed=1)
    env.step(f"[{LOOK}, {ADD}, 3]")
    env.step("nothing")
    assert layer.seen == 2


def test_a_change_counts_whatever_the_agent_is_told() -> None:
    env = toy(pattern="colours", reward_mode="dense", params={"counters": 1})
    env.use([Hide()])
    env.reset(seed=1)
    _, reward, _, _, info = env.step(env.task.oracle[0])
    assert (reward, env.episode.changes, info["errors"]) == (1.0, 1, {"unavailable": 1})


def test_a_terminal_call_that_was_hidden_does_not_end_the_episode() -> None:
    env = toy()
    env.use([Hide()])
    env.reset(seed=1)
    assert env.step(SUBMIT)[2:4] == (False, False)


def test_a_layer_can_end_the_episode_with_the_present_call() -> None:
    class Cut(Middleware):
        def around(self, call: ToolCall, proceed: Proceed) -> Reply:
            env.episode.cut = True
            return proceed(call)

    env = toy()
    env.use([Cut()])
    env.reset(seed=1)
    *_, terminated, truncated, info = env.step(f"[{LOOK}, {LOOK}]")
    assert (terminated, truncated, info["calls"]) == (False, True, 1)
    assert "verdict" in info
    env.reset(seed=1)
    assert not env.episode.cut


def test_snapshots_hold_the_layers_and_fit_only_the_same() -> None:
    env, layer = toy(), Refuse("none")
    env.use([layer])
    env.reset(seed=1)
    env.step(LOOK)
    state = env.snapshot()
    env.step(LOOK)
    env.restore(state)
    assert layer.seen == 1
    with pytest.raises(TaskError, match=r"layers \[\].*\['Refuse'\]"):
        toy().restore(state)
    assert env.fork().layers == ()


def test_without_layers_calls_go_straight_to_the_tool() -> None:
    env = toy()
    env.use([Refuse("look")])
    env.use([])
    env.reset(seed=1)
    assert json.loads(env.step(LOOK)[0])["ok"]
    assert env._carry_out == env._execute
