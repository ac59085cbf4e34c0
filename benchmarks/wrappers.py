"""What each wrapper costs per step, beside the bare environment timed in the same run.

Run with ``python benchmarks/wrappers.py [--tier easy] [--turns 40] [--repeat 15]``.  Bare and wrapped episodes alternate.  Of
every step the least processor time over the repetitions counts, and each figure is the difference between wrapped and
bare, in microseconds: for a call that reads, for one that leaves a note (a change that no rule looks at), for the average
step of reference solutions, and for their dearest kind of call, averaged over its calls.  Nearly all calls of a reference
solution change the books, so an agent that reads pays less.

Two wrappers ask something of the family, which costs more than they do themselves: what a state is worth, and which calls make
sense in it.  The row of the wrapper is its own part, with answers that are there already; the rows in parentheses below are
the whole, with the family's answer after each change.  The environment's own dense reward is that answer and nothing else.

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
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
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


def dense(env: Env) -> Env:
    """The environment with its own dense reward."""
    assert env.spec is not None
    return gym.make(env.spec, reward_mode="dense").unwrapped


def weightless(env: Env) -> Env:
    """DenseReward over an environment whose states all are worth the same, known without looking."""
    wrapped = wrappers.DenseReward(env)
    wrapped.base.score = lambda: 0.5  # type: ignore[method-assign]  # the family's part is left out on purpose
    return wrapped


TIMED = [Candidate(ToolCall.model_validate_json(text), 0, place) for place, text in enumerate((READ, CHANGE))]


def both(tools: Toolbox, facts: Facts) -> list[Candidate]:
    """The two calls that are timed, in place of an enumeration."""
    return TIMED


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
    "DenseReward": weightless,
    "(with the family's score)": wrappers.DenseReward,
    "(with the family's verdict: potential='checks')": lambda env: wrappers.DenseReward(env, potential="checks"),
    "(reward_mode='dense', bare)": dense,
    "StepCost": wrappers.StepCost,
    "PlanHint": lambda env: wrappers.PlanHint(env, level="oracle"),
    "ObservationLimit": lambda env: wrappers.ObservationLimit(env, max_chars=50),
    "ChatHistory, messages": wrappers.ChatHistory,
    "ChatHistory, transcript": lambda env: wrappers.ChatHistory(env, format="transcript"),
    "RecordTrajectories": recorder,
    "DiscreteToolActions": lambda env: wrappers.DiscreteToolActions(env, enumerate_calls=both),
    "(with the family's candidates)": wrappers.DiscreteToolActions,
}


@dataclass(frozen=True, slots=True)
class Script:
    """An episode to time: its seed, its actions, and the names of their calls."""

    seed: int
    actions: Sequence[Any]
    names: Sequence[str]


def plain(name: str, text: str, turns: int) -> list[Script]:
    """One call again and again."""
    return [Script(0, [text] * turns, [name] * turns)]


def solutions(env: ToolEnv, seeds: Iterable[int]) -> list[Script]:
    """The reference solutions."""
    found = []
    for seed in seeds:
        env.reset(seed=seed)
        calls = env.task.oracle[:-1]
        found.append(Script(seed, [call.model_dump_json() for call in calls], [call.name for call in calls]))
    return found


def choices(env: wrappers.DiscreteToolActions, seeds: Iterable[int]) -> tuple[list[Script], list[Script]]:
    """Episodes of a fixed chooser, as calls and as numbers: it opens and confirms documents, the first on offer."""
    texts, numbers = [], []
    for seed in seeds:
        env.reset(seed=seed)
        calls: list[ToolCall] = []
        taken: list[int] = []
        while True:
            offered = [int(number) for number in np.flatnonzero(env.action_masks())]
            wanted = [number for number in offered if not env.calls[number].name.startswith(("cancel_", "submit"))]
            if not wanted or len(taken) == env.base.max_steps - 1:
                break
            taken.append(wanted[0])
            calls.append(env.calls[wanted[0]])
            env.step(wanted[0])
        names = [call.name for call in calls]
        texts.append(Script(seed, [call.model_dump_json() for call in calls], names))
        numbers.append(Script(seed, taken, names))
    return texts, numbers


def least_us(env: Env, script: Script, best: list[float]) -> None:
    """Play a script and keep the least time of each step."""
    env.reset(seed=script.seed)
    for number, action in enumerate(script.actions):
        start = time.thread_time_ns()
        env.step(action)
        best[number] = min(best[number], (time.thread_time_ns() - start) / 1000)


def overheads_us(bare: Env, wrapped: Env, scripts: list[tuple[Script, Script]], repeat: int) -> dict[str, list[float]]:
    """What the steps take beyond the bare ones, by name of the call.

    Args:
        bare: The bare environment.
        wrapped: The wrapped one.
        scripts: Equal episodes for both.
        repeat: How often each is played.
    """
    found: defaultdict[str, list[float]] = defaultdict(list)
    for one, other in scripts:
        times = [[float("inf")] * len(script.actions) for script in (one, other)]
        for _ in range(repeat):
            least_us(bare, one, times[0])
            least_us(wrapped, other, times[1])
        for name, base, more in zip(one.names, *times, strict=True):
            found[name].append(more - base)
    return found


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
    env = made(tier)
    env.reset(seed=0)
    for action, changes in ((READ, 0), (CHANGE, 1)):
        observation = env.step(action)[0]
        if '"ok":true' not in observation or env.episode.changes != changes:
            raise SystemExit(f"{action} is not what is to be timed: {observation}")


LIMIT, RECORDING_LIMIT = 15, 50
"""Microseconds that a wrapper may take a step."""


def print_overheads(arguments: argparse.Namespace) -> None:
    """Print what each wrapper costs."""
    check_calls(arguments.tier)
    table = Table(title=f"ERPBench-v0 {arguments.tier}: overhead per step of each wrapper, microseconds")
    for column in ("wrapper", "limit", "read", "note", "reference solution", "its dearest kind of call"):
        table.add_column(column, justify="left" if column == "wrapper" else "right")
    for name, wrap in WRAPPERS.items():
        limit = "" if name.startswith("(") else str(RECORDING_LIMIT if name == "RecordTrajectories" else LIMIT)
        table.add_row(name, limit, *row(wrap, arguments))
    table.caption = bare_steps(arguments)
    Console(width=130).print(table)


def bare_steps(arguments: argparse.Namespace) -> str:
    """What the steps of the bare environment take, to compare machines and loads by."""
    env, shown = made(arguments.tier), []
    kinds = {"read": plain("read", READ, arguments.turns), "note": plain("note", CHANGE, arguments.turns)}
    for kind, scripts in {**kinds, "reference solution": solutions(env, range(4))}.items():
        times = [[float("inf")] * len(script.actions) for script in scripts]
        for _ in range(arguments.repeat):
            for script, best in zip(scripts, times, strict=True):
                least_us(env, script, best)
        shown.append(f"{kind} {statistics.mean(itertools.chain(*times)):.0f}")
    return f"a bare step: {', '.join(shown)}"


def row(wrap: Callable[[Env], Env], arguments: argparse.Namespace) -> list[str]:
    """The figures of one wrapper."""
    bare, wrapped = made(arguments.tier), wrap(made(arguments.tier))
    reads, notes = plain("read", READ, arguments.turns), plain("note", CHANGE, arguments.turns)
    whole = solutions(bare, range(4))
    scripts = {"read": list(zip(reads, reads, strict=True)), "note": list(zip(notes, notes, strict=True))}
    scripts["whole"] = list(zip(whole, whole, strict=True))
    if isinstance(wrapped, wrappers.DiscreteToolActions):
        numbered = [replace(script, actions=[number] * arguments.turns) for number, (script,) in enumerate((reads, notes))]
        if wrap is wrappers.DiscreteToolActions:
            scripts = {"whole": list(zip(*choices(wrapped, range(4)), strict=True))}
        else:
            scripts = {"read": [(reads[0], numbered[0])], "note": [(notes[0], numbered[1])]}
    found = {kind: overheads_us(bare, wrapped, pairs, arguments.repeat) for kind, pairs in scripts.items()}
    simple = [f"{statistics.median(found[kind][kind]):+.1f}" if kind in found else "" for kind in ("read", "note")]
    if "whole" not in found:
        return [*simple, "", ""]
    means = {name: statistics.mean(times) for name, times in found["whole"].items()}
    dearest = max(means, key=lambda name: means[name])
    average = statistics.mean(itertools.chain(*found["whole"].values()))
    return [*simple, f"{average:+.1f}", f"{dearest} {means[dearest]:+.1f}"]


def made(tier: str) -> ToolEnv:
    """A bare environment."""
    env = gym.make("ERPBench-v0", tier=tier).unwrapped
    assert isinstance(env, ToolEnv)
    return env


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
