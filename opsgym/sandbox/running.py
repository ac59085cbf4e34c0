"""Running a command in whatever form: laying out its folders, starting and watching it, and saying what came of it."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from opsgym.core.errors import BackendError, TaskError
from opsgym.sandbox.folder import TooMuch, collect, entries, is_too_much, lay
from opsgym.sandbox.limits import Limits
from opsgym.sandbox.machine import ETC, SETTINGS
from opsgym.sandbox.processes import parent_of
from opsgym.sandbox.sandbox import FOLDER, SCRATCH, Completed, Files
from opsgym.sandbox.watching import Watch, end_process

MAX_COMMAND = 60_000
"""Bytes of a command; the kernel takes 128 KiB of one word."""

_CREDENTIALS = struct.Struct("3i")  # struct ucred of unix(7): process, user, group
_BEGIN = 60.0  # seconds within which a form must have its command ready, on a machine with much else to do


@contextmanager
def faults_of(form: str) -> Iterator[None]:
    """A context in which what the host refuses (descriptors, processes, room) is a fault of the form, not of the command."""
    try:
        yield
    except OSError as error:
        raise BackendError(f"{form} failed: {error}") from error


def check_command(command: Sequence[str]) -> None:
    """See that a command can be run.

    Raises:
        TaskError: It is empty, holds a NUL or half a character (a lone surrogate), or is longer than :data:`MAX_COMMAND`.
    """
    if not command or isinstance(command, str) or not all(isinstance(word, str) and "\0" not in word for word in command):
        raise TaskError(f"expected a program and its arguments, got {command!r}", field="command")
    try:
        size = sum(map(len, map(str.encode, command)))
    except UnicodeEncodeError as error:
        raise TaskError(f"expected text, got {error.object[error.start]!r}", field="command") from error
    if size > MAX_COMMAND:
        raise TaskError(f"expected at most {MAX_COMMAND} bytes, got {size}; put long texts into files", field="command")


def completed(watch: Watch, status: int, files: Files, seconds: float) -> Completed:
    """What came of a command, once nothing of it is left."""
    kept, dropped, stopped = dict(sorted(files.items())), (), watch.stopped
    if stopped != "disk":
        try:
            kept, dropped = collect(watch.folder, watch.limits)  # type: ignore[assignment]  # an empty tuple before
        except TooMuch:
            stopped = "disk"
    out, err = (bytes(part).decode("utf-8", "replace") for part in (watch.stdout, watch.stderr))
    return Completed(status, out, err, kept, stopped, dropped, seconds)


def prepare(place: Path, files: Files, limits: Limits, *, owner: int | None) -> Path:
    """Lay the folders of a run; the working one, which is returned, belongs to whom the command runs as.

    Raises:
        TaskError: The files are more than the limits allow.
    """
    if is_too_much(files, limits):
        given = f"{entries(files)} of {sum(map(len, files.values()))}"
        raise TaskError(f"expected at most {limits.files} files of {limits.disk} bytes together, got {given}", field="files")
    place.chmod(0o711)
    etc, work = place / "etc", place / "work"
    for made in (etc, work):
        made.mkdir()
    for name, text in ETC.items():
        (etc / name).write_text(text)
    for setting in map(Path, SETTINGS):
        if setting.is_dir():
            (etc / setting.name).mkdir()
        elif setting.exists():
            (etc / setting.name).touch()
    lay(files, work, owner=owner)
    work.chmod(0o755)
    return work


def folder_size(limits: Limits) -> int:
    """Bytes of a file system for the working folder: blocks count whole, and that it is full must show."""
    return limits.disk + 4096 * (limits.files + 16)


def carry_out(
    words: Sequence[str],
    files: Files,
    limits: Limits,
    *,
    form: str,
    folder: Path | None = None,
    keep: tuple[int, ...] = (),
    kill: Callable[[int], None] | None = None,
) -> Completed:
    """Start a command line, watch it to its end and collect what it leaves.

    Args:
        words: The command line.  Its standard input is a socket: when the working folder is ready, a child of the command's first
            process writes a byte there, reads one, and becomes the command.
        files: The working folder at the start.
        limits: What it may take.
        form: Its name, for messages.
        folder: The working folder on the host; by default what the first process sees as :data:`FOLDER`.
        keep: File descriptors that it inherits.
        kill: Ends all that came of the process started, for a form in which the kernel does not do it with the first one.

    Raises:
        BackendError: The command was not begun.
    """
    if not hasattr(os, "pidfd_open"):
        raise BackendError("the sandbox needs Linux 5.3 or newer")
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    with ours, theirs, ExitStack() as stack:
        try:
            process = subprocess.Popen(
                words,
                stdin=theirs.fileno(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=keep,
                env={"PATH": os.defpath},
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise BackendError(f"{form}: {error}") from error
        theirs.close()
        killing = _Kill(process, kill)
        stack.callback(killing)
        watch = Watch(process, process.pid, Path(), limits, killing, bytearray(), bytearray())
        first = _first_process(ours)
        if first is None:
            raise BackendError(f"{form} failed: {watch.last_words()}")
        killing.handle = os.pidfd_open(first)
        stack.callback(os.close, killing.handle)
        stack.callback(killing)
        watch.root = first
        if folder is None:
            watch.places = [_seen_by(first, place, stack) for place in (FOLDER, *SCRATCH)]
            # held open, it stays when the process and its view are gone
            folder = Path(f"/proc/self/fd/{watch.places[0]}")
        watch.folder = folder
        ours.sendall(b"\n")
        started = time.monotonic()
        status = watch.until_gone()
        return completed(watch, status, files, time.monotonic() - started)


class _Kill:
    """Ends all of a command, and returns when it is gone.

    Args:
        process: The process that was started.
        extra: What else is to be done, with the number of the process that was started.

    Attributes:
        handle: The first process of a namespace, with which the kernel ends all others; none before it is there.
    """

    def __init__(self, process: subprocess.Popen[bytes], extra: Callable[[int], None] | None) -> None:
        self.process, self.extra = process, extra
        self.handle: int | None = None

    def __call__(self) -> None:
        if self.process.returncode is not None:  # its number may be another's by now
            return
        if self.extra is not None:
            self.extra(self.process.pid)
        self.process.kill()
        if self.handle is not None:
            end_process(self.handle)


def _first_process(ours: socket.socket) -> int | None:
    """Number of the command's first process, as soon as the working folder is ready; none where something went wrong before.

    The kernel tells who wrote to the socket, and translates the number between the namespaces.
    """
    ours.settimeout(_BEGIN)
    try:
        said, told, *_ = ours.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
    except (TimeoutError, ConnectionError):
        return None
    for level, kind, data in told if said else ():
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            return parent_of(_CREDENTIALS.unpack(data)[0])
    return None


def _seen_by(process: int, place: str, stack: ExitStack) -> int:
    """A descriptor of a folder as a process sees it."""
    handle = os.open(f"/proc/{process}/root{place}", os.O_RDONLY | os.O_DIRECTORY)
    stack.callback(os.close, handle)
    return handle
