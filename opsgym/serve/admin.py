"""The operator's port: making, resetting, judging and deleting databases."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from opsgym.core.errors import OpsGymError, RegistryError, TaskError
from opsgym.serve.access import access_note
from opsgym.serve.databases import Closed, Database, Databases, Taken
from opsgym.serve.limits import Limits
from opsgym.serve.requests import Refused, bearer, parse_object, read_body

Endpoint = Callable[[Request], Awaitable[Response]]
_CREATE = ("task", "database", "key", "disclosure")


def admin_app(databases: Databases, key: str, url: str, limits: Limits) -> Starlette:
    """The ASGI application of the operator's port.

    Args:
        databases: What is served.
        key: The operator's key.
        url: Where the agent's port is.
        limits: What a client may take.
    """
    compiling = asyncio.Semaphore(1)  # solving takes all of a core

    def guarded(endpoint: Endpoint) -> Endpoint:
        async def answer(request: Request) -> Response:
            if not hmac.compare_digest(bearer(request).encode("utf-8", "replace"), key.encode()):
                raise Refused(401, "expected the operator's key as a bearer token")
            return await endpoint(request)

        return answer

    def shown(database: Database) -> dict[str, Any]:
        return database.describe() | {"url": url, "access": access_note(url, database.name, key=database.key)}

    async def create(request: Request) -> Response:
        given = parse_object(await read_body(request, limits))
        stray = sorted(given.keys() - set(_CREATE))
        if stray or "task" not in given:
            raise Refused(422, f"expected 'task' and of the others any of {', '.join(_CREATE[1:])}; got {sorted(given)}")
        async with compiling:
            made = await asyncio.to_thread(
                databases.create,
                given["task"],
                given.get("database"),
                key=given.get("key"),
                disclosure=given.get("disclosure"),
                files=False,
            )
        return JSONResponse(shown(made), 201)

    async def listing(request: Request) -> Response:
        return JSONResponse([shown(database) for database in databases.values()])

    async def show(request: Request) -> Response:
        return JSONResponse(shown(_named(databases, request)))

    async def reset(request: Request) -> Response:
        database = _named(databases, request)
        await asyncio.to_thread(database.reset)
        return JSONResponse(shown(database))

    async def verdict(request: Request) -> Response:
        database = _named(databases, request)
        found, digest = await asyncio.to_thread(database.judge)
        body = {"reward": found.reward, "is_success": found.is_success, "digest": digest, "verdict": found.as_dict()}
        return JSONResponse(body)

    async def snapshot(request: Request) -> Response:
        image = await asyncio.to_thread(_named(databases, request).snapshot)
        return Response(image, media_type="application/octet-stream")

    async def delete(request: Request) -> Response:
        await asyncio.to_thread(databases.delete, _named(databases, request).name)
        return Response(status_code=204)

    paths: list[tuple[str, str, Endpoint]] = [
        ("POST", "/databases", create),
        ("GET", "/databases", listing),
        ("GET", "/databases/{name}", show),
        ("DELETE", "/databases/{name}", delete),
        ("POST", "/databases/{name}/reset", reset),
        ("GET", "/databases/{name}/verdict", verdict),
        ("GET", "/databases/{name}/snapshot", snapshot),
    ]
    routes = [Route(path, guarded(endpoint), methods=[method]) for method, path, endpoint in paths]
    app = Starlette(routes=routes, exception_handlers={OpsGymError: _refused, HTTPException: _no_route})  # type: ignore[dict-item]  # handlers of narrower exceptions
    app.router.redirect_slashes = False
    return app


def _named(databases: Databases, request: Request) -> Database:
    found = databases.get(request.path_params["name"])
    if found is None:
        raise Refused(404, f"there is no database {request.path_params['name']!r}")
    return found


async def _refused(request: Request, error: OpsGymError) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if getattr(error, "status", 0) == 401 else None
    return JSONResponse({"error": str(error)}, _status(error), headers)


def _status(error: OpsGymError) -> int:
    if isinstance(error, Refused):
        return error.status
    if isinstance(error, Closed):
        return 404
    if isinstance(error, Taken):
        return 409
    return 422 if isinstance(error, TaskError | RegistryError) else 500


async def _no_route(request: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail}, error.status_code, dict(error.headers or {}))
