"""The escape suite: every attempt in a form of the sandbox, and a look at the host after each."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsgym.core.errors import BackendError
from opsgym.sandbox.escapes import ESCAPES, LIMITS, PRELUDE, Escape
from opsgym.sandbox.folder import MEMORY
from opsgym.sandbox.machine import this_machine
from opsgym.sandbox.sandbox import Completed, Sandbox, has_view

_PLACES: tuple[Path, ...] = tuple(
    {
        Path(place).resolve(): None
        for place in (
            *("/", "/usr", "/usr/bin", "/etc", "/lib", "/dev/shm", tempfile.gettempdir(), sys.prefix, sys.base_prefix),
            *(sysconfig.get_paths()[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")),
            str(Path(__file__).parents[1]),
        )
    }
)
"""Where attempts try to leave files."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attempt.

    Attributes:
        escape: The attempt.
        problem: What got out or was not contained; empty when all is well.
        host: What is different on the host; empty when nothing is.
        goes_on: Whether the form still runs commands.
        seconds: Wall time of the attempt.
        how: How it ended, in few words.
    """

    escape: Escape
    problem: str
    host: str
    goes_on: bool
    seconds: float
    how: str

    @property
    def contained(self) -> bool:
        """Whether nothing got out, the host is unchanged and the form goes on."""
        return not self.problem and not self.host and self.goes_on


def escapes_for(sandbox: Sandbox) -> tuple[Escape, ...]:
    """The attempts against promises that a form makes on this machine."""
    needs = {"", "user", "view"} if has_view(sandbox) else {"", "user"} if os.geteuid() == 0 else {""}
    return tuple(escape for escape in ESCAPES if escape.needs in needs)


def try_escape(sandbox: Sandbox, escape: Escape, host: Host) -> Outcome:
    """Run one attempt, and look at what is different afterwards."""
    program = PRELUDE + host.fill(escape.program, sockets=has_view(sandbox))
    problem, done = "", Completed(0, "", "", {})
    for _ in range(escape.times):
        try:
            done = sandbox.run(["python", "-c", program, host.mark], files={}, limits=LIMITS)
        except BackendError as error:
            problem = f"the form broke: {error}"
            break
        problem = problem or _escaped(done, host) or escape.judge(done)
    return Outcome(escape, problem, host.difference(), _goes_on(sandbox), done.seconds, _how(done))


def _escaped(done: Completed, host: Host) -> str:
    for line in done.stdout.splitlines():
        if line.startswith("ESCAPED"):
            return line[:200]
    said = (done.stdout + done.stderr).encode() + b"".join(done.files.values())
    return "the secret of the host was read" if host.token.encode() in said else ""


def _goes_on(sandbox: Sandbox) -> bool:
    try:
        done = sandbox.run(["sh", "-c", "cat in; echo on > out"], files={"in": b"still "}, limits=LIMITS)
    except BackendError:
        return False
    return (done.exit_code, done.stdout, dict(done.files)) == (0, "still ", {"in": b"still ", "out": b"on\n"})


def _how(done: Completed) -> str:
    if done.stopped:
        return f"stopped: {done.stopped}"
    refused = done.stdout.count("refused:")
    return f"{refused} refused" if refused else f"exit {done.exit_code}"


class Host:
    """Things of the host that attempts try to reach, and how they were before; made by :func:`host`.

    Args:
        folder: A private folder.
        victim: A process that does nothing.
        listening: Sockets that nobody may reach: at a port, at an abstract name, at a path.

    Attributes:
        token: The secret that stands in a file, in this process's environment and in its arguments' environment.
        mark: An argument by which processes of attempts can be found.
    """

    def __init__(self, folder: Path, victim: subprocess.Popen[bytes], listening: tuple[socket.socket, ...], token: str) -> None:
        self.folder, self.victim, self.listening, self.token = folder, victim, listening, token
        self.mark = f"opsgym-mark-{secrets.token_hex(6)}"
        self._before = self._look()

    def fill(self, program: str, *, sockets: bool) -> str:
        """A program that names things of this host.

        Args:
            program: The text.
            sockets: Whether programs can make sockets at all.
        """
        port, abstract, path = (one.getsockname() for one in self.listening)
        values = {
            "secret": self.folder / "secret.txt",
            "folder": self.folder,
            "package": Path(__file__).parents[1],
            "home": Path.home(),
            "token": self.token,
            "victim": self.victim.pid,
            "port": port[1],
            "abstract": abstract.decode().strip("\0"),
            "socket": path,
            "environment": sorted({*dict(this_machine().environment), "PWD", "LC_CTYPE", "OLDPWD", "SHLVL", "_"}),
            "sockets": sockets,
        }
        for name, value in values.items():
            program = program.replace("{" + name + "}", str(value))
        return program

    def difference(self) -> str:
        """What is different from before; empty when nothing is."""
        now = self._look()
        names = [name for name in now if now[name] != self._before[name]]
        return ", ".join(f"{name}: {self._before[name]} became {now[name]}"[:300] for name in names)

    def _look(self) -> dict[str, object]:
        return {
            "the secret": (self.folder / "secret.txt").read_text() == self.token,
            "files beside it": sorted(os.listdir(self.folder)),
            "the other process": self.victim.poll(),
            "connections": [_waiting(one) for one in self.listening],
            "the interpreter's library": _state(Path(os.__file__)),
            "left processes": len(marked(self.mark)),
            "left folders": _left_folders(),
            "planted files": [str(one) for place in _PLACES for one in (place / "planted", place / "planted.py") if one.exists()],
            "name of the host": socket.gethostname(),
        }


def _waiting(listening: socket.socket) -> int:
    """Connections that wait to be accepted."""
    with suppress(BlockingIOError):
        listening.accept()[0].close()
        return 1
    return 0


def _state(path: Path) -> tuple[int, int, int]:
    facts = path.stat()
    return facts.st_mode, facts.st_size, facts.st_mtime_ns


def marked(mark: str) -> list[int]:
    """Processes with an argument."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/cmdline", "rb") as file:
            if mark.encode() in file.read():
                found.append(int(name))
    return found


