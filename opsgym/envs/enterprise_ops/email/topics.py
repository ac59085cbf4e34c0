"""What mail in generated worlds is about; all of our own wording."""

from __future__ import annotations

from dataclasses import dataclass

PROJECTS = ("Falcon", "Harvest", "Lighthouse", "Northstar", "Orchard", "Pioneer", "Quicksilver", "Redwood", "Skylark", "Tandem")
"""Names of projects."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A kind of mail.

    Attributes:
        label: The label that its reader puts on it, with ``{firm}`` and ``{project}``; empty for none.
        subject: With ``{firm}``, ``{project}``, ``{number}`` and ``{city}``.
        text: The same.
        file: Name of an attachment, or empty.
        outside: Whether it comes from clients; else from colleagues.
    """

    label: str
    subject: str
    text: str
    file: str = ""
    outside: bool = True


TOPICS = (
    Topic(
        "Invoices",
        "Invoice {number} from {firm}",
        "Please find invoice {number} attached. Payment is due within thirty days.",
        "invoice-{number}.pdf",
    ),
    Topic("Invoices", "Reminder: invoice {number} is open", "Our records show invoice {number} as unpaid. Please check."),
    Topic("Clients/{firm}", "Question on order {number}", "Could you tell us when order {number} will ship to {city}?"),
    Topic("Clients/{firm}", "Visit in {city}", "We would like to see you at our site in {city}. Which week suits you?"),
    Topic(
        "Clients/{firm}",
        "Contract draft {number}",
        "Attached is the draft of contract {number}. Please send your remarks by Friday.",
        "contract-{number}.docx",
    ),
    Topic("Complaints", "Late delivery {number}", "Delivery {number} reached {city} four days late, and two boxes were damaged."),
    Topic("Travel", "Booking {number} for {city}", "Your booking {number} for {city} is confirmed.", "booking-{number}.pdf"),
    Topic("", "Our spring newsletter", "News from {firm}: new offices in {city}, and a word from our founders."),
    Topic("", "Special offer for you", "Only this week: a discount on everything that {firm} makes."),
    Topic("Projects/{project}", "{project}: weekly notes", "Notes of the week: milestone {number} is on track.", "", False),
    Topic(
        "Projects/{project}",
        "{project}: budget",
        "Here is the budget of {project}, version {number}. Please comment.",
        "budget-{number}.xlsx",
        False,
    ),
    Topic("Projects/{project}", "{project}: risk {number}", "Risk {number} has become likely. Shall we talk?", "", False),
    Topic("Hiring", "Candidate {number}", "Candidate {number} comes to {city} next week. Who joins?", "cv-{number}.pdf", False),
    Topic("", "Lunch on Thursday?", "A few of us go to the new place near the office in {city}. Are you in?", "", False),
    Topic("", "Desk move", "Your desk moves to floor {number} at the end of the month.", "", False),
)
"""The kinds."""
