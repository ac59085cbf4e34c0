"""Pages of long results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opsgym.core.errors import ToolError


def page(name: str, rows: Sequence[Any], token: str | None = None, size: int | None = None) -> dict[str, Any]:
    """One page of a result: ``{name: rows, "nextPageToken": ...}``; the token is there when more follow.

    Args:
        name: What the rows are.
        rows: All of them.
        token: Token of the page; without one the first.
        size: Rows on a page, 100 by default.

    Raises:
        ToolError: ``invalid_value`` for a token that no page gave, or a size below 1.

    Example:
        >>> page("files", "abc", size=2)
        {'files': ['a', 'b'], 'nextPageToken': '2'}
        >>> page("files", "abc", "2", 2)
        {'files': ['c']}
    """
    size = 100 if size is None else size
    if size < 1:
        raise ToolError("invalid_value", f"expected a page of at least 1 row, got {size}")
    start = _start(token, len(rows))
    found: dict[str, Any] = {name: list(rows[start : start + size])}
    if start + size < len(rows):
        found["nextPageToken"] = str(start + size)
    return found


def _start(token: str | None, count: int) -> int:
    if not token:
        return 0
    if not (token.isascii() and token.isdecimal()) or len(token) > 9 or int(token) > count:
        raise ToolError("invalid_value", f"pageToken: expected the nextPageToken of the page before, got {token[:60]!r}")
    return int(token)
