"""Constrained: its schema accepts exactly the legal calls, and a model that can write only those solves easy grids."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.baselines.agents.call_schema import schema_of_calls, schema_of_tools
from opsgym.baselines.chat import ChatRequest
from opsgym.baselines.models import ScriptedModel
from opsgym.baselines.noise import spoiled
from opsgym.baselines.scripted import call_space
from opsgym.core.errors import ToolError
from opsgym.core.task import ToolCall
from opsgym.envs.tool_env import ToolEnv
from opsgym.wrappers import DiscreteToolActions
from tests.baselines.support import FAMILIES, agent_of, env_of, play, script_of, task_of


def valid(call: ToolCall, schema: dict[str, Any]) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(call.model_dump()))


def mask_of(env: ToolEnv) -> list[ToolCall]:
    found = env.family.candidates(env.family.session(env.world, env.task), env.task)
    assert found
    return list(found)


@settings(max_examples=25, deadline=None)
@given(family=st.sampled_from(FAMILIES), choices=st.lists(st.integers(0, 10**6), max_size=12), draw=st.integers(0, 2**32))
def test_the_schema_of_a_state_accepts_every_call_of_its_mask_and_no_other(family: str, choices: list[int], draw: int) -> None:
    env = env_of(family)
    env.reset(seed=0, options={"task": task_of(family)})
    for choice in choices:
        legal = mask_of(env)
        step = env.step(legal[choice % len(legal)])
        if step[2] or step[3]:
            return
    legal = mask_of(env)
    schema = schema_of_calls(legal)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert all(valid(call, schema) for call in legal)
    rng, space = np.random.default_rng(draw), call_space(env, draw)
    others = [call for call in (spoiled(call, rng) for call in legal) if call is not None]
    others += [ToolCall(name=call.name, arguments={**call.arguments, "extra": 1}) for call in legal]
    others += [ToolCall.model_validate(space.sample_call()) for _ in range(5)] + [ToolCall(name="no_such_tool")]
    assert all(valid(call, schema) == (call in legal) for call in others)
    assert not all(call in legal for call in others)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_call_of_the_mask_is_one_that_the_discrete_wrapper_offers(family: str) -> None:
    env = DiscreteToolActions(env_of(family), size=512)
    env.reset(seed=0, options={"task": task_of(family)})
    offered = [call for call, on_offer in zip(env.calls, env.action_masks(), strict=False) if on_offer]
    assert offered == mask_of(env.base)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_schema_of_the_tools_accepts_what_the_tools_accept(family: str) -> None:
    env = env_of(family)
    env.reset(seed=0, options={"task": task_of(family)})
    schema = schema_of_tools(env.tools.schemas())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert all(valid(call, schema) for call in task_of(family).oracle)
    space = call_space(env, 7)
    for name in list(env.tools) * 2:
        call = ToolCall.model_validate(space.sample_call(name))
        assert valid(call, schema)
        changes: tuple[dict[str, Any], ...] = (
            {**call.arguments, "no_such_argument": 1},
            dict(list(call.arguments.items())[1:]),
            {key: {"wrong": []} for key in call.arguments},
        )
        for changed in changes:
            assert valid(call.model_copy(update={"arguments": changed}), schema) == accepted(env, name, changed)
    assert not valid(ToolCall(name="no_such_tool"), schema)
    validator = jsonschema.Draft202012Validator(schema)
    good = task_of(family).oracle[0].model_dump()
    strays = [{**good, "thought": "x"}, {"name": good["name"]}, {"arguments": {}}, [good], "submit"]
    assert validator.is_valid(good) and not any(map(validator.is_valid, strays))


def accepted(env: ToolEnv, name: str, arguments: dict[str, Any]) -> bool:
    try:
        env.tools[name].validate(arguments)
    except ToolError:
        return False
    return True


def first_legal(request: ChatRequest) -> str:
    """What a server with constrained decoding gives for a model without any sense."""
    assert request.response_schema is not None
    return json.dumps(request.response_schema["enum"][0])


@pytest.mark.parametrize("seed", range(4))
def test_on_a_grid_without_decoys_whatever_is_legal_leads_to_the_solution(seed: int) -> None:
    task = task_of_params(seed)
    model = ScriptedModel(first_legal)
    agent = agent_of("constrained", env_of("ACEBench-v0"), model, max_turns=20)
    rollout = play(env_of("ACEBench-v0"), agent, task)
    assert (rollout.is_success, rollout.errors) == (True, {})


def task_of_params(seed: int) -> Any:
    env = env_of("ACEBench-v0", tier="easy", params={"hidden": 1, "decoys": 0, "coupling": 1, "global_checks": 0})
    env.reset(seed=seed)
    return env.task


@pytest.mark.parametrize("family", FAMILIES)
def test_with_and_without_a_mask_it_carries_out_what_a_knowing_model_says(family: str) -> None:
    env, task = env_of(family), task_of(family)
    model = ScriptedModel(script_of("constrained", task.oracle))
    rollout = play(env, agent_of("constrained", env, model, mask=False), task)
    assert rollout.reward == 1.0
    assert all(request.response_schema == schema_of_tools(env.tools.schemas()) for request in model.requests)


def test_the_calls_on_offer_stand_at_the_end_of_the_request_and_only_there() -> None:
    env, task = env_of("ACEBench-v0"), task_of("ACEBench-v0")
    model = ScriptedModel(first_legal)
    play(env, agent_of("constrained", env, model, max_turns=5), task)
    for request in model.requests:
        assert request.response_schema is not None
        listed = request.messages[-1].content.partition("Calls on offer:\n")[2].splitlines()
        assert [json.loads(line) for line in listed] == request.response_schema["enum"]
        assert not any("Calls on offer" in message.content for message in request.messages[:-1])


def test_a_call_that_is_not_on_offer_is_asked_for_again() -> None:
    env, task = env_of("ACEBench-v0"), task_of("ACEBench-v0")
    done = '{"name": "done"}'
    model = ScriptedModel([done, first_legal, done, done, done])
    rollout = play(env, agent_of("constrained", env, model, max_turns=2), task)
    assert rollout.turns[0].action != done and rollout.calls == 2
    assert "Write one of the calls" in model.requests[1].messages[-1].content


def test_a_long_list_is_cut_and_the_schema_is_not() -> None:
    env, task = env_of("ACEBench-v0"), task_of("ACEBench-v0")
    model = ScriptedModel(first_legal)
    play(env, agent_of("constrained", env, model, max_turns=1, list_chars=150), task)
    request = model.requests[0]
    assert request.response_schema is not None and len(request.response_schema["enum"]) > 1
    assert len(request.messages[-1].content.partition("\n\nCalls on offer:")[2]) <= 150
