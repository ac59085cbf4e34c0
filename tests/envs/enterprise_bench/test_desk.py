"""Sessions: hidden records are as missing ones, writes need a grant, and many random calls leave the forbidden alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest

from opsgym.core.errors import ToolError
from opsgym.core.records.invariants import violations
from opsgym.core.world import World
from opsgym.envs.enterprise_bench.access import Persona, condition_for
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.search import TEXTS
from opsgym.envs.enterprise_bench.sources.people import PRIVATE
from opsgym.envs.enterprise_bench.system import TOOLBOX
from tests.envs.enterprise_bench.bases import BASE, call, desk, fresh, personas
from tests.envs.enterprise_bench.oracle import SHOWN, Oracle, Row

WORLD = fresh()
PERSONAS = personas(WORLD)

MARKERS = {
    "message_id": "message",
    "topic": "conversation",
    "email_id": "mail",
    "starter_emp_id": "mail_thread",
    "file_id": "repo_file",
    "reported_by": "issue",
    "creation_date": "repository",
    "sales_record_id": "sale",
    "chat_id": "support_chat",
    "sentiment_id": "product_sentiment",
    "customer_name": "customer",
    "raised_by_emp_id": "it_ticket",
    "client_id": "client",
    "vendor_id": "vendor",
    "least_level": "policy_document",
    "section_id": "policy_section",
    "line_id": "order_line",
    "invoice_id": "invoice",
    "order_date": "customer_order",
}
"""A column that tells of which table a record in a result is."""
IDS = {"conversation_ids": "conversation", "thread_ids": "mail_thread", "email_ids": "mail"}

ONE_RECORD: dict[str, tuple[str, Row]] = {
    "read_email": ("mail", {}),
    "update_email": ("mail", {"subject": "x"}),
    "delete_email": ("mail", {}),
    "fetch_conversation_by_id": ("conversation", {}),
    "edit_message": ("message", {"text": "x"}),
    "github_get_issue": ("issue", {}),
    "github_update_issue": ("issue", {"title": "x"}),
    "github_delete_issue": ("issue", {}),
    "github_update_repository": ("repository", {"license": "MIT"}),
    "github_delete_repository": ("repository", {}),
    "get_sales_record": ("sale", {}),
    "update_sales_record": ("sale", {"quantity": 9}),
    "read_customer_support_chat": ("support_chat", {}),
    "update_customer_support_chat": ("support_chat", {"text": "x"}),
    "get_customer": ("customer", {}),
    "get_it_ticket": ("it_ticket", {}),
    "update_it_ticket": ("it_ticket", {"priority": "low"}),
    "delete_it_ticket": ("it_ticket", {}),
    "get_client": ("client", {}),
    "update_vendor": ("vendor", {"tax_id": "x"}),
    "document_read": ("policy_document", {}),
    "get_order": ("customer_order", {}),
    "get_invoice": ("invoice", {}),
}
"""Tools that tell one record by its key."""


@pytest.mark.parametrize("name", ONE_RECORD)
def test_a_record_that_may_not_be_read_is_refused_like_one_that_is_missing(name: str) -> None:
    table, more = ONE_RECORD[name]
    key = DOMAIN.table(table).id
    tried = 0
    for me in PERSONAS:
        allowed = condition_for("standard", table, "read", me)
        hidden = WORLD.execute(f"SELECT {key} FROM {table} WHERE ({allowed}) IS NOT TRUE LIMIT 3").fetchall()
        session = desk(WORLD, me.emp_id)
        for (place,) in hidden:
            missing = call(session, name, **{key: f"{place[:-4]}x"}, **more)
            assert call(session, name, **{key: place}, **more) == missing
            assert missing["code"] == "not_allowed"
            tried += 1
    assert tried > 0


def test_references_to_hidden_records_are_refused_like_those_to_missing_ones() -> None:
    me = next(one for one in PERSONAS if one.department == "Engineering" and one.level == 9)
    session = desk(fresh(), me.emp_id)
    hidden = WORLD.execute("SELECT repo_id, repo_name FROM repository WHERE emp_id <> ?", (me.emp_id,)).fetchone()
    other = call(session, "github_create_issue", repo_id="repo_x", title="t")
    assert call(session, "github_create_issue", repo_id=hidden[0], title="t") == other
    assert call(session, "github_list_issues_of_repository", repo_name=hidden[1]) == call(
        session, "github_list_issues_of_repository", repo_name="no-such"
    )
    made = call(session, "github_create_repository", repo_name=hidden[1])  # the name is taken, by somebody else
    assert made["repo_name"] == hidden[1]


def test_ids_of_others_are_refused() -> None:
    me, other = PERSONAS[0], PERSONAS[1]
    session = desk(fresh(), me.emp_id)
    for name, more in (
        ("list_it_tickets_assigned_to_me", {"emp_id": other.emp_id}),
        ("list_my_conversations", {"emp_id": other.emp_id}),
        ("send_message", {"sender_emp_id": other.emp_id, "recipient_emp_id": me.emp_id, "text": "x"}),
        ("social_platform_create", {"emp_id": other.emp_id, "title": "x", "post": "x"}),
    ):
        error = call(session, name, **more)
        assert error["code"] == "not_allowed"
        assert "IDENTITY" in error["message"]
        assert me.emp_id in error["message"]


def test_derived_columns_follow_what_is_written() -> None:
    world = fresh()
    boss = next(one for one in PERSONAS if one.department == "HR" and one.level == 14)
    session = desk(world, boss.emp_id)
    row = session.find(DOMAIN.table("employee"), {"level": 9, "is_valid": True})[0]
    total, left = row["total_casual_leaves"], row["remaining_casual_leaves"]
    new = total if left < total else 0
    changed = call(session, "update_employee_record", emp_id=row["emp_id"], remaining_casual_leaves=new)
    assert changed["total_leaves_taken"] == row["total_leaves_taken"] + left - new
    assert violations(DOMAIN, world) == []


def test_the_same_calls_give_the_same_world() -> None:
    digests = set()
    for _ in range(2):
        world, log = fresh(), []
        for _, name, arguments, result in _calls(world, 150, seed=5):
            log.append((name, arguments, result))
        digests.add((world.digest(), repr(log)))
    assert len(digests) == 1


def test_random_calls_leave_forbidden_records_unread_and_unchanged() -> None:
    _storm(300, seed=1)


@pytest.mark.slow
def test_ten_thousand_random_calls_leave_forbidden_records_unread_and_unchanged() -> None:
    _storm(10_000, seed=2)


def _storm(count: int, seed: int) -> None:
    """Check what random calls show against the oracle, and what they write by triggers that log every row."""
    world = fresh()
    oracle = Oracle(world)
    _log_writes(world)
    seen = written = 0
    for me, name, arguments, result in _calls(world, count, seed):
        for table, row in _records(result):
            assert oracle.allows(me, table, "read", row), (me, name, arguments, table, row)
            seen += 1
        for row in _revealed(result):
            assert oracle.allows(me, "employee", "reveal", row), (me, name, arguments, row)
        wrote = _written(world)
        for table, operation, row in wrote:
            if operation == "delete":
                oracle.live[table].gone[row[DOMAIN.table(table).id]] = row
        for table, operation, row in wrote:
            assert oracle.allows(me, table, operation, row), (me, name, arguments, table, row)
            written += 1
    assert seen > count // 10
    assert written > count // 50
    assert violations(DOMAIN, world) == []


def _calls(world: World, count: int, seed: int) -> Iterator[tuple[Persona, str, Row, Any]]:
    draw = random.Random(seed)
    names = list(TOOLBOX)
    keys = {table.name: [key for (key,) in world.execute(f"SELECT {table.id} FROM {table.name}").fetchall()] for table in SHOWN}
    emails = [email for (email,) in world.execute("SELECT email FROM employee").fetchall()]
    for _ in range(count):
        me, name = draw.choice(PERSONAS), draw.choice(names)
        if not world.execute("SELECT is_valid FROM employee WHERE emp_id = ?", (me.emp_id,)).fetchone()[0]:
            continue
        now = Persona(*world.execute("SELECT emp_id, department, level FROM employee WHERE emp_id = ?", (me.emp_id,)).fetchone())
        arguments = random_arguments(draw, name, keys, emails, now)
        yield now, name, arguments, _try(world, now, name, arguments)


def _try(world: World, me: Persona, name: str, arguments: Row) -> Any:
    """A call as environments make it: undone when it fails."""
    tool = TOOLBOX[name]
    try:
        valid = tool.validate(arguments)
        with world.savepoint():
            return tool.function(desk(world, me.emp_id), **valid)
    except ToolError as error:
        return error.as_dict()


def random_arguments(draw: random.Random, name: str, keys: dict[str, list[str]], emails: list[str], me: Persona) -> Row:
    given: Row = {}
    schema = TOOLBOX[name].parameters
    for argument, kind in schema["properties"].items():
        if argument not in schema.get("required", ()) and draw.random() < 0.5:
            continue
        given[argument] = _value(draw, name, argument, kind, keys, emails, me)
    return given


def _value(
    draw: random.Random, tool: str, argument: str, kind: Row, keys: dict[str, list[str]], emails: list[str], me: Persona
) -> Any:
    kind = next((item for item in kind.get("anyOf", ()) if item.get("type") != "null"), kind)
    if "enum" in kind:
        return draw.choice(kind["enum"])
    if argument == "emp_ids":
        return draw.sample(keys["employee"], 2)
    if argument.endswith("emp_id") or argument in ("reports_to", "reported_by"):
        return me.emp_id if draw.random() < 0.4 else draw.choice(keys["employee"])
    if "email" in argument and tool.startswith(("create_email", "list_thread")):
        return draw.choice(emails)
    if argument == "id":
        return draw.choice(keys["it_ticket" if "ticket" in tool else "issue"])
    for table in SHOWN:
        if argument == table.id:
            return draw.choice(keys[table.name])
    if kind.get("type") == "integer":
        return draw.choice((1, 2, 9, 10, 12, 20))
    if kind.get("type") == "number":
        return float(draw.randrange(1, 500))
    if kind.get("type") == "boolean":
        return draw.random() < 0.5
    if argument in ("doj", "dol", "start_date", "end_date") or "date" in argument or argument.endswith("_on"):
        return f"{draw.randrange(2018, 2027)}-03-0{draw.randrange(1, 10)}"
    return draw.choice(("release", "policy", "cable", "a@b.example", "+1-212-555-0123", "MIT"))


def _records(value: Any) -> Iterator[tuple[str, Row]]:
    """The records of a result with their tables, other than deleted ones."""
    if isinstance(value, list):
        for item in value:
            yield from _records(item)
    elif isinstance(value, dict):
        whole = _whole(value)
        if whole is not None:
            yield whole
        for name, item in value.items():
            if name in IDS:
                oracle_table = DOMAIN.table(IDS[name])
                yield from ((oracle_table.name, _row(oracle_table.name, key)) for key in item)
            elif name != "deleted":
                yield from _records(item)


def _whole(value: Row) -> tuple[str, Row] | None:
    """The record of which a dictionary shows columns."""
    table = next((table for column, table in MARKERS.items() if column in value), None)
    return None if table is None else (table, _row(table, value[DOMAIN.table(table).id]))


_CURRENT: list[World] = []


def _row(table: str, key: str) -> Row:
    return dict(Oracle(_CURRENT[-1]).by_key[table][key])


def _revealed(value: Any) -> Iterator[Row]:
    """Employees whose private columns a result shows."""
    if isinstance(value, list):
        for item in value:
            yield from _revealed(item)
    elif isinstance(value, dict):
        if any(value.get(name) not in (None, "***") for name in PRIVATE):
            yield _row("employee", value["emp_id"])
        for item in value.values():
            yield from _revealed(item)


def _log_writes(world: World) -> None:
    """Have every write of a row logged, by triggers outside the world's own tables."""
    _CURRENT.append(world)
    world.execute("CREATE TEMP TABLE log (name TEXT, operation TEXT, row TEXT)")
    for table in SHOWN:
        for event, operation, states in (
            ("INSERT", "create", ("new",)),
            ("UPDATE", "update", ("old", "new")),
            ("DELETE", "delete", ("old",)),
        ):
            for state in states:
                columns = ", ".join(f"'{name}', {state}.{name}" for name in table.names)
                world.execute(
                    f"CREATE TEMP TRIGGER {table.name}_{event}_{state} AFTER {event} ON main.{table.name} BEGIN"
                    f" INSERT INTO log VALUES ('{table.name}', '{operation}', json_object({columns})); END"
                )


def _written(world: World) -> list[tuple[str, Any, Row]]:
    """What was logged since it was asked last."""

    found = [(name, operation, json.loads(row)) for name, operation, row in world.execute("SELECT * FROM log").fetchall()]
    world.execute("DELETE FROM log")
    return found


def test_every_source_that_is_searched_can_be_named() -> None:
    hints = get_type_hints(TOOLBOX["search_documents"].function, include_extras=True)
    assert set(get_args(hints["source"])) == set(TEXTS)
    assert BASE.traps
