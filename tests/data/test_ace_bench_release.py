from __future__ import annotations

import json
from pathlib import Path

import pytest

from opsgym.core.errors import TaskError
from opsgym.data.ace_bench_release import find_releases, read_release
from opsgym.envs.ace_bench.compiler import instance_of
from opsgym.envs.ace_bench.counter import count_cpsat, count_instance
from opsgym.envs.ace_bench.engine import AceWorld, Board
from opsgym.envs.ace_bench.oracle import InformedAgent
from opsgym.envs.ace_bench.tools import toolbox
from opsgym.envs.ace_bench.verifier import judge

DIRECTORY = Path(__file__).resolve().parents[3] / "shared" / "data" / "ace"
FILES = find_releases(DIRECTORY) if DIRECTORY.is_dir() else []

pytestmark = pytest.mark.skipif(not FILES, reason="released ACE-Bench data is not at hand")


def test_all_twelve_samples_are_found() -> None:
    assert len(FILES) == 12


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_released_instance_is_unique_and_accepts_its_truth(file: Path) -> None:
    for released in read_release(file):
        for counter in (count_instance, count_cpsat):
            assert counter(released.solved.instance, limit=2).solutions.tolist() == [list(released.solved.truth)]
        task = released.task()
        world, tools = AceWorld(Board(instance_of(task))), toolbox(instance_of(task).domain)
        for call in task.oracle:
            item = tools.find(call.name)
            item.function(world, **item.validate(call.arguments))
        assert judge(world, task.checks).is_success


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_released_instance_is_solved_by_readings_and_search(file: Path) -> None:
    for released in read_release(file):
        world = AceWorld(Board(released.solved.instance))
        assert InformedAgent(world).play()
        assert world.items() == list(released.solved.truth)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_bound_of_a_released_instruction_is_read(file: Path) -> None:
    """The release states its bounds in English; each number of a global rule stands in ours."""
    data = json.loads(file.read_text(encoding="utf-8"))
    for entry in data.get("instances", [data]):
        bounds = sorted(value for value in entry["global_constraints"].values() if isinstance(value, int))
        rules = read_release(file)[0].solved.instance.rules
        assert sorted(bound for rule in rules for bound in (rule.low, rule.high) if bound is not None) == bounds


def test_a_released_instance_with_another_truth_is_refused(tmp_path: Path) -> None:
    data = json.loads(FILES[0].read_text(encoding="utf-8"))
    entry = data["instances"][0] if "instances" in data else data
    slot = entry["slots"][0]
    other = next(name for name in slot["candidate_ids"] if name != slot["truth_id"])
    entry["truth_solution"][slot["row"]][slot["col"]] = other
    path = tmp_path / "altered.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(TaskError, match="expected the truth as the only completion"):
        read_release(path)[0].task()


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "invalid JSON"), ("[]", "expected a JSON object"), ("{}", "lacks 'domain'"), ('{"domain": "kitchen"}', "kitchen")],
)
def test_what_is_no_release_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TaskError, match=said):
        read_release(path)
