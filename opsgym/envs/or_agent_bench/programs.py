"""Programs: the scripted policies' real Python programs, and the calls that write and hand them in."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

from opsgym.core.stream import Stream
from opsgym.core.task import Task, ToolCall
from opsgym.envs.or_agent_bench import kit
from opsgym.envs.or_agent_bench.catalogue import find_problem
from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.documents import BRIEF, PROGRAM
from opsgym.envs.or_agent_bench.judging import play_of
from opsgym.envs.or_agent_bench.params import OrParams
from opsgym.envs.or_agent_bench.sampler import BLIND_EFFORT, seen

STARVED = 0.05
"""Share of the model's time limit that the time-starved program has; it takes the first plan, and no start."""

PLAIN_DRAWS = 20
"""Instances in which a rule is looked for; a rule of the plain form may be without an item in some, such as a day closed."""


@dataclass(frozen=True, slots=True)
class Method:
    """How a program decides; see :func:`~opsgym.envs.or_agent_bench.kit.run`."""

    method: str = "exact"
    omit: tuple[str, ...] = ()
    effort: float = 1.0


def program(problem: Problem, method: Method) -> dict[str, str]:
    """A program's files: the shared reading aids, the class's model, and the few lines that run it."""
    own = f"from {kit.__name__} import"
    model = inspect.getsource(cast(ModuleType, cast(Any, problem.model)))
    return {
        "kit.py": inspect.getsource(kit),
        "model.py": model.replace(own, "from kit import"),
        PROGRAM: (
            "import model\nfrom kit import run\n\n"
            f"run(model, method={method.method!r}, omit={list(method.omit)!r}, effort={method.effort!r})\n"
        ),
    }


def calls(problem: Problem, method: Method, *, epochs: int) -> tuple[ToolCall, ...]:
    """The calls that write a program and hand it in, period by period."""
    writes = [
        ToolCall(name="write_file", arguments={"path": path, "content": text}) for path, text in program(problem, method).items()
    ]
    return (*writes, *[ToolCall(name="close_period")] * (epochs - 1), ToolCall(name="submit"))


def _planner(choose: Callable[[Task], Method]) -> Callable[[Task], Sequence[ToolCall]]:
    """A policy that answers a task with a program."""
    return lambda task: calls(find_problem(task.world["problem"]), choose(task), epochs=len(task.world["files"]))


def _knowing(task: Task, known: Callable[[str, str], bool]) -> Method:
    """The exact model without the rules of the first period that are not known, by id and sentence.

    A rule that the model cannot leave out, as it defines what a plan is, stays in it.
    """
    play = play_of(task)
    rules = play.problem.rules(play.views[0])
    omittable = play.problem.model.OMITTABLE
    return Method(omit=tuple(rule for rule, sentence in rules.items() if rule in omittable and not known(rule, sentence)))


def skimming(task: Task) -> Method:
    """The exact model of who reads the brief and not the memo: without the rules whose sentences the brief does not hold."""
    brief = task.world["files"][0][BRIEF]
    return _knowing(task, lambda rule, sentence: sentence in brief)


def textbook(task: Task) -> Method:
    """The exact model of who writes the plain form of the class: without the rules that come with its formulation.

    Those are the rules that are in force in no instance drawn at formulation 0, with otherwise equal parameters.
    """
    problem = find_problem(task.world["problem"])
    params = OrParams.build({**task.params, "formulation": 0})
    streams = [Stream("or_agent_bench.textbook", problem.name, number) for number in range(PLAIN_DRAWS)]
    plain = [seen(problem, problem.draw(params, stream), 0, len(task.world["files"])) for stream in streams]
    in_force = {rule for instance in plain for rule in problem.rules(instance)}
    return _knowing(task, lambda rule, sentence: rule in in_force)


METHODS: Mapping[str, Callable[[Task], Method]] = {
    "exact": lambda task: Method(),
    "greedy": lambda task: Method("greedy"),
    "rule_blind": lambda task: Method(omit=(str(task.metadata["blind"]),), effort=BLIND_EFFORT),
    "starved": lambda task: Method(effort=STARVED),
    "skimming": skimming,
    "textbook": textbook,
}
"""How each scripted policy decides."""

POLICIES: Mapping[str, Callable[[Task], Sequence[ToolCall]]] = {name: _planner(choose) for name, choose in METHODS.items()}
"""The scripted policies by name; none of them knows the solution."""
