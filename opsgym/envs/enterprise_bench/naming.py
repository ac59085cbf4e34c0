"""Naming: how a request names a person or a record, directly or through another record, and the lookups that resolve it."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from opsgym.envs.enterprise_bench import access
from opsgym.envs.enterprise_bench.template import Unfit

if TYPE_CHECKING:
    from opsgym.envs.enterprise_bench.draft import Draft, Row


_HALVES = re.compile("(?<=[ -])")

DIRECT = 0.25
"""Share of names that are direct though the parameters ask for indirection; what does not exist has only such, and is not to be
known by it."""

NAMES = 0.5
"""Share of employees who are named though the parameters ask for ids; who does not exist or is one of several only is."""

SHORT = 0.4
"""Share of names of which only the first one is said, where that tells who is meant."""

Style = Literal["whole", "first", "placed"]
"""How a name is said: as a whole, the first one alone, or the first one and the department."""

STYLES: tuple[Style, ...] = get_args(Style)
"""All ways to say a name."""

POOLS = {"client": ("client", "vendor"), "vendor": ("client", "vendor")}
"""Tables whose labels are all taken, where what does not exist of one may be looked for in the other."""


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
    "repository": (Way("the repository of issue {}", "issue", "repo_id", "id", "code", "github_get_issue", "status = 'closed'"),),
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


@dataclass(frozen=True, slots=True)
class Called:
    """How an employee is called.

    Attributes:
        words: The name in the request.
        by: Arguments by which the HR system shows all who are called so.
    """

    words: str
    by: dict[str, str]

    def fits(self, row: Row) -> bool:
        """Whether an employee is called so."""
        has_name = f" {self.by['name']} " in f" {row['name']} "
        return has_name and self.by.get("department", row["department"]) == row["department"]


def called(row: Row, style: Style) -> Called:
    """What an employee is called in a way of saying names."""
    name, department = str(row["name"]), str(row["department"])
    first = name.split()[0]
    if style == "placed":
        return Called(f"{first} from {department}", {"name": first, "department": department})
    said = name if style == "whole" else first
    return Called(said, {"name": said})


def styles(draft: Draft) -> list[Style]:
    """Ways to say names that do not tell the answer, and that tell some employees apart: others would give themselves away."""
    hidden = {"email": "whole", "department": "placed"}.get(draft.asked)
    return [style for style in STYLES if style != hidden and _tells(draft, style)]


def _tells(draft: Draft, style: Style) -> bool:
    """Whether anybody is the only one who is called so."""
    return 1 in Counter(called(row, style).words for row in draft.tables["employee"]).values()


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
    labels = sorted({str(row[column]) for row in draft.tables[table]})
    taken = {str(row[column]) for item in POOLS.get(table, (table,)) for row in draft.tables[item]}
    draw = draft.stream(f"absent/{table}")
    for _ in range(100):
        head, tail = (_HALVES.split(label, maxsplit=1) for label in draw.choices(labels, k=2))
        if len(head) == len(tail) == 2 and head[0] + tail[1] not in taken:
            return head[0] + tail[1]
    raise Unfit(f"every {column} is taken")


def person(draft: Draft, emp_id: str) -> str:
    """How the request names an employee: by id, by name, or through others, as the parameters say."""
    draw, depth = draft.stream(f"name/{emp_id}"), draft.params.indirection
    if emp_id == draft.me.get("reports_to") and draft.stream("manager").random() < 0.5:
        draft.look("Find out who my manager is", "people", "fetch_employee_record", emp_id=draft.me["emp_id"])
        return "my manager"
    if depth == 0 and draw.random() >= NAMES:
        return emp_id
    words, is_indirect = None, depth >= 2 and draw.random() >= DIRECT
    if is_indirect and depth == 2 and draw.random() < 0.5:
        words = _through(draft, "employee", emp_id, draw)
    if is_indirect:
        words = words or _as_manager(draft, emp_id, draw) or _through(draft, "employee", emp_id, draw)
    return words or _by_name(draft, draft.employee(emp_id))


def nobody(draft: Draft) -> str:
    """How the request names somebody who does not exist, by name, since an id would tell it; looked up in vain."""
    draw = draft.stream("nobody")
    is_placed = draft.asked == "email" or (draft.asked != "department" and draw.random() < SHORT)
    name = _absent_from_department(draft, draw) if is_placed else absent(draft, "employee", "name")
    who = name if isinstance(name, Called) else Called(name, {"name": name})
    draft.look(f"Find the employee {who.words}", "people", "fetch_employee_record", **who.by)
    draft.block("not_existing", f"There is no employee {who.words}.")
    if draft.params.indirection >= 2 and draft.lists != "employee" and draw.random() >= DIRECT:
        return f"the manager of {who.words}"
    return who.words


def _absent_from_department(draft: Draft, draw: random.Random) -> Called:
    """A first name that nobody of a department has."""
    staff = draft.tables["employee"]
    for _ in range(100):
        one, two = draw.choices(staff, k=2)
        who = called({**one, "department": two["department"]}, "placed")
        if not any(map(who.fits, staff)):
            return who
    raise Unfit("every first name is taken in every department")


def _as_manager(draft: Draft, emp_id: str, draw: random.Random) -> str | None:
    """Through somebody whose manager they are, who at depth 3 is named through a record."""
    reports = draft.rows(
        "SELECT * FROM employee WHERE reports_to = :id AND is_valid AND emp_id <> :me ORDER BY emp_id",
        id=emp_id,
        me=draft.me["emp_id"],
    )
    if not reports or draft.lists == "employee":
        return None
    report = draw.choice(reports)
    inner = _through(draft, "employee", report["emp_id"], draw) if draft.params.indirection >= 3 else None
    if inner:
        draft.look("Read that employee's record", "people", "fetch_employee_record", emp_id=report["emp_id"])
    return f"the manager of {inner or _by_name(draft, report, is_asked_of=False)}"


def _by_name(draft: Draft, row: Row, *, is_asked_of: bool = True) -> str:
    """By the first name, if that is enough, or by the whole one, and what tells namesakes apart; addresses are made of names."""
    others, hides_email = draft.namesakes_of(row), is_asked_of and draft.asked == "email"
    draft.namesakes += bool(others)
    short = _short(draft, row)
    if short and (hides_email or draft.stream(f"short/{row['emp_id']}").random() < SHORT):
        draft.look(f"Find the employee {short.words}", "people", "fetch_employee_record", **short.by)
        return short.words
    if hides_email and not others:
        raise Unfit("the name would tell the e-mail address")
    draft.look(f"Find the employee {row['name']}", "people", "fetch_employee_record", name=row["name"])
    if not others:
        return str(row["name"])
    if draft.asked != "department" and all(item["department"] != row["department"] for item in others):
        return f"{row['name']} from {row['department']}"
    if hides_email:
        raise Unfit("the e-mail address would tell namesakes apart")
    return f"{row['name']} ({row['email']})"


def _short(draft: Draft, row: Row) -> Called | None:
    """The first name, alone or with the department, where nobody else is called so, whether they are still employed or not."""
    ways = [called(row, style) for style in styles(draft) if style != "whole"]
    fitting = [way for way in ways if sum(map(way.fits, draft.tables["employee"])) == 1]
    return draft.stream(f"call/{row['emp_id']}").choice(fitting) if fitting else None


def _through(draft: Draft, table: str, key: Any, draw: random.Random) -> str | None:
    """The name by a record that refers to the one to be named, that who asks may read, and that the request leaves as it is.

    It is none that the answer lists, which would give a part of it away.

    Records of which who asks reads but some come first, since others are there for almost everybody.
    """
    ways = [
        (way, access.condition_for(draft.params.access, way.table, "read", draft.asker))
        for way in draw.sample(WAYS[table], len(WAYS[table]))
    ]
    for way, allowed in sorted((pair for pair in ways if pair[0].table != draft.lists), key=lambda pair: pair[1] == "1"):
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
