"""The attempts of the escape suite: programs that try to get out of a sandbox, or to take more than they may.

Each is Python text.  It prints ``ESCAPED`` and what it reached when it succeeds; :mod:`opsgym.sandbox.check` looks at the host
besides.  Bombs are small: the limits of the suite are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from opsgym.sandbox.limits import MIB, Limits
from opsgym.sandbox.sandbox import Completed

LIMITS = Limits(wall=1.5, cpu=1.0, memory=256 * MIB, processes=64, output=64 * 1024, disk=4 * MIB, files=500)
"""Limits of every attempt."""

PRELUDE = """
import ctypes, errno, glob, mmap, os, resource, shutil, signal, socket, stat, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)

def attempt(what, action):
    try:
        found = action()
    except BaseException as error:
        print("refused:", what, type(error).__name__, str(error)[:80])
    else:
        print("ESCAPED:", what, repr(found)[:200])

def call(x86_64, aarch64, *arguments):
    number = x86_64 if os.uname().machine == "x86_64" else aarch64
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def read(path):
    with open(path, "rb") as file:
        return file.read(4096)

def write(path):
    with open(path, "w") as file:
        file.write("escaped")

"""
"""What every attempt begins with."""

Judge = Callable[[Completed], str]
"""Says what is wrong with what came of an attempt; empty when it was contained."""


@dataclass(frozen=True, slots=True)
class Escape:
    """One attempt.

    Attributes:
        name: What is tried, in few words.
        group: What kind of promise it tries.
        program: The Python text after :data:`PRELUDE`; ``{secret}`` and the like stand for things of the host.
        judge: What must hold of the result, beside that nothing escaped.
        needs: ``"view"`` when only a form with namespaces can keep the promise, ``"user"`` when also one with a user of its own
            can, else empty.
        times: How often it is run.
        slow: Whether it takes until a limit of time ends it.
    """

    name: str
    group: str
    program: str
    judge: Judge = lambda done: ""
    needs: str = "view"
    times: int = 1
    slow: bool = False


def stopped(*limits: str) -> Judge:
    """Ended by one of these limits."""
    return lambda done: "" if done.stopped in limits else f"expected to be stopped by {' or '.join(limits)}, got {done.stopped!r}"


def ended(done: Completed) -> str:
    """Ended by itself, without a fault of its own."""
    return (
        ""
        if done.exit_code == 0 and not done.stopped
        else f"exit {done.exit_code}, stopped {done.stopped!r}: {done.stderr[-200:]}"
    )


def either(one: Judge, other: Judge) -> Judge:
    """One of two things holds."""
    return lambda done: one(done) and other(done)


def no_more_than(count: int) -> Judge:
    """The last word of the output is a number up to ``count``."""
    return lambda done: "" if done.stdout.split() and int(done.stdout.split()[-1]) <= count else f"got {done.stdout[-40:]!r}"


def kept(*paths: str) -> Judge:
    """These files are left, and no others."""
    return lambda done: "" if list(done.files) == list(paths) else f"files left: {list(done.files)[:5]}"


def _failed_or_stopped(done: Completed) -> str:
    return "" if done.stopped or done.exit_code else "it went through"


ESCAPES: tuple[Escape, ...] = (
    # -- taking too much ----------------------------------------------------------------------------------------------
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
        _failed_or_stopped,
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
        _failed_or_stopped,
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
        either(stopped("memory"), _failed_or_stopped),
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
    Escape(
        "one file that grows for ever",
        "disk",
        """
with open("big", "wb") as file:
    while True:
        file.write(b"x" * 2**16)
""",
        _failed_or_stopped,
        needs="",
    ),
    Escape(
        "many files that fill the disk",
        "disk",
        """
while True:
    with open(f"part{time.monotonic_ns()}", "wb") as file:
        file.write(b"x" * 2**18)
""",
        stopped("disk"),
        needs="",
    ),
    Escape(
        "a great many empty files",
        "disk",
        """
while True:
    open(f"f{time.monotonic_ns()}", "w").close()
