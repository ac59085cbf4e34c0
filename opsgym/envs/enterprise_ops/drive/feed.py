"""The feed of changes: what the system writes by itself when a file or a shared drive changes."""

from __future__ import annotations

from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive.derived import write

USER_SCOPE = "user"
"""Scope of the changes outside shared drives."""


def note(records: Records, *, file_id: str | None = None, drive_id: str | None = None, removed: bool = False) -> None:
    """Add a change to the feed, and queue it for the channels that watch the file."""
    world = records.world
    token = world.insert(
        "changes",
        "INSERT INTO changes (change_time, file_id, drive_id, change_type, kind, removed) VALUES (?, ?, ?, ?, ?, ?)",
        (records.now, file_id, drive_id, "file" if file_id else "drive", "drive#change", int(removed)),
    )
    write(
        records,
        "change_tokens",
        "INSERT INTO change_tokens (scope, last_token) VALUES (?, ?)"
        " ON CONFLICT (scope) DO UPDATE SET last_token = excluded.last_token",
        drive_id or USER_SCOPE,
        token,
        key=(drive_id or USER_SCOPE,),
    )
    watching = world.execute(
        "SELECT id, channel_id FROM subscriptions WHERE active AND resource_id = ? ORDER BY id", (file_id or drive_id,)
    ).fetchall()
    for subscription, channel in watching:
        write(
            records,
            "webhook_deliveries",
            "INSERT INTO webhook_deliveries (id, subscription_id, channel_id, change_token, status, attempts, created_time,"
            " updated_time) SELECT printf('HOOK_%03d', count(*) + 1), ?, ?, ?, 'pending', 0, ?, ? FROM webhook_deliveries",
            subscription,
            channel,
            token,
            records.now,
            records.now,
        )


def last_token(records: Records, drive_id: str | None) -> int:
    """The token of the last change of a scope."""
    row = records.world.execute("SELECT last_token FROM change_tokens WHERE scope = ?", (drive_id or USER_SCOPE,)).fetchone()
    return row[0] if row else 0
