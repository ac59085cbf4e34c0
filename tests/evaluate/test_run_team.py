"""Runs of teams: the same runner, with a policy for every role."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task
from opsgym.evaluate.metrics import summarise
from opsgym.evaluate.report import write_report
from opsgym.evaluate.run_desk import Limits
from opsgym.evaluate.run_directory import RunDirectory
from opsgym.evaluate.run_team import evaluate_team
from opsgym.evaluate.run_team_roles import role_means
from opsgym.evaluate.runner import Run
from tests.baselines.support import task_of
from tests.evaluate.run_support import check_whole, same
from tests.evaluate.team_support import ACE, HERE, PAIR, Noted, broken, obeying, planner_script

ERP = "ERPBenchTeam-v0"


@pytest.fixture(scope="module")
def invoicing() -> Task:
    """A task that needs all four roles."""
    from opsgym.envs.teams import erp_bench_team_v0

    env = erp_bench_team_v0.env(pattern="22_single_bom_split_by_capacity_invoicing", cache=None)
    env.reset(seed=1)
    task: Task = env.game.env.task
    return task


def play(out: Path, team: Any = "oracle-team", **arguments: Any) -> Run:
    """A run of planner and executor on grids."""
    tasks = [task_of("ACEBench-v0", seed) for seed in (5, 6)]
    return evaluate_team(PAIR, team, out=out, **{"tasks": tasks, "env_options": ACE, **arguments})


@pytest.mark.parametrize("form", ["aec", "parallel"])
@pytest.mark.parametrize("information", ["shared", "partial"])
def test_oracles_solve_and_silent_ones_only_where_all_is_shared(
    form: str, information: str, invoicing: Task, tmp_path: Path
) -> None:
    solved = {}
    for team in ("oracle-team", "oracle-silent", "do-nothing", "random-valid"):
        options = {"information": information, "max_cycles": 150}
        (result,) = evaluate_team(ERP, team, form=form, tasks=[invoicing], env_options=options, out=tmp_path / team).results
        solved[team] = result.is_success
        assert list(result.roles) == ["sales_0", "purchasing_0", "production_0", "finance_0"]
        assert sum(part.calls for part in result.roles.values()) == result.calls
        assert sum(part.turns for part in result.roles.values()) == result.turns
        assert sum(part.refused for part in result.roles.values()) == sum(result.errors.values())
        assert math.isclose(sum(part.credit or 0 for part in result.roles.values()), result.score)
        assert {part.reward for part in result.roles.values()} == {result.score}
        assert team != "oracle-silent" or not any(part.messages for part in result.roles.values())
    assert solved == {
        "oracle-team": True,
        "oracle-silent": information == "shared",
        "do-nothing": False,
        "random-valid": False,
    }


def test_with_credit_by_role_each_earns_its_credit(invoicing: Task, tmp_path: Path) -> None:
    (result,) = evaluate_team(ERP, "oracle-team", tasks=[invoicing], env_options={"credit": "role"}, out=tmp_path).results
    assert all(part.reward == part.credit for part in result.roles.values())
    assert result.score == 1.0


def test_a_run_is_whole_and_goes_on(tmp_path: Path) -> None:
    run = play(tmp_path, trials=2)
    assert (run.ending, run.standing.done, run.summary().success.value) == ("complete", 4, 1.0)
    check_whole(tmp_path)
    plan = RunDirectory(tmp_path).plan
    assert (plan.env_id, plan.form, plan.policy, plan.env_options, plan.model) == (PAIR, "aec", "oracle-team", ACE, None)
    lines = (tmp_path / "results.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "results.jsonl").write_text("".join(lines[:3]))
    again = play(tmp_path, trials=2)
    assert again.standing.played == 1
    assert same(again.results) == same(run.results)
    with pytest.raises(TaskError, match="another plan: policy is"):
        play(tmp_path, "oracle-silent", trials=2)
    with pytest.raises(TaskError, match="env_options is"):
        play(tmp_path, trials=2, env_options={**ACE, "checker": True})


def test_episodes_say_whose_every_turn_was(tmp_path: Path) -> None:
    run = play(tmp_path, env_options={**ACE, "checker": True})
    for result, episode in run.directory.trajectories():
        agents = [step.action["agent"] for step in episode.steps]
        assert agents.count("executor_0") == result.roles["executor_0"].turns
        assert agents[-1] == "checker_0"
        assert (episode.total, episode.is_success) == (1.0, True)
        assert episode.brief.startswith("planner_0:\n")


def test_workers_do_not_change_what_comes_of_it(tmp_path: Path) -> None:
    runs = [play(tmp_path / str(n), "random-valid", trials=2, workers=n, failure_rate=0.2) for n in (1, 2)]
    assert same(runs[0].results) == same(runs[1].results)
    assert runs[0].results[0].calls != runs[0].results[2].calls  # another trial is another episode


def test_faults_meet_the_calls_of_a_team(tmp_path: Path) -> None:
    results = play(tmp_path, "random-valid", trials=3, failure_rate=0.5).results
    assert sum(sum(result.faults.values()) for result in results) > 0


def test_every_role_has_a_policy_and_a_seed_of_its_own(tmp_path: Path) -> None:
    Noted.seeds.clear()
    options = {"executor_0.patience": 3}
    play(tmp_path, {"planner_0": Noted, "others": Noted}, policy_options=options, trials=2, env_options={**ACE, "max_cycles": 2})
    assert len(set(Noted.seeds)) == len(Noted.seeds) == 2 + 2 * 2 * 2  # two are made to look at
    assert RunDirectory(tmp_path).plan.policy == f"{HERE}:Noted"


def test_roles_ask_models_of_their_own(tmp_path: Path) -> None:
    task = task_of("ACEBench-v0")
    planner = planner_script(task, tmp_path / "planner.jsonl")
    team = {"planner_0": f"react@{planner}", "executor_0": "tool-calling"}
    run = play(tmp_path / "run", team, model=obeying(), tasks=[task], trials=2, workers=2)
    assert run.summary().success.value == 1.0
    plan = run.directory.plan
    assert plan.policy == f"planner_0=react@{planner},executor_0=tool-calling"
    assert plan.model == f"obeying, {planner}"
    assert {"react", "tool_calling"} <= set(plan.prompts)
    for result in run.results:
        assert result.roles["planner_0"].messages == 1
        assert result.roles["executor_0"].calls >= len(task.oracle)
    assert (tmp_path / "run" / "requests.sqlite").exists()
    by_role = {"planner_0": planner, "executor_0": obeying()}
    other = play(tmp_path / "other", "tool-calling", model=by_role, tasks=[task])
    assert other.summary().success.value == 1.0


def test_in_the_parallel_form_models_are_asked_at_once(invoicing: Task, tmp_path: Path) -> None:
    options = {"max_cycles": 3}
    team = {"sales_0": "tool-calling", "others": "do-nothing"}
    run = evaluate_team(ERP, team, form="parallel", tasks=[invoicing], model=obeying(), env_options=options, out=tmp_path)
    assert run.results[0].roles["sales_0"].calls == 3


def test_a_model_that_is_down_masks_the_trial(tmp_path: Path) -> None:
    run = play(tmp_path, {"planner_0": "react", "executor_0": "do-nothing"}, model=broken())
    assert [result.status for result in run.results] == ["masked"] * 2
    assert "is down" in run.results[0].reason
    assert role_means(run.results) == {}


def test_limits_count_what_all_roles_spend(tmp_path: Path) -> None:
    from opsgym.baselines.chat import Usage
    from opsgym.baselines.models import ScriptedModel
    from opsgym.core.task import ToolCall

    model = ScriptedModel(lambda request: ToolCall(name="wait"), usage=Usage(prompt_tokens=10, completion_tokens=1, cost=0.01))
    options = {**ACE, "max_cycles": 2}
    run = play(tmp_path, "tool-calling", model=model, env_options=options, limits=Limits(tokens=40))
    (result,) = run.results
    assert (run.ending, result.prompt_tokens) == ("limit", 40)
    assert [part.prompt_tokens for part in result.roles.values()] == [20, 20]
    assert math.isclose(sum(part.cost for part in result.roles.values()), result.cost)


def test_metrics_and_reports_take_runs_of_teams(tmp_path: Path) -> None:
    run = play(tmp_path / "run", env_options={**ACE, "checker": True})
    assert summarise(run.results).clean.value == 1.0
    report = write_report([tmp_path / "run"], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "oracle-team (aec checker=True family=ACEBench-v0)" in page
    assert "executor_0&gt; " in page or "executor_0> " in page or "executor_0\\u003e " in page
    assert report.trials == 2


@pytest.mark.parametrize(
    ("env_id", "team", "arguments", "error", "words"),
    [
        ("ERPBench-v0", "oracle-team", {}, TaskError, "ERPBench-v0 is played by one agent: give --policy"),
        ("Chess-v0", "oracle-team", {}, RegistryError, "unknown team 'Chess-v0'"),
        ("PlannerExecutorGrid-v0", "oracle-team", {}, RegistryError, "unknown team 'PlannerExecutorGrid-v0'"),
        (PAIR, "oracel-team", {}, RegistryError, "did you mean 'oracle-team'"),
        (PAIR, "oracle-team", {"form": "parallel"}, RegistryError, "form of PlannerExecutor-v0"),
        (PAIR, "sales_0=oracle", {}, RegistryError, "unknown role 'sales_0'"),
        (PAIR, "planner_0=oracle", {}, TaskError, "executor_0 has no policy"),
        (PAIR, "planner_0=oracle,planner_0=echo", {}, TaskError, "each role once"),
        (PAIR, "react", {}, TaskError, "asks a language model"),
        (PAIR, "oracle", {"model": "scripted:/dev/null"}, TaskError, "asks for a model"),
        (PAIR, "planner_0=oracle@scripted:/dev/null,others=echo", {}, TaskError, "policy of planner_0 asks no model"),
        (PAIR, "oracle-team", {"policy_options": {"rate": 1}}, RegistryError, "option of oracle-team"),
        (PAIR, "oracle", {"policy_options": {"sales_0.rate": 1}}, RegistryError, "unknown role 'sales_0'"),
        (PAIR, "oracle-team", {"env_options": {"color": 1}}, TaskError, "cannot be made with"),
        (PAIR, {"others": Noted(seed=0)}, {}, TaskError, "expected a name, class or function for each role"),
        (PAIR, "oracle-team", {"trials": 0}, TaskError, "trials"),
    ],
)
def test_what_cannot_be_played_is_refused_before_a_directory_is_made(
    env_id: str, team: Any, arguments: Any, error: type[Exception], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        evaluate_team(env_id, team, out=tmp_path / "run", **arguments)
    assert not (tmp_path / "run").exists()