""",
        stopped("disk"),
        needs="",
    ),
    Escape(
        "a sparse file of a terabyte",
        "disk",
        """
with open("sparse", "wb") as file:
    attempt("truncate", lambda: file.truncate(2**40))
""",
        needs="",
    ),
    Escape(
        "sparse files, each within its limit",
        "disk",
        """
for number in range(10):
    with open(f"s{number}", "wb") as file:
        file.truncate(2**21)
""",
        stopped("disk"),
        needs="",
    ),
    Escape(
        "folders in folders, two thousand deep",
        "disk",
        """
for _ in range(2000):
    os.mkdir("d")
    os.chdir("d")
write("x")
""",
        needs="",
    ),
    Escape(
        "filling /tmp",
        "disk",
        """
with open("/tmp/big", "wb") as file:
    attempt("32 MiB", lambda: [file.write(b"x" * 2**20) and file.flush() for _ in range(32)])
""",
    ),
    Escape(
        "filling /tmp with many files",
        "disk",
        """
def fill():
    for number in range(32):
        with open(f"/tmp/big{number}", "wb") as file:
            file.write(b"x" * 2**20)
attempt("32 MiB", fill)
""",
    ),
    Escape(
        "filling /tmp with files of no size",
        "disk",
        """
for number in range(200000):
    os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
print("ESCAPED: 200000 files")
""",
        _failed_or_stopped,
    ),
    Escape(
        "files where no path is short enough to be named",
        "disk",
        """
for _ in range(25):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
for number in range(200000):
    os.close(os.open(str(number), os.O_CREAT | os.O_WRONLY))
print("ESCAPED: 200000 files")
""",
        _failed_or_stopped,
    ),
    Escape(
        "a path that is too long for the next run",
        "disk",
        """
for _ in range(19):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
write("x" * 250)
""",
        ended,
        needs="",
    ),
    Escape(
        "filling /dev/shm",
        "disk",
        """
def fill():
    for number in range(32):
        with open(f"/dev/shm/big{number}", "wb") as file:
            file.write(b"x" * 2**20)
attempt("32 MiB", fill)
""",
    ),
    Escape(
        "a zip bomb",
        "disk",
        """
