"""Tools of the mail system."""

from __future__ import annotations

from typing import Any, Literal

from opsgym.core.records.records import Row
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.mail import MAIL, THREAD
from opsgym.envs.enterprise_bench.sources.people import EMPLOYEE
from opsgym.envs.enterprise_bench.tools.makers import (
    PAGES,
    SPAN,
    Given,
    as_self,
    check_self,
    getting,
    made,
    removing,
    span,
    updating,
)


def _person(desk: Desk, email: str) -> Row:
    """The employee of an address, as the directory shows them."""
    return desk.fetch(EMPLOYEE, {"email": email})


def _sender(desk: Desk, given: Given) -> None:
    if given.get("sender_email") is not None:
        check_self(desk, {"sender_email": _person(desk, given["sender_email"])["emp_id"]}, "sender_email")


def _parties(desk: Desk, row: Row) -> Row:
    found: Row = {}
    for role in ("sender", "recipient"):
        person = desk.fetch(EMPLOYEE, {"emp_id": row[f"{role}_emp_id"]})
        found |= {f"{role}_name": person["name"], f"{role}_email": person["email"]}
    return found


def _create(desk: Desk, given: Given) -> Any:
    _sender(desk, given)
    recipient = _person(desk, given["recipient_email"])
    with desk.world.savepoint():
        key = given.get("thread_id") or _begin(desk, given, recipient)["thread_id"]
        desk.fetch(THREAD, {"thread_id": key})
        values = {
            "thread_id": key,
            "date": desk.now,
            "sender_emp_id": desk.actor.id,
            "recipient_emp_id": recipient["emp_id"],
            **{name: given[name] for name in ("subject", "body", "importance", "category")},
        }
        row = desk.create(MAIL, values)
        return row | _parties(desk, row)


def _begin(desk: Desk, given: Given, recipient: Row) -> Row:
    values = {
        "subject": given["subject"],
        "date": desk.now,
        "starter_emp_id": desk.actor.id,
        "other_emp_id": recipient["emp_id"],
    }
    return desk.create(THREAD, values)


def _threads(desk: Desk, given: Given) -> Any:
    check_self(desk, given, "emp_id")
    where, bound = span("date", given)
    terms = [where] if where else []
    terms.append("? IN (starter_emp_id, other_emp_id)")
    bound.append(desk.actor.id)
    if given.get("importance") is not None:
        terms.append("thread_id IN (SELECT mail.thread_id FROM mail WHERE mail.importance = ?)")
        bound.append(given["importance"])
    if given.get("subject") is not None:
        terms.append("subject = ?")
        bound.append(given["subject"])
    rows, total = desk.page(THREAD, {}, limit=given["limit"], offset=given["offset"], where=" AND ".join(terms), bound=bound)
    return {"threads": rows, "total": total}


def _between(desk: Desk, given: Given) -> Any:
    pair = [_person(desk, given[name])["emp_id"] for name in ("sender_email", "recipient_email")]
    rows = desk.find(THREAD, {}, where="starter_emp_id IN (?, ?) AND other_emp_id IN (?, ?)", bound=[*pair, *pair])
    return {"thread_ids": [row["thread_id"] for row in rows]}


def _in_thread(desk: Desk, given: Given) -> Any:
    desk.fetch(THREAD, given)
    return {"email_ids": [row["email_id"] for row in desk.find(MAIL, given)]}


_IMPORTANCE = Literal["High", "Normal", "Low"]

TOOLS = (
    getting("read_email", "Read a mail", MAIL, "email_id", also=_parties),
    made(
        "create_email",
        "Send a mail to an employee, in a new thread or in one that there is",
        (
            Argument("recipient_email", str, "Address of the recipient."),
            Argument("subject", str, "Subject."),
            Argument("body", str, "Text."),
            Argument("thread_id", str, "Thread to answer in; by default a new one begins.", False),
            Argument("importance", _IMPORTANCE, "Importance.", False, "Normal"),
            Argument("category", Literal["INTERNAL", "CLIENT", "VENDOR"], "Whom it concerns.", False, "INTERNAL"),
            as_self("sender_email", "Your own address; that of somebody else is refused."),
        ),
        _create,
        mutates=True,
    ),
    updating("update_email", "Change a mail that you sent", MAIL, "email_id", "subject body importance category"),
    removing("delete_email", "Delete a mail", MAIL, "email_id"),
    made(
        "list_my_email_threads",
        "List the mail threads that you take part in",
        (
            *SPAN,
            Argument("importance", _IMPORTANCE, "Only threads with a mail of this importance.", False),
            Argument("subject", str, "Only threads with this subject.", False),
            as_self("emp_id"),
            *PAGES,
        ),
        _threads,
    ),
    made(
        "list_thread_ids_between_sender_recipient",
        "List ids of the mail threads of two employees, in either direction",
        (Argument("sender_email", str, "Address of one of them."), Argument("recipient_email", str, "Address of the other.")),
        _between,
    ),
    made("list_email_ids_in_thread", "List ids of the mails in a thread", (Argument("thread_id", str, "Thread."),), _in_thread),
)
"""The tools."""
