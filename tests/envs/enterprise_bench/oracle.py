"""The rules of access in plain Python, written from their sentences and from nothing else of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from opsgym.core.world import World
from opsgym.envs.enterprise_bench.access import Operation, Persona
from opsgym.envs.enterprise_bench.tables import TABLES

Row = dict[str, Any]
SHOWN = [table for table in TABLES if table.resource]


class _Live(Mapping[str, Row]):
    """Rows of a table by key, read when they are asked for; ``gone`` are those that were deleted."""

    def __init__(self, world: World, table: str, key: str) -> None:
        self.world, self.table, self.key = world, table, key
        self.names = world.columns(table)
        self.gone: dict[str, Row] = {}

    def __getitem__(self, key: str) -> Row:
        found = self.world.execute(f"SELECT * FROM {self.table} WHERE {self.key} = ?", (key,)).fetchone()
        if found is None:
            return self.gone[key]
        return dict(zip(self.names, found, strict=True))

    def __iter__(self) -> Iterator[str]:
        return (key for (key,) in self.world.execute(f"SELECT {self.key} FROM {self.table}").fetchall())

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Oracle:
    """Says in plain Python what the sentences of the standard preset say."""

    def __init__(self, world: World) -> None:
        self.live = {table.name: _Live(world, table.name, table.id) for table in SHOWN}
        self.by_key: dict[str, Mapping[str, Row]] = dict(self.live)

    def is_below(self, emp_id: str | None, boss: str) -> bool:
        """Whether somebody reports to a boss, directly or not."""
        while emp_id is not None:
            emp_id = self.by_key["employee"][emp_id]["reports_to"]
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
        if me.department == "Sales" and row["emp_id"] == me.emp_id:
            return True
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
        return bool(row["department"] == me.department or row["least_level"] <= me.level)

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
