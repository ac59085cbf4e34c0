"""Client-side encryption: key pairs, where their private keys lie, and the identities that use them."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Json, Key, Moment, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.email import words
from opsgym.envs.enterprise_ops.email.tables.shared import OWNER

KEYPAIRS = Table(
    "cse_keypairs",
    (
        Key("id", "key"),
        OWNER,
        Text("pkcs7", required=True),
        Text("pem"),
        Json("subject_email_addresses", shape=list[str], required=True),
        Choice("enablement_state", words.KEY_STATES, required=True, default="enabled"),
        Moment("disable_time"),
    ),
    resource="encryption",
    scope="user_id",
)
KEY_METADATA = Table(
    "cse_private_key_metadata",
    (
        Key("id", "keymeta"),
        Ref("keypair_id", "cse_keypairs", required=True),
        Text("kacls_uri", 500),
        Text("kacls_data", 4000, secret=True),
        Text("hardware_description", 500),
    ),
    resource="encryption",
    indexes=(("keypair_id",),),
)
IDENTITIES = Table(
    "cse_identities",
    (
        Key("id", "identity"),
        OWNER,
        Text("email_address", 254, "email", required=True),
        Ref("primary_key_pair_id", "cse_keypairs"),
        Ref("signing_key_pair_id", "cse_keypairs"),
        Ref("encryption_key_pair_id", "cse_keypairs"),
    ),
    resource="encryption",
    scope="user_id",
    unique=(("user_id", "email_address"),),
    checks={
        "(primary_key_pair_id IS NULL) = (signing_key_pair_id IS NOT NULL AND encryption_key_pair_id IS NOT NULL)": (
            "An identity has a primary key pair, or one to sign and one to encrypt."
        ),
        "(signing_key_pair_id IS NULL) = (encryption_key_pair_id IS NULL)": "Signing and encryption key pairs go together.",
    },
)
TABLES = (KEYPAIRS, KEY_METADATA, IDENTITIES)
