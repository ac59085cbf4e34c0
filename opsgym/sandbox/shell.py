"""The shell words that bring a command under the kernel's limits."""

from __future__ import annotations

import math
from collections.abc import Sequence

from opsgym.sandbox.limits import Limits

_OPEN_FILES = 1024
_ADDRESS_SPACE = 8  # times the memory limit: what is reserved but not used does not hurt
_OWN = 2  # processes of the form itself that count


def first_words(limits: Limits, command: Sequence[str], *, files: str) -> list[str]:
    """A command line that fills the working folder, takes the limits, which cannot be raised again, and becomes the command.

    Args:
        limits: What the command may take.
        command: Program and arguments.
        files: Where the files are that the working folder gets.
    """
    processes = limits.processes + _OWN
    script = [
        f"cp -a {files}/. . || exit",
        "echo >&0",  # standard input is a socket, whose other end opens the folder and answers
        "read -r _ || exit",
        "exec 0</dev/null",
        "ulimit -c 0",
        f"ulimit -n {_OPEN_FILES}",
        f"ulimit -f {math.ceil(limits.disk / 512)}",
        f"ulimit -d {limits.memory // 1024}",
        f"ulimit -v {_ADDRESS_SPACE * limits.memory // 1024}",
        f"ulimit -t {math.ceil(limits.cpu) + 1}",
        f"ulimit -u {processes} 2>/dev/null || ulimit -p {processes}",  # dash and bash name it differently
        'exec "$@"',
    ]
    return ["/bin/sh", "-c", "\n".join(script), "sh", *command]
