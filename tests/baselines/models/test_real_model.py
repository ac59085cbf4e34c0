"""A real model behind a real server: only where someone asks for it, see :mod:`tests.baselines.models.real_model`."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import pytest

import opsgym  # noqa: F401  # registers the environments
from opsgym.baselines.agents import Constrained, ReAct, ToolCalling
from opsgym.baselines.chat import ChatRequest, Message
from opsgym.baselines.models import OpenAIModel
from opsgym.evaluate.rollout import Rollout, run_episode_async
from tests.baselines.models.real_model import STRUCTURED
from tests.baselines.models.support import LOOK, ask, run, together

EASIEST = {
    "domain": "course",
    "rows": 2,
    "cols": 2,
    "hidden": 1,
    "decoys": 0,
    "candidates": 4,
    "coupling": 0,
    "greedy_proof": False,
    "global_checks": 0,
}


@pytest.fixture
def model(real_model_url: str, monkeypatch: pytest.MonkeyPatch) -> OpenAIModel:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return OpenAIModel("smollm2-135m", base_url=real_model_url, structured=STRUCTURED, concurrency=1)


def test_text_with_its_tokens(model: OpenAIModel) -> None:
    reply = run(model, ask("What is the capital of France? Answer in one word.", max_tokens=12))[0]
    assert "Paris" in reply.message.content
    assert reply.usage.prompt_tokens > 10 and 0 < reply.usage.completion_tokens <= 12


def test_a_reply_that_is_cut_off_says_so(model: OpenAIModel) -> None:
    reply = run(model, ask("Tell me a long story.", max_tokens=3))[0]
    assert reply.finish == "length" and reply.usage.completion_tokens == 3


@pytest.mark.parametrize("names", [["red", "green"], ["left", "right", "über"]])
def test_a_schema_is_enforced(model: OpenAIModel, names: list[str]) -> None:
    call = {"type": "object", "properties": {"name": {"enum": names}}, "required": ["name"]}
    reply = run(model, ask("Say something about the weather.", max_tokens=40, response_schema=call))[0]
    assert json.loads(reply.message.content)["name"] in names


def test_a_conversation_with_calls_and_results_is_taken(model: OpenAIModel) -> None:
    """The model's template knows no tools; the server must still take the messages."""
    request = ChatRequest(
        messages=(Message(role="system", content="Be brief."), *ask("Look at the box.").messages),
        tools=(LOOK,),
        max_tokens=20,
    )
    first = run(model, request)[0].message
    again = (*request.messages, first, Message(role="user", content="And now?"))
    assert run(model, request.model_copy(update={"messages": again}))[0].usage.prompt_tokens > 20


def play(model: OpenAIModel, kind: Any, seed: int, **options: Any) -> tuple[Rollout, Any]:
    agent = kind(model, **options)
    env = gym.make("ACEBench-v0", cache=None, params=EASIEST)
    return together(model, lambda: run_episode_async(env, agent, seed=seed)), agent


@pytest.mark.parametrize("seed", range(3))
def test_constrained_solves_the_easiest_tasks(model: OpenAIModel, seed: int) -> None:
    """With the calls on offer as a schema, 135M parameters are enough."""
    rollout, agent = play(model, Constrained, seed, max_turns=5, max_tokens=128)
    assert not rollout.backend_error and not rollout.errors
    assert rollout.is_success
    assert agent.usage.completion_tokens > 0


@pytest.mark.parametrize("kind", [ReAct, ToolCalling])
def test_free_agents_play_to_the_end_with_whatever_success(model: OpenAIModel, kind: Any) -> None:
    rollout, agent = play(model, kind, seed=0, max_turns=2, max_tokens=48, retries=0)
    assert not rollout.backend_error and rollout.verdict
    assert agent.usage.completion_tokens > 0
