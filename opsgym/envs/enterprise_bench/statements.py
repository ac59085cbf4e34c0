"""Statements: what a text must hold that passes an answer on, and how it is told that it states it and no other."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from typing import Any

from opsgym.envs.enterprise_bench.answers import NONE, SCALE, Date, Form, Ids, Number, Word, plain


def holds(value: Any, needle: str) -> bool:
    """Whether a text contains another one, and not as a part of a longer word, number or id.

    Numbers may have commas between thousands, and a ``v`` in front; dates may be spoken ones, with the month as a word.  A needle
    ``only KIND: A | B`` is held by a text that names none of that kind but these, ``not: A | B`` by one that holds none of these.

    Example:
        >>> holds("The prices: 5 and 12.", "5"), holds("See tick_00015, 0.5", "5"), holds("In JavaScript", "Java")
        (True, False, False)
        >>> holds("It is 572,000 now.", "572000"), holds("On September 22nd, 2026", "2026-09-22"), holds("v3.1", "3")
        (True, True, False)
        >>> holds("About 1,200.50 rupees", "1200.5 +- 0.01"), holds("1200.52", "1200.5 +- 0.01"), holds("4/5", "4 of 5")
        (True, False, True)
        >>> holds("emp_0001 or emp_0002", "only emp: emp_0001"), holds("Go or Java", "not: Java | Python")
        (False, False)
    """
    text, wanted = plain(value), plain(needle)
    if limit := _LIMIT.fullmatch(needle):
        listed = limit[2].split(" | ") if limit[2] else []
        if limit[1] == "not":
            return not any(holds(value, item) for item in listed)
        kind = limit[1].removeprefix("only ")
        if kind in _KINDS:
            return {found.strip("./-") for found in _named(text, kind, listed)} <= set(map(plain, listed))
        return all(any(holds(found, item) for item in listed) for found in _named(text, kind, listed))
    if about := _ABOUT.fullmatch(wanted):
        right, off = float(about[1]), float(about[2] or 0) + 1e-9
        return any(abs(float(found.replace(",", "")) - right) <= off for found in _numbers(text, about[3]))
    start = _START if wanted[:1].isdecimal() else _WORD_START
    end = _END if wanted[-1:].isdecimal() else _WORD_END
    return any(re.search(start + form + end, text) for form in (re.escape(wanted), *_spoken(wanted)))


def needles(form: Form, told: str = "") -> tuple[str, ...]:
    """What a text that states the answer and no other one holds, for :func:`holds`; an empty list is stated as ``none``.

    Args:
        form: The answer.
        told: The request: what it names is no other answer, for example the employee whose manager is asked for.
    """
    if isinstance(form, Word):
        others = [option for option in form.options if plain(option) != plain(form.value)]
        return (form.value, f"not: {' | '.join(others)}") if others else (form.value,)
    if isinstance(form, Ids):
        right = form.values or (NONE,)
        kind = _kind(form.values[0]) if form.values else ("-" if form.noun == "repository names" else form.noun)
    elif isinstance(form, Number):
        scale = SCALE.search(form.unit)
        off = f" +- {form.tolerance:g}" if form.tolerance else ""
        right, kind = (f"{form.answer()}{off}{f' of {scale[1]}' if scale else ''}",), "numbers"
    else:
        right, kind = (form.value,), "dates" if isinstance(form, Date) else _kind(form.value)
    if not kind:
        return right
    free = [item for item in _named(plain(told), kind, right) if not any(holds(item, one) for one in right)]
    return (*right, f"only {kind}: {' | '.join(dict.fromkeys((*right, *free)))}")


def another(needle: str) -> str:
    """Something that a text with the needle of what it must not name else does not name; nothing for other needles.

    Example:
        >>> another("not: Java | Go"), another("only emp: emp_0001"), another("Go")
        ('Java', 'emp_987654', '')
    """
    limit = _LIMIT.fullmatch(needle)
    if limit is None or limit[1] == "not":
        return limit[2].split(" | ")[0] if limit else ""
    kind = limit[1].removeprefix("only ")
    return _OTHERS.get(kind, f"{kind.split()[0]}_987654")


def _kind(value: str) -> str:
    """The kind of an id, an address, a path, a level code or a name with a hyphen; nothing for other texts."""
    text = plain(value)
    if found := re.fullmatch(_ID, text):
        return found[1]
    return next((kind for kind, pattern in _KINDS.items() if re.fullmatch(pattern, text)), "")


def _named(text: str, kind: str, listed: Sequence[str]) -> list[str]:
    """Everything of a kind that a plain text names; ids are of a kind that begins with their prefix."""
    if kind == "numbers":
        return _numbers(text, next((about[3] for item in listed if (about := _ABOUT.fullmatch(item)) and about[3]), None))
    if kind == "dates":
        return [found[0] for pattern in _DATES for found in pattern.finditer(text)]
    if kind in _KINDS:
        return re.findall(_KINDS[kind], text)
    return [found[0] for found in re.finditer(_WORD_START + _ID + _END, text) if kind.startswith(found[1])]


def _numbers(text: str, scale: str | None) -> list[str]:
    """The numbers in a plain text, without those of dates and times, and without the end of a scale, as in ``4 of 5``."""
    for pattern in (*_DATES, _TIME):
        text = pattern.sub(" _ ", text)
    if scale:
        text = re.sub(rf"(?<=\d) ?(?:points? )?(?:/|(?:out )?of) ?{scale}{_END}", "", text)
    return [found[1] for found in _WRITTEN.finditer(text)]


def _spoken(wanted: str) -> Iterator[str]:
    """Patterns of a date with its month as a word, as ``22 September 2026`` or ``Sep 22nd, 2026``."""
    try:
        day = dt.datetime.strptime(wanted, "%Y-%m-%d")
    except ValueError:
        return
    name = _MONTHS[day.month - 1]
    yield from _said(f"0?{day.day}", f"(?:{name}|{name[:3]}|{name[:4]})", str(day.year))


def _said(day: str, month: str, year: str) -> tuple[str, str]:
    number = f"{day}(?:st|nd|rd|th)?"
    return rf"{number} (?:of )?{month} {year}", rf"{month} (?:the )?{number} {year}"


_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


_START, _END = r"(?<![\w.,/-])", r"(?![\d/-]|[.,]\d)"
"""What a number or an id is not preceded and followed by."""


_WRITTEN = re.compile(_START + r"v?((?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|0|[1-9][0-9]*)(?:\.[0-9]+)?)" + _END)
"""A number in a text."""


_WORD_START, _WORD_END = r"(?<!\w)(?<!\w[-/.@])", r"(?!\w|[-/.@]\w)"
"""What a word is not preceded and followed by."""


_ABOUT = re.compile(r"((?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(?: \+- ([0-9.e-]+))?(?: of ([0-9]+))?")
"""A number that a text is to hold, by how much it may be off, and the end of its scale."""


_LIMIT = re.compile(r"(only [^:]+|not): ?(.*)", re.DOTALL)
"""A needle that says what else a text must not name."""


_ID = r"([a-z]+)_[0-9]+"
"""An id with its prefix."""


_KINDS = {
    "@": r"(?<![\w.+-])[\w.+-]+@[\w.-]*\w",
    "/": r"(?<![\w./-])[\w./-]+/[\w.-]*\.\w+",
    "codes": r"(?<!\w)[a-z]{2}[0-9]{2}(?!\w)",
    "-": r"(?<![\w-])[a-z]{3,}-[a-z]{3,}(?![\w-])",
}
"""Kinds of texts besides ids: addresses, paths, level codes, and names as ``billing-core``."""


_OTHERS = {
    "numbers": "987654321",
    "dates": "1 January 1901",
    "@": "nobody@other.example",
    "/": "no/such.file",
    "codes": "ZZ99",
    "-": "another-name",
}
"""Of each kind besides ids something that no task wants."""


_MONTH = f"(?:{'|'.join(f'{name}|{name[:4]}|{name[:3]}' for name in _MONTHS)})"


_DATES = tuple(
    re.compile(start + form + _END)
    for start, form in zip(
        (_START, _START, _WORD_START), (r"[0-9]{4}-[0-9]{2}-[0-9]{2}", *_said("[0-9]{1,2}", _MONTH, "[0-9]{4}")), strict=True
    )
)
"""Dates in a text."""


_TIME = re.compile(r"(?<![\w:])[0-9]{1,2}(?::[0-9]{2}){1,2}(?![\w:])")
"""A time of day in a text."""
