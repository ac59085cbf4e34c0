"""A declared domain plays in ToolEnv: what a family has to add is its tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from opsgym.core.family import Family
from opsgym.core.params import Params, knob
from opsgym.core.records.allowance import Allowance
from opsgym.core.records.enforcement import Enforcement, RuleBook
from opsgym.core.records.outcome import ENDING
from opsgym.core.records.policy_text import policy_text
from opsgym.core.records.records import Records
from opsgym.core.records.scenario import Scenario, check_specs
from opsgym.core.records.sql_check import SqlCheck
from opsgym.core.task import Certificate, Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.verify import Verdict
from opsgym.core.world import Snapshot, World
from opsgym.envs.tool_env import ToolEnv
from tests.core.records.help_desk import DOMAIN

BOOK = RuleBook(DOMAIN)
TOOLBOX = Toolbox((*DOMAIN.tools, *ENDING))
ROWS: dict[str, list[dict[str, Any]]] = {
    "org": [{"org_id": "ORG_1", "name": "One"}],
    "users": [{"user_id": "USER_001", "email": "a@b.co", "role": "agent", "active": 1, "token": "", "org_id": "ORG_1"}],
    "ticket": [
        {
            "ticket_id": "TKT_001",
            "number": "TKT0000001",
            "title": "printer",
            "caller_id": "USER_001",
            "status": "new",
            "impact": "low",
            "urgency": "low",
            "priority": "p3",
            "org_id": "ORG_1",
        }
    ],
}
SOLUTION = (
    ToolCall(name="update_ticket", arguments={"ticket_id": "TKT_001", "impact": "high", "priority": "p2"}),
    ToolCall(name="submit"),
)


class DeskParams(Params):
    """Whether tools enforce the policy."""

    strict: int = knob(0, low=0, high=1, unit="", harder="none", description="Strict enforcement.")


class DeskFamily(Family[DeskParams, World]):
    """Raise the impact of a ticket."""

    id = "Desk-v0"
    version = "1"
    params_type = DeskParams
    tiers = ("only",)
    patterns = ("impact",)

    def draw(
        self, seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
    ) -> DeskParams:
        return DeskParams.build({**(overrides or {})})

    def compile(self, params: DeskParams, seed: int) -> Task:
        mode: Enforcement = "strict" if params.strict else "permissive"
        scenario = Scenario(today="2026-05-04", actor="USER_001", role="agent", scope="ORG_1", enforcement=mode, rows=ROWS)
        raised = SqlCheck(name="raised", query="SELECT impact FROM ticket WHERE ticket_id = 'TKT_001'", expected="high")
        may = Allowance(table="ticket", action="update", match={"ticket_id": "TKT_001"}, columns=("impact", "priority"))
        return Task(
            family=self.id,
            version=self.version,
            seed=seed,
            tier="only",
            pattern="impact",
            params=params.model_dump(),
            instruction="Raise the impact of ticket TKT0000001 to high.",
            policy=policy_text(DOMAIN),
            tools=tuple(TOOLBOX),
            world=scenario.model_dump(mode="json"),
            oracle=SOLUTION,
            checks=check_specs([raised], [may]),
            certificate=Certificate(status="feasible", objective="none", value=0.0, bound=0.0),
        )

    def open(self, task: Task) -> World:
        return Scenario.model_validate(task.world).open(DOMAIN)

    def session(self, world: World, task: Task) -> Records:
        return Scenario.model_validate(task.world).session(DOMAIN, world, BOOK)

    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        return TOOLBOX

    def baseline(self, world: World, task: Task) -> Snapshot:
        return world.snapshot()

    def verify(self, before: Snapshot, after: World, task: Task) -> Verdict:
        return Scenario.model_validate(task.world).verify(DOMAIN, task.checks, before, after.snapshot())

    def brief(self, task: Task, disclosure: str) -> str:
        return f"{task.policy}\n{task.instruction}"


class DeskEnv(ToolEnv):
    """The family's environment."""

    family = DeskFamily()


def played(*calls: ToolCall, strict: int = 0) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    env = DeskEnv(params={"strict": strict}, cache=None)
    env.reset(seed=1)
    answers = []
    for item in calls:
        text, _, _, _, info = env.step(json.dumps({"name": item.name, "arguments": item.arguments}))
        answers.append(json.loads(text))
    env.close()
    return answers, info["verdict"]


@pytest.mark.parametrize("strict", [0, 1])
def test_the_oracle_earns_everything_in_both_modes(strict: int) -> None:
    answers, verdict = played(*SOLUTION, strict=strict)
    assert [answer["ok"] for answer in answers] == [True, True]
    assert (verdict["reward"], verdict["is_success"]) == (1.0, True)


def test_nothing_done_earns_nothing() -> None:
    assert played(ToolCall(name="submit"))[1]["reward"] == 0


def test_a_rule_blind_policy_fails_the_rule_when_permitted_and_is_refused_when_not() -> None:
    blind = ToolCall(name="update_ticket", arguments={"ticket_id": "TKT_001", "impact": "high"})
    answers, verdict = played(blind, ToolCall(name="submit"))
    assert answers[0]["ok"]
    assert verdict["gates"] == ["HD-PRIO"]
    answers, verdict = played(blind, ToolCall(name="submit"), strict=1)
    assert answers[0]["error"]["message"].startswith("HD-PRIO")
    assert verdict["gates"] == []


def test_a_refusal_ends_the_episode_and_counts_against_a_feasible_task() -> None:
    refusal = ToolCall(name="refuse", arguments={"reason_code": "ambiguous", "explanation": "which one?"})
    assert played(refusal)[1]["gates"] == ["REFUSAL"]


def test_a_task_reads_back_from_json() -> None:
    task = DeskFamily().compile(DeskParams(), 1)
    assert Task.from_json(task.to_json()) == task
