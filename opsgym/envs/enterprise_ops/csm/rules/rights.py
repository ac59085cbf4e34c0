"""Who may do and see what."""

from __future__ import annotations

from opsgym.core.records.rights import Rights
from opsgym.core.records.sight import Sight
from opsgym.envs.enterprise_ops.csm.rules.shared import ME, OWN

RIGHTS = Rights(
    {
        "admin": {"*": "crud"},
        "manager": {
            "cases": "edit",
            "interactions": "edit",
            "notifications": "edit",
            "case_slas": "crud",
            "case_knowledge": "crud",
            "knowledge": "edit",
            "entitlements": "edit",
            "*": "read",
        },
        "agent": {
            "cases": "edit",
            "interactions": "edit",
            "notifications": "edit",
            "case_slas": "edit",
            "case_knowledge": "crud",
            "knowledge": "edit",
            "*": "read",
        },
        "customer": {
            "cases": "edit",
            "interactions": "edit",
            "users": "edit",
            "accounts": "read",
            "contacts": "read",
            "products": "read",
            "installed_products": "read",
            "contracts": "read",
            "entitlements": "read",
            "knowledge": "read",
        },
    }
)

SIGHTS = (
    *(
        Sight(
            f"CSM-SEE-{short}", f"A customer sees only {words} of accounts of which they are a contact.", "customer", table, OWN
        )
        for short, words, table in (
            ("ACCOUNT", "records", "account"),
            ("CONTACT", "contacts", "contact"),
            ("ASSET", "installed products", "installed_product"),
            ("CONTRACT", "contracts", "contract"),
            ("ENT", "entitlements", "entitlement"),
            ("CASE", "cases", "customer_case"),
            ("INT", "interactions", "interaction"),
        )
    ),
    Sight("CSM-SEE-USER", "A customer sees only their own user record.", "customer", "user", f"user_id = {ME}"),
    Sight(
        "CSM-SEE-KB",
        "A customer sees only published knowledge articles that are external.",
        "customer",
        "knowledge",
        "state = 'published' AND visibility = 'external'",
    ),
)
