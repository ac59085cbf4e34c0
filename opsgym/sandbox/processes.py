"""What the processes of a command take together, read from /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_FEW = 16  # open files of a process that do not count
_BUFFER = 212_992  # bytes that a socket holds unless told otherwise: /proc/sys/net/core/wmem_default of nearly every machine


def descendants(root: int) -> Iterator[int]:
    """A process and those that came of it, as far as they are there."""
    waiting = [root]
    while waiting:
        process = waiting.pop()
        yield process
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{process}/task"):
                with suppress(OSError), open(f"/proc/{process}/task/{thread}/children") as file:
                    waiting += map(int, file.read().split())


def parent_of(process: int) -> int:
    """The process that a process came of."""
    with open(f"/proc/{process}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[1])


def await_end(process: int, *, seconds: float = 10.0) -> None:
    """Wait until a process that was killed is gone, or waits for nothing but its parent."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(f"/proc/{process}/stat", "rb") as file:
                if file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X"):
                    return
        except OSError:
            return
        time.sleep(0.001)


class Usage(NamedTuple):
    """What processes take together.

    Attributes:
        cpu: CPU seconds, those of processes that have ended too.
        memory: Bytes of memory; what several of them share is counted for each, see :func:`shared_memory`.
        held: Bytes that the kernel may hold for them.  It does not tell how much waits in sockets: open files count as what a
            socket may hold, apart from the few that any program has.  Before Linux 6.2 it does not tell their number either.
        threads: Number of threads.
    """

    cpu: float
    memory: int
    held: int
    threads: int


class Meter:
    """Measures a process and its descendants again and again.

    Args:
        root: The process.
    """

    def __init__(self, root: int) -> None:
        self.root = root
        self._own: dict[tuple[bytes, bytes], int] = {}

    def read(self) -> Usage:
        """What they take now."""
        cpu = memory = held = threads = 0
        for process in descendants(self.root):
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{process}/stat", "rb") as file:
                number, _, rest = file.read().rpartition(b")")
                fields = rest.split()
                own = int(fields[11]) + int(fields[12])
                self._own[number.partition(b" ")[0], fields[19]] = own  # a number may be given again, with another start
                cpu += own + int(fields[13]) + int(fields[14])  # and that of children whose end their parent was told
                memory += int(fields[21]) * _PAGE
                threads += int(fields[17])
                held += max(0, os.stat(f"/proc/{process}/fd").st_size - _FEW) * _BUFFER
        # a parent that does not want to be told is not charged
        return Usage(max(cpu, sum(self._own.values())) / _TICKS, memory, held, threads)


def shared_memory(root: int) -> int:
    """Bytes of memory of a process and its descendants, in which shared pages are counted once; slower."""
    total = 0
    for process in descendants(root):
        with suppress(OSError), open(f"/proc/{process}/smaps_rollup", "rb") as file:
            total += sum(int(line.split()[1]) * 1024 for line in file if line.startswith(b"Pss:"))
    return total
