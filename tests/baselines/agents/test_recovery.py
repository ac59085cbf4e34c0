"""Agents recover: from replies that cannot be read, from refused calls, and from wanting to end too early."""

from __future__ import annotations

from typing import Any

import pytest

from opsgym.baselines.agents.plan_decompose_execute import DONE
from opsgym.baselines.chat import ChatReply, ChatRequest, Message, ModelCall
from opsgym.baselines.models import ScriptedModel
from opsgym.core.task import ToolCall
from tests.baselines.support import PLAN, agent_of, as_react, env_of, play, script_of, task_of

ACE = "ACEBench-v0"
LOOK = ToolCall(name="get_current_grid_state")
BROKEN = Message(role="assistant", calls=(ModelCall(id="x", name="set_slot", arguments='{"row": 1, "col"'),))
CUT_OFF = ChatReply(message=Message(role="assistant", content='{"name": "set_slot", "arguments": {"row'), finish="length")
UNREADABLE: list[Any] = ["", "I think I am done.", CUT_OFF, BROKEN, "Action:", "{}"]


def task() -> Any:
    return task_of(ACE)


def texts(request: ChatRequest, role: str) -> list[str]:
    return [message.content for message in request.messages if message.role == role]


@pytest.mark.parametrize("name", ["react", "tool-calling", "plan-execute"])
@pytest.mark.parametrize("reply", UNREADABLE)
def test_a_reply_without_a_readable_call_is_asked_for_again_at_no_cost(name: str, reply: Any) -> None:
    env = env_of(ACE)
    script = script_of(name, task().oracle)
    script[2:2] = [reply, reply]
    model = ScriptedModel(script)
    rollout = play(env, agent_of(name, env, model), task())
    assert (rollout.reward, len(rollout.turns), rollout.errors) == (1.0, len(task().oracle), {})
    assert len(model.requests) == len(script)
    told = model.requests[3].messages[-1]
    assert "could not be read" in told.content


def test_after_the_retries_the_environment_gets_the_reply_and_says_what_is_wrong() -> None:
    env = env_of(ACE)
    model = ScriptedModel(["nothing"] * 3 + [BROKEN] * 3 + list(task().oracle))
    rollout = play(env, agent_of("tool-calling", env, model, retries=2), task())
    assert rollout.reward == 1.0
    assert rollout.turns[0].action == "nothing"
    assert rollout.errors == {"malformed_call": 2} and len(rollout.turns) == len(task().oracle) + 2
    answer = model.requests[6].messages[-1]
    assert (answer.role, answer.call_id) == ("tool", "x") and '"malformed_call"' in answer.content


def test_no_retries_means_none() -> None:
    env = env_of(ACE)
    model = ScriptedModel(["nothing", *task().oracle])
    rollout = play(env, agent_of("tool-calling", env, model, retries=0), task())
    assert (rollout.reward, rollout.errors) == (1.0, {"malformed_call": 1})


def test_nothing_is_carried_out_of_a_reply_of_which_one_call_is_broken() -> None:
    env = env_of(ACE)
    good = ModelCall(id="g", name="get_current_grid_state", arguments="{}")
    model = ScriptedModel([Message(role="assistant", calls=(good, BROKEN.calls[0])), *task().oracle])
    rollout = play(env, agent_of("tool-calling", env, model), task())
    assert rollout.calls == len(task().oracle)
    first, second = [message for message in model.requests[1].messages if message.role == "tool"]
    assert (first.call_id, second.call_id) == ("g", "x")
    assert "Not carried out" in first.content and "could not be read" in second.content


def test_a_call_in_the_text_of_a_tool_calling_model_counts() -> None:
    env = env_of(ACE)
    model = ScriptedModel([f"Let me see. {LOOK.model_dump_json()}", *task().oracle])
    rollout = play(env, agent_of("tool-calling", env, model), task())
    assert (rollout.reward, rollout.calls) == (1.0, len(task().oracle) + 1)
    assert model.requests[1].messages[-1].role == "user" and '"ok":true' in model.requests[1].messages[-1].content


def test_unknown_tools_and_refused_calls_are_answered_by_the_environment_and_cost_a_turn() -> None:
    env = env_of(ACE)
    model = ScriptedModel([ToolCall(name="set_slott"), *task().oracle])
    rollout = play(env, agent_of("tool-calling", env, model), task())
    assert (rollout.reward, rollout.errors) == (1.0, {"unknown_tool": 1})
    assert "set_slot" in model.requests[1].messages[-1].content


def test_an_observation_that_a_react_model_makes_up_is_cut_off() -> None:
    env = env_of(ACE)
    invented = as_react(LOOK) + "\nObservation: all slots are full\nThought: so I am done.\nAction: done\nAction Input: {}"
    native = ({"type": "text", "text": invented},)
    model = ScriptedModel([Message(role="assistant", content=invented, native=native), *script_of("react", task().oracle)])
    assert play(env, agent_of("react", env, model), task()).reward == 1.0
    assert "all slots are full" not in str(model.requests[1].messages)


# -- the turn budget ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["react", "tool-calling", "plan-execute", "plan-decompose-execute", "constrained"])
def test_when_the_turns_are_used_up_the_agent_ends_the_episode_as_it_stands(name: str) -> None:
    env = env_of(ACE)
    endless = {"react": as_react(LOOK)}.get(name, LOOK)
    model = ScriptedModel(lambda request: endless if request.tools or name == "react" else PLAN)
    rollout = play(env, agent_of(name, env, model, max_turns=4, retries=0), task())
    assert rollout.terminated and not rollout.is_success
    assert len(rollout.turns) == 5 and rollout.calls == 5


