"""ITSM as a system of the family."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.itsm.domain import ITSM
from opsgym.envs.enterprise_ops.itsm.world import generate
from opsgym.envs.enterprise_ops.systems import System

SYSTEM = System(
    domain=ITSM,
    generate=generate,
    actors="SELECT user_id, role, org_id, first_name || ' ' || last_name, email FROM users"
    " WHERE active AND org_id = 'ORG_001' ORDER BY user_id",
)
