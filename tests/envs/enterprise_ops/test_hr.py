"""HR: its policy binds in strict mode, shows in end states, and its tools keep the world whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import ToolError
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.domain import HR
from tests.envs.enterprise_ops.calls import Make, attempt, every_sort, known_values, valid
from tests.envs.enterprise_ops.small import Step
from tests.envs.enterprise_ops.small_hr import ROWS, broken, call, forbidden, session


def test_it_has_26_tables_and_89_tools() -> None:
    assert len(HR.tables) == 26
    assert len(HR.toolbox) == 89


CASE, TASK, USER, PROFILE, SERVICE = (
    "update_hr_case",
    "update_hr_case_task",
    "update_user_details",
    "update_hr_profile",
    "update_hr_service",
)
NEW: dict[str, Any] = {"short_description": "x", "coe_type": "Payroll", "hr_service": "1", "opened_for": "5"}
NEW_TASK: dict[str, Any] = {"status": "draft", "short_description": "x", "parent_case": "3"}
BREACHES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("HR-CASE-START", "agent", "create_new_hr_case", NEW | {"status": "cancelled"}),
    ("HR-CASE-START", "agent", "create_new_hr_case", NEW | {"status": "work_in_progress", "assigned_to": "3"}),
    ("HR-CASE-MOVE", "agent", CASE, {"hr_case_id": "5", "status": "ready"}),
    ("HR-CASE-MOVE", "agent", CASE, {"hr_case_id": "1", "status": "closed_complete", "worknotes": "Done"}),
    ("HR-CASE-NEED-WORK_IN_PROGRESS", "agent", CASE, {"hr_case_id": "1", "status": "work_in_progress"}),
    ("HR-CASE-NEED-AWAITING_APPROVAL", "agent", CASE, {"hr_case_id": "1", "status": "awaiting_approval", "approver": "6"}),
    ("HR-CASE-NEED-SUSPENDED", "agent", CASE, {"hr_case_id": "1", "status": "suspended"}),
    ("HR-CASE-NEED-CLOSED_COMPLETE", "agent", CASE, {"hr_case_id": "3", "status": "closed_complete"}),
    ("HR-CASE-NEED-CLOSED_INCOMPLETE", "agent", CASE, {"hr_case_id": "3", "status": "closed_incomplete"}),
    ("HR-REQUEST-START", "agent", "create_new_hr_case", NEW | {"request_status": "approved"}),
    ("HR-REQUEST-MOVE", "manager", "update_hr_case", {"hr_case_id": "9", "request_status": "rejected"}),
    ("HR-CASE-REGISTER", "agent", "create_new_hr_case", {"short_description": "x", "coe_type": "HRIT", "opened_for": "5"}),
    ("HR-CASE-FOR", "agent", "create_new_hr_case", NEW | {"opened_for": "4"}),
    ("HR-CASE-FOR", "agent", "create_new_hr_case", NEW | {"opened_for": "7"}),
    ("HR-CASE-SERVICE", "agent", "create_new_hr_case", NEW | {"hr_service": "5"}),
    ("HR-CASE-CENTRE", "agent", "create_new_hr_case", NEW | {"coe_type": "HRIT"}),
    ("HR-CASE-ACCOUNT", "agent", CASE, {"hr_case_id": "1", "account_number": "ACC-1"}),
    ("HR-CASE-ACCOUNT", "agent", CASE, {"hr_case_id": "1", "account_number": "17", "account_type": "savings"}),
    ("HR-CASE-ASSIGN", "agent", CASE, {"hr_case_id": "1", "assigned_to": "3"}),
    ("HR-CASE-ASSIGN", "agent", CASE, {"hr_case_id": "1", "assigned_to": "7", "assignment_group": "1"}),
    ("HR-CASE-ASSIGN", "agent", CASE, {"hr_case_id": "1", "assigned_to": "4", "assignment_group": "1"}),
    ("HR-CASE-SELF", "agent", "create_new_hr_case", NEW | {"opened_for": "3", "assigned_to": "3", "assignment_group": "1"}),
    ("HR-CASE-SKILLS", "agent", CASE, {"hr_case_id": "7", "assigned_to": "3", "assignment_group": "1"}),
    ("HR-CASE-VISIBLE", "agent", CASE, {"hr_case_id": "6", "assigned_to": "3", "assignment_group": "1"}),
    ("HR-CASE-REASSIGN", "agent", CASE, {"hr_case_id": "3", "assigned_to": "2"}),
    ("HR-CASE-ESCALATE", "manager", CASE, {"hr_case_id": "3", "assigned_to": "2", "assignment_group": "3"}),
    ("HR-CASE-FROZEN", "agent", CASE, {"hr_case_id": "5", "priority": "low"}),
    ("HR-CASE-ADMIN", "admin", "create_new_hr_case", NEW),
    ("HR-CASE-ADMIN", "admin", CASE, {"hr_case_id": "1", "priority": "low"}),
    ("HR-CASE-ADMIN", "admin", CASE, {"hr_case_id": "4", "priority": "low"}),
    ("HR-CASE-OWN", "employee", "create_new_hr_case", NEW | {"opened_for": ""}),
    ("HR-CASE-OWN", "employee", CASE, {"hr_case_id": "1", "assigned_to": "5"}),
    ("HR-CASE-OWN", "employee", CASE, {"hr_case_id": "1", "status": "suspended", "worknotes": "wait"}),
    ("HR-CASE-PII", "agent", CASE, {"hr_case_id": "1", "worknotes": "Their number is TAX-0005."}),
    ("HR-CASE-PII", "agent", CASE, {"hr_case_id": "1", "short_description": "Write to EVA@home.org"}),
    ("HR-TASK-PII", "agent", "create_hr_case_task", NEW_TASK | {"worknotes": "eva@home.org"}),
    ("HR-NOTICE-TO", "agent", "send_notification", {"hr_case_id": 3, "email": "eva@home.org"}),
    ("HR-NOTICE-TO", "agent", "send_notification", {"hr_case_id": 3, "email": "leo@north.com"}),
    (
        "HR-APPROVE-DUE",
        "manager",
        CASE,
        {"hr_case_id": "4", "status": "closed_complete", "worknotes": "Done"},
    ),
    (
        "HR-APPROVE-CRITERIA",
        "agent",
        CASE,
        {"hr_case_id": "2", "status": "awaiting_approval", "approver": "6", "request_status": "requested"},
    ),
    ("HR-APPROVE-CRITERIA", "agent", CASE, {"hr_case_id": "1", "approval_criteria": "2"}),
    ("HR-APPROVE-BY", "agent", CASE, {"hr_case_id": "1", "approver": "3"}),
    ("HR-APPROVE-BY", "agent", CASE, {"hr_case_id": "1", "approver": "1", "approval_criteria": "1"}),
    ("HR-APPROVE-ROLE", "agent", CASE, {"hr_case_id": "4", "request_status": "approved"}),
    ("HR-APPROVE-ROLE", "manager", CASE, {"hr_case_id": "8", "request_status": "approved"}),
    ("HR-APPROVE-SELF", "manager", CASE, {"hr_case_id": "8", "request_status": "approved"}),
    ("HR-APPROVE-ASKED", "manager", CASE, {"hr_case_id": "1", "request_status": "approved"}),
    ("HR-APPROVE-WAIT", "manager", CASE, {"hr_case_id": "4", "status": "closed_incomplete", "worknotes": "No"}),
    ("HR-TASK-START", "agent", "create_hr_case_task", NEW_TASK | {"status": "work_in_progress"}),
    ("HR-TASK-MOVE", "agent", TASK, {"hr_case_task_id": "2", "status": "draft"}),
    (
        "HR-TASK-NEED-CLOSED_INCOMPLETE",
        "agent",
        TASK,
        {"hr_case_task_id": "1", "status": "closed_incomplete", "active": False},
    ),
    ("HR-TASK-PARENT", "agent", "create_hr_case_task", NEW_TASK | {"parent_case": "5"}),
    ("HR-TASK-ASSIGN", "agent", TASK, {"hr_case_task_id": "2", "assigned_to": "3"}),
    ("HR-TASK-URL", "agent", "create_hr_case_task", NEW_TASK | {"task_type": "url", "external_url": "http://a.b"}),
    ("HR-TASK-URL", "agent", "create_hr_case_task", NEW_TASK | {"external_url": "https://a.b"}),
    ("HR-TASK-SERVICE", "agent", "create_hr_case_task", NEW_TASK | {"task_type": "hr service"}),
    ("HR-TASK-ACTIVE", "agent", TASK, {"hr_case_task_id": "1", "status": "closed_complete"}),
    ("HR-TASK-CHECKED", "agent", TASK, {"hr_case_task_id": "2", "status": "closed_complete", "active": False}),
    ("HR-TASK-ANSWERED", "agent", TASK, {"hr_case_task_id": "3", "status": "closed_complete", "active": False}),
    ("HR-TASK-FROZEN", "agent", TASK, {"hr_case_task_id": "4", "short_description": "Else"}),
    ("HR-ITEM-TYPE", "agent", "create_checklist", {"checklist_item_description": "x", "case_task_id": 1}),
    ("HR-ITEM-ADD", "agent", "create_checklist", {"checklist_item_description": "x", "case_task_id": 5, "checked": True}),
    ("HR-ITEM-CHANGE", "agent", "update_checklist", {"checklist_id": 2, "checked": False}),
    ("HR-SURVEY-ASKS", "admin", "update_survey", {"survey_id": 1, "question_1": ""}),
    ("HR-SURVEY-TO", "agent", "create_survey_instance", {"survey_id": 1, "case_task_id": 3, "assigned_to": 3}),
    ("HR-SURVEY-TO", "agent", "create_survey_instance", {"survey_id": 1, "case_task_id": 1, "assigned_to": 5}),
    ("HR-SURVEY-ANSWER", "agent", "update_survey_instance", {"survey_instance_id": 1, "answer_1": "Yes"}),
    (
        "HR-SURVEY-OWN",
        "employee",
        "create_survey_instance",
        {"survey_id": 1, "case_task_id": 3, "assigned_to": 5, "answer_1": "Yes"},
    ),
    ("HR-CLOSE-TASKS", "agent", CASE, {"hr_case_id": "3", "status": "closed_complete", "worknotes": "Done"}),
    ("HR-CLOSE-TASKS", "agent", CASE, {"hr_case_id": "3", "status": "awaiting_acceptance"}),
    ("HR-USER-SELF", "admin", USER, {"user_id": "1", "role": "manager"}),
    ("HR-GROUP-JOIN", "manager", "add_new_group_member", {"group_id": "4", "user_id": "3"}),
    ("HR-GROUP-JOIN", "manager", "add_new_group_member", {"group_id": "1", "user_id": "4"}),
    ("HR-GROUP-RESTRICTED", "manager", "add_new_group_member", {"group_id": "2", "user_id": "5"}),
    ("HR-GROUP-OFF", "admin", "update_user_group", {"group_id": "1", "active": False}),
    ("HR-SKILL-GIVE", "manager", "add_new_skill_to_user", {"skill": "3", "user": "3"}),
    ("HR-SKILL-GIVE", "manager", "add_new_skill_to_user", {"skill": "1", "user": "5"}),
    ("HR-PROFILE-MANAGER", "manager", PROFILE, {"hr_profile_id": "5", "manager": "3"}),
    ("HR-PROFILE-AGE", "manager", PROFILE, {"hr_profile_id": "5", "employment_start_date": "2005-01-01"}),
    ("HR-PROFILE-PII", "manager", PROFILE, {"user_id": "5", "national_tax_id": "TAX-9"}),
    ("HR-PROFILE-PII", "manager", "offboard_hr_profile", {"user_id": "5"}),
    ("HR-PROFILE-ENDED", "admin", PROFILE, {"number": "HRP00004", "location_type": "Hotdesk"}),
    ("HR-PROFILE-PAST", "admin", PROFILE, {"user_id": "5", "employment_end_date": "2026-05-03"}),
    ("HR-LEAVE-WORK", "admin", USER, {"user_id": "3", "active": False}),
    ("HR-TOPIC-DETAIL", "admin", "add_new_topic_detail", {"name": "x", "active": True}),
    ("HR-TOPIC-OFF", "admin", "update_topic_category", {"topic_category_id": "1", "name": "Pay", "active": False}),
    ("HR-DETAIL-OFF", "admin", "update_topic_detail", {"topic_detail_id": "1", "name": "Detail 1", "active": False}),
    ("HR-SERVICE-TOPIC", "admin", SERVICE, {"hr_service_id": "1", "topic_detail": "3"}),
    ("HR-SERVICE-TEMPLATE", "admin", SERVICE, {"hr_service_id": "1", "service_template": "2"}),
    ("HR-SERVICE-OFF", "admin", "delete_hr_service", {"hr_service_id": "1", "service_name": "Pay slip"}),
    ("HR-TEMPLATE-OFF", "admin", "update_service_template", {"service_template_id": "1", "active": False}),
    ("HR-CRITERIA-WHO", "admin", "register_hr_criteria", {"name": "x", "type": "case_visibility"}),
    ("HR-CRITERIA-WHO", "admin", "register_hr_criteria", {"name": "x", "type": "approval", "users": "3, 7"}),
    ("HR-CRITERIA-OFF", "admin", "update_hr_criteria", {"hr_criteria_id": "1", "active": False}),
    ("HR-ROUTE-WHO", "admin", "update_assignment_rules", {"assignment_rule_id": 1, "users": [3]}),
    ("HR-ESCALATE-ACTIVE", "admin", "add_new_escalation_rule", {"escalate_from": "1", "escalate_to": "4"}),
    ("HR-ESCALATE-BACK", "admin", "add_new_escalation_rule", {"escalate_from": "2", "escalate_to": "1"}),
    ("HR-KB-START", "agent", "create_knowledge_article", {"title": "x", "body": "y", "state": "retired"}),
    ("HR-KB-MOVE", "agent", "update_knowledge_article", {"knowledge_id": 2, "state": "published"}),
    ("HR-KB-NEED-PUBLISHED", "agent", "create_knowledge_article", {"title": "x"}),
    ("HR-KB-USE", "agent", "link_knowledge_to_hr_case", {"hr_case_id": 1, "knowledge_id": 2}),
    ("HR-KB-SHARED", "agent", "link_knowledge_to_hr_case", {"hr_case_id": 1, "knowledge_id": 4, "used_as": "resolution"}),
    ("HR-SERVICE-CRITERIA", "admin", SERVICE, {"hr_service_id": "1", "hr_criteria": "4"}),
    ("HR-CRITERIA-GROUP", "admin", "register_hr_criteria", {"name": "x", "type": "case_visibility", "user_group": "6"}),
    (
        "HR-PROFILE-USER",
        "manager",
        "onboard_new_hr_profile",
        {"user_id": "10", "personal_email": "ned@home.org", "national_tax_id": "TAX-0010"},
    ),
    ("RIGHTS", "agent", USER, {"user_id": "5", "phone": "1"}),
    ("RIGHTS", "agent", "add_new_skill", {"name": "Law"}),
    ("RIGHTS", "manager", "add_new_user_group", {"name": "x", "type": "IT Support"}),
    ("RIGHTS", "admin", "create_hr_case_task", NEW_TASK),
    ("RIGHTS", "admin", "send_notification", {"hr_case_id": 3, "email": "eva@north.com"}),
]
WORK = (CASE, {"hr_case_id": "3", "status": "closed_complete", "worknotes": "Done"})
STOP = (CASE, {"hr_case_id": "3", "status": "closed_incomplete", "worknotes": "Withdrawn"})
DONE: tuple[Step, ...] = (
    ("update_checklist", {"checklist_id": 1, "checked": True}),
    *((TASK, {"hr_case_task_id": key, "status": "closed_complete", "active": False}) for key in ("1", "2")),
)
NOTICE = ("send_notification", {"hr_case_id": 3, "email": "eva@north.com", "type": "closure"})
BEGIN = {"status": "work_in_progress", "assigned_to": "3", "assignment_group": "1"}
HANDED = (CASE, {"hr_case_id": "3", "assigned_to": "7", "assignment_group": "2"})
OBLIGED: list[tuple[set[str], str, tuple[Step, ...]]] = [
    ({"HR-CLOSE-NOTICE"}, "agent", (*DONE, WORK)),
    (
        {"HR-CLOSE-SURVEY"},
        "agent",
        (
            (CASE, {"hr_case_id": "10", "status": "closed_complete", "worknotes": "Done"}),
            ("send_notification", {"hr_case_id": 10, "email": "eva@north.com", "type": "closure"}),
        ),
    ),
    ({"HR-CLOSE-NOTICE", "HR-STOP-TASKS"}, "agent", (STOP,)),
    ({"HR-WORK-TASKS"}, "agent", ((CASE, {"hr_case_id": "9", "hr_service": "6"} | BEGIN),)),
    ({"HR-CASE-FOLLOW"}, "manager", (HANDED,)),
    ({"HR-LEAVE-USER"}, "admin", (("offboard_hr_profile", {"user_id": "5"}),)),
    ({"HR-LEAVE-USER", "HR-LEAVE-REPORTS"}, "admin", (("offboard_hr_profile", {"user_id": "6"}),)),
    ({"HR-LEAVE-PROFILE", "HR-LEAVE-GROUPS"}, "admin", ((USER, {"user_id": "5", "active": False}),)),
]
"""Steps that are lawful one by one, but leave something undone."""


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_a_strict_tool_refuses_with_the_rule(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    forbidden(session(role), rule, tool, **arguments)


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_the_same_breach_shows_in_the_end_state(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    assert rule in broken(role, (tool, arguments))


@pytest.mark.parametrize(("rules", "role", "steps"), OBLIGED)
def test_what_is_left_undone_shows_in_the_end_state(rules: set[str], role: str, steps: tuple[Step, ...]) -> None:
    strict = session(role)
    for tool, arguments in steps:
        call(strict, tool, **arguments)
    assert broken(role, *steps) == rules


def test_every_rule_can_be_broken() -> None:
    tried = {rule for rule, *_ in BREACHES} | {rule for rules, *_ in OBLIGED for rule in rules}
    assert {rule.id for rule in HR.rules} - tried == set()


@pytest.mark.parametrize(
    ("role", "steps"),
    [
        ("agent", [("create_new_hr_case", NEW), (CASE, {"hr_case_id": "11"} | BEGIN)]),
        ("agent", [(CASE, {"hr_case_id": "7", "assigned_to": "7", "assignment_group": "2", "status": "work_in_progress"})]),
        ("agent", [*DONE, WORK, NOTICE]),
        ("manager", [HANDED, (TASK, {"hr_case_task_id": "1", "assigned_to": "7", "assignment_group": "2"})]),
        (
            "manager",
            [
                (CASE, {"hr_case_id": "4", "request_status": "approved"}),
                (CASE, {"hr_case_id": "4", "status": "work_in_progress", "assigned_to": "3", "assignment_group": "1"}),
            ],
        ),
        ("admin", [(CASE, {"hr_case_id": "8", "request_status": "rejected", "worknotes": "No budget"})]),
        (
            "agent",
            [
                (
                    CASE,
                    {
                        "hr_case_id": "2",
                        "status": "awaiting_approval",
                        "approver": "6",
                        "request_status": "requested",
                        "approval_criteria": "1",
                    },
                )
            ],
        ),
        ("employee", [("create_new_hr_case", NEW), (CASE, {"hr_case_id": "11", "status": "ready"})]),
        ("employee", [("update_survey_instance", {"survey_instance_id": 1, "answer_1": "Yes"})]),
        (
            "admin",
            [
                ("offboard_hr_profile", {"user_id": "5"}),
                ("remove_group_membership", {"group_id": "6", "user_id": "5"}),
                (USER, {"user_id": "5", "active": False}),
            ],
        ),
        (
            "admin",
            [
                ("add_new_user", {"first_name": "Kim", "last_name": "Ek", "email": "kim@north.com", "role": "agent"}),
                (
                    "onboard_new_hr_profile",
                    {"user_id": "11", "personal_email": "k@home.org", "national_tax_id": "T-1", "manager": "2"},
                ),
                ("add_new_group_member", {"group_id": "2", "user_id": "11"}),
                ("add_new_skill_to_user", {"skill": "2", "user": "11"}),
            ],
        ),
    ],
)
def test_work_by_the_rules_is_done_and_breaks_nothing(role: str, steps: list[Step]) -> None:
    strict = session(role)
    for tool, arguments in steps:
        call(strict, tool, **arguments)
    assert broken(role, *steps) == set()


# -- what is more than record work --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("service", "kinds"), [(1, words.GENERATED["service_activity"]), (4, words.GENERATED["lifecycle event"]), (6, ())]
)
def test_work_on_a_case_generates_the_tasks_of_its_service_once(service: int, kinds: tuple[str, ...]) -> None:
    records = session()
    begun = call(records, CASE, hr_case_id="9", hr_service=str(service), **BEGIN)
    made = call(records, "list_hr_case_tasks", parent_case="9")
    assert tuple(task["task_type"] for task in made) == kinds
    assert begun["generated_tasks"] == [task["number"] for task in made]
    assert {task["status"] for task in made} <= {"ready"}
    call(records, CASE, hr_case_id="9", status="suspended", worknotes="Wait")
    assert call(records, CASE, hr_case_id="9", status="work_in_progress")["generated_tasks"] == []


def test_a_retired_template_generates_no_tasks() -> None:
    records = session("agent", "permissive")
    records.world.execute("UPDATE service_template SET active = 0")
    assert call(records, CASE, hr_case_id="9", **BEGIN)["generated_tasks"] == []


def test_an_employment_is_ended_today_and_once() -> None:
    records = session("admin")
    assert call(records, "offboard_hr_profile", number="HRP00005")["employment_end_date"] == "2026-05-04"
    with pytest.raises(ToolError, match="offboarded already"):
        call(records, "offboard_hr_profile", user_id="5")
    with pytest.raises(ToolError, match="expected one of"):
        call(records, "offboard_hr_profile")


def test_bulk_offboarding_needs_a_filter_and_leaves_those_who_left() -> None:
    records = session("admin")
    with pytest.raises(ToolError, match="at least one filter"):
        call(records, "offboard_hr_profiles")
    ended = call(records, "offboard_hr_profiles", manager="2")
    assert [row["user_id"] for row in ended] == [3]  # 4 has left in January
    with pytest.raises(ToolError, match="not offboarded yet"):
        call(records, "offboard_hr_profiles", manager="2")


def test_personal_data_are_masked_for_agents_and_not_for_managers() -> None:
    seen = call(session("agent"), "get_users_hr_profile", user_id="5")
    assert (seen["national_tax_id"], seen["dob"], seen["personal_email"], seen["position"]) == ("***", "***", "***", "HR")
    assert call(session("agent"), "get_hr_profile_by_personal_email", personal_email="EVA@Home.org")["personal_email"] == "***"
    assert call(session("manager"), "get_users_hr_profile", user_id="5")["national_tax_id"] == "TAX-0005"
    assert call(session("agent", "permissive"), "get_users_hr_profile", user_id="5")["national_tax_id"] == "TAX-0005"


def test_an_employee_sees_their_own_records_only() -> None:
    records = session("employee")
    assert [row["user_id"] for row in call(records, "list_users")] == [5]
    assert {row["opened_for"] for row in call(records, "list_hr_cases")} == {5}
    assert [row["user_id"] for row in call(records, "fetch_hr_profiles")] == [5]
    assert [row["knowledge_id"] for row in call(records, "retrieve_knowledge_articles")] == [1]
    assert len(call(records, "list_hr_case_tasks")) == 6
    with pytest.raises(ToolError, match="may not read"):
        call(records, "list_user_groups")


def test_other_tenants_do_not_exist() -> None:
    records = session("admin", "permissive")
    assert all(row["org_id"] == 1 for row in call(records, "list_users"))
    for tool, arguments in (("get_user", {"user_id": "8"}), (USER, {"user_id": "8", "phone": "1"})):
        with pytest.raises(ToolError, match="no user"):
            call(records, tool, **arguments)
    with pytest.raises(ToolError, match="no user"):
        call(records, "add_new_group_member", group_id="1", user_id="8")


def test_users_are_listed_by_page_filter_and_order() -> None:
    records = session("admin")
    page = call(records, "list_users", limit=2, offset=1, order_by="first_name", order_direction="desc")
    assert [row.get("first_name") for row in page] == ["Ned", "Mia", None]
    assert page[-1] == {"more": 5, "total": 8}
    assert [row["user_id"] for row in call(records, "list_users", roles=["agent"], active=True)] == [3, 7]
    assert [row["user_id"] for row in call(records, "list_users", first_name_like="E", email_like="NORTH")] == [5, 7, 10]


def test_lists_of_keys_are_searched_by_what_they_hold() -> None:
    records = session("admin")
    assert [row["hr_case_id"] for row in call(records, "list_hr_cases", skills=[1])] == [7]
    assert [row["hr_criteria_id"] for row in call(records, "list_hr_criteria", users="6")] == [3, 4]
    assert [row["assignment_rule_id"] for row in call(records, "list_assignment_rules", based_on_skills="[1]", users="7")] == [1]
    made = call(records, "register_hr_criteria", name="x", type="approval", users="[2, 6]")
    assert made["users"] == [2, 6]
    with pytest.raises(ToolError, match="expected keys"):
        call(records, "list_hr_criteria", users="nobody")


def test_counts_and_approvals() -> None:
    records = session("manager")
    assert [row["hr_case_id"] for row in call(records, "find_my_cases_to_approve")] == [4]
    assert call(records, "count_case_for_assignment_group", assignment_group_id=1, statuses=["ready"]) == {"count": 1}
    assert call(records, "count_case_task_for_assignment_group", assignment_group_id=1) == {"count": 1}
    assert call(records, "avg_notifications_by_case", case_ids=[3, 4]) == {"average": 0.5}
    assert call(records, "get_count_of_case_priority_wise", priority_list=["moderate"]) == {"moderate": 10}


def test_a_case_is_changed_only_if_it_was_created_in_time() -> None:
    records = session()
    with pytest.raises(ToolError, match="created then"):
        call(records, CASE, hr_case_id="1", priority="low", created_after="2026-05-02 00:00:00")
    assert call(records, CASE, hr_case_id="1", priority="low", created_before="2026-05-02 00:00:00")["priority"] == "low"


def test_a_service_is_searched_by_at_least_one_thing_and_deleted_softly() -> None:
    records = session("admin")
    with pytest.raises(ToolError, match="at least one"):
        call(records, "find_hr_services")
    gone = call(records, "delete_hr_service", hr_service_id="6", service_name="Pay by hand")
    assert gone["active"] is False
    with pytest.raises(ToolError, match="no hr service"):
        call(records, "delete_hr_service", hr_service_id="1", service_name="Pay rise")


# -- every tool ---------------------------------------------------------------------------------------------

KNOWN = known_values(ROWS)


@every_sort
@pytest.mark.parametrize("tool", HR.tools, ids=lambda tool: tool.name)
def test_no_call_of_any_tool_breaks_the_world(tool: Tool, make: Make) -> None:
    rng = np.random.default_rng(5)
    records = session("admin", "permissive")
    for _ in range(3):
        attempt(tool, records, make(tool, rng, KNOWN))


@pytest.mark.parametrize("tool", [tool for tool in HR.tools if tool.mutates], ids=lambda tool: tool.name)
def test_an_employee_writes_nothing_but_own_cases_and_answers(tool: Tool) -> None:
    rng = np.random.default_rng(5)
    records = session("employee")
    before = {name: records.world.rows(name) for name in records.world.tables()}
    for _ in range(3):
        attempt(tool, records, valid(tool, rng, KNOWN))
    assert {name for name in before if records.world.rows(name) != before[name]} <= {"hr_case", "survey_instance"}
