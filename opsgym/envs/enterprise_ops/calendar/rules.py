"""Policy of Calendar: rights of accounts, and rules on events, guests, access and channels.

Source: the published release gives Calendar a short text for administrators only; rules on access follow the public service's
documentation, those on guests, rooms, agendas and channels are ours.
"""

from __future__ import annotations

from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Rule
from opsgym.core.records.sight import Sight
from opsgym.envs.enterprise_ops.calendar.access import ACTOR_DOMAIN, ACTOR_EMAIL, lacks, may
from opsgym.envs.enterprise_ops.calendar.words import ACL_ROLES

RIGHTS = Rights(
    {
        "admin": {"*": "crud"},
        "user": {**dict.fromkeys(("events", "calendars", "calendar_list", "acl", "channels", "settings"), "crud"), "*": "read"},
        "assistant": {"events": "crud", "calendar_list": "crud", "channels": "crud", "*": "read"},
        "auditor": {"channels": "crud", "*": "read"},
    }
)
"""What kinds of accounts may do at all; what one may do with a single calendar is in the rules."""

_SEEING = ("user", "assistant", "auditor")

SIGHTS = tuple(
    Sight(f"CAL-SEE-{short}-{role.upper()}", f"An account of role {role} sees only {sentence}.", role, table, condition)
    for role in _SEEING
    for short, table, sentence, condition in (
        ("CAL", "calendars", "calendars on which it has at least the role freeBusyReader", may("calendars.id", "freeBusyReader")),
        ("EVENT", "events", "events of calendars on which it has at least the role reader", may("events.calendar_id", "reader")),
        ("ACL", "acl_rules", "access rules of calendars that it owns", may("acl_rules.calendar_id", "owner")),
        ("LIST", "calendar_list_entries", "its own list of calendars", "calendar_list_entries.user_id = :actor"),
        ("SET", "settings", "its own settings", "settings.user_id = :actor"),
    )
)


def _domain(email: str) -> str:
    return f"substr({email}, instr({email}, '@') + 1)"


_LEVEL = "CASE {} " + " ".join(f"WHEN '{role}' THEN {number}" for number, role in enumerate(ACL_ROLES)) + " END"
_EVENT = "SELECT 1 FROM events e WHERE e.id = new.event_id"
_OUTSIDE = f"new.email IS NOT old.email AND NOT new.resource AND {_domain('new.email')} IS NOT {ACTOR_DOMAIN}"
_SCOPE = "SELECT 1 FROM acl_scopes s WHERE s.id = new.scope_id"
_CHANGED = " OR ".join(
    f"new.{name} IS NOT old.{name}"
    for name in ("calendar_id", "summary", "start_datetime", "start_date", "end_datetime", "end_date", "recurrence", "status")
)
_MEETING = "SELECT count(*) FROM event_attendees a WHERE a.event_id = new.event_id AND NOT a.resource"

_ROOM_TAKEN = (
    "(new.start_datetime IS NOT old.start_datetime OR new.end_datetime IS NOT old.end_datetime) AND new.status <> 'cancelled'"
    " AND EXISTS (SELECT 1 FROM event_attendees m JOIN event_attendees a ON a.email = m.email JOIN events o"
    " ON o.id = a.event_id WHERE m.event_id = new.id AND m.resource AND m.response_status <> 'declined' AND o.id <> new.id"
    " AND a.response_status <> 'declined' AND o.status <> 'cancelled' AND o.start_datetime < new.end_datetime"
    " AND new.start_datetime < o.end_datetime)"
)
_OWNER_LOWERED = (
    "old.role = 'owner' AND (new.role <> 'owner' OR new.deleted) AND EXISTS (SELECT 1 FROM acl_scopes s"
    " JOIN users u ON u.email = s.value JOIN calendars k ON k.owner_id = u.id"
    " WHERE s.id = old.scope_id AND k.id = old.calendar_id)"
)

