"""Policy of CSM: lifecycles, rights and rules.

Source: the published policies of EnterpriseOps-Gym's CSM tasks, in our words.  Where they are silent (how SLAs end, who may
change whose records) or differ from each other (the state of a new case), the choice is ours: the stricter one that can be kept.
"""

from __future__ import annotations

from opsgym.envs.enterprise_ops.csm.rules import cases, contracts, knowledge, people, roles, service_levels
from opsgym.envs.enterprise_ops.csm.rules.lifecycles import LIFECYCLES
from opsgym.envs.enterprise_ops.csm.rules.rights import RIGHTS, SIGHTS

__all__ = ["LIFECYCLES", "NOTES", "RIGHTS", "RULES", "SIGHTS"]

RULES = (*cases.RULES, *service_levels.RULES, *contracts.RULES, *knowledge.RULES, *people.RULES, *roles.RULES)
"""All rules written by hand."""

NOTES = {
    "conduct": (
        "Look up for whom you act before you change anything.",
        "If a request breaks a rule, stop, change nothing, and give the rule.",
        "Do not ask back. Where a request fits several records, list them and say that it is ambiguous.",
        "Never make up keys or values: look them up.",
        "Where no priority is given, it is moderate. Where no contact is named, it is the primary contact of the account.",
        "Search for articles when a case is to be investigated: one found so is linked as suggested, one that resolved the case,"
        " or was written about it, as resolution, any other as applied.",
        "Escalation is a mark on the case with its reason; there is no other record of it.",
        "Where no entitlement covers a case, no service level is promised.",
    ),
}
