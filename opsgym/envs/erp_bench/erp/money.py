"""Amounts and dates that several documents compute alike."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

from opsgym.envs.erp_bench.erp.errors import invalid

if TYPE_CHECKING:
    from opsgym.envs.erp_bench.erp.model import Model


def round_cents(amount: float) -> float:
    """An amount rounded to cents, half away from zero, whatever its binary representation."""
    scaled = abs(amount) * 100
    if scaled >= 2**52:
        return amount
    return math.copysign(math.floor(scaled + 0.5 + 1e-6) / 100, amount) + 0.0


def add_days(moment: str, days: float) -> str:
    """A datetime value some days later (whole days).

    Raises:
        ErpError: The result is outside the calendar.
    """
    try:
        return (dt.datetime.fromisoformat(moment) + dt.timedelta(days=int(days))).isoformat(" ")
    except OverflowError:
        raise invalid(f"{days} days after {moment} lies outside the calendar") from None


def add_minutes(moment: str, minutes: float) -> str:
    """A datetime value some minutes later, in whole seconds.

    Raises:
        ErpError: The result is outside the calendar.
    """
    try:
        return (dt.datetime.fromisoformat(moment) + dt.timedelta(seconds=round(minutes * 60))).isoformat(" ", "seconds")
    except OverflowError:
        raise invalid(f"{minutes} minutes after {moment} lies outside the calendar") from None


def line_amounts(lines: Model, ids: list[int], *, quantity: str) -> None:
    """Store subtotal, tax and total of order or invoice lines; taxes are percentages on top of the price.

    Args:
        lines: A model with ``price_unit``, ``discount``, ``tax_ids`` and the three amounts.
        ids: Its lines.
        quantity: Name of its quantity field.
    """
    relation = lines.fields["tax_ids"].relation
    assert relation is not None
    table, own, other = relation
    for one in ids:
        count, price, discount = lines.get(one, quantity, "price_unit", "discount")
        subtotal = round_cents(count * price * (1 - discount / 100))
        rates = lines.rows(
            f"SELECT t.amount FROM account_tax t JOIN {table} r ON r.{other} = t.id WHERE r.{own} = ? ORDER BY t.id", one
        )
        tax = round_cents(sum(round_cents(subtotal * rate / 100) for (rate,) in rates))
        lines.put([one], price_subtotal=subtotal, price_tax=tax, price_total=round_cents(subtotal + tax))


def store_totals(documents: Model, ids: list[int], field: str) -> None:
    """Store untaxed amount, tax and total of documents as the sums over their lines ``field``."""
    link = documents.fields[field]
    table = link.comodel.replace(".", "_")
    sql = f"SELECT COALESCE(SUM(price_subtotal), 0), COALESCE(SUM(price_tax), 0) FROM {table} WHERE {link.inverse} = ?"
    for one in ids:
        untaxed, tax = (round_cents(amount) for amount in documents.rows(sql, one)[0])
        documents.put([one], amount_untaxed=untaxed, amount_tax=tax, amount_total=round_cents(untaxed + tax))
