"""Tasks on channels, their tabs and messages."""

from __future__ import annotations

import datetime as dt

from opsgym.core.records.outcome import Reason
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.teams import stock
from opsgym.envs.enterprise_ops.teams.templates.common import (
    bind,
    body,
    channels,
    find_team,
    find_user,
    fresh_name,
    members,
    namesake,
    own_team,
    person,
    strangers,
    told_team,
)
from opsgym.envs.enterprise_ops.template import Unfit, template

_PRIVATE = ("Steering", "Pricing", "Risk Review", "Succession", "Supplier Talks", "Board Answers", "Due Diligence")
_NOTES = {
    "the office closes at noon on Friday": "friday",
    "the new price list is valid from today": "price",
    "all expenses have to be handed in by the end of the week": "expenses",
    "the maintenance window has moved to Sunday": "sunday",
    "the audit starts next Monday": "monday",
    "travel requests need the new form": "travel",
}
"""What is announced, each with a word that the message must hold."""


@template(
    "teams",
    roles=("admin", "member"),
    rules=("TEAMS-CHM-TEAM",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def open_private_channel(draft: Draft) -> None:
    """Open a private channel for an owner and some people, who join the team first where they are not in it."""
    team = own_team(draft)
    name = fresh_name(draft, "channels", _PRIVATE, team_id=team["team_id"])
    (owner,) = (
        members(draft, team, count=1, role="owner") if draft.actor.role == "admin" else [draft.row("teams_users", draft.actor.id)]
    )
    outside = strangers(draft, team, count=1 + draft.horizon // 3)
    inside = members(draft, team, count=draft.horizon - len(outside)) if draft.horizon > len(outside) else []
    people = draft.draw.sample([*outside, *inside], len(outside) + len(inside))
    namesake(draft, people, owner)
    if draft.is_infeasible:
        draft.change("teams", team["team_id"], is_archived=True)
    lead = "I lead it" if owner["user_id"] == draft.actor.id else f"{person(draft, owner)} leads it as its owner"
    names, takes = draft.listed([person(draft, user) for user in people]), "takes" if len(people) == 1 else "take"
    draft.ask(
        f"Open a private channel named {name} in the {told_team(draft, team)}; {lead}, and {names} {takes} part.",
        f"We need a private channel {name} in the {told_team(draft, team)} for {names}; {lead}.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"The team {team['display_name']} is archived (TEAMS-CHN-ARCHIVED).")
    find_team(draft, team)
    draft.look("list_team_members", teamId=team["team_id"], _top=999)
    for user in people:
        find_user(draft, user)
    for user in outside:
        draft.oblige(
            "TEAMS-CHM-TEAM",
            "Whoever is not in the team yet joins it as a member first.",
            "add_team_member",
            teamId=team["team_id"],
            user_odata_bind=bind(user["user_id"]),
        )
    made = draft.do(
        "create_channel",
        teamId=team["team_id"],
        displayName=name,
        membershipType="private",
        members=[{"user_odata_bind": bind(owner["user_id"]), "roles": ["owner"]}],
    )
    for user in people:
        draft.do(
            "add_channel_member",
            teamId=team["team_id"],
            channelId=made["id"],
            user_odata_bind=bind(user["user_id"]),
        )


@template("teams", roles=("admin", "member"), traps=("similar_name",), blocked=("policy_conflict",))
def pin_tabs(draft: Draft) -> None:
    """Pin apps that are installed in a team as tabs of its channels."""
    team = own_team(draft)
    key = team["team_id"]
    places = channels(draft, team, count=1)
    free = (
        "SELECT a.* FROM teams_apps a WHERE a.org_id = ? AND NOT EXISTS (SELECT 1 FROM teams_channel_tabs b"
        " WHERE b.app_id = a.app_id AND b.channel_id = ? AND NOT b.soft_deleted) ORDER BY a.app_id"
    )
    apps = draft.some(free, draft.actor.scope, places[0]["channel_id"], count=min(draft.horizon, 4))
    for number, app in enumerate(apps):
        is_there = draft.value("SELECT count(*) FROM team_installed_apps WHERE team_id = ? AND app_id = ?", key, app["app_id"])
        is_missing = draft.is_infeasible and number == len(apps) - 1
        if is_there and is_missing:
            _uninstall(draft, key, app)
        if not is_there and not is_missing:
            draft.add("team_installed_apps", team_id=key, app_id=app["app_id"])
    _similar(draft, key, apps)
    names = [f"{draft.pick('Our', 'Team', 'The')} {app['display_name']}" for app in apps]
    urls = [f"https://apps.example/{app['external_id']}/{draft.draw.randrange(1000, 9999)}" for app in apps]
    whole = f"the channel {places[0]['display_name']} of the {told_team(draft, team)}"
    for app, name, url in zip(apps, names, urls, strict=True):
        where = whole if app is apps[0] else draft.pick("the same channel", "that channel, too,")
        draft.ask(
            f'Pin the app "{app["display_name"]}" as a tab "{name}" in {where}; it shows {url}.',
            f'In {where} add a tab "{name}" with the app "{app["display_name"]}" that opens {url}.',
        )
    draft.loosen("teams_channel_tabs", "configuration")
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{apps[-1]['display_name']} is not installed in the team (TEAMS-TAB-APP).")
    find_team(draft, team)
    draft.look("list_channels", teamId=key)
    draft.look("list_installed_apps", teamId=key, _expand="teamsApp")
    for app, name, url in zip(apps, names, urls, strict=True):
        draft.do(
            "add_tabs_to_channels",
            teamId=key,
            channelId=places[0]["channel_id"],
            displayName=name,
            teamsApp_odata_bind=bind(app["app_id"], "teamsApps"),
            configuration={"contentUrl": url},
        )


def _uninstall(draft: Draft, team: str, app: Row) -> None:
    """Have an app not be installed in a team, nor pinned there."""
    if draft.value(
        "SELECT count(*) FROM teams_channel_tabs b JOIN channels c USING (channel_id) WHERE c.team_id = ? AND b.app_id = ?",
        team,
        app["app_id"],
    ):
        raise Unfit("the app is pinned somewhere")
    row = draft.one("SELECT id FROM team_installed_apps WHERE team_id = ? AND app_id = ? ORDER BY id", team, app["app_id"])
    draft.remove("team_installed_apps", row["id"])


def _similar(draft: Draft, team: str, apps: list[Row]) -> None:
    """Where a trap is wanted, install an app of a similar name too."""
    app = apps[0]
    if not draft.wants_trap("similar_name"):
        return
    other = draft.add("teams_apps", display_name=f"{app['display_name']} (old)", distribution_method="organization")
    draft.add("team_installed_apps", team_id=team, app_id=other["app_id"])
    draft.trap("similar_name", bind(app["app_id"], "teamsApps"), bind(other["app_id"], "teamsApps"))


@template("teams", roles=("admin", "member"), traps=("namesake",), blocked=("policy_conflict", "missing_record", "no_permission"))
def announce(draft: Draft) -> None:
    """Announce something in channels, with a subject, an importance, and a mention of who answers questions."""
    team = own_team(draft, "(SELECT count(*) FROM channels c WHERE c.team_id = t.team_id AND NOT c.is_archived) > 2")
    key = team["team_id"]
    count = draft.value(
        "SELECT count(*) FROM channels WHERE team_id = ? AND NOT is_archived AND NOT is_primary AND membership_type = 'standard'",
        key,
    )
    places = channels(draft, team, count=min(draft.horizon, count))
    obstacle = _obstacle(draft, places[-1]) if draft.is_infeasible else None
    (contact,) = members(draft, team, count=1)
    namesake(draft, [contact], as_bind=False)
    note, subject, importance = draft.pick(*_NOTES), draft.pick(*stock.SUBJECTS), draft.pick("high", "urgent")
    urgency = {"high": ("of high importance", "marked as important (high)"), "urgent": ("urgent", "marked urgent")}[importance]
    where = draft.listed([place["display_name"] for place in places])
    noun = "channel" if len(places) == 1 else "channels"
    draft.ask(
        f'Tell the {noun} {where} of the {told_team(draft, team)} that {note}: subject "{subject}", {draft.pick(*urgency)}, and'
        f" mention {person(draft, contact)}, who answers questions.",
        f'Post a message {draft.pick(*urgency)} with the subject "{subject}" in the {noun} {where} of the'
        f" {told_team(draft, team)}: {note}. Mention {person(draft, contact)} in it.",
    )
    draft.loosen("channel_messages", "body_json", holding=_NOTES[note])
    draft.loosen("channel_messages", "mentions", holding=contact["user_id"])
    if obstacle is not None:
        draft.block(obstacle[0], why=obstacle[1])
    find_team(draft, team)
    draft.look("list_channels", teamId=key)
    find_user(draft, contact)
    for place in places:
        draft.do(
            "send_channel_message",
            teamId=key,
            channelId=place["channel_id"],
            subject=subject,
            importance=importance,
            body=body(f"{note[0].upper()}{note[1:]}."),
            mentions=[{"id": 0, "mentionText": contact["display_name"], "mentioned": {"user": {"id": contact["user_id"]}}}],
        )


def _obstacle(draft: Draft, place: Row) -> tuple[Reason, str]:
    """Let a channel not be written in: it is archived, it is not there, or who asks is a guest."""
    key, name = place["channel_id"], place["display_name"]
    guests = draft.rows(
        "SELECT m.user_id FROM team_members m JOIN teams_users u USING (user_id) WHERE m.team_id = ? AND NOT m.soft_deleted"
        " AND u.user_type = 'Guest' AND u.account_enabled ORDER BY m.membership_id",
        place["team_id"],
    )
    kind = draft.pick("archived", "missing", "guest") if guests else draft.pick("archived", "missing")
    if kind == "guest":
        draft.act_as(draft.pick(*guests)["user_id"])
        return "no_permission", "Guests only read (RIGHTS)."
    if kind == "missing":
        draft.change("channels", key, display_name=f"{name} 2")
        return "missing_record", f"The team has no channel {name}."
    draft.change("channels", key, is_archived=True)
    return "policy_conflict", f"The channel {name} is archived (TEAMS-MSG-ARCHIVED)."


@template("teams", roles=("admin", "member"), traps=("other_channel",), blocked=("policy_conflict",))
def wind_up_channel(draft: Draft) -> None:
    """Wind up a channel: unpin its tabs, say goodbye, and archive it, after which it is read-only."""
    team = own_team(draft)
    (place,) = channels(draft, team, count=1)
    if draft.is_infeasible:
        place = draft.one("SELECT * FROM channels WHERE team_id = ? AND is_primary ORDER BY channel_id", team["team_id"])
    key, channel = team["team_id"], place["channel_id"]
    tabs = draft.rows("SELECT * FROM teams_channel_tabs WHERE channel_id = ? AND NOT soft_deleted ORDER BY tab_id", channel)
    while len(tabs) < min(draft.horizon, 3):
        sql = (
            "SELECT i.* FROM team_installed_apps i WHERE i.team_id = ? AND i.app_id NOT IN (SELECT app_id FROM"
            " teams_channel_tabs WHERE channel_id = ?) ORDER BY i.id"
        )
        app = draft.one(sql, key, channel)["app_id"]
        name = draft.value("SELECT display_name FROM teams_apps WHERE app_id = ?", app)
        tabs.append(draft.add("teams_channel_tabs", channel_id=channel, display_name=name, app_id=app, configuration={}))
    if not draft.is_infeasible and draft.wants_trap("other_channel"):
        other = draft.one(
            "SELECT c.* FROM channels c JOIN teams t USING (team_id) WHERE c.org_id = ? AND c.team_id <> ? AND NOT c.is_archived"
            " AND NOT t.is_archived AND c.channel_id <> ? AND NOT EXISTS (SELECT 1 FROM channels d WHERE d.team_id = c.team_id"
            " AND d.display_name = ?) AND NOT c.is_primary ORDER BY c.channel_id",
            draft.actor.scope,
            key,
            channel,
            place["display_name"],
        )
        draft.change("channels", other["channel_id"], display_name=place["display_name"])
        draft.trap("other_channel", key, other["team_id"])
        draft.trap("other_channel", channel, other["channel_id"])
    draft.ask(
        f"The channel {place['display_name']} of the {told_team(draft, team)} has served its purpose: unpin all of its tabs, post"
        ' a last message with the subject "Goodbye", and archive it.',
        f"Please close the channel {place['display_name']} in the {told_team(draft, team)}: remove every tab, thank everybody in"
        ' a message with the subject "Goodbye", then archive the channel.',
    )
    draft.loosen("channel_messages", "body_json")
    if draft.is_infeasible:
        draft.block("policy_conflict", why="The primary channel of a team is not archived (TEAMS-CHN-PRIMARY).")
    find_team(draft, team)
    draft.look("list_channels", teamId=key)
    draft.look("list_tabs_in_channel", teamId=key, channelId=channel)
    for tab in tabs:
        draft.do("delete_channel_tab", teamId=key, channelId=channel, tabId=tab["tab_id"])
    draft.do("send_channel_message", teamId=key, channelId=channel, subject="Goodbye", body=body("Thanks to all of you."))
    draft.do("archive_channel", teamId=key, channelId=channel)


@template("teams", roles=("admin", "member"), blocked=("policy_conflict",))
def give_addresses(draft: Draft) -> None:
    """Give channels e-mail addresses and tell them."""
    team = own_team(draft)
    key = team["team_id"]
    sql = (
        "SELECT count(*) FROM channels WHERE team_id = ? AND NOT is_archived AND NOT is_primary AND membership_type = 'standard'"
    )
    places = channels(
        draft, team, "email IS NULL", count=min(draft.horizon, max(1, draft.value(sql + " AND email IS NULL", key)))
    )
    if draft.is_infeasible:
        draft.change("channels", places[-1]["channel_id"], is_archived=True)
    where = draft.listed([place["display_name"] for place in places])
    noun, what = ("channel", "an e-mail address") if len(places) == 1 else ("channels", "an e-mail address each")
    draft.ask(
        f"Give the {noun} {where} of the {told_team(draft, team)} {what}, and tell me what to write to.",
        f"The {noun} {where} in the {told_team(draft, team)} should be reachable by mail. Set that up and answer with"
        f" {'the address' if len(places) == 1 else 'the addresses'}.",
    )
    draft.loosen("channels", "email")
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"The channel {places[-1]['display_name']} is archived (TEAMS-CHN-ARCHIVED).")
    find_team(draft, team)
    draft.look("list_channels", teamId=key)
    found = [draft.do("provision_channel_email", teamId=key, channelId=place["channel_id"])["email"] for place in places]
    draft.answer(*found)


@template("teams", roles=("admin", "member"), traps=("same_subject",), blocked=("policy_conflict",))
def restore_messages(draft: Draft) -> None:
    """Bring back messages that were deleted by mistake."""
    team = own_team(draft, "json_extract(t.messaging_settings, '$.allowOwnerDeleteMessages')")
    key = team["team_id"]
    (place,) = channels(draft, team, count=1)
    why = f"The channel {place['display_name']} is archived (TEAMS-MSG-ARCHIVED)."
    if draft.is_infeasible and draft.actor.role != "member":
        draft.change("channels", place["channel_id"], is_archived=True)
    chosen = []
    subjects = draft.draw.sample(stock.SUBJECTS, min(draft.horizon, 5))
    for subject in subjects:
        (author,) = members(draft, team, count=1)
        day = draft.now - dt.timedelta(days=draft.draw.randrange(3, 40))
        values = {"channel_id": place["channel_id"], "from_user_id": author["user_id"], "subject": f"{subject} ({day:%B})"}
        line = body(draft.pick(*stock.LINES))
        if subject == subjects[0] and draft.wants_trap("same_subject"):
            (other,) = members(draft, team, count=1, outside=f"u.user_id <> '{author['user_id']}'")
            wrong = draft.add("channel_messages", at=day, **(values | {"from_user_id": other["user_id"]}), body_json=line)
            draft.change("channel_messages", wrong["message_id"], soft_deleted=True, deleted_at=day)
            row = draft.add("channel_messages", at=day, **values, body_json=line)
            draft.trap("same_subject", row["message_id"], wrong["message_id"])
        else:
            row = draft.add("channel_messages", at=day, **values, body_json=line)
        draft.change("channel_messages", row["message_id"], soft_deleted=True, deleted_at=day)
        chosen.append((row, author))
    if draft.is_infeasible and draft.actor.role == "member":
        settings = {"allowUserDeleteMessages": True, "allowOwnerDeleteMessages": False, "allowUserEditMessages": True}
        draft.change("teams", key, messaging_settings=settings)
        why = "The team's settings do not let its owners do that (TEAMS-MSG-DELETE)."
    whole = f"the channel {place['display_name']} of the {told_team(draft, team)}"
    for row, author in chosen:
        where = whole if row is chosen[0][0] else "the same channel"
        draft.ask(
            f'Bring back the message "{row["subject"]}" that {person(draft, author)} wrote in {where}; it was deleted'
            " by mistake.",
            f'In {where}, the message "{row["subject"]}" by {person(draft, author)} should not have been deleted: restore it.',
        )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=why)
    find_team(draft, team)
    draft.look("list_channels", teamId=key)
    draft.look("list_channel_messages", teamId=key, channelId=place["channel_id"], _top=50)
    for row, _ in chosen:
        draft.do("undo_soft_delete_channel_message", teamId=key, channelId=place["channel_id"], messageId=row["message_id"])


TEMPLATES = (open_private_channel, pin_tabs, announce, wind_up_channel, give_addresses, restore_messages)
