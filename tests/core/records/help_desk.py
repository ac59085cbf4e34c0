"""A small domain for tests: users and tickets of two tenants; and the worked example of how to declare one."""

from __future__ import annotations

import datetime as dt

from opsgym.core.records.actor import Actor
from opsgym.core.records.columns import Choice, Flag, Key, Moment, Ref, Serial, Text, Whole
from opsgym.core.records.domain import Domain
from opsgym.core.records.enforcement import Enforcement
from opsgym.core.records.lifecycle import Lifecycle
from opsgym.core.records.matrix import Matrix
from opsgym.core.records.records import Records
from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Rule
from opsgym.core.records.seeding import seeded_by_sql
from opsgym.core.records.table import Table
from opsgym.core.records.tools import aggregating, counting, creating, getting, listing, removing, updating
from opsgym.core.world import World

LEVELS = ("low", "high")
STAMPS = (Moment("created_on", stamp="created"), Moment("updated_on", stamp="updated"))

ORG = Table("org", (Key("org_id"), Text("name", 40, required=True)), scope="org_id")
USER = Table(
    "users",
    (
        Key("user_id", "USER"),
        Text("email", 120, "email", required=True),
        Choice("role", ("agent", "reporter"), required=True),
        Flag("active", required=True, default=True),
        Text("token", required=True, default="", secret=True),
        Ref("org_id", "org", required=True),
        *STAMPS,
    ),
    resource="users",
    scope="org_id",
    unique=(("email",),),
)
TICKET = Table(
    "ticket",
    (
        Key("ticket_id", "TKT"),
        Serial("number", "TKT", 7),
        Text("title", 40, required=True),
        Ref("caller_id", "users", required=True, by_actor=True),
        Ref("assigned_to", "users"),
        Choice("status", ("new", "open", "done"), required=True, default="new"),
        Choice("impact", LEVELS, required=True, default="low"),
        Choice("urgency", LEVELS, required=True, default="low"),
        Choice("priority", ("p1", "p2", "p3"), required=True, default="p3"),
        Text("answer", 200, shown=False),
        Whole("minutes", 0),
        Moment("done_on"),
        Ref("org_id", "org", required=True),
        *STAMPS,
    ),
    resource="tickets",
    scope="org_id",
)
NOTE = Table(
    "note",
    (Key("note_id", "NOTE"), Ref("ticket_id", "ticket", required=True), Text("text", required=True), *STAMPS),
    resource="tickets",
    via="ticket_id",
    checks={"text <> 'x'": "A note says more than x."},
)
DOMAIN = Domain(
    name="helpdesk",
    title="Help desk",
    tables=(ORG, USER, TICKET, NOTE),
    rights=Rights({"agent": {"tickets": "crud", "users": "read"}, "reporter": {"tickets": "read"}}),
    lifecycles=(
        Lifecycle(
            "HD-LIFE",
            "ticket",
            "status",
            start=("new",),
            moves={"new": ("open",), "open": ("done",), "done": ("open",)},
            needs={"done": ("answer",)},
            stamps={"done": "done_on"},
        ),
    ),
    matrices=(
        Matrix(
            "HD-PRIO",
            "ticket",
            ("impact", "urgency"),
            "priority",
            {("low", "low"): "p3", ("low", "high"): "p2", ("high", "low"): "p2", ("high", "high"): "p1"},
        ),
    ),
    own_rules=(
        Rule(
            "HD-ASSIGN",
            "Tickets are assigned to active agents only.",
            "ticket",
            "new.assigned_to IS NOT old.assigned_to AND new.assigned_to IS NOT NULL AND NOT EXISTS ("
            "SELECT 1 FROM users u WHERE u.user_id = new.assigned_to AND u.active AND u.role = 'agent')",
        ),
        Rule("HD-KEEP", "A ticket that is done is kept.", "ticket", "old.status = 'done'", on=("delete",)),
        Rule(
            "HD-NOTE",
            "An answer is noted.",
            "ticket",
            None,
            end="new.status = 'done' AND NOT EXISTS (SELECT 1 FROM note n WHERE n.ticket_id = new.ticket_id)",
        ),
    ),
    tools=(
        listing("list_tickets", "List tickets", TICKET, "number status caller_id minutes created_after created_before"),
        getting("find_ticket_by_number", "Read a ticket by its number", TICKET, "number"),
        creating("create_ticket", "Create a ticket", TICKET, "title", "caller_id impact urgency priority minutes"),
        updating("update_ticket", "Change a ticket", TICKET, "ticket_id", "status assigned_to impact urgency priority answer"),
        removing("delete_tickets", "Delete tickets", TICKET, "ticket_id status"),
        counting("count_tickets", "Count tickets", TICKET, "status"),
        aggregating("minutes_by_status", "Add up minutes by status", TICKET, "statuses=status", measure="sum", of="minutes"),
        creating("add_note", "Add a note to a ticket", NOTE, "ticket_id text"),
        listing("list_notes", "List notes", NOTE, "ticket_id"),
    ),
)
SEED = """
INSERT INTO org VALUES ('ORG_1', 'One'), ('ORG_2', 'Two');
INSERT INTO users VALUES
 ('USER_001', 'ada@one.com', 'agent', 1, 'secret', 'ORG_1', '2026-05-01 08:00:00', NULL),
 ('USER_002', 'bob@one.com', 'reporter', 1, 'secret', 'ORG_1', '2026-05-01 08:00:00', NULL),
 ('USER_003', 'cyd@two.com', 'agent', 1, 'secret', 'ORG_2', '2026-05-01 08:00:00', NULL),
 ('USER_004', 'dan@one.com', 'agent', 0, 'secret', 'ORG_1', '2026-05-01 08:00:00', NULL);
INSERT INTO ticket VALUES
 ('TKT_001', 'TKT0000001', 'printer', 'USER_002', NULL, 'new', 'low', 'high', 'p2', NULL, 5, NULL, 'ORG_1',
  '2026-05-01 09:00:00', NULL),
 ('TKT_002', 'TKT0000001', 'printer', 'USER_003', NULL, 'new', 'low', 'low', 'p3', NULL, 7, NULL, 'ORG_2',
  '2026-05-02 09:00:00', NULL),
 ('TKT_003', 'TKT0000002', 'screen', 'USER_002', 'USER_001', 'done', 'low', 'low', 'p3', 'new one', 9, NULL, 'ORG_1',
  '2026-05-03 09:00:00', NULL);
INSERT INTO note VALUES ('NOTE_001', 'TKT_003', 'said so', '2026-05-03 09:00:00', NULL),
 ('NOTE_002', 'TKT_002', 'theirs', '2026-05-03 09:00:00', NULL);
"""
AGENT = Actor("USER_001", "agent", "ORG_1")
REPORTER = Actor("USER_002", "reporter", "ORG_1")


def open_world() -> World:
    return seeded_by_sql(DOMAIN, SEED, today=dt.date(2026, 5, 4))


def desk(enforcement: Enforcement = "permissive", actor: Actor = AGENT) -> Records:
    return Records(DOMAIN, open_world(), actor, enforcement=enforcement)
