"""The app catalogue, what is installed where, and tabs."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Json, Key, Ref, Text
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.tables.shared import kept

APP = kept(
    "teams_apps",
    Key("app_id", "APP"),
    Text("display_name", 256, required=True),
    Choice("distribution_method", words.DISTRIBUTIONS, required=True),
    Text("external_id", 64),
    resource="apps",
)
TEAM_APP = kept(
    "team_installed_apps",
    Key("id", "TAPP"),
    Ref("team_id", "teams", required=True),
    Ref("app_id", "teams_apps", required=True),
    resource="installed_apps",
    unique=(("team_id", "app_id"),),
)
CHAT_APP = kept(
    "chat_installed_apps",
    Key("id", "CHAPP"),
    Ref("chat_id", "chats", required=True),
    Ref("app_id", "teams_apps", required=True),
    resource="installed_apps",
    unique=(("chat_id", "app_id"),),
)
CHANNEL_TAB = kept(
    "teams_channel_tabs",
    Key("tab_id", "TAB"),
    Ref("channel_id", "channels", required=True),
    Text("display_name", 128, required=True),
    Ref("app_id", "teams_apps", required=True),
    Json("configuration"),
    resource="tabs",
    indexes=(("channel_id",),),
)
CHAT_TAB = kept(
    "chat_tabs",
    Key("tab_id", "CHTAB"),
    Ref("chat_id", "chats", required=True),
    Text("display_name", 256, required=True),
    Ref("app_id", "teams_apps", required=True),
    Json("configuration"),
    resource="tabs",
)
TABLES = (APP, TEAM_APP, CHAT_APP, CHANNEL_TAB, CHAT_TAB)
