"""Speed of EnterpriseOps-v0: reset, tool calls, verdicts, compilation, and memory over many resets.

Run with ``make bench`` or ``python benchmarks/enterprise_ops.py [--repeat 200] [--resets 2000]``.
Every figure is the median over its repetitions on one core, on worlds of size M.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable

import gymnasium as gym
from rich.console import Console
from rich.table import Table

import opsgym  # noqa: F401  # registers the ids
from opsgym.envs.enterprise_ops.family import EnterpriseOpsFamily
from opsgym.envs.tool_env import ToolEnv

FAMILY = EnterpriseOpsFamily()
PATTERNS = ("itsm_put_on_hold", "itsm_change_urgency", "csm_register_cases", "hybrid_ask_callers")
"""Templates that are measured."""


def median_us(action: Callable[[], object], repeat: int) -> float:
    """Median time of an action in microseconds."""
    samples = []
    for _ in range(repeat):
        start = time.perf_counter_ns()
        action()
        samples.append((time.perf_counter_ns() - start) / 1000)
    return statistics.median(samples)


def measured(pattern: str, repeat: int) -> list[tuple[str, float]]:
    """Figures of one template, in microseconds."""
    overrides = {"infeasible": 0.0, "enforcement": "strict", "size": "M"}
    params = FAMILY.draw(4, tier="hard", pattern=pattern, overrides=overrides)
    task = FAMILY.compile(params, 4)
    env: ToolEnv = gym.make("EnterpriseOps-v0", cache=None).unwrapped  # type: ignore[assignment]  # our own environment
    env.reset(options={"task": task})
    seeded = env.world.snapshot()
    rows = [("compile, base world at hand", median_us(lambda: FAMILY.compile(params, 4), 5))]
    rows.append(("reset", median_us(lambda: env.reset(options={"task": task}), repeat)))
    rows.append(("of it: the world", median_us(lambda: env.world.restore(seeded), repeat)))
    reads: list[float] = []
    writes: list[float] = []
    verdicts: list[float] = []
    for _ in range(repeat // 4 + 1):
        env.reset(options={"task": task})
        for call in task.oracle[:-1]:
            start = time.perf_counter_ns()
            env.step(call)
            passed = (time.perf_counter_ns() - start) / 1000
            (writes if env.tools[call.name].mutates else reads).append(passed)
        start = time.perf_counter_ns()
        assert env.verdict().reward <= 1
        verdicts.append((time.perf_counter_ns() - start) / 1000)
    rows += [("step: read", statistics.median(reads)), ("step: write, strict", statistics.median(writes))]
    rows.append(("all verifiers", statistics.median(verdicts)))
    env.close()
    return rows


def memory(resets: int) -> tuple[float, float]:
    """Peak memory in MB after the first quarter of many resets over 16 tasks, and after all."""
    env = gym.make("EnterpriseOps-v0", cache=None)
    tasks = [FAMILY.compile(FAMILY.draw(seed, tier="medium", pattern=PATTERNS[seed % 3]), seed) for seed in range(16)]
    early = 0.0
    for number in range(resets):
        env.reset(options={"task": tasks[number % len(tasks)]})
        env.step('{"name": "whoami"}')
        if number == resets // 4:
            early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    env.close()
    return early, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--resets", type=int, default=2000)
    given = parser.parse_args()
    table = Table("microseconds", *PATTERNS)
    columns = [measured(pattern, given.repeat) for pattern in PATTERNS]
    for rows in zip(*columns, strict=True):
        table.add_row(rows[0][0], *(f"{value:,.0f}" for _, value in rows))
    out = Console()
    out.print(table)
    early, late = memory(given.resets)
    out.print(f"peak memory after {given.resets // 4:,} resets {early:.0f} MB, after {given.resets:,} {late:.0f} MB")


if __name__ == "__main__":
    main()
