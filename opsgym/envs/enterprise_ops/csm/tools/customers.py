"""Tools for accounts, contacts, products and installed products."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Choice
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared, fields
from opsgym.core.records.tools import creating, getting, listing, removing, updating
from opsgym.envs.enterprise_ops.csm import words
from opsgym.envs.enterprise_ops.csm.tables.customers import ACCOUNT, ASSET, CONTACT, PRODUCT
from opsgym.envs.enterprise_ops.csm.tools.counts import grouping

_CONTACT = "account_id portal_user_id active is_primary"
_PRODUCT = "name category lifecycle_state product_price"
_ASSET = "location_id account_id product_id serial_number status warranty_end"
_TIMES = "created_after created_before"
_ACCOUNTS = fields(ACCOUNT, "account_id name email_domain active", required=False, searching=True)
_PLACED = fields(ASSET, "account_id product_id", required=False, searching=True)


def _get_accounts(records: Records, given: dict[str, Any]) -> Any:
    kinds = given.get("account_types")
    rows = records.find(ACCOUNT, _ACCOUNTS.values(given), after=given.get("created_after"), before=given.get("created_before"))
    return [row for row in rows if not kinds or row["account_type"] in kinds]


def _count_ended(records: Records, given: dict[str, Any]) -> Any:
    day = given["on_date"]
    if problem := ASSET.column("warranty_end").problem(day):
        raise ToolError("invalid_value", f"on_date: {problem}")
    rows = records.find(ASSET, _PLACED.values(given))
    return {"count": sum(row["warranty_end"] is not None and row["warranty_end"] <= day for row in rows)}


TOOLS = (
    creating("create_new_account", "Create an account", ACCOUNT, "name account_type active", "email_domain"),
    getting("find_account", "Read an account by its exact name", ACCOUNT, "name"),
    declared(
        "get_accounts",
        "List accounts; all arguments given must match",
        (
            *_ACCOUNTS.arguments,
            Argument(
                "account_types",
                list[Choice("account_type", words.ACCOUNT_TYPES).annotation],  # type: ignore[misc]  # made at run time
                "Types to list; all by default.",
                False,
            ),
            Argument("created_after", str, "Only records created at or after this time.", False),
            Argument("created_before", str, "Only records created at or before this time.", False),
        ),
        _get_accounts,
    ),
    updating("update_account_details", "Change an account", ACCOUNT, "account_id", "name email_domain active account_type"),
    creating("create_contact", "Make a user a contact of an account", CONTACT, _CONTACT),
    getting("find_contact_by_portal_user", "Read the contact that a user is", CONTACT, "portal_user_id"),
    listing("find_contacts", "List contacts; all arguments given must match", CONTACT, f"contact_id {_CONTACT} {_TIMES}"),
    updating("update_contact", "Change a contact", CONTACT, "contact_id", _CONTACT),
    creating("add_new_product", "Create a product", PRODUCT, "name category lifecycle_state", "product_price"),
    getting("find_product", "Read a product by its exact name", PRODUCT, "name"),
    getting("find_product_by_id", "Read a product by key", PRODUCT, "product_id"),
    listing("find_products", "List products; all arguments given must match", PRODUCT, f"product_id {_PRODUCT} {_TIMES}"),
    updating("update_product", "Change a product", PRODUCT, "product_id", _PRODUCT),
    removing("delete_products", "Delete products; all arguments given must match", PRODUCT, f"product_id {_PRODUCT} {_TIMES}"),
    creating(
        "register_new_installed_product",
        "Create an installed product of an account",
        ASSET,
        "account_id product_id serial_number status",
        "location_id warranty_end",
    ),
    getting("find_installed_product_by_serial", "Read an installed product by serial number", ASSET, "serial_number"),
    listing(
        "retrieve_installed_products",
        "List installed products; all arguments given must match",
        ASSET,
        f"installed_product_id {_ASSET} {_TIMES}",
    ),
    updating("update_installed_product_details", "Change an installed product", ASSET, "installed_product_id", _ASSET),
    grouping(
        "count_installed_product_by_status",
        "Count installed products by status",
        ASSET,
        "status",
        "account_id product_id location_id",
    ),
    grouping(
        "avg_installed_per_account_by_status",
        "Average the number of installed products per account, over accounts that have any of the status, by status",
        ASSET,
        "status",
        "product_id location_id account_id",
        per="account_id",
    ),
    declared(
        "installed_product_warranties_ended_count",
        "Count installed products whose warranty ended on or before a day",
        (Argument("on_date", str, "The day, YYYY-MM-DD."), *_PLACED.arguments),
        _count_ended,
    ),
)
