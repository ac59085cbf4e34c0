"""Do curricula help a learning agent?  MaskablePPO on ACEBench's discrete interface, sampler by sampler.

Run with ``nice python benchmarks/curriculum_study.py --out runs/study [--seeds 10] [--jobs 2]``, and again to go on where it
stopped: every (sampler, seed) is a file in ``--out``, written whole or not at all.  ``--quick`` is a small version for a
machine without time.  ``--report DIR`` only writes ``curves.png`` and ``table.inc`` from what is in ``--out``.

The reward is the verifier's bit alone.  Every run has the same number of environment steps.  Space, target, steps and the
settings of the learner were chosen on tasks of the split ``validation``, where the curves are measured too; the final success
is measured on tasks of the split ``test``, which nothing was chosen by.
Learning needs the extra ``train``, the figure matplotlib.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.curricula import (
    ALPGMM,
    Bandit,
    Choice,
    DomainRandomization,
    Ladder,
    Learnability,
    LearningProgress,
    PrioritizedLevelReplay,
    Sampler,
    TargetSuccess,
    TaskSpace,
    Ticket,
    Uniform,
)
from opsgym.data.packs import atomic_file
from opsgym.envs.ace_bench.discrete import CHOICE_FEATURES, STATE_FEATURES
from opsgym.envs.ace_bench.discrete_vector import ACEBenchDiscreteVectorEnv

FIXED = {"tier": "easy", "rows": 4, "cols": 4, "coupling": 70}
SLOTS, CHOICES, MAX_STEPS = 12, 14, 30
"""Size of the interface, and the turn budget."""
SPACE = TaskSpace.of("ACEBench-v0", {"hidden": range(4, SLOTS + 1, 2), "decoys": range(4, 49, 4)}, fixed=FIXED)
"""Where all samplers but the first draw from: 60 cells, most of them far too hard for a beginner."""
TARGET = TaskSpace.of(
    "ACEBench-v0", {"hidden": Choice((8, 10, 12), harder="up"), "decoys": Choice((12, 16), harder="up")}, fixed=FIXED
)
"""What is to be learned: six cells, all alike."""
POOL = 64
"""Training tasks per cell; a ticket's seed picks one, so that generating tasks costs little."""
FINAL_SEED = 10_000
"""First seed of the tasks of the final measurement."""

SAMPLERS: Mapping[str, Callable[[int], Sampler]] = {
    "target only": lambda seed: Uniform(TARGET, seed=seed),
    "Uniform": lambda seed: Uniform(SPACE, seed=seed),
    "Ladder": lambda seed: Ladder(SPACE, seed=seed),
    "TargetSuccess": lambda seed: TargetSuccess(SPACE, seed=seed),
    "Learnability": lambda seed: Learnability(SPACE, seed=seed),
    "LearningProgress": lambda seed: LearningProgress(SPACE, seed=seed),
    "ALPGMM": lambda seed: ALPGMM(SPACE, seed=seed),
    "DomainRandomization": lambda seed: DomainRandomization(SPACE, seed=seed),
    "PrioritizedLevelReplay": lambda seed: PrioritizedLevelReplay(SPACE, seed=seed),
    "Bandit": lambda seed: Bandit(SPACE, seed=seed),
}
"""All with their defaults."""


@dataclass(frozen=True)
class Settings:
    """What runs must share to be compared.

    Attributes:
        steps: Environment steps of a run; each of the parts between measurements is rounded up to whole rollouts.
        points: Measurements on the way.
        episodes: Tasks of the target, and of the whole space, in a measurement on the way.
        final_episodes: The same at the end.
        envs: Episodes in the training batch.
    """

    steps: int = 98_304
    points: int = 8
    episodes: int = 120
    final_episodes: int = 600
    envs: int = 64


QUICK = Settings(steps=8192, points=2, episodes=24, final_episodes=48, envs=32)

Task = tuple[int, dict[str, Any]]
"""A task as a reset asks for it: its seed and options."""


