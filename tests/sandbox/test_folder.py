"""Trees survive the way to the host's files and back; a swept folder is gone, whatever it held."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.sandbox.folder import DEPTH, TooMuch, collect, lay, measure, scratch, sweep
from opsgym.sandbox.limits import Limits

LIMITS = Limits(disk=100_000, files=40)
NAMES = st.text("abö -_", min_size=1, max_size=5)
TREES = st.dictionaries(st.lists(NAMES, min_size=1, max_size=3).map("/".join), st.binary(max_size=50), max_size=5)


@given(TREES.filter(lambda files: not any(other.startswith(f"{path}/") for path in files for other in files)))
def test_what_is_laid_is_collected(files: dict[str, bytes]) -> None:
    with scratch(LIMITS) as folder:
        lay(files, folder)
        assert collect(folder, LIMITS) == (files, ())
    assert not folder.exists()


def test_files_have_a_time_that_does_not_depend_on_the_clock(tmp_path: Path) -> None:
    lay({"a/b": b""}, tmp_path)
    assert {one.stat().st_mtime for one in (tmp_path, tmp_path / "a", tmp_path / "a/b")} == {946684800.0}


def test_a_path_that_is_both_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="both a file and a folder"):
        lay({"a": b"", "a/b": b""}, tmp_path)


def test_too_many_bytes_or_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(100_001))
    with pytest.raises(TooMuch):
        collect(tmp_path, LIMITS)
    (tmp_path / "big").write_bytes(bytes(300_000))
    with pytest.raises(TooMuch):
        measure(tmp_path, LIMITS)
    (tmp_path / "big").unlink()
    for number in range(41):
        (tmp_path / f"f{number}").touch()
    for look in (measure, collect):
        with pytest.raises(TooMuch):
            look(tmp_path, LIMITS)


def test_a_full_but_allowed_folder_is_no_fault(tmp_path: Path) -> None:
    lay({f"f{number}": bytes(2500) for number in range(40)}, tmp_path)
    measure(tmp_path, LIMITS)
    assert len(collect(tmp_path, LIMITS)[0]) == 40


def test_links_are_never_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (inside / "file").symlink_to(outside / "secret")
    (inside / "folder").symlink_to(outside)
    assert collect(inside, LIMITS) == ({}, ("file (link)", "folder (link)"))


def test_what_is_too_deep_is_dropped(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * (DEPTH + 3))
    deep.mkdir(parents=True)
    files, dropped = collect(tmp_path, LIMITS)
    assert files == {}
    assert len(dropped) == 1 and dropped[0].endswith("(too deep)")


def test_a_folder_deeper_than_paths_can_be_is_swept() -> None:
    with scratch(LIMITS) as folder:
        here = os.open(folder, os.O_RDONLY)
        for _ in range(2000):
            os.mkdir("d", dir_fd=here)
            below = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.mkdir("closed", mode=0, dir_fd=here)
        os.close(here)
    assert not folder.exists()
    sweep(folder)
