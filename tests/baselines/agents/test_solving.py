"""Agents solve episodes of both families when the model knows the answer, in process and over HTTP, whatever the server does."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from opsgym.baselines.chat import ChatRequest, Usage
from opsgym.baselines.models import FAULTS, MockServer, ScriptedModel, Timeouts, make_model
from opsgym.baselines.policy import usage_of
from opsgym.baselines.registry import AGENTS
from opsgym.evaluate.rollout import Rollout, run_episode_async
from opsgym.wrappers import DistractorTools, ObservationLimit, ToolFailureInjection
from tests.baselines.support import FAMILIES, agent_of, env_of, play, script_of, task_of

SOLVERS = tuple(name for name in AGENTS if name != "constrained")
"""Agents that may say anything; the constrained one has its own tests."""


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", SOLVERS)
def test_each_agent_carries_out_what_a_knowing_model_says(name: str, family: str) -> None:
    env, task = env_of(family), task_of(family)
    model = ScriptedModel(script_of(name, task.oracle), usage=Usage(prompt_tokens=3, completion_tokens=2))
    agent = agent_of(name, env, model)
    rollout = play(env, agent, task)
    assert (rollout.reward, rollout.calls, rollout.errors) == (1.0, len(task.oracle), {})
    asked = len(model.requests)
    assert asked == len(script_of(name, task.oracle))
    assert usage_of(agent) == Usage(prompt_tokens=3 * asked, completion_tokens=2 * asked)


@pytest.mark.parametrize("name", SOLVERS)
def test_the_requests_follow_from_the_task_and_the_replies_alone(name: str) -> None:
    task = task_of("ACEBench-v0")

    def requests(env: Any, agent_seed: int = 0) -> list[ChatRequest]:
        model = ScriptedModel(script_of(name, task.oracle))
        play(env, agent_of(name, env, model, seed=agent_seed), task)
        return model.requests

    env = env_of("ACEBench-v0")
    assert requests(env) == requests(env) == requests(env_of("ACEBench-v0"))
    seeded = requests(env, agent_seed=2**40 + 9)
    assert [request.seed for request in seeded] == [9] * len(seeded)
    assert [request.messages for request in seeded] == [request.messages for request in requests(env)]


@pytest.mark.parametrize("family", FAMILIES)
def test_an_agent_can_play_one_episode_after_another(family: str) -> None:
    env, tasks = env_of(family), [task_of(family), task_of(family, seed=6)]
    for name in ("react", "plan-decompose-execute"):
        model = ScriptedModel([line for task in tasks for line in script_of(name, task.oracle)], usage=Usage(prompt_tokens=1))
        agent = agent_of(name, env, model)
        assert [play(env, agent, task).reward for task in tasks] == [1.0, 1.0]
        assert usage_of(agent).prompt_tokens == len(script_of(name, tasks[1].oracle))


def test_several_calls_in_a_turn_are_carried_out_in_order_and_each_answered_by_its_own_message() -> None:
    env, task = env_of("ERPBench-v0"), task_of("ERPBench-v0")
    model = ScriptedModel([list(task.oracle[:-1]), task.oracle[-1]])
    rollout = play(env, agent_of("tool-calling", env, model), task)
    assert (rollout.reward, len(rollout.turns)) == (1.0, 2)
    *_, said = [message for message in model.requests[1].messages if message.role == "assistant"]
    answers = [message for message in model.requests[1].messages if message.role == "tool"]
    assert [answer.call_id for answer in answers] == [call.id for call in said.calls]
    assert all(f'"tool":"{call.name}"' in answer.content for call, answer in zip(said.calls, answers, strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_wrapped_environments_are_played_as_they_show_themselves(family: str) -> None:
    """Distractors are on offer, and every call has its answer, whatever faults and limits make of the observation."""
    task = task_of(family)
    env: Any = DistractorTools(env_of(family), unrelated=3)
    env = ObservationLimit(ToolFailureInjection(env, rate=0.5), max_chars=150)
    model = ScriptedModel([list(task.oracle[:-1]), *task.oracle, *[task.oracle[-1]] * 20])
    rollout = asyncio.run(run_episode_async(env, agent_of("tool-calling", env.unwrapped, model), task=task))
    assert sum(rollout.faults.values()) > 0 and rollout.terminated
    assert [tool["function"]["name"] for tool in model.requests[0].tools] == list(env.unwrapped.tools)
    assert len(model.requests[0].tools) == len(env_of(family).tools) + 3 or family == "ACEBench-v0"
    messages = model.requests[-1].messages
    called = [call.id for message in messages for call in message.calls]
    assert called == [message.call_id for message in messages if message.role == "tool"]
    assert all(message.content for message in messages if message.role == "tool")


# -- over HTTP ----------------------------------------------------------------------------------------------------


def play_over_http(name: str, family: str, api: str, faults: list[str | None]) -> tuple[Rollout, MockServer]:
    env, task = env_of(family), task_of(family)

    async def nap(seconds: float) -> None:
        """No time passes between attempts."""

    async def episode(server: MockServer) -> Rollout:
        url = server.openai_url if api == "openai" else server.anthropic_url
        options: dict[str, Any] = {"sleep": nap, "rng": random.Random(0), "timeouts": Timeouts(read=1.0)}
        model = make_model(f"{api}:mock", base_url=url, **options)
        try:
            return await run_episode_async(env, agent_of(name, env, model), task=task)
        finally:
            await model.aclose()

    with MockServer(script_of(name, task.oracle), faults=faults) as server:
        return asyncio.run(episode(server)), server


@pytest.mark.parametrize(
    ("family", "api"),
    [
        ("ACEBench-v0", "openai"),
        ("ERPBench-v0", "anthropic"),
        pytest.param("ACEBench-v0", "anthropic", marks=pytest.mark.slow),  # each waits for an answer that comes too late
        pytest.param("ERPBench-v0", "openai", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", ["react", "tool-calling", "plan-execute", "plan-decompose-execute"])
def test_agents_solve_episodes_through_every_fault_of_a_server(
    name: str, family: str, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{api.upper()}_API_KEY", "test-key")
    names: list[str | None] = list(FAULTS)
    faults = [*names[:3], None, *names[3:6], None, *names[6:]]  # up to four in a row: the client tries six times
    rollout, server = play_over_http(name, family, api, faults)
    assert (rollout.reward, rollout.backend_error) == (1.0, "")
    assert [received.fault for received in server.received if received.fault] == list(FAULTS.values())
