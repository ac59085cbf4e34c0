"""ITSM: its policy binds in strict mode, shows in end states, and its tools keep the world whole."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import ToolError
from opsgym.core.records.invariants import violations
from opsgym.core.records.judge import Judge
from opsgym.core.records.policy_text import policy_text
from opsgym.core.records.records import Records
from opsgym.core.records.seeding import seeded
from opsgym.core.schema_sample import SchemaSampler
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.itsm.access import access_rows
from opsgym.envs.enterprise_ops.itsm.domain import ITSM
from opsgym.envs.enterprise_ops.itsm.rules import PRIORITY, RIGHTS
from tests.envs.enterprise_ops.small_itsm import ACTORS, ROWS, call, open_world, session

Step = tuple[str, dict[str, Any]]


def refused(records: Records, rule: str, tool: str, **arguments: Any) -> None:
    before = records.world.digest()
    with pytest.raises(ToolError) as caught:
        call(records, tool, **arguments)
    assert caught.value.code == "not_allowed"
    assert caught.value.message.startswith(f"{rule}:")
    assert records.world.digest() == before


def broken(role: str, *steps: Step, minutes: int = 0) -> set[str]:
    """Rules that the end state of permissive play breaks."""
    records = session(role, "permissive")
    before = records.world.snapshot()
    for tool, arguments in steps:
        call(records, tool, **arguments)
    records.world.advance(minutes=minutes)
    with Judge(ITSM, before, records.world.snapshot(), ACTORS[role]) as judge:
        return {result.spec.rule for result in judge.results((), ()) if result.status == "fail"} - {"COLLATERAL"}


def test_it_has_24_tables_and_93_tools() -> None:
    assert len(ITSM.tables) == 24
    assert len(ITSM.toolbox) == 93


def test_the_small_world_keeps_its_own_policy() -> None:
    assert violations(ITSM, open_world()) == []


def test_priority_grows_with_impact_and_urgency() -> None:
    assert PRIORITY["high", "high"] == "critical"
    assert PRIORITY["low", "low"] == "planning"
    assert all(PRIORITY[impact, urgency] == PRIORITY[urgency, impact] for impact, urgency in PRIORITY)


UPDATE = "update_incident"
BREACHES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("ITSM-INC-START", "agent", "create_incident", {"caller_id": "USER_005", "short_description": "x", "status": "canceled"}),
    ("ITSM-INC-MOVE", "agent", UPDATE, {"incident_id": "INC_003", "status": "new"}),
    ("ITSM-INC-MOVE", "agent", UPDATE, {"incident_id": "INC_002", "status": "closed"}),
    ("ITSM-INC-START", "agent", "create_incident", {"caller_id": "USER_005", "short_description": "x", "status": "in_progress"}),
    ("ITSM-INC-NEED-ON_HOLD", "agent", UPDATE, {"incident_id": "INC_001", "status": "on_hold"}),
    (
        "ITSM-INC-NEED-RESOLVED",
        "agent",
        UPDATE,
        {"incident_id": "INC_001", "status": "resolved", "resolution_code": "User error"},
    ),
    ("ITSM-INC-PRIORITY", "agent", UPDATE, {"incident_id": "INC_001", "impact": "low"}),
    ("ITSM-INC-ASSIGN", "agent", UPDATE, {"incident_id": "INC_001", "assigned_to": "USER_004"}),
    ("ITSM-INC-ASSIGN", "agent", UPDATE, {"incident_id": "INC_001", "assigned_to": "USER_001"}),
    ("ITSM-INC-ASSIGN", "agent", UPDATE, {"incident_id": "INC_001", "assigned_to": "USER_003", "assignment_group": "GROUP_002"}),
    ("ITSM-INC-OWN", "reporter", "create_incident", {"caller_id": "USER_003", "short_description": "x"}),
    ("ITSM-INC-CLOSE", "agent", UPDATE, {"incident_id": "INC_003", "status": "closed"}),
    ("ITSM-INC-DATED", "agent", UPDATE, {"incident_id": "INC_003", "resolved": "2026-04-01 08:00:00"}),
    ("ITSM-INC-CI", "agent", UPDATE, {"incident_id": "INC_001", "configuration_item": "CI_002"}),
    ("ITSM-CI-AFFECTED", "agent", "link_affected_ci_to_incident", {"incident_id": "INC_001", "configuration_item": "CI_002"}),
    (
        "ITSM-SLA-PRIORITY",
        "agent",
        "link_new_incident_sla",
        {"incident_id": "INC_001", "sla_def_id": "SLA_002", "start_time": "2026-05-04 08:00:00"},
    ),
    (
        "ITSM-SLA-PRIORITY",
        "agent",
        "link_new_incident_sla",
        {"incident_id": "INC_001", "sla_def_id": "SLA_003", "start_time": "2026-05-04 08:00:00"},
    ),
    ("ITSM-KB-USE", "agent", "link_knowledge_to_incident", {"incident_id": "INC_001", "knowledge_id": "KB_002"}),
    (
        "ITSM-KB-USE",
        "agent",
        "link_knowledge_to_incident",
        {"incident_id": "INC_001", "knowledge_id": "KB_003", "used_as": "applied"},
    ),
    ("ITSM-PRB-CLOSE", "agent", "update_problem", {"problem_id": "PRB_001", "status": "closed"}),
    ("ITSM-PRB-PRIORITY", "agent", "update_problem", {"number": "PRB0000001", "urgency": "low"}),
    ("ITSM-PRB-NEED-RESOLVED", "agent", "update_problem", {"problem_id": "PRB_001", "fix_notes": ""}),
    ("ITSM-CHG-APPROVE", "agent", "update_change", {"change_id": "CHG_001", "status": "scheduled"}),
    ("ITSM-CHG-MOVE", "manager", "update_change", {"change_id": "CHG_001", "status": "new"}),
    ("ITSM-CHG-NEED-SCHEDULED", "manager", "update_change", {"change_id": "CHG_001", "status": "scheduled", "testing_plan": ""}),
    (
        "ITSM-PRB-WORKAROUND",
        "agent",
        "create_problem",
        {
            "problem_statement": "x",
            "status": "new",
            "impact": "low",
            "urgency": "low",
            "priority": "planning",
            "workaround": "Wait",
        },
    ),
    ("RIGHTS", "agent", "add_location", {"name": "Quay", "city": "Oslo", "country": "Norway"}),
    ("RIGHTS", "reporter", "create_knowledge_article", {"title": "x", "owner_id": "USER_005"}),
]


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_a_strict_tool_refuses_with_the_rule(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    refused(session(role), rule, tool, **arguments)


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_the_same_breach_shows_in_the_end_state(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    assert rule in broken(role, (tool, arguments))


@pytest.mark.parametrize(
    ("role", "steps"),
    [
        (
            "agent",
            [
                ("create_incident", {"caller_id": "USER_005", "short_description": "x"}),
                (UPDATE, {"incident_id": "INC_005", "status": "in_progress"}),
            ],
        ),
        ("agent", [(UPDATE, {"incident_id": "INC_001", "assigned_to": "USER_003", "assignment_group": "GROUP_001"})]),
        ("reporter", [(UPDATE, {"incident_id": "INC_001", "description": "mine"})]),
        ("agent", [("link_knowledge_to_incident", {"incident_id": "INC_001", "knowledge_id": "KB_003"})]),
        ("manager", [("update_change", {"change_id": "CHG_001", "status": "scheduled"})]),
        (
            "manager",
            [
                *(("update_change", {"change_id": "CHG_001", "status": state}) for state in ("scheduled", "implement", "review")),
                (
                    "update_change",
                    {"change_id": "CHG_001", "status": "closed", "close_code": "successful", "close_notes": "Done"},
                ),
                ("update_problem", {"problem_id": "PRB_001", "status": "closed"}),
            ],
        ),
        (
            "agent",
            [
                (UPDATE, {"incident_id": "INC_002", "status": "on_hold", "on_hold_reason": "Awaiting Caller"}),
                ("update_incident_sla_details", {"incident_sla_id": "TSLA_001", "stage": "paused"}),
            ],
        ),
    ],
)
def test_work_by_the_rules_is_done_and_breaks_nothing(role: str, steps: list[Step]) -> None:
    strict = session(role)
    for tool, arguments in steps:
        call(strict, tool, **arguments)
    assert broken(role, *steps) == set()


def test_a_reporter_sees_own_incidents_and_public_articles_only() -> None:
    records = session("reporter")
    assert [row["incident_id"] for row in call(records, "list_incidents")] == ["INC_001", "INC_003"]
    assert call(records, "retrieve_knowledge_articles") == []
    with pytest.raises(ToolError, match="no incident"):
        call(records, UPDATE, incident_id="INC_002", description="mine")
    assert len(call(session("reporter", "permissive"), "list_incidents")) == 3


def test_the_time_of_resolution_may_be_given_where_it_is_true() -> None:
    given = {"resolution_code": "User error", "resolution_notes": "Plug", "resolved": "2026-05-04T08:00:00"}
    call(session(), UPDATE, incident_id="INC_002", status="resolved", **given)
    assert "ITSM-INC-DATED" not in broken("agent", (UPDATE, {"incident_id": "INC_002", "status": "resolved"} | given), minutes=9)


def test_a_resolved_incident_is_closed_after_72_hours() -> None:
    records = session()
    records.world.advance(minutes=48 * 60 - 1)
    refused(records, "ITSM-INC-CLOSE", UPDATE, incident_id="INC_003", status="closed")
    records.world.advance(minutes=1)
    assert call(records, UPDATE, incident_id="INC_003", status="closed")["status"] == "closed"


def test_obligations_show_in_the_end_state() -> None:
    hold = (UPDATE, {"incident_id": "INC_002", "status": "on_hold", "on_hold_reason": "Awaiting Caller"})
    assert broken("agent", hold) == {"ITSM-SLA-PAUSE"}
    raised = (UPDATE, {"incident_id": "INC_002", "impact": "high", "priority": "high"})
    assert broken("agent", raised) == {"ITSM-SLA-ALIGN"}
    started = ("link_new_incident_sla", {"incident_id": "INC_002", "sla_def_id": "SLA_002", "start_time": "2026-05-04 08:00:00"})
    assert broken("agent", raised, started) == set()
    given_up = ("link_new_incident_sla", {**started[1], "stage": "cancelled"})
    assert broken("agent", raised, given_up) == {"ITSM-SLA-ALIGN"}


def test_every_rule_stands_in_the_policy() -> None:
    text = policy_text(ITSM)
    assert all(f"[{rule.id}]" in text for rule in ITSM.rules)


def test_published_defaults_are_taken_even_where_they_mislead() -> None:
    records = session("admin")
    call(records, "update_location", location_id="LOC_001", active=False)
    assert call(records, "find_locations", city="Oslo") == []
    assert call(records, "update_location", location_id="LOC_001", street="Quay 1")["active"] is True


def test_hand_written_tools_do_their_work() -> None:
    records = session("admin")
    made = call(records, "add_child_incidents", parent_incident="INC_003", child_incidents=["INC_001", "INC_002"])
    assert [row["child_incident"] for row in made] == ["INC_001", "INC_002"]
    values = {"caller_id": "USER_005", "short_description": "Screen fails", "channel": ""}
    template = call(records, "create_new_incident_template", name="Screen", change_request_values=values)
    assert (template["incident_template_id"], template["channel"], template["priority"]) == ("TMPL_002", None, "planning")
    changed = call(records, "update_incident_template", incident_template_id="TMPL_002", name="Monitor")
    assert (changed["name"], changed["caller_id"]) == ("Monitor", "USER_005")
    assert call(records, "average_notifications_by_incident", incident_id=["INC_001", "INC_002"]) == {"average": 0.5}
    assert call(records, "list_users", active="false")[0]["user_id"] == "USER_004"
    user = {
        "first_name": "Eva",
        "last_name": "Ek",
        "email": "eva@north.com",
        "phone": "+1-415-555-0199",
        "role": "agent",
        "active": True,
    }
    assert call(records, "add_new_user", **user)["user_name"] == "eva.ek"


def test_children_are_added_all_or_none() -> None:
    records = session("admin")
    before = records.world.digest()
    with pytest.raises(ToolError), records.world.savepoint():  # as the environment does around each call
        call(records, "add_child_incidents", parent_incident="INC_003", child_incidents=["INC_001", "INC_999"])
    assert records.world.digest() == before


# -- every tool ---------------------------------------------------------------------------------------------

KNOWN: dict[str, list[Any]] = {}
for _rows in ROWS.values():
    for _name in {name for row in _rows for name in row}:
        KNOWN.setdefault(_name, []).extend(row[_name] for row in _rows if row.get(_name) is not None)


def attempt(tool: Tool, records: Records, arguments: dict[str, Any]) -> None:
    """A call gives JSON, or a refusal that leaves the world as it was; nothing else."""
    before = records.world.digest()
    try:
        with records.world.savepoint():
            json.dumps(tool.function(records, **tool.validate(arguments)))
    except ToolError:
        assert records.world.digest() == before
    else:
        assert tool.mutates or records.world.digest() == before
    assert records.world.check() == []


def sampled(tool: Tool, rng: np.random.Generator) -> dict[str, Any]:
    return dict(SchemaSampler(rng, tool.parameters.get("$defs")).draw(tool.parameters))


def known(tool: Tool, rng: np.random.Generator) -> dict[str, Any]:
    """Sampled arguments, with values of the world where a column has that name."""
    arguments = sampled(tool, rng)
    for name in arguments:
        if KNOWN.get(name) and isinstance(arguments[name], str):
            arguments[name] = KNOWN[name][int(rng.integers(len(KNOWN[name])))]
    return arguments


def wrong_type(tool: Tool, rng: np.random.Generator) -> dict[str, Any]:
    return {
        name: {"no": "such"} if tool.parameters["properties"][name].get("type") != "object" else 1 for name in sampled(tool, rng)
    }


def hostile(tool: Tool, rng: np.random.Generator) -> dict[str, Any]:
    return {
        name: "x'; DROP TABLE incident; --" if isinstance(value, str) else value for name, value in sampled(tool, rng).items()
    }


@pytest.mark.parametrize("make", [sampled, known, wrong_type, hostile])
@pytest.mark.parametrize("tool", ITSM.tools, ids=lambda tool: tool.name)
def test_no_call_of_any_tool_breaks_the_world(tool: Tool, make: Callable[[Tool, np.random.Generator], dict[str, Any]]) -> None:
    rng = np.random.default_rng(5)
    records = session("admin", "permissive")
    for _ in range(3):
        attempt(tool, records, make(tool, rng))


@pytest.mark.parametrize("tool", [tool for tool in ITSM.tools if tool.mutates], ids=lambda tool: tool.name)
def test_a_reporter_writes_nothing_but_incidents(tool: Tool) -> None:
    rng = np.random.default_rng(5)
    records = session("reporter")
    before = {name: records.world.rows(name) for name in records.world.tables()}
    for _ in range(3):
        attempt(tool, records, known(tool, rng))
    changed = {name for name in before if records.world.rows(name) != before[name]}
    assert changed <= {"incident", "child_incident"}


# -- rights as data -----------------------------------------------------------------------------------------


def test_the_access_records_say_what_the_rights_say() -> None:
    world = seeded(ITSM, access_rows(RIGHTS), today=dt.date(2026, 5, 4))
    said = world.execute(
        "SELECT r.name, p.resource, p.action FROM role r JOIN role_permission USING (role_id) JOIN permission p USING (perm_id)"
    ).fetchall()
    resources = {table.resource for table in ITSM.tables if table.resource}
    meant = {(role, name, RIGHTS.grant(role, name)) for role in RIGHTS.roles for name in resources if RIGHTS.grant(role, name)}
    assert set(said) == meant
    assert len(said) == len(meant)
