"""Sandbox: the one interface of every form of isolation, and the choice of a form."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

from opsgym.core.errors import BackendError, RegistryError
from opsgym.sandbox.limits import DEFAULT_LIMITS, Limits

FOLDER = "/workspace"
"""The working folder, as the command sees it."""

SCRATCH = ("/tmp", "/dev/shm")
"""Folders for what need not be kept, as the command sees them."""

PORT = 8069
"""Port of 127.0.0.1 at which programs inside reach the server behind ``socket``: Odoo's."""

Stopped = Literal["", "wall", "cpu", "memory", "processes", "output", "disk"]
"""Which limit ended a command; empty when it ended by itself."""

Files = Mapping[str, bytes]
"""A file tree: content by relative path with ``/``; a path that ends in ``/`` is an empty folder."""


@dataclass(frozen=True, slots=True)
class Completed:
    """What came of a command.

    Attributes:
        exit_code: Its exit status; 128 and the signal's number when a signal ended it.
        stdout: What it wrote to standard output; bytes that are no UTF-8 are replaced.
        stderr: The same of standard error.
        files: What the working folder holds at the end, sorted by path; regular files and empty folders only.  After ``"disk"``
            it is the folder as it was given.
        stopped: The limit that ended it, or empty.
        dropped: What else the folder held, as ``"path (kind)"``: links, sockets, names that are no UTF-8, folders too deep.
        seconds: Wall time; not part of equality.
    """

    exit_code: int
    stdout: str
    stderr: str
    files: Files
    stopped: Stopped = ""
    dropped: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What a form keeps to on this machine, and what it does not; one clause each.

    Attributes:
        kept: Promises that hold.
        not_kept: What an agent's program could do all the same.
    """

    kept: tuple[str, ...]
    not_kept: tuple[str, ...]


class Sandbox(Protocol):
    """Runs commands apart from the host; a run is a function of its arguments, as far as the command is one."""

    @property
    def name(self) -> str:
        """The form."""

    @property
    def guarantees(self) -> Guarantees:
        """What holds on this machine."""

    def run(
        self, command: Sequence[str], *, files: Files, limits: Limits = DEFAULT_LIMITS, socket: Path | None = None
    ) -> Completed:
        """Lay files into an empty working folder, run a command there, and collect what it leaves.

        Nothing of the command goes on when this returns.

        Args:
            command: Program and arguments; ``python`` is this interpreter with its packages, without OpsGym.
            files: The working folder.
            limits: What the command may take.
            socket: Unix socket of an HTTP server that the command reaches at ``http://127.0.0.1:8069``; it reaches nothing else.

        Raises:
            BackendError: The form does not work on this machine, or broke.
            TaskError: The command is empty or has a NUL, or a path leads outside of the working folder.
        """


FORMS = ("bubblewrap", "plain")
"""The forms that can run here, strongest first."""


def make_sandbox(form: str) -> Sandbox:
    """The form of that name; whether it works here is told by its first run.

    Raises:
        RegistryError: There is no such form.
    """
    if form == "bubblewrap":
        from opsgym.sandbox.bubblewrap import Bubblewrap

        return Bubblewrap()
    if form == "plain":
        from opsgym.sandbox.plain import PlainProcess

        return PlainProcess()
    if form == "container":
        from opsgym.sandbox.container import Container

        return Container()
    raise RegistryError("sandbox form", form, (*FORMS, "container"))


@cache
def why_not(form: str) -> str:
    """Why a form does not work here, found by running ``python -c pass`` in it; empty when it does."""
    try:
        done = make_sandbox(form).run(["python", "-c", "pass"], files={}, limits=Limits(wall=20))
    except BackendError as error:
        return str(error)
    return "" if done.exit_code == 0 else f"`python -c pass` ended with {done.exit_code}: {done.stderr.strip() or done.stopped}"


ALLOW_WEAK = "OPSGYM_WEAK_SANDBOX"
"""Environment variable that, set to 1, lets :func:`default_sandbox` take a form that shows the host's files to commands."""


@cache
def why_no_default() -> str:
    """Why :func:`default_sandbox` finds no form here; empty when it does."""
    try:
        default_sandbox()
    except BackendError as error:
        return str(error)
    return ""


@cache
def default_sandbox() -> Sandbox:
    """The strongest form that works here; found once and kept.

    A form without a view of its own lets programs read validators and solutions and, unless root starts it, end this process:
    what an agent earns there means nothing.  It is taken only where the variable :data:`ALLOW_WEAK` is set to 1.

    Raises:
        BackendError: None does; the message says why for each.
    """
    reasons = []
    for form in FORMS:
        made, reason = make_sandbox(form), why_not(form)
        if not reason and not has_view(made) and os.environ.get(ALLOW_WEAK) != "1":
            reason = f"it would show this machine's files to programs; {ALLOW_WEAK}=1 allows that, among trusted agents"
        if not reason:
            return made
        reasons.append(f"{form}: {reason}")
    raise BackendError("no form of the sandbox works here: " + "; ".join(reasons))


def has_view(sandbox: Sandbox) -> bool:
    """Whether a form gives commands a view of their own on this machine, without the host's files and processes."""
    return bool(getattr(sandbox, "namespaces", sandbox.name in ("bubblewrap", "container")))
