"""Too much output, too many open files."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, either, ended, stopped

ESCAPES = (
    Escape(
        "output without end",
        "output",
        """
while True:
    print("x" * 1000)
""",
        stopped("output"),
        needs="",
    ),
    Escape(
        "output without end, as errors",
        "output",
        """
while True:
    os.write(2, b"x" * 65536)
""",
        stopped("output"),
        needs="",
    ),
    Escape("one line of output of 32 MiB", "output", 'print("x" * 2**25)', stopped("output"), needs=""),
    Escape(
        "output from a child that outlives its parent",
        "output",
        """
if os.fork() == 0:
    while True:
        os.write(1, b"x" * 4096)
""",
        either(stopped("output"), ended),
        needs="",
    ),
    Escape(
        "open files without end",
        "output",
        """
held = []
attempt("5000 files", lambda: [held.append(open("/dev/null")) for _ in range(5000)])
""",
        ended,
        needs="",
    ),
)
