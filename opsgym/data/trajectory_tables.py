"""Trajectories in Parquet: one row an episode, with columns to select by, for analysis and for sharing.

Parquet cannot be added to, so episodes are recorded as JSON Lines and then turned into it.  It needs pyarrow
(``pip install "opsgym[report]"``), which is imported when it is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.data.packs import atomic_file, batches, load_pyarrow
from opsgym.data.trajectories import Trajectory

__all__ = ["COLUMNS", "read_parquet", "write_parquet"]

COLUMNS: dict[str, str] = {
    "task_id": "string",
    "family": "string",
    "tier": "string",
    "pattern": "string",
    "seed": "int64",
    "total": "float64",
    "is_success": "bool_",
    "steps": "int64",
    "version": "string",
    "trajectory": "string",
}
"""Columns and their pyarrow types; the last is the line of the JSON Lines, with its hash."""

_ROW_GROUP = 32  # episodes; what is decoded at once


def write_parquet(path: str | os.PathLike[str], trajectories: Iterable[Trajectory]) -> int:
    """Write trajectories to a file, whole or not at all, and return their number.

    Args:
        path: The file; its name must end in ``.parquet``, by which :func:`~opsgym.data.trajectories.read_trajectories`
            and ``opsgym replay`` know it.
        trajectories: The trajectories; may be a generator.

    Raises:
        OpsGymError: pyarrow is missing.
        TaskError: The name ends otherwise.
    """
    if Path(path).suffix != ".parquet":
        raise TaskError(f"expected a file name ending in .parquet, got {os.fspath(path)!r}", field="path")
    pyarrow = load_pyarrow()
    schema = pyarrow.schema([(name, getattr(pyarrow, kind)()) for name, kind in COLUMNS.items()])
    count = 0
    with atomic_file(path) as temporary, pyarrow.parquet.ParquetWriter(temporary, schema, compression="zstd") as writer:
        for group in batches(trajectories, _ROW_GROUP):
            writer.write_table(pyarrow.Table.from_pylist([_row(each) for each in group], schema=schema))
            count += len(group)
    return count


def read_parquet(path: str | os.PathLike[str]) -> Iterator[Trajectory]:
    """The trajectories of a file that :func:`write_parquet` wrote, a few in memory at a time.

    Raises:
        OpsGymError: pyarrow is missing.
        TaskError: It is no such file, or a row is damaged; says which.
    """
    pyarrow = load_pyarrow()
    name = Path(path).name
    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            if "trajectory" not in file.schema_arrow.names:
                raise TaskError(f"{name}: expected a column 'trajectory', got {file.schema_arrow.names}")
            for batch in file.iter_batches(batch_size=_ROW_GROUP, columns=["trajectory"]):
                for line in batch["trajectory"].to_pylist():
                    number += 1
                    yield _read(line, f"{name}, row {number}")
    except pyarrow.ArrowException as error:
        raise TaskError(f"{name}: not a Parquet file ({error})") from error


def _read(line: str, place: str) -> Trajectory:
    try:
        return Trajectory.from_line(line)
    except TaskError as error:
        raise TaskError(f"{place}: {error}") from error


def _row(trajectory: Trajectory) -> dict[str, Any]:
    return {
        **{name: trajectory.task[name] for name in ("family", "tier", "pattern")},
        "task_id": trajectory.task_id,
        "seed": trajectory.seed,
        "total": trajectory.total,
        "is_success": trajectory.is_success,
        "steps": len(trajectory.steps),
        "version": trajectory.version,
        "trajectory": trajectory.to_line(),
    }
