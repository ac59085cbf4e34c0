"""Contracts and the entitlements that rest on them."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Day, Flag, Key, Ref, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.csm import words
from opsgym.envs.enterprise_ops.csm.tables.shared import STAMPS

CONTRACT = Table(
    "contract",
    (
        Key("contract_id", whole=True),
        Ref("account_id", "account", required=True, whole=True),
        Choice("contract_type", words.CONTRACT_TYPES, required=True),
        Choice("status", words.CONTRACT_STATUSES, required=True),
        Whole("contract_price", 0, shown=False),
        Day("start_date", required=True),
        Day("end_date", required=True),
        *STAMPS,
    ),
    resource="contracts",
)
ENTITLEMENT = Table(
    "entitlement",
    (
        Key("entitlement_id", whole=True),
        Ref("account_id", "account", required=True, whole=True),
        Ref("product_id", "product", whole=True, doc="Product; none for the whole account."),
        Ref("contract_id", "contract", whole=True),
        Choice("support_level", words.SUPPORT_LEVELS, required=True),
        Choice("coverage_hours", words.COVERAGE_HOURS),
        Whole("max_cases_per_month", 0, shown=False, doc="Greatest number of cases a month; 0 for no limit."),
        Flag("active", required=True, default=True),
        *STAMPS,
    ),
    resource="entitlements",
    indexes=(("account_id",),),
)
TABLES = (CONTRACT, ENTITLEMENT)
