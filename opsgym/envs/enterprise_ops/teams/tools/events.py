"""Tools for webinars and town halls."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records, Row
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.graph import answer, properties, shaped
from opsgym.envs.enterprise_ops.teams.tables.events import CO_ORGANIZER, INVITEE, REGISTRATION, TOWNHALL, WEBINAR
from opsgym.envs.enterprise_ops.teams.tools.shared import COUNT, Body, acting, change, live, may, need, one, reading, user


class ZonedTime(TypedDict, total=False):
    """A time in a zone: UTC, or an IANA name."""

    dateTime: str
    timeZone: str


class Identity(TypedDict, total=False):
    """A user."""

    id: str


class EventSettings(TypedDict, total=False):
    """Settings of an event."""

    isAttendeeEmailNotificationEnabled: bool


def in_utc(name: str, given: Mapping[str, str]) -> str:
    """A time with its zone, in UTC.

    Raises:
        ToolError: ``missing_field``, or ``invalid_value``: no time, or no known zone.
    """
    if not given.get("dateTime"):
        raise ToolError("missing_field", f"{name}: expected dateTime")
    try:
        moment = dt.datetime.fromisoformat(given["dateTime"])
        zone = given.get("timeZone") or "UTC"
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=dt.UTC if zone == "UTC" else zoneinfo.ZoneInfo(zone))
        return moment.astimezone(dt.UTC).replace(tzinfo=None, microsecond=0).isoformat(" ")
    except (ValueError, OverflowError, OSError, zoneinfo.ZoneInfoNotFoundError) as error:
        raise ToolError(
            "invalid_value", f"{name}: expected dateTime as YYYY-MM-DDThh:mm:ss and timeZone as UTC or an IANA name"
        ) from error


def _keys(records: Records, name: str, identities: Sequence[Mapping[str, str]]) -> list[str]:
    """Keys of users, each once."""
    for item in identities:
        if not item.get("id"):
            raise ToolError("missing_field", f"{name}: each one needs id")
    return list(dict.fromkeys(str(user(records, item["id"])["user_id"]) for item in identities))


def _create(records: Records, table: Table, given: dict[str, Any]) -> Row:
    if not given["description"].get("content"):
        raise ToolError("missing_field", "description: expected content")
    values = {
        "display_name": given["displayName"],
        "description": {"contentType": "text"} | given["description"],
        "start_time": in_utc("startDateTime", given["startDateTime"]),
        "end_time": in_utc("endDateTime", given["endDateTime"]),
        "audience": given["audience"],
        "settings": given.get("settings", {}),
    }
    if table is TOWNHALL:
        values["is_invite_only"] = given["isInviteOnly"]
    event = records.create(table, values)
    for key in _keys(records, "coOrganizers", given.get("coOrganizers", ())):
        records.create(CO_ORGANIZER, {table.id: event[table.id], "user_id": key})
    return event


def _create_webinar(records: Records, given: dict[str, Any]) -> Any:
    return _seen(records, WEBINAR, _create(records, WEBINAR, given))


def _create_townhall(records: Records, given: dict[str, Any]) -> Any:
    event = _create(records, TOWNHALL, given)
    for key in _keys(records, "invitedAttendees", given.get("invitedAttendees", ())):
        records.create(INVITEE, {"event_id": event["townhall_id"], "user_id": key})
    return _seen(records, TOWNHALL, event)


def _seen(records: Records, table: Table, row: Row) -> dict[str, Any]:
    """An event with the keys of its co-organizers and of those invited or registered."""
    key = row[table.id]
    others = (INVITEE, "invitedAttendees") if table is TOWNHALL else (REGISTRATION, "registrations")
    return shaped(table, row) | {
        "coOrganizers": [item["user_id"] for item in live(records, CO_ORGANIZER, **{table.id: key})],
        others[1]: [item["user_id"] for item in live(records, others[0], event_id=key)],
    }


def _list(table: Table) -> Any:
    def run(records: Records, given: dict[str, Any]) -> Any:
        return answer([_seen(records, table, row) for row in live(records, table)], properties(table), given)

    return run


def _move(table: Table, status: str) -> Any:
    def run(records: Records, given: dict[str, Any]) -> Any:
        return change(records, table, one(records, table, given[table.id])[table.id], {"status": status})

    return run


_WEBINAR_ID = need("webinar_id", str, "Key of the webinar.")
_EVENT = (
    need("displayName", str, "Its name."),
    need("description", Body, "What it is about."),
    need("startDateTime", ZonedTime, "When it starts."),
    need("endDateTime", ZonedTime, "When it ends."),
    need("audience", words.Audience, "Who may attend."),
    may("coOrganizers", list[Identity], "Who organizes it with you."),
    may("settings", EventSettings, "Settings."),
)

TOOLS = (
    acting("create_virtual_event_webinar", "Create a webinar as a draft", _EVENT, _create_webinar),
    acting(
        "create_virtual_event_townhall",
        "Create a town hall as a draft",
        (
            *_EVENT,
            may("isInviteOnly", bool, "Whether only those invited may attend.", False),
            may("invitedAttendees", list[Identity], "Who is invited."),
        ),
        _create_townhall,
    ),
    acting(
        "publish_virtual_event_webinar",
        "Publish a webinar, so that its audience sees it",
        (_WEBINAR_ID,),
        _move(WEBINAR, "published"),
    ),
    acting("cancel_virtual_event_webinar", "Cancel a webinar", (_WEBINAR_ID,), _move(WEBINAR, "canceled")),
    acting(
        "cancel_virtual_event_townhall",
        "Cancel a town hall",
        (need("townhall_id", str, "Key of the town hall."),),
        _move(TOWNHALL, "canceled"),
    ),
    reading(
        "get_virtual_event_webinar",
        "Read a webinar",
        (_WEBINAR_ID,),
        lambda records, given: _seen(records, WEBINAR, one(records, WEBINAR, given["webinar_id"])),
    ),
    reading("list_virtual_event_webinars", "List all webinars", (COUNT,), _list(WEBINAR)),
    reading("list_virtual_event_townhalls", "List all town halls", (COUNT,), _list(TOWNHALL)),
)
