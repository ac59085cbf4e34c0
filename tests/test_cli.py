"""The command line: fixed forms for scripts, one clear line for errors, exit codes that mean something."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import pytest

import opsgym
from opsgym.core.errors import ToolError
from opsgym.core.task import ToolCall
from opsgym.data.packs import open_pack, write_pack
from opsgym.data.trajectories import append, read_trajectories
from opsgym.envs.erp_bench.params import PATTERNS
from opsgym.evaluate.play import Player, complete, parse_command
from opsgym.evaluate.promises import PROMISES
from opsgym.wrappers import RecordTrajectories
from tests.conftest import Cli
from tests.envs.toy_family import TOOLBOX, ToyEnv, ToyFamily


@pytest.fixture(autouse=True)
def toy_id(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Registers the toy family, with which commands are fast; the user's cache is left alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    gym.register("Toy-v0", entry_point="tests.envs.toy_family:ToyEnv")
    yield
    del gym.registry["Toy-v0"]


# -- errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["validate", "Nothing-v0"], "unknown environment 'Nothing-v0'; expected one of: "),
        (["info", "CartPole-v1"], "unknown environment of OpsGym"),
        (["tasks", "generate", "Toy-v0", "--out", "x.csv"], "expected a file name ending in .jsonl"),
        (
            ["tasks", "generate", "Toy-v0", "--out", "x.jsonl", "--tier", "hard"],
            "unknown tier 'hard'; expected one of: easy, medium",
        ),
        (["tasks", "generate", "Toy-v0", "--out", "x.jsonl", "--param", "counters"], "param: expected name=value"),
        (["tasks", "generate", "Toy-v0", "--out", "x.jsonl", "--param", "counters=9"], "nine counters"),
        (["tasks", "generate", "Toy-v0", "--out", "x.jsonl", "--style", "release"], "unknown parameter 'style'"),
        (["tasks", "import", "absent", "--out", "x.jsonl"], "expected a directory of released tasks"),
        (["tasks", "import", "absent", "--out", "x.csv"], "expected a file name ending in .jsonl"),
        (["tasks", "generate", "Toy-v0", "--out", "/proc/x.jsonl", "--count", "1"], "/proc"),
        (["info", "absent.jsonl"], "no task pack at"),
        (["tasks", "show", "EnterpriseOps-v0", "--pattern", "hr_hand_ovr"], "did you mean 'hr_hand_over'? (all: opsgym info ID)"),
        (["validate", "Toy-v0", "--split", "dev"], "unknown split 'dev'"),
        (["tasks", "show", "ERPBench-v0", "--tier", "brutal"], "expected one of: easy, expert, hard, medium"),
    ],
)
def test_errors_are_one_line_and_exit_2(
    cli: Cli, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli(*arguments, code=2) == ""
    assert cli.err.startswith("error: ") and cli.err.count("\n") == 1
    assert message in cli.err
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_told(cli: Cli) -> None:
    assert cli("--version") == f"opsgym {opsgym.__version__}\n"


def test_bad_usage_exits_2(cli: Cli) -> None:
    cli("frobnicate", code=2)
    cli("validate", code=2)
    cli("tasks", "generate", "Toy-v0", "--count", "0", "--out", "x.jsonl", code=2)


def test_the_command_starts_from_a_shell() -> None:
    run = subprocess.run([sys.executable, "-m", "opsgym.cli", "info", "--json"], capture_output=True, text=True, check=True)
    assert "ERPBench-v0" in json.loads(run.stdout)["environments"]


# -- tasks and info


def test_generate_info_and_show_work_together(cli: Cli, tmp_path: Path) -> None:
    pack = str(tmp_path / "pack.jsonl.gz")
    generate = ("tasks", "generate", "Toy-v0", "--count", "5", "--tier", "medium", "--split", "test", "--param", "counters=4")
    assert cli(*generate, "--out", pack).startswith("5 tasks in ")
    content = Path(pack).read_bytes()
    cli(*generate, "--out", pack, "--workers", "2")
    assert Path(pack).read_bytes() == content
    facts = json.loads(cli("info", pack, "--json"))
    assert (facts["tasks"], facts["tier"], facts["split"]) == (5, {"medium": 5}, {"test": 5})
    task = open_pack(pack)[3]
    assert cli("tasks", "show", pack, "--index", "3", "--json") == task.to_json() + "\n"
    shown = cli("tasks", "show", pack, "--index", "3")
    assert task.instruction in shown and task.oracle[0].model_dump_json() not in shown
    assert task.oracle[0].model_dump_json() in cli("tasks", "show", pack, "--index", "3", "--solution")
    cli("tasks", "show", pack, "--index", "5", code=2)


def test_info_tells_what_an_environment_offers(cli: Cli) -> None:
    printed = cli("info", "ERPBench-v0")
    for part in ("09_single_bom_lowest_cost", "harnesses: tools, api", "customers: Number of customers"):
        assert part in printed


def test_info_counts_many_tools_and_lists_them_when_asked(cli: Cli) -> None:
    printed = cli("info", "EnterpriseOps-v0")
    assert max(map(len, printed.splitlines())) < 250
    listed = cli("info", "EnterpriseOps-v0", "--tools").splitlines()
    assert len(set(listed)) == len(listed) > 400
    assert f"tools: {len(listed)} names (opsgym info EnterpriseOps-v0 --tools lists them)" in printed
    assert json.loads(cli("info", "EnterpriseOps-v0", "--tools", "--json"))["tools"] == listed
    assert json.loads(cli("info", "EnterpriseOps-v0", "--json"))["tools"] == listed
    cli("info", "--tools", code=2)


def test_import_counts_certificates_that_agree(cli: Cli, released_erpbench: Path, tmp_path: Path) -> None:
    source, pack = tmp_path / "released", str(tmp_path / "pack.jsonl")
    for directory in sorted(released_erpbench.iterdir())[:2]:
        shutil.copytree(directory, source / directory.name)
    assert "2 of 2 certificates agree\n2 tasks in" in cli("tasks", "import", str(source), "--out", pack)
    tampered = next(source.rglob("optimal_plan.json"))
    plan = json.loads(tampered.read_text())
    tampered.write_text(
        json.dumps({**plan, "objective_value": plan["objective_value"] + 10, "optimal_new_spend": plan["optimal_new_spend"] + 10})
    )
    printed = cli("tasks", "import", str(source), "--out", pack, code=1)
    assert "1 of 2 certificates agree" in printed and len(open_pack(pack)) == 1


# -- validate and demo


def test_validate_prints_a_line_a_promise(cli: Cli) -> None:
    lines = cli("validate", "Toy-v0", "--tasks", "4").splitlines()
    assert [line.split()[:2] for line in lines[:-1]] == [["ok", promise] for promise in PROMISES]
    assert lines[-1] == "Toy-v0: 4 tasks, every promise holds"


def test_validate_exits_1_and_says_what_fails(cli: Cli, tmp_path: Path) -> None:
    report = json.loads(cli("validate", "Toy-v0", "--tasks", "1", "--json", code=1))
    assert report["passed"] is False
    assert [line["promise"] for line in report["promises"] if not line["passed"]] == ["coverage"]
    family = ToyFamily()
    write_pack(tmp_path / "p.jsonl", [family.compile(family.draw(seed), seed) for seed in range(2)])
    assert "2 tasks, every promise holds" in cli("validate", "Toy-v0", "--pack", str(tmp_path / "p.jsonl"))


def test_demo_plays_every_pattern_with_four_policies(cli: Cli) -> None:
    rows = json.loads(cli("demo", "--json"))
    assert len(rows) == len(PATTERNS) * 4
    for row in rows:
        assert {"do-nothing": row["reward"] == 0, "oracle": row["reward"] == 1 and row["solved"] == 1}.get(row["policy"], True), (
            row
        )


def test_demo_plays_the_environment_that_is_named(cli: Cli) -> None:
    rows = json.loads(cli("demo", "ACEBench-v0", "--json"))
    assert {row["policy"] for row in rows} == {"do-nothing", "random-valid", "frugal", "oracle"}
    assert {(row["tier"], row["pattern"]) for row in rows} >= {("hard", "coupled"), ("paper", "paper")}
    assert all(row["reward"] == 1.0 for row in rows if row["policy"] == "oracle")


def test_demo_plays_released_tasks_in_a_table(cli: Cli, released_erpbench: Path, tmp_path: Path) -> None:
    for directory in sorted(released_erpbench.iterdir())[-2:]:
        shutil.copytree(directory, tmp_path / directory.name)
    printed = cli("demo", "--tasks", "0", "--released", str(tmp_path))
    assert "released tasks" in printed and "generated" not in printed
    for heading in ("tier", "pattern", "policy", "reward", "success", "checks", "passed", "tool", "calls", "ms"):
        assert heading in printed
    assert re.search(r"oracle +1\.000 +\d/\d", printed)


# -- replay


def record(path: Path, *, spec: bool = True) -> None:
    """Two solved episodes of the toy family."""
    env = RecordTrajectories(gym.make("Toy-v0", cache=None) if spec else ToyEnv(cache=None), path=path)
    for seed in range(2):
        env.reset(seed=seed)
        for call in env.base.task.oracle:
            env.step(call)


def test_replay_of_a_recorded_file_is_equal(cli: Cli, tmp_path: Path) -> None:
    record(tmp_path / "episodes.jsonl")
    steps = sum(len(each.steps) for each in read_trajectories(tmp_path / "episodes.jsonl"))
    assert cli("replay", str(tmp_path / "episodes.jsonl")) == f"2 episodes, {steps} steps, 0 episodes differ\n"
    report = json.loads(cli("replay", str(tmp_path / "episodes.jsonl"), "--json"))
    assert report == {"episodes": 2, "steps": steps, "differences": {}}


def test_replay_names_the_step_that_differs_and_exits_1(cli: Cli, tmp_path: Path) -> None:
    record(tmp_path / "episodes.jsonl")
    first, second = read_trajectories(tmp_path / "episodes.jsonl")
    forged = replace(second.steps[0], world="0" * 16)
    for trajectory in (first, replace(second, steps=(forged, *second.steps[1:]))):
        append(tmp_path / "forged.jsonl", trajectory)
    printed = cli("replay", str(tmp_path / "forged.jsonl"), code=1)
    assert printed.startswith(f"episode 2, step 1: world differs: recorded {'0' * 16}, replayed {second.steps[0].world}\n")
    assert printed.splitlines()[-1].endswith("1 episodes differ")
    assert json.loads(cli("replay", str(tmp_path / "forged.jsonl"), "--json", code=1))["differences"]["2"]["what"] == "world"


def test_replay_of_what_cannot_be_replayed_is_an_error(cli: Cli, tmp_path: Path) -> None:
    record(tmp_path / "unnamed.jsonl", spec=False)
    (tmp_path / "broken.jsonl").write_text("{}\n")
    for name, message in (("unnamed", "names no environment"), ("broken", "line 1: not a trajectory"), ("absent", "absent")):
        assert cli("replay", str(tmp_path / f"{name}.jsonl"), code=2) == ""
        assert message in cli.err and cli.err.count("\n") == 1


# -- play


def test_play_reads_commands_from_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    env = ToyEnv(cache=None)
    env.reset(seed=0)
    commands = [f"add name={call.arguments['name']} amount={call.arguments['amount']}" for call in env.task.oracle[:-1]]
    script = "\n".join(
        [
            "help",
            "help add",
            "help none",
            "brief",
            "undo",
            "look",
            "nonsense",
            "add red",
            'look name="',
            *commands,
            "undo",
            commands[-1],
            "submit",
        ]
    )
    monkeypatch.setattr("sys.stdin", io.StringIO(script))
    printed = cli("play", "Toy-v0", "--seed", "0")
    for part in (
        "there is nothing to take back",
        "add(name: string, amount: integer)",
        "expected name=value",
        "taken back: add name=",
        "there is no tool 'nonsense'",
        "> look",
    ):
        assert part in printed
    assert printed.rstrip().endswith("reward 1.0000, solved, 0 checks failed")


def test_play_ends_with_the_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("look\n"))
    assert "left without submitting" in cli("play", "Toy-v0")


def test_a_player_can_run_out_of_turns() -> None:
    lines = iter(["look", "look"])
    shown: list[str] = []
    player = Player(ToyEnv(cache=None, max_steps=2, grade_on_truncation=False), read=lambda: next(lines), write=shown.append)
    assert player.run(seed=1) is False
    assert shown[-1] == "not graded"


def test_short_commands_follow_the_schema() -> None:
    assert parse_command("look name=5", TOOLBOX) == ToolCall(name="look", arguments={"name": "5"})
    assert parse_command("add name=red amount=5", TOOLBOX) == ToolCall(name="add", arguments={"name": "red", "amount": 5})
    call = parse_command('add name=[{"a b": "c"}] amount=[1, 2]', TOOLBOX)
    assert isinstance(call, ToolCall) and call.arguments == {"name": '[{"a b": "c"}]', "amount": [1, 2]}
    assert parse_command('{"name": "look"}', TOOLBOX) == '{"name": "look"}'
    with pytest.raises(ToolError, match="no tool 'loook'") as caught:
        parse_command("loook", TOOLBOX)
    assert "look" in caught.value.hint
    with pytest.raises(ToolError, match="name=value"):
        parse_command("add red", TOOLBOX)


def test_tab_completes_tools_and_their_arguments() -> None:
    def options(line: str) -> list[str]:
        text = line.rsplit(" ", 1)[-1]
        found = [complete(line, text, TOOLBOX, state) for state in range(20)]
        return [option for option in found if option]

    assert options("a") == ["add"]
    assert options("add a") == ["amount="]
    assert options("help mo") == ["move"]
    assert {"look", "add", "move", "submit", "help", "quit"} <= set(options(""))
