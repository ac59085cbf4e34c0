"""Do curricula help a learning agent?  MaskablePPO on ACEBench's discrete interface, sampler by sampler.

Run with ``nice python benchmarks/curriculum_study.py --out runs/study [--seeds 10] [--jobs 2]``, and again to go on where it
stopped: every (sampler, seed) is a file in ``--out``, written whole or not at all.  ``--quick`` is a small version for a
machine without time.  ``--report DIR`` only writes ``curves.png`` and ``table.inc`` from what is in ``--out``.

The reward is the verifier's bit alone.  Every run has the same number of environment steps.  Curves are measured on tasks of
the split ``validation``; the final success on tasks of the split ``test``, from a seed on that
nothing was chosen by.
Learning needs the extra ``train``, the figure matplotlib.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import opsgym  # noqa: F401  # registers the ids
from opsgym.curricula import (
    ALPGMM,
    CurriculumWrapper,
    Fixed,
    Ladder,
    Learnability,
    LearningProgress,
    Sampler,
    TargetSuccess,
    TaskSpace,
    Uniform,
)
from opsgym.data.packs import atomic_file
from opsgym.envs.ace_bench.discrete import CHOICE_FEATURES, CHOICES, STATE_FEATURES

FIXED = {"tier": "easy", "rows": 4, "cols": 4, "coupling": 70}
SLOTS, DECOYS = 8, 12
TARGET = {"hidden": SLOTS, "decoys": DECOYS}
CELLS = [{"hidden": hidden, "decoys": decoys} for hidden in (2, 4, 8) for decoys in (2, 6, 12)]
"""What is measured; the target comes last."""
FINAL_SEED = 10_000
"""First seed of the tasks of the final measurement; pilots looked at tasks of the first seeds."""
SPACE = TaskSpace.of("ACEBench-v0", {"hidden": (2, SLOTS), "decoys": (0, DECOYS)}, fixed=FIXED)

SAMPLERS: Mapping[str, Callable[[int], Sampler]] = {
    "target only": lambda seed: Fixed(SPACE, {**FIXED, **TARGET}, seed=seed),
    "Uniform": lambda seed: Uniform(SPACE, seed=seed),
    "Ladder": lambda seed: Ladder(SPACE, levels=12, seed=seed),
    "TargetSuccess": lambda seed: TargetSuccess(SPACE, seed=seed),
    "Learnability": lambda seed: Learnability(SPACE, seed=seed),
    "LearningProgress": lambda seed: LearningProgress(SPACE, seed=seed),
    "ALPGMM": lambda seed: ALPGMM(SPACE, seed=seed),
}


@dataclass(frozen=True)
class Settings:
    """What runs must share to be compared.

    Attributes:
        steps: Environment steps of a run.
        points: Measurements on the way.
        episodes: Tasks per cell of a measurement on the way.
        final_episodes: Tasks per cell at the end.
        envs: Environments of the training batch.
    """

    steps: int = 81_920
    points: int = 8
    episodes: int = 30
    final_episodes: int = 100
    envs: int = 32


QUICK = Settings(steps=4096, points=2, episodes=4, final_episodes=6, envs=16)


class FullGrid(gym.Wrapper[Any, Any, Any, Any]):
    """Offers ``done`` only for a full grid, and no check, which tells nothing that the observation does not.

    Ending at once is a local optimum that a sparse reward does not lead out of.
    """

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions can be taken."""
        masks: NDArray[np.bool_] = self.env.get_wrapper_attr("action_masks")().copy()
        masks[-2] = False
        masks[-1] = self._full or not masks[:-2].any()
        return masks

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """As inside."""
        observation, info = self.env.reset(**kwargs)
        self._full = _filled(observation)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As inside."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._full = _filled(observation)
        return observation, reward, terminated, truncated, info


def _filled(observation: NDArray[np.float32]) -> bool:
    return bool(observation[-len(STATE_FEATURES)] >= 1)


def make_env(split: str, sampler: Sampler | None = None) -> gym.Env[Any, Any]:
    """One environment; with a sampler, it draws its tasks from there."""
    sizes = {"max_slots": SLOTS, "max_steps": 2 * SLOTS + 6}
    env: gym.Env[Any, Any] = gym.make(
        "ACEBench-v0", interface="discrete", split=split, cache=None, disable_env_checker=True, **sizes
    )
    env = FullGrid(env)
    return env if sampler is None else CurriculumWrapper(env, sampler)


Choose = Callable[[NDArray[np.float32], NDArray[np.bool_]], NDArray[np.int64]]


