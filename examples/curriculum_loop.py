"""A curriculum in a training loop of your own: ask for a task, play it, tell how it went, save the state.

The agent here is a stand-in that plays the reference solution as often as its skill allows; put your policy in its place.
Run with ``python examples/curriculum_loop.py``.
"""

from __future__ import annotations

import json

import gymnasium as gym
import numpy as np

import opsgym  # noqa: F401  # registers the ids
from opsgym.curricula import Ladder, TaskSpace


def main() -> None:
    """Train for 200 episodes."""
    space = TaskSpace.of("ACEBench-v0", {"hidden": (1, 6), "decoys": (0, 4)}, fixed={"tier": "easy", "rows": 3, "cols": 3})
    sampler = Ladder(space, levels=6, window=10, seed=0)
    env = gym.make("ACEBench-v0", split="train")
    rng, skill = np.random.default_rng(0), 1.0
    for episode in range(200):
        ticket = sampler.ask()[0]
        env.reset(seed=ticket.seed, options=ticket.options())
        solution = env.unwrapped.task.oracle  # type: ignore[attr-defined]  # of ToolEnv
        knows = rng.random() < skill / (skill + space.difficulty(ticket.params) ** 2)
        for call in solution if knows else solution[-1:]:
            _, reward, _, _, info = env.step(call)
        sampler.tell(ticket.outcome(success=info["is_success"], score=float(reward), turns=info["elapsed_turns"]))
        skill += 0.1 * info["is_success"]
        if episode % 50 == 49:
            metrics = sampler.metrics()
            print(f"{episode + 1} episodes: level {metrics['level']:.0f}, success {metrics['success_rate']:.2f}")
    print(f"state to resume from: {len(json.dumps(sampler.state_dict()))} bytes of JSON")
    env.close()


if __name__ == "__main__":
    main()
