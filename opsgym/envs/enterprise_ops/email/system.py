"""Email as a system of the family."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.email.domain import EMAIL
from opsgym.envs.enterprise_ops.email.world import generate
from opsgym.envs.enterprise_ops.systems import System

SYSTEM = System(
    domain=EMAIL,
    generate=generate,
    actors=(
        "SELECT id, role, id, display_name, email FROM ("
        "SELECT u.id, u.display_name, u.email, 'owner' AS role, 1 AS place FROM users u WHERE NOT u.suspended"
        " UNION ALL SELECT u.id, u.display_name, u.email, 'delegate', 2 FROM users u WHERE NOT u.suspended AND u.email IN"
        " (SELECT d.delegate_email FROM delegates d WHERE d.verification_status = 'accepted')"
        " UNION ALL SELECT u.id, u.display_name, u.email, 'admin', 3 FROM users u WHERE NOT u.suspended AND u.is_admin"
        ") ORDER BY place, id"
    ),
)
"""The system; an owner's tenant is the own mailbox, which calls of delegates and admins leave."""
