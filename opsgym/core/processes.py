"""What a worker process does first, so that it ends when it should and not before."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing import parent_process
from multiprocessing.connection import wait

__all__ = ["begin_worker", "end_with_parent", "leave_interrupts_to_parent"]


def begin_worker() -> None:
    """Have this process end with the one that started it, and by nothing that the terminal sends."""
    leave_interrupts_to_parent()
    end_with_parent()


def leave_interrupts_to_parent() -> None:
    """Ignore Ctrl-C, which reaches all processes of a terminal: the one that started this one ends it in good order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_with_parent() -> None:
    """End this process as soon as the one that started it is gone, even if that was killed and could say nothing.

    A worker of a pool would else wait for ever: it holds both ends of the queue that it waits at.
    """
    if parent_process() is not None:
        threading.Thread(target=_watch_parent, name="end_with_parent", daemon=True).start()


def _watch_parent() -> None:
    parent = parent_process()
    assert parent is not None, "this is a worker"
    wait([parent.sentinel])
    os._exit(1)
