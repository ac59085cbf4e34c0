"""Rules of cases."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.csm.rules.shared import OPEN, cover, covered

_ASSIGNED = "(new.assigned_to IS NOT NULL OR new.assignment_group_id IS NOT NULL)"
_WAITS = (
    f"new.state = 'new' AND new.reopen_count = 0 AND {_ASSIGNED} AND coalesce(old.state, 'new') NOT IN ('resolved', 'closed')"
)
_SINCE = "strftime('%Y-%m', new.sys_created_on)"
_THIS_MONTH = (
    "(SELECT count(*) FROM customer_case o WHERE o.account_id = new.account_id AND o.state <> 'canceled'"
    f" AND strftime('%Y-%m', o.sys_created_on) = {_SINCE} AND (e.product_id IS NULL OR o.product_id = e.product_id))"
)

RULES = (
    Rule(
        "CSM-CASE-STATE",
        "A case is registered as new while nobody is assigned, and as in_progress when a group or a user is; an assigned case is"
        " not new, unless it was reopened.",
        "customer_case",
        f"({_WAITS}) OR (old.case_id IS NULL AND new.state = 'in_progress' AND NOT {_ASSIGNED})",
        end=_WAITS,
    ),
    Rule(
        "CSM-CASE-TEXT",
        "The short description of a case has 30 to 120 characters.",
        "customer_case",
        "new.short_description IS NOT old.short_description AND length(new.short_description) NOT BETWEEN 30 AND 120",
    ),
    Rule(
        "CSM-CASE-CONTACT",
        "The contact of a case is an active contact of its account.",
        "customer_case",
        "(new.contact_id IS NOT old.contact_id OR new.account_id IS NOT old.account_id) AND NOT EXISTS (SELECT 1 FROM contact k"
        " WHERE k.contact_id = new.contact_id AND k.account_id = new.account_id AND k.active)",
    ),
    Rule(
        "CSM-CASE-ASSET",
        "The installed product of a case belongs to its account and is of its product.",
        "customer_case",
        "new.installed_product_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM installed_product i"
        " WHERE i.installed_product_id = new.installed_product_id AND i.account_id = new.account_id"
        " AND i.product_id IS new.product_id)",
    ),
    Rule(
        "CSM-CASE-IN-USE",
        "Only an installed product that is in use is attached to an open case.",
        "customer_case",
        "new.installed_product_id IS NOT NULL AND new.installed_product_id IS NOT old.installed_product_id"
        f" AND new.state IN {OPEN} AND NOT EXISTS (SELECT 1 FROM installed_product i"
        " WHERE i.installed_product_id = new.installed_product_id AND i.status = 'in_use')",
    ),
    Rule(
        "CSM-CASE-PRODUCT",
        "The product of an open case is active.",
        "customer_case",
        f"new.product_id IS NOT NULL AND new.product_id IS NOT old.product_id AND new.state IN {OPEN} AND NOT EXISTS"
        " (SELECT 1 FROM product p WHERE p.product_id = new.product_id AND p.lifecycle_state = 'active')",
    ),
    Rule(
        "CSM-CASE-GROUP",
        "A case is assigned to an active group only.",
        "customer_case",
        "new.assignment_group_id IS NOT NULL AND new.assignment_group_id IS NOT old.assignment_group_id"
        f" AND new.state IN {OPEN} AND NOT EXISTS (SELECT 1 FROM user_group g"
        " WHERE g.group_id = new.assignment_group_id AND g.active)",
    ),
    Rule(
        "CSM-CASE-ASSIGNEE",
        "A case is assigned to an active agent or manager only.",
        "customer_case",
        f"new.assigned_to IS NOT NULL AND new.assigned_to IS NOT old.assigned_to AND new.state IN {OPEN}"
        " AND NOT EXISTS (SELECT 1 FROM user u WHERE u.user_id = new.assigned_to AND u.active"
        " AND u.role IN ('agent', 'manager'))",
    ),
    Rule(
        "CSM-CASE-MEMBER",
        "Whom a case is assigned to is a member of its assignment group, where it has one; if not, make them a member first.",
        "customer_case",
        "new.assigned_to IS NOT NULL AND new.assignment_group_id IS NOT NULL"
        " AND (new.assigned_to IS NOT old.assigned_to OR new.assignment_group_id IS NOT old.assignment_group_id)"
        f" AND new.state IN {OPEN} AND NOT EXISTS (SELECT 1 FROM user_group_member m"
        " WHERE m.user_id = new.assigned_to AND m.group_id = new.assignment_group_id)",
    ),
    Rule(
        "CSM-CASE-ESCALATION",
        "An escalated case has an escalation reason; only an escalated case has one.",
        "customer_case",
        "new.escalation <> (new.escalation_reason IS NOT NULL)",
    ),
    Rule(
        "CSM-CASE-REOPEN",
        "Reopening a resolved or closed case sets its state to new and adds 1 to its reopen count.",
        "customer_case",
        "old.state IN ('resolved', 'closed') AND new.state = 'new' AND new.reopen_count <> old.reopen_count + 1",
        end=f"old.state IN ('resolved', 'closed') AND new.state IN {OPEN} AND new.reopen_count <= old.reopen_count",
        on=("update",),
    ),
    Rule(
        "CSM-CASE-COUNT",
        "The reopen count of a case is 0 at first and grows only by reopening.",
        "customer_case",
        "new.reopen_count <> coalesce(old.reopen_count, 0)"
        " AND NOT (old.state IN ('resolved', 'closed') AND new.state = 'new') AND old.case_id IS NOT NULL"
        " OR old.case_id IS NULL AND new.reopen_count <> 0",
        end="0",
    ),
    Rule(
        "CSM-CASE-OPEN-ON",
        "An open case has no time of closing; clear it when a case is reopened.",
        "customer_case",
        f"new.state IN {OPEN} AND new.closed_on IS NOT NULL",
    ),
    Rule(
        "CSM-CASE-CAP",
        "No case is registered beyond the limit of the entitlements that cover it for cases of a calendar month; 0 is no limit,"
        " and canceled cases do not count.",
        "customer_case",
        f"new.state <> 'canceled' AND {covered('new')} AND NOT EXISTS ({cover('new')}"
        f" AND (coalesce(e.max_cases_per_month, 0) = 0 OR {_THIS_MONTH} <= e.max_cases_per_month))",
        end="0",  # registration is a single step: what became of the limit later does not count
        on=("create",),
    ),
    Rule(
        "CSM-CASE-INTERACTION",
        "For every case that is registered, an interaction is registered: with its account and contact, and on its channel.",
        "customer_case",
        None,
        end="NOT EXISTS (SELECT 1 FROM interaction i WHERE i.case_id = new.case_id AND i.channel = new.channel"
        " AND i.account_id = new.account_id AND i.contact_id = new.contact_id)",
        on=("create",),
    ),
    Rule(
        "CSM-CASE-ARTICLE",
        "A case is closed only with a knowledge article linked as applied or as resolution; if there is none, write one.",
        "customer_case",
        None,
        end="new.state = 'closed' AND coalesce(old.state, '') <> 'closed' AND NOT EXISTS (SELECT 1 FROM case_knowledge k"
        " WHERE k.case_id = new.case_id AND k.used_as <> 'suggested')",
        on=("update",),
    ),
)
