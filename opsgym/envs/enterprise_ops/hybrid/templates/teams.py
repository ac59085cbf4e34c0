"""Tasks in Teams, and in IT service management or HR."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.itsm.templates.common import incidents
from opsgym.envs.enterprise_ops.teams.templates.common import OPEN, bind, body, relist
from opsgym.envs.enterprise_ops.template import template

_TAGS = ("Newcomers", "Payroll Contacts", "Early Birds", "Floor Guides")


def _member(draft: Draft, email: str) -> Row:
    """The Teams user of an e-mail address."""
    sql = "SELECT * FROM teams_users WHERE mail = ? AND account_enabled AND NOT soft_deleted ORDER BY user_id"
    return draft.one(sql, email, in_system="teams")


def _own_team(draft: Draft, outsider: str) -> Row:
    """A team in use of which the actor is made an owner, and somebody is no member."""
    me = draft.parts["teams"].actor
    sql = (
        f"SELECT t.* FROM teams t WHERE t.org_id = ? AND {OPEN} AND NOT EXISTS (SELECT 1 FROM team_members m"
        " WHERE m.team_id = t.team_id AND m.user_id IN (?, ?)) ORDER BY t.team_id"
    )
    team = draft.one(sql, me.scope, me.id, outsider, in_system="teams")
    draft.add("team_members", team_id=team["team_id"], user_id=me.id, roles=["owner"], in_system="teams")
    relist(draft, team["team_id"], in_system="teams")
    return team


def _namesake(draft: Draft, user: Row) -> None:
    """Where a trap is wanted, give a Teams user whom a search finds first the same name."""
    if not draft.wants_trap("namesake"):
        return
    me = draft.parts["teams"].actor
    sql = "SELECT * FROM teams_users WHERE org_id = ? AND user_id < ? AND user_id <> ? AND account_enabled ORDER BY user_id"
    other = draft.one(sql, me.scope, user["user_id"], me.id, in_system="teams")
    names = {name: user[name] for name in ("display_name", "given_name", "surname")}
    draft.change("teams_users", other["user_id"], **names, in_system="teams")
    for row in draft.rows(
        "SELECT team_id FROM team_members WHERE user_id = ? ORDER BY membership_id", other["user_id"], in_system="teams"
    ):
        relist(draft, row["team_id"], in_system="teams")
    draft.trap("namesake", user["user_id"], other["user_id"])
    draft.trap("namesake", bind(user["user_id"]), bind(other["user_id"]))


@template(
    "hybrid",
    roles={"itsm": ("manager", "agent"), "teams": ("admin", "member")},
    rules=("TEAMS-MSG-MENTION",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def open_incident_rooms(draft: Draft) -> None:
    """Open a channel for each of some incidents, note it at the incident, and call whoever manages the group that handles it."""
    group = draft.one(
        "SELECT g.*, u.email, u.first_name, u.last_name FROM user_group g JOIN users u ON u.user_id = g.manager_id"
        " WHERE g.org_id = ? AND g.active AND u.active AND u.email <> ? ORDER BY g.group_id",
        draft.actor.scope,
        draft.actor_email,
    )
    chosen = incidents(draft, "status = 'in_progress'", count=min(draft.horizon, 3))
    lead = _member(draft, group["email"])
    team = _own_team(draft, lead["user_id"])
    key = team["team_id"]
    numbers = draft.listed([incident["number"] for incident in chosen])
    if draft.is_infeasible:
        draft.add("channels", team_id=key, display_name=chosen[-1]["number"], is_archived=True, in_system="teams")
    _namesake(draft, lead)
    many = len(chosen) > 1
    draft.ask(
        f"Open a standard channel for {'each of the incidents' if many else 'the incident'} {numbers} in the team"
        f" {team['display_name']}, named after the number. Its first message is urgent, has the incident's short description as"
        f" its subject, and mentions whoever manages the group {group['name']} in ITSM. Put the name of the channel into the"
        " incident's work notes.",
        f"We need {'rooms' if many else 'a room'} for {numbers}: in the team {team['display_name']}, a standard channel named"
        " like the incident; in it an urgent message with the short description as subject that mentions the manager of the ITSM"
        f" group {group['name']}; and the channel's name in the work notes of the incident.",
    )
    draft.loosen("incident", "worknotes", holding="INC")
    draft.loosen("channels", "description")
    draft.loosen("channel_messages", "body_json")
    draft.loosen("channel_messages", "mentions", holding=lead["user_id"])
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"The team has a channel {chosen[-1]['number']} already (TEAMS-CHN-NAME).")
    draft.look("itsm.find_group_by_name", name=group["name"])
    draft.look("itsm.get_user", user_id=group["manager_id"])
    draft.look("teams.list_teams", _filter=f"displayName eq '{team['display_name']}'")
    draft.look("teams.list_users", _filter=f"mail eq '{lead['mail']}'")
    draft.look("teams.list_team_members", teamId=key, _top=999)
    draft.oblige(
        "TEAMS-MSG-MENTION",
        "Whoever is mentioned but is not in the team yet joins it as a member.",
        "teams.add_team_member",
        teamId=key,
        user_odata_bind=bind(lead["user_id"]),
    )
    for incident in chosen:
        draft.look("itsm.find_incident_by_number", number=incident["number"])
        place = draft.do("teams.create_channel", teamId=key, displayName=incident["number"])
        draft.do(
            "teams.send_channel_message",
            teamId=key,
            channelId=place["id"],
            subject=incident["short_description"],
            importance="urgent",
            body=body("Please join."),
            mentions=[{"id": 0, "mentionText": lead["display_name"], "mentioned": {"user": {"id": lead["user_id"]}}}],
        )
        draft.do("itsm.update_incident", incident_id=incident["incident_id"], worknotes=f"Channel {incident['number']}")


@template(
    "hybrid",
    roles={"hr": ("admin",), "teams": ("admin", "member")},
    rules=("TEAMS-TGM-TEAM",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def move_employee(draft: Draft) -> None:
    """Give an employee another manager in HR, and a tag in a team that they join."""
    sql = (
        'SELECT u.*, p.hr_profile_id, p.manager FROM "user" u JOIN hr_profile p USING (user_id) WHERE u.org_id = ? AND u.active'
        " AND u.role = 'employee' AND p.employment_end_date IS NULL AND u.user_id <> ? ORDER BY u.user_id"
    )
    mover = draft.one(sql, draft.actor.scope, draft.actor.id)
    boss = draft.one(
        "SELECT * FROM \"user\" WHERE org_id = ? AND active AND role = 'manager' AND user_id NOT IN (?, ?) ORDER BY user_id",
        draft.actor.scope,
        mover["user_id"],
        mover["manager"] or 0,
    )
    colleague = _member(draft, mover["email"])
    team = _own_team(draft, colleague["user_id"])
    key, name = team["team_id"], draft.pick(*_TAGS)
    tag = draft.add("teamwork_tags", team_id=key, display_name=name, tag_type="standard", in_system="teams")
    if draft.is_infeasible:
        draft.change("teams_users", colleague["user_id"], account_enabled=False, in_system="teams")
    _namesake(draft, colleague)
    who, to = f"{mover['first_name']} {mover['last_name']}", f"{boss['first_name']} {boss['last_name']}"
    draft.ask(
        f"{who} ({mover['email']}) reports to {to} ({boss['email']}) from now on: change the HR profile. In Teams, they get the"
        f' tag "{name}" of the team {team["display_name"]}.',
        f"Set {to} ({boss['email']}) as the manager in the HR profile of {who} ({mover['email']}), and give the latter the tag"
        f' "{name}" in our team {team["display_name"]} in Teams.',
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{who} cannot sign in to Teams (TEAMS-MEM-ENABLED), so cannot join the team.")
    draft.look("hr.get_user_using_name", first_name=mover["first_name"], last_name=mover["last_name"])
    draft.look("hr.get_user_using_name", first_name=boss["first_name"], last_name=boss["last_name"])
    draft.look("hr.get_users_hr_profile", user_id=str(mover["user_id"]))
    draft.do("hr.update_hr_profile", hr_profile_id=str(mover["hr_profile_id"]), manager=str(boss["user_id"]))
    draft.look("teams.list_teams", _filter=f"displayName eq '{team['display_name']}'")
    draft.look("teams.list_users", _filter=f"mail eq '{colleague['mail']}'")
    draft.look("teams.list_teamwork_tags", team_id=key)
    draft.oblige(
        "TEAMS-TGM-TEAM",
        "Who is not in the team yet joins it as a member first.",
        "teams.add_team_member",
        teamId=key,
        user_odata_bind=bind(colleague["user_id"]),
    )
    draft.do("teams.create_teamwork_tag_member", team_id=key, tag_id=tag["tag_id"], userId=colleague["user_id"])


TEMPLATES = (open_incident_rooms, move_employee)
