"""HTTP: one exchange of JSON with a server, tried again where that can help.

Tried again: no connection, a reset or cut-off one, timeouts, 408, 409, 425, 429, every 5xx, and a body that is not the
reply it should be.  Given up at once: every other answer, for the same request would get it again.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_result

import opsgym
from opsgym.baselines.models.endpoint import Endpoint
from opsgym.core.errors import ModelError, ModelErrorKind, TaskError
from opsgym.core.task import JsonDict

__all__ = ["HttpClient", "Retries", "Timeouts"]

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

logger = logging.getLogger(__name__)

EXCERPT = 300
"""Characters of a body that an error repeats."""


@dataclass(frozen=True)
class Timeouts:
    """Seconds after which an attempt is given up.

    Attributes:
        connect: To connect.
        read: Between two pieces of the answer; without streaming the first comes when the model has finished.
        total: For the attempt as a whole.
    """

    connect: float = 10.0
    read: float = 300.0
    total: float = 600.0


@dataclass(frozen=True)
class Retries:
    """How often to try, and how long to wait in between: full jitter, uniform in [0, min(cap, base * 2**n)].

    After Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).  A Retry-After is added to it in full, so that
    clients that were turned away together do not come back together.

    Attributes:
        attempts: Greatest number of attempts, the first included.
        base: Upper end of the first wait, in seconds.
        cap: Greatest upper end, in seconds.
        longest: Longest Retry-After that is obeyed, in seconds; a server that asks for more is given up.
    """

    attempts: int = 6
    base: float = 0.5
    cap: float = 30.0
    longest: float = 120.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise TaskError(f"expected at least 1, got {self.attempts}", field="attempts")


@dataclass(frozen=True)
class Failure:
    """What became of an attempt that brought no reply."""

    kind: ModelErrorKind
    message: str
    again: bool
    after: float | None = None


class HttpClient:
    """Exchanges JSON with one server.

    It may be used from one event loop after another, though not from two at once: connections belong to a loop.

    Args:
        endpoint: The server.
        headers: Headers that are no secret.
        timeouts: When an attempt is given up.
        retries: When the whole is.
        concurrency: Greatest number of requests under way; further ones wait for a slot.
        sleep: How to wait between attempts.
        rng: Source of the jitter; by default one of its own, seeded by the system.  Only waits depend on it.
        now: Clock against which dates in Retry-After are read.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        headers: dict[str, str] | None = None,
        timeouts: Timeouts | None = None,
        retries: Retries | None = None,
        concurrency: int = 8,
        sleep: Sleep = asyncio.sleep,
        rng: random.Random | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        if concurrency < 1:
            raise TaskError(f"expected at least 1, got {concurrency}", field="concurrency")
        self.endpoint = endpoint
        self._headers = {"User-Agent": f"opsgym/{opsgym.__version__}", **(headers or {})}
        self._timeouts, self._retries = timeouts or Timeouts(), retries or Retries()
        self._concurrency = concurrency
        self._sleep, self._rng, self._now = sleep, rng or random.Random(), now
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: httpx.AsyncClient | None = None
        self._slots = asyncio.Semaphore(concurrency)

    async def post(self, path: str, body: JsonDict, read: Callable[[bytes], T]) -> T:
        """Send a body and read the reply.

        Args:
            path: Path below the base URL.
            body: What is sent.
            read: Makes the result from the body of the answer; raises ``ValueError`` where it is not what it should be.

        Raises:
            ModelError: No reply could be had.
        """
        retrying = AsyncRetrying(
            sleep=self._sleep,
            stop=self._give_up,
            wait=self._wait,
            retry=retry_if_result(lambda result: isinstance(result, Failure) and result.again),
            retry_error_callback=_result,
            before_sleep=self._log,
        )
        # Failures are values, not exceptions: the error raised here has no chain of others that could hold a request.
        result: T | Failure = await retrying(self._attempt, path, body, read)
        if isinstance(result, Failure):
            attempts = retrying.statistics["attempt_number"]
            raise ModelError(result.kind, self.endpoint.scrub(f"{self.endpoint!r}: {result.message} (attempt {attempts})"))
        return result

    async def aclose(self) -> None:
        """Close the connections, in the event loop that opened them; those of a loop that has ended are gone already."""
        client, loop = self._client, self._loop
        self._client = self._loop = None
        if client is not None and loop is asyncio.get_running_loop():
            await client.aclose()

    async def _attempt(self, path: str, body: JsonDict, read: Callable[[bytes], T]) -> T | Failure:
        client = self._connected()
        try:
            async with self._slots, asyncio.timeout(self._timeouts.total):
                response = await client.post(path, json=body)
        except (TimeoutError, httpx.TimeoutException) as error:
            return Failure("timeout", f"no answer in time ({type(error).__name__})", again=True)
        except httpx.DecodingError as error:
            return Failure("malformed", f"the body cannot be decoded: {error}", again=True)
        except httpx.RequestError as error:
            return Failure("connection", f"{type(error).__name__}: {error}", again=True)
        if not response.is_success:
            return _refusal(response, self.endpoint, self._now())
        try:
            return read(self.endpoint.scrub_bytes(response.content))
        except ValueError as error:
            kind = response.headers.get("Content-Type", "no content type")
            message = f"expected a reply in JSON, got {kind}: {_excerpt(str(error))}: {_body(response, self.endpoint)}"
            return Failure("malformed", message, again=True)

    def _connected(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop, self._slots = loop, asyncio.Semaphore(self._concurrency)
            self._client = httpx.AsyncClient(
                base_url=self.endpoint.base_url,
                headers=self._headers,
                transport=self.endpoint.opened(self._concurrency),
                timeout=httpx.Timeout(self._timeouts.read, connect=self._timeouts.connect, pool=None),
            )
        return self._client

    def _wait(self, state: RetryCallState) -> float:
        limit = min(self._retries.cap, self._retries.base * 2.0 ** min(state.attempt_number - 1, 64))
        return (_failure(state).after or 0.0) + self._rng.uniform(0.0, limit)

    def _give_up(self, state: RetryCallState) -> bool:
        asked = _failure(state).after or 0.0
        return state.attempt_number >= self._retries.attempts or asked > self._retries.longest

    def _log(self, state: RetryCallState) -> None:
        text = (
            f"{self.endpoint!r}: {_failure(state).message}; attempt {state.attempt_number}, again in {state.upcoming_sleep:.1f} s"
        )
        logger.info("%s", self.endpoint.scrub(text))


def _result(state: RetryCallState) -> object:
    assert state.outcome is not None
    return state.outcome.result()


def _failure(state: RetryCallState) -> Failure:
    failure = _result(state)
    assert isinstance(failure, Failure)
    return failure


def _refusal(response: httpx.Response, endpoint: Endpoint, now: float) -> Failure:
    status, body = response.status_code, _body(response, endpoint)
    message = f"answered {status} {response.reason_phrase}".rstrip() + (f": {body}" if body else "")
    if status == 402 or (status == 429 and "insufficient_quota" in body):  # the account is empty: waiting does not fill it
        return Failure("budget", message, again=False)
    again = status in (408, 409, 425, 429) or status >= 500
    return Failure(_kind(status), message, again=again, after=retry_after(response.headers.get("Retry-After"), now))


def _kind(status: int) -> ModelErrorKind:
    if status in (401, 403):
        return "unauthorized"
    if status == 408:
        return "timeout"
    if status == 429:
        return "rate_limited"
    return "server" if status in (409, 425) or status >= 500 else "rejected"


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds that a Retry-After header asks to wait (RFC 9110, section 10.2.3), or ``None`` where it says nothing readable.

    >>> retry_after("1.5", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 50.0), retry_after("soon", 0.0)
    (1.5, 10.0, None)
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _body(response: httpx.Response, endpoint: Endpoint) -> str:
    return _excerpt(endpoint.scrub(response.text))


def _excerpt(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}..."
