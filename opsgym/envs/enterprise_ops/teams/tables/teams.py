"""Teams, their members, settings and tags."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.tables.shared import kept

TEMPLATE = Table(
    "teams_templates",
    (Key("template_id"), Text("display_name", 256, required=True), Text("description", 1024)),
    resource="apps",
)
TEAM = kept(
    "teams",
    Key("team_id", "TEAM"),
    Ref("group_id", "groups_m365", required=True),
    Ref("template_id", "teams_templates", required=True),
    Text("display_name", 255, required=True),
    Text("description", 1024),
    Choice("visibility", words.TEAM_VISIBILITIES, required=True, default="private"),
    Choice("specialization", words.SPECIALIZATIONS, required=True, default="none"),
    Text("classification", 128),
    Flag("is_archived", required=True, default=False),
    Json("members", shape=list[dict[str, Any]], derived=True),
    Json("member_settings"),
    Json("guest_settings"),
    Json("messaging_settings"),
    Json("fun_settings"),
    Json("discovery_settings"),
    Json("class_settings"),
    Ref("created_by", "teams_users", by_actor=True),
    resource="teams",
)
TEAM_MEMBER = kept(
    "team_members",
    Key("membership_id", "TMEM"),
    Ref("team_id", "teams", required=True),
    Ref("user_id", "teams_users", required=True),
    Json("roles", shape=list[str], required=True),
    Moment("visible_history_start"),
    resource="teams",
    indexes=(
        ("team_id", "user_id"),
        ("user_id",),
    ),
)
SETTING = kept(
    "team_settings",
    Key("id", "TSET"),
    Ref("team_id", "teams", required=True),
    Choice("name", words.SETTINGS, required=True),
    Text("value", 128, required=True),
    resource="teams",
    unique=(("team_id", "name"),),
)
TAG = kept(
    "teamwork_tags",
    Key("tag_id", "TAG"),
    Ref("team_id", "teams", required=True),
    Text("display_name", 40, required=True),
    Text("description", 1024),
    Text("tag_type", 32, required=True, default="standard"),
    resource="tags",
)
TAG_MEMBER = kept(
    "teamwork_tag_members",
    Key("id", "TGMEM"),
    Ref("tag_id", "teamwork_tags", required=True),
    Ref("user_id", "teams_users", required=True),
    resource="tags",
    indexes=(("tag_id", "user_id"),),
)
TABLES = (TEMPLATE, TEAM, TEAM_MEMBER, SETTING, TAG, TAG_MEMBER)
