"""Several writes as one call: held against the rules when the last is done, all or none."""

from __future__ import annotations

import pytest

from opsgym.core.errors import ToolError
from opsgym.core.records.signature import Argument, declared
from tests.core.records.help_desk import NOTE, TICKET, desk


def test_rules_are_held_against_the_last_state_only() -> None:
    records = desk("strict")
    wrong = {"impact": "high", "urgency": "high"}
    with pytest.raises(ToolError, match="HD-PRIO"):
        records.create(TICKET, {"title": "x"} | wrong)
    with records.together():
        made = records.create(TICKET, {"title": "x"} | wrong)
        records.update(TICKET, {"ticket_id": made["ticket_id"]}, {"priority": "p1"})
    assert records.get(TICKET, {"ticket_id": made["ticket_id"]})["priority"] == "p1"


def test_a_breach_undoes_all_of_them() -> None:
    records = desk("strict")
    before = records.world.digest()
    with pytest.raises(ToolError, match="HD-PRIO"), records.together():
        records.create(NOTE, {"ticket_id": "TKT_003", "text": "said x"})
        records.create(TICKET, {"title": "x", "impact": "high", "urgency": "high"})
    assert records.world.digest() == before
    records.create(NOTE, {"ticket_id": "TKT_003", "text": "said x"})  # and the next write is held against them at once
    with pytest.raises(ToolError, match="HD-PRIO"):
        records.create(TICKET, {"title": "x", "impact": "high", "urgency": "high"})


def test_a_record_may_come_and_go_within_them() -> None:
    records = desk("strict")
    before = records.world.rows("ticket")
    with records.together():
        made = records.create(TICKET, {"title": "x"})
        records.delete(TICKET, {"ticket_id": made["ticket_id"]})
    assert records.world.rows("ticket") == before


def test_an_argument_may_be_named_like_a_word_of_python() -> None:
    tool = declared("read", "Read", (Argument("from", str, "Where."),), lambda records, given: given["from"])
    assert tool.function(desk(), **tool.validate({"from": "here"})) == "here"
    assert tool.parameters["required"] == ["from"]
