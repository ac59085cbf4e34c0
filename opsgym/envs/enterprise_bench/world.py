"""World: the records of the company in all sources, by seed and size.

Numbers of records are those of table 2 of the paper for 1,260 employees, and in proportion for 120.
"""

from __future__ import annotations

import datetime as dt
import random

from opsgym.core.errors import RegistryError
from opsgym.envs.enterprise_bench import company
from opsgym.envs.enterprise_bench.ledger import Generated, Ledger
from opsgym.envs.enterprise_bench.sources import (
    business,
    chats,
    code,
    crm,
    mail,
    orders,
    overflow,
    policies,
    social,
    tickets,
)
from opsgym.envs.enterprise_bench.tables import TABLES


def generate(seed: int, size: company.Size) -> Generated:
    """The company of a seed and size: the same in any process.

    Raises:
        RegistryError: Unknown size.
    """
    if size not in company.EMPLOYEES:
        raise RegistryError("size", size, company.EMPLOYEES)
    draw = random.Random(f"enterprise_bench/{size}/{seed}")
    today = dt.date(2026, 1, 5) + dt.timedelta(days=7 * draw.randrange(47) + draw.randrange(5))
    book = Ledger(TABLES, today, draw, company.EMPLOYEES[size] / company.EMPLOYEES["L"])
    company.fill(book, size)
    for source in (policies, code, tickets, crm, orders, business, overflow, social, chats, mail):  # texts speak of earlier ones
        source.fill(book)
    return book.done()
