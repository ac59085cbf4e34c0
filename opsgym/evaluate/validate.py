"""Validation: every promise of a family, shown over many tasks."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from opsgym.core.errors import OpsGymError, RegistryError, TaskError
from opsgym.core.family import Family
from opsgym.core.task import Task, content_hash
from opsgym.data.packs import matches, open_pack, write_pack
from opsgym.data.splits import check_split, draw_seed
from opsgym.envs.supply import playable
from opsgym.evaluate.entry_points import entry_point_of, generate, load_env
from opsgym.evaluate.parallel import Progress, Workers
from opsgym.evaluate.promises import PROMISES, Examination, Finding, examine

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
    tasks: int | str | os.PathLike[str] | Sequence[Task] = 30,
    *,
    split: str | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Examine an environment over many tasks.

    Args:
        env_id: A registered id, for example ``"ERPBench-v0"``.
        tasks: How many tasks to generate, spread over every tier and pattern; or a pack's path; or tasks.
        split: Generate tasks of this split, or examine only the given tasks of it.
        workers: Number of processes.
        progress: Told of every step.

    Raises:
        RegistryError: Unknown id or split.
        TaskError: A task of the pack is damaged or not the environment's.
    """
    entry_point = entry_point_of(env_id)
    family = load_env(entry_point, cache=None).family
    with Workers(workers, progress=progress) as pool:
        if isinstance(tasks, int):
            found, coverage = _generated(family, entry_point, tasks, split, pool)
        else:
            found, coverage = _given(family, tasks, split), []
        examined = list(pool.map("examining", examine, [(entry_point, task.to_json()) for task in found]))
    findings = [finding for examination in examined for finding in examination.findings]
    findings += coverage
    findings += _compare_replays(entry_point, found, examined)
    findings += _compare_compiled(entry_point, found, generated=isinstance(tasks, int))
    unproven = {"exploits"} | (set() if isinstance(tasks, int) else {"coverage", "identity"})
    return Report(env_id, len(found), tuple(_lines(findings, may_be_empty=unproven)))


def regions(family: Family[Any]) -> list[tuple[str, str]]:
    """Every (tier, pattern) from which a family generates tasks, easiest first."""
    return [(tier, pattern) for tier in family.tiers for pattern in family.patterns if _exists(family, tier, pattern)]


def _exists(family: Family[Any], tier: str, pattern: str) -> bool:
    try:
        family.draw(0, tier=tier, pattern=pattern)
    except RegistryError:
        return False
    return True


def _given(family: Family[Any], tasks: str | os.PathLike[str] | Sequence[Task], split: str | None) -> list[Task]:
    """The tasks of a pack or a list, of one split where it is named."""
    if isinstance(tasks, str | os.PathLike):
        pack = open_pack(tasks, family=family.id)
        found = [playable(pack[index], family) for index in pack.where(split=split)]
    else:
        found = [playable(task, family) for task in tasks if matches(task, tier=None, pattern=None, split=check_split(split))]
    if not found:
        raise TaskError(f"expected at least one task of split {split!r}, got none", field="tasks")
    return found


def _generated(
    family: Family[Any], entry_point: str, count: int, split: str | None, pool: Workers
) -> tuple[list[Task], list[Finding]]:
    """Tasks spread over all regions, and what is found on their coverage."""
    if count < 1:
        raise TaskError(f"expected at least one task, got {count}", field="tasks")
    wanted = regions(family)
    jobs = [
        (entry_point, draw_seed(np.random.default_rng(number), split), *region)
        for number, region in enumerate(islice(cycle(wanted), count))
    ]
    found = [Task.from_json(text) for text in pool.map("generating", generate, jobs)]
    seen = {(task.tier, task.pattern) for task in found}
    return found, [Finding("coverage", "" if region in seen else f"no task of {region}") for region in wanted]


def _compare_replays(entry_point: str, tasks: Sequence[Task], examined: Sequence[Examination]) -> list[Finding]:
    hashes = _in_another_process("replay", entry_point, tasks)
    return [
        Finding("replay", "" if other == mine.digest else f"task {mine.task_id} plays differently")
        for mine, other in zip(examined, hashes, strict=True)
    ]


def _compare_compiled(entry_point: str, tasks: Sequence[Task], *, generated: bool) -> list[Finding]:
    """One generated task of each tier and pattern, compiled anew elsewhere."""
    chosen = list({(task.tier, task.pattern): task for task in tasks}.values()) if generated else []
    hashes = _in_another_process("compile", entry_point, chosen) if chosen else []
    return [
        Finding("identity", "" if other == content_hash(task.to_json()) else f"task {task.id} compiles differently")
        for task, other in zip(chosen, hashes, strict=True)
    ]


def _in_another_process(what: str, entry_point: str, tasks: Sequence[Task]) -> list[str]:
    """One hash a task from a process with another hash seed."""
    other_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": other_seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "tasks.jsonl"
        write_pack(pack, tasks)
        command = [sys.executable, "-m", "opsgym.evaluate.replay", what, entry_point, str(pack)]
        run = subprocess.run(command, capture_output=True, text=True, env=environment)
    hashes = run.stdout.split()
    if run.returncode or len(hashes) != len(tasks):
        raise OpsGymError(f"the other process failed: {run.stderr.strip()[-2000:]}")
    return hashes


def _lines(findings: Sequence[Finding], *, may_be_empty: set[str]) -> Iterator[Line]:
    for promise in PROMISES:
        mine = [finding for finding in findings if finding.promise == promise]
        problems = [finding.problem for finding in mine if finding.problem]
        if mine or promise not in may_be_empty:
            yield Line(promise, len(mine), len(problems), tuple(dict.fromkeys(problems))[:SHOWN])
