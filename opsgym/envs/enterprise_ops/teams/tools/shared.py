"""What the tools have in common: finding records, changing them with an audit row, bind strings, expansions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records, Row
from opsgym.core.records.signature import Argument, Run, declared
from opsgym.core.records.table import Table
from opsgym.core.task import canonical_json
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.teams.graph import properties, shaped
from opsgym.envs.enterprise_ops.teams.odata import bound
from opsgym.envs.enterprise_ops.teams.tables.calls import AUDIT
from opsgym.envs.enterprise_ops.teams.tables.channels import CHANNEL, SHARED_WITH
from opsgym.envs.enterprise_ops.teams.tables.people import USER
from opsgym.envs.enterprise_ops.teams.tables.teams import TEAM

Text40 = Annotated[str, Field(max_length=40)]
Text50 = Annotated[str, Field(max_length=50)]
Text64 = Annotated[str, Field(max_length=64)]
Text128 = Annotated[str, Field(max_length=128)]
Text250 = Annotated[str, Field(max_length=250)]
Text255 = Annotated[str, Field(max_length=255)]
Text256 = Annotated[str, Field(max_length=256)]
Text320 = Annotated[str, Field(max_length=320)]
Text1000 = Annotated[str, Field(max_length=1000)]
Text1024 = Annotated[str, Field(max_length=1024)]
Time = Annotated[str, Field(json_schema_extra={"format": "date-time"})]

DELEGATE = "#microsoft.graph.aadUserConversationMember"
"""What members of conversations are called."""

NOUNS = {
    "teams": "team",
    "channels": "channel",
    "chats": "chat",
    "teams_users": "user",
    "groups_m365": "group",
    "teams_apps": "app",
    "teams_templates": "template",
    "teamwork_tags": "tag",
    "team_members": "membership",
    "teams_channel_tabs": "tab",
    "channel_messages": "message",
    "chat_messages": "message",
    "virtual_event_webinars": "webinar",
    "virtual_event_townhalls": "town hall",
    "calls": "call",
    "call_records": "call record",
}
"""What records are called in refusals."""

FILTER = Argument("_filter", str, "OData filter, such as startswith(displayName,'A').", False)
SELECT = Argument("_select", str, "Properties to give, with commas between.", False)
EXPAND = Argument("_expand", str, "Related records to give too, with commas between.", False)
COUNT = Argument("_count", bool, "Whether to give the number of all records too.", False, False)
TEAM_ID = Argument("teamId", str, "Key of the team.")
CHANNEL_ID = Argument("channelId", str, "Key of the channel.")
CHAT_ID = Argument("chatId", str, "Key of the chat.")


class Member(TypedDict, total=False):
    """A member to be: ``user_odata_bind`` and roles."""

    _odata_type: str
    roles: list[str]
    user_odata_bind: str
    visibleHistoryStartDateTime: str


class Body(TypedDict, total=False):
    """What a message or a description says: ``contentType`` is ``text`` or ``html``."""

    contentType: str
    content: str


def need(name: str, annotation: Any, about: str) -> Argument:
    """An argument that must be given."""
    return Argument(name, annotation, about)


def may(name: str, annotation: Any, about: str, default: Any = None) -> Argument:
    """An argument that may be given."""
    return Argument(name, annotation, about, False, default)


def top(default: int | None, most: int | None = None) -> Argument:
    """How many records to give."""
    return may("_top", Annotated[int, Field(ge=1, le=most)], "Number of records to give.", default)


def reading(name: str, summary: str, arguments: Iterable[Argument], run: Run) -> Tool:
    """A tool that only reads."""
    return declared(name, summary, arguments, run)


def acting(name: str, summary: str, arguments: Iterable[Argument], run: Run) -> Tool:
    """A tool that changes records: all or none of its writes, with an audit row for the record whose ``id`` it gives."""

    def audited(records: Records, given: dict[str, Any]) -> Any:
        with records.together():
            result = run(records, given)
            records.create(AUDIT, {"timestamp": records.now, "resource_id": str(result["id"])[:64], "operation": name})
        return result

    return declared(name, summary, arguments, audited, mutates=True)


# -- records --------------------------------------------------------------------------------------------------


def live(records: Records, table: Table, **equal: Any) -> list[Row]:
    """The records that are not deleted and whose columns equal what is given."""
    soft = {"soft_deleted": False} if "soft_deleted" in table.by_name else {}
    return records.find(table, equal | soft)


def one(records: Records, table: Table, key: str, **equal: Any) -> Row:
    """The record of a key that is not deleted.

    Raises:
        ToolError: ``not_found``.
    """
    rows = live(records, table, **{table.id: key}, **equal)
    if not rows:
        raise ToolError("not_found", f"no {NOUNS[table.name]} with id {key[:60]!r}")
    return rows[0]


def given_values(table: Table, given: Mapping[str, Any]) -> Row:
    """Values by column, of the arguments that are named like properties of a table."""
    known = properties(table)
    return {known[name].name: value for name, value in given.items() if name in known and name != "id"}


def change(records: Records, table: Table, key: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Change a record and give it as agents see it."""
    return shaped(table, records.update(table, {table.id: key}, values))


