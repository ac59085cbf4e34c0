"""Task packs: files of compiled tasks, as JSON Lines (``.jsonl``, ``.jsonl.gz``, ``.jsonl.xz``) or Parquet (``.parquet``).

A pack holds one task a line or row.  Tasks are read when they are asked for, so that a pack of many thousand
tasks opens at once.  Parquet needs pyarrow (``pip install "opsgym[report]"``).
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import shutil
import tempfile
import weakref
from abc import abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import IO, Any, Self, TypeVar, overload

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.task import Task
from opsgym.data.splits import check_split, split_of

T = TypeVar("T")

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz", ".parquet")
"""File name endings of packs; the ending decides the format."""

_ROW_GROUP = 32  # tasks; what is decoded at once when one task of a Parquet pack is read


@dataclass(frozen=True, slots=True)
class Header:
    """What a pack knows of a task without checking it whole."""

    id: str
    family: str
    version: str
    tier: str
    pattern: str
    seed: int


def matches(item: Header | Task, *, tier: str | None, pattern: str | None, split: str | None) -> bool:
    """Whether a task is of a tier, a pattern and a split; ``None`` takes all."""
    return tier in (None, item.tier) and pattern in (None, item.pattern) and split in (None, split_of(item.seed))


class Pack(Sequence[Task]):
    """A read-only sequence of the tasks of a file; see :func:`open_pack`.

    Args:
        path: The file.
        family: The family that is to play the tasks; tasks of another one are refused when read.
    """

    def __init__(self, path: str | os.PathLike[str], *, family: str | None = None) -> None:
        self.path = Path(path)
        self.family = family
        if not self.path.is_file():
            raise TaskError(f"no task pack at {str(self.path)!r}", field="tasks")
        facts = self.path.stat()
        self.identity = (str(self.path.absolute()), facts.st_ino, facts.st_mtime_ns, facts.st_size)
        """Tells this file from all others and from what takes its place."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r}, family={self.family!r})"

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[str, str | None]]:
        return _reopen, (str(self.path), self.family)  # type: ignore[return-value]  # the ending gives the same class

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> list[Task]: ...
    def __getitem__(self, index: int | slice) -> Task | list[Task]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"the pack {self.path.name!r} has {len(self)} tasks, got index {index}")
        with self._located(position):
            return Task.from_json(self._text(position), family=self.family)

    @abstractmethod
    def _text(self, position: int) -> bytes | str:
        """JSON text of the task at a position."""

    @abstractmethod
    def _place(self, position: int) -> str:
        """Where the task at a position stands in the file, in words."""

    @cached_property
    def headers(self) -> tuple[Header, ...]:
        """Headers of all tasks, in order; reads the file once.

        Raises:
            TaskError: A task is damaged.
        """
        return tuple(self._header(position) for position in range(len(self)))

    def _header(self, position: int) -> Header:
        with self._located(position):
            try:
                data = json.loads(self._text(position))
                values = {name: kind(data[name]) for name, kind in _HEADER_FIELDS.items()}
            except KeyError as error:
                raise TaskError("field is missing", field=str(error.args[0])) from error
            except (ValueError, TypeError) as error:
                raise TaskError(f"not a task: {error}") from error
        return Header(**values)

    def where(self, *, tier: str | None = None, pattern: str | None = None, split: str | None = None) -> tuple[int, ...]:
        """Indices of the tasks of a tier, a pattern and a split; ``None`` takes all.

        Raises:
            RegistryError: No such split.
        """
        if (tier, pattern, check_split(split)) == (None, None, None):
            return tuple(range(len(self)))
        return tuple(
            index for index, header in enumerate(self.headers) if matches(header, tier=tier, pattern=pattern, split=split)
        )

    @contextmanager
    def _located(self, position: int) -> Iterator[None]:
        """Names the file and the place in every ``TaskError`` that leaves the context."""
        try:
            yield
        except TaskError as error:
            located = TaskError(f"{self.path}, {self._place(position)}: {error}")
            located.field = error.field
            raise located from error


_HEADER_FIELDS: dict[str, Callable[[Any], Any]] = {
    "id": str,
    "family": str,
    "version": str,
    "tier": str,
    "pattern": str,
    "seed": int,
}


_UNPACKERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}


class JsonLinesPack(Pack):
    """A pack in JSON Lines; only the positions of the lines are held in memory.

    Threads and forked processes may read the same pack: reading moves no file position.
    """

    @cached_property
    def _file(self) -> IO[bytes]:
        file = self._open()
        weakref.finalize(self, file.close)
        return file

    def _open(self) -> IO[bytes]:
        unpack = _UNPACKERS.get(self.path.suffix)
        if unpack is None:
            return open(self.path, "rb")
        plain = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the pack: packed files cannot seek fast
        try:
            with unpack(self.path, "rb") as packed:
                shutil.copyfileobj(packed, plain)
        except (OSError, EOFError, lzma.LZMAError) as error:
            plain.close()
            raise TaskError(f"{self.path}: not a {self.path.suffix[1:]} file or cut off ({error})") from error
        return plain

    @cached_property
    def _lines(self) -> list[tuple[int, int, int]]:
        """Line number (from 1), byte offset and length of every line that holds something."""
        file, offset, found = self._file, 0, []
        file.seek(0)
        for number, line in enumerate(file, start=1):
            if line.strip():
                found.append((number, offset, len(line)))
            offset += len(line)
        return found

    def __len__(self) -> int:
        return len(self._lines)

    def _text(self, position: int) -> bytes:
        _, offset, length = self._lines[position]
        return os.pread(self._file.fileno(), length, offset)

    def _place(self, position: int) -> str:
        return f"line {self._lines[position][0]}"


