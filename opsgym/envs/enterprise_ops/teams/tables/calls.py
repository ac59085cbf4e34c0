"""Calls, their records and recordings, and the audit log."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.columns import Choice, Json, Key, Moment, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.tables.shared import ORG, SOFT, TIMES, kept

CALL = kept(
    "calls",
    Key("call_id", "CALL"),
    Choice("state", words.CALL_STATES, required=True, default="establishing"),
    Choice("direction", words.CALL_DIRECTIONS, required=True, default="outgoing"),
    Text("callback_uri", 512, required=True),
    Json("requested_modalities", shape=list[str], required=True),
    Text("subject", 255),
    Json("media_config"),
    Json("call_options"),
    Json("chat_info"),
    Json("meeting_info"),
    Ref("created_by", "teams_users", by_actor=True),
    resource="calls",
)
PARTICIPANT = kept(
    "call_participants",
    Key("id", "CPART"),
    Ref("call_id", "calls", required=True),
    Ref("user_id", "teams_users", required=True),
    resource="calls",
    unique=(("call_id", "user_id"),),
)
RECORD = kept(
    "call_records",
    Key("record_id", "CREC"),
    Ref("call_id", "calls"),
    Ref("organizer_id", "teams_users"),
    Choice("type", words.CALL_TYPES, required=True),
    Moment("start_time", required=True),
    Moment("end_time", required=True),
    Json("modalities", shape=list[str]),
    resource="call_records",
)
SESSION = kept(
    "call_sessions",
    Key("session_id", "SESS"),
    Ref("record_id", "call_records", required=True),
    Ref("caller_id", "teams_users", required=True),
    Ref("callee_id", "teams_users"),
    Moment("start_time", required=True),
    Moment("end_time", required=True),
    Json("modalities", shape=list[str]),
    resource="call_records",
    indexes=(("record_id",),),
)
RECORDING = Table(
    "call_recordings",
    (
        Key("recording_id", "RECORDING"),
        Ref("call_id", "calls", required=True),
        Moment("expires_at", required=True),
        ORG,
        *TIMES,
        SOFT,
    ),
    resource="call_records",
    scope="org_id",
    checks={"julianday(expires_at) - julianday(created_at) <= 30.0": "A recording is kept for at most 30 days."},
)
TRANSCRIPT = kept(
    "call_transcripts",
    Key("transcript_id", "TRANSCRIPT"),
    Ref("call_id", "calls", required=True),
    Text("content", required=True),
    resource="call_records",
)
ROUTING = kept(
    "audio_routing_groups",
    Key("group_id", "ROUTE"),
    Ref("call_id", "calls", required=True),
    Choice("routing_mode", words.ROUTING_MODES, required=True),
    Json("sources", shape=list[Any], required=True),
    Json("receivers", shape=list[Any], required=True),
    resource="calls",
)
AUDIT = Table(
    "audit_logs",
    (
        Key("id", whole=True),
        Ref("user_id", "teams_users", required=True, by_actor=True),
        Moment("timestamp", required=True),
        Text("resource_id", 64, required=True),
        Text("operation", 64, required=True),
        ORG,
    ),
    resource="audit_log",
    scope="org_id",
    derived=True,
)
TABLES = (CALL, PARTICIPANT, RECORD, SESSION, RECORDING, TRANSCRIPT, ROUTING, AUDIT)
