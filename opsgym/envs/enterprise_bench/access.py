"""Access: the one place that says who may do what with which record.

A grant names departments and a least level, an operation on a table, and a condition over the record.  What nothing grants is
denied.  From the grants come filters of reads and of search, refusals of writes and their words, masks, and the matrix in the
documentation.  The source (EnterpriseBench, section 3.2.2, appendix A.4.2 and figure 10) gives the repositories' grants; the
others follow its pattern.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

from opsgym.core.errors import RegistryError
from opsgym.envs.enterprise_bench.sources.people import LEVELS
from opsgym.envs.enterprise_bench.tables import TABLES

Operation = Literal["read", "create", "update", "delete", "reveal"]
"""``"reveal"`` is to read the private columns of a record."""

OPERATIONS: tuple[Operation, ...] = get_args(Operation)

_WRITES: tuple[Operation, ...] = ("create", "update", "delete")

Preset = Literal["standard", "open", "strict"]
"""``"standard"``; ``"open"``: everybody may do everything; ``"strict"``: grants on whole tables need one level more."""

PRESETS: tuple[Preset, ...] = get_args(Preset)

REPORTS = (
    "WITH RECURSIVE line(id) AS (SELECT emp_id FROM employee WHERE reports_to = :actor"
    " UNION SELECT report.emp_id FROM employee AS report JOIN line ON report.reports_to = line.id) SELECT id FROM line"
)
"""Ids of everybody who reports to the actor, directly or not."""


@dataclass(frozen=True, slots=True)
class Persona:
    """Whose rights count.

    Attributes:
        emp_id: Employee id.
        department: Department.
        level: 9, 10, 12, 13 or 14.
    """

    emp_id: str
    department: str
    level: int


@dataclass(frozen=True, slots=True)
class Grant:
    """A right.

    Attributes:
        id: Short name that denials give.
        table: The table.
        operation: What may be done.
        what: The rest of the sentence, after "may": such as "read all sales".
        departments: Whose right it is; empty for everybody's.
        least: Least level.
        which: Which records, in SQL over the table's columns, ``:actor``, ``:level`` and ``:department``; empty for all.
    """

    id: str
    table: str
    operation: Operation
    what: str
    departments: tuple[str, ...] = ()
    least: int = 9
    which: str = ""

    @property
    def sentence(self) -> str:
        """The right as agents read it."""
        who = f"Employees of {' and '.join(self.departments)}" if self.departments else "Employees"
        if self.least > min(LEVELS):
            who += f" at level {self.least}" + (" or above" if self.least < max(LEVELS) else "")
        return f"{who if self.departments or self.least > min(LEVELS) else 'Everybody'} may {self.what}."

    def holds(self, persona: Persona) -> bool:
        """Whether a persona has it, for some records at least."""
        return persona.level >= self.least and (not self.departments or persona.department in self.departments)


# -- conditions ---------------------------------------------------------------------------------------------


def _of(parent: str, ref: str, which: str) -> str:
    """Records whose parent record is such."""
    return f"EXISTS (SELECT 1 FROM {parent} WHERE {parent}.{ref.split('=')[1]} = {ref.split('=')[0]} AND ({which}))"


def _line(column: str) -> str:
    return f"{column} IN ({REPORTS})"


_MY_CHAT = ":actor IN (conversation.sender_emp_id, conversation.recipient_emp_id)"
_MY_THREAD = ":actor IN (mail_thread.starter_emp_id, mail_thread.other_emp_id)"
_MY_REPO = "repository.emp_id = :actor"
_LOWER_OWNER = "(SELECT owner.level FROM employee AS owner WHERE owner.emp_id = repository.emp_id) < :level"
_REPO_OF_FILE = "repo_file.repo_id=repo_id"
_REPO_OF_ISSUE = "issue.repo_id=repo_id"
_MY_CUSTOMER = "EXISTS (SELECT 1 FROM customer WHERE customer.customer_id = {}.customer_id AND customer.emp_id = :actor)"
_DOCUMENT = "policy_document.department = :department OR policy_document.least_level <= :level"
_ORDER_OF_LINE = "order_line.order_id=order_id"
_DESK = ("Sales", "BPO")
_CRM = ("Sales", "BPO", "Finance", "Business Development")


def _people() -> Iterator[Grant]:
    lower = "employee.emp_id <> :actor AND employee.level < :level"
    yield Grant("EMP-DIRECTORY", "employee", "read", "read the directory of employees")
    yield Grant("EMP-OWN", "employee", "reveal", "see their own salary, leave and review", which="employee.emp_id = :actor")
    yield Grant(
        "EMP-LINE", "employee", "reveal", "see salary, leave and review of who reports to them", which=_line("employee.emp_id")
    )
    yield Grant("EMP-HR", "employee", "reveal", "see salary, leave and review of lower levels", ("HR",), 10, lower)
    yield Grant("EMP-HR-ALL", "employee", "reveal", "see everybody's salary, leave and review", ("HR",), 13)
    yield Grant("EMP-HIRE", "employee", "create", "register employees of lower levels", ("HR",), 10, lower)
    yield Grant("EMP-EDIT", "employee", "update", "update employees of lower levels", ("HR",), 10, lower)


def _chats() -> Iterator[Grant]:
    yield Grant("CHAT-OWN", "conversation", "read", "read the conversations that they take part in", which=_MY_CHAT)
    yield Grant("CHAT-NEW", "conversation", "create", "begin conversations", which="conversation.sender_emp_id = :actor")
    yield Grant(
        "CHAT-END", "conversation", "delete", "delete conversations that they began", which="conversation.sender_emp_id = :actor"
    )
    mine = _of("conversation", "message.conversation_id=conversation_id", _MY_CHAT)
    ours = _of("conversation", "message.conversation_id=conversation_id", "conversation.sender_emp_id = :actor")
    yield Grant("MSG-OWN", "message", "read", "read messages of conversations that they take part in", which=mine)
    yield Grant(
        "MSG-NEW", "message", "create", "write messages in conversations of theirs", which=f"message.emp_id = :actor AND {mine}"
    )
    yield Grant("MSG-EDIT", "message", "update", "change messages that they wrote", which="message.emp_id = :actor")
    yield Grant("MSG-DROP", "message", "delete", "delete messages that they wrote", which="message.emp_id = :actor")
    yield Grant("MSG-END", "message", "delete", "delete the messages of conversations that they began", which=ours)


def _mail() -> Iterator[Grant]:
    party = ":actor IN (mail.sender_emp_id, mail.recipient_emp_id)"
    mine = "mail.sender_emp_id = :actor"
    in_thread = _of("mail_thread", "mail.thread_id=thread_id", _MY_THREAD)
    yield Grant("THREAD-OWN", "mail_thread", "read", "read the mail threads that they take part in", which=_MY_THREAD)
    yield Grant("THREAD-NEW", "mail_thread", "create", "begin mail threads", which="mail_thread.starter_emp_id = :actor")
    yield Grant("MAIL-OWN", "mail", "read", "read mails that they sent or received", which=party)
    yield Grant("MAIL-SEND", "mail", "create", "send mails in threads of theirs", which=f"{mine} AND {in_thread}")
    yield Grant("MAIL-EDIT", "mail", "update", "change mails that they sent", which=mine)
    yield Grant("MAIL-DROP", "mail", "delete", "delete mails that they sent or received", which=party)


def _code() -> Iterator[Grant]:
    engineers = ("Engineering",)
    seen = (  # figure 10: the owner, engineers of level 10 or above, the highest level
        ("OWN", "of repositories that they own", (), 9, _MY_REPO),
        ("ENG", "of all repositories", engineers, 10, ""),
        ("TOP", "of all repositories", (), 14, ""),
    )
    for name, words, departments, least, which in seen:
        noun = words.removeprefix("of ")
        yield Grant(f"REPO-{name}", "repository", "read", f"read {noun}", departments, least, which)
        for table, ref, things in (("repo_file", _REPO_OF_FILE, "files"), ("issue", _REPO_OF_ISSUE, "issues")):
            inner = which and _of("repository", ref, which)
            prefix = "FILE" if table == "repo_file" else "ISSUE"
            yield Grant(f"{prefix}-{name}", table, "read", f"read the {things} {words}", departments, least, inner)
    yield Grant("REPO-NEW", "repository", "create", "create repositories of their own", engineers, 9, _MY_REPO)
    edits = (  # "if an employee at the same level attempts ... edit access ... the agent will revoke the request"
        ("MINE", "repositories that they own", (), 9, _MY_REPO),
        ("SENIOR", "repositories whose owner has a lower level", engineers, 10, _LOWER_OWNER),
    )
    for name, words, departments, least, which in edits:
        yield Grant(f"REPO-EDIT-{name}", "repository", "update", f"update {words}", departments, least, which)
        files, issues = _of("repository", _REPO_OF_FILE, which), _of("repository", _REPO_OF_ISSUE, which)
        for action in _WRITES:
            verb = f"{action} files of"
            yield Grant(f"FILE-{action.upper()}-{name}", "repo_file", action, f"{verb} {words}", departments, least, files)
        for action in _WRITES[1:]:
            verb = f"{action} issues of"
            yield Grant(f"ISSUE-{action.upper()}-{name}", "issue", action, f"{verb} {words}", departments, least, issues)
    reported = "issue.reported_by = :actor"
    own = _of("repository", _REPO_OF_ISSUE, _MY_REPO)
    yield Grant("ISSUE-NEW-OWN", "issue", "create", "report issues of repositories that they own", which=f"{reported} AND {own}")
    yield Grant("ISSUE-NEW", "issue", "create", "report issues of all repositories", engineers, 10, reported)
    owned = f"{_MY_REPO} OR {_line('repository.emp_id')}"
    yield Grant("REPO-DROP", "repository", "delete", "delete repositories of theirs and of who reports to them", which=owned)
    for table, ref, prefix in (("repo_file", _REPO_OF_FILE, "FILE"), ("issue", _REPO_OF_ISSUE, "ISSUE")):
        things = "files" if table == "repo_file" else "issues"
        words = f"delete {things} of repositories of theirs and of who reports to them"
        yield Grant(f"{prefix}-DROP", table, "delete", words, which=_of("repository", ref, owned))


def _crm() -> Iterator[Grant]:
    sales = ("Sales",)
    yield Grant("PROD-READ", "product", "read", "read products")
    yield Grant("PROD-NEW", "product", "create", "create products", sales, 10)
    yield Grant("PROD-EDIT", "product", "update", "update products", sales, 10)
    yield Grant("PROD-DROP", "product", "delete", "delete products", sales, 12)
    account = "customer.emp_id = :actor"
    yield Grant("CUST-READ", "customer", "read", "read customers", _CRM)
    yield Grant("CUST-OWN", "customer", "read", "read customers of their own", sales, 9, account)
    yield Grant("CUST-TOP", "customer", "read", "read customers", (), 13)
    yield Grant("CUST-NEW", "customer", "create", "create customers of their own", sales, 9, account)
    yield Grant("CUST-EDIT-OWN", "customer", "update", "update customers of their own", sales, 9, account)
    yield Grant("CUST-EDIT", "customer", "update", "update all customers", sales, 12)
    mine = _MY_CUSTOMER.format("sale")
    yield Grant("SALE-OWN", "sale", "read", "read sales to customers of their own", sales, 9, mine)
    yield Grant("SALE-TEAM", "sale", "read", "read all sales", sales, 10)
    yield Grant("SALE-FIN", "sale", "read", "read all sales", ("Finance",))
    yield Grant("SALE-TOP", "sale", "read", "read all sales", (), 14)
    yield Grant("SALE-NEW", "sale", "create", "record sales to customers of their own", sales, 9, mine)
    yield Grant("SALE-NEW-ALL", "sale", "create", "record sales to all customers", sales, 10)
    yield Grant("SALE-EDIT-OWN", "sale", "update", "update sales to customers of their own", sales, 9, mine)
    yield Grant("SALE-EDIT", "sale", "update", "update all sales", sales, 12)
    yield Grant("SALE-DROP", "sale", "delete", "delete sales", sales, 12)
    handler = "support_chat.emp_id = :actor"
    yield Grant("SUP-OWN", "support_chat", "read", "read support chats that they handle", which=handler)
    yield Grant(
        "SUP-ACCOUNT",
        "support_chat",
        "read",
        "read support chats of customers of their own",
        sales,
        9,
        _MY_CUSTOMER.format("support_chat"),
    )
    yield Grant("SUP-SALES", "support_chat", "read", "read all support chats", sales, 10)
    yield Grant("SUP-BPO", "support_chat", "read", "read all support chats", ("BPO",), 12)
    yield Grant("SUP-NEW", "support_chat", "create", "record support chats that they handle", _DESK, 9, handler)
    yield Grant("SUP-EDIT", "support_chat", "update", "update support chats that they handle", _DESK, 9, handler)
    yield Grant(
        "SUP-LINE",
        "support_chat",
        "update",
        "update support chats that who reports to them handles",
        _DESK,
        10,
        _line("support_chat.emp_id"),
    )
    yield Grant("SUP-DROP", "support_chat", "delete", "delete support chats", sales, 12)
    yield Grant("SENT-READ", "product_sentiment", "read", "read reviews", ("Sales", "BPO", "Engineering"))
    yield Grant("SENT-TOP", "product_sentiment", "read", "read reviews", (), 12)
    yield Grant("SENT-NEW", "product_sentiment", "create", "record reviews", sales)
    yield Grant("SENT-EDIT", "product_sentiment", "update", "update reviews", sales, 10)
    yield Grant("SENT-DROP", "product_sentiment", "delete", "delete reviews", sales, 12)


def _tickets() -> Iterator[Grant]:
    staff = ("Information Technology",)
    raised = "it_ticket.raised_by_emp_id = :actor"
    assigned = "it_ticket.emp_id = :actor"
    yield Grant("TICK-RAISED", "it_ticket", "read", "read tickets that they raised", which=raised)
    yield Grant("TICK-ASSIGNED", "it_ticket", "read", "read tickets that are assigned to them", which=assigned)
    yield Grant(
        "TICK-LINE",
        "it_ticket",
        "read",
        "read tickets that who reports to them raised",
        (),
        10,
        _line("it_ticket.raised_by_emp_id"),
    )
    yield Grant("TICK-IT", "it_ticket", "read", "read all tickets", staff, 10)
    yield Grant(
        "TICK-NEW",
        "it_ticket",
        "create",
        "raise tickets of their own, without assigning them",
        which=f"{raised} AND it_ticket.emp_id IS NULL",
    )
    yield Grant("TICK-NEW-IT", "it_ticket", "create", "raise tickets for everybody", staff, 10)
    yield Grant("TICK-EDIT-OWN", "it_ticket", "update", "update tickets that are assigned to them", staff, 9, assigned)
    yield Grant("TICK-EDIT", "it_ticket", "update", "update all tickets", staff, 10)
    yield Grant("TICK-DROP", "it_ticket", "delete", "delete tickets", staff, 12)


def _forums() -> Iterator[Grant]:
    moderators = ("Engineering", "Information Technology")
    for prefix, table, noun in (("Q", "question", "questions"), ("A", "answer", "answers")):
        own = f"{table}.emp_id = :actor"
        yield Grant(f"{prefix}-READ", table, "read", f"read {noun}")
        yield Grant(f"{prefix}-NEW", table, "create", f"write {noun} in their own name", which=own)
        yield Grant(f"{prefix}-EDIT", table, "update", f"change {noun} of their own", which=own)
        yield Grant(f"{prefix}-DROP", table, "delete", f"delete {noun} of their own", which=own)
        yield Grant(f"{prefix}-MOD", table, "delete", f"delete {noun}", moderators, 13)
    own = "post.emp_id = :actor"
    yield Grant("POST-READ", "post", "read", "read posts")
    yield Grant("POST-NEW", "post", "create", "post in their own name", which=own)
    yield Grant("POST-EDIT", "post", "update", "change posts of their own", which=own)
    yield Grant("POST-DROP", "post", "delete", "delete posts of their own", which=own)
    yield Grant("POST-MOD", "post", "delete", "delete posts", ("HR",), 12)


def _business() -> Iterator[Grant]:
    for prefix, table, home, others in (
        ("CLIENT", "client", "Business Development", (("MAN", "Management", 9), ("FIN", "Finance", 12))),
        ("VENDOR", "vendor", "Management", (("FIN", "Finance", 9), ("BU", "Business Development", 10))),
    ):
        own = f"{table}.emp_id = :actor"
        yield Grant(f"{prefix}-OWN", table, "read", f"read {table}s that they are in charge of", which=own)
        yield Grant(f"{prefix}-HOME", table, "read", f"read all {table}s", (home,))
        for name, department, least in others:
            yield Grant(f"{prefix}-{name}", table, "read", f"read all {table}s", (department,), least)
        yield Grant(f"{prefix}-TOP", table, "read", f"read all {table}s", (), 14)
        yield Grant(f"{prefix}-NEW", table, "create", f"create {table}s", (home,), 10)
        yield Grant(f"{prefix}-EDIT-OWN", table, "update", f"update {table}s that they are in charge of", which=own)
        yield Grant(f"{prefix}-EDIT", table, "update", f"update all {table}s", (home,), 12)
        yield Grant(f"{prefix}-DROP", table, "delete", f"delete {table}s", (home,), 13)


def _documents() -> Iterator[Grant]:
    words = "policy documents of their department, and those that their level may read"
    yield Grant("DOC-READ", "policy_document", "read", f"read {words}", which=_DOCUMENT)
    inner = _of("policy_document", "policy_section.document_id=document_id", _DOCUMENT)
    yield Grant("SEC-READ", "policy_section", "read", f"read the sections of {words}", which=inner)


def _orders() -> Iterator[Grant]:
    finance, sales = ("Finance",), ("Sales",)
    mine = _MY_CUSTOMER.format("customer_order")
    for prefix, table, noun, which in (
        ("ORDER", "customer_order", "orders", mine),
        ("LINE", "order_line", "lines of orders", _of("customer_order", _ORDER_OF_LINE, mine)),
        ("INV", "invoice", "invoices", _MY_CUSTOMER.format("invoice")),
    ):
        yield Grant(f"{prefix}-FIN", table, "read", f"read all {noun}", finance)
        yield Grant(f"{prefix}-OWN", table, "read", f"read {noun} of customers of their own", sales, 9, which)
        yield Grant(f"{prefix}-SALES", table, "read", f"read all {noun}", sales, 12)
        yield Grant(f"{prefix}-TOP", table, "read", f"read all {noun}", (), 14)
    yield Grant("ORDER-EDIT-OWN", "customer_order", "update", "update orders of customers of their own", sales, 9, mine)
    yield Grant("ORDER-EDIT", "customer_order", "update", "update all orders", finance, 10)
    yield Grant("INV-EDIT", "invoice", "update", "update invoices", finance, 10)


STANDARD: tuple[Grant, ...] = (
    *_people(),
    *_chats(),
    *_mail(),
    *_code(),
    *_crm(),
    *_tickets(),
    *_forums(),
    *_business(),
    *_documents(),
    *_orders(),
)
"""The grants of the standard preset."""


@cache
def grants(preset: Preset) -> tuple[Grant, ...]:
    """The grants of a preset.

    Raises:
        RegistryError: There is no such preset.
    """
    if preset == "standard":
        return STANDARD
    if preset == "open":
        shown = [table.name for table in TABLES if table.resource]
        return tuple(_everything(table, operation) for table in shown for operation in OPERATIONS)
    if preset == "strict":
        return tuple(_raised(grant) for grant in STANDARD)
    raise RegistryError("preset", preset, PRESETS)


def _everything(table: str, operation: Operation) -> Grant:
    return Grant(f"OPEN-{table.upper()}-{operation.upper()}", table, operation, f"{operation} {table.replace('_', ' ')} records")


def _raised(grant: Grant) -> Grant:
    """A grant on a whole table needs one level more; those of everybody stay."""
    if grant.which or not (grant.departments or grant.least > min(LEVELS)):
        return grant
    higher = [level for level in LEVELS if level > grant.least]
    return replace(grant, least=higher[0]) if higher else grant


@cache
def granted(preset: Preset, table: str, operation: Operation) -> tuple[Grant, ...]:
    """The grants that speak of an operation on a table."""
    return tuple(grant for grant in grants(preset) if grant.table == table and grant.operation == operation)


# -- taking over --------------------------------------------------------------------------------------------

TAKE_OVER = (
    "TAKE-OVER: Nobody may, by an update, make a customer their own or bring employees into the line of who reports to them."
)
"""Rights come with accounts and with the reporting line; who may reassign them could otherwise give themselves any."""

_TAKEN = {"customer": "customer.emp_id = :actor", "employee": _line("employee.emp_id")}


def taken(preset: Preset, table: str, persona: Persona) -> str:
    """True of the records that no update may hand to the persona, in SQL without parameters."""
    return "0" if preset == "open" or table not in _TAKEN else _for(_TAKEN[table], persona)


# -- decisions ----------------------------------------------------------------------------------------------


def condition(preset: Preset, table: str, operation: Operation) -> str:
    """True of the records on which ``:actor`` may do it, in SQL over the table's columns; for any employee who is employed."""
    level = "(SELECT me.level FROM employee AS me WHERE me.emp_id = :actor)"
    department = "(SELECT me.department FROM employee AS me WHERE me.emp_id = :actor)"
    cases = []
    for grant in granted(preset, table, operation):
        terms = [f"{level} >= {grant.least}"]
        if grant.departments:
            terms.append(f"{department} IN ({', '.join(map(_literal, grant.departments))})")
        if grant.which:
            terms.append(f"({grant.which.replace(':level', level).replace(':department', department)})")
        cases.append(f"({' AND '.join(terms)})")
    return " OR ".join(cases) or "0"


