"""Mutation audit: for every rule and every pattern where it applies, end states that break it, and whether it notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from opsgym.baselines.scripted import Oracle
from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.parallel import Progress, Workers
from opsgym.evaluate.rollout import run_episode
from opsgym.evaluate.selection import Source, regions, select


@dataclass(frozen=True, slots=True)
class Cell:
    """One rule on the tasks of one pattern.

    Attributes:
        rule: The rule.
        pattern: The pattern.
        tasks: Tasks on which the rule applies.
        mutants: End states made to break it.
        killed: Those that it noticed.
    """

    rule: str
    pattern: str
    tasks: int
    mutants: int
    killed: int

    @property
    def passed(self) -> bool:
        """Whether there are mutants, and all were noticed."""
        return self.mutants == self.killed > 0


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Outcome of a mutation audit.

    Attributes:
        env_id: The environment.
        tasks: Number of tasks.
        patterns: Their patterns in order.
        cells: One for each rule and pattern where it applies.
        survivors: Rule, pattern and task of each mutant that went unnoticed, and of each rule without a mutant.
    """

    env_id: str
    tasks: int
    patterns: tuple[str, ...]
    cells: tuple[Cell, ...]
    survivors: tuple[tuple[str, str, str], ...]

    @property
    def passed(self) -> bool:
        """Whether there are rules and none of them let a mutant live or is without."""
        return bool(self.cells) and not self.survivors and all(cell.passed for cell in self.cells)

    @property
    def mutants(self) -> int:
        """Number of mutants in all."""
        return sum(cell.mutants for cell in self.cells)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        return {**asdict(self), "mutants": self.mutants, "passed": self.passed}

    def lines(self) -> list[str]:
        """The report as text: a row a rule, a column a pattern; a cell is the number of mutants, or killed/mutants."""
        heads = [f"{number}" for number, _ in enumerate(self.patterns, start=1)]
        by_place = {(cell.rule, cell.pattern): cell for cell in self.cells}
        rules = sorted({cell.rule for cell in self.cells})
        rows = [[_shown(by_place.get((rule, pattern))) for pattern in self.patterns] for rule in rules]
        left = max(map(len, [*rules, "rule"]), default=4)
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        grid = [
            f"{name:<{left}}  " + " ".join(f"{text:>{width}}" for text, width in zip(row, widths, strict=True))
            for name, row in zip(["rule", *rules], [heads, *rows], strict=True)
        ]
        legend = [f"{number} {pattern}" for number, pattern in zip(heads, self.patterns, strict=True)]
        lost = [f"survivor: {rule} on {pattern}, task {task}" for rule, pattern, task in self.survivors]
        return [*legend, "", *grid, *([""] if lost else []), *lost]


def audit(
    env_id: str,
    tasks: Source = None,
    *,
    split: str | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> AuditReport:
    """Mutate the solved end state of tasks of every pattern.

    Args:
        env_id: A registered id.
        tasks: How many tasks to generate, spread over every tier and pattern (one of each by default); or a pack's path; or
            tasks.
        split: Tasks of this split; where the family's fixed set belongs to it, tasks of that set, all by default.
        workers: Number of processes.
        progress: Told of every step.

    Raises:
        RegistryError: Unknown id or split.
        TaskError: A task is damaged or not the environment's, or its reference solution does not solve it.
    """
    entry_point = entry_point_of(env_id)
    family = load_env(entry_point, cache=None).family
    count = len(regions(family)) if tasks is None and split is None else tasks
    with Workers(workers, progress=progress) as pool:
        found = select(family, entry_point, count, split, pool)
        outcomes = list(pool.map("auditing", mutate, [(entry_point, task.to_json()) for task in found]))
    return _report(env_id, family.patterns, found, outcomes)


def mutate(entry_point: str, task_json: str) -> list[tuple[str, int, int]]:
    """Rule, mutants and mutants killed, for every rule that applies to a task.

    Args:
        entry_point: The environment.
        task_json: The task.

    Raises:
        TaskError: The reference solution does not solve the task.
    """
    task = Task.from_json(task_json)
    env = load_env(entry_point, cache=None)
    rollout = run_episode(env, Oracle(), seed=0, task=task)
    if not rollout.is_success:
        raise TaskError(f"the reference solution of task {task.id} earns {rollout.reward}, it cannot be mutated", field="oracle")
    seeded = env.family.open(task)
    caught = env.family.audit(seeded, env.world, task)
    seeded.close()
    env.close()
    made, killed = Counter(rule for rule, _ in caught), Counter(rule for rule, is_caught in caught if is_caught)
    applying = {check["rule"] for check in rollout.verdict["checks"] if check["status"] != "na"}
    return [(rule, made[rule], killed[rule]) for rule in sorted(applying | made.keys())]


def _report(
    env_id: str, order: Sequence[str], tasks: Sequence[Task], outcomes: Sequence[list[tuple[str, int, int]]]
) -> AuditReport:
    known = {task.pattern for task in tasks}
    patterns = [*(pattern for pattern in order if pattern in known), *sorted(known.difference(order))]
    totals: dict[tuple[str, str], list[int]] = {}
    survivors = []
    for task, outcome in zip(tasks, outcomes, strict=True):
        for rule, made, killed in outcome:
            cell = totals.setdefault((rule, task.pattern), [0, 0, 0])
            for place, number in enumerate((1, made, killed)):
                cell[place] += number
            survivors += [(rule, task.pattern, task.id)] * (max(made, 1) - killed)
    cells = [Cell(*place, *totals[place]) for place in sorted(totals, key=lambda place: (place[0], patterns.index(place[1])))]
    return AuditReport(env_id, len(tasks), tuple(patterns), tuple(cells), tuple(survivors))


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return "."
    return str(cell.mutants) if cell.passed else f"{cell.killed}/{cell.mutants}"
