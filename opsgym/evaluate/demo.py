"""Demo: a few fixed policies over tasks of every kind, and what they earn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from opsgym.baselines.registry import make_policy
from opsgym.core.errors import OpsGymError
from opsgym.core.family import Family
from opsgym.core.task import Task
from opsgym.data.splits import draw_seed
from opsgym.evaluate.entry_points import entry_point_of, generate, load_env
from opsgym.evaluate.parallel import Progress, Workers
from opsgym.evaluate.rollout import Rollout, run_episode
from opsgym.evaluate.selection import regions


def demo_policies(family: Family[Any]) -> tuple[str, ...]:
    """The policies of the demo, from the one that earns nothing to the one that earns everything."""
    own = next(iter(family.policies()), None)
    return ("do-nothing", "random-valid", *([] if own is None else [own.replace("_", "-")]), "oracle")


@dataclass(frozen=True, slots=True)
class DemoRow:
    """Means of one policy over the tasks of one kind.

    Attributes:
        source: ``"generated"`` or ``"released"``.
        tier: Tier of the tasks.
        pattern: Their pattern.
        policy: The policy.
        tasks: Number of tasks.
        reward: Mean reward.
        solved: Number of tasks solved.
        passed: Checks passed, of all tasks.
        checks: Checks that apply, of all tasks.
        calls: Mean number of tool calls; text that holds no call does not count.
        ms: Mean wall time of an episode in milliseconds.
    """

    source: str
    tier: str
    pattern: str
    policy: str
    tasks: int
    reward: float
    solved: int
    passed: int
    checks: int
    calls: float
    ms: float

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        return asdict(self)


def demo_rows(
    env_id: str, *, count: int = 1, seed: int = 0, released: Path | None = None, progress: Progress | None = None
) -> Iterator[DemoRow]:
    """Play every kind of task with :func:`demo_policies`.

    Args:
        env_id: The environment.
        count: Generated tasks for each tier and pattern.
        seed: Seed of the tasks.
        released: Directory of released ERP-Bench tasks to play too.
        progress: Told of every step.

    Raises:
        TaskError: ``released`` is no directory.
        OpsGymError: A released task's certificate does not agree with ours.
    """
    entry_point = entry_point_of(env_id)
    env = load_env(entry_point, cache=None)
    jobs = [
        (entry_point, draw_seed(np.random.default_rng([seed, number])), *region)
        for region in regions(env.family)
        for number in range(count)
    ]
    with Workers(progress=progress) as pool:
        kinds = [("released", task) for task in _released(released, pool)] if released else []
        kinds = [("generated", Task.from_json(text)) for text in pool.map("generating", generate, jobs)] + kinds
        groups: dict[tuple[str, str, str], list[Task]] = {}
        for source, task in kinds:
            groups.setdefault((source, task.tier, task.pattern), []).append(task)
        pairs = [(kind, name) for kind in groups for name in demo_policies(env.family)]
        for done, (kind, name) in enumerate(pairs, start=1):
            rollouts = [run_episode(env, make_policy(name, env.family), task=task) for task in groups[kind]]
            yield _row(kind, name, rollouts)
            if progress is not None:
                progress("playing", done, len(pairs))
    env.close()


def _released(directory: Path, pool: Workers) -> list[Task]:
    from opsgym.data.erp_bench_import import import_release
    from opsgym.data.erp_bench_release import find_releases

    imported = list(pool.map("solving", import_release, [(path,) for path in find_releases(directory)]))
    for item in imported:
        if item.problem:
            raise OpsGymError(f"{item.name}: {item.problem}")
    return [item.task for item in imported if item.task is not None]


def _row(kind: tuple[str, str, str], policy: str, rollouts: Sequence[Rollout]) -> DemoRow:
    count = len(rollouts)
    passed, checks = (sum(column) for column in zip(*(rollout.checks_passed for rollout in rollouts), strict=True))
    return DemoRow(
        *kind,
        policy=policy,
        tasks=count,
        reward=sum(rollout.reward for rollout in rollouts) / count,
        solved=sum(rollout.is_success for rollout in rollouts),
        passed=passed,
        checks=checks,
        calls=sum(rollout.calls - rollout.errors.get("malformed_call", 0) for rollout in rollouts) / count,
        ms=1000 * sum(rollout.seconds for rollout in rollouts) / count,
    )
