"""Lint: the paper's seven validation questions, asked of a task by playing it, and what else a sound task keeps.

The questions (section 3.3): is the task aligned with its context; is it specific and closed; is it free of references to a
"context"; does the ground truth answer it directly; is the ground truth free of such references; is it a realistic request in
the first person; does it respect the privacy of others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.task import Task, ToolCall, canonical_json
from opsgym.core.world import Snapshot, World
from opsgym.envs.enterprise_bench.answers import Ids, plain
from opsgym.envs.enterprise_bench.compiler import twin_of
from opsgym.envs.enterprise_bench.plan import Plan, plan_of
from opsgym.envs.enterprise_bench.setting import Setting
from opsgym.envs.enterprise_bench.template import Unfit
from opsgym.envs.enterprise_bench.toolboxes import toolbox
from opsgym.envs.enterprise_bench.verifier import Checks, judge, read_checks, watched

META = re.compile(r"\b(the context|ground truth|subtask|persona|template|the dataset|given information)\b", re.IGNORECASE)
"""Words that speak of the task instead of the work."""

FIRST_PERSON = re.compile(r"\b(I|I'm|I've|I'd|[Mm]e|[Mm]y|mine|[Ww]e|[Oo]ur|us)\b")
"""Words of who asks."""


def lint(task: Task) -> list[str]:
    """What is wrong with a task, one sentence each; empty when sound."""
    checks, plan = read_checks(task.checks), plan_of(task)
    return [*_worded(task, checks), *_played(task, checks, plan), *_paired(task, plan)]


def _worded(task: Task, checks: Checks) -> Iterator[str]:
    """Questions 2, 3, 5 and 6: of the words."""
    text = task.instruction
    if META.search(text):
        yield f"the request speaks of the task: {META.findall(text)} (3)"
    if not FIRST_PERSON.search(text):
        yield "the request is not in the first person (6)"
    if not text[:1].isupper() or text.rstrip()[-1:] not in ".?!" or "  " in text or "None" in text or "{" in text:
        yield f"the request is not well written: {text!r} (6)"
    if checks.form is not None:
        if f"Submit {checks.form.wanted()}." not in text:
            yield "the request does not say which form of answer it wants (2)"
        if META.search(canonical_json(checks.form.answer())):
            yield "the answer speaks of the task (5)"
        if checks.form.score(checks.form.answer()) != 1:
            yield "the answer does not fit its own form (4)"
        if (
            not isinstance(checks.form, Ids)
            and plain(checks.form.answer()) in plain(text)
            and checks.form.kind in ("date", "text")
        ):
            yield "the request gives its own answer away (4)"


def _played(task: Task, checks: Checks, plan: Plan) -> Iterator[str]:
    """Questions 1, 4 and 7: the plan is carried out with the rights of who asks."""
    setting = Setting.model_validate(task.world)
    world = setting.open()
    try:
        start = world.origin or world.snapshot()
        results: list[str] = []
        verdict = judge(checks, start, _run(world, task, plan.oracle(), results))
        if not verdict.is_success:
            yield f"the plan does not solve it: {[item.message for item in verdict.checks if item.message]} (1)"
        yield from _grounded(checks, plan, results)
        world.restore(start)
        idle = judge(checks, start, _run(world, task, [ToolCall(name="submit")], []))
        if idle.reward != 0:
            yield f"doing nothing earns {idle.reward}"
        if plan.reason is None:
            yield from _needed(task, checks, plan, world, start)
    finally:
        world.close()


def _paired(task: Task, plan: Plan) -> Iterator[str]:
    """A request that cannot be met has a twin that can."""
    if plan.reason is None:
        return
    try:
        twin = twin_of(task)
    except (Unfit, TaskError) as error:
        yield f"there is no twin that can be met: {error}"
        return
    if plan_of(twin).reason is not None:
        yield "the twin cannot be met either"


def _grounded(checks: Checks, plan: Plan, results: Sequence[str]) -> Iterator[str]:
    """What the answer states stands in what the employee who asks may read."""
    if plan.reason is not None or not isinstance(checks.form, Ids):
        return
    shown = plain(" ".join(results))
    missing = [item for item in checks.form.values if plain(item) not in shown]
    if missing:
        yield f"the plan shows nothing of {missing[:3]} (1, 7)"


def _needed(task: Task, checks: Checks, plan: Plan, world: World, start: Snapshot) -> Iterator[str]:
    """Every change is needed."""
    for number, item in enumerate(plan.subtasks):
        if item.writes:
            calls = [other.call for place, other in enumerate(plan.subtasks) if place != number]
            world.restore(start)
            if judge(checks, start, _run(world, task, [*calls, plan.ending()], [])).is_success:
                yield f"step {number + 1}, {item.call.name}, is not needed"


def _run(world: World, task: Task, calls: Sequence[ToolCall], results: list[str]) -> World:
    """Carry out calls up to the first that ends the episode; refused ones change nothing."""
    session = Setting.model_validate(task.world).sign_in(watched(world))
    tools = toolbox(task.tools)
    for call in calls:
        try:
            found = tools.find(call.name)
            with world.savepoint():
                results.append(canonical_json(found.function(session, **found.validate(call.arguments))))
            if found.terminal:
                break
        except ToolError as error:
            results.append(str(error))
    return world
