"""Tools for forwarding addresses and automatic forwarding."""

from __future__ import annotations

from typing import Literal

from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email.tables.routing import AUTO_FORWARDING, FORWARDING_ADDRESSES
from opsgym.envs.enterprise_ops.email.tools.shared import USER, Address, Given, camel, mail_tool, stated

_NAMES = (("forwardingEmail", "forwarding_email"), ("verificationStatus", "verification_status"))
_AUTO = (("enabled", "enabled"), ("emailAddress", "email_address"), ("disposition", "disposition"))


def _told(row: Given) -> Given:
    return camel(row, _NAMES)


def _list(box: Records, given: Given) -> Given:
    return {"forwardingAddresses": [_told(row) for row in box.find(FORWARDING_ADDRESSES, {})]}


def _get(box: Records, given: Given) -> Given:
    return _told(box.get(FORWARDING_ADDRESSES, {"forwarding_email": given["forwardingEmail"].lower()}))


def _create(box: Records, given: Given) -> Given:
    return _told(box.create(FORWARDING_ADDRESSES, {"forwarding_email": given["forwardingEmail"].lower()}))


def _delete(box: Records, given: Given) -> Given:
    return {"deleted": len(box.delete(FORWARDING_ADDRESSES, {"forwarding_email": given["forwardingEmail"].lower()}))}


def _get_auto(box: Records, given: Given) -> Given:
    return camel(box.get(AUTO_FORWARDING, {"user_id": box.actor.scope}), _AUTO)


def _update_auto(box: Records, given: Given) -> Given:
    values = {"enabled": given["enabled"], "email_address": given["emailAddress"].lower(), "disposition": given["disposition"]}
    return camel(box.update(AUTO_FORWARDING, {"user_id": box.actor.scope}, values), _AUTO)


_EMAIL = Argument("forwardingEmail", Address, "The address that mail is forwarded to.")

TOOLS = (
    mail_tool("list_forwarding_addresses", "List the addresses that mail may be forwarded to", (USER,), _list),
    mail_tool("get_forwarding_address", "Read an address that mail may be forwarded to", (USER, _EMAIL), _get),
    mail_tool(
        "create_forwarding_address",
        "Add an address to forward to; it is pending until its owner accepts",
        (USER, _EMAIL),
        _create,
        mutates=True,
    ),
    mail_tool("delete_forwarding_address", "Delete an address to forward to", (USER, _EMAIL), _delete, mutates=True),
    mail_tool("get_auto_forwarding", "Read whether all mail is forwarded, and where to", (USER,), _get_auto),
    mail_tool(
        "update_auto_forwarding",
        "Turn forwarding of all mail on or off",
        (
            USER,
            stated("enabled", bool, "Whether all mail is forwarded.", False),
            Argument("emailAddress", str, "Where to; empty for nowhere."),
            stated(
                "disposition",
                Literal["leaveInInbox", "archive", "trash", "markRead"],
                "What becomes of the mail here.",
                "leaveInInbox",
            ),
        ),
        _update_auto,
        mutates=True,
    ),
)
