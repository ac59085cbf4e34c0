"""The tools of all sources."""

from __future__ import annotations

from opsgym.core.tools import Toolbox
from opsgym.envs.enterprise_bench.tools import (
    business,
    chats,
    code,
    crm,
    mail,
    orders,
    overflow,
    people,
    policies,
    search,
    social,
    tickets,
)

BY_SOURCE = {
    "people": people.TOOLS,
    "chats": chats.TOOLS,
    "mail": mail.TOOLS,
    "code": code.TOOLS,
    "crm": crm.TOOLS,
    "tickets": tickets.TOOLS,
    "overflow": overflow.TOOLS,
    "social": social.TOOLS,
    "business": business.TOOLS,
    "policies": policies.TOOLS,
    "orders": orders.TOOLS,
    "search": search.TOOLS,
}
"""Tools of each source."""

TOOLBOX = Toolbox(tool for tools in BY_SOURCE.values() for tool in tools)
"""All tools, without those that end an episode."""
