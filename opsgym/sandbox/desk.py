"""Desk: what an agent's file and command tools act on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from opsgym.core.errors import ToolError
from opsgym.sandbox.folder import is_too_much
from opsgym.sandbox.limits import DEFAULT_LIMITS, Limits
from opsgym.sandbox.sandbox import Completed, Files, Sandbox, default_sandbox
from opsgym.sandbox.workspace import Workspace


@dataclass(slots=True)
class Desk:
    """A workspace, and the means to run commands over it.

    Attributes:
        workspace: The files.
        limits: What a command may take, and how much the workspace may hold.
        sandbox: The form of isolation; by default :func:`~opsgym.sandbox.default_sandbox`, looked up at the first command.
        socket: Unix socket of the server that commands may reach, see :meth:`~opsgym.sandbox.Sandbox.run`.
        read_only: Paths, or folders with a ``/`` at the end, that no tool changes; a command's changes of them are undone.
    """

    workspace: Workspace
    limits: Limits = DEFAULT_LIMITS
    sandbox: Sandbox | None = None
    socket: Path | None = None
    read_only: tuple[str, ...] = ()

    def run(self, command: Sequence[str], limits: Limits) -> tuple[Completed, list[str]]:
        """Run a command over the workspace, which takes what it leaves.

        Returns:
            What came of it, and the paths that differ from before.

        When it leaves more than the limits allow, with the read-only files that it removed, the workspace stays as it was.

        Raises:
            BackendError: The sandbox broke.
            ToolError: The workspace holds more than the limits allow.
        """
        sandbox = self.sandbox or default_sandbox()
        before = dict(self.workspace.files)
        self._check_room(before)
        done = sandbox.run(command, files=before, limits=limits, socket=self.socket)
        kept = {path: content for path, content in before.items() if self.is_read_only(path)}
        made = {path: content for path, content in done.files.items() if not self.is_read_only(path)}
        tree = _without_conflicts(made, kept) | kept
        if is_too_much(tree, self.limits):
            done, tree = replace(done, stopped=done.stopped or "disk", files=before), before
        self.workspace.replace(tree)
        after = self.workspace.files
        return done, sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))

    def write(self, path: str, content: bytes) -> None:
        """Set the content of a file.

        Raises:
            ToolError: The path leads outside, is read-only or a folder, or the workspace would be too full.
        """
        self.change({path: content})

    def change(self, files: Mapping[str, bytes | None]) -> None:
        """Set or, with ``None``, remove files, all or none of them.

        Raises:
            ToolError: As for :meth:`write`.
        """
        for path in files:
            if self.is_read_only(path):
                raise ToolError("not_allowed", f"{path} is read-only.", "Write to another path.")
        tree = {path: content for path, content in self.workspace.files.items() if path not in files}
        tree |= {path: content for path, content in files.items() if content is not None}
        if any(content is not None for content in files.values()):
            self._check_room(tree)
        try:
            self.workspace.replace(tree)
        except ValueError as error:
            message = str(error).removeprefix("files: ")
            raise ToolError("invalid_value", f"path: {message}.", "Paths are relative, such as 'solve.py'.") from error

    def _check_room(self, tree: Files) -> None:
        if is_too_much(tree, self.limits):
            limits = f"{self.limits.files} files and folders or {self.limits.disk} bytes"
            raise ToolError("bad_state", f"The workspace would hold more than {limits}.", "Delete files that are not needed.")

    def is_read_only(self, path: str) -> bool:
        """Whether no tool may change a path."""
        return any(path == one or (one.endswith("/") and path.startswith(one)) for one in self.read_only)


def _without_conflicts(made: Mapping[str, bytes], kept: Mapping[str, bytes]) -> dict[str, bytes]:
    """What a command left, less what stands where a read-only file or its folder belongs."""
    if not kept:
        return dict(made)
    above = {"/".join(path.split("/")[:depth]) for path in kept for depth in range(1, path.count("/") + 1)}
    below = tuple(f"{path}/" for path in kept)
    return {path: content for path, content in made.items() if path not in above and not path.startswith(below)}
