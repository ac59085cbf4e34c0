"""Tools for S/MIME certificates of addresses to send from."""

from __future__ import annotations

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email.mailbox import moment
from opsgym.envs.enterprise_ops.email.tables.sending import SMIME
from opsgym.envs.enterprise_ops.email.tools.sending import ADDRESS, alias_of
from opsgym.envs.enterprise_ops.email.tools.shared import USER, Given, camel, mail_tool

_NAMES = (("id", "id"), ("issuerCn", "issuer_cn"), ("expiration", "expiration"), ("isDefault", "is_default"), ("pem", "pem"))


def _told(row: Given) -> Given:
    return camel(row, _NAMES) | {"hasPkcs12": bool(row["pkcs12"])}


def _config(box: Records, given: Given) -> Given:
    return box.get(SMIME, {"id": given["id"], "alias_id": alias_of(box, given["sendAsEmail"])["id"]})


def _list(box: Records, given: Given) -> Given:
    return {"smimeInfo": [_told(row) for row in box.find(SMIME, {"alias_id": alias_of(box, given["sendAsEmail"])["id"]})]}


def _get(box: Records, given: Given) -> Given:
    return _told(_config(box, given))


def _insert(box: Records, given: Given) -> Given:
    alias = alias_of(box, given["sendAsEmail"])
    moment(given["expiration"], "expiration")
    names = {"issuerCn": "issuer_cn", "encryptedKeyPassword": "encrypted_key_password"}
    kept = ("issuerCn", "expiration", "encryptedKeyPassword", "pem", "pkcs12")
    values = {names.get(name, name): given[name] for name in kept if name in given}
    row = box.create(SMIME, values | {"alias_id": alias["id"]})
    return _default(box, row) if given.get("isDefault") else _told(row)


def _default(box: Records, row: Given) -> Given:
    for other in box.find(SMIME, {"alias_id": row["alias_id"], "is_default": 1}):
        box.update(SMIME, {"id": other["id"]}, {"is_default": False})
    return _told(box.update(SMIME, {"id": row["id"]}, {"is_default": True}))


def _set_default(box: Records, given: Given) -> Given:
    row = _config(box, given)
    if row["is_default"]:
        raise ToolError("bad_state", f"{row['id']} is the default already")
    return _default(box, row)


def _delete(box: Records, given: Given) -> Given:
    box.delete(SMIME, {"id": _config(box, given)["id"]})
    return {"deleted": 1}


_ID = Argument("id", str, "Key of the certificate.")

TOOLS = (
    mail_tool("list_smime_configs", "List the S/MIME certificates of an address to send from", (ADDRESS, USER), _list),
    mail_tool("get_smime_config", "Read an S/MIME certificate", (ADDRESS, _ID, USER), _get),
    mail_tool(
        "insert_smime_config",
        "Add an S/MIME certificate to an address to send from",
        (
            ADDRESS,
            Argument("issuerCn", str, "Common name of the issuer."),
            Argument("expiration", str, "When it expires, in milliseconds since 1970."),
            USER,
            Argument("isDefault", bool, "Whether mail is signed with it.", False),
            Argument("encryptedKeyPassword", str, "Password of the key.", False),
            Argument("pem", str, "Certificate in PEM.", False),
            Argument("pkcs12", str, "Certificate and private key in PKCS #12, base64.", False),
        ),
        _insert,
        mutates=True,
    ),
    mail_tool("set_default_smime_config", "Sign with this S/MIME certificate", (ADDRESS, _ID, USER), _set_default, mutates=True),
    mail_tool("delete_smime_config", "Delete an S/MIME certificate", (ADDRESS, _ID, USER), _delete, mutates=True),
)
