"""Enumerations of HR service delivery.

Source: published tool signatures of EnterpriseOps-Gym's HR server; notices' types and statuses are ours, where its
data use words of cases.
"""

from __future__ import annotations

ROLES = ("admin", "manager", "agent", "employee")
GROUP_TYPES = ("IT Support", "Service Desk", "Field Support Technicians", "Infrastructure Problem Team")
GENDERS = ("Male", "Female", "Other")
MARITAL_STATUSES = ("Single", "Married", "Divorced")
EMPLOYMENTS = ("full-time", "part-time", "contractor")
COUNTRIES = ("US", "GB", "CA", "IN", "DE", "FR", "JP", "CN", "AU", "BR")
LOCATION_TYPES = ("Hotdesk", "Office Based", "Remote")
POSITIONS = ("Software Engineer", "QA", "Manager", "HR", "IT Support", "Administration", "Sales")
CENTRES = ("HRIT", "Payroll", "Talent Management", "Total Rewards", "Workforce Administration")
"""Centres of excellence, by which cases, topics and templates are sorted."""
FULFILLMENTS = ("manual", "service_activity", "workflow", "lifecycle event", "advanced", "flow")
CRITERIA = ("case_visibility", "approval")
CASE_STATUSES = (
    "draft",
    "ready",
    "awaiting_approval",
    "work_in_progress",
    "closed_complete",
    "closed_incomplete",
    "awaiting_acceptance",
    "suspended",
    "cancelled",
)
PRIORITIES = ("critical", "high", "moderate", "low", "planning")
SOURCES = ("self-service", "phone", "email", "chat", "walk-in", "virtual-agent")
DECISIONS = ("approved", "rejected", "requested")
ACCOUNT_TYPES = ("checking", "savings", "other")
TASK_STATUSES = ("draft", "ready", "work_in_progress", "closed_complete", "closed_incomplete", "cancelled")
TASK_TYPES = ("checklist", "survey", "hr service", "mark when complete", "url")
ARTICLE_STATES = ("draft", "published", "retired")
VISIBILITIES = ("internal", "external")
USES = ("suggested", "applied", "resolution")
NOTICE_TYPES = ("update", "reminder", "approval", "closure")
NOTICE_STATUSES = ("queued", "sent", "delivered", "failed")

GENERATED = {
    "service_activity": ("mark when complete",),
    "workflow": ("checklist",),
    "lifecycle event": ("checklist", "hr service"),
    "advanced": ("mark when complete", "checklist"),
    "flow": ("hr service",),
}
"""Types of the tasks that a case gets when work on it begins, by its service's fulfillment; a manual one gets none."""
