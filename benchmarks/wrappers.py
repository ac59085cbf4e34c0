"""What each wrapper costs per step, beside the bare environment timed in the same run.

Run with ``python benchmarks/wrappers.py [--tier easy] [--turns 40] [--repeat 15]``.  Bare and wrapped steps alternate, and
each figure is the difference of their medians on one core.  A "read" step makes a call that changes nothing; a "change" step
one that does, after which some wrappers ask the verifier or take a digest of the world.

With ``--faults 50`` it plays the reference solutions of so many tasks of each family and tier under injected failures
instead, and with ``--plot FILE`` draws the table.  One oracle goes on after a failure; the other repeats what the world
shows was not done.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.console import Console
from rich.table import Table

import opsgym
from opsgym import wrappers
from opsgym.core.task import ToolCall
from opsgym.core.tools import Toolbox
from opsgym.envs.tool_env import ToolEnv
from opsgym.wrappers.candidates import Candidate, Facts

Env = gym.Env[Any, Any]
READ = '{"name": "get_current_date"}'
CHANGE = '{"name": "add_note", "arguments": {"kind": "partner", "record": "My Company", "text": "Checked."}}'


def recorder(env: Env) -> Env:
    """A recorder to a file that is thrown away."""
    return wrappers.RecordTrajectories(env, path=Path(tempfile.mkdtemp()) / "episodes.jsonl")


def both(tools: Toolbox, facts: Facts) -> list[Candidate]:
    """The two calls that are timed, in place of an enumeration."""
    return [Candidate(ToolCall.model_validate_json(text), 0, place) for place, text in enumerate((READ, CHANGE))]


WRAPPERS: dict[str, Callable[[Env], Env]] = {
    "DistractorTools": lambda env: wrappers.DistractorTools(env, unrelated=8, near_duplicate=8, deprecated=8, forbidden=6),
    "ToolBudget": lambda env: wrappers.ToolBudget(env, calls=10_000, per_tool={"submit": 1}),
    "ToolFailureInjection": lambda env: wrappers.ToolFailureInjection(env, rate=0.0),
    "ToolFailureInjection, all kinds": lambda env: wrappers.ToolFailureInjection(
        env, rate=0.3, kinds=["stale", "slow", "truncated"], mean_burst=2.0
    ),
    "TimeBudget": lambda env: wrappers.TimeBudget(env, seconds=1e9),
    "BinaryReward": wrappers.BinaryReward,
    "EfficiencyBonus": wrappers.EfficiencyBonus,
    "DenseReward": wrappers.DenseReward,
    "StepCost": wrappers.StepCost,
    "PlanHint": lambda env: wrappers.PlanHint(env, level="oracle"),
    "ObservationLimit": lambda env: wrappers.ObservationLimit(env, max_chars=50),
    "ChatHistory, messages": wrappers.ChatHistory,
    "ChatHistory, transcript": lambda env: wrappers.ChatHistory(env, format="transcript"),
    "RecordTrajectories": recorder,
    "DiscreteToolActions": lambda env: wrappers.DiscreteToolActions(env, enumerate_calls=both),
}


def episode_us(env: Env, actions: list[Any]) -> list[float]:
    """Time of each step of an episode in microseconds, the last left out."""
    env.reset(seed=0)
    samples = []
    for action in actions[:-1]:
        start = time.perf_counter_ns()
        env.step(action)
        samples.append((time.perf_counter_ns() - start) / 1000)
    env.step(actions[-1])
    return samples


def overhead_us(bare: Env, wrapped: Env, plain: list[Any], own: list[Any], repeat: int) -> tuple[float, float]:
    """Median bare step, and what the wrapped one takes beyond it; their episodes alternate."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeat):
        times[0].extend(episode_us(bare, plain))
        times[1].extend(episode_us(wrapped, own))
    base = statistics.median(times[0])
    return base, statistics.median(times[1]) - base


