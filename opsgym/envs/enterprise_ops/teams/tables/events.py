"""Webinars, town halls and who attended."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.tables.shared import ORG, SOFT, TIMES, kept

_EVENT = (
    Text("display_name", 256, required=True),
    Json("description", required=True),
    Moment("start_time", required=True),
    Moment("end_time", required=True),
    Choice("audience", words.AUDIENCES, required=True),
    Choice("status", words.EVENT_STATUSES, required=True, default="draft"),
    Json("settings"),
    Ref("created_by", "teams_users", required=True, by_actor=True),
)

WEBINAR = kept("virtual_event_webinars", Key("webinar_id", "WEBINAR"), *_EVENT, resource="events")
TOWNHALL = kept(
    "virtual_event_townhalls",
    Key("townhall_id", "TOWNHALL"),
    *_EVENT,
    Flag("is_invite_only", required=True, default=False),
    resource="events",
)
CO_ORGANIZER = Table(
    "virtual_event_co_organizers",
    (
        Key("id", "COORG"),
        Ref("webinar_id", "virtual_event_webinars"),
        Ref("townhall_id", "virtual_event_townhalls"),
        Ref("user_id", "teams_users", required=True),
        ORG,
        *TIMES,
        SOFT,
    ),
    resource="events",
    scope="org_id",
    unique=(("webinar_id", "townhall_id", "user_id"),),
    checks={"(webinar_id IS NULL) <> (townhall_id IS NULL)": "A co-organizer belongs to one event."},
)
INVITEE = kept(
    "virtual_event_invitees",
    Key("id", "INVITEE"),
    Ref("event_id", "virtual_event_townhalls", required=True),
    Ref("user_id", "teams_users", required=True),
    resource="events",
    unique=(("event_id", "user_id"),),
)
REGISTRATION = kept(
    "virtual_event_registrations",
    Key("id", "REG"),
    Ref("event_id", "virtual_event_webinars", required=True),
    Ref("user_id", "teams_users", required=True),
    resource="events",
    unique=(("event_id", "user_id"),),
)
REPORT = kept(
    "meeting_attendance_reports",
    Key("report_id", "REPORT"),
    Ref("event_id", "virtual_event_webinars", required=True),
    Whole("total_participants", 0, required=True),
    resource="events",
)
ATTENDANCE = kept(
    "attendance_records",
    Key("record_id", "ATTEND"),
    Ref("report_id", "meeting_attendance_reports", required=True),
    Ref("user_id", "teams_users"),
    Text("email", 320, "email", required=True),
    Whole("total_seconds", 0, required=True),
    resource="events",
)
TABLES = (WEBINAR, TOWNHALL, CO_ORGANIZER, INVITEE, REGISTRATION, REPORT, ATTENDANCE)
