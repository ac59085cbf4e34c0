"""Too many processes, too much memory."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, either, ended, failed_or_stopped, no_more_than, stopped

ESCAPES = (
    Escape(
        "fork bomb, each child sleeping",
        "processes",
        """
made = 0
try:
    while made < 500:
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        made += 1
except OSError:
    pass
print(made)
""",
        no_more_than(64),
        needs="",
    ),
    Escape(
        "fork bomb, every child forking on",
        "processes",
        """
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
""",
        stopped("wall", "cpu", "processes"),
        needs="",
        slow=True,
    ),
    Escape(
        "thread bomb",
        "processes",
        """
threading.stack_size(65536)
made = 0
try:
    while made < 500:
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        made += 1
except RuntimeError:
    pass
print(made, flush=True)
os._exit(0)
""",
        no_more_than(64),
        needs="",
    ),
    Escape(
        "memory bomb in one process",
        "memory",
        """
held = []
while True:
    held.append(b"x" * 2**22)
""",
        failed_or_stopped,
        needs="",
    ),
    Escape(
        "memory bomb spread over processes",
        "memory",
        """
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(os.urandom(1024) * 80000)
        time.sleep(30)
time.sleep(30)
""",
        stopped("memory", "wall"),
        needs="",
    ),
    Escape(
        "memory bomb in shared pages",
        "memory",
        """
held = mmap.mmap(-1, 2**29)
for start in range(0, 2**29, 4096):
    held[start] = 1
print("ESCAPED: 512 MiB")
""",
        failed_or_stopped,
        needs="",
    ),
    Escape("memory in a file without a name", "memory", 'attempt("memfd", lambda: os.memfd_create("x"))', ended, needs=""),
    Escape(
        "memory in the buffers of sockets",
        "memory",
        """
for _ in range(15):
    if os.fork() == 0:
        break
held = []
while len(held) < 400:
    pair = socket.socketpair()
    held.append(pair)
    for one in pair:
        one.setblocking(False)
        try:
            while True:
                one.send(bytes(60000))
        except BlockingIOError:
            pass
time.sleep(10)
print("ESCAPED: sockets of 1 GiB")
""",
        either(stopped("memory"), failed_or_stopped),
    ),
    Escape(
        "memory in System V semaphores",
        "memory",
        'attempt("semget", lambda: call(64, 190, 0, 32000, 0o1600))',
        ended,
        needs="",
    ),
    Escape(
        "memory in requests to the disk",
        "memory",
        'attempt("io_setup", lambda: call(206, 0, 60000, ctypes.byref(ctypes.c_ulong())))',
        ended,
        needs="",
    ),
    Escape(
        "memory in a System V segment",
        "memory",
        'attempt("shmget", lambda: call(29, 194, 0, ctypes.c_size_t(2**29), 0o1600))',
        ended,
        needs="",
    ),
)