def main() -> None:
    """Read the arguments and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tier", default="easy")
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--faults", type=int, default=0, metavar="TASKS")
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    if arguments.faults:
        print_faults(arguments.faults, arguments.plot)
    else:
        print_overheads(arguments)


def check_calls(tier: str) -> None:
    """Refuse to time a change that changes nothing."""
    env = gym.make("ERPBench-v0", tier=tier).unwrapped
    assert isinstance(env, ToolEnv)
    env.reset(seed=0)
    for action, changes in ((READ, 0), (CHANGE, 1)):
        observation = env.step(action)[0]
        if '"ok":true' not in observation or env.episode.changes != changes:
            raise SystemExit(f"{action} is not what is to be timed: {observation}")


def print_overheads(arguments: argparse.Namespace) -> None:
    """Print what each wrapper costs."""
    check_calls(arguments.tier)
    table = Table(title=f"ERPBench-v0 {arguments.tier}: overhead per step of each wrapper, microseconds")
    for column in ("wrapper", "bare read", "read", "bare change", "change"):
        table.add_column(column, justify="left" if column == "wrapper" else "right")
    for name, wrap in WRAPPERS.items():
        bare = gym.make("ERPBench-v0", tier=arguments.tier).unwrapped
        wrapped = wrap(gym.make("ERPBench-v0", tier=arguments.tier).unwrapped)
        kinds = ([READ] * arguments.turns, [CHANGE] * arguments.turns)
        cells = []
        for number, plain in enumerate(kinds):
            own = plain if name != "DiscreteToolActions" else [number] * arguments.turns
            base, more = overhead_us(bare, wrapped, plain, own, arguments.repeat)
            cells += [f"{base:.1f}", f"{more:+.1f}"]
        table.add_row(name, *cells)
    Console(width=110).print(table)


RATES = (0.0, 0.1, 0.3, 0.5)


def oracle_success(env: Env, seed: int, *, retry: bool) -> bool:
    """Whether the reference solution, at one call a turn, solves a task under failures."""
    env.reset(seed=seed)
    base = env.unwrapped
    assert isinstance(base, ToolEnv)
    queue = list(base.task.oracle)
    while True:
        changes = base.episode.changes
        observation, _, terminated, truncated, info = env.step((queue or [ToolCall(name="submit")])[0].model_dump_json())
        if terminated or truncated:
            return bool(info["is_success"])
        if queue and (not retry or base.episode.changes > changes or '"ok":true' in observation[:80]):
            queue.pop(0)


def print_faults(tasks: int, plot: Path | None) -> None:
    """Print the share of tasks solved by rate of failure, and draw it."""
    table = Table(title=f"Share of {tasks} tasks solved by the reference solution, by rate of rejected calls")
    for column in ("family", "tier", "after a failure", *map(str, RATES)):
        table.add_column(column)
    curves: dict[str, list[float]] = {}
    for family in opsgym.ENV_IDS:
        tool_env = gym.make(family).unwrapped
        assert isinstance(tool_env, ToolEnv)
        for tier, retry in itertools.product(tool_env.family.tiers, (False, True)):
            shares = []
            for rate in RATES:
                env = wrappers.ToolFailureInjection(gym.make(family, tier=tier), rate=rate, allowance=0.5 if retry else None)
                shares.append(sum(oracle_success(env, seed, retry=retry) for seed in range(tasks)) / tasks)
            table.add_row(family, tier, "repeats" if retry else "goes on", *(f"{share:.2f}" for share in shares))
            curves[f"{family} {tier}, {'repeats' if retry else 'goes on'}"] = shares
    Console(width=110).print(table)
    if plot:
        draw(curves, plot)


def draw(curves: dict[str, list[float]], path: Path) -> None:
    """Draw the curves; needs matplotlib (``pip install "opsgym[report]"``)."""
    from matplotlib.figure import Figure  # type: ignore[import-not-found, unused-ignore]  # an extra, not always installed

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    for number, (label, shares) in enumerate(curves.items()):
        line, marker = "--" if "repeats" in label else "-", "osD^vP*X"[number // 2 % 8]
        axes.plot(RATES, shares, color=f"C{number // 2 % 10}", label=label, linestyle=line, marker=marker)
    axes.set(xlabel="probability that a call is rejected", ylabel="share of tasks solved", ylim=(-0.02, 1.02))
    figure.legend(loc="outside right upper", fontsize="small")
    figure.savefig(path)


if __name__ == "__main__":
    main()