_EVENTS = (
    Rule(
        "CAL-WRITE",
        "Events are created and changed only by those who have at least the role writer on the calendar.",
        "events",
        lacks("new.calendar_id", "writer"),
        "0",
    ),
    Rule(
        "CAL-LEAVE",
        "An event is moved away or deleted only by those who have at least the role writer on the calendar it is in.",
        "events",
        f"new.calendar_id <> old.calendar_id AND {lacks('old.calendar_id', 'writer')}",
        "0",
        on=("update",),
    ),
    Rule(
        "CAL-DELETE",
        "Events are deleted only by those who have at least the role writer on the calendar.",
        "events",
        lacks("old.calendar_id", "writer"),
        "0",
        on=("delete",),
    ),
    Rule(
        "CAL-PAST",
        "A new event starts later than now; what is imported from elsewhere may be over.",
        "events",
        "coalesce(new.start_datetime, new.start_date || ' 23:59:59') < :now AND new.ical_uid LIKE '%@calendar.example'"
        " AND new.recurring_event_id IS NULL",
        "coalesce(new.start_datetime, new.start_date || ' 23:59:59') < :start AND new.ical_uid LIKE '%@calendar.example'"
        " AND new.recurring_event_id IS NULL",
        on=("create",),
    ),
    Rule(
        "CAL-ORGANIZER",
        "An event whose organizer is somebody else is changed, cancelled or moved only where guests may modify it or by the"
        " calendar's owner.",
        "events",
        f":role <> 'admin' AND old.organizer_email IS NOT {ACTOR_EMAIL} AND NOT old.guests_can_modify"
        f" AND NOT {may('old.calendar_id', 'owner')} AND ({_CHANGED})",
        on=("update",),
    ),
    Rule(
        "CAL-LOCKED",
        "A locked event is not changed before it is unlocked, which only its organizer or an admin does.",
        "events",
        f"old.locked AND (new.locked AND ({_CHANGED})"
        f" OR NOT new.locked AND :role <> 'admin' AND old.organizer_email IS NOT {ACTOR_EMAIL})",
        "0",
        on=("update",),
    ),
    Rule(
        "CAL-LOCKED-DELETE",
        "A locked event is not deleted.",
        "events",
        "old.locked AND EXISTS (SELECT 1 FROM calendars k WHERE k.id = old.calendar_id)",
        "0",
        on=("delete",),
    ),
    Rule(
        "CAL-TYPE",
        "Out-of-office, focus-time, birthday and working-location events are only in primary calendars.",
        "events",
        "new.event_type <> 'default' AND NOT (SELECT k.is_primary FROM calendars k WHERE k.id = new.calendar_id)",
    ),
    Rule(
        "CAL-FOCUS-BUSY",
        "Out-of-office and focus-time events take up time: they are opaque.",
        "events",
        "new.event_type IN ('outOfOffice', 'focusTime') AND new.transparency <> 'opaque'",
    ),
)

_GUESTS = (
    Rule(
        "CAL-GUEST-LIST",
        "Where somebody from outside your own domain is invited, guests do not see other guests.",
        "event_attendees",
        None,
        f"{_OUTSIDE} AND EXISTS ({_EVENT} AND e.guests_can_see_other_guests)",
        section="guests",
    ),
    Rule(
        "CAL-CONFIDENTIAL",
        "Nobody from outside your own domain is invited to an event whose visibility is private or confidential.",
        "event_attendees",
        f"{_OUTSIDE} AND EXISTS ({_EVENT} AND e.visibility IN ('private', 'confidential'))",
        section="guests",
    ),
    Rule(
        "CAL-AGENDA",
        "A meeting to which five people or more are invited has a description.",
        "event_attendees",
        None,
        f"new.email IS NOT old.email AND ({_MEETING}) >= 5 AND EXISTS ({_EVENT} AND coalesce(e.description, '') = '')",
        section="guests",
    ),
    Rule(
        "CAL-REMOTE",
        "A meeting with somebody of your domain whose time zone is not yours has conference data.",
        "event_attendees",
        None,
        "new.email IS NOT old.email AND NOT new.resource AND EXISTS (SELECT 1 FROM users u WHERE u.email = new.email"
        " AND u.timezone <> (SELECT m.timezone FROM users m WHERE m.id = :actor)) AND NOT EXISTS"
        " (SELECT 1 FROM event_conference c WHERE c.event_id = new.event_id)",
        section="guests",
    ),
    Rule(
        "CAL-ROOM",
        "A room is invited to one single event at a time.",
        "event_attendees",
        "new.resource AND new.response_status <> 'declined' AND EXISTS (SELECT 1 FROM events e JOIN event_attendees a"
        " ON a.email = new.email JOIN events o ON o.id = a.event_id WHERE e.id = new.event_id AND o.id <> e.id"
        " AND a.response_status <> 'declined' AND e.status <> 'cancelled' AND o.status <> 'cancelled'"
        " AND o.start_datetime < e.end_datetime AND e.start_datetime < o.end_datetime)",
        section="guests",
    ),
    Rule(
        "CAL-ROOM-MOVE",
        "An event is not moved to a time at which one of its rooms is taken.",
        "events",
        _ROOM_TAKEN,
        end=_ROOM_TAKEN,  # a collision on the way counts too
        on=("update",),
        section="guests",
    ),
    Rule(
        "CAL-ANSWER",
        "Nobody answers for somebody else: an attendee's answer changes only by themselves or an admin; new guests have not"
        " answered yet, but the organizer and rooms.",
        "event_attendees",
        f":role <> 'admin' AND NOT new.resource AND new.email IS NOT {ACTOR_EMAIL}"
        " AND new.response_status <> coalesce(old.response_status, 'needsAction')",
        section="guests",
    ),
)

