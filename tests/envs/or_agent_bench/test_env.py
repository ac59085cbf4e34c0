from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium as gym
import pytest

import opsgym  # noqa: F401  # registers the ids
from opsgym.core.errors import RegistryError
from opsgym.core.task import Task, ToolCall
from opsgym.envs.or_agent_bench.env import ORAgentBenchEnv
from opsgym.envs.or_agent_bench.programs import POLICIES
from opsgym.envs.or_agent_bench.verifier import REWARD_MODES
from opsgym.sandbox.sandbox import why_no_default
from tests.envs.or_agent_bench.conftest import compiled

ROLLING = "vehicle_routing"

pytestmark = pytest.mark.skipif(bool(why_no_default()), reason=why_no_default())

Info = dict[str, Any]


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


@pytest.fixture
def env() -> Iterator[ORAgentBenchEnv]:
    made = gym.make("ORAgentBench-v0", cache=None).unwrapped
    assert isinstance(made, ORAgentBenchEnv)
    yield made
    made.close()


def play(env: ORAgentBenchEnv, task: Task, calls: Sequence[ToolCall]) -> tuple[list[str], float, Info]:
    env.reset(seed=0, options={"task": task})
    observations: list[str] = []
    reward, info = 0.0, Info()
    for one in calls:
        observation, reward, _, _, info = env.step(one)
        observations.append(observation)
    return observations, reward, info


@pytest.mark.parametrize("kind", ["plain", "rich"])
def test_the_oracle_passes(env: ORAgentBenchEnv, kind: str) -> None:
    task = compiled(ROLLING, kind)
    _, reward, info = play(env, task, task.oracle)
    assert reward == 1.0
    assert info["is_success"]
    assert info["verdict"]["scores"]["quality"] >= 0.5
    assert info["verdict"]["metrics"]["objective"] == task.certificate.value


def test_a_program_that_omits_a_rule_breaks_that_rule(env: ORAgentBenchEnv) -> None:
    task = compiled(ROLLING, "plain")
    _, reward, info = play(env, task, POLICIES["rule_blind"](task))
    broken = [check["rule"] for check in info["verdict"]["checks"] if check["status"] == "fail"]
    assert reward == 0.0
    assert task.metadata["blind"] in broken


def test_a_greedy_program_is_feasible(env: ORAgentBenchEnv) -> None:
    task = compiled(ROLLING, "rich")
    _, _, info = play(env, task, POLICIES["greedy"](task))
    assert info["verdict"]["scores"]["feasibility"] == 1.0
    assert info["verdict"]["scores"]["quality"] < 1.0


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import sys; sys.exit(3)", "exit code 3"),
        ("pass", "left no submission.json"),
        ("open('submission.json', 'w').write('[1, 2')", ""),
        ("open('submission.json', 'w').write('{\"tours\": NaN, \"carrier\": []}')", ""),
    ],
)
def test_malformed_submissions_earn_nothing(env: ORAgentBenchEnv, program: str, reason: str) -> None:
    calls = [call("write_file", path="solve.py", content=program), call("submit")]
    observations, reward, info = play(env, compiled(ROLLING, "plain"), calls)
    assert reward == 0.0
    assert reason in observations[-1]
    assert info["verdict"]["gates"] == ["feasibility"]


def test_a_submission_without_a_program_is_refused_nothing_and_earns_nothing(env: ORAgentBenchEnv) -> None:
    written = call("write_file", path="submission.json", content='{"tours": [], "carrier": []}')
    _, reward, info = play(env, compiled(ROLLING, "plain"), [written, call("submit")])
    assert reward == 0.0
    assert not info["is_success"]


def test_the_form_of_a_submission_can_be_checked(env: ORAgentBenchEnv) -> None:
    check = call("check_submission")
    wrong = call("write_file", path="submission.json", content='{"tours": [{"vehicle": 1}], "carrier": []}')
    right = call("write_file", path="submission.json", content='{"tours": [], "carrier": []}')
    observations, _, _ = play(env, compiled(ROLLING, "plain"), [check, wrong, check, right, check])
    assert json.loads(observations[0])["error"]["code"] == "not_found"
    assert not json.loads(observations[2])["result"]["keeps_schema"]
    assert "tours.0.vehicle" in observations[2]
    assert json.loads(observations[4])["result"] == {"keeps_schema": True, "faults": [], "more": False}


