"""Export: task directories, each whole or not there at all."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.data.harbor.files import Files, task_files
from opsgym.data.harbor.layout import directory_name

PARTIAL = ".opsgym-partial-"
"""How the names of directories start that are being written; one that a crash left is removed by the next export."""

Advance = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export did.

    Attributes:
        directories: The directories of the tasks, in their order.
        written: How many of them are new; the others were there already, with the same content.
    """

    directories: tuple[Path, ...]
    written: int


def export_tasks(
    out: str | os.PathLike[str], tasks: Sequence[Task], *, wheel: Path | None = None, progress: Advance | None = None
) -> Exported:
    """Write task directories; an export that was cut off goes on where it was when it is started again.

    Nothing is overwritten: a directory that has the name of a task must be equal to what would be written.

    Args:
        out: Directory in which they are written; made where there is none.
        tasks: The tasks.
        wheel: See :func:`~opsgym.data.harbor.files.task_files`.
        progress: Called with a phase, how many tasks are done, and of how many.

    Raises:
        RegistryError: A family cannot be exported.
        TaskError: ``out`` is no directory, another export writes there, something else has the name of a task, or a task's oracle
            is refused.
    """
    root = Path(out)
    unique = {task.id: task for task in tasks}.values()
    directories, written = [], 0
    with _locked(root):
        for number, task in enumerate(unique, 1):
            target, files = root / directory_name(task), task_files(task, wheel=wheel)
            if os.path.lexists(target):
                _check_same(target, files)
            else:
                _write(target, files)
                written += 1
            directories.append(target)
            if progress is not None:
                progress("writing", number, len(unique))
    return Exported(tuple(directories), written)


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """The directory, made and held against other exports, and without what crashed ones left."""
    try:
        root.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise TaskError(f"expected a directory, got the file {error.filename!r}", field="out") from error
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TaskError(f"another export writes to {str(root)!r}", field="out") from error
        for stale in root.glob(f"{PARTIAL}*"):
            shutil.rmtree(stale)
        yield
    finally:
        os.close(descriptor)


def _write(target: Path, files: Files) -> None:
    partial = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=target.parent))
    try:
        for name, content in files.items():
            path = partial / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o755 if path.suffix == ".sh" else 0o644)
        partial.chmod(0o755)
        partial.rename(target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def _check_same(target: Path, files: Files) -> None:
    """Refuse to go on where something else has the name of a task's directory."""
    if target.is_symlink() or not target.is_dir():
        raise TaskError(f"{target} is in the way: expected a task directory or nothing", field="out")
    found = {path.relative_to(target).as_posix(): path for path in target.rglob("*") if not path.is_dir() or path.is_symlink()}
    for name in sorted(files.keys() | found.keys()):
        if name not in files:
            raise TaskError(f"{target} is in the way: it has a file {name!r} that an export does not write", field="out")
        if name not in found or found[name].is_symlink() or found[name].read_bytes() != files[name]:
            raise TaskError(f"{target} is in the way: its {name!r} is not what would be written; remove it first", field="out")
