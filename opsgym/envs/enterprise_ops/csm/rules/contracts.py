"""Rules of contracts, entitlements and installed products."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.csm.rules.shared import OPEN

RULES = (
    Rule(
        "CSM-CON-DATES",
        "A contract ends after it starts.",
        "contract",
        "new.end_date <= new.start_date",
    ),
    Rule(
        "CSM-CON-PAST",
        "A contract whose end has passed is not made active.",
        "contract",
        "new.status = 'active' AND (new.status IS NOT old.status OR new.end_date IS NOT old.end_date)"
        " AND new.end_date < date(:now)",
    ),
    Rule(
        "CSM-ENT-CONTRACT",
        "An active entitlement rests on an active contract of the same account.",
        "entitlement",
        "new.active AND NOT EXISTS (SELECT 1 FROM contract k WHERE k.contract_id = new.contract_id"
        " AND k.account_id = new.account_id AND k.status = 'active')",
    ),
    Rule(
        "CSM-ENT-PRODUCT",
        "A new entitlement for a product is for an active product.",
        "entitlement",
        "new.product_id IS NOT NULL AND EXISTS (SELECT 1 FROM product p WHERE p.product_id = new.product_id"
        " AND p.lifecycle_state = 'retired')",
        on=("create",),
    ),
    Rule(
        "CSM-ENT-HOURS",
        "Enterprise support is around the clock (h24x7).",
        "entitlement",
        "new.active AND new.support_level = 'enterprise' AND new.coverage_hours IS NOT 'h24x7'",
    ),
    Rule(
        "CSM-ASSET-PRODUCT",
        "A new installed product is of an active product.",
        "installed_product",
        "NOT EXISTS (SELECT 1 FROM product p WHERE p.product_id = new.product_id AND p.lifecycle_state = 'active')",
        on=("create",),
    ),
    Rule(
        "CSM-ASSET-SITE",
        "An installed product that is in use is at an active location.",
        "installed_product",
        "new.status = 'in_use' AND NOT EXISTS (SELECT 1 FROM location l WHERE l.location_id = new.location_id AND l.active)",
    ),
    Rule(
        "CSM-ASSET-BUSY",
        "An installed product with an open case is not retired.",
        "installed_product",
        "new.status = 'retired' AND EXISTS (SELECT 1 FROM customer_case c"
        f" WHERE c.installed_product_id = new.installed_product_id AND c.state IN {OPEN})",
    ),
)
