"""What generated Calendar worlds are made of."""

from __future__ import annotations

SINGLE = (
    ("Customer call", 45), ("Interview", 60), ("Budget review", 60), ("Design review", 90), ("Contract talk", 60),
    ("Training", 120), ("Vendor demo", 60), ("Incident review", 45), ("Roadmap workshop", 120), ("Handover", 30),
    ("Hiring sync", 30), ("Release check", 45), ("Security briefing", 60), ("Audit preparation", 90), ("Coffee chat", 30),
)  # fmt: skip
"""Titles of single meetings and their minutes."""
SERIES = (
    ("Team standup", 15, "RRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=20"),
    ("Weekly one-to-one", 30, "RRULE:FREQ=WEEKLY;COUNT=8"),
    ("Department meeting", 60, "RRULE:FREQ=WEEKLY;COUNT=6"),
    ("Sprint planning", 90, "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=5"),
    ("Monthly review", 60, "RRULE:FREQ=MONTHLY;COUNT=4"),
)
"""Titles of recurring meetings, their minutes and rules."""
AGENDAS = (
    "Open points, decisions, next steps.",
    "Please bring the latest figures.",
    "Follow-up to the last meeting.",
    "See the attached paper.",
    "Status, risks, questions.",
)
SHARED = ("Launch plan", "Holidays", "On-call rota", "Trade fairs", "Office moves", "Product releases", "Visits", "Training days")
"""Titles of secondary calendars."""
ROOMS = ("Harbour", "Library", "Atrium", "Garden", "Studio", "Terrace")
PROJECTS = (
    "Aurora", "Beacon", "Cascade", "Delta", "Ember", "Fjord", "Glacier", "Harbour", "Iris", "Juniper", "Keystone", "Lagoon",
    "Meridian", "Nimbus", "Orchard", "Pioneer", "Quarry", "Ridge", "Summit", "Tundra", "Umbra", "Vertex", "Willow", "Zephyr",
)  # fmt: skip
