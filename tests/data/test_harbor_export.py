"""Exported directories are whole, equal at every export, safe, and keep the solution where the agent never is."""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task, canonical_json
from opsgym.data.harbor.export import PARTIAL, export_tasks
from opsgym.data.harbor.files import instruction, task_files, toml_text
from opsgym.data.harbor.layout import SERVED_TASK, agent_key, directory_name, sealed
from opsgym.data.harbor.schema import TaskToml, read_config
from opsgym.envs.erp_bench.family import ErpBenchFamily
from tests.conftest import Cli
from tests.data.harbor_tasks import changed, fixed, idle

TASK = fixed(0)[0]
ODD_PATTERNS = ["../../etc", "a/b", "", ".", "x" * 300, "Ünï cödé\n", "-rf", "a\0b"]


def contents(root: Path) -> dict[str, tuple[bytes, int]]:
    """Bytes and mode of every file below a directory."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files}


# -- what is in a directory


def test_an_export_holds_what_harbor_asks_for(tmp_path: Path) -> None:
    (path,) = export_tasks(tmp_path, [TASK]).directories
    found = contents(path)
    for name in ("task.toml", "instruction.md", "environment/Dockerfile", "tests/test.sh", "solution/solve.sh"):
        assert name in found
    assert all(mode == (0o755 if name.endswith(".sh") else 0o644) for name, (_, mode) in found.items())
    for script in path.rglob("*.sh"):
        subprocess.run(["sh", "-n", str(script)], check=True)


def test_the_same_task_gives_the_same_bytes(tmp_path: Path) -> None:
    tasks = fixed(0, 60, 150, 299)
    for name in ("one", "other"):
        export_tasks(tmp_path / name, tasks)
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


@pytest.mark.parametrize("task", fixed(0, 60, 150, 299), ids=lambda task: task.pattern)
def test_nothing_of_the_solution_is_outside_of_tests_and_solution(task: Task) -> None:
    secrets = [
        str(task.seed),
        canonical_json(task.certificate.model_dump())[1:-1],
        canonical_json(task.params)[1:-1],
        *(canonical_json(call.arguments)[1:-1] for call in task.oracle if call.name.startswith("create")),
        *(canonical_json(check.model_dump()) for check in task.checks),
    ]
    for name, content in task_files(task).items():
        if not name.startswith(("tests/", "solution/")):
            found = [secret for secret in secrets if secret in content.decode()]
            assert not found, name


def test_what_is_served_opens_the_world_of_the_task_and_cannot_judge_it() -> None:
    family, served = ErpBenchFamily(), Task.from_json(task_files(TASK)[SERVED_TASK])
    assert served == sealed(TASK)
    one, other = family.open(TASK), family.open(served)
    assert one.digest() == other.digest()
    assert (served.checks, served.params, served.metadata, [call.name for call in served.oracle]) == ((), {}, {}, ["submit"])


def test_the_image_of_the_agent_takes_in_the_key_alone() -> None:
    files = task_files(TASK)
    copied = re.findall(r"^(?:COPY|ADD) .*$", files["environment/Dockerfile"].decode(), re.M)
    assert copied == ["COPY api_key /etc/odoo/api_key"]
    assert files["environment/.dockerignore"].decode().split() == ["*", "!api_key"]
    assert b"opsgym" not in files["environment/Dockerfile"]
    assert files["environment/api_key"] == files["environment/erp/api_key"] == agent_key(TASK).encode() + b"\n"
    assert re.fullmatch("[0-9a-f]{40}", agent_key(TASK))


def test_the_brief_is_the_tasks_own_and_says_how_the_erp_is_reached() -> None:
    text = instruction(TASK)
    assert text.startswith(TASK.instruction)
    assert "/etc/odoo/api_key" in text and "http://127.0.0.1:8069" in text
    assert instruction(changed(TASK, policy="Be kind.")).startswith("Be kind.\n" + TASK.instruction)


def test_the_configuration_keeps_the_verifier_apart() -> None:
    config = read_config(task_files(TASK)["task.toml"].decode())
    assert config.schema_version == "1.4" and config.metadata["task_id"] == TASK.id
    assert config.verifier.environment_mode == "separate" and config.verifier.environment is not None
    assert {config.environment.network_mode, config.verifier.environment.network_mode} == {"no-network"}
    (hook,), (artifact,) = config.verifier.collect, config.artifacts
    assert not isinstance(artifact, str) and hook.service == artifact.service == "erp"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_toml(text: str) -> None:
    assert tomllib.loads(f"a = {toml_text(text)}") == {"a": text}


@pytest.mark.parametrize("pattern", ODD_PATTERNS)
def test_any_pattern_gives_a_name_that_is_safe(pattern: str, tmp_path: Path) -> None:
    task = idle(TASK, pattern=pattern, tier='"]\n[x')
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,200}", directory_name(task))
    (path,) = export_tasks(tmp_path / "out", [task]).directories
    assert path.parent == tmp_path / "out" and list(tmp_path.iterdir()) == [tmp_path / "out"]
    config = read_config((path / "task.toml").read_text())
    assert (config.metadata["pattern"], config.metadata["difficulty"]) == (pattern, task.tier)
    assert config.task is not None and config.task.name == f"opsgym/{path.name}"


def test_a_wheel_goes_into_both_images(tmp_path: Path) -> None:
    wheel = tmp_path / "opsgym-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    files = task_files(TASK, wheel=wheel)
    for folder, extra in (("environment/erp", "[serve]"), ("tests", "")):
        assert files[f"{folder}/{wheel.name}"] == b"wheel"
        assert f'"/tmp/{wheel.name}{extra}"' in files[f"{folder}/Dockerfile"].decode()
    other = tmp_path / "opsgym-0 && rm.whl"
    other.write_bytes(b"")
    with pytest.raises(TaskError, match="wheel: expected a file such as opsgym-"):
        task_files(TASK, wheel=other)


# -- how it is written


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, list[Task]]:
    return tmp_path / "out", [idle(task) for task in fixed(0, 60)]


@pytest.mark.parametrize(("writes", "whole"), [(0, 0), (3, 0), (20, 1)])
def test_an_export_that_is_cut_off_leaves_whole_tasks_and_goes_on(
    writes: int, whole: int, two: tuple[Path, list[Task]], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, tasks = two
    left, write = iter(range(writes)), Path.write_bytes

    def write_while_there_is_space(path: Path, data: bytes) -> int:
        if next(left, None) is None:
            raise OSError(28, "No space left on device")
        return write(path, data)

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space"):
        patch.setattr(Path, "write_bytes", write_while_there_is_space)
        export_tasks(out, tasks)
    assert [path.name for path in out.iterdir()] == [directory_name(task) for task in tasks[:whole]]
    assert export_tasks(out, tasks).written == len(tasks) - whole
    assert sorted(path.name for path in out.iterdir()) == sorted(map(directory_name, tasks))
    assert export_tasks(out, tasks).written == 0


def test_what_a_killed_export_left_is_removed(two: tuple[Path, list[Task]]) -> None:
    out, tasks = two
    (out / f"{PARTIAL}abc" / "tests").mkdir(parents=True)
    export_tasks(out, tasks)
    assert sorted(path.name for path in out.iterdir()) == sorted(map(directory_name, tasks))


def test_a_task_that_is_given_twice_is_written_once(two: tuple[Path, list[Task]]) -> None:
    out, tasks = two
    assert len(export_tasks(out, [*tasks, *tasks]).directories) == 2


def in_the_way(kind: str, target: Path) -> None:
    """Put something where a task is to be written."""
    if kind == "file":
        target.write_text("mine")
    elif kind == "link":
        target.symlink_to(target.parent)
    elif kind == "empty directory":
        target.mkdir()
    elif kind == "foreign directory":
        target.mkdir()
        (target / "thesis.txt").write_text("mine")


@pytest.mark.parametrize("kind", ["file", "link", "empty directory", "foreign directory"])
def test_nothing_foreign_is_overwritten(kind: str, two: tuple[Path, list[Task]]) -> None:
    out, tasks = two
    out.mkdir()
    target = out / directory_name(tasks[0])
    in_the_way(kind, target)
    before = contents(out)
    with pytest.raises(TaskError, match="is in the way"):
        export_tasks(out, tasks)
    assert contents(out) == before and [path.name for path in out.iterdir()] == [target.name]


@pytest.mark.parametrize("name", ["task.toml", "tests/task.json", "notes.txt"])
def test_a_task_that_was_edited_is_not_overwritten(name: str, two: tuple[Path, list[Task]]) -> None:
    out, tasks = two
    path = export_tasks(out, tasks).directories[0] / name
    path.write_text("edited")
    with pytest.raises(TaskError, match=re.escape(f"{name!r}")):
        export_tasks(out, tasks)
    assert path.read_text() == "edited"


def test_a_file_is_no_place_for_an_export(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    for out in (tmp_path / "out", tmp_path / "out" / "below"):
        with pytest.raises(TaskError, match="out: expected a directory, got the file"):
            export_tasks(out, [TASK])


def test_two_exports_do_not_write_one_directory(two: tuple[Path, list[Task]]) -> None:
    out, tasks = two
    out.mkdir()
    descriptor = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(TaskError, match="another export writes"):
            export_tasks(out, tasks)
    finally:
        os.close(descriptor)
    assert export_tasks(out, tasks).written == 2


def test_another_family_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="Others need `opsgym serve mcp`"):
        export_tasks(tmp_path, [changed(TASK, family="ACEBench-v0")])
    assert not list(tmp_path.iterdir())


def test_an_oracle_that_the_erp_refuses_is_named(tmp_path: Path) -> None:
    broken = changed(TASK, oracle=[{"name": "confirm_sales_order", "arguments": {"order": "S99999"}}])
    with pytest.raises(TaskError, match=r"oracle: .*S99999"):
        export_tasks(tmp_path, [broken])
    assert not list(tmp_path.iterdir())


# -- Harbor's own word


def test_the_schema_knows_every_field_that_is_written() -> None:
    data = tomllib.loads(task_files(TASK)["task.toml"].decode())
    assert json.loads(json.dumps(data)) == TaskToml.model_validate(data).model_dump(exclude_unset=True)


def test_harbors_own_loader_takes_every_directory(tmp_path: Path) -> None:
    """Needs a Python with Harbor, named by HARBOR_PYTHON: Harbor wants a newer one than OpsGym does."""
    python = os.environ.get("HARBOR_PYTHON")
    if python is None:
        pytest.skip("HARBOR_PYTHON names no Python that has Harbor")
    export_tasks(tmp_path, fixed(0, 60, 150, 299))
    script = (
        "import sys; from pathlib import Path; from harbor.models.task.task import Task; import harbor.lint.task as lint\n"
        "for path in Path(sys.argv[1]).iterdir():\n"
        "    task = Task(path); assert Task.is_valid_dir(path) and task.name == f'opsgym/{path.name}', path\n"
        "    assert task.config.schema_version == '1.4' and task.instruction == (path / 'instruction.md').read_text()\n"
        "    print(path.name)"
    )
    done = subprocess.run([python, "-W", "error", "-c", script, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0 and len(done.stdout.split()) == 4, done.stderr


# -- the command


def test_the_command_exports_tasks_of_a_split_evenly_spread(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ("export", "harbor", "ERPBench-v0", "--split", "test", "--out", str(out), "--count", "2")
    assert "2 tasks in" in cli(*command)
    assert sorted(path.name for path in out.iterdir()) == sorted(map(directory_name, fixed(0, 150)))
    assert "2 tasks in" in (again := cli(*command)) and "0 of them new" in again


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ACEBench-v0"], "expected one of: ERPBench-v0"),
        (["Nothing-v0"], "unknown environment 'Nothing-v0'"),
        (["ERPBench-v0", "--count", "2", "--tasks", "x.jsonl"], "expected either a number of tasks or a pack, got both"),
        (["ERPBench-v0", "--tasks", "absent.jsonl"], "no task pack at 'absent.jsonl'"),
    ],
)
def test_the_command_refuses_in_one_line(arguments: list[str], message: str, cli: Cli, tmp_path: Path) -> None:
    cli("export", "harbor", *arguments, "--out", str(tmp_path / "out"), code=2)
    assert message in cli.err and cli.err.count("\n") == 1 and not (tmp_path / "out").exists()