_CALENDARS = (
    Rule("CAL-META", "A calendar is changed only by its owners.", "calendars", lacks("new.id", "owner"), "0", on=("update",)),
    Rule(
        "CAL-DROP",
        "A secondary calendar is deleted only by the user who owns it or an admin.",
        "calendars",
        ":role <> 'admin' AND old.owner_id <> :actor",
        on=("delete",),
    ),
    Rule(
        "CAL-DROP-AHEAD",
        "A calendar is deleted only when no event with guests lies ahead in it.",
        "calendars",
        "EXISTS (SELECT 1 FROM events e JOIN event_attendees a ON a.event_id = e.id WHERE e.calendar_id = old.id"
        " AND e.status <> 'cancelled' AND coalesce(e.start_datetime, e.start_date) > :now)",
        "0",
        on=("delete",),
    ),
)

_ACCESS = (
    Rule(
        "CAL-ACL",
        "Access to a calendar is given, changed and taken away only by its owners.",
        "acl_rules",
        lacks("new.calendar_id", "owner"),
        "0",
        section="acl",
    ),
    Rule(
        "CAL-ACL-PUBLIC",
        "Everybody (scope default) has at most the role freeBusyReader.",
        "acl_rules",
        f"{_LEVEL.format('new.role')} > 1 AND EXISTS ({_SCOPE} AND s.type = 'default')",
        section="acl",
    ),
    Rule(
        "CAL-ACL-OUTSIDE",
        "Users and domains outside your own domain have at most the role reader, on your primary calendar freeBusyReader.",
        "acl_rules",
        f"new.role IS NOT old.role AND EXISTS ({_SCOPE} AND s.type IN ('user', 'domain')"
        f" AND {_domain('s.value')} IS NOT {ACTOR_DOMAIN} AND s.value IS NOT {ACTOR_DOMAIN})"
        f" AND {_LEVEL.format('new.role')} > CASE (SELECT k.is_primary FROM calendars k WHERE k.id = new.calendar_id)"
        " WHEN 1 THEN 1 ELSE 2 END",
        section="acl",
    ),
    Rule(
        "CAL-ACL-KEEP",
        "The access of the user who owns the calendar is neither taken away nor lowered.",
        "acl_rules",
        _OWNER_LOWERED,
        end=_OWNER_LOWERED,  # a loss on the way counts too
        on=("update",),
        section="acl",
    ),
)

_CHANNELS = (
    Rule(
        "CAL-WATCH-ADDRESS",
        "The address of a channel starts with https://.",
        "watch_channels",
        "new.address NOT LIKE 'https://%'",
        section="channels",
    ),
    Rule(
        "CAL-WATCH-TTL",
        "A channel ends at most sixty days after it is set up.",
        "watch_channels",
        "julianday(new.expiration) - julianday(:now) > 60 + 1e-6",
        "julianday(new.expiration) - julianday(:now) > 60 + 1e-6",
        on=("create",),
        section="channels",
    ),
)

RULES = (*_EVENTS, *_GUESTS, *_CALENDARS, *_ACCESS, *_CHANNELS)

NOTES = {
    "conduct": (
        "Look up what is not given, once for each kind of record; never make up an id, a colour or an address.",
        "If a request breaks a rule, refuse it, change nothing, and name the rule.",
        "Where several records fit a description equally well, the request is ambiguous.",
    ),
    "events": (
        "Times without a zone are in the calendar's own. Free and busy count confirmed events that are opaque.",
        "A recurring event is changed as a whole by its id, a single occurrence by the id that the list of instances gives.",
    ),
    "calendars": (
        "A primary calendar has its user's address as its id; it can be cleared, but not deleted.",
        "A new calendar is on nobody's list of calendars until it is added to it.",
    ),
}