def retire(records: Records, table: Table, key: str) -> dict[str, Any]:
    """Mark a record as deleted."""
    records.update(table, {table.id: key}, {"soft_deleted": True})
    return {"id": key, "deleted": True}


# -- people, teams and channels -------------------------------------------------------------------------------


def user(records: Records, name: str) -> Row:
    """The user of a key or a userPrincipalName.

    Raises:
        ToolError: ``not_found``.
    """
    for column in ("user_id", "user_principal_name"):
        rows = live(records, USER, **{column: name})
        if rows:
            return rows[0]
    raise ToolError("not_found", f"no user with id or userPrincipalName {name[:60]!r}")


def named(records: Records, table: Table, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Memberships with the names and addresses of their users, who may be deleted by now."""
    keys = canonical_json([row["user_id"] for row in rows])
    found = records.find(USER, {}, where="user_id IN (SELECT value FROM json_each(?))", bound=(keys,))
    users = {row["user_id"]: {"displayName": row["display_name"], "email": row["mail"]} for row in found}
    return [shaped(table, row) | users[row["user_id"]] for row in rows]


def bound_user(records: Records, argument: str, text: str) -> Row:
    """The user to which a bind string points."""
    return user(records, bound(argument, text, "users", "directoryObjects"))


def member(records: Records, spec: Mapping[str, Any], default: Sequence[str], known: Sequence[str]) -> tuple[Row, list[str]]:
    """The user and the roles that a member to be tells.

    Raises:
        ToolError: ``missing_field``, ``invalid_value`` (of the bind string, or of a role), ``not_found``.
    """
    if "user_odata_bind" not in spec:
        raise ToolError("missing_field", "members: each one needs user_odata_bind")
    roles = list(spec.get("roles", default))
    for role in roles:
        if role not in known:
            raise ToolError("invalid_value", f"roles: expected one of {', '.join(known)}, got {role[:60]!r}")
    return bound_user(records, "user_odata_bind", spec["user_odata_bind"]), roles


def channel(records: Records, given: Mapping[str, Any]) -> Row:
    """The channel that ``teamId`` and ``channelId`` tell: one of the team, or one that is shared with it.

    Raises:
        ToolError: ``not_found``.
    """
    team = one(records, TEAM, given["teamId"])["team_id"]
    found = one(records, CHANNEL, given["channelId"])
    if found["team_id"] != team and not live(records, SHARED_WITH, channel_id=found["channel_id"], team_id=team):
        raise ToolError("not_found", f"the team has no channel with id {given['channelId'][:60]!r}")
    return found


# -- expansions -----------------------------------------------------------------------------------------------

Related = Callable[[Row], Any]


def expanded(given: Mapping[str, Any], rows: Iterable[tuple[Row, dict[str, Any]]], related: Mapping[str, Related]) -> list[Row]:
    """The shapes of records, with the related ones that ``_expand`` names.

    Args:
        given: The arguments of the call.
        rows: Each record and its shape.
        related: What may be asked for, and how it is found.

    Raises:
        ToolError: ``invalid_value``: something else is asked for.
    """
    names = [name.strip().partition("(")[0] for name in given.get("_expand", "").split(",") if name.strip()]
    for name in names:
        if name not in related:
            raise ToolError("invalid_value", f"_expand: expected one of {', '.join(related)}, got {name[:60]!r}")
    return [shape | {name: related[name](row) for name in names} for row, shape in rows]
