"""Run as a program of its own by the plain form: put a command under limits, in namespaces where these can be made.

Usage: ``launcher.py SPECIFICATION``: the specification is a marshalled dictionary in hexadecimal digits.  It imports nothing of
OpsGym.  Exit status: that of the command, or 128 and the number of a signal.
"""

from __future__ import annotations

# Nothing but what is built in or small: each command waits for these imports.
import ctypes
import marshal
import os
import resource
import sys
import warnings  # noqa: F401  # os.execvpe asks for it, when the library is out of sight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

# linux/sched.h, linux/mount.h, linux/prctl.h, linux/seccomp.h, linux/sockios.h
NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
PDEATHSIG, SET_DUMPABLE, SET_SECCOMP, SUBREAPER, NO_NEW_PRIVS = 1, 4, 22, 36, 38
DETACH = 2
AF_INET, SOCK_DGRAM, SIOCSIFFLAGS, IFF_UP = 2, 2, 0x8914, 1
SIGKILL, SIGSTOP = 9, 19

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> None:
    """Raise what the kernel says."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """The call of that name."""
    result = libc.mount(source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), data.encode() or None)
    checked(result, f"mount {target}")


def control(*arguments: Any) -> None:
    """The call prctl."""
    checked(libc.prctl(*(ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments)), "prctl")


def bind(source: str, target: str, *, writable: bool = False) -> None:
    """Show a folder or a file at another place."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target):
            open(target, "wb").close()
    mount(source, target, flags=BIND | REC)
    locked = os.statvfs(target).f_flag & (NOSUID | NODEV | NOEXEC)  # flags of the host's mount may not be taken away
    access = os.statvfs(target).f_flag & (1024 | 2048 | 4096)  # nor noatime, nodiratime, relatime: ST_* of statvfs(3)
    times = {1024: 1 << 10, 2048: 1 << 11, 4096: 1 << 21}
    flags = locked | sum(flag for bit, flag in times.items() if access & bit)
    device = os.path.isfile(target) or os.path.isdir(target)
    mount("none", target, flags=flags | BIND | REMOUNT | NOSUID | (NODEV if device else 0) | (0 if writable else RDONLY))


def build(spec: dict[str, Any]) -> None:
    """Make the view of the command, and enter it; the folder ``work`` of the place becomes the working folder."""
    mount("none", "/", flags=REC | PRIVATE)
    root, size = spec["root"], spec["disk"]
    mount("none", root, "tmpfs", NOSUID | NODEV, "mode=755,size=1m")
    for outside, inside in spec["folders"]:
        bind(outside, root + inside)
    for target, place in spec["links"]:
        os.makedirs(os.path.dirname(root + place), exist_ok=True)
        os.symlink(target, root + place)
    for hidden in spec["hidden"]:
        mount("none", root + hidden, "tmpfs", NOSUID | NODEV | RDONLY, "size=4k")
    for device in ("null", "zero", "full", "random", "urandom"):
        bind(f"/dev/{device}", f"{root}/dev/{device}", writable=True)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"{root}/dev/{name}")
    for scratch in ("/tmp", "/dev/shm"):
        os.makedirs(root + scratch)
        mount("none", root + scratch, "tmpfs", NOSUID | NODEV, f"mode=1777,size={size},nr_inodes={spec['entries']}")
    work = root + spec["work"]
    os.makedirs(work)
    mount("none", work, "tmpfs", NOSUID | NODEV, f"mode=755,size={spec['size']},nr_inodes={spec['entries']}")
    if spec["owner"] is not None:
        os.chown(work, spec["owner"], spec["owner"])
    if os.spawnvp(os.P_WAIT, "cp", ["cp", "-a", f"{spec['files']}/.", work]):
        raise OSError(f"cannot copy the files to {work}")
    os.makedirs(f"{root}/proc")


def enter(root: str) -> None:
    """In the first process of the new process namespace: make the view the only one."""
    mount("proc", f"{root}/proc", "proc", NOSUID | NODEV | NOEXEC)
    os.chdir(root)
    checked(libc.syscall(ctypes.c_long(155 if os.uname().machine == "x86_64" else 41), b".", b"."), "pivot_root")
    checked(libc.umount2(b".", DETACH), "umount2")
    os.chdir("/")
    mount("none", "/", flags=REMOUNT | BIND | RDONLY | NOSUID | NODEV)


