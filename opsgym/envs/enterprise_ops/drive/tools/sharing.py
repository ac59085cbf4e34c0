"""Tools for permissions and requests for access."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.derived import write
from opsgym.envs.enterprise_ops.drive.feed import note
from opsgym.envs.enterprise_ops.drive.tables.people import DRIVES
from opsgym.envs.enterprise_ops.drive.tables.sharing import LINKS, PERMISSIONS, PROPOSALS
from opsgym.envs.enterprise_ops.drive.tools.shared import GRANTEE, PUBLISHED, ROLE, TERMS, full, within
from opsgym.envs.enterprise_ops.drive.tree import file_of, move
from opsgym.envs.enterprise_ops.paging import page

Row = dict[str, Any]

DECISIONS = {"ACCEPT": "approved", "DENY": "denied"}


def _object(records: Records, key: str) -> Row:
    """What a permission is for: the columns that name a file or a shared drive."""
    if records.find(DRIVES, {"id": key}):
        return {"drive_id": key}
    return {"file_id": file_of(records, key)["id"]}


def grant(records: Records, given: Row) -> Row:
    """Give access to a file or a shared drive.

    Raises:
        ToolError: ``missing_field``, ``invalid_value``, ``not_found``, ``bad_state`` for somebody who has a permission already,
            ``not_allowed``.
    """
    target = _object(records, given["fileId"])
    role, kind = given.get("role"), given.get("type")
    if role not in words.ROLES or kind not in words.GRANTEES:
        raise ToolError(
            "missing_field", f"permissions: each needs role ({', '.join(words.ROLES)}) and type ({', '.join(words.GRANTEES)})"
        )
    if "expirationTime" in given and kind != "anyone":
        raise ToolError("unsupported", "expirationTime: only links (type anyone) can end")
    values = (
        target | _grantee(records, kind, given) | {"role": role, "allow_file_discovery": given.get("allowFileDiscovery", False)}
    )
    if "view" in given:
        values["view"] = given["view"]
    _check_new(records, target, values)
    if role == "owner":
        return _transfer(records, target, values, given)
    row = records.create(PERMISSIONS, values)
    _mirror(records, row, given)
    note(records, file_id=target.get("file_id"), drive_id=target.get("drive_id"))
    return row


def _grantee(records: Records, kind: str, given: Row) -> Row:
    """Who gets access: the columns that name them."""
    if kind in ("user", "group"):
        if not given.get("emailAddress"):
            raise ToolError("missing_field", f"emailAddress: type {kind} needs it")
        email = str(given["emailAddress"])
        found = records.world.execute(f"SELECT id FROM {kind}s WHERE lower(email) = lower(?)", (email,)).fetchone()
        if found is None and kind == "group":
            raise ToolError("not_found", f"emailAddress: no group {email[:60]!r}")
        return {"type": kind, "email_address": email, **({f"{kind}_id": found[0]} if found else {})}
    if kind == "domain":
        if not given.get("domain"):
            raise ToolError("missing_field", "domain: type domain needs it")
        return {"type": kind, "domain": str(given["domain"])}
    return {"type": kind}


def _check_new(records: Records, target: Row, values: Row) -> None:
    same = {name: values[name] for name in ("type", "email_address", "domain") if name in values}
    found = records.find(PERMISSIONS, target | same)
    if found and values["role"] != "owner":
        raise ToolError(
            "bad_state", f"there is permission {found[0]['id']} with role {found[0]['role']}", "Use update_permission."
        )


def _transfer(records: Records, target: Row, values: Row, given: Row) -> Row:
    """Make somebody the owner; the present one becomes a writer."""
    if not given.get("transferOwnership"):
        raise ToolError("missing_field", "transferOwnership: must be true to give the role owner")
    if values["type"] != "user" or "user_id" not in values or "file_id" not in target:
        raise ToolError("invalid_value", "only a known user can own a file, and nobody owns a shared drive")
    for owner in records.find(PERMISSIONS, target | {"role": "owner"}):
        if owner["user_id"] == values["user_id"]:
            raise ToolError("bad_state", f"{values['email_address']} owns it already")
        records.update(PERMISSIONS, {"id": owner["id"]}, {"role": "writer"})
    there = records.find(PERMISSIONS, target | {"user_id": values["user_id"]})
    row = (
        records.update(PERMISSIONS, {"id": there[0]["id"]}, {"role": "owner"})
        if there
        else records.create(PERMISSIONS, {name: value for name, value in values.items() if name != "allow_file_discovery"})
    )
    if given.get("moveToNewOwnersRoot"):
        root = records.world.execute(
            "SELECT id FROM files WHERE parent_id IS NULL AND drive_id IS NULL AND created_by = ?", (values["user_id"],)
        ).fetchone()
        if root is None:
            raise ToolError("not_found", "moveToNewOwnersRoot: the new owner has no top folder")
        move(records, file_of(records, target["file_id"]), [root[0]])
    note(records, file_id=target["file_id"])
    return row


def _mirror(records: Records, row: Row, given: Row) -> None:
    """Keep links and members of shared drives beside the permissions from which they follow."""
    if row["drive_id"] is not None:
        write(
            records,
            "drive_memberships",
            "INSERT INTO drive_memberships (id, drive_id, type, user_id, group_id, domain, role, created_time)"
            " SELECT id, drive_id, type, user_id, group_id, domain, role, created_time FROM permissions WHERE id = ?",
            row["id"],
        )
    elif row["type"] == "anyone":
        made = {
            "file_id": row["file_id"],
            "permission_role": row["role"],
            "link_token": f"link-{row['id']}",
            "allow_discovery": row["allow_file_discovery"],
        }
        records.create(LINKS, made | ({"expires_time": given["expirationTime"]} if "expirationTime" in given else {}))


def _unmirror(records: Records, row: Row, role: str | None) -> None:
    """The same for a permission that changes or goes."""
    if row["drive_id"] is not None:
        table, key, column = "drive_memberships", row["id"], "id"
    elif row["type"] == "anyone":
        table, key, column = "share_links", row["file_id"], "file_id"
    else:
        return
    name = "role" if table == "drive_memberships" else "permission_role"
    if role is None:
        write(records, table, f"DELETE FROM {table} WHERE {column} = ?", key)
    else:
        write(records, table, f"UPDATE {table} SET {name} = ? WHERE {column} = ?", role, key)


def _all_on(records: Records, key: str) -> list[Row]:
    """The permissions that hold for a file or shared drive: its own, then those from above, with where they come from."""
    target = _object(records, key)
    own_ones = records.find(PERMISSIONS, target)
    if "drive_id" in target:
        return own_ones
    file = file_of(records, key)
    above = records.find(
        PERMISSIONS,
        {},
        where="file_id IN (SELECT c.ancestor_id FROM path_closure c WHERE c.descendant_id = ? AND c.depth > 0) OR drive_id = ?",
        bound=[file["id"], file["drive_id"]],
    )
    inherited = [row | {"inherited": True, "inherited_from": row["file_id"] or row["drive_id"]} for row in above]
    return own_ones + [row for row in inherited if row["role"] != "owner" or row["file_id"] is None]


def _permission(records: Records, given: Row) -> Row:
    for row in _all_on(records, given["fileId"]):
        if row["id"] == given["permissionId"]:
            return row
    raise ToolError("not_found", f"no permission {given['permissionId'][:60]!r} on {given['fileId'][:60]!r}")


def _own_permission(records: Records, given: Row) -> Row:
    row = _permission(records, given)
    if row["inherited"]:
        raise ToolError("bad_state", f"permission {row['id']} is inherited from {row['inherited_from']}", "Change it there.")
    return row


@TERMS.tool(
    "list_permission",
    "List who has access to a file or shared drive, by itself and by the folders above it",
    "fileId",
    "includePermissionsForView pageSize pageToken supportsAllDrives=false useDomainAdminAccess=false",
    includePermissionsForView=PUBLISHED,
    pageSize=within(1, 100),
)
def list_permission(records: Records, given: Row) -> Any:
    """Permissions on a page."""
    rows = [full(row) for row in _all_on(records, given["fileId"])]
    return page("permissions", rows, given.get("pageToken"), given.get("pageSize"))


@TERMS.tool("get_permission", "Read one permission", "fileId permissionId", "supportsAllDrives=false")
def get_permission(records: Records, given: Row) -> Any:
    """One permission."""
    return full(_permission(records, given))


@TERMS.tool(
    "create_permission",
    "Give somebody access to a file, a folder with all in it, or a shared drive",
    "fileId role type",
    "emailAddress domain allowFileDiscovery=false sendNotificationEmail=true expirationTime view pendingOwner=false"
    " inheritedPermissionsDisabled=false emailMessage moveToNewOwnersRoot=false supportsAllDrives=false"
    " transferOwnership=false useDomainAdminAccess=false enforceExpansiveAccess=false",
    mutates=True,
    role=ROLE,
    type=GRANTEE,
    view=PUBLISHED,
)
def create_permission(records: Records, given: Row) -> Any:
    """The new permission."""
    return full(grant(records, given))


@TERMS.tool(
    "update_permission",
    "Change the role that a permission gives",
    "fileId permissionId",
    "role supportsAllDrives=false transferOwnership=false useDomainAdminAccess=false removeExpiration=false"
    " enforceExpansiveAccess=false",
    mutates=True,
    role=ROLE,
)
def update_permission(records: Records, given: Row) -> Any:
    """The permission after the change."""
    row = _own_permission(records, given)
    if given.get("removeExpiration"):
        write(records, "share_links", "UPDATE share_links SET expires_time = NULL WHERE file_id = ?", row["file_id"])
    if "role" not in given:
        if given.get("removeExpiration"):
            return full(row)
        raise ToolError("missing_field", "role: nothing would change")
    if given["role"] == "owner":
        target = {name: row[name] for name in ("file_id", "drive_id") if row[name] is not None}
        return full(_transfer(records, target, full(row), given))
    changed = records.update(PERMISSIONS, {"id": row["id"]}, {"role": given["role"]})
    _unmirror(records, row, given["role"])
    note(records, file_id=row["file_id"], drive_id=row["drive_id"])
    return full(changed)


@TERMS.tool(
    "delete_permission",
    "Take somebody's access to a file or shared drive away, at once",
    "fileId permissionId",
    "supportsAllDrives=false",
    mutates=True,
)
def delete_permission(records: Records, given: Row) -> Any:
    """The permission that is gone."""
    row = _own_permission(records, given)
    gone = records.delete(PERMISSIONS, {"id": row["id"]})
    _unmirror(records, row, None)
    note(records, file_id=row["file_id"], drive_id=row["drive_id"])
    return {"deleted": [full(item) for item in gone]}


@TERMS.tool(
    "list_accessproposals",
    "List the requests for access to a file",
    "fileId",
    "pageToken pageSize=100",
    pageSize=within(1, 100),
)
def list_accessproposals(records: Records, given: Row) -> Any:
    """Requests on a page."""
    rows = [full(row) for row in records.find(PROPOSALS, {"file_id": file_of(records, given["fileId"])["id"]})]
    return page("accessProposals", rows, given.get("pageToken"), given["pageSize"])


@TERMS.tool("get_accessproposals", "Read one request for access", "fileId proposalId")
def get_accessproposals(records: Records, given: Row) -> Any:
    """One request."""
    return full(_proposal(records, given))


def _proposal(records: Records, given: Row) -> Row:
    return records.get(PROPOSALS, {"file_id": file_of(records, given["fileId"])["id"], "id": given["proposalId"]})


@TERMS.tool(
    "resolve_accessproposals",
    "Accept a request for access, which gives the roles that are named or else those asked for, or deny it",
    "fileId proposalId action",
    "role view sendNotification=true",
    mutates=True,
    role=list[str],
)
def resolve_accessproposals(records: Records, given: Row) -> Any:
    """The request after the decision."""
    row = _proposal(records, given)
    if row["status"] != "pending":
        raise ToolError("bad_state", f"request {row['id']} is {row['status']} already")
    if given["action"] not in DECISIONS:
        raise ToolError("invalid_value", f"action: expected one of {', '.join(DECISIONS)}, got {given['action']}")
    email = records.world.execute("SELECT email FROM users WHERE id = ?", (records.actor.id,)).fetchone()
    decided = {"status": DECISIONS[given["action"]], "resolved_at": records.now, "resolved_by_email": email[0]}
    if given["action"] == "ACCEPT":
        _accept(records, row, given.get("role") or row["proposed_roles"] or [])
    return full(records.update(PROPOSALS, {"id": row["id"]}, decided))


def _accept(records: Records, row: Row, roles: list[str]) -> None:
    """Give the requester the greatest of the roles."""
    known = [role for role in words.ROLES if role in roles]
    if not known or set(roles) - set(words.ROLES) or known[-1] == "owner":
        raise ToolError(
            "invalid_value", f"role: expected roles of {', '.join(words.ROLES[:-1])}, got {', '.join(map(str, roles))[:60]}"
        )
    there = records.find(PERMISSIONS, {"file_id": row["file_id"], "email_address": row["requester_email"]})
    if there:
        if there[0]["role"] != known[-1]:
            records.update(PERMISSIONS, {"id": there[0]["id"]}, {"role": known[-1]})
    else:
        wanted = {"fileId": row["file_id"], "role": known[-1], "type": "user", "emailAddress": row["requester_email"]}
        grant(records, wanted)


TOOLS = (
    list_permission,
    get_permission,
    create_permission,
    update_permission,
    delete_permission,
    list_accessproposals,
    get_accessproposals,
    resolve_accessproposals,
)
