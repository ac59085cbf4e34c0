"""Tools for client-side encryption: key pairs and the identities that use them."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email.mailbox import owner
from opsgym.envs.enterprise_ops.email.tables.security import IDENTITIES, KEY_METADATA, KEYPAIRS
from opsgym.envs.enterprise_ops.email.tools.shared import PAGE_TOKEN, USER, Given, mail_tool
from opsgym.envs.enterprise_ops.paging import page


class SignAndEncrypt(TypedDict, total=False):
    """One key pair to sign, another one to encrypt."""

    signingKeyPairId: str
    encryptionKeyPairId: str


class KaclsKey(TypedDict, total=False):
    """A private key that a key service holds."""

    kaclsUri: str
    kaclsData: str


class HardwareKey(TypedDict, total=False):
    """A private key on hardware."""

    description: str


class PrivateKey(TypedDict, total=False):
    """Where a private key lies."""

    kaclsKeyMetadata: KaclsKey
    hardwareKeyMetadata: HardwareKey


_ADDRESS = re.compile(r"emailAddress=([^@\s,;]+@[^@\s,;]+)")


def _key(box: Records, key: str) -> Given:
    return _told_key(box, box.get(KEYPAIRS, {"id": key}))


def _told_key(box: Records, row: Given) -> Given:
    metadata = []
    for item in box.find(KEY_METADATA, {"keypair_id": row["id"]}):
        kacls = {"kaclsUri": item["kacls_uri"]} if item["kacls_uri"] else None
        hardware = {"description": item["hardware_description"]} if item["hardware_description"] else None
        both = {"kaclsKeyMetadata": kacls, "hardwareKeyMetadata": hardware}
        metadata.append({"privateKeyMetadataId": item["id"]} | {name: value for name, value in both.items() if value})
    told = {
        "keyPairId": row["id"],
        "subjectEmailAddresses": row["subject_email_addresses"],
        "enablementState": row["enablement_state"],
        "privateKeyMetadata": metadata,
    }
    return told | ({"disableTime": row["disable_time"]} if row["disable_time"] else {})


def _list_keys(box: Records, given: Given) -> Given:
    rows = box.find(KEYPAIRS, {})
    told = page("cseKeyPairs", rows, given.get("pageToken"), given.get("pageSize", 20))
    return told | {"cseKeyPairs": [_told_key(box, row) for row in told["cseKeyPairs"]]}


def _get_key(box: Records, given: Given) -> Given:
    return _key(box, given["keyPairId"])


def _create_key(box: Records, given: Given) -> Given:
    if not given["pkcs7"].strip():
        raise ToolError("missing_field", "pkcs7: expected a certificate chain")
    addresses = [found.lower() for found in _ADDRESS.findall(given["pkcs7"])] or [owner(box)["email"]]
    row = box.create(KEYPAIRS, {"pkcs7": given["pkcs7"], "subject_email_addresses": list(dict.fromkeys(addresses))})
    for item in given.get("privateKeyMetadata", ()):
        kacls = item.get("kaclsKeyMetadata") or {}
        values = {"kacls_uri": kacls.get("kaclsUri"), "kacls_data": kacls.get("kaclsData")}
        values["hardware_description"] = (item.get("hardwareKeyMetadata") or {}).get("description")
        box.create(KEY_METADATA, values | {"keypair_id": row["id"]})
    return _key(box, row["id"])


def _switch(state: str) -> Any:
    def run(box: Records, given: Given) -> Given:
        row = box.get(KEYPAIRS, {"id": given["keyPairId"]})
        if row["enablement_state"] == state:
            raise ToolError("bad_state", f"key pair {row['id']} is {state} already")
        values = {"enablement_state": state} | ({"disable_time": ""} if state == "enabled" else {})
        box.update(KEYPAIRS, {"id": row["id"]}, values)
        return _key(box, row["id"])

    return run


def _obliterate(box: Records, given: Given) -> Given:
    row = box.get(KEYPAIRS, {"id": given["keyPairId"]})
    with box.world.savepoint():
        box.world.execute("PRAGMA defer_foreign_keys = ON")  # the key pair goes first, so that a refusal tells the rule
        if any(row["id"] in identity.values() for identity in box.find(IDENTITIES, {})):
            raise ToolError("bad_state", f"an identity uses key pair {row['id']}")
        box.delete(KEYPAIRS, {"id": row["id"]})
        if box.find(KEY_METADATA, {"keypair_id": row["id"]}):
            box.delete(KEY_METADATA, {"keypair_id": row["id"]})
    return {"obliterated": row["id"]}


def _told_identity(row: Given) -> Given:
    told: Given = {"emailAddress": row["email_address"]}
    if row["primary_key_pair_id"]:
        return told | {"primaryKeyPairId": row["primary_key_pair_id"]}
    pair = {"signingKeyPairId": row["signing_key_pair_id"], "encryptionKeyPairId": row["encryption_key_pair_id"]}
    return told | {"signAndEncryptKeyPairs": pair}


def _list_identities(box: Records, given: Given) -> Given:
    rows = [_told_identity(row) for row in box.find(IDENTITIES, {})]
    return page("cseIdentities", rows, given.get("pageToken"), given["pageSize"])


def _get_identity(box: Records, given: Given) -> Given:
    return _told_identity(box.get(IDENTITIES, {"email_address": given["cseEmailAddress"].lower()}))


def _pairs(given: Given) -> Given:
    """Columns of the key pairs: one for both uses, or one for each."""
    both = given.get("signAndEncryptKeyPairs") or {}
    if bool(given.get("primaryKeyPairId")) == bool(both):
        raise ToolError("missing_field", "expected either primaryKeyPairId or signAndEncryptKeyPairs")
    return {
        "primary_key_pair_id": given.get("primaryKeyPairId"),
        "signing_key_pair_id": both.get("signingKeyPairId"),
        "encryption_key_pair_id": both.get("encryptionKeyPairId"),
    }


def _create_identity(box: Records, given: Given) -> Given:
    values = _pairs(given) | {"email_address": given["emailAddress"].lower()}
    return _told_identity(box.create(IDENTITIES, values))


def _patch_identity(box: Records, given: Given) -> Given:
    return _told_identity(box.update(IDENTITIES, {"email_address": given["emailAddress"].lower()}, _pairs(given)))


def _delete_identity(box: Records, given: Given) -> Given:
    return {"deleted": len(box.delete(IDENTITIES, {"email_address": given["cseEmailAddress"].lower()}))}


_KEY = Argument("keyPairId", str, "Key of the key pair.")
_PAGE = Argument("pageSize", Annotated[int, Field(ge=1, le=100)], "Greatest number of items.", False)
_PAGE_20 = Argument("pageSize", _PAGE.annotation, _PAGE.about, False, 20)
_CSE_EMAIL = Argument("cseEmailAddress", str, "Address of the identity.")
_EMAIL = Argument("emailAddress", str, "Address of the identity.")
_KEYS = (
    Argument("primaryKeyPairId", str, "Key pair that signs and encrypts.", False),
    Argument("signAndEncryptKeyPairs", SignAndEncrypt, "Two key pairs instead, one to sign and one to encrypt.", False),
)

TOOLS = (
    mail_tool(
        "list_cse_identities", "List the identities of client-side encryption", (USER, PAGE_TOKEN, _PAGE_20), _list_identities
    ),
    mail_tool("get_cse_identity", "Read an identity of client-side encryption", (USER, _CSE_EMAIL), _get_identity),
    mail_tool(
        "create_cse_identity",
        "Create an identity of client-side encryption",
        (USER, _EMAIL, *_KEYS),
        _create_identity,
        mutates=True,
    ),
    mail_tool(
        "patch_cse_identity",
        "Have an identity of client-side encryption use another key pair",
        (USER, _EMAIL, *_KEYS),
        _patch_identity,
        mutates=True,
    ),
    mail_tool(
        "delete_cse_identity", "Delete an identity of client-side encryption", (USER, _CSE_EMAIL), _delete_identity, mutates=True
    ),
    mail_tool("email_list_cse_keypairs", "List the key pairs of client-side encryption", (USER, PAGE_TOKEN, _PAGE), _list_keys),
    mail_tool("email_get_cse_keypair", "Read a key pair of client-side encryption", (USER, _KEY), _get_key),
    mail_tool(
        "email_create_cse_keypair",
        "Create a key pair of client-side encryption; it is enabled",
        (
            USER,
            Argument("pkcs7", str, "Certificate chain; addresses in it as emailAddress=..., by default the owner's."),
            Argument("privateKeyMetadata", list[PrivateKey], "Where the private key lies.", False),
        ),
        _create_key,
        mutates=True,
    ),
    mail_tool("email_enable_cse_keypair", "Enable a key pair that is disabled", (USER, _KEY), _switch("enabled"), mutates=True),
    mail_tool("email_disable_cse_keypair", "Disable a key pair", (USER, _KEY), _switch("disabled"), mutates=True),
    mail_tool("email_obliterate_cse_keypair", "Delete a key pair for good", (USER, _KEY), _obliterate, mutates=True),
)
