"""Does an agent learn ERPBench?  MaskablePPO through DiscreteToolActions, against chance and the four heuristics.

Run with ``python benchmarks/erp_learning_study.py --out runs/erp [--seeds 0 1 2]``, and again to go on where it stopped: every
seed is a file in ``--out``.  ``--quick`` is a small version.  ``--report DIR`` only writes ``erp_table.inc``.

The tasks are of three easy patterns, in which the finished product is bought.  Training tasks are of the split ``train``, a pool
of some per pattern; steps and the learner's settings were chosen on the split ``validation``, and the table is of the split
``test``.  The learner is rewarded by the verdict's score, spread over the steps (``reward_mode="dense"``).
Learning needs the extra ``train``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import opsgym  # noqa: F401  # registers the ids
from opsgym.data.packs import atomic_file
from opsgym.wrappers import DiscreteToolActions
from opsgym.wrappers.discrete_tool_actions import FEATURES, STATE

PATTERNS = ("01_buy_only_baseline", "02_buy_only_immediate_invoicing", "26_buy_only_net_30_no_adjacent_data")
SIZE, MAX_STEPS = 48, 60
"""Numbered calls, and the turn budget."""
POOL = 64
"""Training tasks per pattern."""


@dataclass(frozen=True)
class Settings:
    """What runs must share to be compared.

    Attributes:
        steps: Environment steps of a run.
        points: Measurements on the way.
        episodes: Validation tasks per pattern of a measurement on the way.
        final_episodes: Test tasks per pattern.
        envs: Environments of the training batch.
    """

    steps: int = 24_576
    points: int = 6
    episodes: int = 8
    final_episodes: int = 60
    envs: int = 8


QUICK = Settings(steps=2048, points=1, episodes=2, final_episodes=3, envs=8)

Task = tuple[int, str]
"""A seed and a pattern."""
Result = tuple[bool, float]
"""Whether a task was solved, and its score."""
Choose = Callable[[NDArray[np.float32], NDArray[np.bool_]], int]


class Flat(gym.ObservationWrapper[Any, Any, Any]):
    """The candidates' features and the state in one vector."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self.observation_space = gym.spaces.Box(0.0, 1.0, (SIZE * len(FEATURES) + len(STATE),), np.float32)

    def observation(self, observation: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
        """Flatten."""
        return np.concatenate([observation["candidates"].ravel(), observation["state"]])


class Orderly(gym.Wrapper[Any, Any, Any, Any]):
    """Offers no cancellation, and ``submit`` only when there is no sales order to make and no draft to confirm.

    Ending at once is a local optimum that the score, which is 0 until all documents are there, does not lead out of.
    What to buy, from whom, how much and when that is enough stays the choice.
    """

    def action_masks(self) -> NDArray[np.bool_]:
        """Which numbers are on offer."""
        masks: NDArray[np.bool_] = self.env.get_wrapper_attr("action_masks")().copy()
        numbers = np.flatnonzero(masks)
        names = {int(number): self.env.get_wrapper_attr("calls")[number].name for number in numbers}
        kept = {number: name for number, name in names.items() if not name.startswith("cancel_")}
        if any(name == "create_sales_order" or name.startswith("confirm_") for name in kept.values()):
            kept = {number: name for number, name in kept.items() if name != "submit"}
        masks[:] = False
        masks[list(kept) or list(names)] = True
        return masks


class Pool(gym.Wrapper[Any, Any, Any, Any]):
    """Plays training tasks of all patterns at random.

    Args:
        env: The environment.
        seed: Seed of the choice.
    """

    def __init__(self, env: gym.Env[Any, Any], seed: int) -> None:
        super().__init__(env)
        self.rng = np.random.default_rng(seed)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the next task."""
        number, pattern = int(self.rng.integers(POOL)), PATTERNS[int(self.rng.integers(len(PATTERNS)))]
        return self.env.reset(seed=number, options={"pattern": pattern})


def make_env(split: str, *, orderly: bool = True) -> gym.Env[Any, Any]:
    """One environment by number; tasks stay in memory."""
    made = gym.make("ERPBench-v0", split=split, reward_mode="dense", max_steps=MAX_STEPS, cache=None, disable_env_checker=True)
    numbered = DiscreteToolActions(made, size=SIZE)
    return Flat(Orderly(numbered) if orderly else numbered)


def tasks_of(episodes: int) -> list[Task]:
    """The first tasks of every pattern."""
    return [(seed, pattern) for pattern in PATTERNS for seed in range(episodes)]


def play(choose: Choose, task: Task, env: gym.Env[Any, Any]) -> Result:
    """One episode."""
    seed, pattern = task
    seen, info = env.reset(seed=seed, options={"pattern": pattern})
    while "is_success" not in info:
        seen, _, _, _, info = env.step(choose(seen, env.get_wrapper_attr("action_masks")()))
    return bool(info["is_success"]), float(info["verdict"]["reward"])


def play_heuristics(tasks: Sequence[Task], split: str) -> dict[str, list[Result]]:
    """How the fixed planners do; they know the whole problem, which the learner reads as features."""
    env: Any = gym.make("ERPBench-v0", split=split, cache=None, disable_env_checker=True)
    found: dict[str, list[Result]] = {}
    for seed, pattern in tasks:
        env.reset(seed=seed, options={"pattern": pattern})
        task = env.unwrapped.task
        for name, planner in env.unwrapped.family.policies().items():
            _, info = env.reset(options={"task": task})
            for call in planner(task):
                *_, info = env.step(call)
            found.setdefault(name, []).append((bool(info["is_success"]), float(info["verdict"]["reward"])))
    return found


def random_valid(seed: int) -> Choose:
    """A policy that draws evenly from what is on offer."""
    rng = np.random.default_rng(seed)
    return lambda _, mask: int(rng.choice(np.flatnonzero(mask)))


def make_policy() -> type[Any]:
    """A policy that scores every call with the same small network, given all calls and the state."""
    import torch
    from sb3_contrib.common.maskable.policies import (
        MaskableActorCriticPolicy,
    )
    from torch import nn

    TOOLS = 64  # more than there are

    class SharedEncoder(nn.Module):  # type: ignore[misc,unused-ignore]  # Any where the extra is not installed
        """From a batch of observations to a logit per call and features for the value."""

        latent_dim_pi, latent_dim_vf = SIZE, 64

        def __init__(self) -> None:
            super().__init__()
            self.tool = nn.Embedding(TOOLS, 16)
            self.call, self.all = nn.Linear(len(FEATURES) + 16, 64), nn.Linear(128 + len(STATE), 64)
            self.mine, self.around, self.score = nn.Linear(64, 64), nn.Linear(64, 64), nn.Linear(64, 1)

        def forward(self, seen: Any) -> tuple[Any, Any]:
            calls, state = seen[:, : -len(STATE)].view(-1, SIZE, len(FEATURES)), seen[:, -len(STATE) :]
            kind = (calls[..., 1] * (TOOLS - 1)).round().long()  # kinds lie further apart than that
            encoded = torch.relu(self.call(torch.cat([calls, self.tool(kind)], -1))) * calls[..., :1]
            whole = torch.relu(self.all(torch.cat([encoded.amax(1), encoded.mean(1), state], -1)))
            joint = torch.relu(self.mine(encoded) + self.around(whole)[:, None])
            return self.score(joint).squeeze(-1), whole

        def forward_actor(self, seen: Any) -> Any:
            return self(seen)[0]

        def forward_critic(self, seen: Any) -> Any:
            return self(seen)[1]

    class Policy(MaskableActorCriticPolicy):  # type: ignore[misc,unused-ignore]  # Any where the extra is not installed
        def _build_mlp_extractor(self) -> None:
            self.mlp_extractor = SharedEncoder()

        def _build(self, lr_schedule: Any) -> None:
            super()._build(lr_schedule)
            self.action_net = nn.Identity()  # the encoder gives the logits
            self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    return Policy


def train(seed: int, settings: Settings) -> dict[str, Any]:
    """One run: the curve, and the results on test tasks."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    torch.set_num_threads(1)
    start = time.process_time()
    envs = DummyVecEnv([lambda number=number: Pool(make_env("train"), 1000 * seed + number) for number in range(settings.envs)])
    model = MaskablePPO(
        make_policy(), envs, n_steps=64, batch_size=128, n_epochs=6, learning_rate=1e-3, gamma=1.0, gae_lambda=0.95,
        ent_coef=0.01, target_kl=0.05, seed=seed, device="cpu",
    )  # fmt: skip

    def choose(seen: NDArray[np.float32], mask: NDArray[np.bool_]) -> int:
        return int(model.predict(seen, action_masks=mask, deterministic=True)[0])

    curve = []
    for part in range(settings.points):
        model.learn(settings.steps // settings.points, reset_num_timesteps=part == 0)
        found = [play(choose, task, env) for env in [make_env("validation")] for task in tasks_of(settings.episodes)]
        curve.append([model.num_timesteps, *np.mean(found, axis=0).tolist()])
    env = make_env("test")
    final = [play(choose, task, env) for task in tasks_of(settings.final_episodes)]
    spent = round(time.process_time() - start, 1)
    return {"seed": seed, "settings": asdict(settings), "curve": curve, "final": final, "cpu_seconds": spent}


def run(seed: int, settings: Settings, out: Path) -> str:
    """Train and keep the result, unless it is there already; what happened, as a line."""
    path = out / f"erp-{seed}.json"
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))["settings"]
        if found != asdict(settings):
            raise SystemExit(f"{path} has other settings, {found}; expected {asdict(settings)}. Choose another --out.")
        return f"{path.name}: there already"
    result = train(seed, settings)
    with atomic_file(path) as draft:
        draft.write_text(json.dumps(result), encoding="utf-8")
    steps, solved, score = result["curve"][-1]
    return f"{path.name}: {steps} steps, validation {solved:.2f} solved, score {score:.2f}, {result['cpu_seconds']:.0f} CPU-s"


