"""The agent's port: Odoo 19's JSON-2 API over the databases of a server.

Paths, headers, order of the checks, statuses and error bodies are those of a real Odoo 19; the statuses 408, 413 and 503 of
the limits are this server's own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from opsgym.envs.erp_bench.erp import ErpError
from opsgym.envs.erp_bench.erp.registry import MODELS
from opsgym.serve.databases import CallTimeout, Closed, Served
from opsgym.serve.doc_pages import index_page, model_page
from opsgym.serve.limits import Limits
from opsgym.serve.requests import Refused, bearer, parse_object, read_body

VERSION = {"version_info": [19, 0, 0, "final", 0, ""], "version": "19.0"}
"""The version of Odoo whose API is served."""


def json2_app(databases: Mapping[str, Served], limits: Limits) -> Starlette:
    """The ASGI application of the agent's port.

    Args:
        databases: What is served; it may grow and shrink while the application runs.
        limits: What a client may take.
    """

    async def call(request: Request) -> Response:
        database = _database(request, databases)
        has_body = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
        if has_body and request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return HTMLResponse(_page("Unsupported Media Type", "This API reads application/json."), 415)
        _authenticate(request, database)
        arguments = parse_object(await read_body(request, limits))
        return await _carried_out(database, request, arguments, limits)

    async def hint(request: Request) -> Response:
        raise Refused(404, "Did you mean POST /json/2/<model>/<method>?")

    async def doc(request: Request) -> Response:
        _authenticate(request, _database(request, databases))
        name = request.path_params["page"]
        if name == "index":
            return _json(index_page())
        if name not in MODELS:
            raise Refused(404, "there is no such model")
        return _json(model_page(name))

    async def version(request: Request) -> Response:
        return _json(VERSION)

    async def health(request: Request) -> Response:
        return _json({"status": "pass"})

    routes = [
        Route("/json/2/{model}/{method}", call, methods=["POST"]),
        Route("/json/2/{rest:path}", hint, methods=["GET", "POST"]),
        Route("/doc-bearer/{page}.json", doc),
        Route("/web/version", version),
        Route("/web/health", health),
    ]
    handlers = {Refused: _refused, HTTPException: _no_route, _NoDatabase: _no_database, Exception: _broken}
    app = Starlette(routes=routes, exception_handlers=handlers)  # type: ignore[arg-type]  # handlers of narrower exceptions
    app.router.redirect_slashes = False
    return app


# -- a call ---------------------------------------------------------------------------------------------------


async def _carried_out(database: Served, request: Request, arguments: dict[str, Any], limits: Limits) -> Response:
    """The answer to a call, which is carried out whole or not at all, whether the client waits for it or not."""
    if database.waiting > limits.waiting:
        raise Refused(503, f"{limits.waiting} calls of this database are waiting already")
    try:
        running = database.submit(_answer, database, request.path_params, arguments, limits.call_seconds)
    except Closed:
        raise _NoDatabase from None
    return await asyncio.wrap_future(running)


def _answer(database: Served, path: dict[str, str], arguments: dict[str, Any], seconds: float) -> Response:
    """Carry out a call, in the database's thread."""
    ids = arguments.pop("ids", None) or ()
    context = arguments.pop("context", None)
    try:
        result = database.call(path["model"], path["method"], ids, context, arguments, seconds=seconds)
    except ErpError as error:
        return _json(error.body() | {"debug": error.hint}, error.status)
    except CallTimeout as error:
        return _error(Refused(503, str(error)))
    return _json(result)


def _database(request: Request, databases: Mapping[str, Served]) -> Served:
    """The database that a request is for: the one named, or the only one there is."""
    given = request.headers.get("x-odoo-database")
    names = list(databases) if given is None else [given]
    found = databases.get(names[0]) if len(names) == 1 else None
    if found is None:
        raise _NoDatabase
    return found


def _authenticate(request: Request, database: Served) -> None:
    if not database.accepts(bearer(request)):
        raise Refused(401, "Invalid apikey")


# -- answers ----------------------------------------------------------------------------------------------------


class _NoDatabase(Exception):
    """The request names no database of this server."""


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    content = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(content, status, headers, "application/json; charset=utf-8")


def _error(refused: Refused, headers: dict[str, str] | None = None, name: str = "") -> Response:
    body = {"name": name or f"werkzeug.exceptions.{refused.title}", "message": refused.message, "arguments": [refused.message]}
    return _json(body | {"context": {}, "debug": ""}, refused.status, headers)


def _page(title: str, text: str) -> str:
    return f"<!doctype html>\n<html lang=en>\n<title>{title}</title>\n<h1>{title}</h1>\n<p>{text}</p>\n"


async def _refused(request: Request, error: Refused) -> Response:
    return _error(error, {"WWW-Authenticate": "Bearer"} if error.status == 401 else None)


async def _no_route(request: Request, error: HTTPException) -> Response:
    return _error(Refused(error.status_code, error.detail), dict(error.headers or {}))


async def _no_database(request: Request, error: _NoDatabase) -> Response:
    text = "No database is selected. Name one in the header X-Odoo-Database."
    return HTMLResponse(_page("Not Found", text), 404)


async def _broken(request: Request, error: Exception) -> Response:
    """A fault of this server; Starlette raises it again for the log."""
    return _error(
        Refused(500, "the server could not carry out the call; nothing has changed"), name=f"builtins.{type(error).__name__}"
    )
