"""Rules of calls and the routing of sound."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.teams.rules.shared import rule

_STRANGER = (
    "j.value NOT IN (SELECT p.user_id FROM call_participants p WHERE p.call_id = new.call_id AND NOT p.soft_deleted)"
    " AND j.value <> (SELECT coalesce(c.created_by, '') FROM calls c WHERE c.call_id = new.call_id)"
)
RULES = (
    rule(
        "TEAMS-CALL-URI",
        "What happens in a call is told to an https address.",
        "calls",
        "new.callback_uri NOT LIKE 'https://_%'",
    ),
    rule(
        "TEAMS-CALL-WHOM",
        "A call has somebody to call, or a meeting to join.",
        "calls",
        "new.meeting_info IS NULL AND NOT EXISTS (SELECT 1 FROM call_participants p WHERE p.call_id = new.call_id)",
    ),
    rule(
        "TEAMS-ROUTE-LIVE",
        "Sound is routed in an established call only.",
        "audio_routing_groups",
        "NOT EXISTS (SELECT 1 FROM calls c WHERE c.call_id = new.call_id AND c.state = 'established')",
        "create",
    ),
    rule(
        "TEAMS-ROUTE-PAIR",
        "Routing oneToOne has one source and one receiver; nobody is both source and receiver.",
        "audio_routing_groups",
        "(new.routing_mode = 'oneToOne' AND (json_array_length(new.sources) <> 1 OR json_array_length(new.receivers) <> 1))"
        " OR json_array_length(new.sources) = 0 OR json_array_length(new.receivers) = 0"
        " OR EXISTS (SELECT 1 FROM json_each(new.sources) s JOIN json_each(new.receivers) r ON r.value = s.value)",
    ),
    rule(
        "TEAMS-ROUTE-PART",
        "Sources and receivers take part in the call.",
        "audio_routing_groups",
        f"EXISTS (SELECT 1 FROM json_each(new.sources) j WHERE {_STRANGER})"
        f" OR EXISTS (SELECT 1 FROM json_each(new.receivers) j WHERE {_STRANGER})",
    ),
)
