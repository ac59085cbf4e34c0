"""Unheld: what no source holds of a record, for requests that are out of scope."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.envs.enterprise_bench.answers import Date, Form, Number, Text


@dataclass(frozen=True, slots=True)
class Unheld:
    """A property that no source holds.

    Attributes:
        noun: What it is called, such that "the NOUN of ..." is English.
        form: What an answer would look like; its value is of no account.
    """

    noun: str
    form: Form


def _number(noun: str, unit: str) -> Unheld:
    return Unheld(noun, Number(value=0, unit=unit))


def _text(noun: str) -> Unheld:
    return Unheld(noun, Text(value="unknown", noun=noun))


def _date(noun: str) -> Unheld:
    return Unheld(noun, Date(value="2000-01-01"))


UNHELD: dict[str, tuple[Unheld, ...]] = {
    "employee": (_text("parking space"), _text("phone extension"), _text("T-shirt size"), _text("locker number")),
    "product": (_text("barcode"), _number("gross weight", "grams"), _number("decibel level", "decibels"), _text("factory")),
    "customer": (_text("postal code"), _number("loyalty points", "points"), _text("shoe size"), _text("fax number")),
    "repository": (_number("star count", "stars"), _number("download count", "downloads"), _text("mascot")),
    "issue": (_text("milestone"), _number("vote count", "votes"), _text("sprint")),
    "question": (_number("bounty", "points"), _number("bookmark count", "bookmarks")),
    "it_ticket": (_text("asset tag"), _number("satisfaction score", "points"), _text("remote session code")),
    "client": (_number("share price", "US dollars"), _number("headcount", "people"), _date("founding day")),
    "vendor": (_number("share price", "US dollars"), _number("headcount", "people"), _date("founding day")),
    "customer_order": (_text("tracking number"), _number("parcel weight", "grams"), _text("courier")),
    "support_chat": (_number("waiting time", "minutes"), _text("browser")),
    "policy_document": (_text("translator"), _number("page count", "pages")),
    "mail": (_text("message encoding"), _text("typeface"), _number("font size", "points")),
}
"""By table, what no source holds of its records."""