class ParquetPack(Pack):
    """A pack in Parquet; one row group is held in memory."""

    @cached_property
    def _parquet(self) -> Any:
        pyarrow = load_pyarrow()
        try:
            file = pyarrow.parquet.ParquetFile(self.path)
        except (pyarrow.ArrowException, OSError) as error:
            raise TaskError(f"{self.path}: not a Parquet file ({error})") from error
        if "task" not in file.schema_arrow.names:
            raise TaskError(f"{self.path}: expected a column 'task', got {file.schema_arrow.names}", field="task")
        return file

    @cached_property
    def _starts(self) -> list[int]:
        metadata = self._parquet.metadata
        sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        return list(accumulate(sizes, initial=0))

    def __len__(self) -> int:
        return self._starts[-1]

    def _text(self, position: int) -> str:
        group = bisect_right(self._starts, position) - 1
        if getattr(self, "_held", None) != group:
            self._rows: list[str] = self._parquet.read_row_group(group, columns=["task"])["task"].to_pylist()
            self._held = group
        return self._rows[position - self._starts[group]]

    def _place(self, position: int) -> str:
        return f"row {position + 1}"


def open_pack(path: str | os.PathLike[str], *, family: str | None = None) -> Pack:
    """Open a task pack.

    Args:
        path: A file whose name ends in one of :data:`SUFFIXES`.
        family: The family that is to play it; tasks of another one are refused when read.

    Raises:
        TaskError: There is no such file, or its name says no known format.
    """
    return (ParquetPack if check_name(path) == ".parquet" else JsonLinesPack)(path, family=family)


def _reopen(path: str, family: str | None) -> Pack:
    return open_pack(path, family=family)


def write_pack(path: str | os.PathLike[str], tasks: Iterable[Task]) -> int:
    """Write tasks to a pack and return their number; the file appears whole or not at all.

    Args:
        path: A file name that ends in one of :data:`SUFFIXES`.
        tasks: The tasks; may be a generator.

    Raises:
        TaskError: The name says no known format.
        OpsGymError: The format is Parquet and pyarrow is missing.
    """
    write = _WRITERS[check_name(path)]
    with atomic_file(path) as temporary:
        return write(temporary, tasks)


def pack_info(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Facts about a pack: number of tasks, size in bytes, and counts by family, version, tier, pattern and split.

    Raises:
        TaskError: The file is no pack or holds a damaged task.
    """
    pack = open_pack(path)
    headers = pack.headers
    counts = {
        name: dict(sorted(Counter(getattr(header, name) for header in headers).items()))
        for name in ("family", "version", "tier", "pattern")
    }
    splits = dict(sorted(Counter(split_of(header.seed) for header in headers).items()))
    return {"path": str(pack.path), "tasks": len(pack), "bytes": pack.path.stat().st_size, **counts, "split": splits}


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its place when the context ends without an exception."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def check_name(path: str | os.PathLike[str]) -> str:
    """The ending of :data:`SUFFIXES` that a pack's name has.

    Raises:
        TaskError: It has none of them.
    """
    name = os.fspath(path)
    found = next((suffix for suffix in SUFFIXES if name.endswith(suffix)), None)
    if found is None:
        raise TaskError(f"expected a file name ending in {', '.join(SUFFIXES)}, got {name!r}", field="tasks")
    return found


def _copy_lines(file: IO[bytes], tasks: Iterable[Task]) -> int:
    count = 0
    for task in tasks:
        file.write(task.to_json().encode() + b"\n")
        count += 1
    return count


def _write_lines(path: Path, tasks: Iterable[Task]) -> int:
    with open(path, "wb") as file:
        return _copy_lines(file, tasks)


def _write_gzip(path: Path, tasks: Iterable[Task]) -> int:
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        return _copy_lines(file, tasks)  # type: ignore[arg-type]  # GzipFile is a binary file in all that matters


def _write_xz(path: Path, tasks: Iterable[Task]) -> int:
    # Tasks repeat one another over long distances: the largest window pays.
    with lzma.open(path, "wb", preset=9 | lzma.PRESET_EXTREME) as file:
        return _copy_lines(file, tasks)


def _write_parquet(path: Path, tasks: Iterable[Task]) -> int:
    pyarrow = load_pyarrow()
    schema = pyarrow.schema(
        [(name, pyarrow.int64() if name == "seed" else pyarrow.string()) for name in (*_HEADER_FIELDS, "task")]
    )
    count = 0
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in batches(tasks, _ROW_GROUP):
            records = [{**{name: getattr(task, name) for name in _HEADER_FIELDS}, "task": task.to_json()} for task in rows]
            writer.write_table(pyarrow.Table.from_pylist(records, schema=schema))
            count += len(rows)
    return count


_WRITERS: dict[str, Callable[[Path, Iterable[Task]], int]] = {
    ".jsonl": _write_lines,
    ".jsonl.gz": _write_gzip,
    ".jsonl.xz": _write_xz,
    ".parquet": _write_parquet,
}


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of ``size``; the last one may be shorter."""
    rows: list[T] = []
    for item in items:
        rows.append(item)
        if len(rows) == size:
            yield rows
            rows = []
    if rows:
        yield rows


def load_pyarrow() -> Any:
    """The module ``pyarrow``.

    Raises:
        OpsGymError: It is not installed; says how to.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise OpsGymError('Parquet files need pyarrow: pip install "opsgym[report]"') from error
    return pyarrow
