"""HR service delivery as a system of the family."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.hr.domain import HR
from opsgym.envs.enterprise_ops.hr.world import generate
from opsgym.envs.enterprise_ops.systems import System

SYSTEM = System(
    domain=HR,
    generate=generate,
    actors="SELECT user_id, role, org_id, first_name || ' ' || last_name, email FROM \"user\""
    " WHERE active AND org_id = 1 ORDER BY user_id",
)
"""The system."""
