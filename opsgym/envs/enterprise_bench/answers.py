"""Answers: the forms that a task can want, and how well what was submitted fits; no language model judges."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from opsgym.core.task import Frozen


class Ids(Frozen):
    """A set of ids or names, graded by F1.

    Attributes:
        values: The right ones.
        noun: What they are, for example ``"ticket ids"``.
    """

    kind: Literal["ids"] = "ids"
    values: tuple[str, ...]
    noun: str = "ids"

    def wanted(self) -> str:
        """The form in words."""
        return f"a list of {self.noun}, empty if there are none"

    def answer(self) -> Any:
        """The right answer."""
        return list(self.values)

    def score(self, given: Any) -> float:
        """F1 of what was given, where each counts once; a single text with commas is a list too."""
        listed = given.split(",") if isinstance(given, str) else given
        if not isinstance(listed, list):
            return 0.0
        found, right = {plain(item) for item in listed if plain(item)}, {plain(item) for item in self.values}
        if not found and not right:
            return 1.0
        hits = len(found & right)
        return 2 * hits / (len(found) + len(right)) if hits else 0.0


class Number(Frozen):
    """A number.

    Attributes:
        value: The right one.
        unit: Its unit, for example ``"days"``.
        tolerance: By how much it may be off.
    """

    kind: Literal["number"] = "number"
    value: float
    unit: str
    tolerance: float = 0.0

    def wanted(self) -> str:
        """The form in words."""
        about = f", within {self.tolerance:g}" if self.tolerance else ""
        return f"a number ({self.unit}{about})"

    def answer(self) -> Any:
        """The right answer."""
        return int(self.value) if float(self.value).is_integer() else self.value

    def score(self, given: Any) -> float:
        """1 for a number that is near enough, as a number or as text with or without the unit."""
        found = _number(given, self.unit)
        return float(found is not None and abs(found - self.value) <= self.tolerance + 1e-9)


class Date(Frozen):
    """A date.

    Attributes:
        value: The right one, as ``YYYY-MM-DD``.
    """

    kind: Literal["date"] = "date"
    value: str

    def wanted(self) -> str:
        """The form in words."""
        return "a date, as YYYY-MM-DD"

    def answer(self) -> Any:
        """The right answer."""
        return self.value

    def score(self, given: Any) -> float:
        """1 for the date in ISO 8601, a time of day after it does not matter."""
        try:
            return float(isinstance(given, str) and dt.datetime.fromisoformat(given.strip()).date().isoformat() == self.value)
        except ValueError:
            return 0.0


class Word(Frozen):
    """One of several words.

    Attributes:
        value: The right one.
        options: All of them.
    """

    kind: Literal["word"] = "word"
    value: str
    options: tuple[str, ...]

    def wanted(self) -> str:
        """The form in words."""
        return f"one of: {', '.join(self.options)}"

    def answer(self) -> Any:
        """The right answer."""
        return self.value

    def score(self, given: Any) -> float:
        """1 for the word."""
        return float(isinstance(given, str) and plain(given) == plain(self.value))


class Text(Frozen):
    """A short text, compared without case, accents, punctuation and repeated spaces.

    Attributes:
        value: The right one.
        also: Others that are right.
        noun: What it is.
    """

    kind: Literal["text"] = "text"
    value: str
    also: tuple[str, ...] = ()
    noun: str = "text"

    def wanted(self) -> str:
        """The form in words."""
        return f"the {self.noun} as a text, nothing else"

    def answer(self) -> Any:
        """The right answer."""
        return self.value

    def score(self, given: Any) -> float:
        """1 for one of the texts."""
        is_text = isinstance(given, str | int) and not isinstance(given, bool)
        return float(is_text and plain(given) in {plain(self.value), *map(plain, self.also)})


Form = Annotated[Ids | Number | Date | Word | Text, Field(discriminator="kind")]
"""What a task wants as its answer."""


FEW = 100
"""Whole numbers up to this one are found by chance, by who draws numbers."""


def is_guessable(form: Form) -> bool:
    """Whether the right answer is one of few: a word of a closed list, an empty set, a small whole number."""
    if isinstance(form, Number):
        return form.value in range(FEW + 1)
    return isinstance(form, Word) or (isinstance(form, Ids) and not form.values)


def plain(value: Any) -> str:
    """A text without case, accents, punctuation at words' ends and repeated spaces.

    Example:
        >>> plain("  René  O'Neil. "), plain("emp_0012,")
        ("rene o'neil", 'emp_0012')
    """
    bare = "".join(mark for mark in unicodedata.normalize("NFKD", str(value)) if not unicodedata.combining(mark))
    return " ".join(word for part in bare.casefold().split() if (word := part.strip(".,;:!?\"'()[]")))


def holds(value: Any, needle: str) -> bool:
    """Whether a text contains another one, and not as a part of a longer number or id.

    Numbers may have commas between thousands, and a ``v`` in front; dates may be spoken ones, with the month as a word.

    Example:
        >>> holds("The prices: 5 and 12.", "5"), holds("See tick_00015, 0.5", "5"), holds("Two mailboxes", "mailbox")
        (True, False, True)
        >>> holds("It is 572,000 now.", "572000"), holds("On September 22nd, 2026", "2026-09-22"), holds("v3.1", "3")
        (True, True, False)
        >>> holds("About 1,200.50 rupees", "1200.5 +- 0.01"), holds("1200.52", "1200.5 +- 0.01")
        (True, False)
    """
    text, wanted = plain(value), plain(needle)
    if about := _ABOUT.fullmatch(wanted):
        right, off = float(about[1]), float(about[2] or 0) + 1e-9
        return any(abs(float(found[1].replace(",", "")) - right) <= off for found in _WRITTEN.finditer(text))
    start = _START if wanted[:1].isdecimal() else ""
    end = _END if wanted[-1:].isdecimal() else ""
    return any(re.search(start + form + end, text) for form in (re.escape(wanted), *_spoken(wanted)))


def needles(form: Form) -> tuple[str, ...]:
    """What a text that states the answer holds, for :func:`holds`; an empty list is stated as ``none``."""
    if isinstance(form, Ids):
        return form.values or ("none",)
    if isinstance(form, Number) and form.tolerance:
        return (f"{form.answer()} +- {form.tolerance:g}",)
    return (str(form.answer()),)


def _spoken(wanted: str) -> Iterator[str]:
    """Patterns of a date with its month as a word, as ``22 September 2026`` or ``Sep 22nd, 2026``."""
    try:
        day = dt.datetime.strptime(wanted, "%Y-%m-%d")
    except ValueError:
        return
    name = _MONTHS[day.month - 1]
    month = f"(?:{name}|{name[:3]}|{name[:4]})"
    number = f"0?{day.day}(?:st|nd|rd|th)?"
    yield rf"{number} (?:of )?{month} {day.year}"
    yield rf"{month} (?:the )?{number} {day.year}"


_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)

_START, _END = r"(?<![\w.,/-])", r"(?![\d/-]|[.,]\d)"
"""What a number or an id is not preceded and followed by."""

_WRITTEN = re.compile(_START + r"v?((?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|0|[1-9][0-9]*)(?:\.[0-9]+)?)" + _END)
"""A number in a text."""

_ABOUT = re.compile(r"((?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(?: \+- ([0-9.e-]+))?")
"""A number that a text is to hold, and by how much it may be off."""

_NUMBER = re.compile(r"[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?", re.ASCII)
"""A number as text; commas stand between thousands."""


def _number(given: Any, unit: str) -> float | None:
    """A number as agents write it: ``12``, ``"12"``, ``"1 day"``, ``"1,200.50 rupees"``."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    if isinstance(given, str):
        text = plain(given).removesuffix(plain(unit)).removesuffix(plain(unit).removesuffix("s")).strip()
        return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else None
    try:
        return float(given)
    except OverflowError:  # an integer beyond all floats
        return None
