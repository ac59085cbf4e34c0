"""The kernel calls that no program in a sandbox needs, as a filter for the kernel (seccomp, in classic BPF).

They are refused with EPERM: calls that reach around limits (memory in no file and no process), into other processes, or at parts
of the kernel whose faults are used to break out.  Source of the form: seccomp(2) and
Documentation/userspace-api/seccomp_filter.rst of Linux.
"""

from __future__ import annotations

import errno
import os
import struct
from functools import cache

# name: number on x86_64, number on aarch64 (None: there is no such call)
_CALLS: dict[str, tuple[int, int | None]] = {
    "shmget": (29, 194),
    "ptrace": (101, 117),
    "semget": (64, 190),
    "msgget": (68, 186),
    "syslog": (103, 116),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "acct": (163, 89),
    "mount": (165, 40),
    "umount2": (166, 39),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "quotactl": (179, 60),
    "io_setup": (206, 0),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "perf_event_open": (298, 241),
    "open_by_handle_at": (304, 265),
    "setns": (308, 268),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "finit_module": (313, 273),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "memfd_create": (319, 279),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "mount_setattr": (442, 442),
    "memfd_secret": (447, 447),
}
_CLONE = (56, 220)
_SOCKET = (41, 198)
_CLONE3 = 435
_NEW_NAMESPACES = 0x7E020000 | 0x80  # CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET, TIME
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column of the table, AUDIT_ARCH_*

_LOAD, _EQUAL, _ANY, _GREATER, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def refused() -> tuple[str, ...]:
    """Names of the calls that are refused on this machine; none on a machine whose numbers are not known."""
    return tuple(sorted(_CALLS)) if os.uname().machine in _MACHINES else ()


@cache
def program(*, network: bool = True) -> bytes:
    """The filter for this machine, as an array of ``struct sock_filter``; on an unknown machine it refuses nothing.

    Args:
        network: Whether sockets may be made; without, only pairs of connected unix sockets can.
    """
    if os.uname().machine not in _MACHINES:
        return _step(_RETURN, _ALLOW)
    column, architecture = _MACHINES[os.uname().machine]
    numbers = sorted(number for pair in _CALLS.values() if (number := pair[column]) is not None)
    refuse, absent = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    steps = [
        _step(_LOAD, 4),  # the architecture: calls of another one have other numbers
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, 0),  # the number
        _step(_GREATER, 0x40000000, 0, 1),  # x32 on x86_64
        _step(_RETURN, absent),
        _step(_EQUAL, _CLONE3, 0, 1),  # its flags lie in memory, where a filter cannot look; libraries fall back to clone
        _step(_RETURN, absent),
        _step(_EQUAL, _CLONE[column], 0, 4),
        _step(_LOAD, 16),  # the flags
        _step(_ANY, _NEW_NAMESPACES & ~0xFF, 0, 1),  # the low byte is the signal at its end
        _step(_RETURN, refuse),
        _step(_RETURN, _ALLOW),
    ]
    if not network:
        numbers.append(_SOCKET[column])
    for number in numbers:
        steps += [_step(_EQUAL, number, 0, 1), _step(_RETURN, refuse)]
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)
