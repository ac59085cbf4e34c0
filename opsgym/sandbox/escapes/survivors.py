"""What is to outlive the run: processes, files, queues."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, ended

ESCAPES = (
    Escape(
        "a process in the background",
        "survivors",
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', sys.argv[1]])",
        ended,
        needs="",
    ),
    Escape(
        "a daemon: two forks and a session of its own",
        "survivors",
        """
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if os.fork() == 0:
        for handle in (0, 1, 2):
            os.close(handle)
        time.sleep(60)
    os._exit(0)
os.wait()
""",
        ended,
        needs="",
    ),
    Escape(
        "a daemon that goes on writing files",
        "survivors",
        """
if os.fork() == 0:
    os.setsid()
    while True:
        write("late")
        time.sleep(0.001)
time.sleep(0.1)
""",
        ended,
        needs="",
    ),
    Escape(
        "files left for the next run",
        "survivors",
        """
for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run", "/opt", "."):
    mark = folder + "/opsgym-left-" + sys.argv[1]
    if os.path.exists(mark):
        print("ESCAPED:", mark)
    try:
        if folder != ".":
            write(mark)
    except OSError:
        pass
""",
        ended,
        times=2,
    ),
    Escape(
        "a queue of the kernel left for the next run",
        "survivors",
        'attempt("msgget", lambda: call(68, 186, 4711, 0o1600))',
        ended,
        needs="",
    ),
)
