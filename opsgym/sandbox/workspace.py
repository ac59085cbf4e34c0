"""Workspace: the files of an episode, in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType, TracebackType
from typing import Self

from opsgym.core.errors import TaskError
from opsgym.sandbox.folder import check_path
from opsgym.sandbox.sandbox import Files

SCHEMA = "workspace 1"


@dataclass(frozen=True, slots=True)
class WorkspaceSnapshot:
    """A file tree at one moment; contents are shared, not copied.

    Attributes:
        files: Content by path, sorted by path.
    """

    files: tuple[tuple[str, bytes], ...] = field(repr=False)

    @property
    def schema(self) -> str:
        """The kind of world."""
        return SCHEMA

    def open(self) -> Workspace:
        """A new workspace in this state."""
        return Workspace(dict(self.files))


class Workspace:
    r"""A file tree as the state of an episode; a :class:`~opsgym.core.world.WorldLike`.

    Args:
        files: Content by relative path; a path that ends in ``/`` is an empty folder.

    Raises:
        TaskError: A path leads outside, or is both a file and a folder.

    Example:
        >>> workspace = Workspace({"data/orders.csv": b"id,units\n1,20\n"})
        >>> before = workspace.snapshot()
        >>> workspace.replace({**workspace.files, "plan.json": b"{}"})
        >>> list(workspace.files)
        ['data/orders.csv', 'plan.json']
        >>> workspace.restore(before)
        >>> list(workspace.files)
        ['data/orders.csv']
    """

    __slots__ = ("_files",)

    def __init__(self, files: Files | None = None) -> None:
        self._files: dict[str, bytes] = {}
        self.replace(files or {})

    def __repr__(self) -> str:
        return f"Workspace(files={len(self._files)}, bytes={self.size})"

    @property
    def files(self) -> Mapping[str, bytes]:
        """The tree, sorted by path; a view that cannot be changed."""
        return MappingProxyType(self._files)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(map(len, self._files.values()))

    @property
    def schema(self) -> str:
        """The kind of world."""
        return SCHEMA

    def replace(self, files: Files) -> None:
        """Take another tree as a whole.

        Raises:
            TaskError: A path leads outside, or is both a file and a folder; the tree is as before.
        """
        for fault in _faults(files):
            raise TaskError(fault, field="files")
        self._files = {path: bytes(content) for path, content in sorted(_tidy(files).items())}

    def snapshot(self) -> WorkspaceSnapshot:
        """The whole state."""
        return WorkspaceSnapshot(tuple(self._files.items()))

    def restore(self, snapshot: WorkspaceSnapshot) -> None:
        """Return to a snapshot.

        Raises:
            TaskError: It is of another kind of world.
        """
        if snapshot.schema != SCHEMA:
            raise TaskError(f"expected a snapshot of {SCHEMA!r}, got one of {snapshot.schema!r}", field="snapshot.schema")
        self._files = dict(snapshot.files)

    def fork(self) -> Self:
        """An independent copy."""
        twin = type(self)()
        twin._files = dict(self._files)
        return twin

    def savepoint(self) -> Savepoint:
        """A context in which everything is undone when an exception leaves it; contexts nest."""
        return Savepoint(self)

    def digest(self) -> str:
        """SHA-256 of the paths and contents."""
        total = hashlib.sha256()
        for path, content in self._files.items():
            for part in (path.encode(), content):
                total.update(len(part).to_bytes(8, "big") + part)
        return total.hexdigest()

    def check(self) -> list[str]:
        """What is wrong with the tree, one sentence each; empty when it is sound."""
        return _faults(self._files)

    def close(self) -> None:
        """Free the memory."""
        self._files = {}


class Savepoint:
    """The context of :meth:`Workspace.savepoint`."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._before: list[WorkspaceSnapshot] = []

    def __enter__(self) -> Self:
        self._before.append(self._workspace.snapshot())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        before = self._before.pop()
        if kind is not None:
            self._workspace.restore(before)


def _faults(files: Files) -> list[str]:
    found = []
    names = {path.removesuffix("/") for path in files if not path.endswith("/")}
    for path in files:
        try:
            above = [str(parent) for parent in check_path(path).parents][:-1]
        except TaskError as error:
            found.append(str(error).partition(": ")[2])
            continue
        if any(parent in names for parent in above) or (path.endswith("/") and path[:-1] in names):
            found.append(f"{path!r} is both a file and a folder")
    return found


def _tidy(files: Files) -> dict[str, bytes]:
    """The tree without the marks of empty folders that hold something by now."""
    filled = {f"{parent}/" for path in files for parent in list(check_path(path).parents)[:-1]}
    return {path: content for path, content in files.items() if path not in filled}
