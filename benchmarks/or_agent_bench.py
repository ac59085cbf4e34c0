"""ORAgentBench-v0: what a task costs to make and a plan to judge, and how the scripted policies do.

Run with ``make bench`` or ``python benchmarks/or_agent_bench.py [--tasks 2]``: CPU time to compile a task of each class, over all
tiers, and to judge its plan.  ``--policies N`` plays N tasks of each class and tier with the scripted policies instead,
whose models run in this process, and ``--dimensions N`` shows how each dimension moves them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from functools import partial

from rich.console import Console
from rich.table import Table

from opsgym.core.task import Task
from opsgym.envs.or_agent_bench.catalogue import NAMES
from opsgym.envs.or_agent_bench.documents import ACCEPTED
from opsgym.envs.or_agent_bench.family import OrAgentBenchFamily
from opsgym.envs.or_agent_bench.judging import judge_text, opens_next, parse, play_of
from opsgym.envs.or_agent_bench.params import DIMENSIONS, TIERS, OrParams, draw_params
from opsgym.envs.or_agent_bench.programs import METHODS
from opsgym.envs.or_agent_bench.sampler import sample
from opsgym.envs.or_agent_bench.verifier import judge
from opsgym.envs.or_agent_bench.world import Handed

FAMILY = OrAgentBenchFamily()
CONSOLE = Console(width=130)


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


def outcome(task: Task, policy: str) -> dict[str, float]:
    """Scores of a scripted policy on a task; the model of its program runs in this process."""
    play, method = play_of(task), METHODS[policy](task)
    model, ledger = play.problem.model, list[Handed]()
    for epoch, files in enumerate(play.files):
        data = model.read({**files, **({ACCEPTED: ledger[-1].text} if ledger else {})})
        plan = model.greedy(data) if method.method == "greedy" else model.solve(data, frozenset(method.omit), method.effort).plan
        previous = parse(play.problem, ledger[-1].text)[0] if ledger else None
        ledger.append(Handed("" if plan else "no plan", json.dumps(plan)))
        if not opens_next(play, epoch, judge_text(play, epoch, ledger[-1].text, previous)):
            break
    return judge(play, ledger, task.checks).scores


def compared(title: str, groups: Iterator[tuple[str, list[Task]]]) -> None:
    """Feasibility, quality and passes of the scripted policies, a row a group of tasks and policy."""
    table = Table(title=title)
    for heading in ("tasks", "policy", "n", "feasible", "quality", "pass %"):
        table.add_column(heading, justify="left" if heading in ("tasks", "policy") else "right")
    for group, tasks in groups:
        for policy in METHODS:
            found = [outcome(task, policy) for task in tasks]
            means = {name: sum(scores[name] for scores in found) / len(found) for name in ("feasibility", "quality", "pass")}
            row = (f"{means['feasibility']:.2f}", f"{means['quality']:.2f}", f"{100 * means['pass']:.1f}")
            table.add_row(group, policy, str(len(found)), *row)
    CONSOLE.print(table)


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
    arguments = parser.parse_args()
    if arguments.policies:
        compared("Scripted policies by tier", by_tier(arguments.policies))
    if arguments.dimensions:
        compared("Scripted policies by dimension", by_dimension(arguments.dimensions))
    if not arguments.policies and not arguments.dimensions:
        costs(arguments.tasks)


if __name__ == "__main__":
    main()
