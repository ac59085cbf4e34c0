"""Too much time, and ways around the limits of time."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, ended, stopped

ESCAPES = (
    Escape(
        "a loop without end",
        "time",
        """
while True:
    pass
""",
        stopped("cpu", "wall"),
        needs="",
        slow=True,
    ),
    Escape(
        "four loops at once",
        "time",
        """
os.fork()
os.fork()
while True:
    pass
""",
        stopped("cpu", "wall"),
        needs="",
        slow=True,
    ),
    Escape("sleeping for ever", "time", "time.sleep(1000)", stopped("wall"), needs="", slow=True),
    Escape(
        "signals of the end ignored",
        "time",
        """
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    time.sleep(0.1)
""",
        stopped("wall"),
        needs="",
        slow=True,
    ),
    Escape(
        "a storm of timers",
        "time",
        """
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
while True:
    time.sleep(0.1)
""",
        stopped("wall", "cpu"),
        needs="",
        slow=True,
    ),
    Escape(
        "raising the limits",
        "time",
        """
for name in ("RLIMIT_NPROC", "RLIMIT_FSIZE", "RLIMIT_CPU", "RLIMIT_DATA", "RLIMIT_AS", "RLIMIT_NOFILE", "RLIMIT_CORE"):
    attempt(name, lambda: resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
""",
        ended,
        needs="",
    ),
    Escape(
        "a higher priority",
        "time",
        """
attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) - 5))
attempt("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
""",
        ended,
        needs="",
    ),
    Escape(
        "setting the clock",
        "time",
        'attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))',
        ended,
        needs="",
    ),
)
