"""Line files: whole lines are added under a lock, so that no crash leaves half a record and several processes may write one file.

A line that a crash cut off is no line: readers pass over it, and the next writer removes it.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from collections.abc import Iterator
from typing import Self

from opsgym.core.errors import TaskError


class LineWriter:
    """Adds lines to a file, each whole or not at all; other writers wait until it is closed.

    Args:
        path: The file; made where there is none.

    Example:
        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/lines.txt"
        >>> with LineWriter(path) as writer:
        ...     writer.add(b"one")
        >>> list(read_lines(path))
        [(1, 'one')]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._descriptor = _opened(path)
        self._size = _cut_tail(self._descriptor)

    def add(self, line: bytes) -> None:
        """Add a line, which is given without its end and holds no line end itself.

        Raises:
            OSError: It cannot be written; what was written of it is removed.
        """
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            os.ftruncate(self._descriptor, self._size)
            raise OSError(error.errno, error.strerror, self._path) from error
        self._size += len(line) + 1

    def close(self) -> None:
        """Let other writers in."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def append_line(path: str | os.PathLike[str], line: bytes) -> None:
    """Add a line, whole or not at all; other processes may do the same.

    Args:
        path: The file; made where there is none.
        line: The line without its end; holds no line end itself.
    """
    with LineWriter(path) as writer:
        writer.add(line)


def recover(path: str | os.PathLike[str]) -> int:
    """Remove an unfinished line from the end of a file; returns how many bytes were removed."""
    descriptor = _opened(path)
    try:
        before = os.fstat(descriptor).st_size
        return before - _cut_tail(descriptor)
    finally:
        os.close(descriptor)


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Number, from 1, and text of every finished line of a file in UTF-8.

    Raises:
        TaskError: A line is damaged: it is not UTF-8; says which.
    """
    with open(path, "rb") as file:  # what is cut off may end amid a character
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                try:
                    text = line[:-1].decode()
                except UnicodeDecodeError as error:
                    raise TaskError(f"{os.fspath(path)}, line {number}: not UTF-8: {error.reason}") from error
                yield number, text


def last_line(path: str | os.PathLike[str]) -> tuple[int, str] | None:
    """Start in bytes and text of the last finished line, found from the end; ``None`` where there is none.

    Raises:
        TaskError: The line is damaged: it is not UTF-8.
    """
    if not os.path.exists(path) or not os.path.getsize(path):
        return None
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        end = content.rfind(b"\n")
        if end < 0:
            return None
        start = content.rfind(b"\n", 0, end) + 1
        try:
            return start, content[start:end].decode()
        except UnicodeDecodeError as error:
            raise TaskError(f"{os.fspath(path)}, last line: not UTF-8: {error.reason}") from error


def _opened(path: str | os.PathLike[str]) -> int:
    """Descriptor of a file, locked until it is closed."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


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
