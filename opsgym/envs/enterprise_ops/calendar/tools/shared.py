"""Terms of Calendar's tools, and what they have in common."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar import words
from opsgym.envs.enterprise_ops.calendar.tables.calendars import CALENDARS
from opsgym.envs.enterprise_ops.terms import Terms

Row = dict[str, Any]


class Time(TypedDict, total=False):
    """A start or an end: a time of day, or a day."""

    dateTime: str
    date: str
    timeZone: str


class Attachment(TypedDict, total=False):
    """A file that belongs to an event."""

    fileUrl: str


class Attendee(TypedDict, total=False):
    """Somebody, or a room, who is invited."""

    email: str
    displayName: str
    optional: bool
    resource: bool
    responseStatus: str
    comment: str
    additionalGuests: int


class Conference(TypedDict, total=False):
    """How to take part from elsewhere."""

    conferenceId: str
    conferenceSolution: dict[str, Any]
    createRequest: dict[str, Any]
    entryPoints: list[dict[str, Any]]
    notes: str
    signature: str


class ImportedConference(TypedDict, total=False):
    """The same, of an imported event."""

    createRequest: dict[str, Any]
    entryPoints: list[dict[str, Any]]
    conferenceSolution: dict[str, Any]
    conferenceId: str
    signature: str


class Birthday(TypedDict, total=False):
    """What kind of birthday it is."""

    type: str


class Extended(TypedDict, total=False):
    """Properties by key, for one copy of the event or for all."""

    private: dict[str, Any]
    shared: dict[str, Any]


class Focus(TypedDict, total=False):
    """What happens in focus time."""

    autoDeclineMode: str
    chatStatus: str
    declineMessage: str


class OutOfOffice(TypedDict, total=False):
    """What happens out of office."""

    autoDeclineMode: str
    declineMessage: str


class Reminder(TypedDict, total=False):
    """A reminder some minutes before."""

    method: str
    minutes: int


class Reminders(TypedDict, total=False):
    """Reminders of an event: the calendar's own, or others."""

    useDefault: bool
    overrides: list[Reminder]


class Source(TypedDict, total=False):
    """Where an event comes from."""

    url: str
    title: str


class WorkingLocation(TypedDict, total=False):
    """Where somebody works."""

    type: str
    customLocation: dict[str, Any]
    homeOffice: dict[str, Any]
    officeLocation: dict[str, Any]


class Organizer(TypedDict, total=False):
    """Who invites."""

    email: str
    displayName: str


class Conferences(TypedDict, total=False):
    """Kinds of conference that a calendar allows."""

    allowedConferenceSolutionTypes: list[str]


class Notice(TypedDict, total=False):
    """A notification of one kind."""

    type: str
    method: str


class Notices(TypedDict, total=False):
    """Notifications of a calendar."""

    notifications: list[Notice]


class Scope(TypedDict, total=False):
    """To whom an access rule speaks."""

    type: str
    value: str


class Parameters(TypedDict, total=False):
    """Parameters of a channel."""

    ttl: str


class Item(TypedDict, total=False):
    """A calendar that is asked about."""

    id: str


def within(least: int, most: int) -> Any:
    """An integer between two bounds."""
    return Annotated[int, Field(ge=least, le=most)]


def text(limit: int) -> Any:
    """Text of limited length."""
    return Annotated[str, Field(max_length=limit)]


URI = Annotated[str, Field(json_schema_extra={"format": "uri"})]
_NO_EFFECT = "Accepted; has no effect here."

