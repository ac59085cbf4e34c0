"""What Teams templates have in common: choosing and describing teams, channels and people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import Unfit

GRAPH = "https://graph.microsoft.com/v1.0"
LIVE = "org_id = ? AND NOT soft_deleted"
ENABLED = "u.account_enabled AND NOT u.soft_deleted AND u.user_type = 'Member'"
OPEN = "NOT t.is_archived AND NOT t.soft_deleted"
OWNED = "EXISTS (SELECT 1 FROM team_members m WHERE m.team_id = {team} AND m.user_id = {user} AND m.roles LIKE '%owner%')"


def bind(key: Any, collection: str = "users") -> str:
    """A bind string."""
    return f"{GRAPH}/{collection}('{key}')"


def body(content: str) -> dict[str, str]:
    """A message's body."""
    return {"contentType": "text", "content": content}


# -- teams ----------------------------------------------------------------------------------------------------


def own_team(draft: Draft, condition: str = "1") -> Row:
    """A team in use that the actor may manage; a member signs in as one of its owners.

    Args:
        draft: The draft.
        condition: A condition in SQL over the team ``t``.
    """
    team = draft.one(
        f"SELECT t.* FROM teams t WHERE t.org_id = ? AND {OPEN} AND ({condition}) ORDER BY t.team_id", draft.actor.scope
    )
    if draft.actor.role != "admin":
        sql = (
            "SELECT m.user_id FROM team_members m JOIN teams_users u USING (user_id) JOIN teams_user_roles r USING (user_id)"
            f" WHERE m.team_id = ? AND m.roles LIKE '%owner%' AND r.role = 'member' AND {ENABLED} ORDER BY m.user_id"
        )
        draft.act_as(draft.one(sql, team["team_id"])["user_id"])
    return team


def told_team(draft: Draft, team: Row) -> str:
    """Words for a team, without an article."""
    key = team["team_id"]
    facts: list[tuple[str, str, list[Any]]] = [
        (
            f"created on {draft.date(team['created_at'])}",
            "substr(created_at, 1, 10) = ?",
            [team["created_at"][:10]],
        ),
        (f'described as "{team["description"]}"', "description = ?", [team["description"]]),
    ]
    for row in draft.rows(
        "SELECT u.* FROM team_members m JOIN teams_users u USING (user_id) WHERE m.team_id = ? AND NOT m.soft_deleted"
        " AND m.roles LIKE '%owner%' ORDER BY m.membership_id LIMIT 1",
        key,
    ):
        facts.append((f"owned by {person(draft, row)}", OWNED.format(team="teams.team_id", user="?"), [row["user_id"]]))
    for row in draft.rows(
        "SELECT display_name FROM channels WHERE team_id = ? AND NOT is_primary ORDER BY channel_id LIMIT 1", key
    ):
        facts.append(
            (
                f"with a channel named {row['display_name']}",
                "EXISTS (SELECT 1 FROM channels c WHERE c.team_id = teams.team_id AND c.display_name = ?)",
                [row["display_name"]],
            )
        )
    return draft.described("teams", key, f"team {team['display_name']}", facts)


def find_team(draft: Draft, team: Row) -> None:
    """Look a team up."""
    draft.look("list_teams", _filter=f"displayName eq '{team['display_name']}'")


def channels(draft: Draft, team: Row, condition: str = "1", *, count: int = 1) -> list[Row]:
    """Channels of a team that are in use and not private, other than the primary one."""
    sql = f"SELECT * FROM channels WHERE team_id = ? AND {LIVE} AND NOT is_archived AND NOT is_primary"
    sql += f" AND membership_type = 'standard' AND ({condition}) ORDER BY channel_id"
    return draft.some(sql, team["team_id"], draft.actor.scope, count=count)


# -- people ---------------------------------------------------------------------------------------------------


def person(draft: Draft, user: Row) -> str:
    """Words for a user that fit no other one: the name, with the e-mail address where there are namesakes."""
    same = draft.value(
        f"SELECT count(*) FROM teams_users WHERE {LIVE} AND display_name = ?", user["org_id"], user["display_name"]
    )
    return str(user["display_name"]) if same == 1 else f"{user['display_name']} ({user['mail']})"


