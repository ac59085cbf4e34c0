"""Rules of users, groups and contacts."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.csm.rules.shared import OPEN

RULES = (
    Rule(
        "CSM-MEMBER-STAFF",
        "Only active agents, managers and admins become members of groups, and of active groups only.",
        "user_group_member",
        "NOT EXISTS (SELECT 1 FROM user u, user_group g WHERE u.user_id = new.user_id AND g.group_id = new.group_id"
        " AND u.active AND u.role <> 'customer' AND g.active)",
        on=("create",),
    ),
    Rule(
        "CSM-LEAVER-GROUPS",
        "Who leaves is deactivated and removed from all groups.",
        "user",
        None,
        end="NOT new.active AND EXISTS (SELECT 1 FROM user_group_member m WHERE m.user_id = new.user_id)",
    ),
    Rule(
        "CSM-LEAVER-CASES",
        "Open cases of who leaves are assigned to somebody else.",
        "user",
        None,
        end=f"NOT new.active AND EXISTS (SELECT 1 FROM customer_case c WHERE c.assigned_to = new.user_id AND c.state IN {OPEN})",
    ),
    Rule(
        "CSM-CONTACT-USER",
        "A contact is an active customer's user.",
        "contact",
        "new.active AND NOT EXISTS (SELECT 1 FROM user u WHERE u.user_id = new.portal_user_id"
        " AND u.active AND u.role = 'customer')",
    ),
    Rule(
        "CSM-CONTACT-PRIMARY",
        "An account has at most one active primary contact.",
        "contact",
        "new.active AND new.is_primary AND EXISTS (SELECT 1 FROM contact o WHERE o.account_id = new.account_id"
        " AND o.contact_id <> new.contact_id AND o.active AND o.is_primary)",
    ),
)