class FullGrids(ACEBenchDiscreteVectorEnv):
    """A batch that offers ``done`` only for a full grid, and no check, which tells nothing that the observation does not.

    Ending at once is a local optimum that a sparse reward does not lead out of.

    Args:
        num_envs: Number of episodes.
        split: Which task seeds are drawn.
    """

    def __init__(self, num_envs: int, split: str) -> None:
        super().__init__(num_envs, split=split, max_slots=SLOTS, max_choices=CHOICES, max_steps=MAX_STEPS, cache=None)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions can be taken."""
        masks = super().action_masks()
        masks[:, -2] = False
        masks[:, -1] = self._filled() | ~masks[:, :-2].any(axis=1)
        return masks


class Lessons(FullGrids):
    """Plays a sampler's tickets, and tells how they went.

    Args:
        sampler: The curriculum.
        num_envs: Number of episodes.
    """

    def __init__(self, sampler: Sampler, num_envs: int) -> None:
        super().__init__(num_envs, "train")
        self.sampler = sampler
        self.tickets: dict[int, Ticket] = {}

    def next_task(self, index: int) -> Task:
        """The next ticket's task, one of the pool."""
        ticket = self.tickets[index] = self.sampler.ask()[0]
        return ticket.seed % POOL, ticket.options()

    def ended(self, index: int, is_success: bool) -> None:
        """Tell."""
        self.sampler.tell(self.tickets[index].outcome(success=is_success))


class Examination(FullGrids):
    """Plays given tasks, each in a place of its own.

    Args:
        tasks: The tasks.
        split: Which task seeds are drawn.
    """

    def __init__(self, tasks: Sequence[Task], split: str) -> None:
        super().__init__(len(tasks), split)
        self.tasks = tasks

    def next_task(self, index: int) -> Task:
        """The task of the place."""
        return self.tasks[index]


Choose = Callable[[NDArray[np.float32], NDArray[np.bool_]], NDArray[np.int64]]


def tasks_of(space: TaskSpace, count: int, first: int) -> list[Task]:
    """Tasks of a space, its cells in turn, every one with a seed of its own."""
    cells = itertools.cycle(space.grid(100))
    return [(seed, Ticket(0, cell, seed).options()) for seed, cell in zip(range(first, first + count), cells, strict=False)]


def success(choose: Choose, tasks: Sequence[Task], split: str) -> float:
    """Share of tasks that a policy solves."""
    envs = Examination(tasks, split)
    seen, _ = envs.reset()
    running, solved = np.ones(len(tasks), np.bool_), np.zeros(len(tasks), np.bool_)
    while running.any():
        seen, rewards, terminated, truncated, _ = envs.step(choose(seen, envs.action_masks()))
        solved |= running & (rewards > 0)
        running &= ~(terminated | truncated)
    return float(solved.mean())


def random_valid(seed: int) -> Choose:
    """A policy that draws evenly from what the mask allows."""
    rng = np.random.default_rng(seed)
    return lambda _, masks: (rng.random(masks.shape) * masks).argmax(axis=1)


