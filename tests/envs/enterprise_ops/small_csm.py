"""A small CSM world for tests; its own rules hold in it."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.actor import Actor
from opsgym.envs.enterprise_ops.csm.domain import CSM
from tests.envs.enterprise_ops.small import SmallWorld

TIME = "2026-05-01 08:00:00"
TEXT = "The router drops every second packet."


def _rows(key: str, names: str, *values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Rows with keys from 1."""
    columns = names.split()
    return [{key: number} | dict(zip(columns, row, strict=True)) for number, row in enumerate(values, 1)]


_CASES = _rows(
    "case_id",
    "account_id contact_id product_id installed_product_id state assignment_group_id assigned_to priority closed_on",
    (1, 1, 1, 1, "new", None, None, "moderate", None),
    (1, 1, 1, 1, "in_progress", 1, 3, "moderate", None),
    (1, 3, 3, 4, "resolved", 1, 3, "moderate", None),
    (2, 2, 1, 3, "in_progress", 2, 7, "moderate", None),
    (1, 1, 1, 1, "closed", 1, 3, "moderate", "2026-05-02 09:00:00"),
    (1, 1, 1, 1, "pending", 1, 3, "moderate", None),
)
ROWS: dict[str, list[dict[str, Any]]] = {
    "location": _rows("location_id", "name city country active", ("Quay", "london", "uk", 1), ("Mill", "tokyo", "japan", 0)),
    "user_group": _rows("group_id", "name type active", ("Desk", "support", 1), ("Field", "field", 1), ("Old", "vendor", 0)),
    "user": _rows(
        "user_id",
        "first_name last_name email role active location_id",
        ("Ana", "Hale", "ana@home.com", "admin", 1, 1),
        ("Max", "Hale", "max@home.com", "manager", 1, 1),
        ("Ida", "Hale", "ida@home.com", "agent", 1, 1),
        ("Oto", "Hale", "oto@home.com", "agent", 0, 1),
        ("Rea", "Lind", "rea@north.com", "customer", 1, None),
        ("Sol", "Lind", "sol@south.com", "customer", 1, None),
        ("Uma", "Hale", "uma@home.com", "agent", 1, 1),
        ("Kim", "Lind", "kim@north.com", "customer", 1, None),
        ("Ina", "Lind", "ina@north.com", "customer", 0, None),
    ),
    "user_group_member": _rows("member_id", "group_id user_id", (1, 3), (1, 2), (2, 7)),
    "account": _rows("account_id", "name account_type active", ("North", "customer", 1), ("South", "customer", 1)),
    "product": _rows(
        "product_id",
        "name category lifecycle_state",
        ("Router", "hardware", "active"),
        ("Modem", "hardware", "retired"),
        ("Suite", "software", "active"),
    ),
    "contact": _rows(
        "contact_id", "account_id portal_user_id active is_primary", (1, 5, 1, 1), (2, 6, 1, 1), (1, 8, 1, 0), (1, 9, 0, 0)
    ),
    "installed_product": _rows(
        "installed_product_id",
        "account_id product_id location_id serial_number status warranty_end",
        (1, 1, 1, "SN-1", "in_use", "2027-01-31"),
        (1, 1, None, "SN-2", "repair", "2026-03-31"),
        (2, 1, 1, "SN-3", "in_use", "2027-01-31"),
        (1, 3, 1, "SN-4", "in_use", None),
    ),
    "contract": _rows(
        "contract_id",
        "account_id contract_type status start_date end_date contract_price",
        (1, "support", "active", "2026-01-01", "2026-12-31", 900),
        (1, "support", "expired", "2025-01-01", "2025-12-31", 800),
        (2, "support", "suspended", "2026-01-01", "2026-12-31", 700),
    ),
    "entitlement": _rows(
        "entitlement_id",
        "account_id product_id contract_id support_level coverage_hours max_cases_per_month active",
        (1, 1, 1, "premium", "h12x6", 0, 1),
        (1, 3, 1, "standard", "h8x5", 1, 1),
        (1, None, 2, "enterprise", "h24x7", 0, 0),
    ),
    "sla_definition": _rows(
        "sla_def_id",
        "name metric target_mins pause_on_pending applies_to_priority active",
        ("Response critical", "response", 15, 1, "critical", 1),
        ("Response moderate", "response", 60, 1, "moderate", 1),
        ("Response moderate, old", "response", 45, 1, "moderate", 0),
        ("Response high", "response", 30, 1, "high", 1),
        ("Resolution moderate", "resolution", 1440, 0, "moderate", 1),
    ),
    "customer_case": [
        {"number": f"CS-{row['case_id']:07d}", "channel": "phone", "short_description": TEXT, "escalation": 0, "reopen_count": 0}
        | row
        for row in _CASES
    ],
    "case_sla": _rows(
        "case_sla_id",
        "case_id sla_def_id stage has_breached start_time completed_time",
        (2, 2, "in_progress", 0, TIME, None),
        (6, 2, "paused", 0, TIME, None),
        (5, 2, "completed", 1, TIME, TIME),
    ),
    "knowledge": [
        {"kb_number": f"KB-{row['knowledge_id']:07d}", "title": "Restart a router that drops packets", "body": "Unplug it."} | row
        for row in _rows(
            "knowledge_id",
            "state visibility owner_id",
            ("published", "external", 3),
            ("retired", "internal", 3),
            ("draft", "internal", 7),
            ("published", "internal", 7),
        )
    ],
    "case_knowledge": _rows("case_kb_id", "case_id knowledge_id used_as", (5, 1, "resolution")),
    "notification": _rows("notification_id", "case_id email type status", (2, "rea@north.com", "update", "success")),
    "interaction": [
        {
            "interaction_id": row["case_id"],
            "channel": "phone",
            "account_id": row["account_id"],
            "contact_id": row["contact_id"],
            "case_id": row["case_id"],
            "status": "closed",
            "started_at": TIME,
            "ended_at": "2026-05-01 08:20:00",
        }
        for row in _CASES
    ],
}
_STAMPS = {"sys_created_on": TIME, "sys_updated_on": TIME}

ACTORS = {role: Actor(str(key), role) for role, key in (("admin", 1), ("manager", 2), ("agent", 3), ("customer", 5))}

SMALL = SmallWorld(CSM, ROWS, ACTORS, acting="agent", stamps=_STAMPS)
open_world, session, call = SMALL.open, SMALL.session, SMALL.call
refused, forbidden, broken = SMALL.refused, SMALL.forbidden, SMALL.broken
