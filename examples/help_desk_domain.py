"""How to add a domain: a help desk, declared; run it to see its policy, a legal call and a refused one."""

from opsgym.core.records.columns import Choice, Flag, Key, Moment, Ref, Serial, Text
from opsgym.core.records.domain import Domain
from opsgym.core.records.lifecycle import Lifecycle
from opsgym.core.records.matrix import Matrix
from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Rule
from opsgym.core.records.table import Table
from opsgym.core.records.tools import creating, getting, listing, updating

LEVELS = ("low", "high")
STAMPS = (Moment("created_on", stamp="created"), Moment("updated_on", stamp="updated"))

USER = Table(
    "users",
    (
        Key("user_id", "USER"),
        Text("email", 120, "email", required=True),
        Choice("role", ("agent", "reporter"), required=True),
        Flag("active", required=True, default=True),
        *STAMPS,
    ),
    resource="users",
)
TICKET = Table(
    "ticket",
    (
        Key("ticket_id", "TKT"),
        Serial("number", "TKT", 7),
        Text("title", 120, required=True),
        Ref("caller_id", "users", required=True),
        Ref("assigned_to", "users"),
        Choice("status", ("new", "open", "done"), required=True, default="new"),
        Choice("impact", LEVELS, required=True, default="low"),
        Choice("urgency", LEVELS, required=True, default="low"),
        Choice("priority", ("p1", "p2", "p3"), required=True, default="p3"),
        Text("answer", 2000),
        Moment("done_on"),
        *STAMPS,
    ),
    resource="tickets",
)
DOMAIN = Domain(
    name="helpdesk",
    title="Help desk",
    tables=(USER, TICKET),
    lifecycles=(
        Lifecycle(
            id="HD-LIFE",
            table="ticket",
            column="status",
            start=("new",),
            moves={"new": ("open",), "open": ("done",), "done": ("open",)},
            needs={"done": ("answer",)},
            stamps={"done": "done_on"},
        ),
    ),
    matrices=(
        Matrix(
            id="HD-PRIO",
            table="ticket",
            inputs=("impact", "urgency"),
            output="priority",
            values={("low", "low"): "p3", ("low", "high"): "p2", ("high", "low"): "p2", ("high", "high"): "p1"},
        ),
    ),
    rights=Rights({"agent": {"tickets": "crud", "users": "read"}, "reporter": {"tickets": "read"}}),
    own_rules=(
        Rule(
            id="HD-ASSIGN",
            sentence="Tickets are assigned to active agents only.",
            table="ticket",
            breach="new.assigned_to IS NOT old.assigned_to AND new.assigned_to IS NOT NULL AND NOT EXISTS ("
            "SELECT 1 FROM users u WHERE u.user_id = new.assigned_to AND u.active AND u.role = 'agent')",
        ),
    ),
    tools=(
        listing("list_tickets", "List tickets with optional filters", TICKET, "number status caller_id created_after"),
        getting("find_ticket_by_number", "Find a ticket by its number", TICKET, "number"),
        creating("create_ticket", "Create a ticket", TICKET, "title caller_id", "impact urgency priority"),
        updating("update_ticket", "Update a ticket", TICKET, "ticket_id", "status assigned_to impact urgency priority answer"),
    ),
)


if __name__ == "__main__":
    import datetime as dt

    from opsgym.core.errors import ToolError
    from opsgym.core.records.actor import Actor
    from opsgym.core.records.policy_text import policy_text
    from opsgym.core.records.records import Records
    from opsgym.core.records.seeding import seeded

    users = [
        {"user_id": "USER_001", "email": "ana@desk.example", "role": "agent", "active": 1},
        {"user_id": "USER_002", "email": "bo@desk.example", "role": "reporter", "active": 1},
    ]
    world = seeded(DOMAIN, {"users": users}, today=dt.date(2026, 5, 4))
    desk = Records(DOMAIN, world, Actor("USER_001", "agent"), enforcement="strict")
    tools = DOMAIN.toolbox
    print(policy_text(DOMAIN))
    ticket = tools["create_ticket"].function(desk, title="No paper", caller_id="USER_002")
    print(ticket)
    try:
        tools["update_ticket"].function(desk, ticket_id=ticket["ticket_id"], assigned_to="USER_002")
    except ToolError as refusal:
        print(refusal)
