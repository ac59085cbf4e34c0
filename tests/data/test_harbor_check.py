"""Exported tasks are solved by their solution and by nothing else, run as the processes that Harbor would start."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opsgym.core.errors import BackendError, TaskError
from opsgym.core.task import Task
from opsgym.core.world import World
from opsgym.data.harbor.check import AGENTS, play
from opsgym.data.harbor.export import export_tasks
from opsgym.data.harbor.files import instruction
from opsgym.data.harbor.judge import judge_state, main, rewards
from opsgym.envs.erp_bench.family import ErpBenchFamily
from tests.conftest import Cli
from tests.data.harbor_tasks import fixed

TEN = range(0, 300, 30)
"""Places in the fixed set, of ten patterns."""
FAMILY = ErpBenchFamily()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task in a place whose name a careless script would trip over."""
    (path,) = export_tasks(tmp_path_factory.mktemp("an export, of 'tasks'"), fixed(60)).directories
    return path


def solved(task: Task) -> bytes:
    """The end state that the oracle leaves."""
    world = FAMILY.open(task)
    tools, session = FAMILY.toolbox("tools"), FAMILY.session(world, task)
    for call in task.oracle:
        tool = tools.find(call.name)
        tool.function(session, **tool.validate(call.arguments))
    return world.snapshot().data


# -- whole runs


def check_run(path: Path, logs: Path) -> None:
    """Both agents earn what is due, in the shape that Harbor reads."""
    for agent, due in AGENTS.items():
        played = play(path, logs / agent, agent)
        written = json.loads((logs / agent / "verifier" / "reward.json").read_text())
        assert played.rewards == written and written["reward"] == due == float(
            (logs / agent / "verifier" / "reward.txt").read_text()
        )
        assert all(isinstance(value, float) and math.isfinite(value) for value in written.values())
        verdict = json.loads((logs / agent / "verifier" / "verdict.json").read_text())
        assert verdict["reward"] == due and verdict["checks"]


def test_the_solution_earns_all_and_doing_nothing_earns_none(exported: Path, tmp_path: Path) -> None:
    check_run(exported, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("index", TEN)
def test_ten_tasks_are_solved_by_their_solution_and_not_by_doing_nothing(index: int, tmp_path: Path) -> None:
    (path,) = export_tasks(tmp_path / "tasks", fixed(index)).directories
    check_run(path, tmp_path / "logs")


def test_the_command_checks_as_many_directories_as_it_is_told(cli: Cli, tmp_path: Path) -> None:
    paths = sorted(export_tasks(tmp_path / "tasks", fixed(20, 150)).directories)
    printed = cli("export", "check-harbor", str(tmp_path / "tasks"), "--logs", str(tmp_path / "logs"), "--count", "1")
    assert printed.splitlines() == [f"{paths[0].name} oracle: 1", f"{paths[0].name} nothing: 0"]
    assert (tmp_path / "logs" / paths[0].name / "oracle" / "verifier" / "reward.json").is_file()


# -- steps that fail


def test_a_plan_that_does_not_fit_is_an_error_and_no_reward(exported: Path, tmp_path: Path) -> None:
    base = Path(shutil.copytree(exported, tmp_path / "task"))
    plan = json.loads((base / "solution" / "plan.json").read_text())
    plan[0]["model"] = "no.such.model"
    (base / "solution" / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(BackendError, match=r"solve\.sh ended with 1: no.such.model.action_cancel is refused \(404\)"):
        play(base, tmp_path / "logs")
    assert not (tmp_path / "logs" / "verifier" / "reward.json").exists()


def test_a_server_that_does_not_start_is_an_error_with_its_last_words(exported: Path, tmp_path: Path) -> None:
    base = Path(shutil.copytree(exported, tmp_path / "task"))
    (base / "environment" / "erp" / "task.json").write_text("{}")
    with pytest.raises(BackendError, match=r"the server ended with 2: error: .*see .*server\.txt"):
        play(base, tmp_path / "logs")


def test_what_is_no_task_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"task\.toml: expected a task directory"):
        play(tmp_path, tmp_path / "logs")


# -- the verifier


@pytest.mark.parametrize("task", fixed(0, 150), ids=lambda task: task.pattern)
def test_a_state_is_judged_as_in_the_environment(task: Task) -> None:
    before = FAMILY.open(task)
    for image in (before.snapshot().data, solved(task)):
        after = World.from_snapshot(type(before.snapshot())(before.schema, image, before.now))
        assert judge_state(task, image) == FAMILY.verify(before, after, task)
    assert judge_state(task, solved(task)).reward == 1.0


def test_rewards_are_flat_and_lead_with_the_one_that_counts() -> None:
    (task,) = fixed(0)
    found = rewards(judge_state(task, solved(task)))
    assert list(found) == ["reward", "success", "constraint", "optimality", "traceability"]
    assert all(type(value) is float for value in found.values())


def damaged(kind: str, task: Task) -> bytes:
    """An image that is no end state of the task."""
    world = FAMILY.open(task)
    if kind == "table":
        world.conn.execute("DROP TABLE mail_message")
    elif kind == "reference":
        world.conn.execute("PRAGMA foreign_keys = OFF")
        world.conn.execute("UPDATE product_product SET product_tmpl_id = 99999")
    image = world.snapshot().data
    return {
        "no image": b"",
        "text": b"hello",
        "cut": image[:5000],
        "overwritten": image[:4096] + b"\xff" * (len(image) - 4096),
    }.get(kind, image)


@pytest.mark.parametrize("kind", ["no image", "text", "cut", "overwritten", "table", "reference"])
def test_a_damaged_state_has_no_reward(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (task,) = fixed(0)
    image = damaged(kind, task)
    with pytest.raises(TaskError, match="state: expected "):
        judge_state(task, image)
    (tmp_path / "task.json").write_text(task.to_json())
    (tmp_path / "end.sqlite").write_bytes(image)
    with pytest.raises(SystemExit) as exit_:
        main(["--task", str(tmp_path / "task.json"), "--state", str(tmp_path / "end.sqlite"), "--out", str(tmp_path / "logs")])
    assert exit_.value.code == 2 and capsys.readouterr().err.startswith("error: state: expected ")
    assert not (tmp_path / "logs").exists()


# -- the brief's own example


def test_the_example_in_the_brief_runs_as_it_stands(tmp_path: Path) -> None:
    pytest.importorskip("odoolib", reason="needs odoo-client-lib")
    from opsgym.serve import erp_server

    (task,) = fixed(60)
    code = instruction(task).partition("```python\n")[2].partition("```")[0]
    with erp_server(task) as server:
        (tmp_path / "api_key").write_text(server.key + "\n")
        port = server.url.rpartition(":")[2].rstrip("/")
        code = code.replace("8069", port).replace("/etc/odoo/api_key", str(tmp_path / "api_key"))
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "default_code" in done.stdout, done.stderr
