"""Tools for clients and vendors."""

from __future__ import annotations

from opsgym.core.records.table import Table
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_bench.sources.business import CLIENT, VENDOR
from opsgym.envs.enterprise_bench.tools.makers import creating, getting, listing, removing, today, updating


def _tools(table: Table, may: str) -> tuple[Tool, ...]:
    noun = table.name
    listed = "industry business_type emp_id" + (" poc_status" if noun == "client" else "")
    return (
        listing(f"list_{noun}s", f"List {noun}s", table, f"{noun}s", listed, day="onboarding_date"),
        getting(f"get_{noun}", f"Read a {noun}, by id or name", table, f"{noun}_id business_name", either=True),
        creating(f"create_{noun}", f"Create a {noun}", table, may, fill=lambda desk, _: {"onboarding_date": today(desk)}),
        updating(f"update_{noun}", f"Change a {noun}", table, f"{noun}_id", may),
        removing(f"delete_{noun}", f"Delete a {noun}", table, f"{noun}_id"),
    )


TOOLS = (
    *_tools(
        CLIENT,
        "business_name industry business_type contact_person_name contact_email phone_number registered_address tax_id"
        " monthly_revenue current_poc_product poc_status engagement_description emp_id",
    ),
    *_tools(VENDOR, "business_name industry business_type registered_address tax_id relationship_description emp_id"),
)
"""The tools."""
