"""Validation: every promise of a family, shown over many tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from opsgym.core.family import Family
from opsgym.core.task import Task, content_hash
from opsgym.evaluate.elsewhere import hashes_elsewhere
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.parallel import Progress, Workers
from opsgym.evaluate.promises import PROMISES, Examination, Finding, examine
from opsgym.evaluate.selection import Source, is_generated, regions, select

Elsewhere = Callable[..., list[str]]
"""See :func:`~opsgym.evaluate.elsewhere.hashes_elsewhere`; what an examination has fixed is left out."""

SHOWN = 5
"""Problems that a report quotes for each promise."""


@dataclass(frozen=True, slots=True)
class Line:
    """One promise of a report.

    Attributes:
        promise: Its short name in :data:`~opsgym.evaluate.promises.PROMISES`.
        checked: How often it was examined.
        failed: How often it did not hold.
        problems: The first problems, in words.
    """

    promise: str
    checked: int
    failed: int
    problems: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it was examined and always held."""
        return self.checked > 0 and not self.failed

    def __str__(self) -> str:
        mark = "ok  " if self.passed else "FAIL"
        text = f"{mark} {self.promise:<11} {PROMISES[self.promise]} ({self.checked - self.failed}/{self.checked})"
        return "\n".join([text, *(f"       {problem}" for problem in self.problems)])


@dataclass(frozen=True, slots=True)
class Report:
    """Outcome of a validation.

    Attributes:
        env_id: The environment.
        tasks: Number of tasks examined.
        lines: One line a promise.
    """

    env_id: str
    tasks: int
    lines: tuple[Line, ...]

    @property
    def passed(self) -> bool:
        """Whether every promise holds."""
        return all(line.passed for line in self.lines)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        lines = [{**asdict(line), "passed": line.passed, "statement": PROMISES[line.promise]} for line in self.lines]
        return {"env_id": self.env_id, "tasks": self.tasks, "passed": self.passed, "promises": lines}


def validate(
    env_id: str,
    tasks: Source = None,
    *,
    split: str | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Examine an environment over many tasks.

    Args:
        env_id: A registered id, for example ``"ERPBench-v0"``.
        tasks: How many tasks to generate, spread over every tier and pattern; or a pack's path; or tasks.
        split: Generate tasks of this split, or examine only the given tasks of it; where the family's fixed set belongs to
            it, examine that set, or as many of its tasks as ``tasks`` says.
        workers: Number of processes.
        progress: Told of every step.

    Raises:
        RegistryError: Unknown id or split.
        TaskError: A task of the pack is damaged or not the environment's.
    """
    entry_point = entry_point_of(env_id)
    family = load_env(entry_point, cache=None).family
    with Workers(workers, progress=progress) as pool:
        found = select(family, entry_point, tasks, split, pool)
        examined = list(pool.map("examining", examine, [(entry_point, task.to_json()) for task in found]))
    findings = [finding for examination in examined for finding in examination.findings]
    generated = is_generated(family, tasks, split)
    findings += _coverage(family, found) if generated else []
    elsewhere = partial(hashes_elsewhere, entry_point=entry_point, workers=workers, progress=progress)
    findings += _compare_replays(found, examined, elsewhere)
    findings += _compare_compiled(found, elsewhere) if tasks is None or isinstance(tasks, int) else []
    unproven = {"exploits"} | (set() if generated else {"coverage", "identity"})
    return Report(env_id, len(found), tuple(_lines(findings, may_be_empty=unproven)))


def _coverage(family: Family[Any], tasks: Sequence[Task]) -> list[Finding]:
    seen = {(task.tier, pattern) for task in tasks for pattern in family.patterns_of(task)}
    return [Finding("coverage", "" if region in seen else f"no task of {region}") for region in regions(family)]


def _compare_replays(tasks: Sequence[Task], examined: Sequence[Examination], elsewhere: Elsewhere) -> list[Finding]:
    hashes = elsewhere("replay", tasks=tasks, phase="playing again elsewhere")
    return [
        Finding("replay", "" if other == mine.digest else f"task {mine.task_id} plays differently")
        for mine, other in zip(examined, hashes, strict=True)
    ]


def _compare_compiled(tasks: Sequence[Task], elsewhere: Elsewhere) -> list[Finding]:
    """One task of each tier and pattern, compiled anew elsewhere."""
    chosen = list({(task.tier, task.pattern): task for task in tasks}.values())
    hashes = elsewhere("compile", tasks=chosen, phase="compiling again elsewhere")
    return [
        Finding("identity", "" if other == content_hash(task.to_json()) else f"task {task.id} compiles differently")
        for task, other in zip(chosen, hashes, strict=True)
    ]


def _lines(findings: Sequence[Finding], *, may_be_empty: set[str]) -> Iterator[Line]:
    for promise in PROMISES:
        mine = [finding for finding in findings if finding.promise == promise]
        problems = [finding.problem for finding in mine if finding.problem]
        if mine or promise not in may_be_empty:
            yield Line(promise, len(mine), len(problems), tuple(dict.fromkeys(problems))[:SHOWN])
