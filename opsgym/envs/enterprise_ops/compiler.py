"""Compiler: parameters and a seed become a task."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.records.diff import Change
from opsgym.core.records.live_judge import changes_since
from opsgym.core.records.policy_text import policy_text
from opsgym.core.records.records import Records
from opsgym.core.records.sql_check import SqlCheck
from opsgym.core.task import Certificate, CheckSpec, Task, ToolCall
from opsgym.core.templated import ANY
from opsgym.core.world import World
from opsgym.data.splits import SPLITS, split_of
from opsgym.envs.enterprise_ops import setting
from opsgym.envs.enterprise_ops.draft import Draft, Part, Step
from opsgym.envs.enterprise_ops.estate import watched
from opsgym.envs.enterprise_ops.goals import Created, Goals, answer_check
from opsgym.envs.enterprise_ops.params import EnterpriseParams, tier_of
from opsgym.envs.enterprise_ops.plan import Heeded, Mistake, Plan, PlanStep
from opsgym.envs.enterprise_ops.systems import system, template_by_name
from opsgym.envs.enterprise_ops.template import Template, Unfit
from opsgym.envs.enterprise_ops.toolboxes import offered

FAMILY = "EnterpriseOps-v0"
VERSION = "1"

ATTEMPTS = 40
"""Draws that are tried for one task."""

WORLDS = 2
"""Companies for each last digit of task seeds: so few that base worlds are made once and kept."""


def company_seed(seed: int, draw: random.Random) -> int:
    """Seed of the company of a task: of the same split."""
    return 10 * draw.randrange(WORLDS) + draw.choice(SPLITS[split_of(seed)])


def compile_params(params: EnterpriseParams, seed: int) -> Task:
    """The task of parameters and a seed: byte-identical in any process.

    Raises:
        TaskError: The template finds no task in any of the draws; the message is the last one's.
    """
    reason = ""
    for attempt in range(ATTEMPTS):
        try:
            return compile_once(params, seed, attempt)
        except Unfit as error:
            reason = str(error)
    raise TaskError(f"{params.template} finds no task for seed {seed} in {ATTEMPTS} draws: {reason}", field="params")


def compile_once(params: EnterpriseParams, seed: int, attempt: int = 0) -> Task:
    """One draw of :func:`compile_params`.

    Raises:
        Unfit: The draw gives no task.
    """
    draw = random.Random(f"{VERSION}/{seed}/{attempt}")
    template = _template(params, draw)
    infeasible = draw.random() < params.infeasible and bool(template.blocked)
    draft = Draft(template, params, company_seed(seed, draw), draw, infeasible=infeasible)
    try:
        template.build(draft)
        draft._begin()
        return _finished(draft, template, params, seed, attempt)
    finally:
        draft.close()


def _template(params: EnterpriseParams, draw: random.Random) -> Template:
    known = template_by_name()
    if params.template != ANY:
        return known[params.template]
    return known[draw.choice([name for name, item in known.items() if params.domain in (ANY, item.domain)])]


def _finished(draft: Draft, template: Template, params: EnterpriseParams, seed: int, attempt: int) -> Task:
    if infeasible_unsaid(draft):
        raise Unfit("the draft is to be infeasible, but nothing blocks it")
    plan = _plan(draft)
    checks = [] if draft.reasons else _checks(draft)
    checks += [CheckSpec(rule="refuse", dimension="completion", group="REFUSAL", args={"reasons": list(draft.reasons)})] * bool(
        draft.reasons
    )
    if not checks:
        raise Unfit("nothing is asked for that can be checked")
    parts = tuple(_setting_part(part) for part in draft.parts.values())
    world = setting.Setting(seed=draft.seed, size=params.size, enforcement=params.enforcement, parts=parts)
    tools = offered(template.systems, [step.call.name for step in plan.steps], params.distractors, seed)
    steps = len(plan.oracle())
    return Task(
        family=FAMILY,
        version=VERSION,
        seed=seed,
        tier=tier_of(params),
        pattern=template.name,
        params=params.model_dump(),
        instruction=draft.instruction,
        policy=policy_of(template.systems),
        tools=tools,
        world=world.model_dump(mode="json"),
        oracle=tuple(plan.oracle()),
        checks=tuple(checks),
        certificate=Certificate(status="feasible", objective="steps", value=float(steps), bound=0.0),
        metadata={
            "plan": plan.model_dump(mode="json"),
            "domain": template.domain,
            "attempt": attempt,
            "infeasible": bool(draft.reasons),
        },
    )


def infeasible_unsaid(draft: Draft) -> bool:
    """Whether a draft that is to be infeasible is not blocked."""
    return draft.is_infeasible and not draft.reasons


def policy_of(names: Sequence[str]) -> str:
    """The policy of some systems."""
    return "\n".join(policy_text(system(name).domain) for name in names)


def _plan(draft: Draft) -> Plan:
    is_hybrid = len(draft.parts) > 1
    steps = []
    for step in draft.steps:
        name = f"{step.system}.{step.tool}" if is_hybrid else step.tool
        heeds = tuple(Heeded(rule=item.rule, arguments=tuple(item.arguments), blindly=dict(item.blindly)) for item in step.heeds)
        steps.append(PlanStep(call=ToolCall(name=name, arguments=step.arguments), kind=step.kind, rule=step.rule, heeds=heeds))
    return Plan(
        steps=tuple(steps),
        hidden=tuple(draft.hidden),
        told=tuple(sorted(draft._told)),
        mistakes=tuple(Mistake(kind=kind, right=right, wrong=wrong) for kind, right, wrong in draft.mistakes),
        reasons=draft.reasons,
        why=draft.why,
        answer="; ".join(needle for needles, _ in draft.answers for needle in needles),
    )


# -- checks ------------------------------------------------------------------------------------------------


def _checks(draft: Draft) -> list[CheckSpec]:
    specs = []
    is_hybrid = len(draft.parts) > 1
    for part in draft.parts.values():
        goals = _goals(draft, part)
        for check in goals.checks():
            named = check.model_copy(update={"name": f"{part.name}: {check.name}"}) if is_hybrid else check
            specs.append(_spec(named, part.name))
        for item in (*goals.allowances(), *(extra for name, extra in draft.allowed if name == part.name)):
            args = {"system": part.name, **item.model_dump(mode="json")}
            specs.append(CheckSpec(rule="allow", dimension="integrity", group="COLLATERAL", args=args))
    for number, (needles, without) in enumerate(draft.answers, 1):
        specs.append(_spec(answer_check(number, needles, without), next(iter(draft.parts))))
    return specs if any(spec.rule == "sql" for spec in specs) else []


def _spec(check: SqlCheck, name: str) -> CheckSpec:
    args = {"system": name, **check.model_dump(mode="json")}
    return CheckSpec(rule="sql", dimension="completion", group=check.name, args=args)


def _goals(draft: Draft, part: Part) -> Goals:
    domain = system(part.name).domain
    assert part.start is not None
    steps = [step for step in draft.steps if step.system == part.name]
    changes = changes_since(domain, part.start, part.world)
    if draft.hidden:
        blind, blind_created = _replayed(draft, part, steps)
    else:
        blind, blind_created = changes, [step.created for step in steps]
    return Goals(changes, blind, [step.created for step in steps], blind_created, draft.freed, part.world)


def _replayed(draft: Draft, part: Part, steps: Sequence[Step]) -> tuple[Sequence[Change], list[Created]]:
    """What who does not know the hidden rules changes and creates, step by step."""
    found = system(part.name)
    assert part.start is not None
    world = watched(World.from_snapshot(part.start))
    twin = Part(part.name, world, part.base, part.digest, part.actor, part.person, part.start)
    records = Records(found.domain, world, part.actor, book=found.book)
    created: list[Created] = []
    for step in steps:
        arguments = step.without(draft.hidden)
        before = draft._last_rows(twin)
        if step.kind != "look" and arguments is not None:  # lookups change nothing
            tool = found.domain.toolbox[step.tool]
            try:
                with world.savepoint():
                    tool.function(records, **tool.validate(arguments))
            except ToolError as error:
                raise Unfit(f"blind {step.tool} is refused in permissive mode: {error}") from error
        created.append(draft._created(twin, before))
    changes = changes_since(found.domain, part.start, world)
    world.close()
    return changes, created


def _setting_part(part: Part) -> setting.Part:
    put: dict[str, list[dict[str, Any]]] = {}
    gone: dict[str, list[list[Any]]] = {}
    for change in part.arranged:
        if change.new is None:
            gone.setdefault(change.table.name, []).append(list(change.key))
        else:
            put.setdefault(change.table.name, []).append(change.new)
    name, email = part.person
    actor = part.actor
    return setting.Part(
        system=part.name,
        base=part.digest,
        actor=actor.id,
        role=actor.role,
        scope=actor.scope,
        name=name,
        email=email,
        put=put,
        gone=gone,
    )
