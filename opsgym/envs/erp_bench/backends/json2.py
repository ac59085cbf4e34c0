"""Json2: a client of Odoo's JSON-2 interface that tells refusals from failures.

What the ERP refuses is a ``ToolError``, for the agent.  What breaks (no connection, a time-out, a wrong key, an unknown
database, an answer that is none) is a ``BackendError``, for the operator.  Source: Odoo 19 documentation, External JSON-2 API.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, get_args

from opsgym.core.errors import BackendError, ToolError, ToolErrorCode
from opsgym.envs.erp_bench.erp.errors import ErpError, Kind, clipped

if TYPE_CHECKING:
    import httpx

READS = frozenset(
    {
        "context_get",
        "default_get",
        "fields_get",
        "formatted_read_group",
        "get_param",
        "name_search",
        "read",
        "read_group",
        "search",
        "search_count",
        "search_read",
    }
)
"""Methods that change nothing, so that they may be tried again."""

OLDEST = 19
"""First version of Odoo that speaks JSON-2."""

ATTEMPTS = 3
PAUSE = 0.2
"""Seconds before the second attempt; twice as many before each one after it."""

_NAME = re.compile(r"\w+(\.\w+)*", re.ASCII)
_LOCKED = 409
_TRANSIENT = frozenset({429, 502, 503, 504})

_CODES: Mapping[str, ToolErrorCode] = {
    **{ErpError(kind, "").name: ErpError(kind, "").code for kind in get_args(Kind)},
    "builtins.TypeError": "invalid_value",
    "builtins.KeyError": "invalid_value",
    "odoo.exceptions.AccessDenied": "not_allowed",
    "odoo.exceptions.RedirectWarning": "bad_state",
    "psycopg2.errors.InvalidDatetimeFormat": "invalid_value",
    "psycopg2.errors.NumericValueOutOfRange": "invalid_value",
}
"""Code of a refusal by the name of its class in the error body; a class that is not here is a failure of the server."""

_BY_MESSAGE: tuple[tuple[str, ToolErrorCode], ...] = (
    ("Cannot create an invoice", "nothing_to_invoice"),
    ("There is no invoiceable line", "nothing_to_invoice"),
    ("no amount to take a down payment", "nothing_to_invoice"),
    ("no quantities are reserved", "no_stock"),
    ("Missing required value", "missing_field"),
    ("mandatory field is not set", "missing_field"),
    ("add a line before posting", "missing_field"),
    ("is required, please complete it", "missing_field"),
    ("date is required to validate", "missing_field"),
    ("cannot be moved to another", "not_allowed"),
)
"""Code by what a message says, where Odoo's class says less."""


def server_day(url: str, *, timeout: float = 60.0, transport: httpx.BaseTransport | None = None) -> date:
    """The day (UTC) on which an Odoo server lives, as the head of its answers states it.

    Args:
        url: Address of the server.
        timeout: Seconds for a connection, and for each part of the answer.
        transport: What carries the request, in place of the network.

    Raises:
        BackendError: Nobody answers, no Odoo from 19 on, or none that tells the date.
    """
    import httpx

    try:
        with httpx.Client(base_url=url, timeout=timeout, transport=transport) as http:
            response = http.get("/web/version")
        version = response.json()["version_info"]
        if not version[0] >= OLDEST:
            raise BackendError(f"{url}: expected Odoo {OLDEST} or later, got {version}")
        return parsedate_to_datetime(response.headers["date"]).astimezone(UTC).date()
    except (httpx.TransportError, LookupError, TypeError, ValueError) as error:
        raise BackendError(f"{url}: expected the version of an Odoo server and its date, got {error!r}") from error


