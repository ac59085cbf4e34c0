"""CodingWorld: the ERP of an episode and the agent's working folder, as one state."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from opsgym.core.errors import TaskError
from opsgym.core.world import Snapshot, World
from opsgym.sandbox.workspace import Workspace, WorkspaceSnapshot


@dataclass(frozen=True, slots=True)
class CodingSnapshot:
    """Both parts at one moment.

    Attributes:
        erp: The ERP.
        workspace: The working folder.
    """

    erp: Snapshot
    workspace: WorkspaceSnapshot

    @property
    def schema(self) -> str:
        """The kind of world."""
        return _schema(self.erp.schema, self.workspace.schema)

    def open(self) -> CodingWorld:
        """A new world in this state."""
        return CodingWorld(self.erp.open(), self.workspace.open())


class CodingWorld:
    """A :class:`~opsgym.core.world.WorldLike` of two parts, which are saved, restored and undone together.

    Args:
        erp: The ERP's records.
        workspace: The working folder.
    """

    def __init__(self, erp: World, workspace: Workspace) -> None:
        self.erp = erp
        self.workspace = workspace

    def __repr__(self) -> str:
        return f"CodingWorld({self.erp!r}, {self.workspace!r})"

    @property
    def schema(self) -> str:
        """The kind of world."""
        return _schema(self.erp.schema, self.workspace.schema)

    def snapshot(self) -> CodingSnapshot:
        """The whole state."""
        return CodingSnapshot(self.erp.snapshot(), self.workspace.snapshot())

    def restore(self, snapshot: CodingSnapshot) -> None:
        """Return to a snapshot.

        Raises:
            TaskError: It is of another kind of world.
        """
        if snapshot.schema != self.schema:
            raise TaskError(f"expected a snapshot of {self.schema!r}, got one of {snapshot.schema!r}", field="snapshot.schema")
        self.erp.restore(snapshot.erp)
        self.workspace.restore(snapshot.workspace)

    def fork(self) -> Self:
        """An independent copy."""
        return type(self)(self.erp.fork(), self.workspace.fork())

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A context in which everything is undone when an exception leaves it; contexts nest."""
        with self.workspace.savepoint(), self.erp.savepoint():
            yield

    def digest(self) -> str:
        """Hash of both parts."""
        return hashlib.sha256(f"{self.erp.digest()} {self.workspace.digest()}".encode()).hexdigest()

    def check(self) -> list[str]:
        """What is wrong with either part."""
        return self.erp.check() + self.workspace.check()

    def close(self) -> None:
        """Free the memory."""
        self.erp.close()
        self.workspace.close()


def _schema(erp: str, workspace: str) -> str:
    return f"{erp} and {workspace}"
