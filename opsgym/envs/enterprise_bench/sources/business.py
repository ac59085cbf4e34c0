"""Business and management: clients and vendors."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Day, Key, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger
from opsgym.envs.enterprise_bench.words import CITIES, FIRM_FIRST, FIRM_KIND, FIRST, LAST, STREETS

INDUSTRIES = ("Banking", "Energy", "Healthcare", "Hospitality", "Logistics", "Manufacturing", "Retail", "Telecom")
"""Industries of clients and vendors."""

CLIENT = Table(
    "client",
    (
        Key("client_id", prefix="client", digits=4),
        Text("business_name", required=True, limit=120),
        Choice("industry", values=INDUSTRIES, required=True),
        Choice("business_type", values=("B2B", "B2C", "D2C"), required=True),
        Text("contact_person_name", required=True, limit=120),
        Text("contact_email", required=True, form="email"),
        Text("phone_number", required=True, form="phone"),
        Text("registered_address", required=True, limit=200),
        Text("tax_id", required=True, limit=20),
        Whole("monthly_revenue", required=True, least=0, doc="Revenue a month, in US dollars."),
        Day("onboarding_date", required=True),
        Text("current_poc_product", required=True, limit=100),
        Choice("poc_status", values=("planned", "ongoing", "completed", "cancelled"), required=True),
        Text("engagement_description", required=True, limit=1000),
        Ref("emp_id", table="employee", required=True, doc="Employee who represents us."),
    ),
    resource="client",
    indexes=(("emp_id",), ("business_name",)),
)
"""Clients."""

VENDOR = Table(
    "vendor",
    (
        Key("vendor_id", prefix="vendor", digits=4),
        Text("business_name", required=True, limit=120),
        Choice("industry", values=INDUSTRIES, required=True),
        Choice("business_type", values=("Integration Partner", "Referral Partner", "Supplier", "Contractor"), required=True),
        Text("registered_address", required=True, limit=200),
        Text("tax_id", required=True, limit=20),
        Day("onboarding_date", required=True),
        Text("relationship_description", required=True, limit=1000),
        Ref("emp_id", table="employee", required=True, doc="Employee who manages the relation."),
    ),
    resource="vendor",
    indexes=(("emp_id",), ("business_name",)),
)
"""Vendors."""

TABLES = (CLIENT, VENDOR)


_POC = ("Personalization Engine", "Demand Forecast", "Support Bot", "Price Watch", "Returns Portal", "Route Planner")
_ROLE = {
    "Integration Partner": "Connects our systems with those of others",
    "Referral Partner": "Brings us customers",
    "Supplier": "Delivers goods",
    "Contractor": "Does work for us",
}


def fill(book: Ledger) -> None:
    """Write clients and vendors; those in charge are employed."""
    draw = book.draw
    names = [f"{first} {kind}" for first in FIRM_FIRST for kind in FIRM_KIND]
    count = book.count(400, 40)
    draw.shuffle(names)
    heads = [row for row in book.of("Business Development") if row["is_valid"]]
    for name in names[:count]:
        person = f"{draw.choice(FIRST)} {draw.choice(LAST)}"
        product, status = draw.choice(_POC), draw.choice(("planned", "ongoing", "ongoing", "completed", "cancelled"))
        weeks = draw.randrange(4, 30)
        book.add(
            "client",
            business_name=name,
            industry=draw.choice(INDUSTRIES),
            business_type=draw.choice(("B2B", "B2C", "D2C")),
            contact_person_name=person,
            contact_email=f"{person.lower().replace(' ', '.')}@{name.lower().replace(' ', '-')}.example",
            phone_number=f"+1-{draw.randrange(200, 999)}-555-{draw.randrange(10000):04d}",
            registered_address=f"{draw.randrange(1, 200)} {draw.choice(STREETS)}, {draw.choice(CITIES)}",
            tax_id=f"TX{draw.randrange(10**7):07d}",
            monthly_revenue=draw.randrange(50, 4000) * 1000,
            onboarding_date=_onboarded(book),
            current_poc_product=product,
            poc_status=status,
            engagement_description=f"Trial of {product} over {weeks} weeks.",
            emp_id=draw.choice(heads)["emp_id"],
        )
    heads = [row for row in book.of("Management") if row["is_valid"]]
    for name in names[count : 2 * count]:
        kind, years = draw.choice(tuple(_ROLE)), draw.randrange(1, 6)
        book.add(
            "vendor",
            business_name=name,
            industry=draw.choice(INDUSTRIES),
            business_type=kind,
            registered_address=f"{draw.randrange(1, 200)} {draw.choice(STREETS)}, {draw.choice(CITIES)}",
            tax_id=f"TX{draw.randrange(10**7):07d}",
            onboarding_date=_onboarded(book),
            relationship_description=f"{_ROLE[kind]}, under a contract of {years} years.",
            emp_id=draw.choice(heads)["emp_id"],
        )


def _onboarded(book: Ledger) -> str:
    return book.day((book.today.replace(year=book.today.year - 5), book.today.replace(day=1))).isoformat()
