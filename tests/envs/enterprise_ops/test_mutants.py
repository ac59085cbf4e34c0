"""The audit breaks one promise at a time, and notices where a verifier does not."""

from __future__ import annotations

import dataclasses

import pytest

from opsgym.core.records.judge import Judge
from opsgym.core.task import Task
from opsgym.core.verify import CheckResult
from opsgym.envs.enterprise_ops.family import EnterpriseOpsFamily
from opsgym.envs.enterprise_ops.predicates import bare, split, steps
from opsgym.envs.enterprise_ops.systems import SYSTEMS, system

FAMILY = EnterpriseOpsFamily()


def audited(task: Task) -> tuple[set[str], list[tuple[str, bool]]]:
    """The rules that apply to the solved state, and what the audit gives."""
    world, before = FAMILY.open(task), FAMILY.open(task)
    session, tools = FAMILY.session(world, task), FAMILY.toolbox("tools", task)
    for call in task.oracle:
        tools[call.name].function(session, **tools[call.name].validate(call.arguments))
    verdict = FAMILY.verify(before, world, task)
    found = list(FAMILY.audit(before, world, task))
    world.close()
    before.close()
    return {item.spec.rule for item in verdict.checks if item.status != "na"}, found


@pytest.mark.parametrize("name", ["itsm_put_on_hold", "csm_register_cases", "hybrid_ask_callers"])
@pytest.mark.parametrize("infeasible", [0.0, 1.0])
def test_every_rule_that_applies_is_broken_once_and_noticed(name: str, infeasible: float) -> None:
    task = FAMILY.compile(FAMILY.draw(3, tier="easy", pattern=name, overrides={"infeasible": infeasible}), 3)
    applying, found = audited(task)
    assert {rule for rule, _ in found} - {"UNDONE"} == applying
    assert all(caught for _, caught in found)


def test_a_verifier_that_looks_away_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    task = FAMILY.compile(FAMILY.draw(3, tier="easy", pattern="itsm_put_on_hold", overrides={"infeasible": 0.0}), 3)
    honest = Judge.rule

    def blind(self: Judge, rule: object) -> CheckResult:
        result = honest(self, rule)  # type: ignore[arg-type]  # handed on
        return (
            dataclasses.replace(result, status="pass")
            if result.spec.rule == "ITSM-INC-MOVE" and result.status == "fail"
            else result
        )

    monkeypatch.setattr(Judge, "rule", blind)
    assert ("ITSM-INC-MOVE", False) in audited(task)[1]


def test_predicates_come_apart_outside_of_parentheses_quotes_case_and_between() -> None:
    assert split("a = 'x AND y' AND CASE WHEN b AND c THEN 1 END AND d BETWEEN 1 AND 2 AND (e AND f)", "AND") == [
        "a = 'x AND y'",
        "CASE WHEN b AND c THEN 1 END",
        "d BETWEEN 1 AND 2",
        "(e AND f)",
    ]
    assert bare("((a) OR (b))") == "(a) OR (b)"
    assert steps("(a AND b) OR c") == [["a", "b"], ["c"]]


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_last_steps_together_are_the_rule(name: str) -> None:
    """Taking a predicate apart loses nothing: what is between the parts is only AND, OR and parentheses."""
    for rule in system(name).domain.rules:
        ways = split(bare(rule.end_breach), "OR")
        parts = [part for way in ways for part in split(bare(way), "AND")]
        letters = [letter for letter in rule.end_breach if not letter.isspace() and letter not in "()"]
        kept = sum(len([letter for letter in part if not letter.isspace() and letter not in "()"]) for part in parts)
        assert 0 <= len(letters) - kept <= 3 * len(parts)
