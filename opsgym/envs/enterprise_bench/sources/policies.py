"""Policy documents and their sections."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Day, Key, Number, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS

DOCUMENT = Table(
    "policy_document",
    (
        Key("document_id", prefix="doc", digits=3),
        Text("title", required=True, limit=120),
        Choice("department", values=tuple(DEPARTMENTS), required=True, doc="Department that owns it."),
        Whole("version", required=True, least=1),
        Day("effective_date", required=True),
        Whole("least_level", required=True, least=9, doc="Least level of readers outside the department."),
    ),
    resource="policy_document",
)
"""Documents."""

SECTION = Table(
    "policy_section",
    (
        Key("section_id", prefix="sec", digits=4),
        Ref("document_id", table="policy_document", required=True),
        Whole("number", required=True, least=1),
        Text("heading", required=True, limit=120),
        Text("body", required=True, limit=4000),
        Number("value", secret=True, doc="The number that the body states."),
        Text("unit", secret=True, doc="Its unit."),
    ),
    resource="policy_document",
    unique=(("document_id", "number"),),
)
"""Sections; each states one number."""

TABLES = (DOCUMENT, SECTION)


_RULES = (
    ("Notice", "Requests must be handed in {value} days before.", "days", (2, 30)),
    ("Approval", "Amounts beyond {value} rupees need the approval of a manager.", "rupees", (5000, 90000)),
    ("Review", "This policy is reviewed every {value} months.", "months", (3, 24)),
    ("Limit", "At most {value} hours a week may be spent on it.", "hours", (2, 20)),
    ("Records", "Records are kept for {value} years.", "years", (1, 10)),
    ("Training", "Everybody takes part in {value} trainings a year.", "trainings", (1, 6)),
)
_TITLES = {
    "Engineering": ("Code Review Policy", "Release Policy", "Open Source Policy"),
    "HR": ("Leave Policy", "Conduct Policy", "Recruiting Policy"),
    "Information Technology": ("Password Policy", "Device Policy", "Backup Policy"),
    "Sales": ("Discount Policy", "Returns Policy", "Account Policy"),
    "Business Development": ("Partner Policy", "Proposal Policy", "Trial Policy"),
    "BPO": ("Call Quality Policy", "Shift Policy", "Escalation Policy"),
    "Finance": ("Expense Policy", "Invoice Policy", "Audit Policy"),
    "Management": ("Vendor Policy", "Travel Policy", "Risk Policy"),
}


def fill(book: Ledger) -> None:
    """Write 24 documents, whatever the company's size."""
    draw = book.draw
    for department, titles in _TITLES.items():
        for title, least in zip(titles, (9, 9, 12), strict=True):
            since = book.today.replace(year=book.today.year - draw.randrange(1, 4), day=1)
            document = book.add(
                "policy_document",
                title=title,
                department=department,
                version=draw.randrange(1, 6),
                effective_date=since.isoformat(),
                least_level=least,
            )
            chosen = draw.sample(_RULES, 4)
            for number, (heading, text, unit, (low, high)) in enumerate(chosen, 1):
                value = draw.randrange(low, high) // (1000 if high > 1000 else 1) * (1000 if high > 1000 else 1)
                book.add(
                    "policy_section",
                    document_id=document["document_id"],
                    number=number,
                    heading=heading,
                    body=text.format(value=value),
                    value=float(value),
                    unit=unit,
                )