def success(choose: Choose, cell: Mapping[str, int], *, split: str, episodes: int) -> float:
    """Share of a cell's tasks that a policy solves; all are played in step, so that it is asked in batches."""
    envs = [make_env(split) for _ in range(episodes)]
    tier = FIXED["tier"]
    params = {**{name: value for name, value in FIXED.items() if name != "tier"}, **cell}
    first = FINAL_SEED if split == "test" else 0
    seen = [env.reset(seed=seed, options={"tier": tier, "params": params})[0] for seed, env in enumerate(envs, first)]
    running, solved = list(range(episodes)), 0
    while running:
        masks = np.stack([envs[index].get_wrapper_attr("action_masks")() for index in running])
        actions = choose(np.stack([seen[index] for index in running]), masks)
        left = []
        for index, action in zip(running, actions, strict=True):
            seen[index], _, terminated, truncated, info = envs[index].step(int(action))
            if terminated or truncated:
                solved += bool(info["is_success"])
            else:
                left.append(index)
        running = left
    return solved / episodes


def random_valid(seed: int) -> Choose:
    """A policy that draws evenly from what the mask allows."""
    rng = np.random.default_rng(seed)
    return lambda _, masks: np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def make_policy() -> type[Any]:
    """A policy that reads every choice, slot and grid with the same small networks, and scores every choice.

    The weights are shared over choices and slots, so what is learned on small grids holds on large ones.
    """
    import torch
    from sb3_contrib.common.maskable.policies import (
        MaskableActorCriticPolicy,
    )
    from torch import nn

    def layers(inputs: int, outputs: int) -> nn.Sequential:
        return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, outputs))

    class SharedEncoder(nn.Module):  # type: ignore[misc,unused-ignore]  # Any where the extra is not installed  # untyped where the extra is absent
        """From a batch of observations to one logit per action and features for the value."""

        latent_dim_pi, latent_dim_vf = SLOTS * CHOICES + 2, 64

        def __init__(self) -> None:
            super().__init__()
            self.choice = layers(len(CHOICE_FEATURES) + len(STATE_FEATURES), 32)
            self.slot, self.grid = layers(64, 32), layers(64 + len(STATE_FEATURES), 64)
            self.score, self.ends = layers(32 + 32 + 64, 1), nn.Linear(64, 2)

        def forward(self, seen: Any) -> tuple[Any, Any]:
            state = seen[:, -len(STATE_FEATURES) :]
            choices = seen[:, : -len(STATE_FEATURES)].view(-1, SLOTS, CHOICES, len(CHOICE_FEATURES))
            around = state[:, None, None].expand(-1, SLOTS, CHOICES, -1)
            encoded = torch.relu(self.choice(torch.cat([choices, around], -1))) * choices[..., :1]
            slots = torch.relu(self.slot(torch.cat([encoded.amax(2), encoded.mean(2)], -1)))
            grid = torch.relu(self.grid(torch.cat([slots.amax(1), slots.mean(1), state], -1)))
            parts = [encoded, slots[:, :, None].expand(-1, -1, CHOICES, -1)]
            scores = self.score(torch.cat([*parts, grid[:, None, None].expand(-1, SLOTS, CHOICES, -1)], -1))
            return torch.cat([scores.flatten(1), self.ends(grid)], -1), grid

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


def train(name: str, seed: int, settings: Settings) -> dict[str, Any]:
    """One run: the curve, the final success in every cell, and what it took."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    torch.set_num_threads(1)
    start, sampler = time.process_time(), SAMPLERS[name](seed)
    envs = DummyVecEnv([lambda: make_env("train", sampler)] * settings.envs)
    model = MaskablePPO(
        make_policy(), envs, n_steps=64, batch_size=512, n_epochs=3, learning_rate=4e-4, gamma=1.0, gae_lambda=0.95,
        ent_coef=0.005, target_kl=0.03, seed=seed, device="cpu",
    )  # fmt: skip

    def choose(seen: NDArray[np.float32], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.asarray(model.predict(seen, action_masks=masks, deterministic=True)[0])

    curve = []
    for part in range(settings.points):
        model.learn(settings.steps // settings.points, reset_num_timesteps=part == 0)
        rates = [success(choose, cell, split="validation", episodes=settings.episodes) for cell in CELLS]
        curve.append([model.num_timesteps, rates[-1], float(np.mean(rates))])
    final = [success(choose, cell, split="test", episodes=settings.final_episodes) for cell in CELLS]
    return {
        "sampler": name, "seed": seed, "settings": asdict(settings), "curve": curve, "final": final,
        "metrics": sampler.metrics(), "cpu_seconds": round(time.process_time() - start, 1),
    }  # fmt: skip


def run(job: tuple[str, int, Settings, Path]) -> str:
    """Train and keep the result, unless it is there already; what happened, as a line."""
    name, seed, settings, out = job
    path = out / f"{name.replace(' ', '_')}-{seed}.json"
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))["settings"]
        if found != asdict(settings):
            raise SystemExit(f"{path} has other settings, {found}; expected {asdict(settings)}. Choose another --out.")
        return f"{path.name}: there already"
    result = train(name, seed, settings)
    with atomic_file(path) as draft:
        draft.write_text(json.dumps(result), encoding="utf-8")
    return f"{path.name}: target {result['final'][-1]:.2f}, {result['cpu_seconds']:.0f} CPU-s"


def iqm(values: NDArray[np.float64]) -> float:
    """Interquartile mean: that of the middle half of all values."""
    from scipy.stats import trim_mean

    return float(trim_mean(values, 0.25, axis=None))


def interval(scores: NDArray[np.float64], *, resamples: int = 2000, seed: int = 0) -> tuple[float, float, float]:
    """Interquartile mean of scores of shape ``(runs, cells)`` and its 95 % interval.

    Stratified bootstrap: runs are drawn anew in every cell by itself (Agarwal et al. 2021, arXiv 2108.13264).
    """
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(scores), size=(resamples, *scores.shape))
    means = [iqm(np.take_along_axis(scores, rows, axis=0)) for rows in drawn]
    low, high = np.quantile(means, [0.025, 0.975])
    return iqm(scores), float(low), float(high)


def results(out: Path) -> dict[str, list[dict[str, Any]]]:
    """The runs of every sampler, as far as they are there."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(out.glob("*.json"))]
    mine = {name: sorted((one for one in found if one["sampler"] == name), key=lambda one: one["seed"]) for name in SAMPLERS}
    return {name: runs for name, runs in mine.items() if runs}


