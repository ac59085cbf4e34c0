"""Reading requests: bearer keys, and bodies within limits."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Any, NoReturn

from starlette.requests import ClientDisconnect, Request

from opsgym.core.errors import OpsGymError
from opsgym.serve.limits import Limits

_DRAINED = 8  # times the greatest body; read and dropped, so that a client that is still sending hears the answer


class Refused(OpsGymError):
    """A request is refused before anything is done.

    Args:
        status: HTTP status.
        message: What is wrong.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    @property
    def title(self) -> str:
        """The status in words without spaces, for example ``"NotFound"``."""
        return HTTPStatus(self.status).phrase.replace(" ", "").replace("-", "")


def bearer(request: Request) -> str:
    """The key of a request, or empty."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


async def read_body(request: Request, limits: Limits) -> bytes:
    """The body of a request.

    Raises:
        Refused: It is too long (413), too slow (408) or breaks off (400, which nobody hears).
    """
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size <= limits.body_bytes:
                    chunks.append(chunk)
                elif size > _DRAINED * limits.body_bytes:
                    break
    except TimeoutError:
        raise Refused(408, f"the body did not arrive within {limits.body_seconds:g} s") from None
    except ClientDisconnect:
        raise Refused(400, "the body breaks off") from None
    if size > limits.body_bytes:
        raise Refused(413, f"the body is too long: at most {limits.body_bytes} bytes are read")
    return b"".join(chunks)


def parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body; an empty body is an empty object.

    Raises:
        Refused: It is no JSON object (400).
    """
    if not body.strip():
        return {}
    try:
        value = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        problem = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise Refused(400, f"could not parse the body as json: {problem}") from None
    if not isinstance(value, dict):
        raise Refused(400, f"could not parse the body, expecting a json object, got {type(value).__name__}")
    return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number in JSON")
