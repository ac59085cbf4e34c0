"""Speed of ERPBench-v0, beside Gymnasium's CartPole timed in the same run.

Run with ``make bench`` or ``python benchmarks/erp_bench.py [--tier medium] [--seeds 3] [--repeat 300]``.
Every figure is the median over its repetitions on one core; the reference row says how fast the machine was meanwhile.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

import gymnasium as gym
from rich.console import Console
from rich.table import Table

import opsgym  # noqa: F401  # registers the ids
from opsgym.envs.tool_env import ToolEnv

Row = tuple[str, float, int]


def median_us(action: Callable[[], object], repeat: int, prepare: Callable[[], object] | None = None) -> float:
    """Median time of ``action`` in microseconds; ``prepare`` runs before each repetition, untimed."""
    samples = []
    for _ in range(repeat):
        if prepare is not None:
            prepare()
        start = time.perf_counter_ns()
        action()
        samples.append((time.perf_counter_ns() - start) / 1000)
    return statistics.median(samples)


def call(name: str, **arguments: object) -> str:
    """A tool call as an agent writes it."""
    return json.dumps({"name": name, "arguments": arguments})


def cartpole_us(repeat: int) -> float:
    """Median CartPole step through ``gym.make``, resets apart."""
    env = gym.make("CartPole-v1")
    env.reset(seed=0)

    def step() -> None:
        _, _, terminated, truncated, _ = env.step(0)
        ended[0] = terminated or truncated

    def prepare() -> None:
        if ended[0]:
            env.reset()
            ended[0] = False

    ended = [False]
    return median_us(step, repeat * 10, prepare)


def task_rows(tier: str, seed: int, repeat: int) -> Iterator[Row]:
    """The figures of one task."""
    env = gym.make("ERPBench-v0", tier=tier, max_steps=10**9)
    env.reset(seed=seed)
    inner = env.unwrapped
    assert isinstance(inner, ToolEnv)
    task = inner.task
    problem = task.world["problem"]
    product, customer = problem["product"], problem["customers"][0]["ref"]
    order = {"customer": customer, "commitment_date": "2026-12-01", "lines": [{"product": product, "quantity": 3}]}
    env.step(call("create_sales_order", **order))
    reads = {
        "get_product": call("get_product", product=product),
        "get_partner": call("get_partner", partner=customer),
        "get_sales_order": call("get_sales_order", order="S00001"),
        "read_records": call("read_records", model="product.product", ids=[1], fields=["name", "list_price"]),
        "search_records, 10 rows": call("search_records", model="res.partner", fields=["name", "ref"], limit=10),
    }
    for name, action in reads.items():
        yield f"read: {name}", median_us(partial(env.step, action), repeat), repeat
    write = call("create_sales_order", **order)
    yield "write: create_sales_order", median_us(lambda: env.step(write), repeat), repeat
    yield "malformed call", median_us(lambda: env.step('{"name": "get_product", "arguments": {'), repeat), repeat

    yield "reset, cached task", median_us(lambda: env.reset(seed=seed), repeat), repeat
    snapshot = inner.snapshot()
    yield "snapshot", median_us(inner.snapshot, repeat), repeat
    yield "restore", median_us(lambda: inner.restore(snapshot), repeat), repeat

    oracle = [json.dumps(c.model_dump()) for c in task.oracle]
    few = max(repeat // 10, 5)

    def episode() -> None:
        env.reset(seed=seed)
        for action in oracle:
            env.step(action)

    whole = median_us(episode, few)
    yield "oracle episode: reset, calls, verdict", whole, few
    yield "oracle episode: per call", whole / len(oracle), few

    def book(first: bool) -> None:
        """Play all but the last call; ``first``: after a verdict on another task, so that nothing kept of this one serves."""
        if first:
            env.reset(seed=seed + 1)
            inner.verdict()
        env.reset(seed=seed)
        for action in oracle[:-1]:
            env.step(action)

    yield "verify, first episode of a task", median_us(inner.verdict, few, partial(book, True)), few
    yield "verify, later episodes of the task", median_us(inner.verdict, few, partial(book, False)), few
    yield "verify again, nothing changed", median_us(inner.verdict, repeat), repeat
    env.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", default="medium")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=300)
    options = parser.parse_args()
    table = Table(title=f"ERPBench-v0, tier {options.tier}, medians over {options.seeds} tasks")
    table.add_column("what")
    table.add_column("median", justify="right")
    table.add_column("repeats", justify="right")
    before = cartpole_us(options.repeat)
    rows: dict[str, list[Row]] = {}
    for seed in range(options.seeds):
        for row in task_rows(options.tier, seed, options.repeat):
            rows.setdefault(row[0], []).append(row)
    table.add_row("Gymnasium CartPole step (reference)", f"{before:,.1f} us", str(options.repeat * 10))
    for name, members in rows.items():
        table.add_row(name, f"{statistics.median(m[1] for m in members):,.1f} us", str(sum(m[2] for m in members)))
    table.add_row(
        "Gymnasium CartPole step (reference, again)", f"{cartpole_us(options.repeat):,.1f} us", str(options.repeat * 10)
    )
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
