"""What the reference programs share: reading of tables and settings, solver limits, and the run itself.

The module stands alone, on the standard library and the solvers, because it is copied into the sandbox beside a program.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, str]
Plan = dict[str, Any]

SUBMISSION = "submission.json"
"""File that a program leaves."""

UNITS = {
    "min": 1,
    "h": 60,
    "kg": 1,
    "t": 1000,
    "l": 1,
    "m3": 1000,
    "kWh": 1,
    "MWh": 1000,
    "MB": 1,
    "GB": 1000,
    "m": 1,
    "km": 1000,
}
"""How many of the small unit make one of each unit that a file may use."""


@dataclass(frozen=True)
class Solved:
    """What a model found.

    Attributes:
        plan: The plan, or ``None`` when none was found.
        bound: A proven bound on the objective: no feasible plan is better.  ``None`` when there is none.
    """

    plan: Plan | None
    bound: float | None = None


def table(text: str, key: Iterable[str] = ()) -> list[Row]:
    r"""The rows of a CSV file that count: of each key the highest ``revision``, without those of ``status`` cancelled.

    Args:
        text: The file.
        key: Columns that name a row; without them all rows count.

    Example:
        >>> table("id,size,revision\na,5,1\na,7,2\nb,1,1\n", ["id"])
        [{'id': 'a', 'size': '7', 'revision': '2'}, {'id': 'b', 'size': '1', 'revision': '1'}]
    """
    columns = list(key)
    rows = list(csv.DictReader(io.StringIO(text)))
    if columns:
        newest: dict[tuple[str, ...], Row] = {}
        for row in rows:
            name = tuple(row[column] for column in columns)
            if name not in newest or int(row.get("revision") or 1) > int(newest[name].get("revision") or 1):
                newest[name] = row
        rows = [newest[name] for name in sorted(newest)]
    return [row for row in rows if row.get("status") != "cancelled"]


def settings(text: str) -> dict[str, Any]:
    r"""The entries of a flat YAML file: one ``key: value`` a line, comments after ``#``.

    Example:
        >>> settings("shift_minutes: 480  # one shift\nname: north\nlimits: [1, 2]\n")
        {'shift_minutes': 480, 'name': 'north', 'limits': [1, 2]}
    """
    found: dict[str, Any] = {}
    for line in text.splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        if colon:
            try:
                found[name.strip()] = json.loads(value)
            except ValueError:
                found[name.strip()] = value.strip()
    return found


def amount(row: Mapping[str, str], column: str) -> int:
    """A quantity in the small unit, from the column and the unit beside it, ``<column>_unit``, if there is one.

    Example:
        >>> amount({"weight": "1.25", "weight_unit": "t"}, "weight")
        1250
    """
    return round(float(row[column]) * UNITS[row.get(f"{column}_unit") or "min"])


STARVED = 0.1
"""Effort below which a model takes no start and stops at the first plan."""


def cpsat(seconds: float, effort: float = 1.0) -> Any:
    """A CP-SAT solver that does the same on every machine: one worker, a fixed seed, a limit in deterministic seconds.

    Args:
        seconds: The limit.
        effort: Share of the limit; below :data:`STARVED` the first plan is taken.
    """
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = seconds * effort
    solver.parameters.stop_after_first_solution = effort < STARVED
    return solver


def solved(
    model: Any, seconds: float, effort: float, start: Iterable[tuple[Any, int]] = (), *, linear: int = 2
) -> tuple[Any, float | None]:
    """Solve a CP-SAT model.

    Args:
        model: The model.
        seconds: Deterministic time limit at full effort.
        effort: Share of it.
        start: Values of variables from a plan that is known; not taken by a starved model.
        linear: Strength of the linear relaxation, 0 to 2; 2 suits most models, 1 those with long logic.

    Returns:
        The solver, or ``None`` when no plan was found, and a proven bound on the objective.
    """
    for variable, value in start if effort >= STARVED else ():
        model.add_hint(variable, value)
    solver = cpsat(seconds, effort)
    solver.parameters.linearization_level = linear
    found = solver.status_name(solver.solve(model)) in ("OPTIMAL", "FEASIBLE")
    return (solver, float(solver.best_objective_bound)) if found else (None, None)


def objective(model: Any) -> float | None:
    """Objective of a CP-SAT model whose decisions are fixed, or ``None`` when they break one of its constraints."""
    solver = cpsat(10.0)
    return float(solver.objective_value) if solver.status_name(solver.solve(model)) == "OPTIMAL" else None


def state(files: Mapping[str, str]) -> Plan | None:
    """The plan that was accepted in the period before, if there was one."""
    text = files.get("state/accepted.json")
    accepted: Plan | None = None if text is None else json.loads(text)
    return accepted


def run(problem: Any, method: str = "exact", omit: Iterable[str] = (), effort: float = 1.0) -> None:
    """Read the working folder, decide by one of the methods, and leave the submission.

    Args:
        problem: The module of the problem: ``read``, ``solve`` and ``greedy``.
        method: ``"exact"`` or ``"greedy"``.
        omit: Rules that the exact model leaves out.
        effort: Share of the model's own time limit.
    """
    folder = Path()
    names = sorted(path.as_posix() for name in ("data", "state") for path in folder.glob(f"{name}/*") if path.is_file())
    data = problem.read({name: (folder / name).read_text(encoding="utf-8") for name in names})
    plan = problem.greedy(data) if method == "greedy" else problem.solve(data, frozenset(omit), effort).plan
    if plan is not None:
        (folder / SUBMISSION).write_text(json.dumps(plan), encoding="utf-8")
