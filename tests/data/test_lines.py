"""Line files: a line is there whole or not at all, whatever a crash left behind."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.data.lines import LineWriter, append_line, last_line, read_lines, recover

LINES = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20), max_size=6)


@given(LINES, st.binary(max_size=30).map(lambda tail: tail.replace(b"\n", b"")))
def test_what_was_appended_is_read_and_a_cut_off_line_is_no_line(lines: list[str], tail: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "f.jsonl"
        path.touch()
        for line in lines:
            append_line(path, line.encode())
        whole = path.read_bytes()
        path.write_bytes(whole + tail)
        assert list(read_lines(path)) == list(enumerate(lines, start=1))
        last = last_line(path)
        assert last == ((len(whole) - len(lines[-1].encode()) - 1, lines[-1]) if lines else None)
        assert recover(path) == len(tail) and path.read_bytes() == whole
        path.write_bytes(whole + tail)
        append_line(path, b"next")
        assert path.read_bytes() == whole + b"next\n"


def test_a_file_that_is_absent_has_no_last_line(tmp_path: Path) -> None:
    assert last_line(tmp_path / "absent") is None


def test_a_line_that_does_not_fit_on_the_disk_is_not_there_and_the_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.jsonl"
    append_line(path, b"before")
    true_write, room = os.write, 3

    def write(descriptor: int, data: memoryview) -> int:
        nonlocal room
        if room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = true_write(descriptor, data[:room])
        room -= written
        return written

    with LineWriter(path) as writer:
        monkeypatch.setattr(os, "write", write)
        with pytest.raises(OSError, match=r"No space left on device: '.*f\.jsonl'"):
            writer.add(b"too long")
        assert path.read_bytes() == b"before\n"
        room = 100
        writer.add(b"after")
    assert path.read_bytes() == b"before\nafter\n"


def test_a_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(b"one\n\xff\n")
    with pytest.raises(TaskError, match=r"f\.jsonl, line 2: not UTF-8"):
        list(read_lines(path))
    with pytest.raises(TaskError, match=r"f\.jsonl, last line: not UTF-8"):
        last_line(path)
