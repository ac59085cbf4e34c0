"""What a curriculum costs per episode, and how soon each sampler teaches a simulated student.

Run with ``python benchmarks/curricula.py [--tells 10000] [--seeds 5]``.  The first table is the median time of one ask and
one tell over the last tenth of that many, beside a bare loop that draws a cell evenly and keeps its mean.  The second is the
number of episodes until the student solves the hardest cell with probability 0.8.  The student's defaults and some samplers
were chosen with that table in view; the third has students and seeds that nothing was chosen by.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from opsgym.curricula import (
    ALPGMM,
    Anneal,
    Bandit,
    DomainRandomization,
    Fixed,
    Ladder,
    Learnability,
    LearningProgress,
    LevelEditor,
    Mixture,
    PrioritizedLevelReplay,
    Product,
    Sampler,
    SimulatedStudent,
    TargetSuccess,
    TaskSpace,
    ThompsonTarget,
    Uniform,
    episodes_to_mastery,
)

SPACE = SimulatedStudent().space
RATES = TaskSpace({"failure_rate": (0.0, 0.3)})
MOST = 25_000
Make = Callable[[int], Sampler]

STUDENTS: Mapping[str, Make] = {
    "Uniform": lambda seed: Uniform(SPACE, seed=seed),
    "Fixed, the hardest cell": lambda seed: Fixed(SPACE, {"hidden": 6, "decoys": 6}, seed=seed),
    "Ladder, 20 levels": lambda seed: Ladder(SPACE, levels=20, seed=seed),
    "DomainRandomization": lambda seed: DomainRandomization(SPACE, seed=seed),
    "TargetSuccess": lambda seed: TargetSuccess(SPACE, seed=seed),
    "ThompsonTarget": lambda seed: ThompsonTarget(SPACE, seed=seed),
    "Learnability": lambda seed: Learnability(SPACE, seed=seed),
    "LearningProgress": lambda seed: LearningProgress(SPACE, seed=seed),
    "Bandit": lambda seed: Bandit(SPACE, seed=seed),
    "PrioritizedLevelReplay": lambda seed: PrioritizedLevelReplay(SPACE, seed=seed),
    "LevelEditor": lambda seed: LevelEditor(SPACE, seed=seed),
    "ALPGMM": lambda seed: ALPGMM(SPACE, seed=seed),
    "Mixture of ladder and uniform": lambda seed: Mixture([(0.8, Ladder(SPACE, levels=20)), (0.2, Uniform(SPACE))], seed=seed),
}
TIMED: Mapping[str, Make] = {
    **{name: make for name, make in STUDENTS.items() if not name.startswith("Fixed")},
    "Anneal": lambda seed: Anneal(SPACE, {"decoys": [(0, 0), (10_000, 6)]}, seed=seed),
    "Product of ladder and failure rate": lambda seed: Product([Ladder(SPACE), Uniform(RATES)], seed=seed),
}

HELD_OUT: Mapping[str, Mapping[str, float]] = {
    "slow": {"rate": 0.05},
    "narrow": {"reach": 0.6},
    "wide": {"reach": 1.6},
    "flat": {"hardest": 6.0},
}
"""Arguments of students that no sampler and no default was chosen by."""
HELD_OUT_SEED = 1000


def reference_us(tells: int) -> float:
    """Median time of an even draw from 42 cells and an update of a mean, in microseconds."""
    rng, means, samples = np.random.default_rng(0), [0.5] * 42, []
    for _ in range(tells):
        start = time.perf_counter_ns()
        cell, seed = int(rng.integers(42)), int(rng.integers(2**31))
        means[cell] += 0.1 * ((seed % 3 == 0) - means[cell])
        samples.append((time.perf_counter_ns() - start) / 1000)
    return statistics.median(samples[-tells // 10 :])


def sampler_us(sampler: Sampler, tells: int) -> tuple[float, float]:
    """Median and mean time of an ask and a tell over the last tenth, in microseconds."""
    student, samples = SimulatedStudent(), []
    for _ in range(tells):
        start = time.perf_counter_ns()
        ticket = sampler.ask()[0]
        asked = time.perf_counter_ns() - start
        outcome = ticket.outcome(success=student.play({name: ticket.params[name] for name in SPACE.axes}))
        start = time.perf_counter_ns()
        sampler.tell(outcome)
        samples.append((asked + time.perf_counter_ns() - start) / 1000)
    last = samples[-max(1, tells // 10) :]
    return statistics.median(last), statistics.fmean(last)


def times(tells: int) -> Table:
    """The first table."""
    table = Table("sampler", "median us", "mean us", title=f"ask + tell, the last tenth of {tells:,} tells")
    table.add_row("reference loop", f"{reference_us(tells):.1f}", "")
    for name, make in TIMED.items():
        median, mean = sampler_us(make(0), tells)
        table.add_row(name, f"{median:.1f}", f"{mean:.1f}")
    return table


def students(seeds: int, most: int) -> Table:
    """The second table."""
    table = Table("sampler", "median episodes", "least", "most", "mastered", title=f"Episodes to mastery, {seeds} seeds")
    for name, make in STUDENTS.items():
        found = [episodes_to_mastery(make(seed), SimulatedStudent(seed=seed), most=most) for seed in range(seeds)]
        numbers: list[Any] = [int(statistics.median(found)), min(found), max(found)]
        cells = [f"> {most:,}" if number == most else f"{number:,}" for number in numbers]
        table.add_row(name, *cells, f"{sum(number < most for number in found)} of {seeds}")
    return table


def student(seed: int, setting: Mapping[str, float]) -> SimulatedStudent:
    """A held-out student."""
    return SimulatedStudent(seed=seed, **setting)


def held_out(seeds: int, most: int) -> Table:
    """The third table: median episodes to mastery of students that nothing was chosen by."""
    table = Table("sampler", *HELD_OUT, title=f"Median episodes to mastery of held-out students, {seeds} seeds")
    for name, make in STUDENTS.items():
        row = []
        for setting in HELD_OUT.values():
            numbers = range(HELD_OUT_SEED, HELD_OUT_SEED + seeds)
            found = [episodes_to_mastery(make(seed), student(seed, setting), most=most) for seed in numbers]
            median = int(statistics.median(found))
            row.append(f"> {most:,}" if median == most else f"{median:,}")
        table.add_row(name, *row)
    return table


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tells", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--most", type=int, default=MOST, help="episodes after which a student is given up")
    given = parser.parse_args(arguments)
    console = Console(width=100)
    console.print(times(given.tells))
    if given.seeds:
        console.print(students(given.seeds, given.most))
        console.print(held_out(min(given.seeds, 3), given.most))


if __name__ == "__main__":
    main()