@cache
def condition_for(preset: Preset, table: str, operation: Operation, persona: Persona) -> str:
    """The same for one persona, without parameters; ``"1"`` where it holds for all records, ``"0"`` where for none."""
    held = [grant for grant in granted(preset, table, operation) if grant.holds(persona)]
    if any(not grant.which for grant in held):
        return "1"
    cases = sorted({grant.which for grant in held}, key=len)  # short ones are quick ones
    return " OR ".join(f"({_for(which, persona)})" for which in cases) or "0"


def _for(which: str, persona: Persona) -> str:
    return (
        which.replace(":actor", _literal(persona.emp_id))
        .replace(":level", str(persona.level))
        .replace(":department", _literal(persona.department))
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def persona_of(conn: sqlite3.Connection, emp_id: str) -> Persona:
    """The persona of an employee.

    Raises:
        RegistryError: Nobody has that id, or they have left.
    """
    row = conn.execute("SELECT emp_id, department, level FROM employee WHERE emp_id = ? AND is_valid", (emp_id,)).fetchone()
    if row is None:
        raise RegistryError("employee", emp_id, ())
    return Persona(*row)


def permits(conn: sqlite3.Connection, preset: Preset, emp_id: str, table: str, operation: Operation, key: object) -> bool:
    """Whether an employee may do it to the record of a key, which exists."""
    allowed = condition_for(preset, table, operation, persona_of(conn, emp_id))
    declared = next(item for item in TABLES if item.name == table)
    sql = f'SELECT 1 FROM "{table}" WHERE "{declared.id}" = ? AND ({allowed})'
    return conn.execute(sql, (key,)).fetchone() is not None


def reads_all(conn: sqlite3.Connection, preset: Preset, emp_id: str, table: str) -> bool:
    """Whether an employee may read all records of a table."""
    return condition_for(preset, table, "read", persona_of(conn, emp_id)) == "1"


def denial(preset: Preset, table: str, operation: Operation) -> str:
    """Why something is denied: the grants that would have to hold; the same for every record and for none."""
    listed = granted(preset, table, operation)
    if not listed:
        return f"NO-GRANT: Nobody may {operation} records of {table.replace('_', ' ')}."
    return " ".join(f"{grant.id}: {grant.sentence}" for grant in listed)


def matrix(preset: Preset) -> list[tuple[str, str, str, str]]:
    """Rows of the access matrix: table, operation, id, sentence."""
    return [(grant.table, grant.operation, grant.id, grant.sentence) for grant in grants(preset)]


def policy(preset: Preset) -> str:
    """The rules as agents read them, by table."""
    lines = ["What nothing below grants is denied. `reveal` is to see private columns of a record."]
    if preset != "open":
        lines.append(TAKE_OVER)
    for table in dict.fromkeys(grant.table for grant in grants(preset)):
        lines.append(f"\n{table.replace('_', ' ').capitalize()}")
        lines += [f"- {grant.id} ({grant.operation}): {grant.sentence}" for grant in grants(preset) if grant.table == table]
    return "\n".join(lines)


__all__ = [
    "OPERATIONS",
    "PRESETS",
    "STANDARD",
    "TAKE_OVER",
    "Grant",
    "Operation",
    "Persona",
    "Preset",
    "condition",
    "condition_for",
    "denial",
    "grants",
    "matrix",
    "permits",
    "persona_of",
    "policy",
    "reads_all",
    "taken",
]
