"""Import of released ERP-Bench tasks: read, solved anew, compared with what the release certified, compiled to a Task."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from opsgym.core.errors import TaskError
from opsgym.core.task import Certificate, Task
from opsgym.data.erp_bench_release import ReleasedTask, read_release
from opsgym.envs.erp_bench.compiler import compile_scenario
from opsgym.envs.erp_bench.solver import solve

TOLERANCE = 0.01
"""Greatest difference, in natural units, between certificates that agree."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of one released task.

    Attributes:
        name: Name of its directory.
        task: The task, with the release's plan as its oracle; ``None`` when the certificates disagree or it could not be read.
        problem: Why there is no task; empty when there is one.
    """

    name: str
    task: Task | None
    problem: str = ""


def import_release(directory: Path | str) -> Imported:
    """Import one released task; what is wrong with it is in the result.

    Args:
        directory: As for :func:`~opsgym.data.erp_bench_release.read_release`.
    """
    name = Path(directory).name
    try:
        released = read_release(directory)
        certificate = solve(released.scenario.problem, style="release").certificate()
        problem = _disagreement(released, certificate)
        task = None if problem else _compile(released, certificate)
    except TaskError as error:
        return Imported(name, None, str(error))
    return Imported(name, task, problem)


def _disagreement(released: ReleasedTask, certificate: Certificate) -> str:
    """How our certificate differs from the release's; empty when it does not."""
    pairs = [("objective", certificate.value, released.objective_value), ("secondary", certificate.secondary, released.secondary)]
    return "; ".join(
        f"{name}: ours {ours}, the release's {theirs}"
        for name, ours, theirs in pairs
        if theirs is not None and (ours is None or abs(ours - theirs) > TOLERANCE)
    )


def _compile(released: ReleasedTask, certificate: Certificate) -> Task:
    return compile_scenario(
        released.scenario,
        released.plan,
        certificate,
        seed=released.scenario_number,
        tier=released.tier,
        pattern=released.pattern,
        params={},
        metadata={"release": {"number": released.scenario_number, "seed": released.seed}},
    )
