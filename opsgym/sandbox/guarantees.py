"""What the forms keep to and what they do not, in words; the escape suite tries the former."""

from __future__ import annotations

OWN_VIEW = (
    "of the host's files only the system's programs and libraries and this Python with its packages are seen, read-only;"
    " OpsGym itself is not",
    "only the working folder, /tmp and /dev/shm can be written, each up to the disk limit",
    "no network: the only interface is a loopback of its own, without a way out; unix sockets of the host are out of reach",
    "no process of the host is seen, signalled or traced",
    "the environment variables are a fixed, small set",
    "no capability, no set-user-id, no further namespaces; calls that mount, trace or hide memory are refused",
    "all processes are gone when a run returns, also when it is stopped or this process is killed",
    "wall time, CPU time, memory, processes, output, bytes and number of files are limited",
)
"""Kept by every form that gives a command namespaces of its own."""

WITHOUT_VIEW = (
    "it runs in processes of its own, in a working folder of its own",
    "the environment variables are a fixed, small set",
    "no set-user-id",
    "processes that leave their session are found and killed with the rest",
    "wall time, CPU time, memory, processes, output, and the bytes and number of files in the working folder are limited",
)
"""Kept without namespaces."""

FILTERED = "no network: sockets are refused; calls that mount, trace or hide memory are refused"
"""Kept where the kernel's filter is known for the machine."""

NOT_FILTERED = "the network can be reached"
"""The opposite."""

OWN_USER = "it runs as a user of its own, who owns nothing and cannot signal the processes of others"
"""Kept when root starts it."""

SAME_USER = (
    "it runs as the user of this process: it can change that user's files, and signal or end this process and so outlive it"
)
"""The opposite."""

NO_VIEW = (
    "every file of the host that its user may read can be read, OpsGym's validators and solutions too",
    "files can be left outside of the working folder, wherever its user may write, such as /tmp",
    "the processes of the host can be seen in /proc",
    "the size of the working folder is only looked at every 40 ms: in between it grows, each file up to the disk limit",
    "other processes of the same user count towards the limit of processes",
)
"""Not kept without namespaces."""

NEVER = (
    "a fault of the kernel could be used to break out: who plays adversaries should put a virtual machine around all of it",
    "memory and CPU time of all processes together and the number of files are looked at every 20 to 40 ms: in between they grow",
    "when this process is killed, its private folder stays behind in /dev/shm or /tmp, with the files that the run was given;"
    " killed in the millisecond in which bwrap starts, an idle bwrap can stay too, which runs nothing",
    "what the kernel holds for a command is counted roughly (open files, as if each were a socket) or not at all (page tables,"
    " buffers of TCP connections beyond that, up to the kernel's own limit for all of the machine)",
    "two commands at the same time can signal to each other by locks on files that both see, such as the system's programs",
    "the processor's kind and number, the kernel's version and the memory's size can be read, and the clock",
    "a command shares caches and cores with the host: timing tells something about its load",
    "a command that uses threads, the clock or the kernel's random numbers may end differently each time",
)
"""Not kept by any form."""
