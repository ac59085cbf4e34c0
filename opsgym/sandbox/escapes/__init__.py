"""The attempts of the escape suite: programs that try to get out of a sandbox, or to take more than they may.

Each is Python text.  It prints ``ESCAPED`` and what it reached when it succeeds; :mod:`opsgym.sandbox.check` looks at the host
besides.  Bombs are small: the limits of the suite are.
"""

from __future__ import annotations

from opsgym.sandbox.escapes import clock, disk, files, host_processes, installation, load, network, output, rights, survivors
from opsgym.sandbox.escapes.escape import LIMITS, PRELUDE, Escape

__all__ = ["ESCAPES", "LIMITS", "PRELUDE", "Escape"]

ESCAPES: tuple[Escape, ...] = (
    *load.ESCAPES,
    *disk.ESCAPES,
    *output.ESCAPES,
    *clock.ESCAPES,
    *survivors.ESCAPES,
    *files.ESCAPES,
    *installation.ESCAPES,
    *host_processes.ESCAPES,
    *network.ESCAPES,
    *rights.ESCAPES,
)
"""All attempts."""
