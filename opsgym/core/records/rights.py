"""Rights: what each role may do with each resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from opsgym.core.errors import RegistryError

Grant = Literal["read", "edit", "crud"]
_ACTIONS: dict[Grant | None, tuple[str, ...]] = {
    None: (),
    "read": ("read",),
    "edit": ("read", "create", "update"),
    "crud": ("read", "create", "update", "delete"),
}
ANY = "*"
"""Stands for every resource that is not named."""


@dataclass(frozen=True)
class Rights:
    """A matrix role x resource.

    Attributes:
        grants: By role and resource: ``"read"``, ``"edit"`` (read, create, update), ``"crud"`` (delete too), or nothing;
            :data:`ANY` for the rest.

    Example:
        >>> rights = Rights({"agent": {"tickets": "crud", "*": "read"}})
        >>> rights.allows("agent", "tickets", "update"), rights.allows("agent", "users", "update")
        (True, False)
    """

    grants: Mapping[str, Mapping[str, Grant]]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles."""
        return tuple(self.grants)

    def grant(self, role: str, resource: str) -> Grant | None:
        """What a role has been granted on a resource.

        Raises:
            RegistryError: There is no such role.
        """
        if role not in self.grants:
            raise RegistryError("role", role, self.grants)
        granted = self.grants[role]
        return granted.get(resource) or granted.get(ANY)

    def allows(self, role: str, resource: str, action: str) -> bool:
        """Whether a role may do ``"read"``, ``"create"``, ``"update"`` or ``"delete"``."""
        return action in _ACTIONS[self.grant(role, resource)]

    def sentences(self) -> Iterator[str]:
        """One sentence a role."""
        for role, granted in self.grants.items():
            parts = []
            for grant, verb in (
                ("crud", "read, create, update and delete"),
                ("edit", "read, create and update"),
                ("read", "read"),
            ):
                names = [
                    ("everything else" if len(granted) > 1 else "everything") if name == ANY else name.replace("_", " ")
                    for name, has in granted.items()
                    if has == grant
                ]
                if names:
                    parts.append(f"{verb} {', '.join(names)}")
            yield f"Role {role} may {'; '.join(parts)}." if parts else f"Role {role} may do nothing."
