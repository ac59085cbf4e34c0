"""Enumerations of ITSM.

Source: published tool signatures of EnterpriseOps-Gym, and its policy for problems and changes.
"""

from __future__ import annotations

ROLES = ("admin", "manager", "agent", "reporter")
GROUP_TYPES = ("IT Support", "Service Desk", "Field Support Technicians", "Infrastructure Problem Team")
USED_FOR = ("production", "QA", "test", "development")
SERVICE_STATUSES = ("operational", "non-operational", "repair_in_progress", "ready", "retired")
CLASSIFICATIONS = ("business", "technology-management", "application")
CRITICALITIES = ("critical", "somewhat-critical", "less-critical", "not-critical")
CI_STATUSES = ("in_use", "in_stock", "maintenance", "retired", "disposed")
LEVELS = ("high", "medium", "low")
PRIORITIES = ("critical", "high", "moderate", "low", "planning")
WORKING_PRIORITIES = PRIORITIES[:-1]
CHANNELS = ("self-service", "phone", "email", "chat", "walk-in", "virtual-agent", "web")
INCIDENT_STATUSES = ("new", "in_progress", "on_hold", "resolved", "closed", "canceled")
INCIDENT_CATEGORIES = ("inquiry-help", "software", "hardware", "database", "password-reset", "network")
HOLD_REASONS = ("Awaiting Change", "Awaiting Caller", "Awaiting Problem")
RESOLUTION_CODES = (
    "Duplicate",
    "Known Error",
    "No resolution provided",
    "Resolved By Caller",
    "Resolved By Problem",
    "Resolved By Change",
    "Solution Provided",
    "Workaround Provided",
    "User error",
)
PROBLEM_STATUSES = ("new", "assess", "root_cause", "fix_in_progress", "resolved", "closed")
PROBLEM_CATEGORIES = ("network", "software", "hardware", "database")
CHANGE_STATUSES = ("new", "assess", "authorize", "scheduled", "implement", "review", "closed", "canceled")
CHANGE_CATEGORIES = (
    "network",
    "software",
    "hardware",
    "documentation",
    "system_software",
    "application_software",
    "service",
    "telecom",
    "other",
)
CLOSE_CODES = ("successful", "successful_with_issues", "unsuccessful")
ARTICLE_STATES = ("draft", "review", "published", "retired")
VISIBILITIES = ("internal", "external")
USES = ("suggested", "applied", "resolution")
METRICS = ("response", "resolution")
SLA_STAGES = ("in_progress", "paused", "completed", "cancelled", "breached")
NOTICE_TYPES = ("alert", "update", "reminder", "report", "solution_proposal", "other")
NOTICE_STATUSES = ("queued", "sent", "delivered", "opened", "failed")