def test_the_files_of_the_task_are_read_only_and_given_afresh_to_the_final_run(env: ORAgentBenchEnv) -> None:
    task = compiled(ROLLING, "plain")
    spoil = "import pathlib\nfor path in pathlib.Path('data').iterdir():\n    path.write_text('spoiled')\n"
    calls = [
        call("write_file", path="data/orders.csv", content="x"),
        call("write_file", path="spoil.py", content=spoil),
        call("run_python", path="spoil.py"),
        *task.oracle,
    ]
    observations, reward, _ = play(env, task, calls)
    assert json.loads(observations[0])["error"]["code"] == "not_allowed"
    assert reward == 1.0


def test_a_period_opens_the_next_with_its_files_and_the_accepted_plan(env: ORAgentBenchEnv) -> None:
    task = compiled(ROLLING, "rich")
    writes, rest = task.oracle[:3], task.oracle[3:]
    play(env, task, writes)
    before = set(env.world.workspace.files)
    observation = env.step(rest[0])[0]
    assert json.loads(observation)["result"] == {"accepted": True, "period": 2, "of": 3, "notice": "notes/notice_1.md"}
    assert {"state/accepted.json", "notes/notice_1.md"} <= set(env.world.workspace.files) - before
    assert json.loads(env.world.workspace.files["state/accepted.json"]) == json.loads(env.world.ledger[0].text)


def test_submitting_before_the_last_period_is_refused(env: ORAgentBenchEnv) -> None:
    task = compiled(ROLLING, "rich")
    observations, _, info = play(env, task, [*task.oracle[:3], call("submit")])
    assert json.loads(observations[-1])["error"]["code"] == "bad_state"
    assert "verdict" not in info


def test_an_infeasible_period_fails_the_task_whatever_follows(env: ORAgentBenchEnv) -> None:
    task = compiled(ROLLING, "rich")
    bad = "import json\njson.dump({'tours': [], 'carrier': []}, open('submission.json', 'w'))\n"
    calls = [call("write_file", path="solve.py", content=bad), call("close_period"), *task.oracle]
    observations, reward, info = play(env, task, calls)
    assert json.loads(observations[1])["result"]["accepted"] is False
    assert json.loads(observations[-2])["error"]["code"] == "bad_state"
    assert reward == 0.0
    assert info["verdict"]["scores"]["feasibility"] == 0.0


def test_tasks_of_one_decision_have_no_periods_to_close(env: ORAgentBenchEnv) -> None:
    _, info = env.reset(seed=0, options={"task": compiled(ROLLING, "plain")})
    assert "close_period" not in [tool["function"]["name"] for tool in info["tools"]]


def test_a_snapshot_holds_folder_and_ledger(env: ORAgentBenchEnv) -> None:
    task = compiled(ROLLING, "rich")
    play(env, task, task.oracle[:4])
    saved, digest = env.snapshot(), env.world.digest()
    env.step(task.oracle[4])
    assert env.world.digest() != digest
    env.restore(saved)
    assert env.world.digest() == digest
    assert len(env.world.ledger) == 1


def test_nothing_of_the_solution_is_in_the_folder(env: ORAgentBenchEnv) -> None:
    task = compiled(ROLLING, "rich")
    env.reset(seed=0, options={"task": task})
    text = b"\n".join(env.world.workspace.files.values()).decode()
    assert str(int(task.certificate.value)) not in text
    assert "omit" not in text


@pytest.mark.parametrize(("skills", "count"), [("none", 0), ("base", 2), ("expert", 7)])
def test_skills_mount_notes_and_change_nothing_else(skills: str, count: int) -> None:
    task = compiled(ROLLING, "plain")
    env = ORAgentBenchEnv(skills=skills, tasks=task, cache=None)
    env.reset(seed=0)
    files = dict(env.world.workspace.files)
    notes = [path for path in files if path.startswith("skills/")]
    assert len(notes) == count
    assert {path: text for path, text in files.items() if path not in notes} == {
        path: text.encode() for path, text in task.world["files"][0].items()
    }


def test_unknown_skills_are_refused() -> None:
    with pytest.raises(RegistryError, match="skills"):
        ORAgentBenchEnv(skills="genius")


@pytest.mark.parametrize("mode", REWARD_MODES)
def test_every_reward_mode_pays_the_reference_more_than_nothing(mode: str) -> None:
    task = compiled(ROLLING, "plain")
    env = ORAgentBenchEnv(tasks=task, reward_mode=mode, cache=None)
    env.reset(seed=0)
    total = sum(float(env.step(one)[1]) for one in task.oracle)
    assert total >= 0.5
    env.reset(seed=0)
    assert env.step(call("submit"))[1] == 0.0
