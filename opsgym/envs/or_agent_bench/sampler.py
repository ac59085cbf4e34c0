"""Drawing tasks: an instance whose reference the validator accepts, and on which forgetting a rule shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from opsgym.core.errors import TaskError
from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.catalogue import find_problem
from opsgym.envs.or_agent_bench.contract import Problem, Report
from opsgym.envs.or_agent_bench.documents import ACCEPTED, documents
from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.params import ROLLING, OrParams
from opsgym.envs.or_agent_bench.scoring import Scale

VERSION = "1"
"""Version of the generator; part of every stream, changed whenever a task would change."""

BLIND_EFFORT = 0.3
"""Share of the model's time limit that the rule-blind program has."""

TRIES = 12
"""Draws before the generator gives up."""


class Rejected(Exception):
    """A draw that makes no good task."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One decision of a task.

    Attributes:
        files: The public files.
        plan: The reference plan.
        objective: Its objective.
        charge: The part of it that is charged for changes.
        bound: The model's bound on it.
    """

    files: Mapping[str, str]
    plan: Plan
    objective: float
    charge: float
    bound: float | None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn task.

    Attributes:
        problem: Its class.
        instance: The whole instance.
        stages: One a decision; a single one unless rolling.
        bound: Valid bound on the objective of the last stage.
        blind: Rule that the rule-blind program omits, and is caught by.
        attempt: Number of the draw, from 0.
    """

    problem: Problem
    instance: Any
    stages: tuple[Stage, ...]
    bound: float | None
    blind: str
    attempt: int


def sample(params: OrParams, seed: int) -> Drawn:
    """The task of ``(params, seed)``.

    Raises:
        TaskError: No draw made a good task; says why.
    """
    failures: Counter[str] = Counter()
    for attempt in range(TRIES):
        stream = Stream("or_agent_bench", VERSION, params.model_dump(mode="json"), seed, attempt)
        try:
            return _draw(params, stream, attempt)
        except Rejected as failure:
            failures[str(failure)] += 1
    tried = "; ".join(f"{times}x {reason}" for reason, times in failures.most_common(3))
    raise TaskError(f"no {params.problem} task in {TRIES} draws: {tried}", field="params")


def _draw(params: OrParams, stream: Stream, attempt: int) -> Drawn:
    problem = find_problem(params.problem)
    instance = problem.draw(params, stream)
    stages: list[Stage] = []
    for epoch in range(epochs_of(problem, params)):
        stages.append(_stage(problem, instance, params, epoch, stages[-1].plan if stages else None))
    if not stages[-1].objective:
        raise Rejected("the reference objective is 0")
    bound = _bound(problem, params, stages)
    blind = _blind(problem, params, instance, stages[0], stream)
    return Drawn(problem, instance, tuple(stages), bound, blind, attempt)


def epochs_of(problem: Problem, params: OrParams) -> int:
    """Number of decisions of a task."""
    return problem.rolling.epochs if problem.rolling and params.dynamics >= ROLLING else 1


def seen(problem: Problem, instance: Any, epoch: int, epochs: int) -> Any:
    """The instance as it is known in an epoch."""
    return problem.rolling.view(instance, epoch) if problem.rolling and epochs > 1 else instance


def _stage(problem: Problem, instance: Any, params: OrParams, epoch: int, previous: Plan | None) -> Stage:
    known = seen(problem, instance, epoch, epochs_of(problem, params))
    key = pack(instance)
    files = documents(problem, known, understanding=params.understanding, key=key, epoch=epoch)
    state = {} if previous is None else {ACCEPTED: json.dumps(previous)}
    solved = problem.model.solve(problem.model.read({**files, **state}))
    if solved.plan is None:
        raise Rejected("the reference model finds no plan")
    report = examine(problem, known, solved.plan, previous)
    if not report.is_feasible:
        broken = {rule: items for rule, items in report.violations.items() if items}
        raise TaskError(f"the reference plan of {problem.name} is refused: {broken}", field="params")
    return Stage(files, solved.plan, report.objective, report.charge, solved.bound)


def _bound(problem: Problem, params: OrParams, stages: list[Stage]) -> float | None:
    """Bound on the last stage; in hindsight, with nothing frozen and no state, which is a relaxation."""
    bound = stages[0].bound if len(stages) == 1 else problem.model.solve(problem.model.read(stages[-1].files)).bound
    reference = total([stage.objective for stage in stages], [stage.charge for stage in stages])
    if bound is None:
        return None
    worse = Scale(problem.sense, reference, bound, params.tolerance).beats_bound(reference)
    if worse:
        raise TaskError(f"{problem.name}: the reference {reference} beats the bound {bound}", field="params")
    return bound


def total(objectives: Sequence[float], charges: Sequence[float]) -> float:
    """Objective of a whole task: that of its last decision, and what was charged for changes before."""
    return objectives[-1] + sum(charges[:-1])


def _blind(problem: Problem, params: OrParams, instance: Any, stage: Stage, stream: Stream) -> str:
    """A rule without which the model's plan breaks that rule."""
    known = seen(problem, instance, 0, epochs_of(problem, params))
    data = problem.model.read(stage.files)
    rules = problem.rules(known)
    for rule in stream.sample(problem.model.OMITTABLE, len(problem.model.OMITTABLE)):
        if rule not in rules:
            continue
        plan = problem.model.solve(data, frozenset({rule}), BLIND_EFFORT).plan
        if plan is not None and examine(problem, known, plan, None).violations.get(rule):
            return rule
    raise Rejected("no rule is missed when it is omitted")


# -- plans and instances as records ----------------------------------------------------------------------

_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def adapter(kind: type) -> TypeAdapter[Any]:
    """Reader and writer of a dataclass of plain values."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def pack(instance: Any) -> Any:
    """An instance as JSON."""
    return adapter(type(instance)).dump_python(instance, mode="json")


def unpack(problem: Problem, value: Any) -> Any:
    """The instance of :func:`pack`."""
    return adapter(problem.instance).validate_python(value)


def read_plan(problem: Problem, value: object) -> tuple[Any, list[str]]:
    """A submission as the class's dataclass, and what is wrong with its form: one sentence a place, with ``None``."""
    try:
        return adapter(problem.plan).validate_json(json.dumps(value), strict=True, extra="forbid"), []
    except ValidationError as error:
        return None, [
            f"{'.'.join(map(str, fault['loc'])) or 'submission'}: {fault['msg']}" for fault in error.errors(include_url=False)
        ]


def examine(problem: Problem, instance: Any, plan: Plan, previous: Plan | None) -> Report:
    """What the validator says of a plan in JSON.

    Raises:
        TaskError: The plan does not keep the schema.
    """
    parsed, faults = read_plan(problem, plan)
    if faults:
        raise TaskError(f"the plan does not keep the schema: {faults[:3]}", field="plan")
    before = None if previous is None else read_plan(problem, previous)[0]
    return problem.validate(instance, parsed, before)
