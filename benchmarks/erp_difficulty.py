"""Do the parameters of ERPBench-v0 predict difficulty?  Fixed planners and a noisy oracle over many tasks.

Run ``python benchmarks/erp_difficulty.py [--count 600] [--pack PACK | --split test] [--workers 2] [--write docs/guides]``.
It prints two tables: by tier, how often each planner is fully optimal; and Spearman correlations of each parameter with
success and with the calls that a task needs.  With ``--write`` both and a plot are written there (needs matplotlib, extra
``report``).  The noisy oracle carries out the reference solution, but each call fails to be right with probability e.  The
same command gives the same figures on every machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from opsgym.baselines.noise import noisy
from opsgym.baselines.registry import make_policy
from opsgym.baselines.scripted import Scripted
from opsgym.core.task import Task
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.parallel import Workers
from opsgym.evaluate.rollout import run_episode
from opsgym.evaluate.selection import select

ERP = ErpBenchFamily()
NAME = "erp_difficulty"
RUNS = 8
"""Episodes of the noisy oracle on each task."""
PLANNERS = tuple(ERP.policies())
DIRECTIONS = {row["name"]: row["harder"] for row in ERP.params_type.describe()}
TARGETS = ("planners", "noisy oracle", "calls")


@dataclass(frozen=True)
class Sample:
    """What one task gave.

    Attributes:
        tier: Its tier.
        parameters: Its numeric parameters, and measures of its structure.
        optimal: Whether each planner is fully optimal, which is more than success: that forgives a gap of a third of a percent.
        noisy: Share of the noisy oracle's episodes that succeeded.
        calls: Calls of the reference solution.
        empty: Whether the best plan neither buys nor makes anything.
    """

    tier: str
    parameters: dict[str, float]
    optimal: dict[str, bool]
    noisy: float
    calls: int
    empty: bool


# -- measuring --------------------------------------------------------------------------------------------------


def measure(entry_point: str, task_json: str, rate: float) -> Sample:
    """Play one task with every planner, and often with the noisy oracle."""
    task = Task.from_json(task_json)
    env = load_env(entry_point, cache=None)
    optimal = {name: run_episode(env, make_policy(name, ERP), task=task).reward == 1.0 for name in PLANNERS}
    successes = 0
    for run in range(RUNS):
        script = noisy(task.oracle, rate, np.random.default_rng([int(task.id, 16), run]))
        # An episode in which nothing went wrong is the oracle's, which is known to succeed.
        successes += script == list(task.oracle) or run_episode(env, Scripted(script), task=task).is_success
    env.close()
    counts = task.metadata["counts"]
    empty = not counts["purchases"] + counts["productions"]
    return Sample(task.tier, parameters(task), optimal, successes / RUNS, len(task.oracle), empty)


def parameters(task: Task) -> dict[str, float]:
    """Numeric difficulty parameters, and the measures of structure that the paper correlates."""
    problem = task.world["problem"]
    stock = sum(units for code, units in problem["stock"].items() if code == problem["product"])
    structure = {
        **{f"count: {name}": value for name, value in task.metadata["counts"].items()},
        **{f"model: {name}": task.certificate.statistics[name] for name in task.certificate.statistics},
        "count: bill of materials lines": sum(len(bom["lines"]) for bom in problem["boms"]),
        "count: units asked for": sum(order["quantity"] for order in problem["orders"]),
        "stock / demand": stock / sum(order["quantity"] for order in problem["orders"]),
    }
    drawn = {name: value for name, value in task.params.items() if isinstance(value, int | float)}
    return {name: float(value) for name, value in (drawn | structure).items()}


# -- statistics -------------------------------------------------------------------------------------------------


def ranks(values: Sequence[float]) -> np.ndarray[Any, Any]:
    """Ranks from 1; equal values share their mean rank."""
    _, where, sizes = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    means: np.ndarray[Any, Any] = (last - (sizes - 1) / 2)[where]
    return means


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Rank correlation, or ``None`` where one of the two is constant."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(np.corrcoef(ranks(first), ranks(second))[0, 1])


def correlations(samples: Sequence[Sample]) -> dict[str, tuple[float | None, ...]]:
    """Correlations of each parameter with :data:`TARGETS`: over all tasks, then within tiers; the strongest first."""
    names = dict.fromkeys(name for sample in samples for name in sample.parameters)
    tiers = [[sample for sample in samples if sample.tier == tier] for tier in dict.fromkeys(s.tier for s in samples)]
    found = {}
    for name in names:
        inside = [_row(tier, name) for tier in tiers]
        means = [_mean(column, [len(tier) for tier in tiers]) for column in zip(*inside, strict=True)]
        row = (*_row(samples, name), *means)
        if any(value is not None for value in row):
            found[name] = row
    return dict(sorted(found.items(), key=lambda item: (item[1][1] or 0.0, item[0])))


def _row(samples: Sequence[Sample], name: str) -> tuple[float | None, ...]:
    values = [sample.parameters.get(name, 0.0) for sample in samples]
    targets = (
        [float(np.mean(list(sample.optimal.values()))) for sample in samples],
        [sample.noisy for sample in samples],
        [float(sample.calls) for sample in samples],
    )
    return tuple(spearman(values, target) for target in targets)


def _mean(values: Sequence[float | None], weights: Sequence[int]) -> float | None:
    """Weighted mean of the values that there are."""
    known = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    total = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / total if total else None


# -- showing ----------------------------------------------------------------------------------------------------


def tier_table(samples: Sequence[Sample]) -> str:
    """How often each planner is fully optimal, by tier, in percent."""
    lines = [f"| tier | tasks | {' | '.join(PLANNERS)} | best of them | noisy oracle | nothing bought or made | calls |"]
    lines.append("|---|" + "---:|" * (len(PLANNERS) + 5))
    for tier in dict.fromkeys(sample.tier for sample in samples):
        mine = [sample for sample in samples if sample.tier == tier]
        shares = [np.mean([sample.optimal[name] for sample in mine]) for name in PLANNERS]
        shares.append(np.mean([any(sample.optimal.values()) for sample in mine]))
        shares.append(np.mean([sample.noisy for sample in mine]))
        shares.append(np.mean([sample.empty for sample in mine]))
        figures = " | ".join(f"{100 * share:.1f}" for share in shares)
        lines.append(f"| {tier} | {len(mine)} | {figures} | {np.median([sample.calls for sample in mine]):.0f} |")
    return "\n".join(lines) + "\n"


def correlation_table(rows: Mapping[str, Sequence[float | None]]) -> str:
    """One row a parameter."""
    columns = [*TARGETS, *(f"{target}, within tiers" for target in TARGETS)]
    lines = [f"| parameter | harder | {' | '.join(columns)} |", "|---|---|" + "---:|" * len(columns)]
    for name, row in rows.items():
        figures = " | ".join("" if value is None else f"{value:+.2f}" for value in row)
        lines.append(f"| {name} | {DIRECTIONS.get(name, '')} | {figures} |")
    return "\n".join(lines) + "\n"


def plot(rows: Mapping[str, Sequence[float | None]], path: Path) -> None:
    """Correlations as bars, a panel for each target."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = list(rows)[::-1]
    titles = ("fixed planners fully optimal", "success of a noisy oracle", "calls needed")
    figure, panels = plt.subplots(1, 3, figsize=(11, 1 + 0.19 * len(names)), sharey=True, layout="constrained")
    for place, (panel, title) in enumerate(zip(panels, titles, strict=True)):
        values = [rows[name][place] or 0.0 for name in names]
        panel.barh(names, values, color=["#d55e00" if value < 0 else "#0072b2" for value in values])
        panel.axvline(0, color="black", linewidth=0.6)
        panel.set_xlim(-1, 1)
        panel.set_xticks([-1, -0.5, 0, 0.5, 1])
        panel.set_title(title, fontsize=10)
        panel.tick_params(labelsize=8)
        panel.grid(axis="x", linewidth=0.4)
    figure.supxlabel("Spearman correlation", fontsize=9)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, help="tasks; by default 600, or the whole pack or fixed set")
    parser.add_argument("--pack", help="measure the tasks of this pack")
    parser.add_argument("--split", help="measure tasks of this split")
    parser.add_argument("--rate", type=float, default=0.01, help="probability that a call of the noisy oracle is wrong")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--write", type=Path, help="directory for the tables and the plot")
    options = parser.parse_args()
    entry_point = entry_point_of(ERP.id)
    with Workers(options.workers) as pool:
        source = options.pack or options.count or (None if options.split == "test" else 600)
        tasks = select(ERP, entry_point, source, options.split, pool)
        samples = list(pool.map("playing", measure, [(entry_point, task.to_json(), options.rate) for task in tasks]))
    rows = correlations(samples)
    tables = {"tiers": tier_table(samples), "correlations": correlation_table(rows)}
    print("\n".join(tables.values()), end="")
    if options.write is not None:
        for name, table in tables.items():
            (options.write / f"{NAME}_{name}.inc").write_text(table, encoding="utf-8")
        plot(rows, options.write / f"{NAME}.png")


if __name__ == "__main__":
    main()
