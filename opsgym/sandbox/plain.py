"""PlainProcess: the form that needs no program but Python; as strong as the kernel lets it be, which it says.

Where namespaces can be made, by root or by any user, the command gets the same view as under bubblewrap.  Where they cannot, as
in most containers, what is left are the kernel's limits per process, a user of its own (started by root), a filter of kernel
calls that refuses sockets, and a look at its descendants that ends them all.
"""

from __future__ import annotations

import itertools
import marshal
import math
import os
import signal
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from opsgym.core.errors import BackendError
from opsgym.sandbox.folder import scratch
from opsgym.sandbox.forwarding import FORWARDER, SOCKET, forwarded
from opsgym.sandbox.guarantees import FILTERED, NEVER, NO_VIEW, NOT_FILTERED, OWN_USER, OWN_VIEW, SAME_USER, WITHOUT_VIEW
from opsgym.sandbox.limits import DEFAULT_LIMITS, Limits
from opsgym.sandbox.machine import OWNER, SETTINGS, USER, this_machine
from opsgym.sandbox.processes import await_end, descendants
from opsgym.sandbox.running import carry_out, check_command, faults_of, folder_size, prepare
from opsgym.sandbox.sandbox import FOLDER, Completed, Files, Guarantees
from opsgym.sandbox.seccomp import program, refused

_LAUNCHER = Path(__file__).with_name("launcher.py")
_OWNERS = itertools.count()
_OWNER_OF_RUN = 1_610_612_736  # users that no system gives out; one a run, so that runs cannot signal each other


class PlainProcess:
    """See :class:`~opsgym.sandbox.sandbox.Sandbox`.

    Args:
        namespaces: Whether to use namespaces; by default where they can be made.
    """

    name = "plain"

    def __init__(self, *, namespaces: bool | None = None) -> None:
        self._wanted = namespaces

    @cached_property
    def namespaces(self) -> bool:
        """Whether commands get namespaces of their own; found by trying."""
        if self._wanted is not None:
            return self._wanted
        try:
            return self._run(["true"], {}, Limits(wall=20), None, namespaces=True).exit_code == 0
        except BackendError:
            return False

    @property
    def guarantees(self) -> Guarantees:
        """What holds on this machine."""
        if self.namespaces:
            return Guarantees(OWN_VIEW, NEVER)
        kept, not_kept = ((OWN_USER,), ()) if os.geteuid() == 0 else ((), (SAME_USER,))
        filtered = ((FILTERED,), ()) if refused() else ((), (NOT_FILTERED,))
        return Guarantees((*WITHOUT_VIEW, *filtered[0], *kept), (*NO_VIEW, *filtered[1], *not_kept, *NEVER))

    def run(
        self, command: Sequence[str], *, files: Files, limits: Limits = DEFAULT_LIMITS, socket: Path | None = None
    ) -> Completed:
        """See :meth:`Sandbox.run <opsgym.sandbox.sandbox.Sandbox.run>`; without namespaces there is no way to a socket."""
        check_command(command)
        return self._run(command, files, limits, socket, namespaces=self.namespaces)

    def _run(self, command: Sequence[str], files: Files, limits: Limits, socket: Path | None, *, namespaces: bool) -> Completed:
        if socket is not None and not namespaces:
            raise BackendError("the plain form cannot pass a socket in where the kernel allows no namespaces")
        owner = None
        if os.geteuid() == 0:
            owner = OWNER if namespaces else _OWNER_OF_RUN + next(_OWNERS) % 64 * 2**22 + os.getpid()
        with faults_of("the plain form"), scratch(limits) as place:
            work = prepare(place, files, limits, owner=owner)
            spec = _spec(place, command, limits, owner)
            spec |= _inside(place, work, command, limits, socket) if namespaces else _outside(place, work, owner)
            return carry_out(
                [sys.executable, "-I", "-S", str(_LAUNCHER), marshal.dumps(spec).hex()],
                files,
                limits,
                form="the plain form",
                folder=None if namespaces else work,
                kill=None if namespaces else _end_all,
            )


def _spec(place: Path, command: Sequence[str], limits: Limits, owner: int | None) -> dict[str, Any]:
    """What the launcher is told in either case."""
    return {
        "namespaces": False,
        "owner": owner,
        "user": USER,
        "command": list(command),
        "cwd": FOLDER,
        "root": str(place / "root"),
        "disk": limits.disk,
        "rlimits": {
            "RLIMIT_CORE": 0,
            "RLIMIT_NOFILE": 1024,
            "RLIMIT_FSIZE": limits.disk,
            "RLIMIT_DATA": limits.memory,
            "RLIMIT_AS": 8 * limits.memory,
            "RLIMIT_CPU": math.ceil(limits.cpu) + 1,
            "RLIMIT_NPROC": limits.processes + 1,
        },
    }


def _inside(place: Path, work: Path, command: Sequence[str], limits: Limits, socket: Path | None) -> dict[str, Any]:
    """What is different with namespaces: the view."""
    machine = this_machine()
    (place / "root").mkdir()
    folders = [*machine.folders, (str(place / "etc"), "/etc")]
    folders += [(setting, setting) for setting in SETTINGS if os.path.exists(setting)]
    if socket is not None:
        copy = place / "forwarder.py"
        copy.write_bytes(_LAUNCHER.with_name("forwarder.py").read_bytes())
        folders += [(str(copy), FORWARDER), (str(socket), SOCKET)]
        command = forwarded(machine.python, command)
    return {
        "namespaces": True,
        "command": list(command),
        "folders": folders,
        "links": machine.links,
        "hidden": machine.hidden,
        "work": FOLDER,
        "files": str(work),
        "size": folder_size(limits),
        "entries": limits.files + 16,
        "environment": dict(machine.environment),
        "seccomp": program(),
    }


def _outside(place: Path, work: Path, owner: int | None) -> dict[str, Any]:
    """What is different without namespaces: the host's own paths."""
    programs, temporary = place / "bin", place / "tmp"
    for made in (programs, temporary):
        made.mkdir()
    base = Path(sys.base_prefix) / f"bin/python{sys.version_info.major}.{sys.version_info.minor}"
    for name in ("python", "python3"):
        (programs / name).symlink_to(base)
    if owner is not None:
        os.chown(temporary, owner, owner)
    environment = dict(this_machine().environment) | {
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "HOME": str(temporary),
        "TMPDIR": str(temporary),
    }
    if "LD_LIBRARY_PATH" in environment:
        environment["LD_LIBRARY_PATH"] = f"{sys.base_prefix}/lib"
    return {"cwd": str(work), "environment": environment, "seccomp": program(network=False)}


def _end_all(root: int) -> None:
    """Kill all that came of a process: first all are held, so that none can make another one meanwhile."""
    for sign in (signal.SIGSTOP, signal.SIGKILL):
        seen: set[int] = {root}
        while new := [process for process in descendants(root) if process not in seen]:
            for process in new:
                seen.add(process)
                with suppress(ProcessLookupError):
                    os.kill(process, sign)
    for process in seen:
        await_end(process)
