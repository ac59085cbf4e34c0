"""Actor: on whose behalf tools act."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """Who is signed in.

    Attributes:
        id: Key of the user's record.
        role: One of the roles of the domain's rights.
        scope: The user's tenant, or empty in a domain without tenants.
    """

    id: str | int
    role: str
    scope: str | int = ""
