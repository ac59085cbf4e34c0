"""CSM: its policy binds in strict mode, shows in end states, and its tools keep the world whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import ToolError
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.csm.domain import CSM
from tests.envs.enterprise_ops.calls import Make, attempt, every_sort, known_values, valid
from tests.envs.enterprise_ops.small import Step
from tests.envs.enterprise_ops.small_csm import ROWS, TEXT, broken, call, forbidden, session


def test_it_has_17_tables_and_89_tools() -> None:
    assert len(CSM.tables) == 17
    assert len(CSM.toolbox) == 89


def case(**values: Any) -> dict[str, Any]:
    """Arguments of a new case that is as it should be, but for these."""
    given = {
        "account_id": 1,
        "contact_id": 1,
        "channel": "phone",
        "priority": "moderate",
        "state": "new",
        "short_description": TEXT,
        "product_id": 1,
        "installed_product_id": 1,
    }
    return {name: value for name, value in (given | values).items() if value is not None}


ASSET = {"account_id": 1, "product_id": 1, "serial_number": "SN-9", "status": "in_stock"}
CONTRACT = {
    "account_id": 1,
    "contract_type": "support",
    "status": "active",
    "start_date": "2026-01-01",
    "end_date": "2026-12-31",
}
ARTICLE = {
    "title": "Restart a router that drops packets",
    "state": "draft",
    "body": "x",
    "visibility": "internal",
    "owner_id": 3,
}
INTERACTION = {"channel": "phone", "status": "open", "account_id": 1, "contact_id": 1, "case_id": 1}
BREACHES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("CSM-CASE-START", "admin", "create_new_case", case(state="canceled", installed_product_id=None)),
    ("CSM-CASE-MOVE", "agent", "update_case", {"case_id": 3, "state": "in_progress"}),
    ("CSM-CASE-MOVE", "agent", "update_case", {"case_id": 2, "state": "closed"}),
    ("CSM-CASE-NEED-CLOSED", "admin", "update_case", {"case_id": 5, "closed_on": ""}),
    ("CSM-CASE-STATE", "agent", "create_new_case", case(assignment_group_id=1)),
    ("CSM-CASE-STATE", "agent", "create_new_case", case(state="in_progress")),
    ("CSM-CASE-STATE", "agent", "assign_case_to_user", {"case_id": 1, "assigned_to_user_id": 3}),
    ("CSM-CASE-TEXT", "agent", "create_new_case", case(short_description="It fails.")),
    ("CSM-CASE-CONTACT", "agent", "create_new_case", case(contact_id=2)),
    ("CSM-CASE-CONTACT", "agent", "create_new_case", case(contact_id=4)),
    ("CSM-CASE-ASSET", "agent", "create_new_case", case(installed_product_id=3)),
    ("CSM-CASE-ASSET", "agent", "create_new_case", case(installed_product_id=4)),
    ("CSM-CASE-IN-USE", "agent", "create_new_case", case(installed_product_id=2)),
    ("CSM-CASE-PRODUCT", "agent", "create_new_case", case(product_id=2, installed_product_id=None)),
    ("CSM-CASE-GROUP", "manager", "set_case_assignment_group", {"case_id": 2, "assignment_group_id": 3}),
    ("CSM-CASE-ASSIGNEE", "agent", "assign_case_to_user", {"case_id": 2, "assigned_to_user_id": 4}),
    ("CSM-CASE-ASSIGNEE", "agent", "assign_case_to_user", {"case_id": 2, "assigned_to_user_id": 1}),
    ("CSM-CASE-MEMBER", "agent", "assign_case_to_user", {"case_id": 2, "assigned_to_user_id": 7}),
    ("CSM-CASE-ESCALATION", "manager", "update_case", {"case_id": 2, "escalation": True}),
    ("CSM-CASE-REOPEN", "agent", "update_case", {"case_id": 3, "state": "new"}),
    ("CSM-CASE-COUNT", "agent", "update_case", {"case_id": 2, "reopen_count": 4}),
    ("CSM-CASE-COUNT", "agent", "create_new_case", case(reopen_count=1)),
    ("CSM-CASE-OPEN-ON", "agent", "update_case", {"case_id": 2, "closed_on": "2026-05-04 08:00:00"}),
    ("CSM-CASE-CAP", "agent", "create_new_case", case(product_id=3, installed_product_id=4)),
    ("CSM-SLA-START", "agent", "link_new_case_sla", {"case_id": 2, "sla_def_id": 5, "stage": "canceled"}),
    ("CSM-SLA-MOVE", "agent", "update_case_sla_details", {"case_sla_id": 3, "stage": "in_progress"}),
    ("CSM-SLA-NEED-COMPLETED", "agent", "update_case_sla_details", {"case_sla_id": 3, "completed_time": ""}),
    ("CSM-SLA-WORK", "agent", "link_new_case_sla", {"case_id": 1, "sla_def_id": 2, "stage": "in_progress"}),
    ("CSM-SLA-FIT", "agent", "link_new_case_sla", {"case_id": 2, "sla_def_id": 4, "stage": "in_progress"}),
    ("CSM-SLA-FIT", "agent", "link_new_case_sla", {"case_id": 2, "sla_def_id": 3, "stage": "in_progress"}),
    ("CSM-SLA-ENTITLED", "agent", "link_new_case_sla", {"case_id": 4, "sla_def_id": 2, "stage": "in_progress"}),
    ("CSM-CON-DATES", "admin", "enlist_new_contract", {**CONTRACT, "end_date": "2025-12-31"}),
    ("CSM-CON-PAST", "admin", "update_contract", {"contract_id": 2, "status": "active"}),
    ("CSM-ENT-CONTRACT", "admin", "update_entitlement", {"entitlement_id": 3, "active": True}),
    ("CSM-ENT-CONTRACT", "admin", "add_new_entitlement", {"account_id": 2, "support_level": "standard", "active": True}),
    (
        "CSM-ENT-PRODUCT",
        "admin",
        "add_new_entitlement",
        {"account_id": 1, "support_level": "standard", "active": True, "contract_id": 1, "product_id": 2},
    ),
    ("CSM-ENT-HOURS", "admin", "update_entitlement", {"entitlement_id": 1, "support_level": "enterprise"}),
    ("CSM-ASSET-PRODUCT", "admin", "register_new_installed_product", {**ASSET, "product_id": 2}),
    ("CSM-ASSET-SITE", "admin", "register_new_installed_product", {**ASSET, "status": "in_use", "location_id": 2}),
    ("CSM-ASSET-BUSY", "admin", "update_installed_product_details", {"installed_product_id": 1, "status": "retired"}),
    ("CSM-KB-PUBLISHED", "agent", "link_case_knowledge", {"case_id": 2, "knowledge_id": 2, "used_as": "suggested"}),
    ("CSM-KB-TITLE", "agent", "create_knowledge", {**ARTICLE, "title": "Routers"}),
    ("CSM-KB-OWNER", "agent", "create_knowledge", {**ARTICLE, "owner_id": 5}),
    ("CSM-KB-RETIRED", "agent", "update_knowledge", {"knowledge_id": 2, "state": "published"}),
    ("CSM-NOTE-TO", "agent", "send_notification", {"case_id": 2, "email": "sol@south.com", "type": "update"}),
    ("CSM-NOTE-TO", "agent", "send_notification", {"case_id": 2, "email": "ina@north.com", "type": "update"}),
    (
        "CSM-NOTE-ARTICLE",
        "agent",
        "send_notification",
        {"case_id": 2, "email": "rea@north.com", "type": "update", "knowledge_id": 4},
    ),
    ("CSM-INT-CASE", "agent", "register_new_interaction", {**INTERACTION, "contact_id": 3}),
    ("CSM-INT-ENDED", "agent", "register_new_interaction", {**INTERACTION, "status": "closed"}),
    ("CSM-MEMBER-STAFF", "admin", "add_new_group_member", {"group_id": 1, "user_id": 5}),
    ("CSM-MEMBER-STAFF", "admin", "add_new_group_member", {"group_id": 3, "user_id": 3}),
    (
        "CSM-CONTACT-USER",
        "admin",
        "create_contact",
        {"account_id": 2, "portal_user_id": 3, "active": True, "is_primary": False},
    ),
    ("CSM-CONTACT-PRIMARY", "admin", "update_contact", {"contact_id": 3, "is_primary": True}),
    ("CSM-AGENT-CASE", "agent", "update_case", {"case_id": 4, "channel": "web"}),
    ("CSM-AGENT-REROUTE", "agent", "update_case", {"case_id": 2, "assignment_group_id": 2, "assigned_to": 7}),
    ("CSM-AGENT-PRIORITY", "agent", "update_case", {"case_id": 2, "priority": "high"}),
    ("CSM-AGENT-ESCALATE", "agent", "update_case", {"case_id": 2, "escalation": True, "escalation_reason": "vip"}),
    ("CSM-AGENT-ARTICLE", "agent", "update_knowledge", {"knowledge_id": 4, "state": "retired"}),
    ("CSM-CUST-CASE", "customer", "update_case", {"case_id": 2, "state": "pending"}),
    ("CSM-CUST-INT", "customer", "register_new_interaction", {"channel": "web", "status": "open"}),
    ("CSM-CUST-PROFILE", "customer", "update_user_details", {"user_id": 5, "role": "admin"}),
    ("RIGHTS", "agent", "update_entitlement", {"entitlement_id": 1, "active": False}),
    ("RIGHTS", "manager", "add_new_group_member", {"group_id": 2, "user_id": 3}),
    ("RIGHTS", "customer", "create_knowledge", ARTICLE),
]
OBLIGATIONS: list[tuple[str, str, list[Step]]] = [
    ("CSM-CASE-INTERACTION", "agent", [("create_new_case", case())]),
    (
        "CSM-CASE-INTERACTION",
        "agent",
        [("create_new_case", case()), ("register_new_interaction", {**INTERACTION, "case_id": 7, "channel": "web"})],
    ),
    ("CSM-CASE-ARTICLE", "agent", [("update_case", {"case_id": 3, "state": "closed"})]),
    ("CSM-SLA-ALIGN", "agent", [("update_case", {"case_id": 1, "state": "in_progress", "assigned_to": 3})]),
    ("CSM-SLA-FIRST", "agent", [("create_new_case", case(state="in_progress", assigned_to=3))]),
    ("CSM-SLA-PRIORITY", "manager", [("update_case", {"case_id": 2, "priority": "high"})]),
    (
        "CSM-SLA-PRIORITY",
        "manager",
        [
            ("update_case", {"case_id": 2, "priority": "high"}),
            ("link_new_case_sla", {"case_id": 2, "sla_def_id": 4, "stage": "in_progress"}),
        ],
    ),
    ("CSM-SLA-PAUSE", "agent", [("update_case", {"case_id": 2, "state": "pending"})]),
    ("CSM-SLA-RESUME", "agent", [("update_case", {"case_id": 6, "state": "in_progress"})]),
    ("CSM-SLA-END", "agent", [("update_case", {"case_id": 2, "state": "resolved"})]),
    (
        "CSM-SLA-END",
        "agent",
        [
            ("update_case", {"case_id": 2, "state": "resolved"}),
            ("update_case_sla_details", {"case_sla_id": 1, "stage": "canceled"}),
        ],
    ),
    (
        "CSM-KB-RESOLUTION",
        "agent",
        [("link_case_knowledge", {"case_id": 2, "knowledge_id": 1, "used_as": "resolution"})],
    ),
    ("CSM-LEAVER-GROUPS", "admin", [("update_user_details", {"user_id": 7, "active": False})]),
    ("CSM-LEAVER-CASES", "admin", [("update_user_details", {"user_id": 7, "active": False})]),
]


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_a_strict_tool_refuses_with_the_rule(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    forbidden(session(role), rule, tool, **arguments)


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_the_same_breach_shows_in_the_end_state(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    assert rule in broken(role, (tool, arguments))


@pytest.mark.parametrize(("rule", "role", "steps"), OBLIGATIONS)
def test_an_obligation_shows_in_the_end_state_and_no_tool_refuses(rule: str, role: str, steps: list[Step]) -> None:
    strict = session(role)
    for tool, arguments in steps:
        call(strict, tool, **arguments)
    assert rule in broken(role, *steps)


def test_every_rule_has_such_a_test() -> None:
    tested = {rule for rule, *_ in BREACHES} | {rule for rule, *_ in OBLIGATIONS}
    assert tested - {"RIGHTS"} == set(CSM.rule_by_id)


@pytest.mark.parametrize(
    ("role", "steps"),
    [
        (
            "agent",
            [
                ("create_new_case", case(state="in_progress", assignment_group_id=1, assigned_to=3)),
                ("register_new_interaction", {**INTERACTION, "case_id": 7}),
                ("link_new_case_sla", {"case_id": 7, "sla_def_id": 2, "stage": "in_progress"}),
            ],
        ),
        (
            "agent",
            [
                ("update_case", {"case_id": 2, "state": "pending"}),
                ("update_case_sla_details", {"case_sla_id": 1, "stage": "paused"}),
            ],
        ),
        (
            "agent",
            [
                ("update_case", {"case_id": 2, "state": "resolved"}),
                ("update_case_sla_details", {"case_sla_id": 1, "stage": "completed"}),
                ("link_case_knowledge", {"case_id": 2, "knowledge_id": 1, "used_as": "resolution"}),
                ("update_case", {"case_id": 2, "state": "closed"}),
            ],
        ),
        ("agent", [("update_case", {"case_id": 5, "state": "new", "reopen_count": 1, "closed_on": ""})]),
        (
            "manager",
            [
                ("update_case", {"case_id": 2, "priority": "high", "escalation": True, "escalation_reason": "impact"}),
                ("update_case_sla_details", {"case_sla_id": 1, "stage": "canceled"}),
                ("link_new_case_sla", {"case_id": 2, "sla_def_id": 4, "stage": "in_progress"}),
            ],
        ),
        (
            "admin",
            [
                ("add_new_group_member", {"group_id": 2, "user_id": 3}),
                ("update_case", {"case_id": 4, "assigned_to": 3}),
                ("remove_group_membership", {"group_id": 2, "user_id": 7}),
                ("update_user_details", {"user_id": 7, "active": False}),
            ],
        ),
        (
            "admin",
            [
                ("update_contact", {"contact_id": 1, "is_primary": False}),
                ("update_contact", {"contact_id": 3, "is_primary": True}),
            ],
        ),
        (
            "customer",
            [
                ("create_new_case", case(channel="web")),
                ("register_new_interaction", {**INTERACTION, "case_id": 7, "channel": "web"}),
                ("update_user_details", {"user_id": 5, "phone": "+1-415-555-0100"}),
            ],
        ),
    ],
)
def test_work_by_the_rules_is_done_and_breaks_nothing(role: str, steps: list[Step]) -> None:
    strict = session(role)
    for tool, arguments in steps:
        call(strict, tool, **arguments)
    assert broken(role, *steps) == set()


def test_a_customer_sees_their_own_account_and_public_articles_only() -> None:
    records = session("customer")
    assert [row["account_id"] for row in call(records, "get_accounts")] == [1]
    assert {row["account_id"] for row in call(records, "search_cases")} == {1}
    assert [row["knowledge_id"] for row in call(records, "retrieve_knowledge")] == [1]
    assert [row["user_id"] for row in call(records, "list_users")] == [5]
    assert {row["account_id"] for row in call(session("customer", "permissive"), "search_cases")} == {1, 2}
    with pytest.raises(ToolError, match="RIGHTS"):
        call(records, "find_sla_definitions")


# -- tools that are more than record work ---------------------------------------------------------------------


def test_new_records_get_the_next_number() -> None:
    records = session("admin")
    made = call(records, "create_new_case", **case())
    assert (made["case_id"], made["number"], made["escalation"]) == (7, "CS-0000007", False)
    assert call(records, "create_knowledge", **ARTICLE)["kb_number"] == "KB-0000005"


def test_an_sla_runs_from_now_to_its_target_unless_a_start_is_given() -> None:
    records = session("admin")
    link = {"case_id": 2, "sla_def_id": 5, "stage": "in_progress"}
    made = call(records, "link_new_case_sla", **link)
    assert (made["start_time"], made["breach_time"]) == ("2026-05-04 08:00:00", "2026-05-05 08:00:00")
    call(records, "delete_case_slas", case_id=2, sla_def_id=5)
    made = call(records, "link_new_case_sla", **link, start_time="2026-05-03 08:00:00")
    assert (made["start_time"], made["breach_time"]) == ("2026-05-03 08:00:00", "2026-05-04 08:00:00")


def test_times_are_filled_where_states_are_entered() -> None:
    records = session("admin")
    call(records, "link_case_knowledge", case_id=3, knowledge_id=1, used_as="applied")
    assert call(records, "update_case", case_id=3, state="closed")["closed_on"] == "2026-05-04 08:00:00"
    assert call(records, "update_case_sla_details", case_sla_id=1, stage="completed")["completed_time"] == "2026-05-04 08:00:00"


def test_a_user_is_found_by_full_name_in_any_case() -> None:
    records = session("admin")
    assert [row["user_id"] for row in call(records, "find_user", name=" max  HALE")] == [2]
    with pytest.raises(ToolError, match="no user"):
        call(records, "find_user", name="Max")


def test_a_membership_is_removed_one_at_a_time() -> None:
    records = session("admin")
    with pytest.raises(ToolError, match="expected member_id"):
        call(records, "remove_group_membership", group_id=1)
    call(records, "remove_group_membership", group_id=1, user_id=2)
    assert call(records, "check_user_membership", group_id=1, user_id=2)["is_member"] is False
    assert call(records, "check_user_membership", group_id=1, user_id=3)["is_member"] is True


def test_searches_take_bounds_and_parts_of_texts() -> None:
    records = session("admin")
    found = call(records, "find_contracts", contract_price_range_start=700, contract_price_range_end=800)
    assert [row["contract_id"] for row in found] == [2, 3]
    assert len(call(records, "find_interactions", started_at_after="2026-05-01T08:00:00")) == 6
    assert call(records, "find_interactions", ended_at_before="2026-05-01 08:19:59") == []
    assert len(call(records, "search_cases", short_description="SECOND packet", state="new")) == 1
    assert call(records, "search_cases", short_description="thirst") == []
    assert len(call(records, "retrieve_knowledge", search_text="unplug ROUTER", limit=2)) == 2
    assert [row["account_id"] for row in call(records, "get_accounts", account_types=["customer"], name="South")] == [2]
    with pytest.raises(ToolError, match="at least 1"):
        call(records, "retrieve_knowledge", limit=0)
    with pytest.raises(ToolError, match="started_at"):
        call(records, "find_interactions", started_at_after="soon")


def test_counts_sums_and_averages() -> None:
    records = session("admin")
    states = call(records, "count_case_by_state", account_id=1)
    assert states == {"new": 1, "in_progress": 1, "pending": 1, "resolved": 1, "closed": 1, "canceled": 0}
    assert call(records, "get_channel_wise_case_count", channel="phone") == {"phone": 6}
    assert call(records, "count_case_for_assignment_group", assignment_group_id=1) == {"count": 4}
    assert call(records, "avg_installed_per_account_by_status")["in_use"] == 1.5
    assert call(records, "total_sum_of_max_cases_per_support_level", support_level="standard") == {"standard": 1}
    assert call(records, "total_sum_of_target_mins_per_priority", priority="moderate") == {"moderate": 1545}
    assert call(records, "average_target_mins_per_priority", priority_list=["high"]) == {"high": 30}
    assert call(records, "find_stage_wise_breached_case_sla_counts", stage="completed") == {"completed": 1}
    assert call(records, "installed_product_warranties_ended_count", on_date="2026-03-31") == {"count": 1}
    assert call(records, "avg_notifications_by_case", case=1) == {"average": 0.0}
    assert call(records, "avg_notifications_by_case") == {"average": 1.0}
    assert call(records, "get_average_case_reopen_count", state="canceled") == {"average": None}
    assert call(records, "avg_reopen_count_for_assignment_group", assignment_group_id=1) == {"average": 0.0}
    assert call(records, "count_notifications_by_type", type=["update"]) == {"update": 1}
    assert call(records, "count_notifications_by_case") == {"count": 1}
    with pytest.raises(ToolError, match="YYYY-MM-DD"):
        call(records, "installed_product_warranties_ended_count", on_date="never")


# -- every tool ---------------------------------------------------------------------------------------------

KNOWN = known_values(ROWS)
KNOWN["assigned_to_user_id"] = KNOWN["assigned_to"]


@every_sort
@pytest.mark.parametrize("tool", CSM.tools, ids=lambda tool: tool.name)
def test_no_call_of_any_tool_breaks_the_world(tool: Tool, make: Make) -> None:
    rng = np.random.default_rng(5)
    records = session("admin", "permissive")
    for _ in range(3):
        attempt(tool, records, make(tool, rng, KNOWN))


@pytest.mark.parametrize("tool", [tool for tool in CSM.tools if tool.mutates], ids=lambda tool: tool.name)
def test_a_customer_writes_only_cases_interactions_and_themselves(tool: Tool) -> None:
    rng = np.random.default_rng(5)
    records = session("customer")
    before = {table.name: records.world.rows(table.name) for table in CSM.tables}
    for _ in range(3):
        attempt(tool, records, valid(tool, rng, KNOWN))
    changed = {name for name in before if records.world.rows(name) != before[name]}
    assert changed <= {"customer_case", "interaction", "user"}
