"""``opsgym eval`` and ``opsgym report``: what they print, their exit codes, and how to go on."""

from __future__ import annotations

import io
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import pytest
from rich.console import Console

from opsgym.cli import evaluate
from opsgym.evaluate.run_desk import Standing
from opsgym.evaluate.run_view import RunView, describe
from tests.conftest import Cli
from tests.evaluate.run_support import HERE, TOY


@pytest.fixture(autouse=True)
def toy_id() -> Iterator[None]:
    gym.register("Toy-v0", entry_point=TOY)
    yield
    del gym.registry["Toy-v0"]


@pytest.fixture
def toy(tmp_path: Path) -> tuple[str, ...]:
    """The command that plays four toy tasks, without the policy."""
    return ("eval", "Toy-v0", "--tasks", "4", "--out", str(tmp_path / "run"), "--policy")


def test_a_summary_is_printed_by_tier(cli: Cli, toy: tuple[str, ...]) -> None:
    printed = cli(*toy, "oracle", "--trials", "2")
    lines = [line.split() for line in printed.splitlines()]
    assert printed.startswith("Toy-v0, oracle")
    assert next(x for x in lines if "easy" in x)[:9] == ["easy", "2", "4", "1.000", "[0.34,", "1.00]", "1.000", "1.000", "1.000"]
    assert next(x for x in lines if "all" in x)[:6] == ["all", "4", "8", "1.000", "[0.51,", "1.00]"]
    assert "8/8 trials, success 1.000 [0.510, 1.000]" in cli.err
    assert max(map(len, printed.splitlines())) <= 120


def test_the_summary_is_json_on_demand(cli: Cli, toy: tuple[str, ...]) -> None:
    data = json.loads(cli(*toy, "do-nothing", "--json"))
    assert (data["ending"], data["trials"], data["played"]) == ("complete", 4, 4)
    assert data["summary"]["pass_at"]["1"]["value"] == 0.0
    assert list(data["tiers"]) == ["easy", "medium"]


def test_a_team_is_played_and_its_roles_are_shown(cli: Cli, tmp_path: Path) -> None:
    team = ("ERPBenchTeam-v0", "--team", "oracle-team", "--form", "parallel", "--env-option", "information=partial")
    command = ("eval", *team, "--tier", "easy", "--tasks", "2", "--out", str(tmp_path / "run"))
    printed = cli(*command)
    assert printed.startswith("ERPBenchTeam-v0, parallel information=partial, oracle-team")
    rows = {line.split()[0]: line.split() for line in printed.splitlines() if line.strip()}
    assert rows["all"][1:4] == ["2", "2", "1.000"]
    assert rows["role"] == ["role", "trials", "turns", "calls", "refused", "messages", "reward", "credit"]
    assert rows["sales_0"][1] == "2" and rows["sales_0"][6] == "1.000"
    roles = json.loads(cli(*command, "--json"))["roles"]
    assert list(roles)[:2] == ["sales_0", "purchasing_0"]
    assert sum(role["credit"] * role["trials"] for role in roles.values()) == pytest.approx(2)


def test_policies_and_teams_are_not_confused(cli: Cli, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "run"))
    for env_id, given, words in (
        ("ERPBench-v0", ("--team", "oracle-team"), "ERPBench-v0 is played by one agent: give --policy"),
        ("ERPBenchTeam-v0", ("--policy", "oracle"), "ERPBenchTeam-v0 is played by a team: opsgym eval --team"),
        ("ERPBench-v0", (), "expected --policy or --team, got neither"),
        ("ERPBench-v0", ("--policy", "oracle", "--team", "oracle"), "expected --policy or --team, got both"),
        ("PlannerExecutor-v0", ("--team", "oracel-team"), "unknown policy of a role 'oracel-team'"),
    ):
        cli("eval", env_id, *given, *out, code=2)
        assert words in cli.err and cli.err.count("\n") == 1


