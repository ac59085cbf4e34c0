"""Enumerations and colours of Calendar.

Source: published tool signatures of EnterpriseOps-Gym; names and tones of colours from the public service.
"""

from __future__ import annotations

ACL_ROLES = ("none", "freeBusyReader", "reader", "writer", "owner")
"""Roles on a calendar, from the least to the greatest."""
SCOPES = ("default", "user", "group", "domain")
STATUSES = ("confirmed", "tentative", "cancelled")
EVENT_TYPES = ("default", "birthday", "outOfOffice", "focusTime", "workingLocation")
TRANSPARENCIES = ("opaque", "transparent")
VISIBILITIES = ("default", "public", "private", "confidential")
RESPONSES = ("needsAction", "declined", "tentative", "accepted")
METHODS = ("email", "popup")
NOTICES = ("eventCreation", "eventChange", "eventCancellation", "eventResponse", "agenda")
PROPERTY_SCOPES = ("private", "shared")
WATCHED = ("events", "acl", "calendar_list", "settings")

EVENT_COLOURS = (
    ("Lavender", "#7986cb"),
    ("Sage", "#33b679"),
    ("Grape", "#8e24aa"),
    ("Flamingo", "#e67c73"),
    ("Banana", "#f6bf26"),
    ("Tangerine", "#f4511e"),
    ("Peacock", "#039be5"),
    ("Graphite", "#616161"),
    ("Blueberry", "#3f51b5"),
    ("Basil", "#0b8043"),
    ("Tomato", "#d50000"),
)
"""Names and backgrounds of the colours 1 to 11 of events."""

CALENDAR_COLOURS = (
    ("Cocoa", "#795548"),
    ("Flamingo", "#e67c73"),
    ("Tomato", "#d50000"),
    ("Tangerine", "#f4511e"),
    ("Pumpkin", "#ef6c00"),
    ("Mango", "#f09300"),
    ("Eucalyptus", "#009688"),
    ("Basil", "#0b8043"),
    ("Pistachio", "#7cb342"),
    ("Avocado", "#c0ca33"),
    ("Citron", "#e4c441"),
    ("Banana", "#f6bf26"),
    ("Sage", "#33b679"),
    ("Peacock", "#039be5"),
    ("Cobalt", "#4285f4"),
    ("Blueberry", "#3f51b5"),
    ("Lavender", "#7986cb"),
    ("Wisteria", "#b39ddb"),
    ("Graphite", "#616161"),
    ("Birch", "#a79b8e"),
    ("Radicchio", "#ad1457"),
    ("Cherry blossom", "#d81b60"),
    ("Grape", "#8e24aa"),
    ("Amethyst", "#9e69af"),
)
"""Names and backgrounds of the colours 1 to 24 of calendars."""
