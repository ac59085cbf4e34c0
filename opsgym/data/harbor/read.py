"""Read: task directories back to tasks, whoever wrote them."""

from __future__ import annotations

import os
from pathlib import Path

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task
from opsgym.data.erp_bench_import import Imported, import_release
from opsgym.data.erp_bench_release import find_releases
from opsgym.data.harbor.files import check_family, instruction
from opsgym.data.harbor.layout import CONFIG, INSTRUCTION, JUDGED_TASK, SERVED_TASK, sealed
from opsgym.data.harbor.schema import read_config


def find_directories(root: str | os.PathLike[str]) -> list[Path]:
    """Task directories at or below ``root``, sorted by path: OpsGym's own and the ERP-Bench release's.

    What is in hidden directories below ``root``, such as an export leaves that is cut off, is passed over.

    Raises:
        TaskError: ``root`` is no directory, or there is none; says so.
    """
    base = Path(root)
    own = {path.parent for path in base.rglob(CONFIG)} if base.is_dir() else set()
    found = {path for path in own.union(find_releases(base)) if not _is_hidden(path.relative_to(base))}
    if not found:
        raise TaskError(f"expected task directories with {CONFIG} at or below {str(root)!r}, got none", field="harbor")
    return sorted(found)


def import_directory(directory: str | os.PathLike[str]) -> Imported:
    """Import a task directory; what is wrong with it is in the result.

    A directory of the ERP-Bench release is solved anew, see :func:`~opsgym.data.erp_bench_import.import_release`; one of OpsGym's
    own holds its certificate.
    """
    base = Path(directory)
    if any((base / folder / "scenario_data.json").is_file() for folder in ("", "environment")):
        return import_release(base)
    try:
        return Imported(base.name, read_directory(base))
    except TaskError as error:
        return Imported(base.name, None, str(error))


def read_directory(directory: str | os.PathLike[str]) -> Task:
    """Read a task directory that :mod:`opsgym.data.harbor.export` wrote.

    Its parts must agree: a world or a brief that was edited would not be the one that the verifier judges.

    Raises:
        TaskError: A file is missing, damaged or edited; names the file, the field, what is expected and what is given.
    """
    base = Path(directory)
    metadata = read_config(_text(base, CONFIG)).metadata
    task = _task(base, JUDGED_TASK)
    if task.family != metadata.get("family"):
        raise TaskError(f"expected {metadata.get('family')!r} as in {CONFIG}, got {task.family!r}", field=f"{JUDGED_TASK}.family")
    _check_known(task)
    for name in ("task_id", "difficulty", "pattern"):
        expected = {"task_id": task.id, "difficulty": task.tier, "pattern": task.pattern}[name]
        if metadata.get(name) != expected:
            given = repr(metadata[name]) if name in metadata else "nothing"
            raise TaskError(f"expected {expected!r} as in {JUDGED_TASK}, got {given}", field=f"{CONFIG}.metadata.{name}")
    _check_served(task, _task(base, SERVED_TASK))
    _check_instruction(task, _text(base, INSTRUCTION))
    return task


def _check_known(task: Task) -> None:
    try:
        check_family(task.family)
    except RegistryError as error:
        raise TaskError(str(error), field=f"{JUDGED_TASK}.family") from error


def _check_served(task: Task, served: Task) -> None:
    """Refuse a server that plays something else."""
    expected, given = sealed(task).model_dump(exclude={"id"}), served.model_dump(exclude={"id"})
    for name, value in expected.items():
        if given[name] != value:
            raise TaskError(f"expected that of {JUDGED_TASK}, got another one", field=f"{SERVED_TASK}.{name}")


def _check_instruction(task: Task, given: str) -> None:
    expected = instruction(task)
    if given == expected:
        return
    pairs = zip([*expected.split("\n"), None], [*given.split("\n"), None], strict=False)
    number, (wanted, found) = next((n, pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    raise TaskError(f"expected {_quoted(wanted)}, got {_quoted(found)}", field=f"{INSTRUCTION}, line {number}")


def _quoted(line: str | None) -> str:
    return "the end" if line is None else repr(line if len(line) <= 80 else line[:77] + "...")


def _task(base: Path, name: str) -> Task:
    text = _text(base, name)
    try:
        return Task.from_json(text)
    except TaskError as error:
        place = f"{name}.{error.field}" if error.field else name
        raise TaskError(str(error).removeprefix(f"{error.field}: "), field=place) from error


def _text(base: Path, name: str) -> str:
    try:
        return (base / name).read_bytes().decode()
    except FileNotFoundError as error:
        raise TaskError(f"expected a file, got nothing at {str(base / name)!r}", field=name) from error
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"expected a text in UTF-8: {error}", field=name) from error


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
