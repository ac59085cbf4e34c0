"""What templates of several domains need: lookups, mails, and requests that cannot be met."""

from __future__ import annotations

from typing import Any

from opsgym.envs.enterprise_bench.draft import Draft, Row, Tables
from opsgym.envs.enterprise_bench.template import Unfit

ABSENT = ("Quentin Abernathy", "Ottoline Fairweather", "Zebedee Thorncroft", "Philippa Wintergreen", "Ignatius Bellweather")
"""Names that no generated employee has."""

NOWHERE = (
    ("What is the blood group of {who}?", "blood groups"),
    ("Which parking space is reserved for {who}?", "parking spaces"),
    ("What will our share price be at the end of next year?", "share prices"),
    ("What did {who} have for lunch yesterday?", "meals"),
    ("Which seat did {who} have on the last flight?", "flights"),
    ("What is the passport number of {who}?", "passports"),
)
"""Questions that no source answers, and what they are about."""


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


def absent_name(draft: Draft) -> str:
    """The name of somebody who does not exist; looked up in vain."""
    name = draft.draw.choice([item for item in ABSENT if not draft.value("SELECT 1 FROM employee WHERE name = :name", name=item)])
    draft.look(f"Find the employee {name}", "people", "fetch_employee_record", name=name)
    draft.block("not_existing", f"Nobody is called {name}.")
    return name


def shared_first_name(draft: Draft, among: str = "is_valid") -> str:
    """A first name, or a whole one, that several employees share.

    Args:
        draft: The draft.
        among: Who comes into question, in SQL over employees.
    """
    whole = draft.rows(
        f"SELECT name AS word, count(*) AS number FROM employee WHERE is_valid AND ({among}) AND emp_id <> :me"
        " GROUP BY name HAVING count(*) > 1 ORDER BY name",
        me=draft.me["emp_id"],
    )
    first = draft.rows(
        "SELECT substr(name, 1, instr(name, ' ') - 1) AS word, count(*) AS number FROM employee"
        f" WHERE is_valid AND ({among}) AND emp_id <> :me GROUP BY word HAVING count(*) > 1 ORDER BY word",
        me=draft.me["emp_id"],
    )
    found = whole if whole and draft.draw.random() < 0.5 else first
    if not found:
        raise Unfit("all names differ")
    chosen = draft.draw.choice(found)
    draft.block("ambiguous", f"{chosen['number']} employees are called {chosen['word']}.")
    return str(chosen["word"])


def out_of_scope(draft: Draft) -> None:
    """Ask for something that no source holds."""
    other = draft.some("SELECT * FROM employee WHERE is_valid AND emp_id <> :me ORDER BY emp_id", me=draft.me["emp_id"])
    question, noun = draft.draw.choice(NOWHERE)
    opening = draft.draw.choice(("I have to know: ", "Please find this out for me: "))
    draft.ask(opening + question[:1].lower() + question[1:].format(who=other["name"]))
    draft.block("out_of_scope", f"No source holds anything about {noun}.")


def record(draft: Draft, recipient: Row, *, subject: str, body: str, holding: tuple[str, ...] = ()) -> None:
    """Send a mail whose words are free, but for the subject and what the body must name."""
    draft.free("mail", "body", *holding)
    draft.do("Send the mail", "mail", "create_email", recipient_email=recipient["email"], subject=subject, body=body)


def whole(table: str, draft: Draft) -> dict[str, Any]:
    """Arguments of :meth:`Draft.persona` that make what is not found not exist."""
    return {"whole": table} if draft.twin == "not_existing" else {}
