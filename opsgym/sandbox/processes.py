"""What the processes of a command take together, read from /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


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


def usage(root: int) -> tuple[float, int, int]:
    """CPU seconds, bytes of memory and number of threads of a process and its descendants.

    Memory that several of them share is counted for each; see :func:`shared_memory`.
    """
    cpu = memory = threads = 0
    for process in descendants(root):
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
            cpu += sum(map(int, fields[11:15]))  # its own and that of children that have ended
            memory += int(fields[21]) * _PAGE
            threads += int(fields[17])
    return cpu / _TICKS, memory, threads


def shared_memory(root: int) -> int:
    """Bytes of memory of a process and its descendants, in which shared pages are counted once; slower."""
    total = 0
    for process in descendants(root):
        with suppress(OSError), open(f"/proc/{process}/smaps_rollup", "rb") as file:
            total += sum(int(line.split()[1]) * 1024 for line in file if line.startswith(b"Pss:"))
    return total
