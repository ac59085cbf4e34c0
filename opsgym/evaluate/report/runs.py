"""Runs as a report reads them: tolerant of fields that it does not know or does not find, strict about broken files."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from opsgym.core.errors import TaskError
from opsgym.evaluate.results import TrialResult

CONFIG, RESULTS, TRAJECTORIES = "run.json", "results.jsonl", "trajectories.jsonl"
"""Names of the files in the directory of a run; see :mod:`opsgym.evaluate.results`."""

_OPTIONAL = {"family": "", "tier": "", "pattern": ""}  # required in a record, but a report can do without


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that was read.

    Attributes:
        name: Unique among the runs of a report: the name of its directory, with its parents' where names are equal.
        path: Its directory.
        config: The content of ``run.json``; empty where there is none.
        results: The trials, in the order of the file; of several lines for one trial, the last.
        notes: What the reader passed over, one sentence each.
    """

    name: str
    path: Path
    config: dict[str, Any]
    results: tuple[TrialResult, ...]
    notes: tuple[str, ...] = ()

    @property
    def policy(self) -> str:
        """Name of the policy with its options, or of the run where it is not said; of a team also the setting."""
        given = _options(self.config.get("policy_options"))
        form = _text(self.config.get("form"))
        setting = [f"({' '.join([form, *_options(self.config.get('env_options'))])})"] if form else []
        return " ".join([_text(self.config.get("policy")) or self.name, *given, *setting])

    @property
    def model(self) -> str:
        """Name of the model; empty for a policy without."""
        return _text(self.config.get("model"))

    @property
    def shown_config(self) -> dict[str, Any]:
        """What of ``run.json`` a reader can take in: long lists by their lengths."""
        return {
            name: f"{len(value)} entries" if isinstance(value, list) and len(value) > 20 else value
            for name, value in self.config.items()
        }

    @property
    def failure_rate(self) -> float | None:
        """Share of tool calls that fail on purpose; ``None`` where it is not said, or no number is."""
        rate = self.config.get("failure_rate")
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not math.isfinite(rate):
            return None
        return float(rate)


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """Several runs, with different names.

    Args:
        paths: Their directories.

    Raises:
        TaskError: One is no run, or is broken; says which file and line.
    """
    runs = [read_run(path) for path in paths]
    names = _distinct([run.path for run in runs])
    return [Run(**{**vars(run), "name": name}) for run, name in zip(runs, names, strict=True)]


def read_run(path: Path) -> Run:
    """One run.

    Args:
        path: Its directory.

    Raises:
        TaskError: There is no run, or a file is broken; says which and where.
    """
    if not any((path / name).is_file() for name in (CONFIG, RESULTS)):
        raise TaskError(f"expected a directory with {CONFIG} and {RESULTS}, got {str(path)!r}", field="runs")
    notes: list[str] = []
    config = _read_config(path / CONFIG, notes)
    results = _read_results(path / RESULTS, notes)
    return Run(name=path.resolve().name, path=path, config=config, results=results, notes=tuple(notes))


def _read_config(path: Path, notes: list[str]) -> dict[str, Any]:
    if not path.is_file():
        notes.append(f"There is no {CONFIG}; policy, model and failure rate are not known.")
        return {}
    try:
        config = json.loads(path.read_bytes())
    except ValueError as error:
        raise TaskError(f"{path}: not JSON: {error}", field="runs") from error
    if not isinstance(config, dict):
        raise TaskError(f"{path}: expected a JSON object, got {type(config).__name__}", field="runs")
    return config


def _read_results(path: Path, notes: list[str]) -> tuple[TrialResult, ...]:
    found: dict[tuple[str, int], TrialResult] = {}
    unknown: Counter[str] = Counter()
    lines = 0
    for number, line in _lines(path, notes):
        lines += 1
        result = _result(line, f"{path}, line {number}", unknown)
        found[result.task_id, result.trial] = result
    if unknown:
        notes.append(f"Fields that this version does not know were passed over in {RESULTS}: {', '.join(sorted(unknown))}.")
    if lines > len(found):
        notes.append(f"{lines - len(found)} lines of {RESULTS} repeat a trial; the last line of each trial counts.")
    return tuple(found.values())


def _lines(path: Path, notes: list[str]) -> Iterator[tuple[int, bytes]]:
    """Whole lines with their numbers; a last line without its end is what a crash left."""
    if not path.is_file():
        notes.append(f"There is no {RESULTS} yet.")
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                notes.append(f"Line {number} of {RESULTS} is unfinished and was passed over.")
            elif line.strip():
                yield number, line


def _result(line: bytes, place: str, unknown: Counter[str]) -> TrialResult:
    try:
        data = json.loads(line)
        if b"\\ud" in line.lower():  # half surrogates, which no file can hold, become marks
            data = json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{place}: not JSON: {error}", field="runs") from error
    if not isinstance(data, dict):
        raise TaskError(f"{place}: expected a JSON object, got {type(data).__name__}", field="runs")
    unknown.update(data.keys() - TrialResult.model_fields.keys())
    known = {name: value for name, value in data.items() if name in TrialResult.model_fields}
    try:
        return TrialResult.model_validate({**_OPTIONAL, **known})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise TaskError(f"{place}: {where}: {first['msg']}", field="runs") from error


def _distinct(paths: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths that tell them apart; a run that is given twice is numbered."""
    parts = [path.resolve().parts for path in paths]
    names: list[str] = []
    for place, mine in enumerate(parts):
        others = [theirs for theirs in parts if theirs != mine]
        length = next((n for n in range(1, len(mine)) if all(mine[-n:] != theirs[-n:] for theirs in others)), len(mine))
        name = "/".join(mine[-length:])
        again = parts[:place].count(mine)
        names.append(f"{name} ({again + 1})" if again else name)
    return names


def _options(value: Any) -> list[str]:
    """Options as name=value."""
    return [f"{name}={each}" for name, each in sorted(value.items())] if isinstance(value, dict) else []


def _text(value: Any) -> str:
    """A name; of a description with a name in it, that."""
    if isinstance(value, dict):
        value = value.get("name", "")
    return value if isinstance(value, str) else ""
