"""Endpoint: where a model is served, and the secrets that go along with every request."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

import httpx
from pydantic import SecretStr

from opsgym.core.errors import ModelError, TaskError

__all__ = ["Endpoint", "bearer", "key_from_environment"]

MASK = "***"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
SHORTEST_SECRET = 8
"""Shorter values are placeholders such as ``EMPTY``: masking them would mangle replies that hold the word."""


def key_from_environment(variable: str, *, required: bool) -> SecretStr | None:
    """The key in an environment variable.

    Args:
        variable: Name of the variable.
        required: Whether its absence is an error.

    Returns:
        The key, or ``None`` where the variable is unset or blank.

    Raises:
        ModelError: ``unauthorized``: a required key is absent.
        TaskError: The key holds characters that no HTTP header may.
    """
    key = SecretStr(os.environ.get(variable, "").strip())  # never a local variable in the open: tracebacks may show those
    if not key:
        if required:
            raise ModelError("unauthorized", f"expected a key in the environment variable {variable}, which is not set")
        return None
    if not _is_sendable(key):
        raise TaskError("expected printable ASCII, which a HTTP header can carry, got other characters", field=variable)
    return key


def _is_sendable(key: SecretStr) -> bool:
    return key.get_secret_value().isascii() and key.get_secret_value().isprintable()


def bearer(key: SecretStr) -> SecretStr:
    """The value of an ``Authorization`` header that holds a key."""
    return SecretStr(f"Bearer {key.get_secret_value()}")


class Endpoint(httpx.AsyncBaseTransport):
    """The base URL of a server, split into what may be seen and what may not.

    Secrets (headers, userinfo and query of the URL) are held here alone and are added to a request below HTTPX's client.  So
    the requests that HTTPX logs and hangs on its exceptions hold none.

    Args:
        base_url: An ``http`` or ``https`` URL; userinfo is sent as basic authorization, the query with every request.
        headers: Secret headers.

    Raises:
        TaskError: It is no such URL.
    """

    def __init__(self, base_url: str, headers: Mapping[str, SecretStr] | None = None) -> None:
        url = _parse(base_url)
        self._headers = dict(headers or {})
        self._query = SecretStr(url.query.decode("ascii"))
        self._url = url.copy_with(username=None, password=None, query=None, fragment=None)
        userinfo = unquote(url.userinfo.decode("ascii"))
        if userinfo:
            token = base64.b64encode(userinfo.encode()).decode("ascii")
            self._headers["Authorization"] = SecretStr(f"Basic {token}")
        self._secrets = _longest_first([*self._parts(userinfo), *_escaped(url)])
        self._wire: httpx.AsyncHTTPTransport | None = None

    @property
    def base_url(self) -> str:
        """The URL without userinfo and query, and without a slash at its end."""
        return str(self._url).rstrip("/")

    def __reduce__(self) -> str:
        raise TypeError("an endpoint holds secrets and cannot be pickled or copied: make the model anew where it is needed")

    def __repr__(self) -> str:
        return f"{self.base_url}?{MASK}" if self._query.get_secret_value() else self.base_url

    def scrub(self, text: str) -> str:
        """A text with every secret replaced by ``***``, for a server may send back what it was sent."""
        for secret in self._secrets:
            text = text.replace(secret.get_secret_value(), MASK)
        return text

    def scrub_bytes(self, content: bytes) -> bytes:
        """As :meth:`scrub`, for a body."""
        for secret in self._secrets:
            content = content.replace(secret.get_secret_value().encode(), MASK.encode())
        return content

    def opened(self, connections: int) -> Endpoint:
        """A copy with a pool of connections of its own, which belongs to one event loop."""
        twin = object.__new__(Endpoint)
        twin.__dict__.update(self.__dict__)
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        twin._wire = httpx.AsyncHTTPTransport(limits=limits, proxy=self._proxy())
        return twin

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request with the secrets added."""
        assert self._wire is not None
        query = self._query.get_secret_value()
        secret = {name: value.get_secret_value() for name, value in self._headers.items()}
        sent = httpx.Request(
            request.method,
            request.url.copy_with(query=query.encode("ascii") or None),
            headers=httpx.Headers({**request.headers, **secret}),
            stream=request.stream,
            extensions=request.extensions,
        )
        return await self._wire.handle_async_request(sent)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._wire is not None:
            await self._wire.aclose()

    def _parts(self, userinfo: str) -> list[str]:
        values = [value.get_secret_value() for value in self._headers.values()]
        values += [value.partition(" ")[2] for value in values]
        query = httpx.QueryParams(self._query.get_secret_value())
        return [*values, userinfo, userinfo.partition(":")[2], *query.values()]

    def _proxy(self) -> str | None:
        """The proxy that the environment names; HTTPX looks there only for transports of its own."""
        proxies = getproxies()
        if self._url.host in LOOPBACK or proxy_bypass(self._url.host):
            return None
        return proxies.get(self._url.scheme) or proxies.get("all")


def _parse(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        # The text is not repeated: it may hold a secret.
        raise TaskError("expected a URL such as http://localhost:8000/v1, got something else", field="base_url")
    return url


def _escaped(url: httpx.URL) -> list[str]:
    """The secrets of a URL as they stand in it, percent signs and all."""
    values = [part.partition("=")[2] for part in url.query.decode("ascii").split("&")]
    userinfo = url.userinfo.decode("ascii")
    return [*values, userinfo, userinfo.partition(":")[2]]


def _longest_first(values: list[str]) -> tuple[SecretStr, ...]:
    found = {value for value in values if len(value) >= SHORTEST_SECRET}
    return tuple(SecretStr(value) for value in sorted(found, key=lambda value: (-len(value), value)))
