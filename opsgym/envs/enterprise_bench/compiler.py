"""Compiler: parameters and a seed become a task."""

from __future__ import annotations

import random
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.core.records.columns import Key, Moment
from opsgym.core.records.diff import Change
from opsgym.core.task import Certificate, Task
from opsgym.core.templated import ALL_TOOLS, ANY
from opsgym.data.splits import SPLITS, split_of
from opsgym.envs.enterprise_bench import system
from opsgym.envs.enterprise_bench.draft import Draft
from opsgym.envs.enterprise_bench.endings import Reason
from opsgym.envs.enterprise_bench.errands import run_errands
from opsgym.envs.enterprise_bench.params import BenchParams, choose, reason_of, tier_of
from opsgym.envs.enterprise_bench.plan import Plan
from opsgym.envs.enterprise_bench.setting import Setting
from opsgym.envs.enterprise_bench.template import Unfit
from opsgym.envs.enterprise_bench.templates import template_by_name
from opsgym.envs.enterprise_bench.toolboxes import offered
from opsgym.envs.enterprise_bench.verifier import Checks, Wanted, specs

FAMILY = "EnterpriseBench-v0"
VERSION = "1"

ATTEMPTS = 60
"""Draws that are tried for one task."""

COMPANIES = {"train": 4, "validation": 1, "test": 2}
"""Companies of each split: so few that their worlds are made once and kept."""


def company_seed(seed: int, draw: random.Random) -> int:
    """Seed of the company of a task: of the same split."""
    split = split_of(seed)
    return 10 * draw.randrange(COMPANIES[split]) + SPLITS[split][0]


def compile_params(params: BenchParams, seed: int) -> Task:
    """The task of parameters and a seed: byte-identical in any process.

    Raises:
        TaskError: The template finds no task in any of the draws; the message is the last one's.
    """
    reason = ""
    for attempt in range(ATTEMPTS):
        try:
            task = compile_once(params, seed, attempt)
            return _equipped(task, twin_of(task))
        except Unfit as error:
            reason = str(error)
    raise TaskError(f"{params.template} finds no task for seed {seed} in {ATTEMPTS} draws: {reason}", field="params")


def _equipped(task: Task, twin: Task) -> Task:
    """A task that offers what its twin needs too: tools that are missing would tell that the request cannot be met."""
    if twin is task:
        return task
    needed = [call.name for call in (*task.oracle, *twin.oracle) if call.name in system.TOOLBOX]
    tools = offered(needed, task.params["distractors"], task.seed)
    return Task.from_dict({**task.model_dump(mode="json", exclude={"id"}), "tools": tools})


def twin_of(task: Task) -> Task:
    """The same request so that it can be met: of the same draw, and asked by the same employee where that is not what is wrong.

    Args:
        task: A task; one that can be met is its own twin.

    Raises:
        Unfit: The draw gives none; no task of :func:`compile_params` is such.
    """
    if task.metadata["kind"] != "unanswerable":
        return task
    params = BenchParams.build({**task.params, "template": task.pattern, "unanswerable": 0.0})
    return compile_once(params, task.seed, task.metadata["attempt"], asker=task.world["emp_id"])


def compile_once(params: BenchParams, seed: int, attempt: int = 0, asker: str | None = None) -> Task:
    """One draw of :func:`compile_params`.

    Args:
        params: The parameters.
        seed: The seed.
        attempt: Number of the draw.
        asker: Employee id of who is to ask, if they can.

    Raises:
        Unfit: The draw gives no task.
    """
    chosen = params.model_copy(update=choose(params, seed)) if params.template == ANY else params
    template = template_by_name()[chosen.template]
    draw = random.Random(f"{VERSION}/{seed}/{attempt}")
    company = company_seed(seed, draw)
    draft = Draft(template, params, company, draw, reason_of(chosen, seed), asker)
    try:
        template.build(draft)
        run_errands(draft)
        return _finished(draft, params, seed, attempt)
    finally:
        draft.close()


