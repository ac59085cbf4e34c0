"""What generated Drive worlds are made of."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.drive import words

FOLDERS = ("Plans", "Reports", "Contracts", "Templates", "Press", "Archive")
DOCUMENTS = (
    ("Budget", words.SHEET, ""),
    ("Forecast", words.SHEET, ""),
    ("Roadmap", words.DOCUMENT, ""),
    ("Meeting notes", words.DOCUMENT, ""),
    ("Handbook", words.DOCUMENT, ""),
    ("Onboarding checklist", words.DOCUMENT, ""),
    ("Price list", words.SHEET, ""),
    ("Kick-off", words.SLIDES, ""),
    ("Quarterly review", words.SLIDES, ""),
    ("Supplier contract", words.PDF, ".pdf"),
    ("Service agreement", words.PDF, ".pdf"),
    ("Audit report", words.PDF, ".pdf"),
    ("Press release", words.PDF, ".pdf"),
    ("Product brochure", words.PDF, ".pdf"),
    ("Training video", "video/mp4", ".mp4"),
    ("Site photos", "application/zip", ".zip"),
)
"""Kinds of files: title, MIME type and extension."""
PROJECTS = (
    "Aurora", "Beacon", "Cascade", "Delta", "Ember", "Fjord", "Glacier", "Harbour", "Iris", "Juniper", "Keystone", "Lagoon",
    "Meridian", "Nimbus", "Orchard", "Pioneer", "Quarry", "Ridge", "Summit", "Tundra", "Umbra", "Vertex", "Willow", "Zephyr",
)  # fmt: skip
COMMENTS = (
    "Is this the latest figure?",
    "Please check the second page.",
    "Looks good to me.",
    "Can we shorten this part?",
    "Who owns this item?",
    "The total does not add up.",
    "Let us talk about it on Monday.",
)
REPLIES = ("Done.", "Will do.", "I have changed it.", "Not yet.", "See the new version.")
REQUESTS = ("Could I have a look, please?", "I need it for the audit.", "We work on this together.", "For the meeting next week.")
LABELS = (
    (words.CLASSIFICATION, "Classification", "enum", list(words.CLASSES), True),
    (words.HOLD, "Legal hold", "boolean", None, False),
    ("retention", "Retention until", "date", None, False),
    ("reviewer", "Reviewer", "string", None, False),
    ("review_status", "Review status", "enum", ["Draft", "In review", "Reviewed"], False),
    ("pages", "Pages", "number", None, False),
)
"""Key, name, type, options, and whether it needs a value."""
APPS = (
    ("Sketcher", "drawing", ["image/svg+xml"], ["svg"]),
    ("Ledger", "spreadsheet", ["text/csv", words.SHEET], ["csv"]),
    ("Reader", "document", [words.PDF], ["pdf"]),
    ("Cutter", "video", ["video/mp4"], ["mp4"]),
)
