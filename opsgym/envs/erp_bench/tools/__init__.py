"""The tools of ERPBench: about forty business tools, the raw API as one tool, or files and commands of a coding agent."""

from __future__ import annotations

from functools import cache

from opsgym.core.errors import RegistryError
from opsgym.core.tools import Tool, Toolbox
from opsgym.envs.erp_bench.tools import api, invoicing, manufacturing, purchasing, reading, records, sales
from opsgym.sandbox.tools import COMMANDS, FILES

BUSINESS: tuple[Tool, ...] = (
    reading.get_current_date,
    reading.search_products,
    reading.get_product,
    reading.get_stock,
    reading.search_partners,
    reading.get_partner,
    reading.list_vendor_offers,
    reading.get_bill_of_materials,
    reading.list_work_centers,
    reading.list_payment_terms,
    reading.list_documents,
    reading.read_document,
    sales.list_sales_orders,
    sales.get_sales_order,
    sales.create_sales_order,
    sales.update_sales_order,
    sales.confirm_sales_order,
    sales.cancel_sales_order,
    purchasing.list_purchase_orders,
    purchasing.get_purchase_order,
    purchasing.create_purchase_order,
    purchasing.update_purchase_order,
    purchasing.confirm_purchase_order,
    purchasing.cancel_purchase_order,
    manufacturing.list_manufacturing_orders,
    manufacturing.get_manufacturing_order,
    manufacturing.create_manufacturing_order,
    manufacturing.update_manufacturing_order,
    manufacturing.confirm_manufacturing_order,
    manufacturing.cancel_manufacturing_order,
    invoicing.list_invoices,
    invoicing.get_invoice,
    invoicing.create_invoice,
    invoicing.post_invoice,
    invoicing.cancel_invoice,
    invoicing.add_note,
    records.describe_model,
    records.search_records,
    records.read_records,
    records.count_records,
    api.submit,
)
"""The business tools, in the order in which agents see them."""

HARNESSES: dict[str, tuple[Tool, ...]] = {"tools": BUSINESS, "api": (api.call, api.submit)}
"""Tools by harness, those that act on the ERP."""

CODING: tuple[Tool, ...] = (*FILES, *COMMANDS, api.submit)
"""The tools of the harness ``"coding"``, whose programs act on the ERP over HTTP."""


@cache
def toolbox(harness: str) -> Toolbox:
    """The tools of a harness; made once and shared.

    Args:
        harness: ``"tools"`` for the business tools, ``"api"`` for the raw API, ``"coding"`` for files and commands.

    Raises:
        RegistryError: There is no such harness.
    """
    known = {**HARNESSES, "coding": CODING}
    if harness not in known:
        raise RegistryError("harness", harness, known)
    return Toolbox(known[harness])
