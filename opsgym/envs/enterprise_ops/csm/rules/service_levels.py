"""Rules of SLAs."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.csm.rules.shared import RUNNING, covered, of_case

_FITTING = (
    "EXISTS (SELECT 1 FROM case_sla s JOIN sla_definition d USING (sla_def_id) WHERE s.case_id = new.case_id"
    " AND d.active AND d.applies_to_priority = new.priority AND s.stage <> 'canceled')"
)
_DEFINED = "EXISTS (SELECT 1 FROM sla_definition d WHERE d.active AND d.applies_to_priority = new.priority)"

RULES = (
    Rule(
        "CSM-SLA-WORK",
        "An SLA is linked to a case only when the case is in_progress.",
        "case_sla",
        of_case("c.state <> 'in_progress'"),
        end="0",
        on=("create",),
    ),
    Rule(
        "CSM-SLA-FIT",
        "An SLA that is linked to a case is active and applies to its priority.",
        "case_sla",
        "EXISTS (SELECT 1 FROM sla_definition d, customer_case c WHERE d.sla_def_id = new.sla_def_id AND c.case_id = new.case_id"
        " AND (NOT d.active OR coalesce(d.applies_to_priority, c.priority) <> c.priority))",
        on=("create",),
    ),
    Rule(
        "CSM-SLA-ENTITLED",
        "An SLA is linked only to a case that an active entitlement covers: of its account, for its product or the whole account,"
        " and under an active contract within its dates.",
        "case_sla",
        of_case(f"NOT {covered('c')}"),
        on=("create",),
    ),
    Rule(
        "CSM-SLA-ALIGN",
        "When work on a new or reopened case that an entitlement covers starts, an SLA for its priority is linked.",
        "customer_case",
        None,
        end=f"new.state = 'in_progress' AND old.state NOT IN ('in_progress', 'pending') AND {covered('new')} AND {_DEFINED}"
        f" AND NOT {_FITTING}",
        on=("update",),
    ),
    Rule(
        "CSM-SLA-FIRST",
        "A case that is registered in progress and that an entitlement covers gets an SLA for its priority.",
        "customer_case",
        None,
        end=f"new.state = 'in_progress' AND {covered('new')} AND {_DEFINED} AND NOT {_FITTING}",
        on=("create",),
    ),
    Rule(
        "CSM-SLA-PRIORITY",
        "When the priority of a case in progress that an entitlement covers changes, an SLA for the new priority is linked, and"
        " running ones for another priority are canceled.",
        "customer_case",
        None,
        end=f"new.priority <> old.priority AND new.state = 'in_progress' AND {covered('new')} AND {_DEFINED}"
        f" AND (NOT {_FITTING} OR EXISTS (SELECT 1 FROM case_sla s JOIN sla_definition d USING (sla_def_id)"
        f" WHERE s.case_id = new.case_id AND s.stage IN {RUNNING} AND d.applies_to_priority <> new.priority))",
        on=("update",),
    ),
    Rule(
        "CSM-SLA-PAUSE",
        "While a case is pending, its running SLAs are paused where their definition says so.",
        "customer_case",
        None,
        end="new.state = 'pending' AND EXISTS (SELECT 1 FROM case_sla s JOIN sla_definition d USING (sla_def_id)"
        " WHERE s.case_id = new.case_id AND d.pause_on_pending AND s.stage = 'in_progress')",
    ),
    Rule(
        "CSM-SLA-RESUME",
        "When a pending case goes on, its paused SLAs go on.",
        "customer_case",
        None,
        end="new.state = 'in_progress'"
        " AND EXISTS (SELECT 1 FROM case_sla s WHERE s.case_id = new.case_id AND s.stage = 'paused')",
    ),
    Rule(
        "CSM-SLA-END",
        "When a case is resolved, closed or canceled, none of its SLAs runs on: they are completed, or canceled with the case.",
        "customer_case",
        None,
        end="new.state IN ('resolved', 'closed', 'canceled') AND EXISTS (SELECT 1 FROM case_sla s JOIN sla_definition d"
        f" USING (sla_def_id) WHERE s.case_id = new.case_id AND (s.stage IN {RUNNING} OR (s.stage = 'canceled'"
        " AND new.state <> 'canceled' AND d.applies_to_priority = new.priority)))",
    ),
)