import zipfile
with zipfile.ZipFile("/tmp/bomb.zip" if os.access("/tmp", os.W_OK) else "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
    for number in range(20):
        bomb.writestr(f"zeros{number}", bytes(2**20))
with zipfile.ZipFile(bomb.filename) as bomb:
    bomb.extractall("out")
print("ESCAPED: 20 MiB")
""",
        _failed_or_stopped,
        needs="",
    ),
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
    # -- time ---------------------------------------------------------------------------------------------------------
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
    # -- outliving the run --------------------------------------------------------------------------------------------
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
    # -- the host's files ---------------------------------------------------------------------------------------------
    Escape("reading a file of the host", "files", 'attempt("secret", lambda: read("{secret}"))', ended),
    Escape(
        "reading the host's home and project",
        "files",
        """
for path in ("/root", "/home", "{folder}", "{package}", "{home}", "/var", "/srv", "/mnt", "/boot", "/sys"):
    attempt(path, lambda: os.listdir(path))
""",
        ended,
    ),
    Escape(
        "the host's accounts",
        "files",
        """
attempt("shadow", lambda: read("/etc/shadow"))
if len(read("/etc/passwd").splitlines()) > 1:
    print("ESCAPED: passwd")
""",
        ended,
    ),
    Escape(
        "a link out of the working folder",
        "files",
        """
os.symlink("{secret}", "link")
os.symlink("/", "all")
attempt("read", lambda: read("link"))
""",
        kept(),
    ),
    Escape(
        "a link that a file is written through",
        "files",
        """
os.symlink("{folder}/planted", "link")
attempt("write", lambda: write("link"))
""",
        kept(),
    ),
    Escape("a hard link to a system file", "files", 'attempt("link", lambda: os.link("/usr/bin/env", "env"))', kept()),
    Escape(
        "a way up from the working folder",
        "files",
        """
attempt("up", lambda: write("../../planted"))
attempt("far up", lambda: read("../" * 40 + "{secret}"))
""",
        kept(),
    ),
    Escape(
        "moving the working folder away",
        "files",
        """
attempt("rename", lambda: os.rename(os.getcwd(), os.getcwd() + "-gone"))
attempt("remove", lambda: os.rmdir(os.getcwd()))
""",
        ended,
        needs="user",
    ),
    Escape(
        "a folder that nobody may open",
        "files",
        """
os.mkdir("closed")
write("closed/x")
os.chmod("closed", 0)
""",
        kept("closed/x"),
        needs="",
    ),
    Escape(
        "special files left behind",
        "files",
        """
os.mkfifo("pipe")
if {sockets}:
    socket.socket(socket.AF_UNIX).bind("sock")
write("plain")
""",
        kept("plain"),
        needs="",
    ),
    Escape(
        "names that are no text",
        "files",
        r"""
write(b"\xff\xfe")
write("a\nb")
write("n" * 255)
write("plain")
""",
        kept("n" * 255, "plain"),
        needs="",
    ),
    Escape(
        "making devices",
        "files",
        """
attempt("mknod", lambda: os.mknod("disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0)))
attempt("mknod", lambda: os.mknod("mem", 0o600 | stat.S_IFCHR, os.makedev(1, 1)))
""",
        kept(),
        needs="",
    ),
    Escape(
        "opening devices",
        "files",
        """
for path in ("/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/fuse", "/dev/kvm", "/dev/tty", "/dev/net/tun"):
    attempt(path, lambda: os.open(path, os.O_RDWR))
""",
        ended,
    ),
    # -- OpsGym and the installation ----------------------------------------------------------------------------------
    Escape(
        "importing the validators",
        "installation",
        """
attempt("import", lambda: __import__("opsgym"))
for place in sys.path:
    if glob.glob(place + "/opsgym/*"):
        print("ESCAPED:", place)
""",
        ended,
    ),
    Escape(
        "writing to the validators", "installation", 'attempt("write", lambda: write("{package}/planted.py"))', ended, needs=""
    ),
    Escape(
        "writing to the interpreter and its packages",
        "installation",
        """
programs = os.path.dirname(os.path.realpath(sys.executable))
for place in (*sys.path[1:], sys.prefix, sys.exec_prefix, programs, "/usr", "/usr/bin", "/etc", "/lib"):
    attempt(place, lambda: write(place + "/planted"))
""",
        ended,
        needs="",
    ),
    Escape(
        "changing rights in the installation",
        "installation",
        """
attempt("chmod", lambda: os.chmod(os.__file__, 0o777))
attempt("utime", lambda: os.utime(os.__file__))
""",
        ended,
        needs="",
    ),
    # -- the host's processes -----------------------------------------------------------------------------------------
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
    # -- the network --------------------------------------------------------------------------------------------------
    Escape(
        "a port of the host's loopback",
        "network",
        'attempt("connect", lambda: socket.create_connection(("127.0.0.1", {port}), timeout=0.3))',
        ended,
        needs="",
    ),
    Escape(
        "an address of the internet",
        "network",
        """
attempt("connect", lambda: socket.create_connection(("1.1.1.1", 53), timeout=0.3))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("8.8.8.8", 53)))
attempt("ipv6", lambda: socket.create_connection(("2606:4700:4700::1111", 53), timeout=0.3))
""",
        ended,
        needs="",
    ),
    Escape("looking up a name", "network", 'attempt("dns", lambda: socket.getaddrinfo("example.org", 80))', ended, needs=""),
    Escape(
        "raw packets",
        "network",
        """
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
""",
        ended,
        needs="",
    ),
    Escape(
        "an abstract unix socket of the host",
        "network",
        r"""
def connect():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("\0{abstract}")
attempt("connect", connect)
""",
        ended,
        needs="",
    ),
    Escape(
        "a unix socket of the host by its path",
        "network",
        """
def connect(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(path)
for path in ("{socket}", "/var/run/docker.sock", "/run/docker.sock", "/run/dbus/system_bus_socket"):
    attempt(path, lambda: connect(path))
""",
        ended,
        needs="",
    ),
    # -- rights -------------------------------------------------------------------------------------------------------
    Escape(
        "becoming root",
        "rights",
        """
attempt("setuid", lambda: os.setuid(0))
attempt("setgid", lambda: os.setgid(0))
attempt("groups", lambda: os.setgroups([0]))
if 0 in (os.getuid(), os.geteuid(), os.getgid()):
    print("ESCAPED: root")
""",
        ended,
        needs="",
    ),
    Escape(
        "capabilities",
        "rights",
        """
for line in open("/proc/self/status"):
    if line.startswith(("CapEff", "CapPrm", "CapInh", "CapAmb")) and int(line.split()[1], 16):
        print("ESCAPED:", line)
    if line.startswith("NoNewPrivs") and line.split()[1] != "1":
        print("ESCAPED:", line)
""",
        ended,
        needs="",
    ),
    Escape(
        "programs with set-user-id",
        "rights",
        """
for program in ("su", "sudo", "mount", "passwd", "newgrp"):
    path = shutil.which(program)
    if path:
        words = [path] if program in ("sudo", "mount") else [path, "root"]
        done = subprocess.run(words, capture_output=True, timeout=1, stdin=subprocess.DEVNULL)
        print(program, done.returncode)
        if b"uid=0" in done.stdout:
            print("ESCAPED:", program)
shutil.copy("/usr/bin/id", "own")
os.chmod("own", 0o6755)
print(subprocess.run(["./own", "-u"], capture_output=True).stdout)
""",
        needs="",
    ),
    Escape(
        "mounting",
        "rights",
        """
attempt("tmpfs", lambda: call(165, 40, b"x", b"/tmp", b"tmpfs", 0, 0))
attempt("bind", lambda: call(165, 40, b"/", b"/tmp", b"", 4096, 0))
attempt("umount", lambda: call(166, 39, b"/opt/packages", 2))
attempt("remount", lambda: call(165, 40, b"x", b"/", b"", 32, 0))
attempt("fsopen", lambda: call(430, 430, b"tmpfs", 0))
""",
        ended,
        needs="",
    ),
    Escape(
        "another root",
        "rights",
        """
attempt("chroot", lambda: os.chroot("."))
attempt("pivot_root", lambda: call(155, 41, b".", b"."))
""",
        ended,
        needs="",
    ),
    Escape(
        "namespaces of its own",
        "rights",
        """
for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("net", 0x40000000)):
    attempt(name, lambda: call(272, 97, flag))
attempt("clone", lambda: call(56, 220, 0x10000000 | 17, 0, 0, 0, 0))
attempt("clone3", lambda: call(435, 435, 0, 0))
""",
        ended,
        needs="",
    ),
    Escape(
        "the namespaces of another process",
        "rights",
        """
for one in ("mnt", "net", "user", "pid"):
    attempt(one, lambda: call(308, 268, os.open(f"/proc/1/ns/{one}", os.O_RDONLY), 0))
""",
        ended,
        needs="",
    ),
    Escape(
        "settings of the kernel",
        "rights",
        """
settings = ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches")
for path in (*settings, "/proc/sysrq-trigger", "/sys/power/state"):
    attempt(path, lambda: write(path))
attempt("hostname", lambda: socket.sethostname("escaped"))
""",
        ended,
        needs="",
    ),
    Escape(
        "seldom used parts of the kernel",
        "rights",
        """
calls = {
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring": (425, 425),
    "perf": (298, 241),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "module": (175, 105),
    "kexec": (246, 104),
    "reboot": (169, 142),
    "swapoff": (168, 225),
}
for name, (x86, arm) in calls.items():
    attempt(name, lambda: call(x86, arm, 0, 0, 0, 0, 0))
""",
        ended,
        needs="",
    ),
    Escape(
        "the first process inside",
        "rights",
        """
try:
    os.kill(1, signal.SIGKILL)
except OSError as error:
    print("refused:", error)
time.sleep(0.1)
print("still here")
""",
    ),
)
"""All attempts."""
