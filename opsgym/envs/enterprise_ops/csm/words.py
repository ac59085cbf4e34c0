"""Enumerations of CSM.

Source: published tool signatures of EnterpriseOps-Gym's CSM server.
"""

from __future__ import annotations

ROLES = ("admin", "agent", "manager", "customer")
STAFF = ("admin", "manager", "agent")
GROUP_TYPES = ("support", "backoffice", "field", "vendor")
CITIES = ("new_york", "london", "mumbai", "tokyo", "sydney")
COUNTRIES = ("usa", "uk", "india", "japan", "australia")
ACCOUNT_TYPES = ("customer", "partner", "internal")
CATEGORIES = ("software", "hardware", "service")
PRODUCT_STATES = ("active", "retired")
ASSET_STATUSES = ("in_use", "in_stock", "repair", "retired")
CONTRACT_TYPES = ("support", "warranty", "subscription")
CONTRACT_STATUSES = ("draft", "active", "suspended", "expired")
SUPPORT_LEVELS = ("standard", "premium", "enterprise")
COVERAGE_HOURS = ("h8x5", "h12x6", "h24x7")
METRICS = ("response", "resolution")
PRIORITIES = ("critical", "high", "moderate", "low")
CHANNELS = ("web", "email", "phone", "chat", "social", "alert", "community")
CASE_STATES = ("new", "in_progress", "pending", "resolved", "closed", "canceled")
ESCALATION_REASONS = ("urgency", "vip", "impact", "breach_risk", "customer_request")
SLA_STAGES = ("in_progress", "paused", "completed", "canceled")
ARTICLE_STATES = ("draft", "published", "retired")
VISIBILITIES = ("internal", "external")
USES = ("suggested", "applied", "resolution")
NOTICE_TYPES = ("report", "update", "alert", "reminder", "solution_proposal", "next_steps", "other")
NOTICE_STATUSES = ("success", "failed")
INTERACTION_STATUSES = ("open", "handled", "closed")

CITY_OF = dict(zip(COUNTRIES, CITIES, strict=True))
"""The one city of each country."""
