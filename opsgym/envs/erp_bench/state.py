"""Backend-neutral state of an ERP: what the verifier reads, whatever engine holds the records.

Records carry stable keys (partner ref, product code, work-center code, document name), never database ids.
Money is in dollars as the ERP stores it, quantities are floats, dates are ``datetime.date`` or ``None``.
Bad records are exported as they are; nothing is filtered here.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Literal

DocState = Literal["draft", "confirmed", "done", "cancelled"]


@dataclass(frozen=True, slots=True)
class SaleLine:
    """A line of a sales order; ``product`` is ``None`` for notes and sections."""

    product: str | None
    quantity: float
    price: float
    is_downpayment: bool = False


@dataclass(frozen=True, slots=True)
class Sale:
    """A sales order; ``ref`` is its client_order_ref, ``payment_term`` the term's name."""

    name: str
    ref: str | None
    customer: str | None
    state: DocState
    commitment: dt.date | None
    payment_term: str | None
    amount_untaxed: float
    lines: tuple[SaleLine, ...]


@dataclass(frozen=True, slots=True)
class PurchaseLine:
    """A line of a purchase order; ``price`` is what a unit costs after discount, ``planned`` its delivery date."""

    product: str | None
    quantity: float
    price: float
    planned: dt.date | None


@dataclass(frozen=True, slots=True)
class Purchase:
    """A purchase order; ``origins`` are the comma-separated tokens of its source field, stripped."""

    name: str
    vendor: str | None
    state: DocState
    origins: tuple[str, ...]
    lines: tuple[PurchaseLine, ...]


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """A work order of a manufacturing order."""

    center: str | None
    state: str
    start: dt.date | None
    finish: dt.date | None


@dataclass(frozen=True, slots=True)
class Production:
    """A manufacturing order; ``raw`` are (component code, quantity) of its live raw moves."""

    name: str
    product: str | None
    quantity: float
    state: DocState
    start: dt.date | None
    deadline: dt.date | None
    finish: dt.date | None
    origins: tuple[str, ...]
    work_orders: tuple[WorkOrder, ...]
    raw: tuple[tuple[str | None, float], ...]


@dataclass(frozen=True, slots=True)
class Invoice:
    """A customer invoice.

    ``sales`` are the names of the sales orders that its lines are linked to; ``kind`` is ``"regular"``,
    ``"downpayment"`` or ``"other"`` (unclassifiable: mixed or without linked lines).
    """

    name: str
    partner: str | None
    state: Literal["draft", "posted", "cancelled"]
    payment_term: str | None
    amount_untaxed: float
    amount_total: float
    sales: tuple[str, ...]
    kind: Literal["regular", "downpayment", "other"]


@dataclass(frozen=True, slots=True)
class Change:
    """A record that differs between two worlds.

    ``kind`` is ``"created"``, ``"changed"`` or ``"deleted"``; ``key`` is the record's stable key; ``fields``
    are the names of the differing columns.
    """

    model: str
    key: str
    kind: Literal["created", "changed", "deleted"]
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ErpState:
    """Everything that an agent can leave behind, in a fixed order (by document name)."""

    today: dt.date
    sales: tuple[Sale, ...] = ()
    purchases: tuple[Purchase, ...] = ()
    productions: tuple[Production, ...] = ()
    invoices: tuple[Invoice, ...] = ()
    master_changes: tuple[Change, ...] = field(default=())
    """Differences of all records that are no documents of the four kinds above (partners, products, offers,
    bills of materials, work centers, stock, settings, other tables), against the seeded world."""
    moved_stock: tuple[Change, ...] = field(default=())
    """Stock moves done, receipts or productions finished: legal in the ERP, outside the license of a plan."""
    touched: tuple[Change, ...] = field(default=())
    """What differs on documents that were there at the start, on sales orders down to lines and transfers; the key is the
    document's name."""
    loose: tuple[str, ...] = ()
    """Names of confirmed documents whose goods are not planned to move in the quantity and on the day that they state."""
