"""Tasks on teams, their members and tags, and on users who leave."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.teams import stock
from opsgym.envs.enterprise_ops.teams.templates.common import (
    ENABLED,
    LIVE,
    bind,
    find_team,
    find_user,
    fresh_name,
    members,
    namesake,
    own_team,
    person,
    relist,
    strangers,
    told_team,
)
from opsgym.envs.enterprise_ops.template import Unfit, heed, template

_SHIFTS = ("Early Shift", "Weekend Cover", "Hotline", "Trainers", "Escalation Crew", "Release Crew", "Greeters")
_GOALS = (
    "the move to the new warehouse",
    "the next trade fair",
    "the new billing system",
    "the office in the north",
    "the audit",
)


def _memberships(draft: Draft, user: str) -> list[Row]:
    """The teams in use of which somebody is a member."""
    return draft.rows(
        "SELECT m.*, t.display_name FROM team_members m JOIN teams t USING (team_id) WHERE m.user_id = ? AND NOT m.soft_deleted"
        " AND NOT t.soft_deleted ORDER BY m.membership_id",
        user,
    )


@template(
    "teams",
    roles=("admin",),
    rules=("TEAMS-USR-LEAVE", "TEAMS-MEM-LAST"),
    traps=("namesake",),
    blocked=("ambiguous",),
)
def delete_leavers(draft: Draft) -> None:
    """Delete users who have left; they are taken out of their teams first, and no team stays without an owner."""
    sql = (
        "SELECT u.* FROM teams_users u WHERE u.org_id = ? AND NOT u.soft_deleted AND u.user_type = 'Member' AND u.user_id <> ?"
        " AND (SELECT count(*) FROM team_members m WHERE m.user_id = u.user_id) BETWEEN 1 AND 3"
        " AND NOT EXISTS (SELECT 1 FROM team_members m JOIN teams t USING (team_id)"
        " WHERE m.user_id = u.user_id AND t.is_archived)"
        " AND NOT EXISTS (SELECT 1 FROM channel_members c WHERE c.user_id = u.user_id)"
        " AND NOT EXISTS (SELECT 1 FROM teamwork_tag_members g WHERE g.user_id = u.user_id) ORDER BY u.user_id"
    )
    leavers = draft.some(sql, draft.actor.scope, draft.actor.id, count=min(draft.horizon, 3))
    gone = [user["user_id"] for user in leavers]
    heir = draft.one(
        f"SELECT u.* FROM teams_users u WHERE u.org_id = ? AND {ENABLED} AND u.user_id NOT IN ({', '.join('?' * len(gone))})"
        " AND NOT EXISTS (SELECT 1 FROM team_members m WHERE m.user_id = u.user_id AND m.team_id IN"
        f" (SELECT team_id FROM team_members WHERE user_id IN ({', '.join('?' * len(gone))}))) ORDER BY u.user_id",
        draft.actor.scope,
        *gone,
        *gone,
    )
    first = _memberships(draft, gone[0])[0]
    for row in draft.rows("SELECT * FROM team_members WHERE team_id = ? ORDER BY membership_id", first["team_id"]):
        is_first = row["user_id"] == gone[0]
        if is_first or "owner" in row["roles"]:  # the first leaver is the only owner of a team
            draft.change("team_members", row["membership_id"], roles=["owner"] if is_first else ["member"])
    relist(draft, first["team_id"])
    wrong = leavers[-1]
    if draft.is_infeasible:
        _confuse(draft, wrong)
    else:
        namesake(draft, leavers, heir, as_bind=False)
    names = [str(user["display_name"]) if draft.is_infeasible and user is wrong else person(draft, user) for user in leavers]
    draft.ask(
        f"{draft.listed(names)} {'has' if len(names) == 1 else 'have'} left the company: delete"
        f" {'the account' if len(names) == 1 else 'their accounts'}. Where anything needs a new owner, it is"
        f" {person(draft, heir)}.",
        f"Please delete the {'user' if len(names) == 1 else 'users'} {draft.listed(names)}. {person(draft, heir)} takes over what"
        " would otherwise have no owner.",
    )
    if draft.is_infeasible:
        draft.block("ambiguous", why=f"There are two users named {wrong['display_name']}.")
    find_user(draft, heir)
    for user in leavers:
        find_user(draft, user)
        for row in _memberships(draft, user["user_id"]):
            owners = draft.value(
                "SELECT count(*) FROM team_members WHERE team_id = ? AND NOT soft_deleted AND roles LIKE '%owner%'",
                row["team_id"],
            )
            draft.look("list_team_members", teamId=row["team_id"], _top=999)
            if owners == 1 and "owner" in row["roles"]:
                draft.oblige(
                    "TEAMS-MEM-LAST",
                    f"Make {person(draft, heir)} an owner of every team that would have none.",
                    "add_team_member",
                    teamId=row["team_id"],
                    user_odata_bind=bind(heir["user_id"]),
                    roles=["owner"],
                )
            draft.oblige(
                "TEAMS-USR-LEAVE",
                "Take whoever is deleted out of all their teams first.",
                "remove_team_member",
                teamId=row["team_id"],
                membershipId=row["membership_id"],
            )
        draft.do("delete_user", userId=user["user_id"])


def _confuse(draft: Draft, user: Row) -> None:
    """Give a colleague of the same department the same name."""
    other = draft.one(
        f"SELECT u.* FROM teams_users u WHERE u.org_id = ? AND {ENABLED} AND u.user_id <> ? AND u.display_name <> ?"
        " ORDER BY u.user_id",
        draft.actor.scope,
        user["user_id"],
        user["display_name"],
    )
    names = ("display_name", "given_name", "surname", "department", "job_title")
    draft.change("teams_users", other["user_id"], **{name: user[name] for name in names})


@template(
    "teams",
    roles=("admin", "member"),
    rules=("TEAMS-CHM-LAST",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def hand_over_team(draft: Draft) -> None:
    """Hand a team over to a member, who becomes its owner; the former one leaves, and no private channel loses its only owner."""
    team = own_team(draft)
    key = team["team_id"]
    former = draft.row("teams_users", draft.actor.id)
    if draft.actor.role == "admin":
        (former,) = members(draft, team, count=1, role="owner")
    membership = draft.one("SELECT * FROM team_members WHERE team_id = ? AND user_id = ?", key, former["user_id"])
    inside = "SELECT p.user_id FROM channel_members p JOIN channels c USING (channel_id) WHERE c.team_id = m.team_id"
    (heir,) = members(draft, team, count=1, outside=f"u.user_id NOT IN ({inside})")
    private = draft.rows(
        f"SELECT * FROM channels WHERE team_id = ? AND membership_type <> 'standard' AND {LIVE}", key, draft.actor.scope
    )
    name = fresh_name(draft, "channels", ("Confidential", "Closed Circle", "Inner Desk"), team_id=key)
    place = draft.add("channels", team_id=key, display_name=name, membership_type="private")
    draft.add("channel_files_folders", channel_id=place["channel_id"], name=name, web_url="https://files.example/inner")
    draft.add("channel_members", channel_id=place["channel_id"], user_id=former["user_id"], roles=["owner"])
    if any(_is_only_owner(draft, row["channel_id"], former["user_id"]) for row in private):
        raise Unfit("another channel would stay without an owner")
    if draft.is_infeasible:
        _as_guest(draft, heir["user_id"])
    else:
        namesake(draft, [heir], former)
    mine = former["user_id"] == draft.actor.id
    who, leaves = ("I", "leave") if mine else (person(draft, former), "leaves")
    draft.ask(
        f"{person(draft, heir)} takes over the {told_team(draft, team)}: make them its owner. {who} {leaves} the team.",
        f"Hand the {told_team(draft, team)} over to {person(draft, heir)} as its new owner; {who} {leaves} it.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{heir['display_name']} is a guest and cannot be an owner (TEAMS-MEM-GUEST).")
    find_team(draft, team)
    draft.look("list_team_members", teamId=key, _top=999)
    draft.look("list_channels", teamId=key)
    draft.do("update_team_member", teamId=key, membershipId=heir["membership_id"], roles=["owner"])
    draft.oblige(
        "TEAMS-CHM-LAST",
        f"{person(draft, heir)} becomes an owner of private channels that would have none, too.",
        "add_channel_member",
        teamId=key,
        channelId=place["channel_id"],
        user_odata_bind=bind(heir["user_id"]),
        roles=["owner"],
    )
    draft.do("remove_team_member", teamId=key, membershipId=membership["membership_id"])


def _as_guest(draft: Draft, user: str) -> None:
    """Make somebody a guest of the organization, and of all their teams."""
    draft.change("teams_users", user, user_type="Guest")
    for row in draft.rows("SELECT * FROM team_members WHERE user_id = ? ORDER BY membership_id", user):
        if "owner" in row["roles"]:
            raise Unfit("a guest would own a team")
        draft.change("team_members", row["membership_id"], roles=["guest"])
        relist(draft, row["team_id"])


def _is_only_owner(draft: Draft, channel: str, user: str) -> bool:
    sql = "SELECT user_id FROM channel_members WHERE channel_id = ? AND NOT soft_deleted AND roles LIKE '%owner%' ORDER BY 1"
    return [row["user_id"] for row in draft.rows(sql, channel)] == [user]


@template(
    "teams",
    roles=("admin", "member"),
    rules=("TEAMS-MEM-GUEST",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def create_project_team(draft: Draft) -> None:
    """Create a team for a project with its owner, members and guests, apps and channels."""
    name = f"Project {fresh_name(draft, 'teams', tuple(f'Project {item}' for item in stock.PROJECTS)).removeprefix('Project ')}"
    templates = draft.some("SELECT * FROM teams_templates ORDER BY template_id")
    sql = f"SELECT u.* FROM teams_users u WHERE u.org_id = ? AND {ENABLED} AND u.user_id <> ? ORDER BY u.user_id"
    people = draft.some(sql, draft.actor.scope, draft.actor.id, count=draft.horizon + 1)
    owner = draft.row("teams_users", draft.actor.id) if draft.actor.role == "member" else people.pop()
    people = people[: draft.horizon]
    guest = draft.one(
        "SELECT * FROM teams_users WHERE org_id = ? AND user_type = 'Guest' AND account_enabled AND NOT soft_deleted"
        " ORDER BY user_id",
        draft.actor.scope,
    )
    if draft.is_infeasible:
        draft.change("teams_users", people[-1]["user_id"], account_enabled=False)
    namesake(draft, people, owner, guest)
    channels = draft.draw.sample([channel for channel, _ in stock.CHANNELS], min(draft.horizon, 3))
    goal = draft.pick(*_GOALS)
    names = draft.listed([person(draft, user) for user in (*people, guest)])
    lead = "I own it" if owner["user_id"] == draft.actor.id else f"{person(draft, owner)} owns it"
    draft.ask(
        f'Create a private team "{name}" from the template "{templates[0]["display_name"]}" for {goal} (put "{goal}" into its'
        f" description). {lead}; {names} belong to it.",
        f'For {goal} we need a private team "{name}" from the template "{templates[0]["display_name"]}", described as "{goal}".'
        f" {lead}, with {names}.",
    )
    draft.ask(
        f"Besides General it has the {'channel' if len(channels) == 1 else 'channels'} {draft.listed(channels)}.",
        f"Set up the {'channel' if len(channels) == 1 else 'channels'} {draft.listed(channels)} in it.",
    )
    draft.loosen("groups_m365", "mail_nickname", "description")
    draft.loosen("teams", "description", holding=goal)
    draft.loosen("channels", "description")
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{people[-1]['display_name']} cannot sign in (TEAMS-MEM-ENABLED).")
    for user in (owner, *people, guest):
        find_user(draft, user)
    draft.look("list_teams", _filter=f"displayName eq '{name}'")
    team = draft.do(
        "create_team",
        template_odata_bind=bind(templates[0]["template_id"], "teamsTemplates"),
        displayName=name,
        description=goal,
        visibility="private",
        members=[{"user_odata_bind": bind(owner["user_id"]), "roles": ["owner"]}],
    )
    for user in people:
        draft.do("add_team_member", teamId=team["id"], user_odata_bind=bind(user["user_id"]))
    draft.do(
        "add_team_member",
        heed("TEAMS-MEM-GUEST", "Who is a guest of our organization is a guest of the team.", roles=["guest"]),
        teamId=team["id"],
        user_odata_bind=bind(guest["user_id"]),
    )
    for channel in channels:
        draft.do("create_channel", teamId=team["id"], displayName=channel)


@template(
    "teams",
    roles=("admin", "member"),
    rules=("TEAMS-TGM-TEAM",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def tag_people(draft: Draft) -> None:
    """Create a tag in a team and give it to people, who join the team first where they are not in it."""
    team = own_team(draft)
    key = team["team_id"]
    name = fresh_name(draft, "teamwork_tags", _SHIFTS, team_id=key)
    outside = strangers(draft, team, count=1)
    inside = members(draft, team, count=min(draft.horizon, 4))
    if draft.is_infeasible:
        draft.add("teamwork_tags", team_id=key, display_name=name.upper(), description="Made last year", tag_type="standard")
    namesake(draft, inside, *outside, as_bind=False)
    people = draft.draw.sample([*outside, *inside], 1 + len(inside))
    names = draft.listed([person(draft, user) for user in people])
    draft.ask(
        f'Make a tag "{name}" in the {told_team(draft, team)} for {names}.',
        f'In the {told_team(draft, team)} we want to reach {names} by one mention: create the tag "{name}" for them.',
    )
    draft.loosen("teamwork_tags", "description")
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"The team has a tag {name.upper()} already (TEAMS-TAG-NAME).")
    find_team(draft, team)
    draft.look("list_teamwork_tags", team_id=key)
    draft.look("list_team_members", teamId=key, _top=999)
    for user in people:
        find_user(draft, user)
    for user in outside:
        draft.oblige(
            "TEAMS-TGM-TEAM",
            "Whoever is not in the team yet joins it as a member first.",
            "add_team_member",
            teamId=key,
            user_odata_bind=bind(user["user_id"]),
        )
    tag = draft.do("create_teamwork_tag", team_id=key, displayName=name)
    for user in people:
        draft.do("create_teamwork_tag_member", team_id=key, tag_id=tag["id"], userId=user["user_id"])


TEMPLATES = (delete_leavers, hand_over_team, create_project_team, tag_people)
