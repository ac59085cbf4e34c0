"""Speed of ACEBench-v0, beside Gymnasium's CartPole timed in the same run.

Run with ``make bench`` or ``python benchmarks/ace_bench.py [--instances 60] [--calls 60000]``.
Rates are per second of CPU time of one process, so that a busy machine does not blur them; the reference rows say how fast
the machine was meanwhile.  Calls are a fixed mix in the shares of a scripted player: 60 % queries, 22 % set_slot, 6 % slot
checks, 3 % global checks, 4 % grids, 5 % attributes of fixed items.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from itertools import islice

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.table import Table

import opsgym  # noqa: F401  # registers the ids
from opsgym.core.task import Task, ToolCall
from opsgym.envs.ace_bench.discrete_vector import ACEBenchDiscreteVectorEnv
from opsgym.envs.ace_bench.domains import DOMAINS
from opsgym.envs.ace_bench.engine import AceWorld
from opsgym.envs.ace_bench.family import AceBenchFamily
from opsgym.envs.ace_bench.params import AceParams
from opsgym.envs.ace_bench.sampler import sample
from opsgym.envs.ace_bench.spec import Instance
from opsgym.envs.tool_env import ToolEnv

LARGE = {"rows": 5, "cols": 7, "hidden": 21, "decoys": 25}
"""The paper's largest cell."""
EPISODE = 500
"""Calls after which an environment is reset, as it would be in training; within the paper's 600 steps."""

BATCH = 64
"""Episodes of a batch."""


def rate(action: Callable[[], object], repeat: int, *, weight: int = 1) -> float:
    """How often ``action`` is done per second of CPU time, each doing counting ``weight`` times."""
    start = time.process_time()
    for _ in range(repeat):
        action()
    return repeat * weight / (time.process_time() - start)


def instances_per_second(preset: str, count: int) -> float:
    """Certified instances of the largest cell, over all domains."""
    numbers = iter(range(count))
    domains = list(DOMAINS)

    def draw() -> None:
        seed = next(numbers)
        sample(AceParams.build({**LARGE, "preset": preset, "domain": domains[seed % len(domains)]}), seed)

    return rate(draw, count)