def interval(values: NDArray[np.float64], *, resamples: int = 2000) -> tuple[float, float, float]:
    """Mean of values of shape ``(runs, tasks)`` and its 95 % bootstrap interval, runs and tasks drawn anew."""
    rng = np.random.default_rng(0)
    runs, tasks = values.shape
    means = [values[rng.integers(runs, size=(runs, 1)), rng.integers(tasks, size=tasks)].mean() for _ in range(resamples)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def table(rows: Mapping[str, NDArray[np.float64]]) -> str:
    """Results of shape ``(runs, tasks, 2)`` as a Markdown table."""
    heads = ["policy", "solved (95 %)", "score (95 %)", *(f"solved of {pattern[:2]}" for pattern in PATTERNS)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, values in rows.items():
        cells = ["{:.2f} ({:.2f}\N{EN DASH}{:.2f})".format(*interval(values[..., part])) for part in (0, 1)]
        cells += [f"{part.mean():.2f}" for part in np.split(values[..., 0], len(PATTERNS), axis=1)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def report(out: Path, where: Path) -> str:
    """Write the table; the table."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(out.glob("erp-*.json"))]
    if not runs:
        raise SystemExit(f"no runs in {out}")
    tasks = tasks_of(runs[0]["settings"]["final_episodes"])
    rows = {}
    for name, orderly in (("random, all that makes sense", False), ("random, what is on offer", True)):
        env, choose = make_env("test", orderly=orderly), random_valid(0)
        rows[name] = np.array([[play(choose, task, env) for task in tasks]])
    rows |= {name: np.array([found]) for name, found in play_heuristics(tasks, "test").items()}
    rows[f"MaskablePPO, {len(runs)} runs"] = np.array([one["final"] for one in runs])
    text = table(rows)
    where.mkdir(parents=True, exist_ok=True)
    with atomic_file(where / "erp_table.inc") as draft:
        draft.write_text(text, encoding="utf-8")
    return text


def main(arguments: list[str] | None = None) -> None:
    """Train what is missing, then report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/erp_learning_study"), help="where results are kept")
    parser.add_argument("--seeds", type=int, nargs="+", default=None, help="runs: 0 to 3, or 0 with --quick")
    parser.add_argument("--quick", action="store_true", help="a small run")
    parser.add_argument("--report", type=Path, metavar="DIR", help="train nothing, write the table there")
    given = parser.parse_args(arguments)
    if given.report is None:
        given.out.mkdir(parents=True, exist_ok=True)
        for seed in given.seeds or (range(1) if given.quick else range(4)):
            print(run(seed, QUICK if given.quick else Settings(), given.out), flush=True)
    print(report(given.out, given.report or given.out / "report"), end="")


if __name__ == "__main__":
    main()
