"""The working folder on the host: laid before a command, measured while it runs, collected and swept after it."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from opsgym.core.errors import TaskError
from opsgym.sandbox.limits import Limits
from opsgym.sandbox.sandbox import Files

DEPTH = 32
"""Folders within folders that are kept."""

LONGEST = 1000
"""Bytes of a path that is kept; the kernel takes 4096, the place of the working folder on the host among them."""

MEMORY = Path("/dev/shm")
"""File system in memory; its folders list their content in the order of creation, and no disk wears out."""

_MOVED = "opsgym-moved-"  # no command can write where folders get this name
_MEASURED = 3800  # bytes of a path up to which folders can be looked into by their paths
_ROOM = 4  # times the disk limit that must be free in memory
_TIME = (946684800, 946684800)  # of the files given: 2000-01-01; what a command sees must not depend on the clock
_KINDS = {stat.S_IFLNK: "link", stat.S_IFSOCK: "socket", stat.S_IFIFO: "pipe", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}


class TooMuch(Exception):
    """The folder holds more than the limits allow."""


def check_path(path: str) -> PurePosixPath:
    """The relative path, if it stays inside a folder.

    Raises:
        TaskError: It is empty, absolute, too deep or too long, leads outside, or has a character no file name has.
    """
    plain = path.removesuffix("/")
    parts = plain.split("/")
    sound = all(part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) <= 255 for part in parts)
    if not sound or "\0" in path or len(parts) > DEPTH or not path.isprintable() or len(path.encode()) > LONGEST:
        raise TaskError(f"expected a relative path inside the folder, got {path[:80]!r}", field="files")
    return PurePosixPath(plain)


@contextmanager
def scratch(limits: Limits) -> Iterator[Path]:
    """A private folder of the host that is removed with all its content, whatever that is."""
    free = shutil.disk_usage(MEMORY).free if os.access(MEMORY, os.W_OK) else 0
    place = MEMORY if free > _ROOM * limits.disk else None
    made = Path(tempfile.mkdtemp(prefix=f"opsgym-sandbox-{os.getpid()}-", dir=place))
    try:
        yield made
    finally:
        sweep(made)


def lay(files: Files, folder: Path, *, owner: int | None = None) -> None:
    """Write a file tree into an empty folder.

    Args:
        files: The tree.
        folder: The folder.
        owner: User and group to own it all, by default this process's.

    Raises:
        TaskError: A path leads outside, or is both a file and a folder.
    """
    for path, content in sorted(files.items()):
        target = folder / check_path(path)
        try:
            if path.endswith("/"):
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        except (FileExistsError, IsADirectoryError, NotADirectoryError):
            raise TaskError(f"{path!r} is both a file and a folder", field="files") from None
        target.chmod(0o755 if content.startswith(b"#!") else 0o644)
        os.utime(target, _TIME)
    for root, folders, names in os.walk(folder, topdown=False):
        for name in (*folders, *names) if owner is not None else ():
            os.lchown(os.path.join(root, name), owner or 0, owner or 0)
        os.utime(root, _TIME)
    if owner is not None:
        os.lchown(folder, owner, owner)


def entries(files: Files) -> int:
    """Files and folders that a file tree becomes on disk.

    Example:
        >>> entries({"a/b/c": b"", "a/d": b""})
        4
    """
    above = {str(parent) for path in files for parent in PurePosixPath(path).parents}
    return len((above | {path.removesuffix("/") for path in files}) - {"."})


def is_too_much(files: Files, limits: Limits) -> bool:
    """Whether a file tree is more than the limits allow."""
    return sum(map(len, files.values())) > limits.disk or entries(files) > limits.files


def check_room(places: Sequence[int], limits: Limits) -> None:
    """Look whether one of several file systems holds too much; what no path leads to any more counts too.

    Args:
        places: Descriptors of their folders.
        limits: What each may hold.

    Raises:
        TooMuch: It does.
    """
    for place in places:
        facts = os.statvfs(place)
        used = facts.f_files - facts.f_ffree - 1  # without the folder itself
        if used > limits.files or (facts.f_blocks - facts.f_bfree) * facts.f_frsize > limits.disk + used * 4096:
            raise TooMuch


def measure(folder: Path, limits: Limits) -> None:
    """Look whether a folder that is being written, on a file system of the host, holds too much.

    Raises:
        TooMuch: It does.
    """
    size = entries = 0
    waiting = [str(folder)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as found:  # what vanishes or closes itself meanwhile counts later
            for entry in found:
                entries += 1
                with suppress(OSError):
                    facts = entry.stat(follow_symlinks=False)
                    size += facts.st_blocks * 512
                    if stat.S_ISDIR(facts.st_mode):
                        waiting.append(entry.path)
                if entries > limits.files or size > 2 * limits.disk or len(os.fsencode(entry.path)) > _MEASURED:
                    raise TooMuch
    if size > limits.disk + entries * 4096:  # a block is counted whole
        raise TooMuch


def collect(folder: Path, limits: Limits) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The file tree in a folder in which nothing runs any more, sorted, and what was left out.

    Raises:
        TooMuch: It is larger than the limits allow.
    """
    files: dict[str, bytes] = {}
    dropped: list[str] = []
    size = entries = 0
    waiting = [("", str(folder), 0)]
    while waiting:
        prefix, place, depth = waiting.pop()
        with _opened(place) as found:
            if found is None:
                dropped.append(f"{prefix} (closed folder)")
                continue
            listed = sorted(found, key=lambda entry: entry.name)
        if not listed and prefix:
            files[prefix] = b""
        for entry in listed:
            entries += 1
            if entries > limits.files:
                raise TooMuch
            path, facts = prefix + entry.name, entry.stat(follow_symlinks=False)
            reason = _unkept(path, facts, depth)
            if reason:
                dropped.append(f"{path.encode('utf-8', 'backslashreplace').decode()} ({reason})")
            elif stat.S_ISDIR(facts.st_mode):
                waiting.append((f"{path}/", entry.path, depth + 1))
            else:
                size += facts.st_size
                if size > limits.disk:
                    raise TooMuch
                files[path] = _read(entry.path)
    return dict(sorted(files.items())), tuple(sorted(dropped))


