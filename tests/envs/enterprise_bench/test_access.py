"""The rules of access against an oracle that is written anew, from their sentences, over rows in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from opsgym.core.errors import RegistryError
from opsgym.envs.enterprise_bench.access import (
    OPERATIONS,
    PRESETS,
    Operation,
    Persona,
    Preset,
    condition,
    condition_for,
    denial,
    grants,
    matrix,
    permits,
    persona_of,
    policy,
    reads_all,
)
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.tables import TABLES
from tests.envs.enterprise_bench.bases import fresh, personas, rows

Row = dict[str, Any]
SHOWN = [table for table in TABLES if table.resource]


class Oracle:
    """Says in plain Python what the sentences of the standard preset say."""

    def __init__(self, world: Any) -> None:
        self.tables = {table.name: list(rows(world, table.name)) for table in SHOWN}
        self.by_key = {table.name: {row[table.id]: row for row in self.tables[table.name]} for table in SHOWN}
        self.boss = {row["emp_id"]: row["reports_to"] for row in self.tables["employee"]}

    def is_below(self, emp_id: str | None, boss: str) -> bool:
        """Whether somebody reports to a boss, directly or not."""
        while emp_id is not None:
            emp_id = self.boss[emp_id]
            if emp_id == boss:
                return True
        return False

    def allows(self, me: Persona, table: str, operation: Operation, row: Row, step: int = 0) -> bool:
        """Whether a persona may do it; ``step`` is what the strict preset adds to grants on whole tables."""
        rule: Callable[..., bool] | None = getattr(self, f"{table}_{operation}", None)
        return rule is not None and rule(me, row, _Level(me, step))

    # people
    def employee_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return True

    def employee_reveal(self, me: Persona, row: Row, at: _Level) -> bool:
        if row["emp_id"] == me.emp_id or self.is_below(row["emp_id"], me.emp_id):
            return True
        return me.department == "HR" and (at.wide(13) or (me.level >= 10 and row["level"] < me.level))

    def employee_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return me.department == "HR" and me.level >= 10 and row["level"] < me.level

    employee_update = employee_create

    # chats and mail
    def conversation_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return me.emp_id in (row["sender_emp_id"], row["recipient_emp_id"])

    def conversation_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return bool(me.emp_id == row["sender_emp_id"])

    conversation_delete = conversation_create

    def message_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return self.conversation_read(me, self.by_key["conversation"][row["conversation_id"]], at)

    def message_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return row["emp_id"] == me.emp_id and self.message_read(me, row, at)

    def message_update(self, me: Persona, row: Row, at: _Level) -> bool:
        return bool(row["emp_id"] == me.emp_id)

    def message_delete(self, me: Persona, row: Row, at: _Level) -> bool:
        return me.emp_id in (row["emp_id"], self.by_key["conversation"][row["conversation_id"]]["sender_emp_id"])

    def mail_thread_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return me.emp_id in (row["starter_emp_id"], row["other_emp_id"])

    def mail_thread_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return bool(row["starter_emp_id"] == me.emp_id)

    def mail_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return me.emp_id in (row["sender_emp_id"], row["recipient_emp_id"])

    mail_delete = mail_read

    def mail_create(self, me: Persona, row: Row, at: _Level) -> bool:
        thread = self.by_key["mail_thread"][row["thread_id"]]
        return row["sender_emp_id"] == me.emp_id and self.mail_thread_read(me, thread, at)

    def mail_update(self, me: Persona, row: Row, at: _Level) -> bool:
        return bool(row["sender_emp_id"] == me.emp_id)

    # code
    def repository_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return row["emp_id"] == me.emp_id or at.wide(10, "Engineering") or at.wide(14)

    def repository_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return me.department == "Engineering" and row["emp_id"] == me.emp_id

    def repository_update(self, me: Persona, row: Row, at: _Level) -> bool:
        if row["emp_id"] == me.emp_id:
            return True
        owner = self.by_key["employee"][row["emp_id"]]
        return me.department == "Engineering" and me.level >= 10 and owner["level"] < me.level

    def repository_delete(self, me: Persona, row: Row, at: _Level) -> bool:
        return row["emp_id"] == me.emp_id or self.is_below(row["emp_id"], me.emp_id)

    def _repo(self, row: Row) -> Row:
        return self.by_key["repository"][row["repo_id"]]

    def repo_file_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return self.repository_read(me, self._repo(row), at)

    issue_read = repo_file_read

    def repo_file_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return self.repository_update(me, self._repo(row), at)

    repo_file_update = issue_update = repo_file_create

    def repo_file_delete(self, me: Persona, row: Row, at: _Level) -> bool:
        repo = self._repo(row)
        return self.repository_update(me, repo, at) or self.repository_delete(me, repo, at)

    issue_delete = repo_file_delete

    def issue_create(self, me: Persona, row: Row, at: _Level) -> bool:
        is_engineer = me.department == "Engineering" and me.level >= 10
        return row["reported_by"] == me.emp_id and (is_engineer or self._repo(row)["emp_id"] == me.emp_id)

    # crm
    def _owns(self, me: Persona, row: Row) -> bool:
        customer = self.by_key["customer"][row["customer_id"]]
        return me.department == "Sales" and customer["emp_id"] == me.emp_id

    def product_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return True

    def product_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(10, "Sales")

    product_update = product_sentiment_update = product_create

    def product_delete(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(12, "Sales")

    sale_delete = support_chat_delete = product_sentiment_delete = product_delete

    def customer_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(9, "Sales", "BPO", "Finance", "Business Development") or at.wide(13)

    def customer_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return self._owns(me, row)

    def customer_update(self, me: Persona, row: Row, at: _Level) -> bool:
        return self._owns(me, row) or at.wide(12, "Sales")

    def sale_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return self._owns(me, row) or at.wide(10, "Sales") or at.wide(9, "Finance") or at.wide(14)

    def sale_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return self._owns(me, row) or at.wide(10, "Sales")

    sale_update = customer_update

    def support_chat_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return row["emp_id"] == me.emp_id or self._owns(me, row) or at.wide(10, "Sales") or at.wide(12, "BPO")

    def support_chat_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return me.department in ("Sales", "BPO") and row["emp_id"] == me.emp_id

    def support_chat_update(self, me: Persona, row: Row, at: _Level) -> bool:
        is_desk = me.department in ("Sales", "BPO")
        return is_desk and (row["emp_id"] == me.emp_id or (me.level >= 10 and self.is_below(row["emp_id"], me.emp_id)))

    def product_sentiment_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(9, "Sales", "BPO", "Engineering") or at.wide(12)

    def product_sentiment_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(9, "Sales")

    # tickets
    def it_ticket_read(self, me: Persona, row: Row, at: _Level) -> bool:
        if me.emp_id in (row["raised_by_emp_id"], row["emp_id"]) or at.wide(10, "Information Technology"):
            return True
        return me.level >= 10 and self.is_below(row["raised_by_emp_id"], me.emp_id)

    def it_ticket_create(self, me: Persona, row: Row, at: _Level) -> bool:
        is_own = row["raised_by_emp_id"] == me.emp_id and row["emp_id"] is None
        return is_own or at.wide(10, "Information Technology")

    def it_ticket_update(self, me: Persona, row: Row, at: _Level) -> bool:
        is_staff = me.department == "Information Technology"
        return (is_staff and row["emp_id"] == me.emp_id) or at.wide(10, "Information Technology")

    def it_ticket_delete(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(12, "Information Technology")

    # forums
    def question_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return True

    answer_read = post_read = question_read

    def question_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return bool(row["emp_id"] == me.emp_id)

    question_update = answer_create = answer_update = post_create = post_update = question_create

    def question_delete(self, me: Persona, row: Row, at: _Level) -> bool:
        return row["emp_id"] == me.emp_id or at.wide(13, "Engineering", "Information Technology")

    answer_delete = question_delete

    def post_delete(self, me: Persona, row: Row, at: _Level) -> bool:
        return row["emp_id"] == me.emp_id or at.wide(12, "HR")

    # business
    def client_read(self, me: Persona, row: Row, at: _Level) -> bool:
        is_wide = at.wide(9, "Business Development", "Management") or at.wide(12, "Finance") or at.wide(14)
        return row["emp_id"] == me.emp_id or is_wide

    def vendor_read(self, me: Persona, row: Row, at: _Level) -> bool:
        is_wide = at.wide(9, "Management", "Finance") or at.wide(10, "Business Development") or at.wide(14)
        return row["emp_id"] == me.emp_id or is_wide

    def client_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(10, "Business Development")

    def vendor_create(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(10, "Management")

    def client_update(self, me: Persona, row: Row, at: _Level) -> bool:
        return row["emp_id"] == me.emp_id or at.wide(12, "Business Development")

    def vendor_update(self, me: Persona, row: Row, at: _Level) -> bool:
        return row["emp_id"] == me.emp_id or at.wide(12, "Management")

    def client_delete(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(13, "Business Development")

    def vendor_delete(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(13, "Management")

    # documents, orders
    def policy_document_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return row["department"] == me.department or row["least_level"] <= me.level

    def policy_section_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return self.policy_document_read(me, self.by_key["policy_document"][row["document_id"]], at)

    def customer_order_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return self._owns(me, row) or at.wide(9, "Finance") or at.wide(12, "Sales") or at.wide(14)

    invoice_read = customer_order_read

    def order_line_read(self, me: Persona, row: Row, at: _Level) -> bool:
        return self.customer_order_read(me, self.by_key["customer_order"][row["order_id"]], at)

    def customer_order_update(self, me: Persona, row: Row, at: _Level) -> bool:
        return self._owns(me, row) or at.wide(10, "Finance")

    def invoice_update(self, me: Persona, row: Row, at: _Level) -> bool:
        return at.wide(10, "Finance")


class _Level:
    """Grants on whole tables, which need one level more in the strict preset."""

    def __init__(self, me: Persona, step: int) -> None:
        self.me, self.step = me, step

    def wide(self, least: int, *departments: str) -> bool:
        levels = (9, 10, 12, 13, 14)
        needed = levels[min(levels.index(least) + self.step, 4)]
        return self.me.level >= needed and (not departments or self.me.department in departments)


WORLD = fresh()
ORACLE = Oracle(WORLD)
PERSONAS = personas(WORLD)


def test_personas_cover_all_departments_and_levels_of_the_company() -> None:
    there = WORLD.execute("SELECT DISTINCT department, level FROM employee WHERE is_valid").fetchall()
    assert {(one.department, one.level) for one in PERSONAS} == set(there)
    assert {one.level for one in PERSONAS} == {9, 10, 12, 13, 14}


@pytest.mark.parametrize("preset", ["standard", "strict"])
@pytest.mark.parametrize("table", [table.name for table in SHOWN])
def test_every_persona_operation_and_record_is_decided_as_the_sentences_say(table: str, preset: Preset) -> None:
    step = int(preset == "strict")
    key = DOMAIN.table(table).id
    listed = ORACLE.tables[table][:: 1 + len(ORACLE.tables[table]) // 400]
    some = {row[key] for row in listed}
    for me in PERSONAS:
        for operation in OPERATIONS:
            allowed = condition_for(preset, table, operation, me)
            found = {place for (place,) in WORLD.execute(f"SELECT {key} FROM {table} WHERE {allowed}").fetchall()}
            expected = {row[key] for row in listed if ORACLE.allows(me, table, operation, row, step)}
            assert found & some == expected, (me, operation)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_condition_for_any_actor_says_the_same_as_that_for_one(preset: Preset) -> None:
    for table in SHOWN:
        for operation in OPERATIONS:
            general = condition(preset, table.name, operation)
            for me in PERSONAS[::6]:
                special = condition_for(preset, table.name, operation, me)
                sql = f"SELECT count(*) FROM {table.name} WHERE {{}}"
                bound = {"actor": me.emp_id} if ":actor" in general else {}
                assert (
                    WORLD.execute(sql.format(f"({general})"), bound).fetchone()
                    == WORLD.execute(  # type: ignore[arg-type]  # a mapping is one form of parameters
                        sql.format(f"({special})")
                    ).fetchone()
                )


def test_open_allows_everything_and_strict_nothing_more_than_standard() -> None:
    for me in PERSONAS:
        for table in SHOWN:
            for operation in OPERATIONS:
                assert condition_for("open", table.name, operation, me) == "1"
    held = {preset: sum(grant.holds(me) for me in PERSONAS for grant in grants(preset)) for preset in ("standard", "strict")}
    assert held["strict"] < held["standard"]


def test_what_nothing_grants_is_denied() -> None:
    for me in PERSONAS:
        assert condition_for("standard", "employee", "delete", me) == "0"
        assert condition_for("standard", "policy_document", "update", me) == "0"
    assert "NO-GRANT" in denial("standard", "employee", "delete")


@pytest.mark.parametrize("preset", PRESETS)
def test_grants_have_one_id_each_and_stand_in_policy_and_matrix(preset: Preset) -> None:
    ids = [grant.id for grant in grants(preset)]
    assert len(ids) == len(set(ids))
    text = policy(preset)
    for _, _, name, sentence in matrix(preset):
        assert name in text
        assert sentence in text
        assert sentence.endswith(".")


def test_permits_and_reads_all_decide_for_keys() -> None:
    mail = ORACLE.tables["mail"][0]
    other = next(one.emp_id for one in PERSONAS if one.emp_id not in (mail["sender_emp_id"], mail["recipient_emp_id"]))
    sender = next(row["emp_id"] for row in ORACLE.tables["employee"] if row["is_valid"])
    sent = next(row for row in ORACLE.tables["mail"] if row["sender_emp_id"] == sender)
    assert permits(WORLD.conn, "standard", sender, "mail", "update", sent["email_id"])
    assert not permits(WORLD.conn, "standard", other, "mail", "read", mail["email_id"])
    assert not reads_all(WORLD.conn, "standard", other, "mail")
    assert reads_all(WORLD.conn, "standard", other, "product")


def test_who_has_left_has_no_persona() -> None:
    gone = next(row["emp_id"] for row in ORACLE.tables["employee"] if not row["is_valid"])
    with pytest.raises(RegistryError, match="employee"):
        persona_of(WORLD.conn, gone)
    with pytest.raises(RegistryError, match="preset"):
        grants("none")  # type: ignore[arg-type]  # on purpose
