"""Submissions and folders that mean harm are judged like any other, or refused with a reason; nothing raises."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from opsgym.core.errors import ToolError
from opsgym.envs.or_agent_bench.catalogue import NAMES, find_problem
from opsgym.envs.or_agent_bench.family import OrAgentBenchFamily
from opsgym.envs.or_agent_bench.judging import DIGITS, judge_text, parse, play_of
from opsgym.envs.or_agent_bench.session import LARGEST, Session
from opsgym.sandbox import Completed, Guarantees, Limits
from opsgym.sandbox.limits import DEFAULT_LIMITS
from opsgym.sandbox.sandbox import Files
from tests.envs.or_agent_bench.conftest import compiled, drawn

EDGE = 10**DIGITS - 1
CLASSES = [NAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:])]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Values of a JSON document with the way to them, of each list the first and the last."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*path, key))
    elif isinstance(value, list):
        for number in sorted({0, len(value) - 1}) if value else ():
            yield from leaves(value[number], (*path, number))
    else:
        yield path, value


def with_value(plan: Any, path: tuple[Any, ...], value: object) -> Any:
    changed = copy.deepcopy(plan)
    place = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return changed


@pytest.mark.parametrize("name", CLASSES)
def test_no_value_in_a_plan_makes_a_validator_raise(name: str) -> None:
    play, plan = play_of(compiled(name)), drawn(name).stages[0].plan
    judged = 0
    for path, value in leaves(plan):
        wrong: tuple[object, ...] = ("", "x" * 999) if isinstance(value, str) else (EDGE, -EDGE, 0, -1)
        for one in wrong:
            judged += judge_text(play, 0, json.dumps(with_value(plan, path, one)), None).report is not None
    assert judged


@pytest.mark.parametrize("name", CLASSES)
def test_a_plan_as_long_as_a_submission_may_be_is_judged(name: str) -> None:
    play, plan = play_of(compiled(name)), drawn(name).stages[0].plan
    for key, value in plan.items():
        if isinstance(value, list) and value:
            times = (LARGEST - len(json.dumps(plan))) // (len(json.dumps(value)) + 2)
            judged = judge_text(play, 0, json.dumps({**plan, key: value * times}), None)
            assert judged.faults or judged.report is not None


@pytest.mark.parametrize(
    "number", ["1" * (DIGITS + 1), "-" + "1" * (DIGITS + 1), "1e400", "-1e400", "1e16", "9" * 5000, "NaN", "Infinity"]
)
def test_numbers_beyond_reckoning_are_faults_of_form(number: str) -> None:
    plan, faults = parse(find_problem(NAMES[0]), f'{{"a": [{number}]}}')
    assert plan is None
    assert "not valid JSON" in faults[0]


class Fixed:
    """A sandbox that runs nothing and leaves everything as it was."""

    name = "fixed"
    guarantees = Guarantees((), ())

    def __init__(self) -> None:
        self.limits = DEFAULT_LIMITS

    def run(
        self, command: Sequence[str], *, files: Files, limits: Limits = DEFAULT_LIMITS, socket: Path | None = None
    ) -> Completed:
        self.limits = limits
        return Completed(0, "", "", files)


def session() -> tuple[Session, Fixed]:
    task = compiled(NAMES[0], "plain")
    family, sandbox = OrAgentBenchFamily(), Fixed()
    made = family.session(family.open(task), task)
    made.sandbox = sandbox
    return made, sandbox


def test_a_submission_that_is_too_large_is_not_even_read() -> None:
    desk, _ = session()
    desk.workspace.replace({**desk.workspace.files, "submission.json": b"[" + b"[]," * LARGEST + b"[]]"})
    assert "at most" in desk.faults()[0]


def test_a_folder_filled_to_the_brim_is_no_fault_of_the_environment() -> None:
    desk, _ = session()
    room = desk.limits.disk - desk.workspace.size
    desk.workspace.replace({**desk.workspace.files, "solve.py": b"", "full": b"x" * room, "fuller": b"x" * 100})
    with pytest.raises(ToolError, match="would hold more"):
        desk.run(["true"], desk.limits)
    assert "holds more" in desk.submit()


def test_the_limit_of_a_final_run_is_cpu_time_since_wall_time_depends_on_the_machine() -> None:
    desk, sandbox = session()
    desk.workspace.replace({**desk.workspace.files, "solve.py": b"# a program that no other test runs"})
    desk.submit()
    assert sandbox.limits.cpu == desk.seconds
    assert sandbox.limits.wall >= 4 * desk.seconds
