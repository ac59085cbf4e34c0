"""More rights than a program was given."""

from __future__ import annotations

from opsgym.sandbox.escapes.escape import Escape, ended

ESCAPES = (
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
