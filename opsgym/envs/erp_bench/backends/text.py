"""Texts of a live ERP: HTML fields, and what has no field of its own there."""

from __future__ import annotations

import html
import re

_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li)>\s*(?=<(?:p|div|li)\b)", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_COST = re.compile(r"Cost per unit: (\d+(?:\.\d+)?)")


def markup(text: str) -> str:
    r"""Plain text as HTML.

    Example:
        >>> markup("R&D only\n5 units")
        'R&amp;D only<br>5 units'
    """
    return html.escape(text, quote=False).replace("\n", "<br>")


def plain(text: str) -> str:
    r"""The text of HTML; text without tags stays as it is.

    Example:
        >>> plain("<p>R&amp;D only<br/>5 units</p>")
        'R&D only\n5 units'
        >>> plain("R&amp;D < 5")
        'R&amp;D < 5'
    """
    if not _TAG.search(text):
        return text
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", text)))


def cost_note(unit_cost: float) -> str:
    """How the note of an operation states the cost of a unit, for which Odoo has no field."""
    return f"Cost per unit: {unit_cost}"


def noted_cost(note: str) -> float:
    """The cost of a unit that an operation's note states; 0 where it states none.

    Example:
        >>> noted_cost("<p>" + cost_note(12.5) + "</p>")
        12.5
    """
    found = _COST.search(plain(note))
    return float(found.group(1)) if found else 0.0
