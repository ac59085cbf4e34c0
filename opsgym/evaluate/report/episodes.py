"""Episodes in a report: which recorded trials are embedded, failures first, and what is shown of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.data.trajectories import Trajectory
from opsgym.evaluate.report.runs import TRAJECTORIES, Run
from opsgym.evaluate.results import TrialResult

MOST_CHARS = 12_000
"""Characters of one text that are shown; the rest is counted."""

# Recorded text has its quotes escaped, and keys are sorted: these can only be the keys of the trajectory itself.
_TASK_ID = re.compile(rb'"task_id":"([^"\\]*)"')
_SEED = re.compile(rb'"seed":(-?\d+|null),"spec":')

Place = tuple[int, int]
"""Number of a line and its offset in the file."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """An episode in the page.

    Attributes:
        run: Position of its run.
        task_id: The task.
        trial: The trial.
        text: What the viewer shows, as JSON.
    """

    run: int
    task_id: str
    trial: int
    text: str


@dataclass(frozen=True, slots=True)
class Episodes:
    """The episodes of a report.

    Attributes:
        embedded: Those in the page.
        recorded: How many each run has recorded.
    """

    embedded: tuple[Embedded, ...]
    recorded: tuple[int, ...]


def collect(runs: Sequence[Run], *, most: int, most_bytes: int) -> Episodes:
    """Choose and read the episodes of a page.

    Runs take turns.  Within a run, failed trials come before solved ones, and first trials of a task before further ones of
    it.  An episode that does not fit any more is passed over for a shorter one.

    Args:
        runs: The runs.
        most: Greatest number of episodes.
        most_bytes: Greatest size of their JSON in all.

    Raises:
        TaskError: A recorded line is broken or altered; says which.
    """
    indices = [_index(run) for run in runs]
    queues = [
        [(number, result) for result in _ranked(run.results) if (result.task_id, result.episode_seed) in index]
        for number, (run, index) in enumerate(zip(runs, indices, strict=True))
    ]
    chosen: list[Embedded] = []
    left = most_bytes
    misfits = 0
    for number, result in (item for turn in zip_longest(*queues) for item in turn if item is not None):
        if len(chosen) >= most or misfits >= most:
            break
        place = indices[number][result.task_id, result.episode_seed]
        text = json.dumps(view(_read(runs[number], place)), ensure_ascii=False, separators=(",", ":"))
        size = len(text.encode("utf-8", "replace"))
        if size > left:
            misfits += 1
            continue
        left -= size
        chosen.append(Embedded(number, result.task_id, result.trial, text))
    return Episodes(tuple(chosen), tuple(len(index) for index in indices))


def view(trajectory: Trajectory) -> dict[str, Any]:
    """What the viewer shows of an episode: brief, steps, verdict and the calls of the oracle."""
    verdict = trajectory.info.get("verdict") or {}
    checks = verdict.get("checks", [])
    return {
        "brief": _cut(trajectory.brief),
        "policy": _cut(str(trajectory.task.get("policy", ""))),
        "steps": _steps(trajectory),
        "oracle": [[call["name"], _cut(_json(call["arguments"]))] for call in trajectory.task.get("oracle", [])],
        "reward": trajectory.total,
        "success": trajectory.is_success,
        "ended": "submitted" if trajectory.steps and trajectory.steps[-1].terminated else "turn budget used up",
        "scores": verdict.get("scores", {}),
        "gates": verdict.get("gates", []),
        "passed": sum(check.get("status") == "pass" for check in checks),
        "failed": [_check(check) for check in checks if check.get("status") == "fail"],
        "errors": trajectory.info.get("errors", {}),
    }


def _steps(trajectory: Trajectory) -> list[list[Any]]:
    """Action, observation and how often both came in a row, for an agent that repeats itself hundreds of times."""
    told = [(_cut(_said(step.action)), _cut(step.observation)) for step in trajectory.steps]
    return [[*same, len(list(group))] for same, group in groupby(told)]


def _said(action: Any) -> str:
    """An action as text; that of a team says whose it was."""
    if isinstance(action, dict) and set(action) == {"agent", "action"}:
        return f"{action['agent']}> {action['action']}"
    return action if isinstance(action, str) else _json(action)


def _check(check: dict[str, Any]) -> list[str]:
    """Rule, dimension, message, what was expected and what was found."""
    values = [_cut(_json(check.get(name)), 600) if check.get(name) is not None else "" for name in ("expected", "actual")]
    return [str(check.get("rule", "")), str(check.get("dimension", "")), _cut(str(check.get("message", "")), 1200), *values]


def _ranked(results: Sequence[TrialResult]) -> list[TrialResult]:
    """Scored trials in the order in which they are worth a look."""
    seen: dict[tuple[str, bool], int] = {}
    ranks = []
    for place, result in enumerate(results):
        if result.status == "scored":
            group = (result.task_id, result.is_success)
            seen[group] = seen.get(group, 0) + 1
            ranks.append((result.is_success, seen[group], place))
    return [results[place] for *_, place in sorted(ranks)]


def _index(run: Run) -> dict[tuple[str, int], Place]:
    """Where the episode of each (task, episode seed) stands; of several, the last."""
    path = run.path / TRAJECTORIES
    if not path.is_file():
        return {}
    found = {}
    for number, offset, line in _lines(run):
        task_id, seed = _TASK_ID.search(line), _SEED.search(line)
        if task_id and seed:
            name = (task_id[1].decode(), 0 if seed[1] == b"null" else int(seed[1]))
        else:
            trajectory = _parsed(line, run, number)
            name = (trajectory.task_id, trajectory.seed or 0)
        found[name] = (number, offset)
    return found


def _lines(run: Run) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and content of each whole line."""
    offset = 0
    with (run.path / TRAJECTORIES).open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield number, offset, line
            offset += len(line)


def _read(run: Run, place: Place) -> Trajectory:
    number, offset = place
    with (run.path / TRAJECTORIES).open("rb") as file:
        file.seek(offset)
        return _parsed(file.readline(), run, number)


def _parsed(line: bytes, run: Run, number: int) -> Trajectory:
    try:
        return Trajectory.from_line(line.decode())
    except (TaskError, UnicodeDecodeError) as error:
        raise TaskError(f"{run.path / TRAJECTORIES}, line {number}: {error}", field="runs") from error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=None)


def _cut(text: str, most: int = MOST_CHARS) -> str:
    """The text, its middle left out where it is too long; half surrogates, which UTF-8 cannot say, become marks."""
    plain = text.encode("utf-8", "replace").decode()
    if len(plain) <= most:
        return plain
    half = most // 2
    return f"{plain[:half]}\n… {len(plain) - 2 * half} characters left out …\n{plain[-half:]}"
