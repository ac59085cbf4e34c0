"""OrWorld: the working folder of an episode, and the hidden ledger of what was handed in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Self

from opsgym.core.errors import TaskError
from opsgym.core.task import canonical_json
from opsgym.sandbox.workspace import Workspace, WorkspaceSnapshot

SCHEMA = "or_agent_bench 1"


@dataclass(frozen=True, slots=True)
class Handed:
    """What one final run of the agent's program left.

    Attributes:
        problem: Why there is no decision, in one sentence; empty when the program left one.
        text: Content of the submission file; empty when there is none.
        is_accepted: Whether the next period was opened; set for all periods but the last.
    """

    problem: str
    text: str
    is_accepted: bool = True


@dataclass(frozen=True, slots=True)
class OrSnapshot:
    """The whole state of a world."""

    workspace: WorkspaceSnapshot
    ledger: tuple[Handed, ...]

    @property
    def schema(self) -> str:
        """The kind of world."""
        return SCHEMA

    def open(self) -> OrWorld:
        """A new world in this state."""
        return OrWorld(self.workspace.open(), self.ledger)


class OrWorld:
    """The state of an episode; a :class:`~opsgym.core.world.WorldLike`.

    Args:
        workspace: The working folder, which tools and commands see.
        ledger: What was handed in, one entry a period; out of the agent's reach.
    """

    schema = SCHEMA

    def __init__(self, workspace: Workspace, ledger: tuple[Handed, ...] = ()) -> None:
        self.workspace = workspace
        self.ledger = ledger

    def snapshot(self) -> OrSnapshot:
        """The whole state."""
        return OrSnapshot(self.workspace.snapshot(), self.ledger)

    def restore(self, snapshot: OrSnapshot) -> None:
        """Return to a snapshot.

        Raises:
            TaskError: It is of another kind of world.
        """
        if snapshot.schema != SCHEMA:
            raise TaskError(f"expected a snapshot of {SCHEMA!r}, got one of {snapshot.schema!r}", field="snapshot.schema")
        self.workspace.restore(snapshot.workspace)
        self.ledger = snapshot.ledger

    def fork(self) -> Self:
        """An independent copy."""
        return type(self)(self.workspace.fork(), self.ledger)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A context in which everything is undone when an exception leaves it; contexts nest."""
        before = self.snapshot()
        try:
            yield
        except BaseException:
            self.restore(before)
            raise

    def digest(self) -> str:
        """Hash of the folder and the ledger."""
        ledger = [[handed.problem, handed.text, handed.is_accepted] for handed in self.ledger]
        return hashlib.sha256((self.workspace.digest() + canonical_json(ledger)).encode()).hexdigest()

    def check(self) -> list[str]:
        """What is wrong with the folder; empty when it is sound."""
        return self.workspace.check()

    def close(self) -> None:
        """Free the memory."""
        self.workspace.close()
        self.ledger = ()


def with_last(ledger: tuple[Handed, ...], **changes: object) -> tuple[Handed, ...]:
    """A ledger whose last entry is changed."""
    return (*ledger[:-1], replace(ledger[-1], **changes))  # type: ignore[arg-type]  # names and types are the caller's
