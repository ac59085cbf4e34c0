"""Naming: how a request names a person or a record, directly or through another record, and the lookups that resolve it."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from opsgym.envs.enterprise_bench import access
from opsgym.envs.enterprise_bench.template import Unfit

if TYPE_CHECKING:
    from opsgym.envs.enterprise_bench.draft import Draft, Row


_HALVES = re.compile("(?<=[ -])")

DIRECT = 0.25
"""Share of names that are direct though the parameters ask for indirection; what does not exist has only such, and is not to be
known by it."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to name a record through another one, which refers to it and is told by its key.

    Attributes:
        words: The name; braces stand for the other one's key.
        table: Table of the other one.
        column: Its column that refers to the one that is named.
        key: Its column that is its key, and the argument of the tool.
        source: Its source.
        tool: What reads it.
        where: Which of them do, in SQL.
    """

    words: str
    table: str
    column: str
    key: str
    source: str
    tool: str
    where: str = "1"


WAYS: dict[str, tuple[Way, ...]] = {
    "employee": (
        Way("the assignee of IT ticket {}", "it_ticket", "emp_id", "id", "tickets", "get_it_ticket"),
        Way("whoever raised IT ticket {}", "it_ticket", "raised_by_emp_id", "id", "tickets", "get_it_ticket"),
        Way("the owner of repository {}", "repository", "emp_id", "repo_id", "code", "github_get_repository_contents"),
        Way("whoever reported issue {}", "issue", "reported_by", "id", "code", "github_get_issue"),
        Way("whoever asked question {}", "question", "emp_id", "question_id", "overflow", "overflow_read"),
        Way("the author of post {}", "post", "emp_id", "post_id", "social", "social_platform_read"),
        Way("the account owner of customer {}", "customer", "emp_id", "customer_id", "crm", "get_customer"),
        Way("whoever handles support chat {}", "support_chat", "emp_id", "chat_id", "crm", "read_customer_support_chat"),
        Way("our representative for client {}", "client", "emp_id", "client_id", "business", "get_client"),
        Way("the employee in charge of vendor {}", "vendor", "emp_id", "vendor_id", "business", "get_vendor"),
        Way("the sender of mail {}", "mail", "sender_emp_id", "email_id", "mail", "read_email"),
    ),
    "product": (
        Way("the product of sale {}", "sale", "product_id", "sales_record_id", "crm", "get_sales_record"),
        Way("the product of support chat {}", "support_chat", "product_id", "chat_id", "crm", "read_customer_support_chat"),
        Way("the product of review {}", "product_sentiment", "product_id", "sentiment_id", "crm", "get_product_sentiment"),
        Way(
            "the only product of order {}",
            "order_line",
            "product_id",
            "order_id",
            "orders",
            "get_order",
            "(SELECT count(*) FROM order_line other WHERE other.order_id = order_line.order_id) = 1",
        ),
    ),
    "customer": (
        Way("the customer of sale {}", "sale", "customer_id", "sales_record_id", "crm", "get_sales_record"),
        Way("the customer of support chat {}", "support_chat", "customer_id", "chat_id", "crm", "read_customer_support_chat"),
        Way("the customer of order {}", "customer_order", "customer_id", "order_id", "orders", "get_order"),
        Way("the customer of invoice {}", "invoice", "customer_id", "invoice_id", "orders", "get_invoice"),
    ),
    "repository": (Way("the repository of issue {}", "issue", "repo_id", "id", "code", "github_get_issue"),),
    "customer_order": (Way("the order of invoice {}", "invoice", "order_id", "invoice_id", "orders", "get_invoice"),),
}
"""By table, the ways to name its records through others."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How records of a table are named directly.

    Attributes:
        words: The name; braces stand for the label.
        label: The column that it shows, and the argument of tools that find the record by it.
        key: The column of the key, and the argument of tools that find the record by it.
    """

    words: str
    label: str
    key: str


KINDS: dict[str, Kind] = {
    "product": Kind("{}", "product_name", "product_id"),
    "customer": Kind("the customer {}", "customer_name", "customer_id"),
    "repository": Kind("the repository {}", "repo_name", "repo_id"),
    "customer_order": Kind("order {}", "order_id", "order_id"),
    "client": Kind("our client {}", "business_name", "client_id"),
}
"""Tables whose records requests name by :func:`thing`."""


@dataclass(frozen=True, slots=True)
class Named:
    """How a record is named.

    Attributes:
        words: The name in the request.
        by: The argument by which tools find the record.
    """

    words: str
    by: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.words


def thing(draft: Draft, table: str, row: Row) -> Named:
    """How the request names a record: by its label, through another record, or, where it is not to exist, by none's label.

    Args:
        draft: The draft; who asks is known.
        table: The record's table.
        row: The record, with its key and label.
    """
    kind, draw = KINDS[table], draft.stream(f"name/{table}")
    if draft.twin == "not_existing":
        label = absent(draft, table, kind.label)
        return Named(kind.words.format(label), {kind.label: label})
    is_indirect = draft.params.indirection >= 2 and table in WAYS and draw.random() >= DIRECT
    words = _through(draft, table, row[kind.key], draw) if is_indirect else None
    if words:
        return Named(words, {kind.key: row[kind.key]})
    return Named(kind.words.format(row[kind.label]), {kind.label: row[kind.label]})


def absent(draft: Draft, table: str, column: str) -> str:
    """A label that no record of a table has, made of the halves of two that records have.

    Raises:
        Unfit: None is found.
    """
    labels = [str(row[column]) for row in draft.rows(f'SELECT DISTINCT {column} FROM "{table}" ORDER BY 1')]
    draw = draft.stream(f"absent/{table}")
    for _ in range(100):
        head, tail = (_HALVES.split(label, maxsplit=1) for label in draw.choices(labels, k=2))
        if len(head) == len(tail) == 2 and head[0] + tail[1] not in labels:
            return head[0] + tail[1]
    raise Unfit(f"every {column} is taken")


def person(draft: Draft, emp_id: str) -> str:
    """How the request names an employee: by id, by name, or through others, as the parameters say."""
    draw, depth = draft.stream(f"name/{emp_id}"), draft.params.indirection
    if emp_id == draft.me.get("reports_to") and draw.random() < 0.5:
        draft.look("Find out who my manager is", "people", "fetch_employee_record", emp_id=draft.me["emp_id"])
        return "my manager"
    if depth == 0:
        return emp_id
    words, is_indirect = None, depth >= 2 and draw.random() >= DIRECT
    if is_indirect and depth == 2 and draw.random() < 0.5:
        words = _through(draft, "employee", emp_id, draw)
    if is_indirect:
        words = words or _as_manager(draft, emp_id, draw) or _through(draft, "employee", emp_id, draw)
    return words or _by_name(draft, draft.employee(emp_id))


def nobody(draft: Draft) -> str:
    """How the request names somebody who does not exist; looked up in vain."""
    draw = draft.stream("nobody")
    if draft.params.indirection == 0:
        known = len(draft.tables["employee"])
        words = name = f"emp_{draw.randint(known + 1, 3 * known):04}"
        draft.look(f"Read the record of {name}", "people", "fetch_employee_record", emp_id=name)
    else:
        words = name = absent(draft, "employee", "name")
        draft.look(f"Find the employee {name}", "people", "fetch_employee_record", name=name)
        if draft.params.indirection >= 2 and draw.random() >= DIRECT:
            words = f"the manager of {name}"
    draft.block("not_existing", f"There is no employee {name}.")
    return words


def _as_manager(draft: Draft, emp_id: str, draw: random.Random) -> str | None:
    """Through somebody whose manager they are, who at depth 3 is named through a record."""
    reports = draft.rows("SELECT * FROM employee WHERE reports_to = :id ORDER BY emp_id", id=emp_id)
    if not reports:
        return None
    report = draw.choice(reports)
    inner = _through(draft, "employee", report["emp_id"], draw) if draft.params.indirection >= 3 else None
    if inner:
        draft.look("Read that employee's record", "people", "fetch_employee_record", emp_id=report["emp_id"])
    return f"the manager of {inner or _by_name(draft, report)}"


def _by_name(draft: Draft, row: Row) -> str:
    draft.look(f"Find the employee {row['name']}", "people", "fetch_employee_record", name=row["name"])
    others = draft.namesakes_of(row)
    if not others:
        return str(row["name"])
    draft.namesakes += 1
    if draft.asked != "department" and all(item["department"] != row["department"] for item in others):
        return f"{row['name']} from {row['department']}"
    if draft.asked == "email":
        raise Unfit("the e-mail address would tell namesakes apart")
    return f"{row['name']} ({row['email']})"


def _through(draft: Draft, table: str, key: Any, draw: random.Random) -> str | None:
    """The name by a record that refers to the one to be named, that who asks may read, and that the request leaves as it is.

    Records of which who asks reads but some come first, since others are there for almost everybody.
    """
    ways = [
        (way, access.condition_for(draft.params.access, way.table, "read", draft.asker))
        for way in draw.sample(WAYS[table], len(WAYS[table]))
    ]
    for way, allowed in sorted(ways, key=lambda pair: pair[1] == "1"):
        found = draft.rows(
            f'SELECT DISTINCT {way.key} AS key FROM "{way.table}" WHERE {way.column} = :key AND ({way.where}) AND ({allowed})'
            " ORDER BY 1",
            key=key,
        )
        touched = {change.key[0] for change in draft.changes if change.table.name == way.table}
        keys = [row["key"] for row in found if row["key"] not in touched]
        if keys:
            chosen = draw.choice(keys)
            words = way.words.format(chosen)
            draft.look(f"Find out who or what is {words}", way.source, way.tool, **{way.key: chosen})
            return words
    return None
