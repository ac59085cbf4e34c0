"""What worlds of HR are made of: the catalogue, teams, skills, articles and phrases."""

from __future__ import annotations

CATALOGUE: tuple[tuple[str, str, tuple[tuple[str, tuple[tuple[str, str], ...]], ...]], ...] = (
    (
        "Pay",
        "Payroll",
        (
            (
                "Pay slips",
                (("Pay slip correction", "service_activity"), ("Pay slip copy", "manual"), ("Missing payment", "workflow")),
            ),
            ("Bank details", (("Bank account change", "workflow"), ("Salary split", "service_activity"))),
            ("Bonuses", (("Bonus payout", "advanced"), ("Overtime payout", "workflow"))),
        ),
    ),
    (
        "Benefits",
        "Total Rewards",
        (
            ("Health", (("Health plan enrolment", "lifecycle event"), ("Dental plan enrolment", "workflow"))),
            ("Pension", (("Pension contribution change", "service_activity"), ("Pension statement", "manual"))),
            ("Perks", (("Commuter allowance", "service_activity"), ("Gym subsidy", "manual"))),
        ),
    ),
    (
        "Workforce",
        "Workforce Administration",
        (
            ("Joining", (("Employee onboarding", "lifecycle event"), ("Contractor onboarding", "lifecycle event"))),
            ("Leaving", (("Employee offboarding", "lifecycle event"), ("Exit interview", "flow"))),
            ("Letters", (("Employment letter", "manual"), ("Visa support letter", "service_activity"))),
            ("Moves", (("Office transfer", "advanced"), ("Remote work agreement", "workflow"))),
        ),
    ),
    (
        "Growth",
        "Talent Management",
        (
            ("Learning", (("Course enrolment", "service_activity"), ("Certification refund", "workflow"))),
            ("Reviews", (("Performance review appeal", "advanced"), ("Goal setting session", "manual"))),
            ("Mobility", (("Internal transfer", "flow"), ("Promotion request", "advanced"))),
        ),
    ),
    (
        "HR systems",
        "HRIT",
        (
            ("Access", (("HR portal access", "service_activity"), ("Report access", "workflow"))),
            ("Data", (("Personal data correction", "service_activity"), ("Time sheet unlock", "manual"))),
        ),
    ),
    (
        "Absence",
        "Workforce Administration",
        (
            ("Leave", (("Parental leave", "lifecycle event"), ("Unpaid leave", "workflow"), ("Sabbatical", "advanced"))),
            ("Illness", (("Sick note registration", "manual"), ("Return to work plan", "flow"))),
        ),
    ),
    (
        "Conduct",
        "Talent Management",
        (("Complaints", (("Grievance", "manual"), ("Workplace conflict", "flow"))), ("Ethics", (("Ethics report", "advanced"),))),
    ),
    (
        "Rewards",
        "Total Rewards",
        (
            ("Awards", (("Spot award", "service_activity"), ("Anniversary gift", "manual"))),
            ("Equity", (("Share plan enrolment", "workflow"),)),
        ),
    ),
)
"""Categories with their centre; in each, topics with their services and how these are fulfilled."""
RETIRED = (("Pay", "Cheque payout"), ("Benefits", "Fitness voucher"), ("HR systems", "HR portal access (legacy)"))
"""Services that are no longer offered, by category."""
APPROVED = {
    "Bonus payout": "Pay approvals",
    "Overtime payout": "Pay approvals",
    "Salary split": "Pay approvals",
    "Promotion request": "Talent approvals",
    "Internal transfer": "Talent approvals",
    "Sabbatical": "Absence approvals",
    "Unpaid leave": "Absence approvals",
    "Certification refund": "Talent approvals",
    "Office transfer": "Absence approvals",
}
"""Services that need approval, with their criteria."""
CONFIDENTIAL = {
    "Grievance": "Employee relations only",
    "Workplace conflict": "Employee relations only",
    "Ethics report": "Ethics only",
}
"""Services whose cases few may handle, with their criteria."""
TEAMS: tuple[tuple[str, str, str], ...] = (
    ("HR Service Desk", "Service Desk", "Workforce Administration"),
    ("Payroll Operations", "Service Desk", "Payroll"),
    ("Benefits Team", "Service Desk", "Total Rewards"),
    ("Talent Team", "Service Desk", "Talent Management"),
    ("HR Systems", "IT Support", "HRIT"),
    ("HR Escalations", "Infrastructure Problem Team", ""),
    ("Pay Board", "Infrastructure Problem Team", ""),
    ("People Board", "Infrastructure Problem Team", ""),
    ("Employee Relations", "Field Support Technicians", ""),
    ("Ethics Office", "Field Support Technicians", ""),
    ("Payroll Night Shift", "Service Desk", "Payroll"),
    ("Onboarding Crew", "Field Support Technicians", "Workforce Administration"),
    ("Leave Office", "Service Desk", "Workforce Administration"),
    ("Rewards Studio", "IT Support", "Total Rewards"),
    ("Learning Office", "IT Support", "Talent Management"),
)
"""Teams with their type and the centre whose cases they take."""
CRITERIA: tuple[tuple[str, str, str], ...] = (
    ("Pay approvals", "approval", "Pay Board"),
    ("Talent approvals", "approval", "People Board"),
    ("Absence approvals", "approval", ""),
    ("Employee relations only", "case_visibility", "Employee Relations"),
    ("Ethics only", "case_visibility", "Ethics Office"),
)
"""Criteria with their type and group; without one they name users."""
CLUBS = (
    ("Office Wardens", "Field Support Technicians"),
    ("Culture Club", "Service Desk"),
    ("First Aiders", "Field Support Technicians"),
)
"""Groups that take no cases, and whose members may be anybody."""
SKILLS = (
    "Payroll tax",
    "Pension law",
    "Visa rules",
    "Benefits counselling",
    "Mediation",
    "German",
    "Japanese",
    "Hindi",
    "Contract drafting",
    "Data protection",
    "Leave law",
    "Recruiting",
    "Relocation",
    "Time keeping",
    "Reporting",
)
RETIRED_SKILLS = ("Fax handling", "Microfiche")
QUESTIONS = (
    (
        "Was your request solved?",
        "How friendly was the contact?",
        "How long did it take?",
        "What went well?",
        "What should change?",
    ),
    ("How satisfied are you?", "Was the answer clear?", "Would you use the service again?", None, None),
    ("How was your first week?", "Was your equipment ready?", "Did you know whom to ask?", None, None),
    ("Why do you leave?", "What would have kept you?", None, None, None),
)
ANSWERS = ("Yes", "Good", "Two days", "Quick and friendly", "Nothing", "It was fine", "Very satisfied", "Too slow")
ARTICLES: tuple[tuple[str, str], ...] = (
    ("Read your pay slip", "Payroll"),
    ("Change your bank account", "Payroll"),
    ("When bonuses are paid", "Payroll"),
    ("Choose a health plan", "Total Rewards"),
    ("How pension contributions work", "Total Rewards"),
    ("Commuter allowance by city", "Total Rewards"),
    ("First day checklist", "Workforce Administration"),
    ("Leaving the company", "Workforce Administration"),
    ("Letters for authorities", "Workforce Administration"),
    ("Parental leave step by step", "Workforce Administration"),
    ("Enrol in a course", "Talent Management"),
    ("How reviews are appealed", "Talent Management"),
    ("Moving to another team", "Talent Management"),
    ("Sign in to the HR portal", "HRIT"),
    ("Correct your personal data", "HRIT"),
    ("Unlock a time sheet", "HRIT"),
)
ITEMS = (
    "Identity checked",
    "Form signed",
    "Manager informed",
    "Record updated",
    "Documents filed",
    "Equipment ordered",
    "Access granted",
)
ASKS = (
    "{} for {}",
    "{}: {} asks for help",
    "{} requested by {}",
    "{} of {} is late",
)
NOTES = ("Called back.", "Waiting for documents.", "Form received.", "Checked with the team.", "Sent a reminder.")
ENDINGS = ("Done and confirmed.", "Solved at first contact.", "Corrected and explained.", "Completed as requested.")
STOPS = ("Withdrawn by the requester.", "Not eligible.", "Documents were never sent.")
