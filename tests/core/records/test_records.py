"""Records are read and written by their declarations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from opsgym.core.errors import RegistryError, ToolError, ToolErrorCode
from opsgym.core.records.records import Records
from tests.core.records.help_desk import AGENT, DOMAIN, NOTE, REPORTER, TICKET, USER, desk, open_world


def refused(records: Records, code: ToolErrorCode, tool: str, **arguments: Any) -> str:
    """The message of a call that must be refused and leave the world as it was."""
    before = records.world.digest()
    with pytest.raises(ToolError) as caught:
        call(records, tool, **arguments)
    assert caught.value.code == code
    assert records.world.digest() == before
    return caught.value.message


def call(records: Records, tool: str, **arguments: Any) -> Any:
    item = DOMAIN.toolbox[tool]
    return item.function(records, **item.validate(arguments))


def test_a_new_record_gets_key_number_tenant_defaults_and_time() -> None:
    made = call(desk(), "create_ticket", title="mouse")
    assert made["ticket_id"] == "TKT_004"
    assert made["number"] == "TKT0000003"
    assert (made["org_id"], made["caller_id"]) == ("ORG_1", "USER_001")
    assert (made["status"], made["priority"], made["minutes"]) == ("new", "p3", None)
    assert made["created_on"] == made["updated_on"] == "2026-05-04 08:00:00"


def test_what_is_returned_is_what_is_stored() -> None:
    records = desk()
    made = call(records, "create_ticket", title="mouse", impact="high")
    assert call(records, "find_ticket_by_number", number=made["number"]) == made


def test_an_update_changes_what_is_given_and_the_time() -> None:
    records = desk()
    before = records.get(TICKET, {"ticket_id": "TKT_001"})
    records.world.advance(minutes=5)
    after = call(records, "update_ticket", ticket_id="TKT_001", impact="high", priority="p1")
    assert {name for name in after if after[name] != before[name]} == {"impact", "priority", "updated_on"}
    assert after["updated_on"] == "2026-05-04 08:05:00"


def test_an_update_that_changes_nothing_is_refused() -> None:
    refused(desk(), "invalid_value", "update_ticket", ticket_id="TKT_001", impact="low")


def test_an_empty_text_clears_what_need_not_be_filled() -> None:
    records = desk()
    assert call(records, "update_ticket", ticket_id="TKT_003", assigned_to="")["assigned_to"] is None
    refused(records, "invalid_value", "update_ticket", ticket_id="TKT_003", answer="a" * 201)


def test_secrets_are_not_shown_and_flags_are_booleans() -> None:
    (user,) = desk().find(USER, {"user_id": "USER_004"})
    assert user["active"] is False
    assert "token" not in user


def test_entering_a_state_is_dated() -> None:
    records = desk()
    call(records, "update_ticket", ticket_id="TKT_001", status="open")
    done = call(records, "update_ticket", ticket_id="TKT_001", status="done", answer="paper")
    assert done["done_on"] == "2026-05-04 08:00:00"


@pytest.mark.parametrize(
    "given", ["2026-05-04T10:00:00", "2026-05-04 10:00", "2026-05-04T10:00:00Z", "2026-05-04T12:00:00.5+02:00"]
)
def test_times_are_kept_in_one_form(given: str) -> None:
    records = desk()
    made = records.create(TICKET, {"title": "x", "done_on": given})
    assert made["done_on"] == "2026-05-04 10:00:00"
    assert records.find(TICKET, {"done_on": given}) == [made]


def test_other_tenants_do_not_exist() -> None:
    records = desk()
    assert [row["ticket_id"] for row in call(records, "list_tickets")] == ["TKT_001", "TKT_003"]
    assert [row["note_id"] for row in call(records, "list_notes")] == ["NOTE_001"]
    assert call(records, "find_ticket_by_number", number="TKT0000001")["ticket_id"] == "TKT_001"
    refused(records, "not_found", "update_ticket", ticket_id="TKT_002", impact="high")
    refused(records, "not_found", "delete_tickets", ticket_id="TKT_002")
    refused(records, "not_found", "create_ticket", title="x", caller_id="USER_003")
    refused(records, "not_found", "add_note", ticket_id="TKT_002", text="mine now")


def test_searches_combine_and_know_times() -> None:
    records = desk()
    assert call(records, "list_tickets", status="new", caller_id="USER_001") == []
    assert [row["ticket_id"] for row in call(records, "list_tickets", created_after="2026-05-02")] == ["TKT_003"]
    assert [row["ticket_id"] for row in call(records, "list_tickets", created_before="2026-05-02")] == ["TKT_001"]
    refused(records, "invalid_value", "list_tickets", created_after="yesterday")
    refused(records, "invalid_value", "list_tickets", minutes=2**63)


def test_counts_and_sums_cover_all_values_or_those_asked_for() -> None:
    records = desk()
    assert call(records, "count_tickets", status="new") == {"count": 1}
    assert call(records, "minutes_by_status") == {"new": 5, "open": 0, "done": 9}
    assert call(records, "minutes_by_status", statuses=["done"]) == {"done": 9}


def test_removing_needs_a_filter_and_a_match() -> None:
    records = desk()
    refused(records, "missing_field", "delete_tickets")
    refused(records, "not_found", "delete_tickets", status="open")
    refused(records, "bad_state", "delete_tickets", status="done")  # its note refers to it
    assert [row["ticket_id"] for row in call(records, "delete_tickets", status="new")["deleted"]] == ["TKT_001"]


def test_conditions_and_uniqueness_are_told_in_words() -> None:
    records = desk()
    assert refused(records, "invalid_value", "add_note", ticket_id="TKT_001", text="x") == "A note says more than x."
    with pytest.raises(ToolError, match="same email"):
        records.create(USER, {"email": "bob@one.com", "role": "agent"})


def test_sql_in_arguments_is_text() -> None:
    records = desk()
    text = "x'); DROP TABLE ticket; --"
    assert call(records, "create_ticket", title=text)["title"] == text
    assert call(records, "list_tickets", number="' OR 1=1 --") == []


@pytest.mark.parametrize(
    ("tool", "arguments", "rule"),
    [
        ("update_ticket", {"ticket_id": "TKT_001", "status": "done", "answer": "a"}, "HD-LIFE-MOVE"),
        ("update_ticket", {"ticket_id": "TKT_001", "impact": "high"}, "HD-PRIO"),
        ("update_ticket", {"ticket_id": "TKT_001", "assigned_to": "USER_004"}, "HD-ASSIGN"),
        ("update_ticket", {"ticket_id": "TKT_001", "assigned_to": "USER_002"}, "HD-ASSIGN"),
        ("update_ticket", {"ticket_id": "TKT_003", "answer": ""}, "HD-LIFE-NEED-DONE"),
        ("create_ticket", {"title": "x", "urgency": "high"}, "HD-PRIO"),
    ],
)
def test_strict_tools_refuse_with_the_rule_and_permissive_ones_do_not(tool: str, arguments: dict[str, Any], rule: str) -> None:
    message = refused(desk("strict"), "not_allowed", tool, **arguments)
    assert message == f"{rule}: {DOMAIN.rule_by_id[rule].sentence}"
    call(desk(), tool, **arguments)


def test_strict_deletion_knows_rules_before_references() -> None:
    assert refused(desk("strict"), "not_allowed", "delete_tickets", status="done").startswith("HD-KEEP")


def test_a_start_rule_binds_creation_only() -> None:
    records = desk("strict")
    with pytest.raises(ToolError, match="HD-LIFE-START"):
        records.create(TICKET, {"title": "x", "status": "open"})
    records.update(TICKET, {"ticket_id": "TKT_001"}, {"status": "open"})


def test_a_computed_column_is_filled_by_the_tool() -> None:
    computed = replace(DOMAIN, matrices=(replace(DOMAIN.matrices[0], computed=True),))
    records = Records(computed, open_world(), AGENT, enforcement="strict")
    assert records.create(TICKET, {"title": "x", "impact": "high"})["priority"] == "p2"
    assert records.update(TICKET, {"ticket_id": "TKT_001"}, {"impact": "high"})["priority"] == "p1"


def test_rights_bind_in_strict_mode_only() -> None:
    strict = desk("strict", REPORTER)
    assert call(strict, "list_tickets")
    assert refused(strict, "not_allowed", "add_note", ticket_id="TKT_001", text="hello").startswith("RIGHTS")
    with pytest.raises(ToolError, match="RIGHTS"):
        strict.find(USER, {})
    assert call(desk("permissive", REPORTER), "add_note", ticket_id="TKT_001", text="hello")


def test_an_obligation_binds_no_single_call() -> None:
    records = desk("strict")
    call(records, "update_ticket", ticket_id="TKT_001", status="open")
    call(records, "update_ticket", ticket_id="TKT_001", status="done", answer="paper")


def test_unknown_names_are_refused() -> None:
    with pytest.raises(RegistryError, match="lenient"):
        Records(DOMAIN, open_world(), REPORTER, enforcement="lenient")  # type: ignore[arg-type]  # wrong on purpose


def test_writes_are_told_to_the_watch_of_the_world() -> None:
    records = desk()
    stamp = records.world.stamp("ticket", "note")
    call(records, "add_note", ticket_id="TKT_001", text="hello")
    assert records.world.stamp("ticket", "note") != stamp
    assert len(records.find(NOTE, {"ticket_id": "TKT_001"})) == 1


def test_a_tool_may_search_by_a_condition_of_its_own_within_the_tenant() -> None:
    records = desk()
    everything = records.find(TICKET, {})
    found = records.find(TICKET, {}, where="title LIKE ? OR 1", bound=["%none%"])
    assert found == everything
    assert records.find(TICKET, {}, where="number = ?", bound=["none"]) == []
