"""Teams as a system of the family."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.systems import System
from opsgym.envs.enterprise_ops.teams.domain import TEAMS
from opsgym.envs.enterprise_ops.teams.world import generate

SYSTEM = System(
    domain=TEAMS,
    generate=generate,
    actors="SELECT u.user_id, r.role, u.org_id, u.display_name, u.mail FROM teams_users u JOIN teams_user_roles r USING (user_id)"
    " WHERE u.account_enabled AND NOT u.soft_deleted AND u.org_id = 'ORG_001' ORDER BY u.user_id",
)
