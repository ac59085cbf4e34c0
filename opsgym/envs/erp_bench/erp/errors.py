"""What the ERP answers when it refuses a call: the error table of Odoo's JSON-2 API."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Literal

from opsgym.core.errors import ToolError, ToolErrorCode

Kind = Literal[
    "UserError",
    "ValidationError",
    "AccessError",
    "MissingError",
    "ValueError",
    "InvalidTextRepresentation",
    "NotFound",
    "UnprocessableEntity",
]
"""Class of an error in Odoo; the last two are of its HTTP layer (unknown model or method, wrong argument names)."""

_TABLE: dict[Kind, tuple[int, str, ToolErrorCode]] = {
    "UserError": (422, "odoo.exceptions.UserError", "bad_state"),
    "ValidationError": (422, "odoo.exceptions.ValidationError", "invalid_value"),
    "AccessError": (403, "odoo.exceptions.AccessError", "not_allowed"),
    "MissingError": (404, "odoo.exceptions.MissingError", "not_found"),
    "ValueError": (500, "builtins.ValueError", "invalid_value"),
    "InvalidTextRepresentation": (500, "psycopg2.errors.InvalidTextRepresentation", "invalid_value"),
    "NotFound": (404, "werkzeug.exceptions.NotFound", "not_found"),
    "UnprocessableEntity": (422, "werkzeug.exceptions.UnprocessableEntity", "invalid_arguments"),
}


_repr = reprlib.Repr()
_repr.maxlevel, _repr.maxstring, _repr.maxother, _repr.maxlist, _repr.maxdict = 3, 80, 80, 12, 12


def clipped(value: object) -> str:
    """A value given by a caller, cut to a readable length for a message."""
    return _repr.repr(value)


class ErpError(ToolError):
    """The ERP refuses a call; nothing has changed.

    Args:
        kind: Class of the error in Odoo.
        message: What is wrong.
        code: OpsGym's code, where it is not the usual one of ``kind``.
        hint: What to do instead, or empty.

    Attributes:
        status: HTTP status under JSON-2.
        name: Qualified class name in a JSON-2 error body.
    """

    def __init__(self, kind: Kind, message: str, *, code: ToolErrorCode | None = None, hint: str = "") -> None:
        self.status, self.name, usual = _TABLE[kind]
        super().__init__(code or usual, message, hint)
        self.kind: Kind = kind

    def body(self) -> dict[str, object]:
        """The error as the body of a JSON-2 answer."""
        return {"name": self.name, "message": self.message, "arguments": [self.message], "context": {}, "debug": ""}


def user_error(message: str, *, code: ToolErrorCode | None = None, hint: str = "") -> ErpError:
    """The operation is not possible in the record's state."""
    return ErpError("UserError", message, code=code, hint=hint)


def invalid(message: str, *, code: ToolErrorCode | None = None) -> ErpError:
    """The values break a rule of the model."""
    return ErpError("ValidationError", message, code=code)


def bad_value(message: str) -> ErpError:
    """A name or value that makes no sense to the model; Odoo answers with status 500."""
    return ErpError("ValueError", message)


def missing(model: str, ids: Iterable[int]) -> ErpError:
    """Records that do not exist."""
    listed = ", ".join(str(one) for one in sorted(ids))
    return ErpError("MissingError", f"Record does not exist or has been deleted. (Record: {model}({listed}))")
