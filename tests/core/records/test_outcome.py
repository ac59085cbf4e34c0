"""An episode ends with work done or with a refusal, and the verdict follows."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.records.allowance import Allowance
from opsgym.core.records.judge import Judge
from opsgym.core.records.outcome import ENDING, Outcome, Reason, outcome, refuse, submit, whoami
from opsgym.core.records.seeding import seeded, seeded_by_sql
from opsgym.core.records.sql_check import SqlCheck
from opsgym.core.records.verdict import verdict
from opsgym.core.tools import Tool
from opsgym.core.verify import Verdict
from tests.core.records.help_desk import AGENT, DOMAIN, TICKET, desk

MAY_OPEN = Allowance(table="ticket", action="update", match={"ticket_id": "TKT_001"}, columns=("status",))
IS_OPEN = SqlCheck(name="open", query="SELECT status FROM ticket WHERE ticket_id = 'TKT_001'", expected="open")
HAS_NOTE = SqlCheck(name="note", query="SELECT count(*) FROM note WHERE ticket_id = 'TKT_001'", expected=1)


def judged(ending: Tool, arguments: dict[str, Any], reasons: tuple[Reason, ...] = (), **values: Any) -> Verdict:
    records = desk()
    before = records.world.snapshot()
    if values:
        records.update(TICKET, {"ticket_id": "TKT_001"}, values)
    ending.function(records, **ending.validate(arguments))
    with Judge(DOMAIN, before, records.world.snapshot(), AGENT) as judge:
        checks = () if reasons else (IS_OPEN, HAS_NOTE)
        return verdict((judge.refusal(reasons), *judge.results(checks, () if reasons else (MAY_OPEN,))))


def test_the_outcome_is_part_of_the_world() -> None:
    records = desk()
    assert outcome(records.world.conn) is None
    refuse.function(records, "ambiguous", "two printers")
    assert outcome(records.world.conn) == Outcome("refuse", "ambiguous", "two printers")


def test_whoami_tells_the_actor() -> None:
    told = whoami.function(desk())
    assert told == {"user_id": "USER_001", "role": "agent", "organization": "ORG_1", "now": "2026-05-04 08:00:00"}


def test_reasons_are_a_closed_list() -> None:
    with pytest.raises(ToolError, match="no_permission"):
        refuse.validate({"reason_code": "bored", "explanation": "x"})


def test_only_ends_are_terminal() -> None:
    assert [(item.name, item.terminal) for item in ENDING] == [("whoami", False), ("submit", True), ("refuse", True)]


def test_part_of_the_work_earns_its_share() -> None:
    found = judged(submit, {}, status="open")
    assert (found.reward, found.is_success, found.gates) == (0.5, False, ())


def test_nothing_done_earns_nothing() -> None:
    assert judged(submit, {}).reward == 0


def test_a_breach_or_collateral_makes_the_reward_nothing() -> None:
    assert judged(submit, {}, status="open", impact="high").gates == ("COLLATERAL", "HD-PRIO")
    assert judged(submit, {}, status="open", minutes=9).gates == ("COLLATERAL",)
    assert judged(submit, {}, status="open", minutes=9).reward == 0


def test_a_due_refusal_earns_everything() -> None:
    found = judged(refuse, {"reason_code": "ambiguous", "explanation": "two"}, ("ambiguous", "policy_conflict"))
    assert (found.reward, found.is_success) == (1, True)


@pytest.mark.parametrize(
    ("ending", "arguments", "values"),
    [
        (refuse, {"reason_code": "missing_tool", "explanation": "x"}, {}),
        (refuse, {"reason_code": "ambiguous", "explanation": "x"}, {"status": "open"}),
        (submit, {}, {}),
    ],
)
def test_a_wrong_late_or_absent_refusal_earns_nothing(ending: Tool, arguments: dict[str, Any], values: dict[str, Any]) -> None:
    assert judged(ending, arguments, ("ambiguous",), **values).reward == 0


def test_a_false_refusal_is_a_failure() -> None:
    assert judged(refuse, {"reason_code": "ambiguous", "explanation": "x"}, status="open").gates == ("REFUSAL",)


@pytest.mark.parametrize(
    "rows",
    [
        {"nowhere": [{"id": 1}]},
        {"org": [{"colour": "red"}]},
        {"org": [{"org_id": "ORG_1"}]},
        {"note": [{"note_id": "NOTE_1", "ticket_id": "TKT_9", "text": "lost"}]},
    ],
)
def test_rows_that_do_not_fit_are_refused(rows: dict[str, Any]) -> None:
    with pytest.raises(TaskError, match="helpdesk"):
        seeded(DOMAIN, rows, today=dt.date(2026, 5, 4))


def test_a_script_that_does_not_fit_is_refused() -> None:
    with pytest.raises(TaskError, match="helpdesk"):
        seeded_by_sql(DOMAIN, "INSERT INTO nowhere VALUES (1)", today=dt.date(2026, 5, 4))


def test_rows_may_refer_to_later_ones() -> None:
    rows: dict[str, Any] = {
        "users": [{"user_id": "USER_001", "email": "a@b.co", "role": "agent", "active": 1, "token": "", "org_id": "ORG_1"}],
        "org": [{"org_id": "ORG_1", "name": "One"}],
    }
    world = seeded(DOMAIN, rows, today=dt.date(2026, 5, 4))
    assert len(world.rows("users")) == len(world.rows("org")) == 1
