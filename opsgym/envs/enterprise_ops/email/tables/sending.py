"""Addresses to send from, and their S/MIME certificates."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.email import words
from opsgym.envs.enterprise_ops.email.tables.shared import OWNER

ALIASES = Table(
    "send_as_aliases",
    (
        Key("id", "alias"),
        OWNER,
        Text("send_as_email", 254, "email", required=True),
        Text("display_name", 120),
        Text("reply_to_address", 254, "email"),
        Text("signature", 10_000),
        Flag("is_primary", required=True, default=False),
        Flag("is_default", required=True, default=False),
        Flag("treat_as_alias", required=True, default=True),
        Choice("verification_status", words.VERIFICATIONS, required=True, default="pending"),
    ),
    resource="sending",
    scope="user_id",
    unique=(("user_id", "send_as_email"),),
)
SMTP = Table(
    "smtp_msa",
    (
        Key("id", "smtp"),
        Ref("alias_id", "send_as_aliases", required=True),
        Text("host", 253, required=True),
        Whole("port", 1, required=True),
        Text("username", 120),
        Text("password", 120, secret=True),
        Choice("security_mode", words.SECURITY_MODES, required=True, default="starttls"),
    ),
    resource="sending",
    unique=(("alias_id",),),
)
SMIME = Table(
    "smime_configs",
    (
        Key("id", "smime"),
        OWNER,
        Ref("alias_id", "send_as_aliases", required=True),
        Text("issuer_cn", 255, required=True),
        Text("expiration", 20, required=True, doc="When it expires, in milliseconds since 1970."),
        Flag("is_default", required=True, default=False),
        Text("pem"),
        Text("pkcs12"),
        Text("encrypted_key_password", 255, secret=True),
    ),
    resource="smime",
    scope="user_id",
    indexes=(("alias_id",),),
)
TABLES = (ALIASES, SMTP, SMIME)