def _unkept(path: str, facts: os.stat_result, depth: int) -> str:
    """Why an entry is not kept; empty when it is."""
    kind = stat.S_IFMT(facts.st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        return _KINDS.get(kind, "special file")
    if not path.isprintable():
        return "name"
    if len(path.encode()) > LONGEST:
        return "path too long"
    return "too deep" if depth >= DEPTH - 1 and kind == stat.S_IFDIR else ""


@contextmanager
def _opened(place: str) -> Iterator[Iterator[os.DirEntry[str]] | None]:
    """The entries of a folder, which its owner may have closed to everyone."""
    try:
        os.chmod(place, 0o700)
        found = os.scandir(place)
    except OSError:
        yield None
        return
    with found:
        yield found


def _read(path: str) -> bytes:
    with suppress(PermissionError):
        os.chmod(path, 0o600, follow_symlinks=True)  # a regular file, and nothing runs that could swap it
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with open(handle, "rb") as file:
        return file.read()


def sweep(folder: Path) -> None:
    """Remove a folder, however deep and however closed: folders are moved up before they are opened, so no path is long."""
    if not folder.exists():
        return
    waiting, moved = [folder], 0
    while waiting:
        place = waiting.pop()
        os.chmod(place, 0o700)
        with os.scandir(place) as found:
            entries = list(found)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                moved += 1
                os.chmod(entry.path, 0o700)
                os.rename(entry.path, folder / f"{_MOVED}{moved}")
                waiting.append(folder / f"{_MOVED}{moved}")
            else:
                os.unlink(entry.path)
        if place != folder:
            os.rmdir(place)
    os.rmdir(folder)
