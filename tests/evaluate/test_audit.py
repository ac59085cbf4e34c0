"""The audit lists every rule that lets a broken end state pass."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium as gym
import pytest

from opsgym.cli import main
from opsgym.core.errors import TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.core.world import World
from opsgym.evaluate.audit import Cell, audit
from tests.envs.toy_family import ToyEnv, ToyFamily, ToyParams


class BlindFamily(ToyFamily):
    """A verifier that overlooks one of two mutants on metals."""

    def audit(self, before: World, after: World, task: Task) -> Sequence[tuple[str, bool]]:
        return [*super().audit(before, after, task), ("value", task.pattern == "colours")]


class BlindEnv(ToyEnv):
    """Plays it."""

    family = BlindFamily()


class UnguardedFamily(ToyFamily):
    """A verifier whose only rule has no mutant."""

    def audit(self, before: World, after: World, task: Task) -> Sequence[tuple[str, bool]]:
        return ()


class UnguardedEnv(ToyEnv):
    """Plays it."""

    family = UnguardedFamily()


class UnsolvedFamily(ToyFamily):
    """Tasks whose reference solution is wrong."""

    def compile(self, params: ToyParams, seed: int) -> Task:
        task = super().compile(params, seed)
        return Task(**{**task.model_dump(), "id": "", "oracle": (ToolCall(name="submit"),)})


class UnsolvedEnv(ToyEnv):
    """Plays it."""

    family = UnsolvedFamily()


@pytest.fixture(autouse=True)
def ids() -> Iterator[None]:
    kinds = {"Toy-v0": ToyEnv, "Blind-v0": BlindEnv, "Unguarded-v0": UnguardedEnv, "Unsolved-v0": UnsolvedEnv}
    for name, kind in kinds.items():
        gym.register(name, entry_point=f"{kind.__module__}:{kind.__name__}")
    yield
    for name in kinds:
        del gym.registry[name]


def run(*arguments: str, code: int, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert (exit_.value.code or 0) == code
    return capsys.readouterr().out


def test_a_sound_verifier_passes_with_its_counts() -> None:
    report = audit("Toy-v0")
    assert report.passed and report.tasks == 4
    assert report.cells == (Cell("value", "colours", 2, 2, 2), Cell("value", "metals", 2, 2, 2))
    assert audit("Toy-v0", workers=2) == report


def test_survivors_are_listed_and_exit_1(capsys: pytest.CaptureFixture[str]) -> None:
    report = audit("Blind-v0", 4)
    assert not report.passed
    assert [(rule, pattern) for rule, pattern, _ in report.survivors] == [("value", "metals")] * 2
    printed = run("audit", "Blind-v0", code=1, capsys=capsys)
    rows = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if line}
    assert rows["value"] == ["4", "2/4"]
    assert "8 mutants, 2 survivors" in printed and printed.count("survivor: value on metals") == 2
    facts: dict[str, Any] = json.loads(run("audit", "Blind-v0", "--json", code=1, capsys=capsys))
    assert (facts["mutants"], facts["passed"], len(facts["survivors"])) == (8, False, 2)


def test_a_rule_without_mutants_counts_as_a_survivor() -> None:
    report = audit("Unguarded-v0", 1)
    assert not report.passed and len(report.survivors) == 1
    assert "0/0" in "\n".join(report.lines())


def test_what_is_not_solved_cannot_be_mutated() -> None:
    with pytest.raises(TaskError, match="cannot be mutated"):
        audit("Unsolved-v0", 1)


def test_erp_bench_has_no_survivors(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run("audit", "ERPBench-v0", code=0, capsys=capsys)
    assert "0 survivors" in printed and "demand_coverage" in printed
