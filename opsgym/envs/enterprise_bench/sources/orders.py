"""Financial system: orders, their lines, and invoices."""

from __future__ import annotations

import datetime as dt

from opsgym.core.records.columns import Choice, Day, Key, Number, Ref, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger, Row

ORDER = Table(
    "customer_order",
    (
        Key("order_id", prefix="order", digits=4),
        Ref("customer_id", table="customer", required=True),
        Day("order_date", required=True),
        Day("shipped_date", doc="Empty while it is not shipped."),
        Choice("status", values=("placed", "shipped", "delivered", "cancelled"), required=True, default="placed"),
    ),
    resource="customer_order",
    indexes=(("customer_id",),),
)
"""Orders."""

LINE = Table(
    "order_line",
    (
        Key("line_id", prefix="line", digits=5),
        Ref("order_id", table="customer_order", required=True),
        Ref("product_id", table="product", required=True),
        Whole("quantity", required=True, least=1),
        Number("unit_price", required=True, least=0, doc="In rupees."),
    ),
    resource="customer_order",
    indexes=(("order_id",), ("product_id",)),
)
"""Lines of orders."""

INVOICE = Table(
    "invoice",
    (
        Key("invoice_id", prefix="inv", digits=4),
        Ref("order_id", table="customer_order", required=True),
        Ref("customer_id", table="customer", required=True),
        Day("issued_on", required=True),
        Day("due_on", required=True),
        Number("amount", required=True, least=0, doc="Sum of the order's lines, in rupees."),
        Choice("status", values=("open", "paid"), required=True, default="open"),
        Day("paid_on"),
    ),
    resource="invoice",
    unique=(("order_id",),),
    indexes=(("customer_id",),),
    checks={"(status = 'paid') = (paid_on IS NOT NULL)": "paid_on: expected exactly where it is paid"},
)
"""Invoices."""

TABLES = (ORDER, LINE, INVOICE)


def fill(book: Ledger) -> None:
    """Write orders with their lines; those that were shipped have an invoice."""
    draw = book.draw
    for _ in range(book.count(270, 72)):
        customer = draw.choice(book.rows["customer"])
        day = book.day((book.today.replace(year=book.today.year - 2), book.today))
        status = draw.choice(("placed", "shipped", "delivered", "delivered", "cancelled"))
        is_sent = status in ("shipped", "delivered")
        sent = min(day + dt.timedelta(days=draw.randrange(1, 10)), book.today - dt.timedelta(days=1))
        order = book.add(
            "customer_order",
            customer_id=customer["customer_id"],
            order_date=min(day, sent).isoformat(),
            shipped_date=sent.isoformat() if is_sent else None,
            status=status,
        )
        amount = 0.0
        for product in draw.sample(book.rows["product"], draw.randrange(1, 4)):
            quantity = draw.randrange(1, 20)
            amount += quantity * product["discounted_price"]
            book.add(
                "order_line",
                order_id=order["order_id"],
                product_id=product["product_id"],
                quantity=quantity,
                unit_price=product["discounted_price"],
            )
        if is_sent:
            _invoice(book, order, amount, sent)


def _invoice(book: Ledger, order: Row, amount: float, sent: dt.date) -> None:
    due = sent + dt.timedelta(days=30)
    paid = sent + dt.timedelta(days=book.draw.randrange(5, 60))
    is_paid = paid < book.today and book.draw.random() < 0.8
    book.add(
        "invoice",
        order_id=order["order_id"],
        customer_id=order["customer_id"],
        issued_on=sent.isoformat(),
        due_on=due.isoformat(),
        amount=amount,
        status="paid" if is_paid else "open",
        paid_on=paid.isoformat() if is_paid else None,
    )
