"""Answers: the forms that a task can want, and how well what was submitted fits; no language model judges."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from typing import Annotated, Any, Literal

from pydantic import Field

from opsgym.core.task import Frozen

NONE = "none"
"""An empty list in words."""


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
        """F1 of what was given, where each counts once; a text is a list too, with commas, semicolons or lines, or ``none``."""
        if isinstance(given, str):
            listed: Any = [] if plain(given) == NONE else re.split(r"[,;\n]", given)
        else:
            listed = given
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


SCALE = re.compile(r" of ([0-9]+)$")
"""The end of a scale in a unit, as ``points of 5``."""

_SIGNS = {"dollars": r"(?:us ?)?\$|usd", "rupees": r"₹|rs\.?|inr"}
"""How currencies are also written."""

_NUMBER = re.compile(r"[-+]?(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]+)?")
"""A number as text; commas stand between thousands."""


def _number(given: Any, unit: str) -> float | None:
    """A number as agents write it: ``12``, ``"12"``, ``"1 day"``, ``"1,200.50 rupees"``, ``"Rs. 5"``, ``"4/5"``."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    if isinstance(given, str):
        found = re.fullmatch(_measured(unit), plain(given))
        return float(found["number"].replace(",", "")) if found else None
    try:
        return float(given)
    except OverflowError:  # an integer beyond all floats
        return None


def _measured(unit: str) -> str:
    """The pattern of a number with or without its unit, the unit's last word, or the sign of a currency."""
    whole = plain(unit)
    last = whole.split()[-1]
    if scale := SCALE.search(whole):
        points = whole.removesuffix(scale[0])
        after = rf"(?:{_counted(points)} ?)?(?:(?:/|(?:out )?of) ?{scale[1]})?"
        return rf"(?P<number>{_NUMBER.pattern}) ?{after}"
    names = "|".join(map(_counted, (whole, last)))
    sign = _SIGNS.get(last, "")
    front, back = (rf"(?:(?:{sign}) ?)?", rf"(?:{names}|{sign})?") if sign else ("", f"(?:{names})?")
    return rf"{front}(?P<number>{_NUMBER.pattern}) ?{back}"


def _counted(noun: str) -> str:
    """The pattern of a noun in the singular and the plural."""
    return re.escape(noun.removesuffix("s")) + ("s?" if noun.endswith("s") else "")
