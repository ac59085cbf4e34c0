"""Events and what hangs on them.

Times of day are kept in UTC, with the zone in which they were said; whole days are kept as dates.
"""

from __future__ import annotations

from typing import Any

from opsgym.core.records.columns import Choice, Day, Flag, Json, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.calendar import words

_EVENT = Ref("event_id", "events", required=True)

EVENTS = Table(
    "events",
    (
        Key("id", "EVT"),
        Ref("calendar_id", "calendars", required=True),
        Text("ical_uid", 200),
        Text("summary", 255),
        Text("description", 4000),
        Text("location", 500),
        Choice("status", words.STATUSES, required=True, default="confirmed"),
        Choice("event_type", words.EVENT_TYPES, required=True, default="default"),
        Moment("start_datetime"),
        Day("start_date"),
        Text("start_timezone", 60),
        Moment("end_datetime"),
        Day("end_date"),
        Text("end_timezone", 60),
        Json("recurrence", list[str]),
        Ref("recurring_event_id", "events"),
        Moment("original_start"),
        Choice("transparency", words.TRANSPARENCIES, required=True, default="opaque"),
        Choice("visibility", words.VISIBILITIES, required=True, default="default"),
        Ref("color_id", "event_colors"),
        Text("organizer_email", 120, "email"),
        Text("creator_email", 120, "email"),
        Whole("sequence", 0, required=True, default=0, derived=True),
        Flag("guests_can_invite_others", required=True, default=True),
        Flag("guests_can_modify", required=True, default=False),
        Flag("guests_can_see_other_guests", required=True, default=True),
        Json("source"),
        Json("working_location"),
        Json("focus_time"),
        Json("out_of_office"),
        Json("birthday"),
        Flag("locked", required=True, default=False),
        Moment("created_at", stamp="created"),
        Moment("updated_at", stamp="updated"),
    ),
    resource="events",
    indexes=(("calendar_id",), ("recurring_event_id",), ("ical_uid",)),
    checks={
        "(start_datetime IS NULL) <> (start_date IS NULL)": "An event starts at a time or on a day.",
        "(end_datetime IS NULL) = (start_datetime IS NULL)": "Start and end are both times or both days.",
        "start_datetime < end_datetime OR start_date < end_date": "An event ends after it starts.",
    },
)
ATTENDEES = Table(
    "event_attendees",
    (
        Key("id", "ATT"),
        _EVENT,
        Text("email", 120, "email", required=True),
        Text("display_name", 120),
        Flag("optional", required=True, default=False),
        Flag("resource", required=True, default=False),
        Flag("organizer", required=True, default=False),
        Choice("response_status", words.RESPONSES, required=True, default="needsAction"),
        Text("comment", 500),
        Whole("additional_guests", 0, required=True, default=0),
    ),
    resource="events",
    unique=(("event_id", "email"),),
    indexes=(("email",),),
)
REMINDERS = Table(
    "event_reminders",
    (
        Key("id", "REM"),
        _EVENT,
        Flag("use_default", required=True, default=False),
        Choice("method", words.METHODS),
        Whole("minutes", 0),
    ),
    resource="events",
    unique=(("event_id", "method", "minutes"),),
)
ATTACHMENTS = Table(
    "event_attachments",
    (Key("id", "FILE"), _EVENT, Text("file_url", 500, required=True), Text("title", 255), Text("mime_type", 120)),
    resource="events",
    unique=(("event_id", "file_url"),),
)
CONFERENCE = Table(
    "event_conference",
    (
        Key("id", "CONF"),
        _EVENT,
        Text("conference_id", 120),
        Json("solution"),
        Json("create_request"),
        Json("entry_points", list[dict[str, Any]]),
        Text("notes", 2000),
        Text("signature", 500),
    ),
    resource="events",
    unique=(("event_id",),),
)
PROPERTIES = Table(
    "event_extended_properties",
    (
        Key("id", "PROP"),
        _EVENT,
        Choice("scope", words.PROPERTY_SCOPES, required=True),
        Text("key", 44, required=True),
        Text("value", 1024, required=True),
    ),
    resource="events",
    unique=(("event_id", "scope", "key"),),
)
TABLES = (EVENTS, ATTENDEES, REMINDERS, ATTACHMENTS, CONFERENCE, PROPERTIES)
