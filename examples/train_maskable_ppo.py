"""MaskablePPO on ACEBench's discrete interface under a curriculum, in one file.

Needs the extra ``train``.  Run with ``python examples/train_maskable_ppo.py [--steps 50000] [--sampler learnability]``.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium as gym
import numpy as np

import opsgym  # noqa: F401  # registers the ids
from opsgym.curricula import CurriculumWrapper, Ladder, Learnability, Sampler, TaskSpace, Uniform, sb3_callback

HARDEST = {"hidden": 3, "decoys": 3}
SPACE = TaskSpace.of(
    "ACEBench-v0", {"hidden": (1, 3), "decoys": (0, 3)}, fixed={"tier": "easy", "rows": 3, "cols": 3, "coupling": 0}
)
SAMPLERS = {
    "uniform": lambda seed: Uniform(SPACE, seed=seed),
    "ladder": lambda seed: Ladder(SPACE, levels=9, seed=seed),
    "learnability": lambda seed: Learnability(SPACE, seed=seed),
}


def make_env(split: str, sampler: Sampler | None = None) -> gym.Env[Any, Any]:
    """One environment; with a sampler, it draws its tasks from there."""
    env = gym.make("ACEBench-v0", interface="discrete", split=split, max_steps=40, disable_env_checker=True)
    return env if sampler is None else CurriculumWrapper(env, sampler)


def success(choose: Any, params: dict[str, Any], episodes: int) -> float:
    """Share of validation tasks with these parameters that a policy solves."""
    env, solved = make_env("validation"), 0
    for seed in range(episodes):
        observation, info = env.reset(
            seed=seed, options={"tier": "easy", "params": {"rows": 3, "cols": 3, "coupling": 0, **params}}
        )
        while "is_success" not in info:
            action = choose(observation, env.get_wrapper_attr("action_masks")())
            observation, _, _, _, info = env.step(action)
        solved += info["is_success"]
    return solved / episodes


def main() -> None:
    """Train, and measure now and then on tasks of another split."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--sampler", choices=SAMPLERS, default="learnability")
    parser.add_argument("--episodes", type=int, default=100, help="tasks per measurement")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import DummyVecEnv
    except ImportError:
        print("This example needs the extra: pip install 'opsgym[train]'")
        return
    torch.set_num_threads(1)
    sampler = SAMPLERS[given.sampler](given.seed)
    envs = DummyVecEnv([lambda: make_env("train", sampler)] * given.envs)
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=128, batch_size=512, n_epochs=4, learning_rate=4e-4, gamma=1.0, ent_coef=0.01,
        target_kl=0.03, seed=given.seed, device="cpu", policy_kwargs={"net_arch": [256, 256]},
    )  # fmt: skip
    rng = np.random.default_rng(given.seed)
    cells = [{"hidden": 1, "decoys": 0}, {"hidden": 2, "decoys": 2}, HARDEST]
    chance = [success(lambda _, mask: int(rng.choice(np.flatnonzero(mask))), cell, given.episodes) for cell in cells]
    print("random valid actions:", *(f"{value:.2f}" for value in chance))
    start = time.process_time()
    for part in range(5):
        model.learn(given.steps // 5, callback=sb3_callback(sampler), reset_num_timesteps=part == 0)
        rates = [
            success(lambda seen, mask: int(model.predict(seen, action_masks=mask, deterministic=True)[0]), cell, given.episodes)
            for cell in cells
        ]
        metrics = sampler.metrics()
        print(f"{model.num_timesteps} steps, {time.process_time() - start:.0f} CPU-s, training {metrics['success_rate']:.2f};",
              "validation:", *(f"{value:.2f}" for value in rates), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
