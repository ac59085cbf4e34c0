"""Limits: what a command in a sandbox may take."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from opsgym.core.errors import TaskError

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may take; all of it together is killed when it takes more.

    Attributes:
        wall: Seconds from start to end.
        cpu: Seconds of CPU time of all its processes together.
        memory: Bytes of memory of all its processes together; a single process is refused more by the kernel.
        processes: Processes and threads at one time.
        output: Bytes on standard output and standard error together.
        disk: Bytes of all files in the working folder together, and of each scratch folder.
        files: Files and folders in the working folder, and in each scratch folder.

    Raises:
        TaskError: A limit is not a positive number.

    Example:
        >>> Limits(wall=5, memory=256 * 2**20).memory
        268435456
    """

    wall: float = 60.0
    cpu: float = 60.0
    memory: int = 2048 * MIB
    processes: int = 64
    output: int = MIB
    disk: int = 64 * MIB
    files: int = 4096

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            kinds = (int, float) if field.name in ("wall", "cpu") else (int,)
            if not isinstance(given, kinds) or isinstance(given, bool) or not (math.isfinite(given) and given > 0):
                raise TaskError(f"expected a positive number, got {given!r}", field=f"limits.{field.name}")


DEFAULT_LIMITS = Limits()
"""What a command may take where nothing else is said."""
