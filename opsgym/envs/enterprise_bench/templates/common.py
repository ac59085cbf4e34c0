"""What templates of several domains need: lookups, mails, and requests that cannot be met."""

from __future__ import annotations

from typing import Any

from opsgym.envs.enterprise_bench.draft import Draft, Row, Tables
from opsgym.envs.enterprise_bench.naming import SHORT, STYLES, Called, called, styles
from opsgym.envs.enterprise_bench.template import Unfit


def employee_of(tables: Tables, emp_id: str) -> Row:
    """The row of an employee."""
    return next(row for row in tables["employee"] if row["emp_id"] == emp_id)


def fetch(draft: Draft, emp_id: str) -> None:
    """Look an employee up, unless a lookup by name has shown the record."""
    row = draft.employee(emp_id)
    if not any(draft.has_looked("fetch_employee_record", **called(row, style).by) for style in STYLES):
        draft.look("Read the employee's record", "people", "fetch_employee_record", emp_id=emp_id)


def reports_of(draft: Draft, emp_id: str) -> None:
    """List who reports to somebody; who asks sees private columns of their own reports."""
    draft.look("List who reports to the employee", "people", "fetch_employee_record", reports_to=emp_id)


def shared_first_name(draft: Draft, among: str = "1", differ: str = "emp_id") -> str:
    """A name, whole or not, that several employees share, so that the answer depends on who is meant; looked up.

    Args:
        draft: The draft.
        among: Who comes into question, in SQL over the table ``employee``.
        differ: What the answer hangs on, in SQL over it; not the same for all, and those count for whom it is not null.

    Raises:
        Unfit: There is none.
    """
    people = draft.rows(
        f"SELECT *, ({differ}) AS hangs_on FROM employee"
        f" WHERE is_valid AND ({among}) AND emp_id <> :me AND ({differ}) IS NOT NULL ORDER BY emp_id",
        me=draft.me["emp_id"],
    )
    draw, ways = draft.stream("ambiguous"), styles(draft)
    draw.shuffle(ways)
    if draw.random() >= SHORT:
        ways.sort(key=lambda style: style != "whole")
    for style in ways:
        groups: dict[str, tuple[Called, list[Row]]] = {}
        for row in people:
            name = called(row, style)
            groups.setdefault(name.words, (name, []))[1].append(row)
        shared = [group for group in groups.values() if len({row["hangs_on"] for row in group[1]}) > 1]
        if shared:
            name, rows = draw.choice(shared)
            draft.look(f"Find the employee {name.words}", "people", "fetch_employee_record", **name.by)
            draft.block("ambiguous", f"{len(rows)} employees are called {name.words}.")
            return name.words
    raise Unfit("no name leaves open who is meant")


def record(draft: Draft, recipient: Row, *, subject: str, body: str, holding: tuple[str, ...] = ()) -> None:
    """Send a mail that is free, but for its recipient, its subject and what the body must name."""
    draft.free("mail", "body", *holding)
    draft.free("mail", "importance")
    draft.free("mail", "category")
    draft.do("Send the mail", "mail", "create_email", recipient_email=recipient["email"], subject=subject, body=body)


def whole(table: str, draft: Draft) -> dict[str, Any]:
    """Arguments of :meth:`Draft.persona` that make what is not found not exist."""
    return {"whole": table} if draft.twin == "not_existing" else {}
