"""Policy of HR service delivery: lifecycles, rights, what roles see, and rules.

Source: the published policy of EnterpriseOps-Gym's HR tasks, in our words.  It names lifecycles, defaults, approval, who may do
what and the care of personal data; where it is silent (restricted groups, generated tasks, wrap-up, leaving), the choice is ours.
"""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.hr.rules import approval, cases, catalogue, people, tasks, wrap_up
from opsgym.envs.enterprise_ops.hr.rules.access import MASKS, RIGHTS, SIGHTS
from opsgym.envs.enterprise_ops.hr.rules.lifecycles import LIFECYCLES

RULES: tuple[Rule, ...] = (*cases.RULES, *approval.RULES, *tasks.RULES, *wrap_up.RULES, *people.RULES, *catalogue.RULES)

NOTES = {
    "conduct": (
        "Look up who you act for before you change anything.",
        "If a request breaks a rule, stop, change nothing, and give the rule.",
        "Do not ask back. Where a request fits several records, list them and say that it is ambiguous.",
        "Never make up keys or values: look them up.",
        "Give personal data to nobody: no tax numbers, birth dates or personal addresses in notes or descriptions.",
        "Admins set the system up; agents and managers do the casework; employees see to their own cases.",
    ),
    "approval": ("A case has no request_status until its approval is requested.",),
    "hr_case": (
        "A case has priority moderate, source email, account number N/A and status draft unless the request says otherwise.",
        "When work on a case begins, the system generates the tasks that its service asks for: service_activity one to mark when"
        " complete; workflow a checklist; lifecycle event a checklist and an hr service; advanced one to mark when complete and"
        " a checklist; flow an hr service; manual none. A service without an active template generates none.",
    ),
}

__all__ = ["LIFECYCLES", "MASKS", "NOTES", "RIGHTS", "RULES", "SIGHTS"]
