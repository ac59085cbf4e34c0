"""What many tables have in common."""

from __future__ import annotations

from opsgym.core.records.columns import Column, Flag, Moment, Ref
from opsgym.core.records.table import Table

ORG = Ref("org_id", "teams_orgs", required=True)
TIMES = (Moment("created_at", stamp="created"), Moment("updated_at", stamp="updated"))
SOFT = Flag("soft_deleted", required=True, default=False)


Groups = tuple[tuple[str, ...], ...]


def kept(name: str, *columns: Column, resource: str, unique: Groups = (), indexes: Groups = ()) -> Table:
    """A table of a tenant's records that are never deleted, only marked as deleted."""
    return Table(name, (*columns, ORG, *TIMES, SOFT), resource=resource, scope="org_id", unique=unique, indexes=indexes)
