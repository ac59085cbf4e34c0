"""Validation: every promise of a family, shown over many tasks."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from opsgym.core.errors import OpsGymError
from opsgym.core.family import Family
from opsgym.core.task import Task, content_hash
from opsgym.data.packs import write_pack
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.parallel import Progress, Workers
from opsgym.evaluate.promises import PROMISES, Examination, Finding, examine
from opsgym.evaluate.selection import Source, is_generated, regions, select

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
    findings += _compare_replays(entry_point, found, examined)
    findings += _compare_compiled(entry_point, found) if tasks is None or isinstance(tasks, int) else []
    unproven = {"exploits"} | (set() if generated else {"coverage", "identity"})
    return Report(env_id, len(found), tuple(_lines(findings, may_be_empty=unproven)))


def _coverage(family: Family[Any], tasks: Sequence[Task]) -> list[Finding]:
    seen = {(task.tier, task.pattern) for task in tasks}
    return [Finding("coverage", "" if region in seen else f"no task of {region}") for region in regions(family)]


def _compare_replays(entry_point: str, tasks: Sequence[Task], examined: Sequence[Examination]) -> list[Finding]:
    hashes = _in_another_process("replay", entry_point, tasks)
    return [
        Finding("replay", "" if other == mine.digest else f"task {mine.task_id} plays differently")
        for mine, other in zip(examined, hashes, strict=True)
    ]


def _compare_compiled(entry_point: str, tasks: Sequence[Task]) -> list[Finding]:
    """One task of each tier and pattern, compiled anew elsewhere."""
    chosen = list({(task.tier, task.pattern): task for task in tasks}.values())
    hashes = _in_another_process("compile", entry_point, chosen)
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