class Json2:
    """A client for one database.

    Args:
        url: Address of the server, for example ``"http://127.0.0.1:8069"``.
        key: API key; it is never shown in messages.
        database: Name of the database.
        timeout: Seconds for a connection, and for each part of an answer.
        attempts: Greatest number of attempts.  Calls that read are repeated after any failure; others only where they
            cannot have been carried out: no connection was made, or the server says that a lock kept it (409).
        transport: What carries requests, in place of the network.
        pause: Waits between attempts.
        fields: Where the types of fields are kept, by model, once they were asked for; clients of one server may share it.
    """

    def __init__(
        self,
        url: str,
        key: str,
        database: str,
        *,
        timeout: float = 60.0,
        attempts: int = ATTEMPTS,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
        fields: dict[str, dict[str, str]] | None = None,
    ) -> None:
        import httpx

        self.url, self.database = url, database
        self._attempts, self._pause = attempts, pause
        headers = {
            "Authorization": f"bearer {key}",
            "Content-Type": "application/json",
            "User-Agent": "opsgym",
            "X-Odoo-Database": database,
        }
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout, transport=transport)
        self._fields = {} if fields is None else fields

    def call(
        self, model: str, method: str, /, ids: Sequence[int] = (), context: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> Any:
        """Call a method, every argument by name, and return its JSON.

        Raises:
            ToolError: The ERP refuses; nothing has changed.
            BackendError: The ERP broke, or what became of the call is unknown.
        """
        for kind, name in (("model", model), ("method", method)):
            if not _NAME.fullmatch(name):  # anything else would lead to another address of the server
                raise ToolError("not_found", f"the {kind} {clipped(name)} does not exist")
        body = {**({"ids": list(ids)} if ids else {}), **({"context": dict(context)} if context else {}), **kwargs}
        try:
            content = json.dumps(body, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise ToolError("invalid_arguments", f"arguments: expected JSON values ({error})") from error
        return self._answer(self._send(model, method, content), f"{model}.{method}")

    def fields(self, model: str) -> Mapping[str, str]:
        """Types of a model's fields by name; asked once."""
        if model not in self._fields:
            found = self.call(model, "fields_get", attributes=["type"])
            self._fields[model] = {name: str(spec.get("type")) for name, spec in found.items()}
        return self._fields[model]

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _send(self, model: str, method: str, content: bytes) -> httpx.Response:
        """The first answer that is final."""
        import httpx

        repeatable = method in READS
        never_sent = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
        for attempt in range(1, self._attempts + 1):
            last = attempt == self._attempts
            try:
                response = self._http.post(f"/json/2/{model}/{method}", content=content)
            except (httpx.TransportError, httpx.InvalidURL) as error:
                harmless = repeatable or isinstance(error, never_sent)
                if last or not harmless:
                    fate = "" if harmless else "; what became of the call is unknown"
                    raise BackendError(f"{model}.{method} at {self.url}: {type(error).__name__} {error}{fate}") from error
            else:
                again = response.status_code == _LOCKED or (repeatable and response.status_code in _TRANSIENT)
                if last or not again:
                    return response
            self._pause(PAUSE * 2 ** (attempt - 1))
        raise BackendError(f"expected at least 1 attempt, got {self._attempts}")

    def _answer(self, response: httpx.Response, asked: str) -> Any:
        try:
            found = response.json()
        except ValueError as error:
            raise self._failure(response, asked, response.text) from error
        if response.status_code == 200:
            return found
        name = found.get("name") if isinstance(found, dict) else None
        message = str(found.get("message", "")) if isinstance(found, dict) else str(found)
        if response.status_code == 401 or name not in _CODES:
            raise self._failure(response, asked, f"{name}: {message}")
        raise ToolError(_code(str(name), message), message)

    def _failure(self, response: httpx.Response, asked: str, text: str) -> BackendError:
        where = f"{asked} at {self.url}, database {self.database!r}"
        return BackendError(f"{where}: expected an answer of the ERP, got status {response.status_code}: {text[:200]}")


def _code(name: str, message: str) -> ToolErrorCode:
    return next((code for part, code in _BY_MESSAGE if part in message), _CODES[name])
