"""Tools for calls, the routing of their sound, and their records."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.graph import answer, properties, shaped
from opsgym.envs.enterprise_ops.teams.tables.calls import CALL, PARTICIPANT, RECORD, ROUTING, SESSION
from opsgym.envs.enterprise_ops.teams.tools.shared import (
    EXPAND,
    FILTER,
    SELECT,
    acting,
    expanded,
    given_values,
    live,
    may,
    need,
    one,
    reading,
    user,
)


class Media(TypedDict, total=False):
    """How the media of a call are handled."""

    _odata_type: str
    preFetchMedia: list[dict[str, Any]]
    blob: str
    removeFromDefaultAudioGroup: bool


class Party(TypedDict, total=False):
    """A party of a call: ``identity`` is ``{"user": {"id": ...}}``."""

    identity: dict[str, Any]


class CallOptions(TypedDict, total=False):
    """Options of a call."""

    isContentSharingNotificationEnabled: bool
    isDeltaRosterEnabled: bool
    isInteractiveRosterEnabled: bool


class ChatInfo(TypedDict, total=False):
    """The chat of a meeting."""

    threadId: str
    messageId: str


class MeetingInfo(TypedDict, total=False):
    """The meeting to join."""

    _odata_type: str
    organizer: dict[str, Any]
    allowConversationWithoutHost: bool
    joinMeetingId: str
    passcode: str


def _create(records: Records, given: dict[str, Any]) -> Any:
    if not given["requestedModalities"]:
        raise ToolError("missing_field", "requestedModalities: expected at least one")
    call = records.create(CALL, given_values(CALL, given))
    users = []
    for target in given.get("targets", ()):
        whose = target.get("identity", {}).get("user")
        if not isinstance(whose, dict) or not isinstance(whose.get("id"), str):
            raise ToolError("missing_field", "targets: each one needs identity.user.id")
        users.append(user(records, whose["id"])["user_id"])
    for key in dict.fromkeys(users):
        records.create(PARTICIPANT, {"call_id": call["call_id"], "user_id": key})
    return shaped(CALL, call) | {"targets": list(dict.fromkeys(users))}


def _route(records: Records, given: dict[str, Any]) -> Any:
    call = one(records, CALL, given["call_id"])["call_id"]
    values = {"sources": given["sources"], "receivers": given["receivers"], "routing_mode": given["routingMode"]}
    return shaped(ROUTING, records.create(ROUTING, {"call_id": call} | values))


def _list(records: Records, given: dict[str, Any]) -> Any:
    return answer([shaped(RECORD, row) for row in live(records, RECORD)], properties(RECORD), given)


def _get(records: Records, given: dict[str, Any]) -> Any:
    row = one(records, RECORD, given["id"])
    related = {"sessions": lambda row: [shaped(SESSION, item) for item in live(records, SESSION, record_id=row["record_id"])]}
    shapes = expanded(given, [(row, shaped(RECORD, row))], related)
    return answer(shapes, [*properties(RECORD), *related], {"_select": given.get("_select")})["value"][0]


def _sessions(records: Records, given: dict[str, Any]) -> Any:
    record = one(records, RECORD, given["id"])["record_id"]
    rows = [(row, shaped(SESSION, row)) for row in live(records, SESSION, record_id=record)]
    related = {"caller": lambda row: row["caller_id"], "callee": lambda row: row["callee_id"]}
    return answer(expanded(given, rows, related), [*properties(SESSION), *related], given)


_RECORD_ID = need("id", str, "Key of the call record.")

TOOLS = (
    acting(
        "create_call",
        "Call one or more users, or join a meeting",
        (
            need("callbackUri", str, "Where what happens in the call is told."),
            need("requestedModalities", list[words.Modality], "What the call carries."),
            need("mediaConfig", Media, "How its media are handled."),
            may("source", Party, "Who calls; it is you in any case."),
            may("targets", list[Party], "Who is called."),
            may("callOptions", CallOptions, "Options."),
            may("chatInfo", ChatInfo, "The chat of the meeting."),
            may("meetingInfo", MeetingInfo, "The meeting to join."),
            may("subject", str, "What it is about."),
            may("tenantId", str, "The tenant; it is that of the user in any case."),
        ),
        _create,
    ),
    acting(
        "create_audio_routing_group",
        "Let only some participants of a call hear others",
        (
            need("call_id", str, "Key of the call."),
            need("routingMode", words.RoutingMode, "Whether one hears, or several do."),
            need("sources", list[str], "Keys of the users who are heard."),
            need("receivers", list[str], "Keys of the users who hear."),
        ),
        _route,
    ),
    reading("list_call_records", "List the records of calls", (FILTER, SELECT), _list),
    reading("get_call_record", "Read the record of a call", (_RECORD_ID, SELECT, EXPAND), _get),
    reading("list_call_sessions", "List the sessions of a call's record", (_RECORD_ID, SELECT, EXPAND), _sessions),
)
