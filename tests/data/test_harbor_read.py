"""Task directories are read back to the same tasks, and what is wrong with one is said by file and field."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.data.erp_bench_import import import_release
from opsgym.data.harbor.export import PARTIAL, export_tasks
from opsgym.data.harbor.read import find_directories, import_directory, read_directory
from opsgym.data.packs import open_pack
from tests.conftest import Cli
from tests.data.harbor_tasks import changed, fixed, idle

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@settings(max_examples=8)
@given(st.lists(st.integers(0, 299), min_size=1, max_size=3, unique=True))
def test_tasks_of_the_fixed_set_come_back_the_same(indices: list[int]) -> None:
    tasks = fixed(*indices)
    with tempfile.TemporaryDirectory() as out:
        export_tasks(out, tasks)
        read = [read_directory(path) for path in find_directories(out)]
    assert sorted(task.id for task in read) == sorted(task.id for task in tasks)
    assert {task.id: task for task in read} == {task.id: task for task in tasks}


@settings(max_examples=30)
@given(TEXT, TEXT, TEXT, TEXT)
def test_tasks_with_any_texts_come_back_the_same(tier: str, pattern: str, instruction: str, policy: str) -> None:
    task = idle(fixed(0)[0], tier=tier, pattern=pattern, instruction=instruction, policy=policy)
    with tempfile.TemporaryDirectory() as out:
        (path,) = export_tasks(out, [task]).directories
        assert read_directory(path) == task


# -- malformed ones


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    (path,) = export_tasks(tmp_path, [idle(fixed(0)[0])]).directories
    return path


def replace(name: str, old: str, new: str) -> Callable[[Path], None]:
    """An edit of a file."""

    def edit(base: Path) -> None:
        text = (base / name).read_text()
        assert old in text
        (base / name).write_text(text.replace(old, new, 1))

    return edit


def remove(name: str) -> Callable[[Path], None]:
    """Removal of a file."""
    return lambda base: (base / name).unlink()


def other_task(name: str, **values: object) -> Callable[[Path], None]:
    """A file whose task is sound, but another one."""

    def edit(base: Path) -> None:
        task = Task.from_json((base / name).read_bytes())
        (base / name).write_text(changed(task, **values).to_json())

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (remove("task.toml"), "task.toml: expected a file, got nothing at"),
        (remove("tests/task.json"), "tests/task.json: expected a file, got nothing at"),
        (remove("environment/erp/task.json"), "environment/erp/task.json: expected a file, got nothing at"),
        (remove("instruction.md"), "instruction.md: expected a file, got nothing at"),
        (replace("task.toml", "[agent]", "[agent"), "task.toml: expected TOML: "),
        (replace("task.toml", '"1.4"', '"9.0"'), "task.toml.schema_version: String should match pattern .* got '9.0'"),
        (
            replace("task.toml", "[agent]\ntimeout_sec = 3600.0", '[agent]\ntimeout_sec = "1 h"'),
            "task.toml.agent.timeout_sec: .*'1 h'",
        ),
        (
            replace("task.toml", "memory_mb", "memory_gb"),
            "task.toml.environment.memory_gb: Extra inputs are not permitted, got 2048",
        ),
        (replace("task.toml", '"separate"', '"shared"'), "task.toml.verifier: environment_mode 'shared' does not go with"),
        (replace("task.toml", "task_id =", "tusk_id ="), "task.toml.metadata.task_id: expected '[0-9a-f]+' as in .* got nothing"),
        (
            replace("task.toml", 'difficulty = "easy"', 'difficulty = "hard"'),
            "metadata.difficulty: expected 'easy' .* got 'hard'",
        ),
        (
            replace("task.toml", 'family = "ERPBench-v0"', 'family = "ACEBench-v0"'),
            "tests/task.json.family: expected 'ACEBench-v0' as in task.toml",
        ),
        (replace("tests/task.json", '"seed":', '"sead":'), "tests/task.json.s[ea]+d: "),
        (
            replace("tests/task.json", '"tier":"easy"', '"tier":"hard"'),
            "tests/task.json.id: id .* does not match the content, expected",
        ),
        (replace("tests/task.json", "{", "["), "tests/task.json: not a task: invalid JSON"),
        (replace("environment/erp/task.json", "}", ""), "environment/erp/task.json: not a task: invalid JSON"),
        (other_task("environment/erp/task.json", seed=4), "environment/erp/task.json.seed: expected that of tests/task.json"),
        (other_task("environment/erp/task.json", instruction="Hi"), "environment/erp/task.json.instruction: expected that of"),
        (
            replace("instruction.md", "\n", "\nAlways submit at once.\n"),
            "instruction.md, line 2: expected '', got 'Always submit",
        ),
        (lambda base: (base / "instruction.md").write_bytes(b"\xff"), "instruction.md: expected a text in UTF-8"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_field(edit: Callable[[Path], None], message: str, exported: Path) -> None:
    edit(exported)
    with pytest.raises(TaskError, match=message):
        read_directory(exported)
    found = import_directory(exported)
    assert found.task is None and found.problem and found.name == exported.name


def test_a_brief_that_is_cut_off_is_noticed(exported: Path) -> None:
    path = exported / "instruction.md"
    path.write_text(path.read_text()[:-1])
    with pytest.raises(TaskError, match="got the end"):
        read_directory(exported)


def test_a_task_of_another_family_is_refused(exported: Path) -> None:
    path = exported / "tests" / "task.json"
    path.write_text(changed(Task.from_json(path.read_bytes()), family="ACEBench-v0").to_json())
    replace("task.toml", 'family = "ERPBench-v0"', 'family = "ACEBench-v0"')(exported)
    with pytest.raises(TaskError, match=r"tests/task.json.family: .*expected one of: ERPBench-v0"):
        read_directory(exported)


# -- finding and importing


def test_what_a_cut_export_left_is_passed_over(exported: Path) -> None:
    shutil.copytree(exported, exported.parent / f"{PARTIAL}x")
    assert find_directories(exported.parent) == find_directories(exported) == [exported]


def test_a_place_without_tasks_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"harbor: expected task directories with task\.toml at or below"):
        find_directories(tmp_path)
    with pytest.raises(TaskError, match="expected a directory"):
        find_directories(tmp_path / "absent")


def test_directories_of_the_release_are_read_as_the_release(released_erpbench: Path) -> None:
    (first, *_) = directories = find_directories(released_erpbench)
    assert len(directories) == 87
    ours, theirs = import_directory(first), import_release(first)
    assert ours == theirs and ours.task is not None and ours.task.id


def test_a_released_task_goes_through_harbor_and_back(released_erpbench: Path, tmp_path: Path) -> None:
    imported = import_directory(find_directories(released_erpbench)[0])
    assert imported.task is not None
    (path,) = export_tasks(tmp_path, [imported.task]).directories
    assert read_directory(path) == imported.task


def test_the_command_reads_what_the_other_wrote_and_names_what_it_cannot(cli: Cli, exported: Path, tmp_path: Path) -> None:
    pack = tmp_path / "pack.jsonl"
    command = ("tasks", "import", "--harbor", str(exported.parent), "--out", str(pack))
    assert "1 of 1 directories are sound\n1 tasks in" in cli(*command)
    assert [task.id for task in open_pack(pack)] == [json.loads((exported / "tests" / "task.json").read_text())["id"]]
    export_tasks(exported.parent, [idle(fixed(60)[0])])
    remove("tests/task.json")(exported)
    printed = cli(*command, code=1)
    assert (
        f"{exported.name}: tests/task.json: expected a file, got nothing" in printed and "1 of 2 directories are sound" in printed
    )
    cli("tasks", "import", "--out", str(pack), code=2)
    assert "expected either DIR or --harbor DIR" in cli.err