def _left_folders() -> list[str]:
    """Private folders of runs of this process that were not removed."""
    places = [MEMORY, Path(tempfile.gettempdir())]
    return sorted(str(one) for place in places if place.is_dir() for one in place.glob(f"opsgym-sandbox-{os.getpid()}-*"))


@contextmanager
def host() -> Iterator[Host]:
    """A host with things to reach; removed afterwards."""
    token = f"opsgym-secret-{secrets.token_hex(12)}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="opsgym-escape-")))
        (folder / "secret.txt").write_text(token)
        folder.chmod(0o755)
        victim = stack.enter_context(
            subprocess.Popen(["sleep", "3600"], env={"OPSGYM_SECRET": token, "PATH": os.defpath}, stdin=subprocess.DEVNULL)
        )
        stack.callback(victim.kill)
        addresses: dict[Any, socket.AddressFamily] = {
            ("127.0.0.1", 0): socket.AF_INET,
            f"\0opsgym-{token[-6:]}": socket.AF_UNIX,
            str(folder / "sock"): socket.AF_UNIX,
        }
        listening = tuple(stack.enter_context(socket.socket(kind)) for kind in addresses.values())
        for one, address in zip(listening, addresses, strict=True):
            one.bind(address)
            one.listen()
            one.setblocking(False)
        (folder / "sock").chmod(0o777)
        before = os.environ.get("OPSGYM_SECRET")
        os.environ["OPSGYM_SECRET"] = token
        stack.callback(_put_back, before)
        yield Host(folder, victim, listening, token)


def _put_back(value: str | None) -> None:
    os.environ.pop("OPSGYM_SECRET", None)
    if value is not None:
        os.environ["OPSGYM_SECRET"] = value


def check_form(sandbox: Sandbox, *, tell: Callable[[Outcome], None] = lambda outcome: None) -> list[Outcome]:
    """Try everything that a form promises to contain.

    Args:
        sandbox: The form.
        tell: Called with each outcome as it comes.
    """
    outcomes = []
    with host() as one:
        for escape in escapes_for(sandbox):
            outcomes.append(try_escape(sandbox, escape, one))
            tell(outcomes[-1])
    return outcomes
