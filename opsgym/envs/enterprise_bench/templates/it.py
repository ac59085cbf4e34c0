"""IT: tickets."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_bench.answers import Date, Ids, Number, Text, Word
from opsgym.envs.enterprise_bench.draft import Draft
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS
from opsgym.envs.enterprise_bench.template import Catalogue
from opsgym.envs.enterprise_bench.templates.common import employee_of, fetch, shared_first_name, whole

CATALOGUE = Catalogue("it")

PRIORITIES = ("high", "medium", "low")

_OPEN = "EXISTS (SELECT 1 FROM it_ticket t WHERE t.emp_id = e.emp_id AND t.status = 'open')"

_HOLDER = "EXISTS (SELECT 1 FROM it_ticket t WHERE t.emp_id = e.emp_id)"


def _ticket(draft: Draft, where: str = "1") -> dict[str, object]:
    return draft.some(f"SELECT * FROM it_ticket WHERE {where} ORDER BY id")


def _unknown_id(draft: Draft) -> str:
    """An id that no ticket has."""
    last = str(draft.value("SELECT max(id) FROM it_ticket"))
    head, _, digits = last.rpartition("_")
    return f"{head}_{int(digits) + draft.stream('absent').randint(1, 30):0{len(digits)}d}"


@CATALOGUE.search()
def my_tickets_by_priority(draft: Draft) -> None:
    """Tickets assigned to oneself with a priority."""
    me = draft.persona(_HOLDER)
    priority = draft.some("SELECT priority FROM it_ticket WHERE emp_id = :me ORDER BY id", me=me["emp_id"])["priority"]
    draft.ask(
        f"Can you show me the ids of all {priority}-priority tickets that are assigned to me?",
        f"Which tickets of {priority} priority do I have to work on or have worked on? I need the ids.",
    )
    draft.look("List my tickets", "tickets", "list_it_tickets_assigned_to_me")
    found = draft.truth(
        "SELECT id FROM it_ticket WHERE emp_id = :me AND priority = :priority",
        lambda tables: [t["id"] for t in tables["it_ticket"] if (t["emp_id"], t["priority"]) == (me["emp_id"], priority)],
        me=me["emp_id"],
        priority=priority,
    )
    draft.answer(Ids(values=tuple(found), noun="ticket ids"))


@CATALOGUE.search()
def my_open_tickets(draft: Draft) -> None:
    """Tickets assigned to oneself that are open."""
    number = draft.draw.randint(1, 3)  # first of all, so that none is the usual one
    held = "SELECT count(*) FROM it_ticket t WHERE t.status = 'open' AND t.emp_id = e.emp_id"
    me = draft.persona(f"({held}) = :number", number=number)
    draft.ask(
        "How many open tickets are assigned to me?", "I'd like to know how many of the tickets assigned to me are still open."
    )
    draft.look("List my tickets", "tickets", "list_it_tickets_assigned_to_me")
    value = draft.truth(
        "SELECT count(*) FROM it_ticket WHERE emp_id = :me AND status = 'open'",
        lambda tables: sum(not t["resolved_date"] for t in tables["it_ticket"] if t["emp_id"] == me["emp_id"]),
        me=me["emp_id"],
    )
    draft.answer(Number(value=value, unit="tickets"))


@CATALOGUE.search()
def my_tickets_between(draft: Draft) -> None:
    """Tickets that were assigned to oneself between two days."""
    me = draft.persona("(SELECT count(DISTINCT t.assigned_date) FROM it_ticket t WHERE t.emp_id = e.emp_id) > 1")
    days = draft.rows("SELECT DISTINCT assigned_date d FROM it_ticket WHERE emp_id = :me ORDER BY d", me=me["emp_id"])
    one, two = sorted(row["d"] for row in draft.draw.sample(days, 2))
    draft.ask(
        f"Retrieve the ids of the tickets that were assigned to me between {one} and {two}, both included.",
        f"Which tickets were assigned to me from {one} to {two}? I need the ids; both days count.",
    )
    draft.look("List my tickets", "tickets", "list_it_tickets_assigned_to_me")
    first, last = dt.date.fromisoformat(one), dt.date.fromisoformat(two)
    found = draft.truth(
        "SELECT id FROM it_ticket WHERE emp_id = :me AND assigned_date BETWEEN :one AND :two",
        lambda tables: [
            t["id"]
            for t in tables["it_ticket"]
            if t["emp_id"] == me["emp_id"] and first <= dt.date.fromisoformat(t["assigned_date"]) <= last
        ],
        me=me["emp_id"],
        one=one,
        two=two,
    )
    draft.answer(Ids(values=tuple(found), noun="ticket ids"))


@CATALOGUE.search()
def oldest_open(draft: Draft) -> None:
    """The ticket that waits longest for oneself."""
    me = draft.persona(_OPEN)
    draft.ask(
        "Which of the open tickets assigned to me was raised first? I need the id, or all if several were raised that day.",
        "I want to begin with my oldest one: which open ticket that is assigned to me was raised earliest?",
    )
    draft.look("List my tickets", "tickets", "list_it_tickets_assigned_to_me")
    found = draft.truth(
        "SELECT id FROM it_ticket WHERE emp_id = :me AND status = 'open' AND raised_date ="
        " (SELECT min(raised_date) FROM it_ticket WHERE emp_id = :me AND status = 'open')",
        lambda tables: _oldest([t for t in tables["it_ticket"] if t["emp_id"] == me["emp_id"] and t["resolution"] is None]),
        me=me["emp_id"],
    )
    draft.answer(Ids(values=tuple(found), noun="ticket ids"))


def _oldest(tickets: list[dict[str, str]]) -> list[str]:
    first = min(ticket["raised_date"] for ticket in tickets)
    return [ticket["id"] for ticket in tickets if ticket["raised_date"] == first]


@CATALOGUE.search("not_permitted", "not_existing", "out_of_scope")
def resolution_day(draft: Draft) -> None:
    """When a ticket was resolved."""
    ticket = _ticket(draft, "status = 'resolved'")
    draft.persona(reads=("it_ticket", ticket["id"]), **whole("it_ticket", draft))
    named = _unknown_id(draft) if draft.twin == "not_existing" else ticket["id"]
    draft.ask(
        f"What is [the day of the resolution of] ticket {named}? I need it for my report.",
        f"I need [the resolution date of] ticket {named}.",
        of="it_ticket",
    )
    draft.look("Read the ticket", "tickets", "get_it_ticket", id=named)
    value = draft.truth(
        "SELECT resolved_date FROM it_ticket WHERE id = :id",
        lambda tables: {t["id"]: t["resolved_date"] for t in tables["it_ticket"]}[ticket["id"]],
        id=ticket["id"],
    )
    draft.answer(Date(value=value))


@CATALOGUE.search("not_permitted", "not_existing", "out_of_scope")
def raiser_department(draft: Draft) -> None:
    """The department of who raised a ticket."""
    ticket = _ticket(draft)
    draft.persona(reads=("it_ticket", ticket["id"]), **whole("it_ticket", draft))
    named = _unknown_id(draft) if draft.twin == "not_existing" else ticket["id"]
    draft.ask(
        f"Please tell me [the department of the person who raised] ticket {named}.",
        f"I need [the department of whoever raised] ticket {named}.",
        of="it_ticket",
    )
    draft.look("Read the ticket", "tickets", "get_it_ticket", id=named)
    fetch(draft, str(ticket["raised_by_emp_id"]))
    value = draft.truth(
        "SELECT e.department FROM it_ticket t JOIN employee e ON e.emp_id = t.raised_by_emp_id WHERE t.id = :id",
        lambda tables: employee_of(tables, next(t["raised_by_emp_id"] for t in tables["it_ticket"] if t["id"] == ticket["id"]))[
            "department"
        ],
        id=ticket["id"],
    )
    draft.answer(Word(value=value, options=tuple(DEPARTMENTS)))


@CATALOGUE.search("not_permitted", "out_of_scope")
def assignee_boss(draft: Draft) -> None:
    """The boss of who works on a ticket."""
    ticket = draft.some(
        "SELECT t.* FROM it_ticket t JOIN employee e ON e.emp_id = t.emp_id WHERE e.reports_to IS NOT NULL ORDER BY t.id"
    )
    draft.persona(reads=("it_ticket", ticket["id"]))
    draft.ask(
        f"Please give me [the employee id of the boss of the assignee of] ticket {ticket['id']}.",
        f"I need [the employee id of the direct boss of the employee assigned to] ticket {ticket['id']}.",
        of="it_ticket",
    )
    draft.look("Read the ticket", "tickets", "get_it_ticket", id=ticket["id"])
    fetch(draft, ticket["emp_id"])
    value = draft.truth(
        "SELECT e.reports_to FROM it_ticket t JOIN employee e ON e.emp_id = t.emp_id WHERE t.id = :id",
        lambda tables: employee_of(tables, ticket["emp_id"])["reports_to"],
        id=ticket["id"],
    )
    draft.answer(Text(value=value, noun="employee id"))


@CATALOGUE.search("ambiguous", "out_of_scope")
def raised_by(draft: Draft) -> None:
    """Tickets that somebody raised."""
    ticket = _ticket(draft)
    other = str(ticket["raised_by_emp_id"])
    draft.lists = "it_ticket"
    draft.persona("e.emp_id <> :other", whole="it_ticket", other=other)
    if draft.twin == "ambiguous":
        who = shared_first_name(draft, "EXISTS (SELECT 1 FROM it_ticket t WHERE t.raised_by_emp_id = employee.emp_id)")
    else:
        who = draft.person(other)
    draft.ask(
        f"I need [the ids of all tickets, open and resolved, that were raised by] {who}.",
        f"Please fetch me [the ids of all tickets raised by] {who}.",
        of="employee",
    )
    draft.look("List the tickets", "tickets", "get_it_ticket_ids_by_raiser", raised_by_emp_id=other)
    found = draft.truth(
        "SELECT id FROM it_ticket WHERE raised_by_emp_id = :other",
        lambda tables: {t["id"] for t in tables["it_ticket"] if t["raised_by_emp_id"] == other},
        other=other,
    )
    draft.answer(Ids(values=tuple(found), noun="ticket ids"))


@CATALOGUE.search()
def department_tickets(draft: Draft) -> None:
    """How many tickets of a priority are open, all over the company."""
    draft.persona(whole="it_ticket")
    priority = draft.draw.choice(PRIORITIES)
    draft.ask(
        f"How many tickets of {priority} priority are open in the whole company? I have to report it today.",
        f"I need the number of open {priority}-priority tickets, whoever works on them.",
    )
    draft.look("List tickets of the priority", "tickets", "list_it_tickets_by_priority", priority=priority)
    value = draft.truth(
        "SELECT count(*) FROM it_ticket WHERE priority = :priority AND status = 'open'",
        lambda tables: len([t for t in tables["it_ticket"] if t["priority"] == priority and not t["resolved_date"]]),
        priority=priority,
    )
    draft.answer(Number(value=value, unit="tickets"))


# -- changes ------------------------------------------------------------------------------------------------


@CATALOGUE.crud()
def raise_ticket(draft: Draft) -> None:
    """Raise a ticket."""
    draft.persona()
    priority = draft.draw.choice(PRIORITIES)
    thing, needle = draft.draw.choice(
        (
            ("the VPN drops my connection every few minutes", "VPN"),
            ("the printer on my floor prints blank pages", "printer"),
            ("my laptop does not charge any more", "laptop"),
            ("my mailbox is full and refuses new mail", "mailbox"),
            ("I am locked out of the expense system", "expense system"),
        )
    )
    draft.topic = "my new ticket"
    draft.ask(
        f'Please raise an IT ticket of {priority} priority for me, with "{needle}" in its text: {thing}.',
        f'I need an IT ticket, priority {priority}, with "{needle}" in its text, since {thing}.',
    )
    draft.free("it_ticket", "issue", needle)
    draft.do("Raise the ticket", "tickets", "create_it_ticket", priority=priority, issue=f"{thing[:1].upper()}{thing[1:]}.")


@CATALOGUE.crud("not_permitted", "not_existing")
def set_priority(draft: Draft) -> None:
    """Change the priority of a ticket."""
    ticket = _ticket(draft, "status = 'open'")
    draft.persona(may=("it_ticket", "update", ticket["id"]), **whole("it_ticket", draft))
    named = _unknown_id(draft) if draft.twin == "not_existing" else ticket["id"]
    priority = draft.draw.choice([item for item in PRIORITIES if item != ticket["priority"]])
    draft.topic = f"ticket {named}"
    draft.ask(
        f"Please change the priority of ticket {named} to {priority} for me.",
        f"I want ticket {named} to have {priority} priority.",
    )
    _read(draft, named)
    draft.do("Change the priority", "tickets", "update_it_ticket", id=named, priority=priority)


@CATALOGUE.crud("not_permitted", "not_existing")
def resolve(draft: Draft) -> None:
    """Resolve a ticket."""
    ticket = _ticket(draft, "status = 'open' AND emp_id IS NOT NULL")
    draft.persona(may=("it_ticket", "update", ticket["id"]), **whole("it_ticket", draft))
    named = _unknown_id(draft) if draft.twin == "not_existing" else ticket["id"]
    words = draft.draw.choice(("Driver reinstalled", "Certificate renewed", "Quota raised", "Cable replaced", "Account unlocked"))
    draft.topic = f"ticket {named}"
    draft.ask(
        f'Ticket {named} is settled. Please mark it resolved for me with the resolution "{words}".',
        f'Resolve ticket {named} for me, the resolution being "{words}".',
    )
    _read(draft, named)
    draft.free("it_ticket", "resolution", words)
    draft.do("Resolve the ticket", "tickets", "resolve_ticket", id=named, resolution=words)


@CATALOGUE.crud("not_permitted")
def assign(draft: Draft) -> None:
    """Assign a ticket to somebody."""
    ticket = _ticket(draft, "status = 'open'")
    staff = draft.some(
        "SELECT * FROM employee WHERE is_valid AND department = 'Information Technology' AND emp_id <> :held ORDER BY emp_id",
        held=ticket["emp_id"] or "",
    )
    draft.persona("e.emp_id <> :other", may=("it_ticket", "update", ticket["id"]), other=staff["emp_id"])
    who = draft.person(staff["emp_id"])
    draft.topic = f"ticket {ticket['id']}"
    draft.ask(
        f"Please assign ticket {ticket['id']} to {who} for me, as of today.",
        f"I want ticket {ticket['id']} assigned to {who}, as of today.",
    )
    _read(draft, str(ticket["id"]))
    draft.do("Assign the ticket", "tickets", "assign_ticket", id=ticket["id"], emp_id=staff["emp_id"])


@CATALOGUE.crud("not_permitted", "not_existing")
def remove(draft: Draft) -> None:
    """Delete a ticket."""
    ticket = _ticket(draft)
    draft.persona(may=("it_ticket", "delete", ticket["id"]), **whole("it_ticket", draft))
    named = _unknown_id(draft) if draft.twin == "not_existing" else ticket["id"]
    draft.topic = f"ticket {named}"
    draft.ask(
        f"Ticket {named} was raised by mistake. Please delete it for me.", f"I want ticket {named} removed, it is a duplicate."
    )
    _read(draft, named)
    draft.do("Delete the ticket", "tickets", "delete_it_ticket", id=named)


def _read(draft: Draft, named: object) -> None:
    """See whether a ticket exists, where that is the question; who may not change it is told so by the rules."""
    if draft.twin == "not_existing":
        draft.look("Read the ticket", "tickets", "get_it_ticket", id=named)
    if draft.twin == "not_permitted":
        draft.block("not_permitted", "Nothing lets me do that to this ticket.")
