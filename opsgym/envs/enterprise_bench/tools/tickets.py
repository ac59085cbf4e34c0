"""Tools of IT service management."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.records import Row
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.tickets import TICKET
from opsgym.envs.enterprise_bench.tools.makers import Given, creating, getting, listing, made, removing, today, updating

_SHORT = "id priority status raised_by_emp_id emp_id raised_date assigned_date resolved_date"


def _new(desk: Desk, values: Row) -> Row:
    """Who raises it and when, unless it is given."""
    filled: Row = {"raised_by_emp_id": desk.actor.id, "raised_date": today(desk)}
    return filled | ({"assigned_date": today(desk)} if values.get("emp_id") else {})


def _resolve(desk: Desk, given: Given) -> Any:
    done = {"resolution": given["resolution"], "status": "resolved", "resolved_date": today(desk)}
    return desk.update(TICKET, {"id": given["id"]}, done)


TOOLS = (
    creating(
        "create_it_ticket",
        "Raise a ticket, by default for yourself",
        TICKET,
        "issue",
        "priority raised_by_emp_id emp_id",
        fill=_new,
    ),
    getting("get_it_ticket", "Read a ticket", TICKET, "id"),
    updating("update_it_ticket", "Change a ticket", TICKET, "id", "priority issue resolution"),
    removing("delete_it_ticket", "Delete a ticket", TICKET, "id"),
    listing(
        "get_it_ticket_ids_by_raiser",
        "List the tickets that an employee raised, without issue and resolution",
        TICKET,
        "tickets",
        need="raised_by_emp_id",
        may="status",
        only=_SHORT,
    ),
    listing(
        "list_it_tickets_by_priority",
        "List the tickets of a priority, without issue and resolution",
        TICKET,
        "tickets",
        need="priority",
        may="status",
        only=_SHORT,
    ),
    listing(
        "list_it_tickets_assigned_to_me",
        "List the tickets that are assigned to you",
        TICKET,
        "tickets",
        "priority status",
        day="assigned_date",
        mine="emp_id",
    ),
    listing("list_it_tickets", "List tickets that you may read", TICKET, "tickets", "emp_id priority status", day="raised_date"),
    updating(
        "assign_ticket",
        "Assign a ticket to an employee of IT",
        TICKET,
        "id",
        "",
        need="emp_id",
        fill=lambda desk, _: {"assigned_date": today(desk)},
    ),
    made(
        "resolve_ticket",
        "Record how a ticket was resolved",
        (Argument("id", str, "Ticket."), Argument("resolution", str, "What was done.")),
        _resolve,
        mutates=True,
    ),
)
"""The tools."""
