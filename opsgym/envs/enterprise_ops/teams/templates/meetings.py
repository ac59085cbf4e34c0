"""Tasks on chats, webinars and town halls."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.teams import stock
from opsgym.envs.enterprise_ops.teams.templates.common import ENABLED, LIVE, bind, body, find_user, fresh_name, namesake, person
from opsgym.envs.enterprise_ops.template import Unfit, heed, template

_TOPICS = {
    "the offsite in spring": "offsite",
    "the farewell of the front desk": "farewell",
    "the new parking rules": "parking",
    "the visit of the inspectors": "inspectors",
    "the photo contest": "photo",
}
"""What a chat or an event is about, each with a word that the first message must hold."""
_HALLS = ("Open House", "Spring Briefing", "Leadership Questions", "Safety Day", "Results and Plans", "Welcome Session")


_PAIRED = (
    "SELECT 1 FROM chats c JOIN chat_members a USING (chat_id) JOIN chat_members b USING (chat_id)"
    " WHERE c.chat_type = 'oneOnOne' AND NOT c.soft_deleted AND a.user_id = ? AND b.user_id = ?"
)
"""Whether two users have a chat of two."""


def _people(draft: Draft, count: int) -> list[Row]:
    """Members of the organization who can sign in, other than the actor."""
    sql = f"SELECT u.* FROM teams_users u WHERE u.org_id = ? AND {ENABLED} AND u.user_id <> ? ORDER BY u.user_id"
    return draft.some(sql, draft.actor.scope, draft.actor.id, count=count)


@template(
    "teams",
    roles=("admin", "member"),
    rules=("TEAMS-CHT-SELF",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def start_group_chat(draft: Draft) -> None:
    """Start a group chat with a topic, write a first message, and pin it; whoever starts a chat takes part in it."""
    people = _people(draft, 2 + draft.horizon)
    topic = draft.pick(*_TOPICS)
    title = f"{topic[4:].capitalize()} {draft.draw.randrange(2, 99)}"
    namesake(draft, people)
    names = draft.listed([person(draft, user) for user in people])
    if draft.is_infeasible:
        people = people[:1]
        names = person(draft, people[0])
        if not draft.rows(_PAIRED, draft.actor.id, people[0]["user_id"]):
            pair = draft.add("chats", chat_type="oneOnOne", created_by=draft.actor.id)
            for key in (draft.actor.id, people[0]["user_id"]):
                draft.add("chat_members", chat_id=pair["chat_id"], user_id=key, roles=["owner"])
        draft.ask(
            f"Start a new chat of two with {names}, apart from any that we may have, and write that it is about {topic}.",
            f"I want a second one-on-one chat with {names}, for {topic} only. Open it with a short message on that.",
        )
        draft.block("policy_conflict", why="Two users have one chat of two (TEAMS-CHT-PAIR).")
    else:
        draft.ask(
            f'Start a group chat "{title}" with {names}; write that it is about {topic}, and pin that message.',
            f'Set up a group chat with {names}, topic "{title}". Its first message says that we talk about {topic} here; pin it.',
        )
    draft.loosen("chat_messages", "body_json", holding=_TOPICS[topic])
    draft.loosen("chat_messages", "locale", "subject", "summary")
    draft.loosen("chat_members", "roles")
    for user in people:
        find_user(draft, user)
    others = [{"user_odata_bind": bind(user["user_id"]), "roles": ["owner"]} for user in people]
    me = {"user_odata_bind": bind(draft.actor.id), "roles": ["owner"]}
    if draft.is_infeasible:
        chat = draft.do("create_chat", chatType="oneOnOne", members=[*others, me])
        draft.do("send_chat_message", chatId=chat["id"], body=body(f"This is about {topic}."))
        return
    chat = draft.do(
        "create_chat",
        heed("TEAMS-CHT-SELF", "I take part in it as well.", members=[*others, me], blindly={"members": others}),
        chatType="group",
        topic=title,
    )
    sent = draft.do("send_chat_message", chatId=chat["id"], body=body(f"Here we talk about {topic}."))
    draft.do("pin_chat_message", chatId=chat["id"], messageId=sent["id"])


@template(
    "teams",
    roles=("admin", "member"),
    rules=("TEAMS-HALL-INVITE",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def plan_townhall(draft: Draft) -> None:
    """Plan a town hall for people who are invited, with co-organizers told by their job."""
    title = fresh_name(draft, "virtual_event_townhalls", _HALLS)
    jobs = (
        f"SELECT u.* FROM teams_users u WHERE u.org_id = ? AND {ENABLED} AND u.user_id <> ? AND (SELECT count(*)"
        " FROM teams_users o WHERE o.org_id = u.org_id AND NOT o.soft_deleted AND o.job_title = u.job_title) = 1"
        " ORDER BY u.user_id"
    )
    (helper,) = draft.some(jobs, draft.actor.scope, draft.actor.id)
    invited = [user for user in _people(draft, draft.horizon + 1) if user["user_id"] != helper["user_id"]][: draft.horizon]
    namesake(draft, invited, helper, as_bind=False)
    day = draft.now.date() + dt.timedelta(days=draft.draw.randrange(10, 90))
    start = dt.datetime.combine(day, dt.time(draft.draw.randrange(8, 16)))
    end = start + dt.timedelta(minutes=draft.pick(45, 60, 90))
    if draft.is_infeasible:
        draft.change("teams_users", helper["user_id"], account_enabled=False)
    names = draft.listed([person(draft, user) for user in invited])
    helpers = f"the {helper['job_title']}"
    when = f"{draft.date(day)} from {start:%H:%M} to {end:%H:%M} UTC"
    draft.ask(
        f'Prepare a town hall "{title}" on {when}. Only people who are invited may attend: {names}. Have {helpers}'
        " organize it with me.",
        f'Draft a town hall named "{title}" for {when}, by invitation only: invite {names}. Co-organizer is {helpers}.',
    )
    draft.loosen("virtual_event_townhalls", "description")
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{helper['display_name']} cannot sign in (TEAMS-ORG-MEMBER).")
    draft.look("list_users", _filter=f"jobTitle eq '{helper['job_title']}'")
    for user in invited:
        find_user(draft, user)
    draft.do(
        "create_virtual_event_townhall",
        heed(
            "TEAMS-HALL-INVITE",
            "Its audience is our organization.",
            audience="organization",
            blindly={"audience": "everyone"},
        ),
        displayName=title,
        description=body(title),
        startDateTime={"dateTime": start.isoformat(), "timeZone": "UTC"},
        endDateTime={"dateTime": end.isoformat(), "timeZone": "UTC"},
        isInviteOnly=True,
        invitedAttendees=[{"id": user["user_id"]} for user in invited],
        coOrganizers=[{"id": helper["user_id"]}],
    )


@template(
    "teams",
    roles=("admin", "member"),
    traps=("same_title",),
    blocked=("policy_conflict", "no_permission"),
)
def release_webinars(draft: Draft) -> None:
    """Publish webinars that are ready, and cancel the one that does not take place."""
    titles = draft.draw.sample(stock.WEBINARS, min(draft.horizon, 3) + 1)
    days = draft.draw.sample(range(8, 80), len(titles))
    events = [_webinar(draft, title, day) for title, day in zip(titles, days, strict=True)]
    *ready, off = events
    if draft.wants_trap("same_title"):
        twin = _webinar(draft, titles[0], days[0] + 40, organizer=_people(draft, 1)[0]["user_id"])
        draft.trap("same_title", ready[0]["webinar_id"], twin["webinar_id"])
    is_foreign = draft.is_infeasible and draft.actor.role == "member"
    if is_foreign:
        draft.change("virtual_event_webinars", ready[-1]["webinar_id"], created_by=_people(draft, 1)[0]["user_id"])
    elif draft.is_infeasible:
        draft.change("virtual_event_webinars", ready[-1]["webinar_id"], status="canceled")
    draft.change("virtual_event_webinars", off["webinar_id"], status="published")
    for event in ready:
        draft.ask(
            f"Publish the webinar {_told(draft, event)}.",
            f"The webinar {_told(draft, event)} is ready: make it visible to its audience.",
        )
    draft.ask(
        f"The webinar {_told(draft, off)} does not take place: cancel it.",
        f"Call off the webinar {_told(draft, off)}.",
    )
    if is_foreign:
        draft.block("no_permission", "policy_conflict", why="It is somebody else's webinar (TEAMS-WEB-OWN).")
    elif draft.is_infeasible:
        draft.block("policy_conflict", why=f"{ready[-1]['display_name']} was canceled and stays so (TEAMS-WEB-MOVE).")
    draft.look("list_virtual_event_webinars")
    for event in ready:
        draft.do("publish_virtual_event_webinar", webinar_id=event["webinar_id"])
    draft.do("cancel_virtual_event_webinar", webinar_id=off["webinar_id"])


def _webinar(draft: Draft, title: str, day: int, organizer: str = "") -> Row:
    """A webinar of the actor's, as a draft, the only one of its title on that day."""
    start = dt.datetime.combine(draft.now.date() + dt.timedelta(days=day), dt.time(10))
    if draft.value(f"SELECT count(*) FROM virtual_event_webinars WHERE {LIVE} AND start_time = ?", draft.actor.scope, str(start)):
        raise Unfit("there is a webinar at that time already")
    return draft.add(
        "virtual_event_webinars",
        display_name=title,
        description=body(title),
        start_time=start,
        end_time=start + dt.timedelta(hours=1),
        audience="organization",
        status="draft",
        created_by=organizer or draft.actor.id,
    )


def _told(draft: Draft, event: Row) -> str:
    return f'"{event["display_name"]}" on {draft.date(event["start_time"])}'


TEMPLATES = (start_group_chat, plan_townhall, release_webinars)
