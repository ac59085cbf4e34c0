"""Lint: what must be true of every task, shown by playing it; each point was found violated in published tasks.

Source: the sixteen points of the audit of EnterpriseOps-Gym's release; numbers in brackets are theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from opsgym.core.records.columns import Key
from opsgym.core.records.invariants import violations
from opsgym.core.task import Task, ToolCall
from opsgym.envs.enterprise_ops.estate import parts_of
from opsgym.envs.enterprise_ops.family import checks_of, setting_of
from opsgym.envs.enterprise_ops.plan import Plan, plan_of
from opsgym.envs.enterprise_ops.play import Player
from opsgym.envs.enterprise_ops.systems import system


def lint(task: Task) -> list[str]:
    """What is wrong with a task, one sentence each; empty when it is sound.

    Raises:
        TaskError: The task cannot be opened: a check does not parse or reads what is not there (1, 2).
    """
    plan = plan_of(task)
    with Player(task) as player:
        found = [*_texts(task, plan), *_worlds(player), *_right(player, plan)]
        if not plan.reasons:
            found += [*_wrong(player, plan), *_needless(player, plan)]
    return found


def _texts(task: Task, plan: Plan) -> Iterator[str]:
    """Names, tools and words: nothing is played."""
    names = [query.name for queries in checks_of(task).queries.values() for query in queries]
    if len(set(names)) != len(names):
        yield "two checks have one name (3)"
    for call in (*task.oracle, *(step.call for step in plan.steps)):
        if call.name not in task.tools:
            yield f"the plan needs {call.name}, which is not on offer (12)"
    for rule in (*plan.hidden, *plan.told):
        if f"[{rule}]" not in task.policy:
            yield f"the policy does not mention {rule} (13)"
    for part in setting_of(task).parts:
        prefixes = {
            column.prefix for table in system(part.system).domain.tables for column in table.columns if isinstance(column, Key)
        }
        for prefix in sorted(filter(None, prefixes)):
            if re.search(rf"\b{re.escape(prefix)}_\d+\b", task.instruction):
                yield f"the request gives an internal key of the form {prefix}_... (15)"
    for one, other in pairwise(re.findall(r"\w+", task.instruction.lower())):
        if one == other and one in ("the", "a", "of", "to", "for"):
            yield f"the request says {one!r} twice in a row"
    if task.metadata.get("infeasible") and not plan.reasons:
        yield "an infeasible task without a reason (16)"


def _worlds(player: Player) -> Iterator[str]:
    """The seeded worlds, on which no check may hold yet."""
    task, setting = player.task, setting_of(player.task)
    for name, part in parts_of(player.restart(), setting.parts[0].system).items():
        yield from (f"seeded world: {fault} (14)" for fault in violations(system(name).domain, part)[:3])
    for result in player.play(()).verdict.checks:
        if result.spec.rule == "sql" and not result.spec.args.get("is_guard") and result.status == "pass":
            yield f"{result.spec.group} of {task.pattern} holds before anything is done (5)"


def _right(player: Player, plan: Plan) -> Iterator[str]:
    """The oracle, and doing nothing."""
    solved = player.play(player.task.oracle)
    if not solved.verdict.is_success or solved.errors:
        yield f"the oracle fails {solved.failed}, refused: {solved.errors} (6)"
    for result in solved.verdict.checks:
        if result.spec.rule == "sql" and type(result.actual) is not type(result.expected):
            yield f"{result.spec.group}: {result.expected!r} and {result.actual!r} cannot be compared (4)"
    if plan.reasons and solved.changed:
        yield f"the refusing oracle changes {solved.changed}"
    idle = player.play([plan.submit().model_copy(update={"arguments": {}})])
    if idle.verdict.reward != 0 or idle.verdict.is_success:
        yield f"doing nothing earns {idle.verdict.reward} (7)"
    if plan.reasons:
        complying = player.play(plan.compliant())
        if complying.verdict.reward != 0:
            yield f"complying earns {complying.verdict.reward} where a refusal is due (16)"


def _wrong(player: Player, plan: Plan) -> Iterator[str]:
    """Policies that make one kind of mistake."""
    if player.play(plan.refusing()).verdict.reward != 0:
        yield "a refusal of a feasible request earns something"
    if plan.mistakes and player.play(plan.mistaken()).verdict.is_success:
        yield f"the first match solves it in spite of {[item.kind for item in plan.mistakes]} (9)"
    is_forced = {step.rule for step in plan.steps if step.kind == "avoid"} >= set(plan.hidden)  # tools refuse what is wrong
    is_strict = setting_of(player.task).enforcement == "strict"
    if plan.hidden and is_strict and not is_forced and player.play(plan.blind()).verdict.is_success:
        yield f"who does not know {plan.hidden} solves it"
    if plan.hidden and setting_of(player.task).enforcement == "permissive":
        yield from _blind(player, plan)


def _blind(player: Player, plan: Plan) -> Iterator[str]:
    """Who does not know the hidden rules does all that is asked, and breaks policy alone."""
    blind = player.play(plan.blind())
    if set(blind.failed.values()) != {"policy"} or not set(blind.failed) & set(plan.hidden):
        yield f"who does not know {plan.hidden} fails {blind.failed}, expected policy alone; refused: {blind.errors}"
    for rule in plan.hidden:
        failed = player.play(plan.blind([rule])).failed
        if rule not in failed or "integrity" in failed.values():
            yield f"who does not know {rule} fails {failed}"


def _needless(player: Player, plan: Plan) -> Iterator[str]:
    """Every step of work is needed."""
    for number, step in enumerate(plan.taken):
        if step.kind != "look":
            calls: list[ToolCall] = [other.call for place, other in enumerate(plan.taken) if place != number]
            if player.play([*calls, plan.submit()]).verdict.is_success:
                yield f"step {number + 1}, {step.call.name}, is not needed (8)"
