"""What every problem class keeps to; ``pytest tests/envs/or_agent_bench/test_problems.py -k NAME`` tests one."""

from __future__ import annotations

import ast
import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench import problems
from opsgym.envs.or_agent_bench.catalogue import NAMES, find_problem
from opsgym.envs.or_agent_bench.documents import ACCEPTED, documents
from opsgym.envs.or_agent_bench.judging import play_of
from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.mutants import audit, mutants
from opsgym.envs.or_agent_bench.params import DIMENSIONS, TIERS, OrParams, draw_params
from opsgym.envs.or_agent_bench.perturbation import perturbed
from opsgym.envs.or_agent_bench.sampler import BLIND_EFFORT, Drawn, epochs_of, examine, pack, read_plan, sample, seen
from opsgym.envs.or_agent_bench.soundness import unsaid
from opsgym.envs.or_agent_bench.verifier import build_checks, judge
from opsgym.envs.or_agent_bench.world import Handed
from tests.envs.or_agent_bench.conftest import PLAIN, RICH, compiled

Draw = Callable[[str], Drawn]
FOLDERS = Path(problems.__file__).parent

SUBMISSIONS = 60
"""Random submissions a class in the fast test."""
MANY_SUBMISSIONS = -(-10_000 // len(NAMES))
"""Random submissions a class in the slow test: 10,000 over all classes."""

every_class = pytest.mark.parametrize("name", NAMES)


def ledger(task: Drawn) -> tuple[Handed, ...]:
    return tuple(Handed("", json.dumps(stage.plan)) for stage in task.stages)


def imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return found | {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}


def disagreements(task: Drawn, count: int) -> tuple[list[str], int]:
    """Random submissions on which model and validator differ, and how many were feasible."""
    problem, epochs = task.problem, len(task.stages)
    stream = Stream("disagreements", problem.name, count)
    found, feasible = [], 0
    for number in range(count):
        epoch = number % epochs
        stage, previous = task.stages[epoch], task.stages[epoch - 1].plan if epoch else None
        state = {} if previous is None else {ACCEPTED: json.dumps(previous)}
        data = problem.model.read({**stage.files, **state})
        base = stage.plan if number % 3 else problem.model.greedy(data)
        plan = perturbed(base, stream)
        report = examine(problem, seen(problem, task.instance, epoch, epochs), plan, previous)
        cost = problem.model.check(data, plan)
        feasible += report.is_feasible
        broken = [rule for rule, items in report.violations.items() if items]
        if (cost is None) != bool(broken):
            found.append(f"period {epoch}: the model says {cost}, the validator finds {broken}: {plan}")
        elif cost is not None and abs(cost - report.objective) > 1e-6 * max(1.0, abs(cost)):
            found.append(f"period {epoch}: the model's objective is {cost}, the validator's {report.objective}: {plan}")
    return found, feasible


@every_class
def test_a_reference_keeps_every_rule_and_its_mutants_are_caught(name: str, rich: Draw) -> None:
    task = compiled(name)
    play = play_of(task)
    handed = ledger(rich(name))
    verdict = judge(play, handed, task.checks)
    assert verdict.is_success
    assert verdict.scores["quality"] >= 0.5
    assert not verdict.canary
    caught = audit(play, handed, task.checks)
    assert [rule for rule, is_caught in caught if not is_caught] == []
    assert {rule for rule, _ in caught} == {check.rule for check in task.checks}


@every_class
def test_model_and_validator_agree_on_random_submissions(name: str, rich: Draw) -> None:
    found, feasible = disagreements(rich(name), SUBMISSIONS)
    assert not found, found[0]
    assert 0 < feasible < SUBMISSIONS


@pytest.mark.slow
@every_class
@pytest.mark.parametrize("tier", ["plain", "rich", "medium"])
def test_model_and_validator_agree_on_many_random_submissions(name: str, tier: str) -> None:
    levels = {"plain": PLAIN, "rich": RICH, "medium": dict.fromkeys(DIMENSIONS, 2)}[tier]
    found, _ = disagreements(sample(OrParams.build({"problem": name, **levels}), 11), -(-MANY_SUBMISSIONS // 3))
    assert not found, found[0]


@every_class
def test_the_files_say_every_rule(name: str) -> None:
    for kind in ("rich", "plain"):
        assert list(unsaid(play_of(compiled(name, kind)))) == []


@every_class
def test_the_dictionary_names_every_file_and_column(name: str, rich: Draw) -> None:
    problem = find_problem(name)
    for stage in rich(name).stages:
        data = {path: text for path, text in stage.files.items() if path.startswith("data/")}
        assert set(data) == set(problem.dictionary)
        for path, text in data.items():
            if path.endswith(".csv"):
                columns = next(csv.reader(io.StringIO(text)))
                own = [c for c in columns if c not in ("revision", "status") and not c.endswith("_unit")]
                assert set(own) <= set(problem.dictionary[path]), path
    formats = {path.rpartition(".")[2] for path in problem.dictionary}
    assert len(formats) >= 2, "expected at least two formats of data files"


@every_class
def test_each_dimension_changes_the_task(name: str) -> None:
    base = dict.fromkeys(DIMENSIONS, 1)
    problem = find_problem(name)

    def face(levels: dict[str, int]) -> object:
        params = OrParams.build({"problem": name, **levels})
        instance = problem.draw(params, Stream("dimensions", name))
        known = seen(problem, instance, 0, epochs_of(problem, params))
        files = documents(problem, known, understanding=params.understanding, key=[pack(instance)])
        return [files, params.tolerance, params.solve_seconds, epochs_of(problem, params)]

    for dimension in DIMENSIONS:
        assert face({**base, dimension: 0}) != face({**base, dimension: 3}), dimension


@every_class
def test_greedy_plans_keep_the_schema(name: str, rich: Draw) -> None:
    task = rich(name)
    greedy = task.problem.model.greedy(task.problem.model.read(task.stages[0].files))
    assert read_plan(task.problem, greedy)[1] == []


@every_class
def test_programs_stand_alone_and_validators_know_no_model(name: str) -> None:
    standard = {"__future__", "collections", "collections.abc", "heapq", "itertools", "json", "math", "typing", "dataclasses"}
    solvers = {"ortools.sat.python", "ortools.linear_solver", "highspy", "numpy"}
    kit = "opsgym.envs.or_agent_bench.kit"
    assert imports(FOLDERS / name / "model.py") <= standard | solvers | {kit}
    assert not any(module.endswith(".model") for module in imports(FOLDERS / name / "validator.py"))


@every_class
def test_the_omitted_rule_is_the_one_that_is_broken(name: str, rich: Draw) -> None:
    task = rich(name)
    data = task.problem.model.read(task.stages[0].files)
    plan: Plan | None = task.problem.model.solve(data, frozenset({task.blind}), BLIND_EFFORT).plan
    assert plan is not None
    report = examine(task.problem, seen(task.problem, task.instance, 0, len(task.stages)), plan, None)
    assert report.violations[task.blind]


@every_class
def test_a_class_rolls_where_it_says_so(name: str, rich: Draw, plain: Draw) -> None:
    task = rich(name)
    rolling = task.problem.rolling
    assert len(task.stages) == (rolling.epochs if rolling else 1)
    assert len(plain(name).stages) == 1
    if rolling:
        assert rolling.epochs >= 3
        last = seen(task.problem, task.instance, rolling.epochs - 1, rolling.epochs)
        assert "freeze" in task.problem.rules(last)


@pytest.mark.slow
@every_class
def test_omittable_rules_are_missed_and_tiers_can_be_drawn(name: str) -> None:
    blind = Counter(sample(draw_params(seed, tier=tier, problem=name), seed).blind for tier in TIERS for seed in range(4))
    assert set(blind) <= set(find_problem(name).model.OMITTABLE)


def test_a_submission_better_than_the_bound_raises_the_canary(rich: Draw) -> None:
    task = compiled(NAMES[0])
    play = play_of(task)
    tighter = replace(play, scale=replace(play.scale, bound=play.scale.reference + 1))
    assert judge(tighter, ledger(rich(NAMES[0])), task.checks).canary


def test_a_rule_without_a_mutant_would_be_noticed(rich: Draw) -> None:
    task = compiled(NAMES[0])
    made = {rule for rule, _ in mutants(play_of(task), ledger(rich(NAMES[0])))}
    assert made == {check.rule for check in build_checks(play_of(task).rules)}
