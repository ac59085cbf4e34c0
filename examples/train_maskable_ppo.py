"""MaskablePPO on ACEBench's discrete interface under a curriculum, in one file: learns in about a minute of one core.

One small network reads every candidate, another every slot, a third the grid, so that few weights serve any number of slots.  The
reward is the verifier's bit alone.

Needs the extra ``train``.  Run with ``python examples/train_maskable_ppo.py [--steps 50000] [--sampler learnability]``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import opsgym  # noqa: F401  # registers the ids
from opsgym.curricula import CurriculumWrapper, Ladder, Learnability, Sampler, TaskSpace, Uniform, sb3_callback
from opsgym.envs.ace_bench.discrete import CHOICE_FEATURES, CHOICES, STATE_FEATURES

SLOTS = 6
FIXED = {"tier": "easy", "rows": 3, "cols": 3}
SPACE = TaskSpace.of("ACEBench-v0", {"hidden": (1, SLOTS), "decoys": (0, 6)}, fixed=FIXED)
CELLS = [{"hidden": 2, "decoys": 2}, {"hidden": 4, "decoys": 4}, {"hidden": 6, "decoys": 6}]
"""What is measured: easy, middle, hardest."""
SAMPLERS: dict[str, Callable[[int], Sampler]] = {
    "uniform": lambda seed: Uniform(SPACE, seed=seed),
    "ladder": lambda seed: Ladder(SPACE, levels=9, seed=seed),
    "learnability": lambda seed: Learnability(SPACE, seed=seed),
}
Choose = Callable[[NDArray[np.float32], NDArray[np.bool_]], int]


def masks(env: gym.Env[Any, Any]) -> NDArray[np.bool_]:
    """The environment's mask without the check, and without ``done`` while a slot is empty.

    Ending at once is a local optimum that a reward of 0 or 1 does not lead out of.  Every solution stays within reach.
    """
    found: NDArray[np.bool_] = env.get_wrapper_attr("action_masks")().copy()
    found[-2:] = False, not env.get_wrapper_attr("world").empty
    return found


def make_env(split: str, sampler: Sampler | None = None) -> gym.Env[Any, Any]:
    """One environment; with a sampler, it draws its tasks from there."""
    from sb3_contrib.common.wrappers import ActionMasker

    sizes = {"max_slots": SLOTS, "max_steps": 2 * SLOTS + 4}
    env = gym.make("ACEBench-v0", interface="discrete", split=split, disable_env_checker=True, cache=None, **sizes)
    masked = ActionMasker(env, masks)
    return masked if sampler is None else CurriculumWrapper(masked, sampler)


def make_policy() -> type[Any]:
    """A policy whose weights are shared by all candidates and all slots."""
    import torch
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from torch import nn

    def layers(inputs: int, outputs: int) -> nn.Sequential:
        return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, outputs))

    def pooled(values: torch.Tensor, axis: int) -> torch.Tensor:
        return torch.cat([values.amax(axis), values.mean(axis)], -1)

    class SharedEncoder(nn.Module):  # type: ignore[misc,unused-ignore]  # PyTorch is an extra
        """Candidate -> slot -> grid by maximum and mean, then back: a logit for every action, and features for the value."""

        latent_dim_pi, latent_dim_vf = SLOTS * CHOICES + 2, 32

        def __init__(self) -> None:
            super().__init__()
            self.candidate = layers(len(CHOICE_FEATURES) + len(STATE_FEATURES), 32)
            self.slot, self.grid = layers(64, 32), layers(64 + len(STATE_FEATURES), 32)
            self.score, self.ends = layers(3 * 32, 1), nn.Linear(32, 2)

        def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            state = seen[:, -len(STATE_FEATURES) :]
            features = seen[:, : -len(STATE_FEATURES)].view(-1, SLOTS, CHOICES, len(CHOICE_FEATURES))

            def everywhere(values: torch.Tensor) -> torch.Tensor:
                return values[:, None, None].expand(-1, SLOTS, CHOICES, -1)

            candidates = torch.relu(self.candidate(torch.cat([features, everywhere(state)], -1))) * features[..., :1]
            slots = torch.relu(self.slot(pooled(candidates, 2)))
            grid = torch.relu(self.grid(torch.cat([pooled(slots, 1), state], -1)))
            own = slots[:, :, None].expand(-1, -1, CHOICES, -1)
            scores = self.score(torch.cat([candidates, own, everywhere(grid)], -1))
            return torch.cat([scores.flatten(1), self.ends(grid)], -1), grid

        def forward_actor(self, seen: torch.Tensor) -> torch.Tensor:
            return self(seen)[0]

        def forward_critic(self, seen: torch.Tensor) -> torch.Tensor:
            return self(seen)[1]

    class Policy(MaskableActorCriticPolicy):  # type: ignore[misc,unused-ignore]  # sb3-contrib is an extra
        def _build_mlp_extractor(self) -> None:
            self.mlp_extractor = SharedEncoder()

        def _build(self, lr_schedule: Any) -> None:
            super()._build(lr_schedule)
            self.action_net = nn.Identity()  # the encoder gives the logits
            self.mlp_extractor.score[-1].apply(partial(self.init_weights, gain=0.01))  # begins with nearly even draws
            self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    return Policy


def success(choose: Choose, cell: dict[str, int], episodes: int) -> float:
    """Share of a cell's validation tasks that a policy solves."""
    env, solved = make_env("validation"), 0
    params = {"rows": FIXED["rows"], "cols": FIXED["cols"], **cell}
    for seed in range(episodes):
        observation, info = env.reset(seed=seed, options={"tier": FIXED["tier"], "params": params})
        while "is_success" not in info:
            observation, _, _, _, info = env.step(choose(observation, masks(env)))
        solved += info["is_success"]
    return solved / episodes


def main() -> None:
    """Train, and measure now and then on tasks of another split."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--sampler", choices=SAMPLERS, default="learnability")
    parser.add_argument("--episodes", type=int, default=100, help="tasks per cell of a measurement")
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
        make_policy(), envs, n_steps=64, batch_size=min(512, 64 * given.envs), n_epochs=4, learning_rate=1e-3, gamma=1.0,
        gae_lambda=0.95, ent_coef=0.005, target_kl=0.03, seed=given.seed, device="cpu",
    )  # fmt: skip
    rng = np.random.default_rng(given.seed)

    def measure(choose: Choose) -> str:
        return " ".join(f"{success(choose, cell, given.episodes):.2f}" for cell in CELLS)

    def learned(seen: NDArray[np.float32], mask: NDArray[np.bool_]) -> int:
        return int(model.predict(seen, action_masks=mask, deterministic=True)[0])

    print(f"{sum(weights.numel() for weights in model.policy.parameters())} weights; cells {CELLS}")
    print("random valid actions:", measure(lambda _, mask: int(rng.choice(np.flatnonzero(mask)))))
    print("before training, validation:", measure(learned))
    spent = 0.0
    for part in range(5):
        start = time.process_time()
        model.learn(given.steps // 5, callback=sb3_callback(sampler), reset_num_timesteps=part == 0)
        spent += time.process_time() - start
        rate = sampler.metrics()["success_rate"]
        print(f"{model.num_timesteps} steps, {spent:.0f} CPU-s, training {rate:.2f}; validation:", measure(learned), flush=True)


if __name__ == "__main__":
    main()
