"""Judging one period: from the text of a submission to what the validator says of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from opsgym.core.task import Task
from opsgym.envs.cache import Lru
from opsgym.envs.or_agent_bench.catalogue import find_problem
from opsgym.envs.or_agent_bench.contract import Problem, Report
from opsgym.envs.or_agent_bench.sampler import read_plan, seen, unpack
from opsgym.envs.or_agent_bench.scoring import Scale

GATE = 0.5
"""A period's plan opens the next one when it is feasible and its objective within this share of the reference's."""


DIGITS = 15
"""Digits before the point that a number of a submission may have; with more, sums and quotients are no numbers any more."""


@dataclass(frozen=True, slots=True)
class Play:
    """A task, unpacked for judging.

    Attributes:
        problem: Its class.
        views: The instance as known in each period.
        rules: What each rule says, over all periods.
        scale: By what the last objective is measured.
        gates: Reference objective of each period.
        files: Public files of each period.
    """

    problem: Problem
    views: tuple[Any, ...]
    rules: Mapping[str, str]
    scale: Scale
    gates: tuple[float, ...]
    files: tuple[Mapping[str, str], ...]

    @property
    def epochs(self) -> int:
        """Number of periods."""
        return len(self.views)


_PLAYS: Lru[Play] = Lru(64)


def play_of(task: Task) -> Play:
    """The task unpacked; made once and shared."""
    return _PLAYS.get(task.id, lambda: _unpacked(task))


def _unpacked(task: Task) -> Play:
    problem = find_problem(task.world["problem"])
    instance = unpack(problem, task.world["instance"])
    files = tuple(task.world["files"])
    views = tuple(seen(problem, instance, epoch, len(files)) for epoch in range(len(files)))
    rules = {rule: text for view in views for rule, text in problem.rules(view).items()}
    certificate = task.certificate
    bound = certificate.bound if task.world["has_bound"] else None
    scale = Scale(problem.sense, certificate.value, bound, task.world["gap"])
    return Play(problem, views, rules, scale, tuple(task.world["gates"]), files)


@dataclass(frozen=True, slots=True)
class Judged:
    """What is said of one period.

    Attributes:
        faults: What is wrong with the form of the submission.
        report: The validator's report, or ``None`` when the form is wrong.
        plan: The plan, or ``None``.
    """

    faults: tuple[str, ...]
    report: Report | None
    plan: Any

    @property
    def is_feasible(self) -> bool:
        """Whether the plan keeps its form and every rule."""
        return self.report is not None and self.report.is_feasible


def judge_text(play: Play, epoch: int, text: str, previous: Any) -> Judged:
    """Judge the submission of a period; ``previous`` is the plan accepted before."""
    value, faults = parse(play.problem, text)
    if faults:
        return Judged(tuple(faults), None, None)
    return Judged((), play.problem.validate(play.views[epoch], value, previous), value)


def parse(problem: Problem, text: str) -> tuple[Any, Sequence[str]]:
    """A submission as the class's plan, or what is wrong with its form."""
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_int=_whole, parse_float=_decimal)
    except (ValueError, RecursionError) as error:
        return None, [f"submission: not valid JSON ({error})"]
    try:
        return read_plan(problem, value)
    except ValueError as error:  # numbers too long, or surrogates that JSON cannot say again
        return None, [f"submission: not plain JSON ({str(error)[:200]})"]


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _whole(text: str) -> int:
    if len(text.removeprefix("-")) > DIGITS:
        raise ValueError(f"a number of more than {DIGITS} digits")
    return int(text)


def _decimal(text: str) -> float:
    value = float(text)
    if abs(value) >= 10**DIGITS:
        raise ValueError(f"a number of more than {DIGITS} digits")
    return value


def opens_next(play: Play, epoch: int, judged: Judged) -> bool:
    """Whether a period's plan is accepted."""
    if not judged.is_feasible or judged.report is None:
        return False
    reference = play.gates[epoch]
    return play.scale.improvement(judged.report.objective, reference) >= -GATE * max(abs(reference), play.scale.unit)
