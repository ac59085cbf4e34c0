"""What worlds of CSM are about: products, groups, troubles and service levels."""

from __future__ import annotations

SERIES = ("Corvus", "Lyra", "Vela", "Orion", "Draco", "Cygnus", "Aquila", "Norma", "Hydra", "Pavo", "Indus", "Carina")
KINDS = {
    "hardware": ("Router", "Switch", "Firewall", "Rack Server", "Storage Array", "Access Point"),
    "software": ("Backup Suite", "Database Server", "Mail Gateway", "Endpoint Guard"),
    "service": ("Managed Network Service", "On-site Repair Service"),
}
"""Kinds of products by category."""

TROUBLES = (
    "stops responding after the nightly restart",
    "drops every second connection",
    "reports a wrong licence count",
    "refuses the administrator password",
    "loses its settings after a power cut",
    "fills the log with checksum errors",
    "fails the weekly self-test",
    "overheats under normal load",
    "shows an empty status page",
    "cannot reach its update server",
    "sends duplicate alarms",
    "runs slowly since the last update",
)
"""What is wrong, after the product's name."""

REMEDIES = (
    "Stop the service, clear its cache and start it again.",
    "Install the latest firmware, then restart twice.",
    "Restore the last known settings from the backup.",
    "Replace the power supply and run the self-test.",
)

GROUPS = (
    ("Tier 1 Support", "support"),
    ("Tier 2 Support", "support"),
    ("Escalation Desk", "support"),
    ("Case Triage", "backoffice"),
    ("Field Service", "field"),
    ("Network Support", "support"),
    ("Hardware Support", "support"),
    ("Software Support", "support"),
    ("Contract Desk", "backoffice"),
    ("Repair Partners", "vendor"),
    ("Field Service North", "field"),
    ("Platform Support", "support"),
    ("Service Operations", "support"),
    ("Returns Desk", "backoffice"),
    ("Field Service South", "field"),
    ("Weekend Support", "support"),
    ("Tier 3 Support", "support"),
    ("Customer Care", "support"),
    ("Night Shift", "support"),
    ("Partner Desk", "vendor"),
)
"""Names and types of groups."""

TARGETS = {"response": (15, 30, 60, 120), "resolution": (240, 480, 1440, 2880)}
"""Target minutes of each metric, from critical to low."""
