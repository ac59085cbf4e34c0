"""Bubblewrap: the strong form, by the program ``bwrap`` (Debian package ``bubblewrap``) and the kernel's namespaces.

The command gets user, process, network, IPC, host-name and mount namespaces of its own, and no capability.  Started by root,
it runs as a user of its own, whom the kernel's limits bind as they do not bind root.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from opsgym.core.errors import BackendError
from opsgym.sandbox.folder import scratch
from opsgym.sandbox.forwarding import FORWARDER, SOCKET, forwarded
from opsgym.sandbox.guarantees import NEVER, OWN_VIEW
from opsgym.sandbox.limits import DEFAULT_LIMITS, Limits
from opsgym.sandbox.machine import GIVEN, OWNER, SETTINGS, USER, Machine, this_machine
from opsgym.sandbox.running import carry_out, check_command, faults_of, folder_size, prepare
from opsgym.sandbox.sandbox import FOLDER, SCRATCH, Completed, Files, Guarantees
from opsgym.sandbox.seccomp import program
from opsgym.sandbox.shell import first_words

_NAMESPACES = ("user", "pid", "net", "ipc", "uts")


class Bubblewrap:
    """See :class:`~opsgym.sandbox.sandbox.Sandbox`."""

    name = "bubblewrap"

    @property
    def guarantees(self) -> Guarantees:
        """What holds on this machine."""
        return Guarantees(kept=OWN_VIEW, not_kept=NEVER)

    def run(
        self, command: Sequence[str], *, files: Files, limits: Limits = DEFAULT_LIMITS, socket: Path | None = None
    ) -> Completed:
        """See :meth:`Sandbox.run <opsgym.sandbox.sandbox.Sandbox.run>`."""
        check_command(command)
        if not shutil.which("bwrap"):
            raise BackendError("the program bwrap is not installed; on Debian: apt-get install bubblewrap")
        with faults_of("bwrap"), scratch(limits) as place:
            prepare(place, files, limits, owner=OWNER if os.geteuid() == 0 else None)
            return _Run(place, limits, socket).carry_out(command, files)


class _Run:
    """One run.

    Args:
        place: The private folder of the run.
        limits: What the command may take.
        socket: The socket that is passed in.
    """

    def __init__(self, place: Path, limits: Limits, socket: Path | None) -> None:
        self.place, self.limits, self.socket = place, limits, socket
        self.machine = this_machine()

    def carry_out(self, command: Sequence[str], files: Files) -> Completed:
        """Run a command over files and wait for it."""
        rules = _unnamed_file(program())
        try:
            return carry_out(self._words(rules, command), files, self.limits, keep=(rules,), form="bwrap")
        finally:
            os.close(rules)

    def _words(self, rules: int, command: Sequence[str]) -> list[str]:
        """The whole command line."""
        machine, binds, mounts = self.machine, [], []
        for number, (outside, inside) in enumerate(machine.folders):
            if os.geteuid() == 0 and not _open_to_all(Path(outside)):
                # the user it runs as has no way to the folder: root opens one
                staged = self.place / f"view{number}"
                staged.mkdir()
                mounts.append(f"mount --bind {shlex.quote(outside)} {shlex.quote(str(staged))}")
                outside = str(staged)
            binds += ["--ro-bind", outside, inside]
        words = ["bwrap", "--die-with-parent", *(f"--unshare-{one}" for one in _NAMESPACES), "--unshare-cgroup-try"]
        words += ["--disable-userns", "--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox", "--cap-drop", "ALL"]
        words += ["--seccomp", str(rules), *binds, *self._places(machine)]
        words += ["--clearenv", *(word for name, value in machine.environment for word in ("--setenv", name, value))]
        words += ["--remount-ro", "/", "--chdir", FOLDER, "--"]
        words += first_words(self.limits, forwarded(machine.python, command) if self.socket else command, files=GIVEN)
        if os.geteuid() != 0:
            return words
        as_owner = ["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups", "--", *words]
        if not mounts:
            return as_owner
        return [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            " && ".join([*mounts, 'exec "$@"']),
            "sh",
            *as_owner,
        ]

    def _places(self, machine: Machine) -> list[str]:
        """All that is seen beside the system's folders."""
        words = ["--ro-bind", str(self.place / "etc"), "/etc"]
        for setting in SETTINGS:
            words += ["--ro-bind-try", setting, setting]
        for target, place in machine.links:
            words += ["--symlink", target, place]
        for hidden in machine.hidden:
            words += ["--tmpfs", hidden, "--remount-ro", hidden]
        words += ["--proc", "/proc", "--dev", "/dev"]
        for scratch_folder in SCRATCH:
            words += ["--size", str(self.limits.disk), "--tmpfs", scratch_folder]
        words += ["--remount-ro", "/dev", "--size", str(folder_size(self.limits)), "--tmpfs", FOLDER]
        words += ["--ro-bind", str(self.place / "work"), GIVEN]
        if self.socket is not None:
            words += ["--ro-bind", str(self.socket), SOCKET, "--ro-bind", self._copy_of_forwarder(), FORWARDER]
        return words

    def _copy_of_forwarder(self) -> str:
        """The forwarder where the user it runs as can read it."""
        copy = self.place / "forwarder.py"
        copy.write_bytes(Path(__file__).with_name("forwarder.py").read_bytes())
        return str(copy)


def _open_to_all(folder: Path) -> bool:
    """Whether any user has a way to a folder."""
    return all(one.stat().st_mode & 0o001 for one in (folder, *folder.resolve().parents))


def _unnamed_file(content: bytes) -> int:
    handle = os.memfd_create("seccomp")
    os.write(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle
