"""ORAgentBench-v0: what a task costs to make and a plan to judge, and how the scripted policies do.

Run with ``make bench`` or ``python benchmarks/or_agent_bench.py [--tasks 2]``: CPU time to compile a task of each class, over all
tiers, and to judge its plan.  ``--policies N`` plays N tasks of each class and tier with the scripted policies instead,
whose models run in this process, ``--dimensions N`` shows how each dimension moves them, and ``--impact`` fits their failures
on the fixed set to the dimensions; ``--impact N`` does so on N tasks of each class whose levels are drawn independently.
These three depend on no clock: the models' limits are in the solver's deterministic time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from opsgym.core.stream import Stream
from opsgym.core.task import Task
from opsgym.data.fixed_sets import shipped
from opsgym.envs.or_agent_bench.catalogue import NAMES
from opsgym.envs.or_agent_bench.documents import ACCEPTED
from opsgym.envs.or_agent_bench.family import OrAgentBenchFamily
from opsgym.envs.or_agent_bench.judging import judge_text, opens_next, parse, play_of
from opsgym.envs.or_agent_bench.params import DIMENSIONS, TIERS, OrParams, draw_params
from opsgym.envs.or_agent_bench.programs import METHODS, Method
from opsgym.envs.or_agent_bench.sampler import sample
from opsgym.envs.or_agent_bench.verifier import judge
from opsgym.envs.or_agent_bench.world import Handed

FAMILY = OrAgentBenchFamily()
CONSOLE = Console(width=130)

BLEND = 0.5
"""Share of the marginal slope in a coefficient.  The paper blends by a fixed share; this one is our choice."""

Array = NDArray[np.floating[Any]]


def seconds(action: Callable[[], object]) -> float:
    """CPU seconds of doing something once."""
    start = time.process_time()
    action()
    return time.process_time() - start


def costs(tasks: int) -> None:
    """CPU time of compiling and of judging, a row a class."""
    table = Table(title=f"CPU time, {tasks} tasks a class and tier")
    for heading in ("class", *(f"{tier} s" for tier in TIERS), "worst s", "validator ms"):
        table.add_column(heading, justify="left" if heading == "class" else "right")
    for name in NAMES:
        made: dict[str, list[float]] = {tier: [] for tier in TIERS}
        judged = 0.0
        for tier in TIERS:
            for seed in range(tasks):
                params = draw_params(seed, tier=tier, problem=name)
                made[tier].append(seconds(partial(sample, params, seed)))
        task = FAMILY.compile(draw_params(0, tier="hard", problem=name), 0)
        judged = judging_milliseconds(task)
        means = [sum(values) / len(values) for values in made.values()]
        table.add_row(name, *(f"{mean:.2f}" for mean in means), f"{max(max(v) for v in made.values()):.2f}", f"{judged:.2f}")
    CONSOLE.print(table)


def judging_milliseconds(task: Task) -> float:
    """Mean time to judge the reference plan of the first period."""
    play = play_of(task)
    plan = sample(OrParams.build(task.params), task.seed).stages[0].plan
    text = json.dumps(plan)
    return seconds(lambda: [judge_text(play, 0, text, None) for _ in range(20)]) * 1000 / 20


def outcome(task: Task, method: Method) -> dict[str, float]:
    """Scores of a program on a task; its model runs in this process."""
    play = play_of(task)
    model, ledger = play.problem.model, list[Handed]()
    for epoch, files in enumerate(play.files):
        data = model.read({**files, **({ACCEPTED: ledger[-1].text} if ledger else {})})
        plan = model.greedy(data) if method.method == "greedy" else model.solve(data, frozenset(method.omit), method.effort).plan
        previous = parse(play.problem, ledger[-1].text)[0] if ledger else None
        ledger.append(Handed("" if plan else "no plan", json.dumps(plan)))
        if not opens_next(play, epoch, judge_text(play, epoch, ledger[-1].text, previous)):
            break
    return judge(play, ledger, task.checks).scores


def outcomes(task: Task) -> dict[str, dict[str, float]]:
    """Scores of every scripted policy on a task; those that write the same program are played once."""
    methods = {policy: choose(task) for policy, choose in METHODS.items()}
    scores = {method: outcome(task, method) for method in dict.fromkeys(methods.values())}
    return {policy: scores[method] for policy, method in methods.items()}


def compared(title: str, groups: Iterator[tuple[str, list[Task]]]) -> None:
    """Feasibility, quality and passes of the scripted policies, a row a group of tasks and policy."""
    table = Table(title=title)
    for heading in ("tasks", "policy", "n", "feasible", "quality", "pass %"):
        table.add_column(heading, justify="left" if heading in ("tasks", "policy") else "right")
    for group, tasks in groups:
        played = [outcomes(task) for task in tasks]
        for policy in METHODS:
            found = [scores[policy] for scores in played]
            means = {name: sum(scores[name] for scores in found) / len(found) for name in ("feasibility", "quality", "pass")}
            row = (f"{means['feasibility']:.2f}", f"{means['quality']:.2f}", f"{100 * means['pass']:.1f}")
            table.add_row(group, policy, str(len(found)), *row)
    CONSOLE.print(table)


def impacts(levels: Array, losses: Array, blend: float = BLEND) -> Array:
    """Predicted increase of pass loss as each dimension moves from 0 to 3: an association, not a cause.

    The coefficients of the non-negative least squares on all dimensions, with a free intercept, are blended with the
    non-negative slope on each dimension alone, which steadies them where the dimensions are correlated.

    Args:
        levels: Levels of the dimensions, (tasks, dimensions); each dimension takes at least two.
        losses: 1 - pass, (tasks,).
        blend: Share of the marginal slope, 0 to 1.

    Returns:
        The increase by dimension, (dimensions,).

    Source: ORAgentBench, appendix C.1.
    """
    from scipy.optimize import nnls

    centred, change = levels - levels.mean(axis=0), losses - losses.mean()
    joint, _ = nnls(centred, change)
    marginal = np.maximum(0.0, centred.T @ change / (centred**2).sum(axis=0))
    blended: Array = (1 - blend) * joint + blend * marginal
    return 3 * blended


def impact(title: str, tasks: list[Task], blend: float) -> None:
    """The impact of each dimension on each scripted policy, a row a policy."""
    levels = np.array([[task.params[name] for name in DIMENSIONS] for task in tasks], dtype=float)
    played = [outcomes(task) for task in tasks]
    table = Table(title=title)
    for heading in ("policy", "pass loss", *DIMENSIONS):
        table.add_column(heading, justify="left" if heading == "policy" else "right")
    for policy in METHODS:
        losses = np.array([1 - scores[policy]["pass"] for scores in played])
        table.add_row(policy, f"{losses.mean():.2f}", *(f"{value:.2f}" for value in impacts(levels, losses, blend)))
    CONSOLE.print(table)
    pairs = np.corrcoef(levels, rowvar=False)[np.triu_indices(len(DIMENSIONS), 1)]
    CONSOLE.print(f"{len(tasks)} tasks; correlation of two dimensions: mean {pairs.mean():.2f}, at most {pairs.max():.2f}")


def fixed_set() -> list[Task]:
    """The 107 tasks."""
    pack = shipped(FAMILY, "test")
    if pack is None:
        raise SystemExit("the fixed set is not built; run: opsgym tasks build-fixed ORAgentBench-v0")
    return list(pack)


def independent(count: int) -> list[Task]:
    """Tasks of all classes whose six levels are drawn independently of each other."""
    streams = {(name, number): Stream("or_agent_bench.impact", name, number) for name in NAMES for number in range(count)}
    points = {key: {name: stream.below(4) for name in DIMENSIONS} for key, stream in streams.items()}
    return [FAMILY.compile(OrParams.build({"problem": key[0], **levels}), key[1]) for key, levels in points.items()]


def by_tier(count: int) -> Iterator[tuple[str, list[Task]]]:
    """Tasks of all classes, tier by tier."""
    for tier in TIERS:
        yield tier, [FAMILY.compile(draw_params(s, tier=tier, problem=n), s) for n in NAMES for s in range(count)]


def by_dimension(count: int) -> Iterator[tuple[str, list[Task]]]:
    """Tasks of all classes in which one dimension is at 0 or 3 and the others are at 1."""
    for name in DIMENSIONS:
        for level in (0, 3):
            levels = dict.fromkeys(DIMENSIONS, 1) | {name: level}
            params = [OrParams.build({"problem": problem, **levels}) for problem in NAMES]
            yield f"{name} {level}", [FAMILY.compile(point, seed) for point in params for seed in range(count)]


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=2, help="tasks of each class and tier to time")
    parser.add_argument("--policies", type=int, default=0, help="tasks of each class and tier to play")
    parser.add_argument("--dimensions", type=int, default=0, help="tasks of each class and level to play")
    parser.add_argument("--impact", type=int, nargs="?", const=0, help="the fixed set, or tasks of each class to play")
    parser.add_argument("--blend", type=float, default=BLEND, help="share of the marginal slope in an impact, 0 to 1")
    arguments = parser.parse_args()
    if arguments.policies:
        compared("Scripted policies by tier", by_tier(arguments.policies))
    if arguments.dimensions:
        compared("Scripted policies by dimension", by_dimension(arguments.dimensions))
    if arguments.impact is not None:
        tasks = independent(arguments.impact) if arguments.impact else fixed_set()
        impact("Increase of pass loss as a dimension moves from 0 to 3", tasks, arguments.blend)
    if not arguments.policies and not arguments.dimensions and arguments.impact is None:
        costs(arguments.tasks)


if __name__ == "__main__":
    main()
