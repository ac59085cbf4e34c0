"""A ReAct agent on a grid of ACEBench-v0: offline with a scripted model, or with a real one.

Run with ``python examples/react_agent.py``, or for a model of your own
``OPSGYM_MODEL=openai:NAME OPSGYM_BASE_URL=http://localhost:8000/v1 python examples/react_agent.py``.
"""

from __future__ import annotations

import json
import os

import gymnasium as gym

import opsgym  # noqa: F401  # registers the ids
from opsgym.baselines.agents import ReAct
from opsgym.baselines.blocking import Blocking
from opsgym.baselines.models import ScriptedModel, make_model
from opsgym.evaluate.rollout import run_episode


def main() -> None:
    """Play one episode, and print what the agent said and was told."""
    env = gym.make("ACEBench-v0", tier="easy")
    env.reset(seed=5)
    task = env.unwrapped.task
    if "OPSGYM_MODEL" in os.environ:
        model = make_model(os.environ["OPSGYM_MODEL"], base_url=os.environ.get("OPSGYM_BASE_URL"))
    else:  # a model that knows the answer
        form = "Thought: this item keeps the rules.\nAction: {}\nAction Input: {}"
        model = ScriptedModel([form.format(call.name, json.dumps(call.arguments)) for call in task.oracle])
    with Blocking(ReAct(model, max_turns=40)) as agent:
        rollout = run_episode(env, agent, task=task)
        print(*(f"{turn.action}\nObservation: {turn.observation}\n" for turn in rollout.turns), sep="\n")
        print(f"reward {rollout.reward:.2f} after {rollout.calls} calls, {agent.usage.prompt_tokens} tokens read")
        agent.wait(model.aclose())


if __name__ == "__main__":
    main()
