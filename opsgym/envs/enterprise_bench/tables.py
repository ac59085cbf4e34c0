"""All tables, source by source."""

from __future__ import annotations

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.sources import (
    business,
    chats,
    code,
    crm,
    mail,
    orders,
    overflow,
    people,
    policies,
    social,
    tickets,
)

SOURCES: dict[str, tuple[Table, ...]] = {
    "people": people.TABLES,
    "chats": chats.TABLES,
    "mail": mail.TABLES,
    "code": code.TABLES,
    "crm": crm.TABLES,
    "tickets": tickets.TABLES,
    "overflow": overflow.TABLES,
    "social": social.TABLES,
    "business": business.TABLES,
    "policies": policies.TABLES,
    "orders": orders.TABLES,
}
"""Tables of each source."""

TABLES: tuple[Table, ...] = tuple(table for tables in SOURCES.values() for table in tables)
"""All tables."""
