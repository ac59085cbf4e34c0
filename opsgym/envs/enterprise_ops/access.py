"""Rights as the records that say them in the database: roles, permissions, and who has which."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from opsgym.core.records.rights import Rights
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.worlds import Row


def access_rows(rights: Rights, tables: Iterable[Table], key: Callable[[str, int], str | int]) -> dict[str, list[Row]]:
    """Rows of ``role``, ``permission`` and ``role_permission`` made of the rights, so that data and policy agree.

    Args:
        rights: The rights.
        tables: The domain's tables.
        key: Key of the role (``"ROLE"``) or permission (``"PERM"``) of a number.
    """
    resources = list(dict.fromkeys(table.resource for table in tables if table.resource))
    roles = {role: key("ROLE", number) for number, role in enumerate(rights.roles, 1)}
    granted = {(role, resource): rights.grant(role, resource) for role in roles for resource in resources}
    given = {(name, grant) for (_, name), grant in granted.items()}
    used = [(name, grant) for name in resources for grant in ("read", "edit", "crud") if (name, grant) in given]
    keys = {pair: key("PERM", number) for number, pair in enumerate(used, 1)}
    return {
        "role": [{"role_id": key, "name": role} for role, key in roles.items()],
        "permission": [{"perm_id": key, "resource": name, "action": grant} for (name, grant), key in keys.items()],
        "role_permission": [
            {"role_id": roles[role], "perm_id": keys[name, grant]} for (role, name), grant in granted.items() if grant is not None
        ],
    }
