"""Letters: the content of a message as agents give it, as a payload or as raw text."""

from __future__ import annotations

import base64
import binascii
import email.message
import email.policy
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.envs.enterprise_ops.email.words import MAX_SIZE

SNIPPET = 120
"""Characters of a snippet."""

_NAMES = ("From", "To", "Cc", "Bcc", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References")
_TECHNICAL = re.compile(r"(mime-version|content-[a-z-]+)$", re.IGNORECASE)
"""Headers that say how a message is packed, which its parts tell."""
_CANONICAL = {name.lower(): name for name in _NAMES}


@dataclass(frozen=True)
class Part:
    """A leaf of a message.

    Attributes:
        mime_type: Its type.
        data: Text; of a file, base64url.
        filename: Name of the file, or empty.
    """

    mime_type: str
    data: str
    filename: str = ""


@dataclass(frozen=True)
class Letter:
    """The content of a message.

    Attributes:
        headers: Names and values, in their order.
        mime_type: Type of the whole.
        parts: Its leaves.
        raw: The text that it was read from, if it was.
    """

    headers: tuple[tuple[str, str], ...]
    mime_type: str
    parts: tuple[Part, ...]
    raw: str | None = None

    def header(self, name: str) -> str:
        """The first value of a header, or empty."""
        return next((value for key, value in self.headers if key == name), "")

    def with_headers(self, headers: Iterable[tuple[str, str]]) -> Letter:
        """The letter with other headers."""
        return replace(self, headers=tuple(headers))

    @property
    def text(self) -> str:
        """The plain text."""
        return next((part.data for part in self.parts if not part.filename and part.mime_type == "text/plain"), "")

    @property
    def snippet(self) -> str:
        """The first words."""
        return " ".join(self.text.split())[:SNIPPET]

    @property
    def size(self) -> int:
        """Bytes, about."""
        headers = sum(len(name) + len(value) + 4 for name, value in self.headers)
        return headers + sum(len(part.data.encode()) for part in self.parts)


def letter(given: dict[str, Any]) -> Letter:
    """The letter of ``payload`` or ``raw``.

    Raises:
        ToolError: ``missing_field`` when there is neither; ``invalid_value`` for what cannot be read, or is too large.
    """
    if given.get("raw"):
        found = _from_raw(given["raw"])
    elif given.get("payload"):
        found = _from_payload(given["payload"])
    else:
        raise ToolError("missing_field", "payload: expected a payload with headers and a body, or raw")
    if found.size > MAX_SIZE:
        raise ToolError("invalid_value", f"expected a message of at most {MAX_SIZE} bytes, got {found.size}")
    return found


def _from_payload(payload: dict[str, Any]) -> Letter:
    given = [(item.get("name", ""), item.get("value", "")) for item in payload.get("headers", ())]
    headers = tuple((_canonical(name), value.strip()) for name, value in given if not _TECHNICAL.match(name))
    listed = payload.get("parts") or ()
    mime_type = payload.get("mimeType") or ("multipart/mixed" if listed else "text/plain")
    parts = [_part(item) for item in listed]
    if not parts or payload.get("body", {}).get("data"):
        parts.insert(0, _part({**payload, "mimeType": mime_type if not listed else "text/plain"}))
    return Letter(headers, mime_type, tuple(parts))


def _part(item: dict[str, Any]) -> Part:
    filename, data = item.get("filename") or "", (item.get("body") or {}).get("data") or ""
    if filename:
        decoded(data, "body.data of a file")
    return Part(item.get("mimeType") or "text/plain", data, filename)


def _canonical(name: str) -> str:
    name = name.strip()
    if not name or ":" in name or "\n" in name or len(name) > 100:
        raise ToolError("invalid_value", f"headers: expected a name such as Subject, got {name[:60]!r}")
    return _CANONICAL.get(name.lower(), name)


def _from_raw(raw: str) -> Letter:
    source = raw.encode() if ":" in raw else decoded(raw, "raw")  # no base64url text holds a colon
    try:
        message = email.message_from_bytes(source, policy=email.policy.default)
        given = [(name, str(value).strip()) for name, value in message.items() if not _TECHNICAL.match(name)]
        headers = tuple((_canonical(name), value) for name, value in given)
        parts = tuple(_leaf(part) for part in message.walk() if not part.is_multipart())
    except ToolError:
        raise
    except Exception as error:  # the parser defers what it finds wrong, and raises much
        raise ToolError("invalid_value", f"raw: expected a message as in RFC 2822 ({type(error).__name__})") from error
    if not headers:
        raise ToolError("invalid_value", "raw: expected headers, an empty line, and the text")
    return Letter(headers, message.get_content_type(), parts, raw)


def _leaf(part: email.message.Message) -> Part:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    filename = part.get_filename() or ""
    data = encoded(content) if filename else content.decode("utf-8", "replace").rstrip("\r\n")
    return Part(part.get_content_type(), data, filename)


def encoded(content: bytes) -> str:
    """Bytes as base64url."""
    return base64.urlsafe_b64encode(content).decode()


def decoded(data: str, name: str) -> bytes:
    """Bytes of base64url text.

    Raises:
        ToolError: ``invalid_value``.
    """
    try:
        return base64.b64decode(data.encode() + b"=" * (-len(data) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise ToolError("invalid_value", f"{name}: expected base64url text, got {data[:40]!r}") from error
