"""Watching a command: its output is read, what it takes is measured, and all of it is killed when that is too much."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

from opsgym.sandbox.folder import TooMuch, check_room, measure
from opsgym.sandbox.limits import Limits
from opsgym.sandbox.processes import Meter, shared_memory
from opsgym.sandbox.sandbox import Stopped

_TICK = 0.02  # seconds between two looks at what is taken
_SHARE = 5  # the folder is measured for at most one part in so many of the time
_OWN = 3  # processes of the form itself


@dataclass(slots=True)
class Watch:
    """One command being watched.

    Args:
        process: The command, with pipes for its output, in a form that passes its exit status on.
        root: The process from which all of the command descends.
        folder: Where the working folder is, once the command begins.
        limits: What it may take.
        kill: Ends all of the command, and returns when it is gone.

    Attributes:
        stdout: What it wrote to standard output.
        stderr: The same of standard error.
        stopped: The limit that ended it.
        places: Descriptors of the folders it writes to, where each is a file system of its own; else the folder is walked.
    """

    process: Popen[bytes]
    root: int
    folder: Path
    limits: Limits
    kill: Callable[[], None]
    stdout: bytearray
    stderr: bytearray
    stopped: Stopped = ""
    places: Sequence[int] = ()

    def until_gone(self) -> int:
        """Wait until the command ends or takes too much; nothing of it is left on return.

        Returns:
            The exit status, 128 and the signal's number when a signal ended it.
        """
        try:
            self._wait()
        finally:
            self.kill()
            status = self.process.wait()
        self._drain()
        return 128 - status if status < 0 else status

    def last_words(self) -> str:
        """End a command that could not be begun, and give what the form said."""
        self.kill()
        status = self.process.wait()
        self._drain()
        return self.stderr.decode("utf-8", "replace").strip()[:500] or f"exit status {status}"

    def _wait(self) -> None:
        start = due = time.monotonic()
        ended, meter = os.pidfd_open(self.process.pid), Meter(self.root)
        try:
            with selectors.DefaultSelector() as waiting:
                waiting.register(ended, selectors.EVENT_READ)
                for pipe in (self.process.stdout, self.process.stderr):
                    assert pipe is not None
                    os.set_blocking(pipe.fileno(), False)
                    waiting.register(pipe.fileno(), selectors.EVENT_READ)
                while not self.stopped:
                    ready = [key.fd for key, _ in waiting.select(_TICK)]
                    for written in ready:
                        if written != ended and not self._read(written):
                            waiting.unregister(written)
                    if ended in ready:
                        return
                    now = time.monotonic()
                    self.stopped = self.stopped or self._over(now - start, meter)
                    if not self.stopped and now >= due:
                        self.stopped = self._full()
                        due = time.monotonic() + max(2 * _TICK, _SHARE * (time.monotonic() - now))
        finally:
            os.close(ended)

    def _read(self, pipe: int) -> bool:
        """Read what has been written; whether there may be more later."""
        assert self.process.stdout is not None
        kept = self.stdout if pipe == self.process.stdout.fileno() else self.stderr
        try:
            chunk = os.read(pipe, 65536)
        except BlockingIOError:
            return True
        room = self.limits.output - len(self.stdout) - len(self.stderr)
        kept += chunk[: max(0, room)]
        if len(chunk) > room:
            self.stopped = "output"
        return bool(chunk)

    def _over(self, seconds: float, meter: Meter) -> Stopped:
        limits = self.limits
        if seconds > limits.wall:
            return "wall"
        taken = meter.read()
        if taken.cpu > limits.cpu:
            return "cpu"
        if taken.threads > limits.processes + _OWN:
            return "processes"
        room = limits.memory - taken.held
        return "memory" if taken.memory > room and shared_memory(meter.root) > room else ""

    def _full(self) -> Stopped:
        try:
            if self.places:
                check_room(self.places, self.limits)
            else:
                measure(self.folder, self.limits)
        except TooMuch:
            return "disk"
        return ""

    def _drain(self) -> None:
        """Read what was written before the end."""
        stopped = self.stopped
        pipes = [pipe for pipe in (self.process.stdout, self.process.stderr) if pipe is not None]
        for pipe in pipes:
            os.set_blocking(pipe.fileno(), False)
            size = -1
            while size != (size := len(self.stdout) + len(self.stderr)) and self._read(pipe.fileno()):
                pass
        for pipe in pipes:
            pipe.close()
        self.stopped = stopped or self.stopped


def end_process(handle: int, *, seconds: float = 10.0) -> None:
    """Kill the process behind a pidfd and wait until it is gone; for the first one of a namespace that means all of them."""
    import signal

    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    with selectors.DefaultSelector() as waiting:
        waiting.register(handle, selectors.EVENT_READ)
        waiting.select(seconds)