def find_user(draft: Draft, user: Row) -> None:
    """Look a user up by name."""
    draft.look("list_users", _filter=f"displayName eq '{user['display_name']}'")


def members(draft: Draft, team: Row, *, count: int, role: str = "member", outside: str = "") -> list[Row]:
    """Members of a team who can sign in and are not the actor.

    Args:
        draft: The draft.
        team: The team.
        count: How many.
        role: Their role in the team.
        outside: A condition on the user ``u``.
    """
    sql = (
        "SELECT u.*, m.membership_id FROM team_members m JOIN teams_users u USING (user_id)"
        f" WHERE m.team_id = ? AND NOT m.soft_deleted AND m.roles = ? AND u.user_id <> ? AND {ENABLED} AND ({outside or '1'})"
        " ORDER BY m.membership_id"
    )
    return draft.some(sql, team["team_id"], json.dumps([role]), draft.actor.id, count=count)


def strangers(draft: Draft, team: Row, *, count: int, kind: str = "Member") -> list[Row]:
    """Users of the organization who can sign in and are in no way in a team."""
    sql = (
        "SELECT u.* FROM teams_users u WHERE u.org_id = ? AND u.account_enabled AND NOT u.soft_deleted AND u.user_type = ?"
        " AND u.user_id <> ? AND u.user_id NOT IN (SELECT user_id FROM team_members WHERE team_id = ?) ORDER BY u.user_id"
    )
    return draft.some(sql, draft.actor.scope, kind, draft.actor.id, team["team_id"], count=count)


def namesake(draft: Draft, people: Sequence[Row], *others: Row, as_bind: bool = True) -> None:
    """Where a trap is wanted, give another user, whom a search finds first, the name of one of some people.

    The request then tells the right one by the e-mail address; see :func:`person`.

    Args:
        draft: The draft.
        people: Whose name may be given.
        others: Who else is in the request.
        as_bind: Whether calls name them in bind strings.
    """
    if not draft.wants_trap("namesake"):
        return
    user = max(people, key=lambda row: str(row["user_id"]))
    apart = [draft.actor.id, *(row["user_id"] for row in (*people, *others))]
    rows = draft.rows(
        f"SELECT u.* FROM teams_users u WHERE u.org_id = ? AND u.user_id < ? AND {ENABLED}"
        f" AND u.user_id NOT IN ({', '.join('?' * len(apart))}) ORDER BY u.user_id",
        draft.actor.scope,
        user["user_id"],
        *apart,
    )
    if not rows:
        raise Unfit("nobody can be made a namesake")
    other = draft.pick(*rows)
    draft.change("teams_users", other["user_id"], **{name: user[name] for name in ("display_name", "given_name", "surname")})
    for row in draft.rows("SELECT team_id FROM team_members WHERE user_id = ? ORDER BY membership_id", other["user_id"]):
        relist(draft, row["team_id"])
    wrap = bind if as_bind else str
    draft.trap("namesake", wrap(user["user_id"]), wrap(other["user_id"]))


def relist(draft: Draft, team: str, *, in_system: str = "") -> None:
    """Have ``teams.members`` say what the memberships say, after they were changed."""
    rows = draft.rows(
        "SELECT m.roles, u.display_name, u.user_id FROM team_members m JOIN teams_users u USING (user_id) WHERE m.team_id = ?"
        " AND NOT m.soft_deleted ORDER BY m.membership_id",
        team,
        in_system=in_system,
    )
    listed = [{"displayName": row["display_name"], "roles": json.loads(row["roles"]), "userId": row["user_id"]} for row in rows]
    draft.change("teams", team, members=listed, in_system=in_system)


def fresh_name(draft: Draft, table: str, names: tuple[str, ...], **equal: Any) -> str:
    """A name that no record with the same values has."""
    where = " AND ".join([LIVE, *(f"{name} = ?" for name in equal)])
    taken = {
        row["display_name"].lower()
        for row in draft.rows(f"SELECT display_name FROM {table} WHERE {where} ORDER BY 1", draft.actor.scope, *equal.values())
    }
    free = [name for name in names if name.lower() not in taken]
    if not free:
        raise Unfit(f"all names of {table} are taken")
    return str(draft.pick(*free))
