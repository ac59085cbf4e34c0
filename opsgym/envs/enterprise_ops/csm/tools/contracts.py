"""Tools for contracts and entitlements."""

from __future__ import annotations

from opsgym.core.records.tools import creating, listing, updating
from opsgym.envs.enterprise_ops.csm.tables.contracts import CONTRACT, ENTITLEMENT
from opsgym.envs.enterprise_ops.csm.tools.counts import grouping
from opsgym.envs.enterprise_ops.csm.tools.spans import spanning

_CONTRACT = "account_id contract_price contract_type status start_date end_date"
_TERMS = "product_id contract_id coverage_hours max_cases_per_month"
_TIMES = "created_after created_before"

TOOLS = (
    creating(
        "enlist_new_contract",
        "Create a contract of an account",
        CONTRACT,
        "account_id contract_type status start_date end_date",
        "contract_price",
    ),
    spanning(
        "find_contracts",
        "List contracts; all arguments given must match",
        CONTRACT,
        f"contract_id {_CONTRACT}",
        least={"contract_price_range_start": "contract_price"},
        most={"contract_price_range_end": "contract_price"},
    ),
    updating("update_contract", "Change a contract", CONTRACT, "contract_id", _CONTRACT),
    grouping("count_contract_by_status", "Count contracts by status", CONTRACT, "status", "account_id contract_type"),
    grouping(
        "avg_contracts_per_account_by_status",
        "Average the number of contracts per account, over accounts that have any of the status, by status",
        CONTRACT,
        "status",
        "contract_type",
        per="account_id",
    ),
    creating(
        "add_new_entitlement", "Create an entitlement of an account", ENTITLEMENT, "account_id support_level active", _TERMS
    ),
    listing(
        "find_entitlements",
        "List entitlements; all arguments given must match",
        ENTITLEMENT,
        f"entitlement_id account_id support_level active {_TERMS} {_TIMES}",
    ),
    updating(
        "update_entitlement",
        "Change an entitlement",
        ENTITLEMENT,
        "entitlement_id",
        f"account_id support_level active {_TERMS}",
    ),
    grouping(
        "total_sum_of_max_cases_per_support_level",
        "Add up the monthly limits of entitlements by support level",
        ENTITLEMENT,
        "support_level",
        "support_level",
        of="max_cases_per_month",
    ),
)
