"""A workspace is a state: saved, restored, forked, undone and told apart by its content alone."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.core.world import WorldLike
from opsgym.sandbox import Workspace

NAMES = st.text("abcö .-", min_size=1, max_size=6).filter(lambda name: name.strip(".") != "")
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def _sound(files: dict[str, bytes]) -> bool:
    return not any(other.startswith(f"{path}/") for path in files for other in files)


TREES = st.dictionaries(PATHS, st.binary(max_size=20), max_size=6).filter(_sound)


@given(TREES, TREES)
def test_a_restored_workspace_is_as_it_was(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    workspace: WorldLike = Workspace(one)
    before, digest = pickle.loads(pickle.dumps(workspace.snapshot())), workspace.digest()
    assert isinstance(workspace, Workspace)
    workspace.replace(other)
    assert (workspace.digest() == digest) == (one == other)
    workspace.restore(before)
    assert (dict(workspace.files), workspace.digest()) == (one, digest)
    assert dict(before.open().files) == one


@given(TREES)
def test_the_digest_does_not_depend_on_the_order_of_writing(files: dict[str, bytes]) -> None:
    turned = Workspace(dict(reversed(files.items())))
    assert turned.digest() == Workspace(files).digest()
    assert list(turned.files) == sorted(files)
    assert turned.check() == []
    assert turned.size == sum(map(len, files.values()))


def test_a_fork_goes_its_own_way() -> None:
    workspace = Workspace({"a": b"1"})
    twin = workspace.fork()
    twin.replace({"a": b"2"})
    assert dict(workspace.files) == {"a": b"1"}


def test_a_savepoint_undoes_what_an_exception_leaves_and_nests() -> None:
    workspace = Workspace({"a": b"1"})
    with workspace.savepoint():
        workspace.replace({"a": b"2"})
        with pytest.raises(ValueError, match="inner"), workspace.savepoint():
            workspace.replace({})
            raise ValueError("inner")
        assert dict(workspace.files) == {"a": b"2"}
    assert dict(workspace.files) == {"a": b"2"}
    with pytest.raises(ValueError, match="outer"), workspace.savepoint():
        workspace.replace({})
        raise ValueError("outer")
    assert dict(workspace.files) == {"a": b"2"}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"../a": b""}, "relative path"),
        ({"/a": b""}, "relative path"),
        ({"a/./b": b""}, "relative path"),
        ({"a\0": b""}, "relative path"),
        ({"a": b"", "a/b": b""}, "both a file and a folder"),
        ({"a": b"", "a/": b""}, "both a file and a folder"),
    ],
)
def test_an_unsound_tree_is_refused_and_changes_nothing(files: dict[str, bytes], message: str) -> None:
    workspace = Workspace({"kept": b""})
    with pytest.raises(TaskError, match=message):
        workspace.replace(files)
    assert list(workspace.files) == ["kept"]


def test_the_mark_of_an_empty_folder_goes_when_it_holds_something() -> None:
    assert list(Workspace({"a/": b"", "a/b": b"", "c/": b""}).files) == ["a/b", "c/"]


def test_the_files_cannot_be_changed_behind_its_back() -> None:
    workspace = Workspace({"a": b"1"})
    with pytest.raises(TypeError):
        workspace.files["a"] = b"2"  # type: ignore[index]  # that is what is refused


def test_a_snapshot_of_another_world_is_refused() -> None:
    class Other:
        schema = "other"

    with pytest.raises(TaskError, match="workspace 1"):
        Workspace().restore(Other())  # type: ignore[arg-type]  # that is what is refused
