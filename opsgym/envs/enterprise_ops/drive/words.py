"""Enumerations of Drive.

Source: published tool signatures of EnterpriseOps-Gym, and columns of its Drive data.
"""

from __future__ import annotations

ACTORS = ("admin", "user", "guest", "service_account")
ROLES = ("reader", "commenter", "writer", "fileOrganizer", "organizer", "owner")
"""Roles on a file, from the least to the greatest."""
GRANTEES = ("user", "group", "domain", "anyone")
MEMBERSHIPS = ("owner", "manager", "member")
LABEL_TYPES = ("enum", "number", "boolean", "date", "string")
PROPOSAL_STATES = ("pending", "approved", "denied")
OPERATION_STATES = ("done", "running", "error")
CHANGE_TYPES = ("file", "drive")
DELIVERY_STATES = ("pending", "delivered", "failed")
REPLY_ACTIONS = ("resolve", "reopen")
UPLOAD_STATES = ("active", "completed", "failed")

FOLDER = "application/vnd.google-apps.folder"
SHORTCUT = "application/vnd.google-apps.shortcut"
DOCUMENT = "application/vnd.google-apps.document"
SHEET = "application/vnd.google-apps.spreadsheet"
SLIDES = "application/vnd.google-apps.presentation"
PDF = "application/pdf"
EXPORTS = {
    DOCUMENT: (PDF, "text/plain", "text/html", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    SHEET: (PDF, "text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    SLIDES: (PDF, "text/plain", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
}
"""Forms into which documents are exported."""

CLASSIFICATION = "classification"
"""Key of the label that tells who may read a file."""
CLASSES = ("Public", "Internal", "Confidential", "Restricted")
HOLD = "legal_hold"
"""Key of the label that keeps a file from being removed."""