def _finished(draft: Draft, params: BenchParams, seed: int, attempt: int) -> Task:
    checks = _checks(draft)
    plan = Plan(
        subtasks=tuple(draft.subtasks),
        reason=draft.reason,
        why=draft.why,
        answer=checks.form.answer() if checks.form is not None and draft.reason != "out_of_scope" else None,
    )
    me = draft.me
    setting = Setting(
        seed=draft.seed,
        size=params.size,
        base=draft.base.digest,
        access=params.access,
        emp_id=me["emp_id"],
        name=me["name"],
        title=f"{me['department']}, level {me['level_code']}",
    )
    kind = "unanswerable" if draft.reason else draft.template.kind
    return Task(
        family=FAMILY,
        version=VERSION,
        seed=seed,
        tier=tier_of(params),
        pattern=draft.template.name,
        params=params.model_dump(),
        instruction=_instruction(draft, checks),
        policy=system.policy(params.access),
        tools=offered([item.call.name for item in plan.subtasks], params.distractors, seed),
        world=setting.model_dump(mode="json"),
        oracle=tuple(plan.oracle()),
        checks=specs(checks),
        certificate=Certificate(status="feasible", objective="steps", value=float(len(plan.oracle())), bound=0.0),
        metadata={
            "plan": plan.model_dump(mode="json"),
            "domain": draft.template.domain,
            "kind": kind,
            "attempt": attempt,
            "difficulty": {
                "subtasks": len(plan.subtasks),
                "sources": len(plan.sources),
                "hops": plan.hops,
                "namesakes": draft.namesakes,
                "distractors": len(system.TOOLBOX) if params.distractors >= ALL_TOOLS else params.distractors,
            },
        },
    )


def _instruction(draft: Draft, checks: Checks) -> str:
    """The request, and the form of the answer that it wants; a request that cannot be met names the same form as one that can."""
    form = f" Submit {draft.form.wanted()}." if draft.form is not None else ""
    return " ".join(draft.sentences) + form


def _checks(draft: Draft) -> Checks:
    reason: Reason | None = draft.reason
    changes = draft.changes
    if draft.twin is not None:
        if reason != draft.twin:
            raise Unfit(f"the draft is to be {draft.twin}, but is {reason or 'possible'}")
        if changes:
            raise TaskError(f"{draft.template.name} changes records though it is {reason}", field="template")
        return Checks(draft.form, (), reason)
    if draft.form is None and not changes:
        raise TaskError(f"{draft.template.name} asks for nothing", field="template")
    return Checks(draft.form, tuple(_wanted(draft, change) for change in changes), None)


def _wanted(draft: Draft, change: Change) -> Wanted:
    """What a change of the plan asks of the end state."""
    table = change.table
    row: dict[str, Any] = change.new or {}
    loose = draft.loose.get((table.name, change.key), {})
    holding = {column: needles for column, needles in loose.items() if needles}
    if change.action == "create":
        fixed = [
            column.name
            for column in table.columns
            if not (
                isinstance(column, Key | Moment) or column.secret or column.name in loose or _refers_to_new(draft, column, row)
            )
        ]
        key: tuple[Any, ...] = ()
    else:
        fixed, key = [name for name in change.columns if name not in loose], change.key
    values = {name: row[name] for name in fixed} if change.action != "delete" else {}
    return Wanted(table=table.name, action=change.action, key=key, values=values, holding=holding, loose=tuple(sorted(loose)))


def _refers_to_new(draft: Draft, column: Any, row: dict[str, Any]) -> bool:
    """Whether a reference is to a record that the plan created too, whose key is not to be known."""
    target = getattr(column, "table", None)
    if not target or row[column.name] is None:
        return False
    key = draft.tables[target]
    name = system.DOMAIN.table(target).id
    return all(item[name] != row[column.name] for item in key)
