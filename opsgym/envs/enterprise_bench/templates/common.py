"""What templates of several domains need: lookups, mails, and requests that cannot be met."""

from __future__ import annotations

from collections import Counter
from typing import Any

from opsgym.envs.enterprise_bench.draft import Draft, Row, Tables
from opsgym.envs.enterprise_bench.template import Unfit


def employee_of(tables: Tables, emp_id: str) -> Row:
    """The row of an employee."""
    return next(row for row in tables["employee"] if row["emp_id"] == emp_id)


def fetch(draft: Draft, emp_id: str) -> None:
    """Look an employee up, unless a lookup by name has shown the record."""
    name = draft.value("SELECT name FROM employee WHERE emp_id = :id", id=emp_id)
    if not draft.has_looked("fetch_employee_record", name=name):
        draft.look("Read the employee's record", "people", "fetch_employee_record", emp_id=emp_id)


def reports_of(draft: Draft, emp_id: str) -> None:
    """List who reports to somebody; who asks sees private columns of their own reports."""
    draft.look("List who reports to the employee", "people", "fetch_employee_record", reports_to=emp_id)


def shared_first_name(draft: Draft, among: str = "is_valid") -> str:
    """A first name, or a whole one, that several employees share.

    Args:
        draft: The draft.
        among: Who comes into question, in SQL over employees.
    """
    people = draft.rows(f"SELECT name FROM employee WHERE is_valid AND ({among}) AND emp_id <> :me", me=draft.me["emp_id"])
    whole = Counter(row["name"] for row in people)
    first = Counter(row["name"].split()[0] for row in people)
    shared = [sorted(word for word, number in names.items() if number > 1) for names in (whole, first)]
    draw = draft.stream("ambiguous")
    found = shared[0] if shared[0] and draw.random() < 0.5 else shared[1]
    if not found:
        raise Unfit("all names differ")
    word: str = draw.choice(found)
    draft.block("ambiguous", f"{whole[word] or first[word]} employees are called {word}.")
    return word


def record(draft: Draft, recipient: Row, *, subject: str, body: str, holding: tuple[str, ...] = ()) -> None:
    """Send a mail whose words are free, but for the subject and what the body must name."""
    draft.free("mail", "body", *holding)
    draft.do("Send the mail", "mail", "create_email", recipient_email=recipient["email"], subject=subject, body=body)


def whole(table: str, draft: Draft) -> dict[str, Any]:
    """Arguments of :meth:`Draft.persona` that make what is not found not exist."""
    return {"whole": table} if draft.twin == "not_existing" else {}
