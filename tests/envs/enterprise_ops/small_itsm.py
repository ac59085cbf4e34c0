"""A small ITSM world of two tenants for tests; its own rules hold in it."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.actor import Actor
from opsgym.envs.enterprise_ops.itsm.domain import ITSM
from tests.envs.enterprise_ops.small import SmallWorld

TIME = "2026-05-01 08:00:00"
_STAMPS = {"created_on": TIME, "created_at": TIME}
_OPERATION = {
    "used_for": "production",
    "status": "operational",
    "service_classification": "business",
    "business_criticality": "critical",
}

ROWS: dict[str, list[dict[str, Any]]] = {
    "organization": [{"org_id": f"ORG_00{n}", "name": name, "active": 1} for n, name in ((1, "North"), (2, "South"))],
    "role": [{"role_id": f"ROLE_00{n}", "name": role} for n, role in enumerate(("admin", "manager", "agent", "reporter"), 1)],
    "users": [
        {
            "user_id": f"USER_00{n}",
            "user_name": first.lower(),
            "first_name": first,
            "last_name": "Hale",
            "email": f"{first.lower()}@{'north' if org == 1 else 'south'}.com",
            "phone": f"+1-415-555-010{n}",
            "role": role,
            "active": active,
            "static_token": "secret",
            "org_id": f"ORG_00{org}",
        }
        for n, (first, role, active, org) in enumerate(
            (
                ("Ana", "admin", 1, 1),
                ("Max", "manager", 1, 1),
                ("Ida", "agent", 1, 1),
                ("Oto", "agent", 0, 1),
                ("Rea", "reporter", 1, 1),
                ("Sol", "agent", 1, 2),
            ),
            1,
        )
    ],
    "location": [
        {"location_id": "LOC_001", "name": "Harbour", "org_id": "ORG_001", "city": "Oslo", "country": "Norway", "active": 1}
    ],
    "user_group": [
        {
            "group_id": f"GROUP_00{n}",
            "name": name,
            "type": "IT Support",
            "active": 1,
            "manager_id": f"USER_00{manager}",
            "org_id": f"ORG_00{org}",
        }
        for n, (name, manager, org) in enumerate((("Desk", 2, 1), ("Field", 2, 1), ("Desk", 6, 2)), 1)
    ],
    "user_group_member": [{"member_id": "MEMBER_001", "group_id": "GROUP_001", "user_id": "USER_003", "org_id": "ORG_001"}],
    "service": [{"service_id": "SVC_001", "name": "Mail", "owned_by": "USER_002", "org_id": "ORG_001", **_OPERATION}],
    "service_offering": [
        {
            "service_offering_id": "SVCOFF_001",
            "name": "Mailbox",
            "short_description": "A mailbox",
            "owned_by": "USER_002",
            "business_service": "SVC_001",
            "org_id": "ORG_001",
            **_OPERATION,
        }
    ],
    "configuration_item": [
        {
            "configuration_item_id": f"CI_00{n}",
            "name": f"Host {n}",
            "serial_number": f"SN-{n}",
            "owner_id": "USER_005",
            "org_id": "ORG_001",
            "status": status,
            "cost": 10.0,
        }
        for n, status in ((1, "in_use"), (2, "retired"))
    ],
    "knowledge": [
        {
            "knowledge_id": f"KB_00{n}",
            "kb_number": f"KB000000{n}",
            "title": "Reset the printer",
            "state": state,
            "visibility": "internal",
            "owner_id": "USER_003",
            "org_id": "ORG_001",
        }
        for n, state in ((1, "published"), (2, "retired"), (3, "draft"))
    ],
    "incident_template": [
        {
            "incident_template_id": "TMPL_001",
            "name": "Printer",
            "active": 1,
            "caller_id": "USER_005",
            "short_description": "Printer fails",
            "impact": "low",
            "urgency": "low",
            "priority": "planning",
            "org_id": "ORG_001",
        }
    ],
    "incident": [
        {
            "incident_id": f"INC_00{n}",
            "number": number,
            "short_description": "Printer fails",
            "caller_id": caller,
            "org_id": org,
            "status": status,
            "category": "hardware",
            "impact": "medium",
            "urgency": "medium",
            "priority": "moderate",
            "resolution_code": "User error" if status == "resolved" else None,
            "resolution_notes": "Plugged in" if status == "resolved" else None,
            "resolved": "2026-05-03 08:00:00" if status == "resolved" else None,
        }
        for n, (number, caller, org, status) in enumerate(
            (
                ("INC0000001", "USER_005", "ORG_001", "new"),
                ("INC0000002", "USER_003", "ORG_001", "in_progress"),
                ("INC0000003", "USER_005", "ORG_001", "resolved"),
                ("INC0000001", "USER_006", "ORG_002", "new"),
            ),
            1,
        )
    ],
    "problem": [
        {
            "problem_id": "PRB_001",
            "number": "PRB0000001",
            "problem_statement": "Printers fail",
            "opened_by": "USER_003",
            "org_id": "ORG_001",
            "status": "resolved",
            "fix_notes": "New driver",
            "impact": "high",
            "urgency": "high",
            "priority": "critical",
        }
    ],
    "change": [
        {
            "change_id": "CHG_001",
            "number": "CHG0000001",
            "short_description": "New driver",
            "requested_by": "USER_003",
            "org_id": "ORG_001",
            "status": "authorize",
            "category": "software",
            "impact": "low",
            "priority": "low",
            "risk": "low",
            "implementation_plan": "Install",
            "testing_plan": "Print",
        }
    ],
    "change_request_mapping": [
        {"change_request_mapping_id": "CRM_001", "change_id": "CHG_001", "problem_id": "PRB_001", "org_id": "ORG_001"}
    ],
    "sla_definition": [
        {
            "sla_def_id": f"SLA_00{n}",
            "name": f"{priority} {active}",
            "metric": "resolution",
            "target_mins": 60 * n,
            "pause_on_pending": 1,
            "applies_to_priority": priority,
            "active": active,
            "org_id": "ORG_001",
        }
        for n, (priority, active) in enumerate((("moderate", 1), ("high", 1), ("moderate", 0)), 1)
    ],
    "incident_sla": [
        {
            "incident_sla_id": "TSLA_001",
            "incident_id": "INC_002",
            "sla_def_id": "SLA_001",
            "org_id": "ORG_001",
            "stage": "in_progress",
            "has_breached": 0,
            "start_time": TIME,
        }
    ],
    "notification": [
        {
            "notification_id": "NOTIF_001",
            "incident_id": "INC_001",
            "org_id": "ORG_001",
            "email": "rea@north.com",
            "type": "update",
            "status": "sent",
        }
    ],
    "child_incident": [{"child_incident_mapping_id": "CINC_001", "parent_incident": "INC_002", "child_incident": "INC_001"}],
}

ACTORS = {
    role: Actor(f"USER_00{n}", role, "ORG_001") for role, n in (("admin", 1), ("manager", 2), ("agent", 3), ("reporter", 5))
}

SMALL = SmallWorld(ITSM, ROWS, ACTORS, acting="agent", stamps=_STAMPS)
open_world, session, call = SMALL.open, SMALL.session, SMALL.call
refused, forbidden, broken = SMALL.refused, SMALL.forbidden, SMALL.broken
