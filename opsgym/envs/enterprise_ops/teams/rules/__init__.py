"""Policy of Teams: who may do what, and what must stay true.

Source: the published policy of EnterpriseOps-Gym's Teams tasks, in our words.  Where it is silent (what settings let members
do, who may use a chat, how calls are routed) the choice is ours and follows Microsoft Teams.
"""

from __future__ import annotations

from opsgym.envs.enterprise_ops.teams.rules import calls, channels, chats, events, messages, people, tags, teams
from opsgym.envs.enterprise_ops.teams.rules.access import RIGHTS, SIGHTS
from opsgym.envs.enterprise_ops.teams.rules.lifecycles import LIFECYCLES

__all__ = ["LIFECYCLES", "NOTES", "RIGHTS", "RULES", "SIGHTS"]

RULES = (
    *people.RULES,
    *teams.RULES,
    *channels.RULES,
    *messages.RULES,
    *chats.RULES,
    *tags.RULES,
    *events.RULES,
    *calls.RULES,
)
"""All rules written by hand."""

NOTES = {
    "conduct": (
        "Never infer records or keys: look them up, and where something named does not exist, stop and give the reason.",
        "If a request breaks a rule, stop, change nothing, and give the rule.",
        "Do not ask back. Where a request fits several records, list them and say that it is ambiguous.",
        "Do what is asked and nothing else; every change is written to the audit log.",
        "Users, teams and apps are named in bind strings such as https://graph.microsoft.com/v1.0/users('<id>').",
        "What is deleted is only marked so; recordings are kept for at most 30 days.",
    ),
}
