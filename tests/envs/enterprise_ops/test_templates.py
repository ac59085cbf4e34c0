"""Every template makes sound tasks: oracle 1.0, nothing 0, wrong policies fail, the infeasible twin is to be refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress

import pytest

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.task import Task
from opsgym.envs.enterprise_ops.family import EnterpriseOpsFamily, checks_of, setting_of
from opsgym.envs.enterprise_ops.lint import lint
from opsgym.envs.enterprise_ops.params import TIERS
from opsgym.envs.enterprise_ops.plan import plan_of
from opsgym.envs.enterprise_ops.play import played
from opsgym.envs.enterprise_ops.systems import DOMAINS, template_by_name, templates

FAMILY = EnterpriseOpsFamily()
NAMES = tuple(template_by_name())


def compiled(name: str, seed: int, tier: str = "easy", **overrides: object) -> Task:
    return FAMILY.compile(FAMILY.draw(seed, tier=tier, pattern=name, overrides={"infeasible": 0.0, **overrides}), seed)


def test_there_are_enough_templates_of_every_domain() -> None:
    counts = {domain: len(templates(domain)) for domain in DOMAINS}
    assert sum(counts.values()) >= 60
    assert min(counts[domain] for domain in ("csm", "itsm", "hr")) >= 12
    assert min(counts[domain] for domain in ("teams", "email", "calendar", "drive")) >= 6
    assert counts["hybrid"] >= 8
    assert len(NAMES) == sum(counts.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_feasible_task_and_its_twin_pass_the_lint(name: str) -> None:
    task, twin = compiled(name, 1), compiled(name, 1, infeasible=1.0)
    assert lint(task) == []
    assert lint(twin) == []
    assert plan_of(twin).reasons
    assert not plan_of(task).reasons


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("mode", ["permissive", "strict"])
def test_tasks_of_all_tiers_and_modes_pass_the_lint(name: str, tier: str, mode: str) -> None:
    for seed in (11, 28):
        for infeasible in (0.0, 1.0):
            assert lint(compiled(name, seed, tier, enforcement=mode, infeasible=infeasible)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_a_template_declares_occurs(name: str) -> None:
    template = template_by_name()[name]
    seen: Counter[str] = Counter()
    for seed in range(24):
        for infeasible in (0.0, 1.0):
            plan = plan_of(compiled(name, seed, tuple(TIERS)[seed % 4], infeasible=infeasible))
            seen.update([*plan.hidden, *plan.told, *(item.kind for item in plan.mistakes), *plan.reasons])
    assert {*template.rules, *template.traps, *template.blocked} <= set(seen)


def test_another_process_compiles_the_same_tasks() -> None:
    names = [templates(domain)[0].name for domain in DOMAINS]
    script = (
        "from opsgym.envs.enterprise_ops.family import EnterpriseOpsFamily as F; f = F()\n"
        f"for name in {names!r}: print(f.compile(f.draw(7, tier='easy', pattern=name), 7).to_json())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "3"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines() == [FAMILY.compile(FAMILY.draw(7, tier="easy", pattern=name), 7).to_json() for name in names]


def test_the_lint_notices_a_check_that_holds_from_the_start_and_a_needless_step() -> None:
    task = compiled("itsm_put_on_hold", 1)
    spec = next(check for check in task.checks if check.rule == "sql")
    true = spec.model_copy(update={"args": {**spec.args, "query": "SELECT 1", "expected": 1}})
    loose = Task.from_dict(
        {
            **task.model_dump(exclude={"id"}),
            "checks": [item.model_dump() for item in task.checks if item.rule != "sql"] + [true.model_dump()],
        }
    )
    found = lint(loose)
    assert any("before anything is done" in item for item in found)
    assert any("is not needed" in item for item in found)


def test_the_lint_notices_keys_in_the_request_and_a_wrong_oracle() -> None:
    task = compiled("itsm_put_on_hold", 1)
    wrong = Task.from_dict(
        {
            **task.model_dump(exclude={"id"}),
            "instruction": "Close INC_003 of the the caller.",
            "oracle": [{"name": "submit", "arguments": {}}],
        }
    )
    found = lint(wrong)
    assert any("internal key" in item for item in found)
    assert any("twice" in item for item in found)
    assert any("the oracle fails" in item for item in found)


def test_checks_that_do_more_than_read_are_refused() -> None:
    task = compiled("itsm_put_on_hold", 1)
    spec = next(check for check in task.checks if check.rule == "sql")
    evil = spec.model_copy(update={"args": {**spec.args, "query": "DELETE FROM users"}})
    altered = Task.from_dict({**task.model_dump(exclude={"id"}), "checks": [evil.model_dump()]})
    with pytest.raises(TaskError, match="not authorized"):
        FAMILY.open(altered)


def test_a_task_of_other_base_worlds_is_refused() -> None:
    task = compiled("itsm_put_on_hold", 1)
    part = {**task.world["parts"][0], "base": "0" * 16}
    altered = Task.from_dict({**task.model_dump(exclude={"id"}), "world": {**task.world, "parts": [part]}})
    with pytest.raises(TaskError, match="base world"):
        FAMILY.open(altered)


@pytest.mark.parametrize("name", ["itsm_change_urgency", "hybrid_ask_callers", "csm_register_cases"])
def test_the_quick_judge_says_what_the_sealed_one_says(name: str) -> None:
    from opsgym.envs.enterprise_ops.estate import parts_of
    from opsgym.envs.enterprise_ops.verifier import judge_sealed

    task = compiled(name, 4, "medium", enforcement="permissive")
    setting, plan = setting_of(task), plan_of(task)
    for calls in (plan.oracle(), plan.blind(), plan.refusing(), plan.mistaken(), plan.compliant()[1:]):
        world = FAMILY.open(task)
        seeded = FAMILY.baseline(world, task)
        session, tools = FAMILY.session(world, task), FAMILY.toolbox("tools", task)
        for call in calls:
            with suppress(ToolError):
                tools[call.name].function(session, **tools[call.name].validate(call.arguments))
        parts = parts_of(world, setting.parts[0].system)
        sealed = judge_sealed(setting, checks_of(task), seeded, {part: state.snapshot() for part, state in parts.items()})
        assert FAMILY.verify(seeded, world, task) == sealed
        world.close()


def test_a_refused_call_leaves_no_trace_and_the_rest_still_counts() -> None:
    task = compiled("itsm_put_on_hold", 1, enforcement="strict")
    plan = plan_of(task)
    calls = [plan.steps[0].call.model_copy(update={"name": "no_such_tool"}), *plan.oracle()]
    done = played(task, calls)
    assert done.verdict.is_success
    assert len(done.errors) == 1


def test_what_a_rule_asks_for_is_done_as_it_says() -> None:
    task = compiled("itsm_put_on_hold", 0, "medium", enforcement="permissive")
    calls = plan_of(task).oracle()
    assert any(call.arguments.get("stage") == "paused" for call in calls)
    for call in calls:
        if call.arguments.get("stage") == "paused":
            call.arguments["stage"] = "cancelled"
    assert played(task, calls).verdict.reward == 0


def test_a_created_record_has_no_settings_that_nobody_asked_for() -> None:
    task = compiled("calendar_book_free_slot", 1, "medium", enforcement="permissive")
    calls = plan_of(task).oracle()
    for call in calls:
        if call.name == "create_event":
            call.arguments["recurrence"] = ["RRULE:FREQ=DAILY;COUNT=30"]
    assert played(task, calls).verdict.reward < 1
