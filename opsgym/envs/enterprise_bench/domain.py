"""The company's systems as one declared domain."""

from __future__ import annotations

from opsgym.core.records.columns import Text
from opsgym.core.records.domain import Domain
from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Rule
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.tables import TABLES

ROLE = "employee"
"""The only role; what employees may do is said by :mod:`opsgym.envs.enterprise_bench.access`."""

MARK = Table(
    "search_mark",
    (Text("source", required=True), Text("record", required=True)),
    key=("source", "record"),
    derived=True,
)
"""Records that were written since the base world: the search index does not know their text."""

RULES = (
    Rule(
        "EMP-BOSS",
        "An employee's boss has a higher level, is of the same department, and is employed where the employee is.",
        "employee",
        "new.reports_to IS NOT NULL AND NOT EXISTS (SELECT 1 FROM employee AS boss WHERE boss.emp_id = new.reports_to"
        " AND boss.level > new.level AND boss.department = new.department AND (boss.is_valid OR NOT new.is_valid))",
    ),
    Rule(
        "EMP-TEAM",
        "Who leaves, or changes level or department, has nobody left of whom they could no longer be the boss.",
        "employee",
        "EXISTS (SELECT 1 FROM employee AS report WHERE report.reports_to = new.emp_id AND report.is_valid"
        " AND (NOT new.is_valid OR report.level >= new.level OR report.department <> new.department))",
    ),
    Rule(
        "EMP-HEAD",
        "Only heads, of level 14, report to nobody.",
        "employee",
        "new.reports_to IS NULL AND new.level < 14",
    ),
    Rule(
        "EMP-CODE",
        "The level code is made of the department's prefix and the level.",
        "employee",
        "substr(new.level_code, 3) <> printf('%02d', new.level)",
    ),
    Rule(
        "LEAVE-SUM",
        "Total leave taken is the sum of what is taken of each kind.",
        "employee",
        "new.total_leaves_taken <> new.total_casual_leaves - new.remaining_casual_leaves + new.total_sick_leaves"
        " - new.remaining_sick_leaves + new.total_vacation_leaves - new.remaining_vacation_leaves",
    ),
    Rule(
        "CHAT-PARTY",
        "Messages are written by those who take part in the conversation.",
        "message",
        "NOT EXISTS (SELECT 1 FROM conversation AS talk WHERE talk.conversation_id = new.conversation_id"
        " AND new.emp_id IN (talk.sender_emp_id, talk.recipient_emp_id))",
    ),
    Rule(
        "MAIL-PARTY",
        "Mails go between those who take part in the thread.",
        "mail",
        "NOT EXISTS (SELECT 1 FROM mail_thread AS thread WHERE thread.thread_id = new.thread_id"
        " AND new.sender_emp_id <> new.recipient_emp_id"
        " AND new.sender_emp_id IN (thread.starter_emp_id, thread.other_emp_id)"
        " AND new.recipient_emp_id IN (thread.starter_emp_id, thread.other_emp_id))",
    ),
    Rule(
        "TICK-STAFF",
        "Tickets are worked on by employees of Information Technology.",
        "it_ticket",
        "new.emp_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM employee AS staff WHERE staff.emp_id = new.emp_id"
        " AND staff.department = 'Information Technology')",
    ),
    Rule(
        "CUST-OWNER",
        "Accounts of customers are owned by employees of Sales who are employed.",
        "customer",
        "NOT EXISTS (SELECT 1 FROM employee AS staff WHERE staff.emp_id = new.emp_id"
        " AND staff.department = 'Sales' AND staff.is_valid)",
    ),
)
"""Integrity of the records, whoever writes them."""

DOMAIN = Domain(
    name="enterprise_bench",
    title="Company",
    tables=(*TABLES, MARK),
    rights=Rights({ROLE: {"*": "crud"}}),
    own_rules=RULES,
)
"""The domain."""
