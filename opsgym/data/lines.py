"""Line files: whole lines are added under a lock, so that no crash leaves half a record and several processes may write one file.

A line that a crash cut off is no line: readers pass over it, and the next writer removes it.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager


def append_line(path: str | os.PathLike[str], line: bytes) -> None:
    """Add a line, whole or not at all; other processes may do the same.

    Args:
        path: The file; made where there is none.
        line: The line without its end; holds no line end itself.
    """
    rest = memoryview(line + b"\n")
    with _locked(path) as descriptor:
        start = _cut_tail(descriptor)
        try:
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except OSError:
            os.ftruncate(descriptor, start)
            raise


def recover(path: str | os.PathLike[str]) -> int:
    """Remove an unfinished line from the end of a file; returns how many bytes were removed."""
    with _locked(path) as descriptor:
        before = os.fstat(descriptor).st_size
        return before - _cut_tail(descriptor)


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Number, from 1, and text of every finished line of a file in UTF-8."""
    with open(path, "rb") as file:  # what is cut off may end amid a character
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield number, line[:-1].decode()


def last_line(path: str | os.PathLike[str]) -> tuple[int, str] | None:
    """Start in bytes and text of the last finished line, found from the end; ``None`` where there is none."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return None
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        end = content.rfind(b"\n")
        if end < 0:
            return None
        start = content.rfind(b"\n", 0, end) + 1
        return start, content[start:end].decode()


@contextmanager
def _locked(path: str | os.PathLike[str]) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _cut_tail(descriptor: int) -> int:
    """Remove what follows the last line end; returns the size that is left."""
    end = size = os.fstat(descriptor).st_size
    while end:
        start = max(0, end - 65_536)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size:
        os.ftruncate(descriptor, end)
    return end
