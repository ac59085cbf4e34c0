"""The host's processes: seen, signalled, traced."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, ended

ESCAPES = (
    Escape(
        "the host's processes in /proc",
        "processes of the host",
        """
seen = [one for one in os.listdir("/proc") if one.isdigit()]
if len(seen) > 6:
    print("ESCAPED:", len(seen))
""",
        ended,
    ),
    Escape(
        "the environment of the host's processes",
        "processes of the host",
        """
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        if b"{token}" in read(path):
            print("ESCAPED:", path)
    except OSError:
        pass
""",
        ended,
        needs="user",
    ),
    Escape(
        "its own environment",
        "processes of the host",
        """
known = set({environment})
for name in os.environ:
    if name not in known:
        print("ESCAPED:", name)
""",
        ended,
        needs="",
    ),
    Escape(
        "open files that are inherited",
        "processes of the host",
        """
for one in os.listdir("/proc/self/fd"):
    if int(one) > 2 and os.path.exists(f"/proc/self/fd/{one}") and "proc" not in os.readlink(f"/proc/self/fd/{one}"):
        print("ESCAPED:", one, os.readlink(f"/proc/self/fd/{one}"))
""",
        ended,
        needs="",
    ),
    Escape(
        "signals to a process of the host",
        "processes of the host",
        'attempt("kill", lambda: os.kill({victim}, signal.SIGKILL))',
        needs="user",
    ),
    Escape(
        "a signal to the parent",
        "processes of the host",
        """
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(0.1)
""",
    ),
    Escape(
        "a signal to everyone",
        "processes of the host",
        """
os.kill(-1, signal.SIGKILL)
time.sleep(0.1)
""",
    ),
    Escape(
        "tracing a process",
        "processes of the host",
        """
attempt("attach", lambda: call(101, 117, 16, {victim}, 0, 0))
attempt("seize", lambda: call(101, 117, 0x4206, os.getppid(), 0, 0))
attempt("read memory", lambda: call(310, 270, {victim}, 0, 0, 0, 0, 0))
""",
        ended,
        needs="",
    ),
    Escape(
        "shielding itself from the kernel's need of memory",
        "processes of the host",
        """
try:
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")
    print("ESCAPED: oom_score_adj")
except OSError as error:
    print("refused:", error)
""",
        ended,
        needs="",
    ),
)