def script(instance: Instance) -> Iterator[ToolCall]:
    """The mix of calls, over all slots in turn; starts with a full grid, so that global checks are carried out."""
    ids, domain, visible = instance.ids, instance.domain, [item for item in instance.fixed if item >= 0]
    numeric = [attribute for attribute in instance.attributes if attribute.numeric]

    def put(number: int, turn: int) -> ToolCall:
        slot = instance.slots[number]
        item = ids[slot.candidates[turn % len(slot.candidates)]]
        row, col = divmod(slot.cell, instance.cols)
        return ToolCall(name="set_slot", arguments={"row": row, "col": col, "id": item})

    def query(number: int, turn: int) -> ToolCall:
        row, col = divmod(instance.slots[number].cell, instance.cols)
        field = numeric[turn % len(numeric)]
        bound = field.low + (field.high - field.low) * (turn % 4) // 4
        where = {"row": row, "col": col, "field": field.name, "operator": "<=", "value": bound}
        return ToolCall(name=f"query_{domain}_candidate_from_attribute", arguments=where)

    def look(number: int, turn: int) -> ToolCall:
        chosen = [ids[item] for item in visible[turn % 5 : turn % 5 + 4]]
        return ToolCall(name=f"get_{domain}_item_attributes", arguments={"ids": chosen, "field": numeric[0].name})

    def check(number: int, turn: int) -> ToolCall:
        row, col = divmod(instance.slots[number].cell, instance.cols)
        return ToolCall(name=f"check_{domain}_slot_constraints", arguments={"row": row, "col": col})

    overall = ToolCall(name=f"check_{domain}_global_constraints")
    grid = ToolCall(name="get_current_grid_state")
    mix = [query] * 60 + [put] * 22 + [check] * 6 + [look] * 5 + [lambda *_: overall] * 3 + [lambda *_: grid] * 4
    yield from (put(number, 0) for number in range(len(instance.slots)))
    for turn in range(10**9):
        yield mix[turn * 37 % 100](turn % len(instance.slots), turn // 7)


def large_task() -> Task:
    """A task of the largest cell, without limits on readings."""
    family = AceBenchFamily()
    return family.compile(AceParams.build({**LARGE, "domain": "meal", "budgets": "unlimited"}), 3)


def engine_rate(task: Task, calls: int) -> float:
    """Calls of the engine in process."""
    family = AceBenchFamily()
    world = family.open(task)
    plans = [_bound(world, call) for call in islice(script(world.board.instance), EPISODE)]

    def play() -> None:
        for function, arguments in plans:
            function(*arguments)

    return rate(play, max(1, calls // EPISODE), weight=EPISODE)


def _bound(world: AceWorld, call: ToolCall) -> tuple[Callable[..., object], list[object]]:
    """The engine's method for a call, and its arguments."""
    direct: dict[str, Callable[..., object]] = {
        "set_slot": world.set_slot,
        "query": world.query,
        "attributes": world.item_attribute,
        "slot_constraints": world.check_slot,
        "global": world.check_global,
        "grid": world.grid,
    }
    key = next(key for key in direct if key in call.name)
    return direct[key], list(call.arguments.values())


def step_rate(env: gym.Env[object, object], actions: list[object], task: Task, steps: int) -> float:
    """Steps through ``gym.make``, a reset for every :data:`EPISODE` of them included."""

    def play() -> None:
        env.reset(options={"task": task})
        for action in actions:
            env.step(action)

    return rate(play, max(1, steps // EPISODE), weight=len(actions))


def discrete_rate(task: Task, steps: int) -> float:
    """Steps of the discrete interface, each with its masks, resets included."""
    env = gym.make("ACEBench-v0", interface="discrete", cache=None)
    masks = env.get_wrapper_attr("action_masks")

    def play() -> None:
        env.reset(seed=0, options={"task": task})
        for turn in range(EPISODE):
            allowed = masks().nonzero()[0][:-1]
            env.step(allowed[turn * 7 % len(allowed)])

    return rate(play, max(1, steps // EPISODE), weight=EPISODE)


def batch_rate(task: Task, steps: int) -> float:
    """The same in a batch of :data:`BATCH` episodes of the task; each starts anew when its :data:`EPISODE` steps are used up."""
    envs = ACEBenchDiscreteVectorEnv(BATCH, max_steps=EPISODE, cache=None)
    envs.reset(options={"task": task})
    envs.next_task = lambda index: (None, {"task": task})  # type: ignore[method-assign]  # a curriculum of one task
    rng = np.random.default_rng(0)

    def step() -> None:
        masks = envs.action_masks()[:, :-1]
        envs.step((rng.random(masks.shape) * masks).argmax(axis=1))

    return rate(step, max(EPISODE, steps // BATCH), weight=BATCH)


def cartpole_rate(steps: int) -> float:
    """CartPole steps through ``gym.make``, resets included."""
    env = gym.make("CartPole-v1")
    env.reset(seed=0)

    def step() -> None:
        _, _, terminated, truncated, _ = env.step(0)
        if terminated or truncated:
            env.reset()

    return rate(step, steps)


def episode_rate(task: Task, count: int) -> float:
    """Whole episodes of the oracle on one environment: reset, a call a slot, ``done``, verdict."""
    env = gym.make("ACEBench-v0", cache=None)
    actions = [json.dumps(call.model_dump()) for call in task.oracle]

    def play() -> None:
        env.reset(options={"task": task})
        for action in actions:
            env.step(action)

    return rate(play, count)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=60)
    parser.add_argument("--calls", type=int, default=60_000)
    options = parser.parse_args()
    task = large_task()
    env = gym.make("ACEBench-v0", cache=None)
    assert isinstance(env.unwrapped, ToolEnv)
    actions = [json.dumps(call.model_dump()) for call in islice(script(env.unwrapped.family.open(task).board.instance), EPISODE)]
    cartpole = "CartPole steps through gym.make (reference)"
    rows = [
        (cartpole, cartpole_rate(options.calls), "", options.calls),
        ("certified instances, coupled", instances_per_second("coupled", options.instances), "100", options.instances),
        ("certified instances, paper", instances_per_second("paper", options.instances), "100", options.instances),
        ("engine calls in process", engine_rate(task, options.calls), "200,000", options.calls),
        ("text steps through gym.make", step_rate(env, list(actions), task, options.calls), "40,000", options.calls),
        ("discrete steps with masks through gym.make", discrete_rate(task, options.calls // 10), "", options.calls // 10),
        (f"the same in a batch of {BATCH}", batch_rate(task, options.calls), "", options.calls),
        ("oracle episodes with verdict through gym.make", episode_rate(task, options.calls // 100), "", options.calls // 100),
        (cartpole.replace(")", ", again)"), cartpole_rate(options.calls), "", options.calls),
    ]
    table = Table(title="ACEBench-v0, 5x7, H=21, B=25; per second of CPU time, one process")
    table.add_column("what")
    for name in ("per second", "goal", "repeats"):
        table.add_column(name, justify="right")
    for what, figure, goal, repeats in rows:
        table.add_row(what, f"{figure:,.0f}", goal, f"{repeats:,}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
