"""Tools for the addresses that a mailbox sends from."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email.tables.sending import ALIASES, SMIME, SMTP
from opsgym.envs.enterprise_ops.email.tools.shared import MAYBE_USER, USER, Given, camel, mail_tool


class SmtpMsa(TypedDict, total=False):
    """The server that mail from the address goes through."""

    host: str
    port: Annotated[int, Field(ge=1, le=65535)]
    username: str
    password: str
    securityMode: Literal["none", "ssl", "starttls"]


_NAMES = (
    ("sendAsEmail", "send_as_email"),
    ("displayName", "display_name"),
    ("replyToAddress", "reply_to_address"),
    ("signature", "signature"),
    ("isPrimary", "is_primary"),
    ("isDefault", "is_default"),
    ("treatAsAlias", "treat_as_alias"),
    ("verificationStatus", "verification_status"),
)


def alias_of(box: Records, address: str) -> Given:
    """The address to send from.

    Raises:
        ToolError: ``not_found``.
    """
    return box.get(ALIASES, {"send_as_email": address.lower()})


def _told(box: Records, row: Given) -> Given:
    told = camel(row, _NAMES)
    for server in box.find(SMTP, {"alias_id": row["id"]}):
        names = (("host", "host"), ("port", "port"), ("username", "username"), ("securityMode", "security_mode"))
        told["smtpMsa"] = camel(server, names)
    return told


def _list(box: Records, given: Given) -> Given:
    return {"sendAs": [_told(box, row) for row in box.find(ALIASES, {})]}


def _get(box: Records, given: Given) -> Given:
    return _told(box, alias_of(box, given["sendAsEmail"]))


def _columns(given: Given) -> Given:
    return {column: given[name] for name, column in _NAMES if name in given and column != "verification_status"}


def _create(box: Records, given: Given) -> Given:
    values = _columns(given) | {"send_as_email": given["sendAsEmail"].lower()}
    wants_default = values.pop("is_default", False)
    row = box.create(ALIASES, values)
    _set_server(box, row["id"], given)
    if wants_default:
        _make_default(box, row)
    return _get(box, given)


def _change(box: Records, given: Given) -> Given:
    row = alias_of(box, given["sendAsEmail"])
    if given.get("verificationStatus", row["verification_status"]) != row["verification_status"]:
        raise ToolError(
            "bad_state", "verificationStatus: only verification changes it", "Call verify_send_as_alias for a pending address."
        )
    values = {name: value for name, value in _columns(given).items() if (row[name] or "") != value}
    values.pop("send_as_email", None)
    wants_default = values.pop("is_default", row["is_default"])
    if row["is_default"] and not wants_default:
        raise ToolError("bad_state", "isDefault: one address is the default; make another one the default")
    if not values and not given.get("smtpMsa") and wants_default == row["is_default"]:
        raise ToolError("invalid_value", "nothing would change", "Give at least one new value.")
    if values:
        box.update(ALIASES, {"id": row["id"]}, values)
    _set_server(box, row["id"], given)
    if wants_default and not row["is_default"]:
        _make_default(box, row)
    return _get(box, given)


def _make_default(box: Records, row: Given) -> None:
    for other in box.find(ALIASES, {"is_default": 1}):
        box.update(ALIASES, {"id": other["id"]}, {"is_default": False})
    box.update(ALIASES, {"id": row["id"]}, {"is_default": True})


def _set_server(box: Records, alias: str, given: Given) -> None:
    server = given.get("smtpMsa")
    if not server:
        return
    values = {("security_mode" if name == "securityMode" else name): value for name, value in server.items()}
    if box.find(SMTP, {"alias_id": alias}):
        box.update(SMTP, {"alias_id": alias}, values)
    else:
        box.create(SMTP, values | {"alias_id": alias})


def _delete(box: Records, given: Given) -> Given:
    row = alias_of(box, given["sendAsEmail"])
    if row["is_primary"]:
        raise ToolError("bad_state", "the primary address cannot be deleted")
    if row["is_default"]:
        raise ToolError("bad_state", "the default address cannot be deleted; make another one the default first")
    for table in (SMTP, SMIME):
        if box.find(table, {"alias_id": row["id"]}):
            box.delete(table, {"alias_id": row["id"]})
    box.delete(ALIASES, {"id": row["id"]})
    return {"deleted": 1}


def _verify(box: Records, given: Given) -> Given:
    row = alias_of(box, given["sendAsEmail"])
    if row["verification_status"] != "pending":
        raise ToolError("bad_state", f"verification is possible while it is pending, it is {row['verification_status']}")
    return _told(box, box.update(ALIASES, {"id": row["id"]}, {"verification_status": "accepted"}))


ADDRESS = Argument("sendAsEmail", str, "The address to send from.")
_FIELDS = (
    Argument("displayName", str, "Name shown with it.", False),
    Argument("replyToAddress", str, "Where answers go.", False),
    Argument("signature", str, "Text under new mail.", False),
    Argument("isDefault", bool, "Whether mail goes from it unless another is given.", False),
    Argument("treatAsAlias", bool, "Whether it is another name of the owner.", False),
    Argument("smtpMsa", SmtpMsa, "The server that its mail goes through.", False),
)
_STATUS = Argument(
    "verificationStatus",
    Literal["verificationStatusUnspecified", "accepted", "pending"],
    "What it is now; only verification changes it.",
    False,
)

TOOLS = (
    mail_tool("list_send_as_aliases", "List the addresses that the mailbox sends from", (USER,), _list),
    mail_tool("get_send_as_alias", "Read an address that the mailbox sends from", (ADDRESS, USER), _get),
    mail_tool(
        "create_send_as_alias",
        "Create an address to send from; it is pending until it is verified",
        (ADDRESS, MAYBE_USER, *_FIELDS),
        _create,
        mutates=True,
    ),
    mail_tool(
        "patch_send_as_alias",
        "Change what is given of an address to send from",
        (ADDRESS, USER, *_FIELDS, _STATUS),
        _change,
        mutates=True,
    ),
    mail_tool(
        "update_send_as_alias",
        "Replace an address to send from; an empty text clears a field",
        (ADDRESS, USER, *(Argument(item.name, item.annotation, item.about) for item in (*_FIELDS, _STATUS))),
        _change,
        mutates=True,
    ),
    mail_tool(
        "delete_send_as_alias", "Delete an address to send from, with its certificates", (ADDRESS, USER), _delete, mutates=True
    ),
    mail_tool(
        "verify_send_as_alias",
        "Verify a pending address to send from; its owner confirms at once",
        (USER, ADDRESS),
        _verify,
        mutates=True,
    ),
)