# -- the self-check -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["react", "tool-calling", "plan-execute", "plan-decompose-execute"])
def test_the_self_check_asks_once_before_the_end(name: str) -> None:
    env = env_of(ACE)
    script = script_of(name, task().oracle)
    model = ScriptedModel([*script, script[-1]])
    rollout = play(env, agent_of(name, env, model, self_check=True), task())
    assert (rollout.reward, rollout.calls) == (1.0, len(task().oracle))
    assert "check it once against the task" in model.requests[-1].messages[-1].content
    assert not any("check it once" in message.content for request in model.requests[:-1] for message in request.messages)


def test_a_mistake_that_the_self_check_finds_can_be_mended() -> None:
    env = env_of(ACE)
    forgotten, *rest = task().oracle
    model = ScriptedModel([*rest, forgotten, rest[-1]])
    assert play(env, agent_of("tool-calling", env, model, self_check=True), task()).reward == 1.0
    model = ScriptedModel([*rest])
    assert play(env, agent_of("tool-calling", env, model), task()).reward == 0.0


def test_calls_before_the_end_are_carried_out_and_only_the_end_waits_for_the_check() -> None:
    env = env_of(ACE)
    for script in (
        [list(task().oracle), task().oracle[-1]],
        ["\n".join(map(as_react, task().oracle)), as_react(task().oracle[-1])],
    ):
        model = ScriptedModel(script)
        rollout = play(env, agent_of("tool-calling", env, model, self_check=True), task())
        assert (rollout.reward, len(rollout.turns)) == (1.0, 2)
        assert len(model.requests) == 2


# -- planners -----------------------------------------------------------------------------------------------------


def test_the_plan_is_asked_for_without_tools_and_stays_in_sight() -> None:
    env = env_of(ACE)
    model = ScriptedModel(script_of("plan-execute", task().oracle))
    play(env, agent_of("plan-execute", env, model), task())
    first, *others = model.requests
    assert not first.tools and "set_slot:" in first.messages[0].content
    assert all(PLAN in request.messages[1].content and request.tools for request in others)


def test_another_model_may_plan_and_its_usage_counts() -> None:
    from opsgym.baselines.agents import PlanExecute
    from opsgym.baselines.chat import Usage

    planner = ScriptedModel([PLAN], usage=Usage(prompt_tokens=100))
    model = ScriptedModel(list(task().oracle), usage=Usage(prompt_tokens=1))
    agent = PlanExecute(model, planner=planner)
    assert play(env_of(ACE), agent, task()).reward == 1.0
    assert len(planner.requests) == 1 and agent.usage.prompt_tokens == 100 + len(task().oracle)


def test_a_new_plan_is_made_after_refusals_in_a_row_and_not_before() -> None:
    env = env_of(ACE)
    wrong = ToolCall(name="set_slot", arguments={"row": 99, "col": 0})
    script = [PLAN, wrong, LOOK, wrong, wrong, "1. Another way.", *task().oracle]
    model = ScriptedModel(script)
    assert play(env, agent_of("plan-execute", env, model, replan_after=2), task()).reward == 1.0
    asked = model.requests[5].messages[-1].content
    assert PLAN in asked and asked.count('"row": 99') == 2 and '"ok":false' in asked
    said = model.requests[6].messages
    assert "1. Another way." in said[-1].content and said[-2].role == "tool"
    assert len(model.requests) == len(script)


def test_subtasks_share_the_task_the_plan_and_notes_and_nothing_else() -> None:
    env = env_of(ACE)
    model = ScriptedModel(script_of("plan-decompose-execute", task().oracle))
    rollout = play(env, agent_of("plan-decompose-execute", env, model), task())
    assert rollout.reward == 1.0
    last = model.requests[-1].messages
    assert "the first half is done" in last[1].content and PLAN in last[1].content and "The rest." in last[1].content
    half = len(task().oracle) // 2
    said = [call.arguments for message in last for call in message.calls]
    assert len(said) == len(task().oracle) - half - 1
    assert all(DONE not in turn.action for turn in rollout.turns)


def test_the_last_subtask_without_an_end_ends_the_episode() -> None:
    env = env_of(ACE)
    handover = ToolCall(name=DONE, arguments={"notes": "all done"})
    model = ScriptedModel([PLAN, "no list", [*task().oracle[:-1], handover]])
    rollout = play(env, agent_of("plan-decompose-execute", env, model), task())
    assert (rollout.reward, rollout.terminated, len(model.requests)) == (1.0, True, 3)


def test_an_executor_that_does_not_come_to_an_end_is_replaced() -> None:
    env = env_of(ACE)
    model = ScriptedModel([PLAN, "1. One.\n2. Two.", LOOK, LOOK, *task().oracle])
    agent = agent_of("plan-decompose-execute", env, model, max_subtask_turns=len(task().oracle) - 1)
    rollout = play(env, agent, task())
    assert rollout.terminated and "not finished" in model.requests[-1].messages[1].content


def test_too_many_subtasks_are_put_together() -> None:
    from opsgym.baselines.agents.plan_decompose_execute import _items

    listed = "Here:\n1. a\n2) b\n 3. c\n**4.** d"
    assert _items(listed, 8)[:3] == ["a", "b", "c"]
    assert _items("1. a\n2. b\n3. c\n4. d", 2) == ["a", "b\nc\nd"]
    assert _items("1. a\n2. b", 1) == ["a\nb"] and _items("just do it", 3) == ["just do it"]
