"""Two MaskablePPO learners, one for each role of PlannerExecutorGrid-v0, in one file.

The planner sees the rules and names a choice; the executor sees what was named, but not the rules, and acts.  Each learns by
itself while the other plays as it is: they take turns, and what a number means between them is theirs to find.
Needs the extra ``train``.  Run with ``python examples/train_self_play.py [--quick] [--rounds 20] [--steps 2048]``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from opsgym.envs.teams import planner_executor_grid_v0

ROLES = ("planner_0", "executor_0")
GRIDS = {"rows": 3, "cols": 3, "coupling": 0, "hidden": 2, "decoys": 2}
Choose = Callable[[Any, Any], int]


def make_team(split: str, reward_mode: str = "exact") -> Any:
    """The game on small grids."""
    return planner_executor_grid_v0.env(
        tier="easy", params=GRIDS, split=split, reward_mode=reward_mode, max_cycles=8, max_slots=2, max_choices=3
    )


class Learner(gym.Env[Any, Any]):
    """One role's view of the game: the other is played by ``partner``."""

    def __init__(self, role: str, tasks: int) -> None:
        self.team, self.role, self.tasks, self.played = make_team("train", "dense"), role, tasks, 0
        self.observation_space = self.team.observation_space(role)["observation"]
        self.action_space = self.team.action_space(role)
        self.partner: Choose = lambda seen, mask: int(np.flatnonzero(mask)[0])

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Start the next of the tasks."""
        super().reset(seed=seed)
        self.team.reset(seed=self.played % self.tasks)
        self.played += 1
        self.let_partner_play()
        return self.team.observe(self.role)["observation"], {}

    def step(self, action: Any) -> Any:
        """Play a number, and let the partner play."""
        self.team.step(int(action))
        earned = self.team.rewards[self.role] + self.let_partner_play()
        seen = self.team.observe(self.role)["observation"]
        return seen, earned, self.team.terminations[self.role], self.team.truncations[self.role], {}

    def let_partner_play(self) -> float:
        """Let the partner play until it is my turn or the episode is over; what I earn by that."""
        team, earned = self.team, 0.0
        while team.agent_selection != self.role and not (team.terminations[self.role] or team.truncations[self.role]):
            seen = team.observe(team.agent_selection)
            team.step(self.partner(seen["observation"], seen["action_mask"]))
            earned += team.rewards[self.role]
        return earned

    def action_masks(self) -> Any:
        """Which numbers can be played."""
        return self.team.observe(self.role)["action_mask"].astype(bool)


def success(players: dict[str, Choose], episodes: int) -> float:
    """Share of validation tasks that a team solves."""
    team, solved = make_team("validation"), 0
    for seed in range(episodes):
        team.reset(seed=seed)
        for agent in team.agent_iter():
            seen, _, terminated, truncated, info = team.last()
            over = terminated or truncated
            team.step(None if over else players[agent](seen["observation"], seen["action_mask"]))
        solved += info["is_success"]
    return solved / episodes


def main() -> None:
    """Train both roles by turns, and measure them together on tasks of another split."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less than a minute of one CPU")
    parser.add_argument("--rounds", type=int, default=20, help="how often each role learns")
    parser.add_argument("--steps", type=int, default=2048, help="turns of a role in a round")
    parser.add_argument("--tasks", type=int, default=256, help="tasks to train on")
    parser.add_argument("--episodes", type=int, default=200, help="tasks per measurement")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.quick:
        given.rounds, given.steps, given.tasks, given.episodes = 8, 1024, 64, 100
    try:
        import torch
        from sb3_contrib import MaskablePPO
    except ImportError:
        print("This example needs the extra: pip install 'opsgym[train]'")
        return
    torch.set_num_threads(1)
    start = time.process_time()
    rng = np.random.default_rng(given.seed)
    envs = {role: Learner(role, given.tasks) for role in ROLES}
    models = {
        role: MaskablePPO(
            "MlpPolicy", envs[role], n_steps=min(512, given.steps), batch_size=128, n_epochs=10, learning_rate=1e-3, gamma=1.0,
            ent_coef=0.01, seed=given.seed + number, device="cpu", policy_kwargs={"net_arch": [64, 64]},
        )
        for number, role in enumerate(ROLES)
    }  # fmt: skip

    def player(role: str, *, sure: bool) -> Choose:
        policy = models[role].policy

        def choose(seen: Any, mask: Any) -> int:
            """As ``predict``, without its checks, which take most of its time on so small a network."""
            with torch.no_grad():
                logits = policy.action_net(policy.mlp_extractor.forward_actor(torch.as_tensor(seen)[None]))[0].numpy()
            noise = 0.0 if sure else rng.gumbel(size=logits.shape)  # the greatest of noisy logits is a sample
            return int(np.where(mask, logits + noise, -np.inf).argmax())

        return choose

    def chance(seen: Any, mask: Any) -> int:
        return int(rng.choice(np.flatnonzero(mask)))

    envs["planner_0"].partner, envs["executor_0"].partner = player("executor_0", sure=False), player("planner_0", sure=False)
    print(f"random valid actions: {success(dict.fromkeys(ROLES, chance), given.episodes):.2f}")
    team = {role: player(role, sure=True) for role in ROLES}
    print(f"before: {success(team, given.episodes):.2f}")
    for number in range(1, given.rounds + 1):
        for role in reversed(ROLES):
            models[role].learn(given.steps, reset_num_timesteps=False)
        if number % max(1, given.rounds // 4) == 0:
            rate = success(team, given.episodes)
            print(f"round {number}, {time.process_time() - start:.0f} CPU-s: {rate:.2f}", flush=True)
    print(f"after: {success(team, given.episodes):.2f}")
    half = {"planner_0": team["planner_0"], "executor_0": chance}
    print(f"trained planner, random executor: {success(half, given.episodes):.2f}")


if __name__ == "__main__":
    main()
