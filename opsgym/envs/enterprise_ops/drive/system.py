"""Drive as a system of the family."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.drive.domain import DRIVE
from opsgym.envs.enterprise_ops.drive.world import generate
from opsgym.envs.enterprise_ops.systems import System

SYSTEM = System(
    domain=DRIVE,
    generate=generate,
    actors=(
        "SELECT u.id, CASE WHEN u.kind = 'drive#guest' THEN 'guest' WHEN u.kind = 'drive#serviceAccount' THEN 'service_account'"
        " WHEN EXISTS (SELECT 1 FROM group_memberships m JOIN groups g ON g.id = m.group_id WHERE m.user_id = u.id"
        " AND g.name = 'Drive administrators') THEN 'admin' ELSE 'user' END, '', u.display_name, u.email"
        " FROM users u WHERE u.auth_token IS NOT NULL ORDER BY u.id"
    ),
)
"""The system; accounts without a token are of people who have left."""