def make_policy() -> type[Any]:
    """A policy that reads every choice, slot and grid with the same small networks, and scores every choice.

    The weights are shared over choices and slots, so what is learned on small grids holds on large ones.
    """
    import torch
    from sb3_contrib.common.maskable.policies import (
        MaskableActorCriticPolicy,
    )
    from torch import nn

    class SharedEncoder(nn.Module):  # type: ignore[misc,unused-ignore]  # Any where the extra is not installed
        """From a batch of observations to one logit per action and features for the value; only what is on offer is computed."""

        latent_dim_pi, latent_dim_vf = SLOTS * CHOICES + 2, 64

        def __init__(self) -> None:
            super().__init__()
            features, state = len(CHOICE_FEATURES), len(STATE_FEATURES)
            self.choice, self.around, self.encode = nn.Linear(features, 64), nn.Linear(state, 64), nn.Linear(64, 32)
            self.slot, self.grid = nn.Linear(64, 32), nn.Linear(64 + state, 64)
            self.by_choice, self.by_slot, self.by_grid = nn.Linear(32, 64), nn.Linear(32, 64), nn.Linear(64, 64)
            self.score, self.ends = nn.Linear(64, 1), nn.Linear(64, 2)

        def forward(self, seen: Any) -> tuple[Any, Any]:
            state = seen[:, -len(STATE_FEATURES) :]
            choices = seen[:, : -len(STATE_FEATURES)].view(-1, SLOTS, CHOICES, len(CHOICE_FEATURES))
            offered = choices[..., 0] > 0
            row, slot, _ = offered.nonzero(as_tuple=True)
            hidden = torch.relu(self.choice(choices[offered]) + self.around(state)[row])
            encoded = torch.relu(self.encode(hidden))
            spread = seen.new_zeros((*offered.shape, 32))
            spread[offered] = encoded
            there = offered.any(-1, keepdim=True)
            slots = torch.relu(self.slot(torch.cat([spread.amax(2), spread.mean(2)], -1))) * there
            mean = slots.sum(1) / there.sum(1).clamp(min=1)
            grid = torch.relu(self.grid(torch.cat([slots.amax(1), mean, state], -1)))
            joint = self.by_choice(encoded) + self.by_slot(slots)[row, slot] + self.by_grid(grid)[row]
            scores = seen.new_zeros(offered.shape)
            scores[offered] = self.score(torch.relu(joint)).squeeze(-1)
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


def make_batch(sampler: Sampler, num_envs: int) -> Any:
    """The training batch as stable-baselines3 wants it."""
    from stable_baselines3.common.vec_env import VecEnv

    envs = Lessons(sampler, num_envs)

    class Batch(VecEnv):  # type: ignore[misc,unused-ignore]  # Any where the extra is not installed
        def reset(self) -> Any:
            return envs.reset()[0]

        def step_async(self, actions: Any) -> None:
            self.actions = actions

        def step_wait(self) -> Any:
            seen, rewards, terminated, truncated, infos = envs.step(self.actions)
            over = terminated | truncated
            notes: list[dict[str, Any]] = [{} for _ in over]
            for index in np.flatnonzero(over):
                notes[index] = {"terminal_observation": infos["final_obs"][index]}
            return seen, rewards.astype(np.float32), over, notes

        def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
            assert method_name == "action_masks"
            return envs.action_masks()

        def get_attr(self, attr_name: str, indices: Any = None) -> Any:
            return [getattr(envs, attr_name)] * num_envs

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            setattr(envs, attr_name, value)

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Any:
            return [False] * num_envs

        def close(self) -> None:
            envs.close()

    return Batch(num_envs, envs.single_observation_space, envs.single_action_space)


