"""Enumerations of Teams, as types of arguments and as values of columns.

Source: published tool signatures of EnterpriseOps-Gym; those of calls and presence follow Microsoft Graph v1.0.
"""

from __future__ import annotations

from typing import Literal, get_args

MemberRole = Literal["owner", "member", "guest"]
UserType = Literal["Member", "Guest"]
AgeGroup = Literal["Minor", "NotAdult", "Adult"]
TeamVisibility = Literal["private", "public", "hiddenMembership"]
GroupVisibility = Literal["Private", "Public", "Hiddenmembership"]
Specialization = Literal[
    "none",
    "educationStandard",
    "educationClass",
    "educationProfessionalLearningCommunity",
    "educationSpecialInterest",
    "healthcareStandard",
    "healthcareCareCoordination",
    "unknownFutureValue",
]
MembershipType = Literal["standard", "private", "shared"]
Importance = Literal["normal", "high", "urgent"]
MessageType = Literal["message", "chatEvent", "typing", "unknownFutureValue", "systemEventMessage"]
ChatType = Literal["oneOnOne", "group"]
Audience = Literal["everyone", "organization", "unknownFutureValue"]
RoutingMode = Literal["oneToOne", "multicast"]
Modality = Literal["audio", "video", "videoBasedScreenSharing", "data"]

USER_TYPES: tuple[str, ...] = get_args(UserType)
AGE_GROUPS: tuple[str, ...] = get_args(AgeGroup)
TEAM_VISIBILITIES: tuple[str, ...] = get_args(TeamVisibility)
GROUP_VISIBILITIES: tuple[str, ...] = get_args(GroupVisibility)
SPECIALIZATIONS: tuple[str, ...] = get_args(Specialization)
MEMBERSHIP_TYPES: tuple[str, ...] = get_args(MembershipType)
IMPORTANCES: tuple[str, ...] = get_args(Importance)
MESSAGE_TYPES: tuple[str, ...] = get_args(MessageType)
CHAT_TYPES: tuple[str, ...] = get_args(ChatType)
AUDIENCES: tuple[str, ...] = get_args(Audience)
ROUTING_MODES: tuple[str, ...] = get_args(RoutingMode)
EVENT_STATUSES = ("draft", "published", "canceled")
ROLES = ("admin", "member", "guest")
CHAT_MEMBER_ROLES = ("owner", "guest")
ACCESS_ROLES = ("reader", "writer", "owner")
RESOURCE_TYPES = ("team", "channel", "group")
DISTRIBUTIONS = ("store", "organization", "sideloaded")
AVAILABILITIES = ("Available", "Away", "BeRightBack", "Busy", "DoNotDisturb", "Offline")
CALL_STATES = ("incoming", "establishing", "established", "terminated")
CALL_DIRECTIONS = ("incoming", "outgoing")
CALL_TYPES = ("peerToPeer", "groupCall")
SETTINGS = ("retention_days", "cost_center", "review_cycle")
