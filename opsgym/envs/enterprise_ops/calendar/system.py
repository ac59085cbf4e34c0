"""Calendar as a system of the family."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.calendar.domain import CALENDAR
from opsgym.envs.enterprise_ops.calendar.world import generate
from opsgym.envs.enterprise_ops.systems import System

SYSTEM = System(
    domain=CALENDAR,
    generate=generate,
    actors=(
        "SELECT u.id, s.value, '', u.display_name, u.email FROM users u JOIN settings s ON s.user_id = u.id"
        " WHERE s.setting_id = 'accountType' AND u.auth_token IS NOT NULL ORDER BY u.id"
    ),
)
"""The system; accounts without a token are of people who have left."""
