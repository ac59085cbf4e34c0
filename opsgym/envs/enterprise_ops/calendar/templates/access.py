"""Tasks on calendars and who has access to them."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.calendar import words
from opsgym.envs.enterprise_ops.calendar.stock import PROJECTS
from opsgym.envs.enterprise_ops.calendar.templates.common import colleagues, outsider, person, sign_in
from opsgym.envs.enterprise_ops.calendar.zones import ZONES
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import template

_ROLES = {
    "writer": ("may change events", "gets the role of writer"),
    "reader": ("may read it", "gets the role of reader"),
    "freeBusyReader": ("only sees when it is busy", "sees free and busy times, but nothing else"),
}
_ZONES = tuple(name for name in ZONES if name != "UTC")


@template("calendar", roles=("user",), traps=("namesake",), blocked=("policy_conflict",))
def set_up_calendar(draft: Draft) -> None:
    """Set up a calendar with colour, reminder and notification, let colleagues in, and watch it for some days."""
    zone, title = draft.pick(*_ZONES), f"{draft.pick('Tasks', 'Milestones', 'Shifts', 'Deadlines')} {draft.pick(*PROJECTS)}"
    about = draft.pick("All dates of the project.", "What is due when.", "Who is on duty.")
    colour = draft.draw.randrange(len(words.CALENDAR_COLOURS))
    minutes, days = draft.pick(10, 20, 35, 50), draft.draw.randrange(8, 60)
    guests = colleagues(draft, draft.horizon)
    roles = [draft.pick(*_ROLES) for _ in guests]
    if draft.wants_trap("namesake"):
        other = draft.one(
            "SELECT * FROM users WHERE auth_token IS NOT NULL AND id NOT IN (?, ?) ORDER BY id", draft.actor.id, guests[0]["id"]
        )
        draft.change("users", other["id"], display_name=guests[0]["display_name"])
        draft.trap("namesake", guests[0]["email"], other["email"])
    channel, address = f"watch-{title.lower().replace(' ', '-')}", f"https://hooks.{draft.company.home.domain}/calendar/new"
    draft.ask(
        f'Create a calendar "{title}" with the description "{about}" in the time zone {zone}.',
        f'I need a calendar named "{title}" (time zone {zone}), described as "{about}"',
    )
    draft.ask(
        f"Put it on my list in the colour {words.CALENDAR_COLOURS[colour][0]}, with a reminder by e-mail {minutes} minutes before"
        " events and an e-mail whenever an event is created.",
    )
    for guest, role in zip(guests, roles, strict=True):
        draft.ask(f"{person(draft, guest)} {draft.pick(*_ROLES[role])}.")
    days = days + 60 if draft.is_infeasible else days
    draft.ask(f'Its events are to be watched for {days} days by the channel "{channel}" at {address}.')
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"A channel stands for at most sixty days, not {days} (CAL-WATCH-TTL).")
    draft.look("get_colors")
    made = draft.do("create_calendar", summary=title, description=about, timeZone=zone)
    draft.do(
        "add_calendar_to_list",
        id=made["id"],
        colorId=str(colour + 1),
        defaultReminders=[{"method": "email", "minutes": minutes}],
        notificationSettings={"notifications": [{"type": "eventCreation", "method": "email"}]},
    )
    for guest, role in zip(guests, roles, strict=True):
        draft.do("insert_acl_rule", calendarId=made["id"], scope={"type": "user", "value": guest["email"]}, role=role)
    draft.do(
        "watch_events", calendarId=made["id"], id=channel, type="web_hook", address=address, params={"ttl": str(days * 24 * 3600)}
    )
    draft.loosen("watch_channels", "resource_id", "params")


@template("calendar", roles=("user",), blocked=("policy_conflict",))
def change_access(draft: Draft) -> None:
    """Take access to a calendar away from all but some, or change what they may do."""
    sign_in(draft, "SELECT k.owner_id FROM calendars k WHERE NOT k.is_primary")
    calendar = draft.one("SELECT * FROM calendars WHERE owner_id = ? AND NOT is_primary ORDER BY id", draft.actor.id)
    rules = _others(draft, calendar, draft.horizon)
    kept = draft.pick(*rules)
    role = draft.pick(*(name for name in _ROLES if name != kept["role"]))
    who = draft.row("users", draft.value("SELECT id FROM users WHERE email = ?", kept["value"]))
    draft.ask(
        f'Nobody but me and {person(draft, who)} is to have access to my calendar "{calendar["summary"]}" any more.',
        f'Take everybody off my calendar "{calendar["summary"]}", except {person(draft, who)} and me.',
    )
    words_for_role = draft.pick(*_ROLES[role])
    draft.ask(f"{person(draft, who)} {words_for_role} from now on.")
    if draft.is_infeasible:
        stranger = outsider(draft)
        draft.ask(f"Let {stranger} change events in it.")
        draft.block("policy_conflict", why=f"{stranger} is from outside and gets at most the role reader (CAL-ACL-OUTSIDE).")
    draft.look("get_calendar_list")
    draft.look("list_acl_rules", calendarId=calendar["id"])
    for rule in rules:
        if rule["id"] == kept["id"]:
            draft.do("patch_acl_rule", calendarId=calendar["id"], ruleId=rule["id"], role=role)
        else:
            draft.do("delete_acl_rule", calendarId=calendar["id"], ruleId=rule["id"])


def _others(draft: Draft, calendar: Row, more: int) -> list[Row]:
    """The access rules of a calendar but the owner's, of which some are added."""
    sql = (
        "SELECT r.*, s.value FROM acl_rules r JOIN acl_scopes s ON s.id = r.scope_id WHERE r.calendar_id = ? AND NOT r.deleted"
        " AND s.value <> ? ORDER BY r.id"
    )
    there = [row["value"] for row in draft.rows(sql, calendar["id"], draft.actor_email)]
    for guest in colleagues(draft, more):
        if guest["email"] not in there:
            scope = draft.value("SELECT id FROM acl_scopes WHERE type = 'user' AND value = ?", guest["email"])
            draft.add("acl_rules", calendar_id=calendar["id"], scope_id=scope, role=draft.pick("reader", "writer"))
    return draft.rows(sql, calendar["id"], draft.actor_email)


TEMPLATES = (set_up_calendar, change_access)
