"""CSM as a system of the family."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.csm.domain import CSM
from opsgym.envs.enterprise_ops.csm.world import generate
from opsgym.envs.enterprise_ops.systems import System

SYSTEM = System(
    CSM,
    generate,
    "SELECT CAST(user_id AS TEXT), role, '', first_name || ' ' || last_name, email FROM user WHERE active ORDER BY user_id",
)
"""The system; customers may be signed in too."""