def train(name: str, seed: int, settings: Settings) -> dict[str, Any]:
    """One run: the curve, the final success in the target and in the whole space, and what it took."""
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)
    start, sampler = time.process_time(), SAMPLERS[name](seed)
    model = MaskablePPO(
        make_policy(), make_batch(sampler, settings.envs), n_steps=64, batch_size=512, n_epochs=3, learning_rate=4e-4, gamma=1.0,
        gae_lambda=0.95, ent_coef=0.005, target_kl=0.03, seed=seed, device="cpu",
    )  # fmt: skip

    def choose(seen: NDArray[np.float32], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.asarray(model.predict(seen, action_masks=masks, deterministic=True)[0])

    def measure(split: str, episodes: int, first: int) -> list[float]:
        return [success(choose, tasks_of(space, episodes, first), split) for space in (TARGET, SPACE)]

    curve = []
    for part in range(settings.points):
        model.learn(settings.steps // settings.points, reset_num_timesteps=part == 0)
        curve.append([model.num_timesteps, *measure("validation", settings.episodes, 0)])
    return {
        "sampler": name, "seed": seed, "settings": asdict(settings), "curve": curve,
        "final": measure("test", settings.final_episodes, FINAL_SEED),
        "metrics": sampler.metrics(), "cpu_seconds": round(time.process_time() - start, 1),
    }  # fmt: skip


Job = tuple[str, int, Settings, Path]


def path_of(job: Job) -> Path:
    """Where a result is kept."""
    name, seed, _, out = job
    return out / f"{name.replace(' ', '_')}-{seed}.json"


def is_there(job: Job) -> bool:
    """Whether a result is there already; one with other settings ends the study."""
    path, settings = path_of(job), asdict(job[2])
    if not path.exists():
        return False
    found = json.loads(path.read_text(encoding="utf-8"))["settings"]
    if found != settings:
        raise SystemExit(f"{path} has other settings, {found}; expected {settings}. Choose another --out.")
    return True


def run(job: Job) -> str:
    """Train and keep the result; what happened, as a line."""
    path = path_of(job)
    result = train(*job[:3])
    with atomic_file(path) as draft:
        draft.write_text(json.dumps(result), encoding="utf-8")
    return f"{path.name}: target {result['final'][0]:.2f}, {result['cpu_seconds']:.0f} CPU-s"


def iqm(values: NDArray[np.float64]) -> Any:
    """Interquartile mean over the last axis: that of the middle half of the values."""
    from scipy.stats import trim_mean

    return trim_mean(values, 0.25, axis=-1)


def interval(scores: NDArray[np.float64], *, resamples: int = 2000, seed: int = 0) -> tuple[float, float, float]:
    """Interquartile mean of the scores of runs, of shape ``(runs,)``, and its 95 % bootstrap interval.

    Source: Agarwal et al. 2021, arXiv 2108.13264.
    """
    rows = np.random.default_rng(seed).integers(len(scores), size=(resamples, len(scores)))
    low, high = np.quantile(iqm(scores[rows]), [0.025, 0.975])
    return float(iqm(scores)), float(low), float(high)


def results(out: Path) -> dict[str, list[dict[str, Any]]]:
    """The runs of every sampler, as far as they are there."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(out.glob("*.json"))]
    mine = {name: sorted((one for one in found if one["sampler"] == name), key=lambda one: one["seed"]) for name in SAMPLERS}
    return {name: runs for name, runs in mine.items() if runs}


def table(runs: Mapping[str, list[dict[str, Any]]], chance: Sequence[float]) -> str:
    """The final success as a Markdown table."""
    lines = [
        "| tasks from | runs | target: IQM (95 %) | whole space: IQM (95 %) | training episodes solved | CPU-s a run |",
        "|---|---|---|---|---|---|",
        f"| random valid actions |  | {chance[0]:.3f} | {chance[1]:.3f} |  |  |",
    ]
    for name, mine in runs.items():
        scores = np.array([one["final"] for one in mine])
        cells = ["{:.2f} ({:.2f}\N{EN DASH}{:.2f})".format(*interval(part)) for part in scores.T]
        solved, seconds = (
            float(np.median(part))
            for part in ([one["metrics"]["success_rate"] for one in mine], [one["cpu_seconds"] for one in mine])
        )
        lines.append(f"| {name} | {len(mine)} | {cells[0]} | {cells[1]} | {solved:.2f} | {seconds:.0f} |")
    return "\n".join(lines) + "\n"


def draw(runs: Mapping[str, list[dict[str, Any]]], path: Path) -> None:
    """The curves: success on validation tasks of the target and of all cells, interquartile mean with its interval."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    for column, (axes, title) in enumerate(zip(figure.subplots(1, 2, sharey=True), ("target", "whole space"), strict=True), 1):
        for name, mine in runs.items():
            curves = np.array([one["curve"] for one in mine])
            middle, low, high = np.array([interval(point) for point in curves[:, :, column].T]).T
            axes.plot(curves[0, :, 0], middle, label=name)
            axes.fill_between(curves[0, :, 0], low, high, alpha=0.1)
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
    chance = [success(random_valid(0), tasks_of(space, episodes, FINAL_SEED), "test") for space in (TARGET, SPACE)]
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
        jobs = [job for job in jobs if not is_there(job)]  # in this process: a worker that exits would be waited for
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
