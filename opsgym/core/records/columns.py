"""Columns: what a field of a record may hold, said once for the database, the tools and the checks."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
PHONE = re.compile(r"\+\d-\d{3}-\d{3}-\d{4}")

FORMS = {"email": (EMAIL, "name@host.domain"), "phone": (PHONE, "+X-XXX-XXX-XXXX")}
"""Patterns of texts, each with its form in words."""


@dataclass(frozen=True)
class Column:
    """A column of a table; its subclasses are the kinds.

    Attributes:
        name: Its name.
        required: Whether it must be filled.
        default: Value of a new record where none is given.
        shown: Whether signatures of writing tools tell limits, forms and enumerations; the values are checked in any case.
        secret: Whether no tool ever shows it.
        derived: Whether the system keeps it up to date, as it follows from other records; its changes are not judged.
        doc: A few words for signatures; by default made of the name.
    """

    name: str
    required: bool = field(default=False, kw_only=True)
    default: Any = field(default=None, kw_only=True)
    shown: bool = field(default=True, kw_only=True)
    secret: bool = field(default=False, kw_only=True)
    derived: bool = field(default=False, kw_only=True)
    doc: str = field(default="", kw_only=True)

    @property
    def sql_type(self) -> str:
        """Type in DDL."""
        return "TEXT"

    @property
    def sql_check(self) -> str:
        """Condition in DDL, or empty."""
        return ""

    @property
    def annotation(self) -> Any:
        """Type of an argument that writes the column."""
        return str

    @property
    def filter_annotation(self) -> Any:
        """Type of an argument that searches by the column: without limits, which would tell nothing."""
        return str

    @property
    def about(self) -> str:
        """What the column is, in words."""
        return self.doc or self.name.replace("_", " ").capitalize() + "."

    def problem(self, value: Any) -> str:
        """What is wrong with a value of the right JSON type, as ``expected ..., got ...``; empty when nothing is."""
        return ""


@dataclass(frozen=True)
class Keyed(Column):
    """A column of keys, own or foreign ones; its subclasses say which.

    Attributes:
        whole: Whether the keys are integers.
    """

    whole: bool = field(default=False, kw_only=True)

    @property
    def sql_type(self) -> str:
        """Integer or text."""
        return "INTEGER" if self.whole else "TEXT"

    @property
    def annotation(self) -> Any:
        """Integer or text."""
        return int if self.whole else str

    @property
    def filter_annotation(self) -> Any:
        """Integer or text."""
        return self.annotation


@dataclass(frozen=True)
class Key(Keyed):
    """The primary key of a table: text such as ``INC_024``, or an integer.

    Attributes:
        prefix: What new text keys start with; without one the table gets no new records.
        digits: Least number of digits in a text key.
    """

    prefix: str = ""
    digits: int = 3

    def numbered(self, number: int) -> str | int:
        """The key of a number."""
        return number if self.whole else f"{self.prefix}_{number:0{self.digits}d}"


@dataclass(frozen=True)
class Serial(Column):
    """A number for people, such as ``INC0000024``, that new records get.

    Attributes:
        prefix: What numbers start with.
        digits: Least number of digits.
    """

    prefix: str = ""
    digits: int = 7

    def numbered(self, number: int) -> str:
        """The text of a number."""
        return f"{self.prefix}{number:0{self.digits}d}"


@dataclass(frozen=True)
class Text(Column):
    """Text.

    Attributes:
        limit: Greatest number of characters.
        form: One of :data:`FORMS`, or empty.
    """

    limit: int | None = None
    form: Literal["", "email", "phone"] = ""

    @property
    def annotation(self) -> Any:
        """Text, with limit and form where they are shown."""
        if not self.shown:
            return str
        if self.form == "email":
            return Annotated[str, Field(json_schema_extra={"format": "email"})]
        return str if self.limit is None else Annotated[str, Field(max_length=self.limit)]

    def problem(self, value: Any) -> str:
        """Too long, or of another form."""
        if self.limit is not None and len(value) > self.limit:
            return f"expected at most {self.limit} characters, got {len(value)}"
        if self.form and not FORMS[self.form][0].fullmatch(value):
            return f"expected text of the form {FORMS[self.form][1]}, got {value[:60]!r}"
        return ""


@dataclass(frozen=True)
class Choice(Column):
    """One of a few words.

    Attributes:
        values: The words, in their order.
    """

    values: tuple[str, ...] = ()

    @property
    def sql_check(self) -> str:
        """Membership; ``NULL`` passes."""
        listed = ", ".join("'" + value.replace("'", "''") + "'" for value in self.values)
        return f'"{self.name}" IN ({listed})'

    @property
    def annotation(self) -> Any:
        """The words, where they are shown."""
        return Literal[self.values] if self.shown else str

    @property
    def filter_annotation(self) -> Any:
        """The words, where they are shown."""
        return self.annotation

    def problem(self, value: Any) -> str:
        """None of the words."""
        return "" if value in self.values else f"expected one of {', '.join(self.values)}, got {str(value)[:60]!r}"


@dataclass(frozen=True)
class Flag(Column):
    """True or false; 1 or 0 in the database."""

    @property
    def sql_type(self) -> str:
        """Integer."""
        return "INTEGER"

    @property
    def sql_check(self) -> str:
        """Only 0 and 1."""
        return f'"{self.name}" IN (0, 1)'

    @property
    def annotation(self) -> Any:
        """Boolean."""
        return bool

    @property
    def filter_annotation(self) -> Any:
        """Boolean."""
        return bool


@dataclass(frozen=True)
class Bounded(Column):
    """A number of some kind; its subclasses say which.

    Attributes:
        least: Least value.
    """

    kind: ClassVar[type[float]]

    least: float | None = None

    @property
    def sql_check(self) -> str:
        """The least value."""
        return "" if self.least is None else f'"{self.name}" >= {self.least!r}'

    @property
    def annotation(self) -> Any:
        """A number, with the least value where it is shown."""
        return self.kind if self.least is None or not self.shown else Annotated[self.kind, Field(ge=self.least)]

    @property
    def filter_annotation(self) -> Any:
        """A number."""
        return self.kind

    def problem(self, value: Any) -> str:
        """Too small."""
        return f"expected at least {self.least}, got {value}" if self.least is not None and value < self.least else ""


@dataclass(frozen=True)
class Whole(Bounded):
    """An integer."""

    kind: ClassVar[type[float]] = int

    @property
    def sql_type(self) -> str:
        """Integer."""
        return "INTEGER"

    def problem(self, value: Any) -> str:
        """Too small, or too large for the database."""
        return super().problem(value) or ("" if abs(value) < 1 << 63 else "expected an integer of at most 63 bits")


@dataclass(frozen=True)
class Number(Bounded):
    """A number with a fraction."""

    kind: ClassVar[type[float]] = float

    @property
    def sql_type(self) -> str:
        """Real."""
        return "REAL"


@dataclass(frozen=True)
class Moment(Column):
    """Date and time as text, ``YYYY-MM-DD hh:mm:ss``.

    Attributes:
        stamp: ``"created"`` or ``"updated"``: filled from the virtual clock; tools do not write it.
    """

    stamp: Literal["", "created", "updated"] = field(default="", kw_only=True)

    def problem(self, value: Any) -> str:
        """No date."""
        try:
            self.canonical(value)
        except (ValueError, OverflowError):  # the latter at the ends of the calendar, by the zone
            return f"expected YYYY-MM-DD hh:mm:ss, got {value[:60]!r}"
        return ""

    @staticmethod
    def canonical(value: str) -> str:
        """A time in the one form in which times are kept, so that they compare as text; with a zone, in UTC.

        Raises:
            ValueError: It is no time in ISO 8601.
        """
        moment = dt.datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
        return moment.replace(microsecond=0).isoformat(" ")


@dataclass(frozen=True)
class Day(Column):
    """A date as text, ``YYYY-MM-DD``."""

    def problem(self, value: Any) -> str:
        """No date."""
        try:
            dt.date.fromisoformat(value)
        except ValueError:
            return f"expected YYYY-MM-DD, got {value[:60]!r}"
        return "" if len(value) == 10 and value[7] == "-" else f"expected YYYY-MM-DD, got {value[:60]!r}"


@dataclass(frozen=True)
class Ref(Keyed):
    """A reference to a record of a table.

    Attributes:
        table: The table.
        column: Its column; by default its key.
        by_actor: Whether new records refer to the actor where nothing is given.
        declared: Whether the database knows of it; if not, only tools and invariants check it.
    """

    table: str = ""
    column: str = ""
    by_actor: bool = field(default=False, kw_only=True)
    declared: bool = field(default=True, kw_only=True)


@dataclass(frozen=True)
class Json(Column):
    """A JSON value, kept as text.

    Attributes:
        shape: Its type, as in a signature.
    """

    shape: Any = dict[str, Any]

    @property
    def sql_check(self) -> str:
        """Valid JSON, or nothing: SQLite's versions differ on whether ``NULL`` is valid."""
        return f'"{self.name}" IS NULL OR json_valid("{self.name}")'

    @property
    def annotation(self) -> Any:
        """Its shape."""
        return self.shape