TERMS = Terms(
    {
        "address": (str, "Where notifications are sent: an https:// address."),
        "attachments": (list[Attachment], "Files that belong to it."),
        "attendees": (list[Attendee], "Who is invited; the list replaces the one before."),
        "attendeesOmitted": (bool, _NO_EFFECT),
        "backgroundColor": (str, "Background, as #RRGGBB; only with colorRgbFormat."),
        "birthdayProperties": (Birthday, "What kind of birthday it is."),
        "calendarExpansionMax": (int, _NO_EFFECT),
        "calendarId": (str, "Id of the calendar; primary means your own."),
        "colorId": (str, "Id of a colour of get_colors."),
        "colorRgbFormat": (bool, "Whether colours are given as #RRGGBB."),
        "conferenceData": (Conference, "How to take part from elsewhere."),
        "conferenceDataVersion": (within(0, 1), _NO_EFFECT),
        "conferenceProperties": (Conferences, "Kinds of conference that it allows."),
        "defaultReminders": (list[Reminder], "Reminders of its events: objects with method (email, popup) and minutes."),
        "description": (str, "What it is about."),
        "destination": (str, "Id of the calendar to which it moves."),
        "email": (str, "Address of the user."),
        "end": (Time, "When it ends; of all-day events the day after the last."),
        "eventId": (str, "Id of the event, or of an instance."),
        "eventType": (Literal["default", "birthday", "outOfOffice", "focusTime", "workingLocation"], "What kind of event it is."),
        "eventTypes": (str, "Only these kinds; commas between."),
        "extendedProperties": (Extended, "Properties by key, for this copy (private) or for all (shared)."),
        "focusTimeProperties": (Focus, "What happens in focus time."),
        "foregroundColor": (str, "Foreground, as #RRGGBB; only with colorRgbFormat."),
        "groupExpansionMax": (int, _NO_EFFECT),
        "guestsCanInviteOthers": (bool, "Whether guests may invite others."),
        "guestsCanModify": (bool, "Whether guests may change it."),
        "guestsCanSeeOtherGuests": (bool, "Whether guests see who else is invited."),
        "hangoutLink": (str, _NO_EFFECT),
        "hidden": (bool, "Whether it is hidden from the list."),
        "iCalUID": (str, "Its id in all calendars."),
        "id": (str, "Its id."),
        "items": (list[Item], "The calendars: objects with id."),
        "location": (str, "Where it is."),
        "locked": (bool, "Whether it cannot be changed."),
        "maxAttendees": (int, "Greatest number of attendees that are shown."),
        "maxResults": (int, "Records on a page."),
        "minAccessRole": (
            Literal["freeBusyReader", "reader", "writer", "owner"],
            "Only calendars on which you have this role at least.",
        ),
        "notificationSettings": (Notices, "Notifications: objects with type (such as eventCreation) and method (email)."),
        "orderBy": (Literal["startTime", "updated"], "The order; startTime only with singleEvents."),
        "organizer": (Organizer, "Who invites."),
        "originalStart": (str, "Only the instance that the rule has start at this time."),
        "originalStartTime": (Time, "When the rule has it start; of exceptions."),
        "outOfOfficeProperties": (OutOfOffice, "What happens out of office."),
        "pageToken": (str, "The nextPageToken of the page before."),
        "params": (Parameters, "ttl: for how many seconds the channel stands; a week by default."),
        "privateCopy": (bool, _NO_EFFECT),
        "privateExtendedProperty": (str, "Only events with this private property, as key=value."),
        "q": (str, "Words that title, description, place or an attendee must hold."),
        "recurrence": (list[str], "Lines such as RRULE:FREQ=WEEKLY;COUNT=4."),
        "reminders": (Reminders, "Its reminders: useDefault, or overrides with method (email, popup) and minutes; at most five."),
        "role": (str, "One of none, freeBusyReader, reader, writer, owner."),
        "ruleId": (str, "Id of the access rule."),
        "scope": (Scope, "To whom it speaks: type (default, user, group, domain) and value."),
        "selected": (bool, "Whether its events are shown."),
        "sendNotifications": (bool, "Whether the grantee is told."),
        "sendUpdates": (str, "Who is told: all, externalOnly or none."),
        "sequence": (int, "Number of its version."),
        "settingId": (str, "Id of the setting."),
        "sharedExtendedProperty": (str, "Only events with this shared property, as key=value."),
        "showDeleted": (bool, "Give deleted ones too."),
        "showHidden": (bool, "Give hidden ones too."),
        "showHiddenInvitations": (bool, _NO_EFFECT),
        "singleEvents": (bool, "Spread recurring events out into instances."),
        "source": (Source, "Where it comes from."),
        "start": (Time, "When it starts."),
        "status": (Literal["confirmed", "tentative", "cancelled"], "Its status."),
        "summary": (str, "Its title."),
        "summaryOverride": (text(255), "Title of the calendar on your list."),
        "supportsAttachments": (bool, _NO_EFFECT),
        "syncToken": (str, "The nextSyncToken of an earlier list: only what has changed since."),
        "text": (str, "Such as: Lunch with Ana tomorrow at 12:30 for 45 minutes."),
        "timeMax": (str, "Only what starts before this time."),
        "timeMin": (str, "Only what ends after this time."),
        "timeZone": (str, "Time zone, such as America/New_York."),
        "token": (str, "Text that each notification bears."),
        "transparency": (Literal["opaque", "transparent"], "Whether it takes up time (opaque)."),
        "type": (str, "web_hook."),
        "updatedMin": (str, "Only what was changed at or after this time."),
        "visibility": (Literal["default", "public", "private", "confidential"], "Who sees what it is about."),
        "workingLocationProperties": (WorkingLocation, "Where somebody works."),
    }
)
"""The arguments of Calendar's tools."""


def email_of(records: Records) -> str:
    """The actor's address.

    Raises:
        ToolError: ``not_found``: the actor is no user.
    """
    row = records.world.execute("SELECT email FROM users WHERE id = ?", (records.actor.id,)).fetchone()
    if row is None:
        raise ToolError("not_found", "you have no account here")
    return str(row[0])


def calendar_of(records: Records, key: str) -> Row:
    """The calendar of an id; ``primary`` means the actor's own.

    Raises:
        ToolError: ``not_found``.
    """
    return records.get(CALENDARS, {"id": email_of(records) if key == "primary" else key})


def full(row: Row) -> Row:
    """A row without what is empty."""
    return {name: value for name, value in row.items() if value is not None}


def roles_from(role: str) -> tuple[str, ...]:
    """The roles from one on."""
    return words.ACL_ROLES[words.ACL_ROLES.index(role) :]


def since(token: str | None) -> str | None:
    """The time from which a sync token counts.

    Raises:
        ToolError: ``invalid_value``: no list gave it.
    """
    if not token:
        return None
    try:
        return dt.datetime.strptime(token, "sync-%Y%m%d%H%M%S").isoformat(" ")
    except ValueError:
        raise ToolError(
            "invalid_value", f"syncToken: expected the nextSyncToken of an earlier list, got {token[:40]!r}"
        ) from None


def sync_token(records: Records) -> str:
    """The token from which later changes count."""
    return f"sync-{records.world.now:%Y%m%d%H%M%S}"
