"""Accounts, their contacts, products and what is installed where."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Day, Flag, Key, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.csm import words
from opsgym.envs.enterprise_ops.csm.tables.shared import STAMPS

ACCOUNT = Table(
    "account",
    (
        Key("account_id", whole=True),
        Text("name", required=True),
        Choice("account_type", words.ACCOUNT_TYPES, required=True),
        Text("email_domain"),
        Flag("active", required=True, default=True),
        *STAMPS,
    ),
    resource="accounts",
)
PRODUCT = Table(
    "product",
    (
        Key("product_id", whole=True),
        Text("name", required=True),
        Choice("category", words.CATEGORIES, required=True),
        Whole("product_price", 0, shown=False),
        Choice("lifecycle_state", words.PRODUCT_STATES, required=True, default="active"),
        *STAMPS,
    ),
    resource="products",
)
CONTACT = Table(
    "contact",
    (
        Key("contact_id", whole=True),
        Ref("account_id", "account", required=True, whole=True),
        Ref("portal_user_id", "user", required=True, whole=True),
        Flag("active", required=True, default=True),
        Flag("is_primary", required=True, default=False),
        *STAMPS,
    ),
    resource="contacts",
    indexes=(("account_id",), ("portal_user_id",)),
)
ASSET = Table(
    "installed_product",
    (
        Key("installed_product_id", whole=True),
        Ref("account_id", "account", required=True, whole=True),
        Ref("product_id", "product", required=True, whole=True),
        Ref("location_id", "location", whole=True),
        Text("serial_number", required=True),
        Choice("status", words.ASSET_STATUSES, required=True),
        Day("warranty_end"),
        *STAMPS,
    ),
    resource="installed_products",
    unique=(("serial_number",),),
)
TABLES = (ACCOUNT, PRODUCT, CONTACT, ASSET)