def loopback_up() -> None:
    """Switch the only interface on."""
    handle = libc.socket(AF_INET, SOCK_DGRAM, 0)
    checked(handle, "socket")
    request = b"lo".ljust(16, b"\0") + IFF_UP.to_bytes(2, sys.byteorder).ljust(24, b"\0")  # struct ifreq
    checked(libc.ioctl(handle, ctypes.c_ulong(SIOCSIFFLAGS), request), "ioctl")
    os.close(handle)


def map_user(user: int) -> None:
    """In a new user namespace: the one user there is has that number."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {_outer[0]} 1"),
        ("gid_map", f"{user} {_outer[1]} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


_outer = (0, 0)


def new_user(user: int) -> None:
    """Go into a user namespace with that user only."""
    global _outer
    _outer = os.geteuid(), os.getegid()
    checked(libc.unshare(NEWUSER), "unshare")
    map_user(user)


def become(owner: int) -> None:
    """Give up root for a user of the host."""
    os.setgroups([])
    os.setresgid(owner, owner, owner)
    os.setresuid(owner, owner, owner)
    control(SET_DUMPABLE, 1, 0, 0, 0)  # else its own files in /proc stay root's


def run(spec: dict[str, Any]) -> NoReturn:
    """Become the command."""
    os.chdir(spec["cwd"])
    control(NO_NEW_PRIVS, 1, 0, 0, 0)
    for name, value in spec["rlimits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    filter_bytes = spec["seccomp"]
    if filter_bytes:
        text = ctypes.create_string_buffer(filter_bytes, len(filter_bytes))

        class Program(ctypes.Structure):
            _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

        loaded = Program(len(filter_bytes) // 8, ctypes.addressof(text))
        control(SET_SECCOMP, 2, ctypes.byref(loaded), 0, 0)
    os.write(0, b"\n")  # standard input is a socket, whose other end opens the working folder and answers
    if not os.read(0, 1):
        os._exit(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.closerange(3, 256)
    command = spec["command"]
    try:
        os.execvpe(command[0], command, spec["environment"])
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(127)


def wait_for(child: int) -> int:
    """Reap everything until ``child`` ends; its status as shells give it."""
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return 128 - code if code < 0 else code


def end_rest(owner: int | None) -> None:
    """Without a namespace that would do it: kill all that came of the command and outlived it.

    Whatever loses its parent becomes a child of this process.
    """
    if owner is not None and os.fork() == 0:
        become(owner)
        os.kill(-1, SIGKILL)  # at once for all processes of that user
        os._exit(0)
    while True:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            children = [int(one) for one in file.read().split()]
        for sign in (SIGSTOP, SIGKILL):
            for child in children:
                os.kill(child, sign)
        try:
            os.wait()
        except ChildProcessError:
            return


def first(spec: dict[str, Any], parent: int) -> NoReturn:
    """The first process of the command: enter the view, give up rights, start the command and reap."""
    control(PDEATHSIG, SIGKILL, 0, 0, 0)
    if spec["namespaces"]:
        enter(spec["root"])
    elif os.getppid() != parent:
        os._exit(1)
    if spec["owner"] is not None:
        become(spec["owner"])
        if spec["namespaces"]:
            new_user(spec["user"])
        control(PDEATHSIG, SIGKILL, 0, 0, 0)  # forgotten with the rights
    control(SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if child == 0:
        if not spec["namespaces"]:
            os.setsid()
        run(spec)
    os.closerange(0, 256)
    os._exit(wait_for(child))


def main(spec: dict[str, Any]) -> NoReturn:
    """Start the first process and wait for it."""
    control(PDEATHSIG, SIGKILL, 0, 0, 0)
    control(SUBREAPER, 1, 0, 0, 0)
    try:
        if spec["namespaces"]:
            if spec["owner"] is None:
                new_user(spec["user"])
            checked(libc.unshare(NEWNS | NEWUTS | NEWIPC | NEWNET), "unshare")
            checked(libc.sethostname(b"sandbox", ctypes.c_size_t(7)), "sethostname")
            loopback_up()
            build(spec)
            checked(libc.unshare(NEWPID), "unshare")  # from here on the next child is the first process
        me = os.getpid()
        child = os.fork()
        if child == 0:
            try:
                first(spec, me)
            except OSError as error:
                print(f"launcher: {error}", file=sys.stderr)
                sys.stderr.flush()
                os._exit(126)
    except OSError as error:
        print(f"launcher: {error}", file=sys.stderr)
        sys.stderr.flush()
        os._exit(126)
    status = wait_for(child)
    if not spec["namespaces"]:
        end_rest(spec["owner"])
    os._exit(status)


if __name__ == "__main__":
    main(marshal.loads(bytes.fromhex(sys.argv[1])))
