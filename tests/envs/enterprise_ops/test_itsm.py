"""ITSM: its policy binds in strict mode, shows in end states, and its tools keep the world whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import ToolError
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.itsm.domain import ITSM
from opsgym.envs.enterprise_ops.itsm.rules import PRIORITY
from tests.envs.enterprise_ops.calls import Make, attempt, every_sort, known_values, valid
from tests.envs.enterprise_ops.small import Step
from tests.envs.enterprise_ops.small_itsm import ROWS, broken, call, forbidden, session


def test_it_has_24_tables_and_93_tools() -> None:
    assert len(ITSM.tables) == 24
    assert len(ITSM.toolbox) == 93


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
    forbidden(session(role), rule, tool, **arguments)


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
    forbidden(records, "ITSM-INC-CLOSE", UPDATE, incident_id="INC_003", status="closed")
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

KNOWN = known_values(ROWS)


@every_sort
@pytest.mark.parametrize("tool", ITSM.tools, ids=lambda tool: tool.name)
def test_no_call_of_any_tool_breaks_the_world(tool: Tool, make: Make) -> None:
    rng = np.random.default_rng(5)
    records = session("admin", "permissive")
    for _ in range(3):
        attempt(tool, records, make(tool, rng, KNOWN))


@pytest.mark.parametrize("tool", [tool for tool in ITSM.tools if tool.mutates], ids=lambda tool: tool.name)
def test_a_reporter_writes_nothing_but_incidents(tool: Tool) -> None:
    rng = np.random.default_rng(5)
    records = session("reporter")
    before = {name: records.world.rows(name) for name in records.world.tables()}
    for _ in range(3):
        attempt(tool, records, valid(tool, rng, KNOWN))
    changed = {name for name in before if records.world.rows(name) != before[name]}
    assert changed <= {"incident", "child_incident"}