def table(runs: Mapping[str, list[dict[str, Any]]], chance: list[float]) -> str:
    """The final success as a Markdown table."""
    lines = ["| tasks from | runs | target: IQM (95 %) | all cells: IQM (95 %) | CPU-s a run |", "|---|---|---|---|---|"]
    lines.append(f"| random valid actions |  | {chance[-1]:.2f} | {iqm(np.array(chance)):.2f} |  |")
    for name, mine in runs.items():
        scores = np.array([one["final"] for one in mine])
        cells = ["{:.2f} ({:.2f}\N{EN DASH}{:.2f})".format(*interval(part)) for part in (scores[:, -1:], scores)]
        seconds = np.median([one["cpu_seconds"] for one in mine])
        lines.append(f"| {name} | {len(mine)} | {cells[0]} | {cells[1]} | {seconds:.0f} |")
    return "\n".join(lines) + "\n"


def draw(runs: Mapping[str, list[dict[str, Any]]], path: Path) -> None:
    """The curves: success on validation tasks of the target and of all cells, interquartile mean with its interval."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    for column, (axes, title) in enumerate(zip(figure.subplots(1, 2, sharey=True), ("target", "all cells"), strict=True), 1):
        for name, mine in runs.items():
            curves = np.array([one["curve"] for one in mine])
            middle, low, high = np.array([interval(curves[:, point, column : column + 1]) for point in range(curves.shape[1])]).T
            axes.plot(curves[0, :, 0], middle, label=name)
            axes.fill_between(curves[0, :, 0], low, high, alpha=0.15)
        axes.set(title=title, xlabel="environment steps", ylim=(0, 1))
    figure.axes[0].set_ylabel("success on validation tasks")
    figure.axes[0].legend(fontsize="small")
    figure.savefig(path, dpi=120)


def report(out: Path, where: Path) -> str:
    """Write the table, and the curves where matplotlib is; the table."""
    runs = results(out)
    if not runs:
        raise SystemExit(f"no runs in {out}")
    episodes = next(iter(runs.values()))[0]["settings"]["final_episodes"]
    chance = [success(random_valid(0), cell, split="test", episodes=episodes) for cell in CELLS]
    text = table(runs, chance)
    where.mkdir(parents=True, exist_ok=True)
    with atomic_file(where / "table.inc") as draft:
        draft.write_text(text, encoding="utf-8")
    try:
        draw(runs, where / "curves.png")
    except ImportError:
        print("no figure: matplotlib is not installed")
    return text


def main(arguments: list[str] | None = None) -> None:
    """Train what is missing, then report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/curriculum_study"), help="where results are kept")
    parser.add_argument("--samplers", nargs="+", choices=SAMPLERS, default=list(SAMPLERS), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=None, help="runs per sampler: 10, or 1 with --quick")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--quick", action="store_true", help="small runs")
    parser.add_argument("--steps", type=int, help="environment steps per run, for pilots")
    parser.add_argument("--report", type=Path, metavar="DIR", help="train nothing, write table and figure there")
    given = parser.parse_args(arguments)
    if given.report is None:
        base = QUICK if given.quick else Settings()
        settings = Settings(**{**asdict(base), **({"steps": given.steps} if given.steps else {})})
        seeds = range(given.seeds or (1 if given.quick else 10))
        given.out.mkdir(parents=True, exist_ok=True)
        # Seed by seed, so that a study that is cut short compares all samplers on fewer seeds.
        jobs = [(name, seed, settings, given.out) for seed in seeds for name in given.samplers]
        if given.jobs == 1:
            for job in jobs:
                print(run(job), flush=True)
        else:
            with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
                for line in pool.imap_unordered(run, jobs):
                    print(line, flush=True)
    print(report(given.out, given.report or given.out / "report"), end="")


if __name__ == "__main__":
    main()
