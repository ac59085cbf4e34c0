"""What programs in a sandbox see of the machine: this Python, its packages, the system's programs and libraries; nothing else."""

from __future__ import annotations

import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""The system's programs and libraries, where they exist."""

SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives")
"""What the system's programs and libraries read to find each other."""

PYTHON = "/opt/python"
"""Where this interpreter is seen, unless it is the system's."""

PACKAGES = "/opt/packages"
"""Where its packages are seen."""

GIVEN = "/run/opsgym/files"
"""Where the files are seen that the working folder starts with."""

USER = 1000
"""Number of the user and the group as the command sees them."""

OWNER = 61184
"""User and group of the host as whom a command runs when root starts it: the first of those that Debian leaves to nobody."""

ETC = {
    "passwd": f"agent:x:{USER}:{USER}:agent:/tmp:/bin/sh\n",
    "group": f"agent:x:{USER}:\n",
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
"""What stands in /etc inside."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The read-only view.

    Attributes:
        folders: Pairs of a folder of the host and where it is seen.
        links: Pairs of a link's target and its place.
        hidden: Folders, as seen inside, whose content is hidden: OpsGym itself, with its validators and solutions.
        python: The interpreter, as seen inside.
        environment: The whole environment of a command.
    """

    folders: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...]
    python: str
    environment: tuple[tuple[str, str], ...]


@cache
def this_machine() -> Machine:
    """The view of this machine."""
    folders, links = [], []
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            links.append((str(path.readlink()), name))
        elif path.is_dir():
            folders.append((name, name))
    base, python = Path(sys.base_prefix), f"bin/python{sys.version_info.major}.{sys.version_info.minor}"
    home = base if base.is_relative_to("/usr") else Path(PYTHON)
    if home != base:
        folders.append((str(base), PYTHON))
    places = list(dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib")))
    packages = [(place, PACKAGES if number == 0 else f"{PACKAGES}{number}") for number, place in enumerate(places)]
    folders += packages
    executable = str(home / python)
    links += [(executable, "/opt/bin/python"), (executable, "/opt/bin/python3")]
    return Machine(
        tuple(folders), tuple(links), _hidden(folders), executable, _environment(home, [inside for _, inside in packages])
    )


def _hidden(folders: list[tuple[str, str]]) -> tuple[str, ...]:
    """Where this package is in sight; every copy, since another one holds the same solutions."""
    found = []
    own = Path(__file__).resolve().parents[1]
    for outside, inside in folders:
        root = Path(outside).resolve()
        copies = [own, *(Path(place) / "opsgym" for place in sys.path if place)]
        found += [f"{inside}/{copy.relative_to(root)}" for copy in copies if copy.is_dir() and copy.is_relative_to(root)]
    return tuple(sorted(set(found)))


def _environment(home: Path, packages: list[str]) -> tuple[tuple[str, str], ...]:
    values = {
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "MALLOC_ARENA_MAX": "2",  # else glibc reserves 64 MiB a thread
        "MKL_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PATH": "/opt/bin:/usr/local/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": ":".join(packages),
        "PYTHONUNBUFFERED": "1",  # what was printed before a limit was reached is kept
        "TMPDIR": "/tmp",
        "TZ": "UTC",
    }
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and str(home) == PYTHON:
        values["LD_LIBRARY_PATH"] = f"{PYTHON}/lib"
    return tuple(sorted(values.items()))
