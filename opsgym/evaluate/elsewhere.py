"""Elsewhere: hashes of tasks from processes with another hash seed, to hold against this one's."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Lock

from opsgym.core.errors import OpsGymError
from opsgym.core.task import Task
from opsgym.data.packs import write_pack
from opsgym.evaluate.parallel import Progress


def hashes_elsewhere(
    what: str, entry_point: str, tasks: Sequence[Task], *, phase: str, workers: int = 1, progress: Progress | None = None
) -> list[str]:
    """One hash a task, in the tasks' order; see :data:`opsgym.evaluate.replay.HASHES`.

    Args:
        what: Name of the hash.
        entry_point: The environment.
        tasks: The tasks.
        phase: What progress is told.
        workers: How many processes share the tasks.
        progress: Told of every hash.

    Raises:
        OpsGymError: A process failed.
    """
    if not tasks:
        return []
    shares = [tasks[first::workers] for first in range(min(workers, len(tasks)))]
    done, lock = count(1), Lock()

    def tell() -> None:
        if progress is not None:
            with lock:
                progress(phase, next(done), len(tasks))

    with ThreadPoolExecutor(len(shares)) as threads:
        found = list(threads.map(lambda share: _hashes(what, entry_point, share, tell), shares))
    hashes = [""] * len(tasks)
    for first, share in enumerate(found):
        hashes[first :: len(shares)] = share
    return hashes


def _hashes(what: str, entry_point: str, tasks: Sequence[Task], tell: Callable[[], None]) -> list[str]:
    """The hashes from one process."""
    other_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": other_seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    hashes = []
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "errors", "w+", encoding="utf-8") as errors:
        pack = Path(folder) / "tasks.jsonl"
        write_pack(pack, tasks)
        command = [sys.executable, "-m", "opsgym.evaluate.replay", what, entry_point, str(pack)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment) as run:
            for line in run.stdout or ():
                hashes.append(line.strip())
                tell()
        if run.returncode or len(hashes) != len(tasks):
            errors.seek(0)
            raise OpsGymError(f"the other process failed: {errors.read().strip()[-2000:]}")
    return hashes