def test_the_same_command_goes_on_and_another_is_refused(cli: Cli, toy: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    command = (*toy, f"{HERE}:Pays", "--workers", "1")
    monkeypatch.setattr(sys, "argv", ["opsgym", *command])
    cli(*command, "--max-cost", "0.5", code=3)
    assert "stopped: 0.5000 dollars are spent, the limit is 0.5; 2/4 trials" in cli.err
    assert "to go on with a higher limit: opsgym eval Toy-v0 " in cli.err
    assert "$1.00" in cli(*command, "--max-cost", "5")
    cli(*command, "--trials", "2", code=2)
    assert "another plan: trials is 1, given 2" in cli.err and cli.err.count("\n") == 1


def test_the_command_to_go_on_shows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://me:planted@host/v1?key=planted"
    for place in (["--base-url", url], [f"--base-url={url}"]):
        monkeypatch.setattr("sys.argv", ["opsgym", "eval", *place, "--tasks", "2"])
        command = evaluate._command()
        assert "planted" not in command and "https://***@host/v1?***" in command and command.endswith("--tasks 2")


def test_options_reach_policy_environment_and_faults(cli: Cli, toy: tuple[str, ...], tmp_path: Path) -> None:
    options = ("--policy-option", "rate=0.5", "--env-option", "max_steps=7", "--failure-rate", "0.2", "--no-trajectories")
    cli(*toy, "noisy-oracle", *options, "--seed", "3", "--tier", "medium")
    plan = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (plan["policy_options"], plan["env_options"], plan["failure_rate"]) == ({"rate": 0.5}, {"max_steps": 7}, 0.2)
    assert (plan["trajectories"], plan["seed"], plan["tasks"]) == (False, 3, {"generated": 4, "seed": 3, "tier": "medium"})
    cli(*toy, "noisy-oracle", "--policy-option", "noise=1", code=2)
    assert "unknown option of noisy-oracle 'noise'; expected one of: rate" in cli.err


def test_a_bug_is_shown_with_its_place_and_its_trial(cli: Cli, toy: tuple[str, ...]) -> None:
    cli(*toy, f"{HERE}:Breaks", code=2)
    assert "raise {" in cli.err and "ZeroDivisionError: a bug" in cli.err
    last = cli.err.splitlines()[-1]
    assert last.startswith("error: trial 0 of task ") and "ZeroDivisionError" in last


def test_masked_trials_are_told_and_an_outage_has_its_own_exit_code(cli: Cli, toy: tuple[str, ...]) -> None:
    cli(*toy, f"{HERE}:Breaks", "--policy-option", "how=model")
    assert "2 trials are masked, an external system failed: " in cli.err and "--retry-masked plays again" in cli.err
    cli(*toy, f"{HERE}:Breaks", "--policy-option", "how=model", "--retry-masked")
    cli(*toy, f"{HERE}:Breaks", "--policy-option", "how=model", "--out", toy[5] + "1", "--pattern", "metals", code=4)
    out = ("--out", toy[5] + "2", "--pattern", "metals", "--trials", "6")
    cli(*toy, f"{HERE}:Breaks", "--policy-option", "how=model", *out, code=4)
    assert "stopped: the last 20 trials were masked" in cli.err


def test_a_policy_of_the_current_directory_is_found(
    cli: Cli, toy: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_policy_here.py").write_text("from opsgym.baselines.scripted import Oracle as Mine\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert "1.000" in cli(*toy, "my_policy_here:Mine")


def test_ctrl_c_exits_130_and_says_how_to_go_on(cli: Cli, toy: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = RunView.__call__

    def press(view: RunView, standing: Standing) -> None:
        shown(view, standing)
        if standing.played == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(RunView, "__call__", press)
    monkeypatch.setattr("sys.argv", ["opsgym", *toy, "oracle"])
    cli(*toy, "oracle", code=130)
    assert f"to go on: opsgym {' '.join(toy)} oracle" in cli.err


def test_a_pack_and_a_number_exclude_each_other(cli: Cli, toy: tuple[str, ...]) -> None:
    cli(*toy, "oracle", "--pack", "x.jsonl", code=2)
    assert "expected --tasks or --pack, got both" in cli.err


def test_the_view_is_live_on_a_terminal_and_names_everything() -> None:
    shown = io.StringIO()
    standing = Standing(total=10, done=5, scored=4, tasks=2, solved=1, masked=1, cost=0.5, tokens=1200, played=5, seconds=10)
    with RunView(Console(force_terminal=True, width=100, file=shown)) as view:
        view(standing)
    assert "5/10 trials" in shown.getvalue() and "[0.027, 0.802]" in shown.getvalue()
    line = "5/10 trials, success 0.250 [0.027, 0.802], masked 1, tokens 1,200, cost $0.5000, rate 30.0/min, left 10 s"
    assert describe(standing) == line
    assert describe(Standing(total=3)) == "0/3 trials, success -"


def test_a_report_is_written(cli: Cli, toy: tuple[str, ...], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    pytest.importorskip("pandas")
    cli(*toy, "oracle")
    page = tmp_path / "page.html"
    assert "4 trials" in cli("report", str(tmp_path / "run"), "--out", str(page))
    assert page.read_text().startswith("<!doctype html>")
    assert (tmp_path / "page_files" / "trials.csv").exists()
    cli("report", str(tmp_path / "run"), "--out", str(page), "--assets", str(tmp_path / "else" / "where"))
    assert (tmp_path / "else" / "where" / "trials.csv").exists()
    cli("report", str(tmp_path / "absent"), "--out", str(page), code=2)
