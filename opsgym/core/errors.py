"""Every exception that OpsGym raises on purpose.

They form a tree::

    OpsGymError
    ├── TaskError          a task, its parameters or its file is invalid or infeasible
    ├── RegistryError      an unknown tier, pattern, parameter, harness, tool or policy was named
    ├── ToolError          an agent's call cannot be carried out; shown to the agent
    │   └── InjectedFault  the same, caused on purpose by failure injection
    ├── EpisodeOver        ``step`` was called after the episode had ended
    └── BackendError       an external system broke; the episode is marked, not scored
        └── ModelError     a language model's server did not answer

The first two and ``EpisodeOver`` are for programmers.  ``ToolError`` never leaves ``step``: it becomes
an observation and the world keeps the state it had before the call.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, Literal, get_args

ToolErrorCode = Literal[
    "malformed_call",
    "unknown_tool",
    "invalid_arguments",
    "not_found",
    "invalid_value",
    "missing_field",
    "bad_state",
    "not_allowed",
    "no_stock",
    "nothing_to_invoice",
    "below_minimum",
    "unsupported",
    "unavailable",
]
"""Closed vocabulary of what a tool may answer when it refuses."""

TOOL_ERROR_CODES: tuple[ToolErrorCode, ...] = get_args(ToolErrorCode)


ModelErrorKind = Literal[
    "timeout",
    "connection",
    "rate_limited",
    "server",
    "rejected",
    "unauthorized",
    "malformed",
    "budget",
]
"""Closed vocabulary of how a language model's server fails."""


class OpsGymError(Exception):
    """Base of every exception that OpsGym raises on purpose; all of them pickle, so that workers can send them."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild from the finished state: the constructors' arguments are not the message in ``args``."""
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[OpsGymError], args: tuple[Any, ...]) -> OpsGymError:
    return kind.__new__(kind, *args)


class TaskError(OpsGymError, ValueError):
    """A task specification is invalid, damaged, of another family or version, or infeasible.

    Args:
        message: What was expected and what was given.
        field: The offending field, in dotted notation, when one is known.
    """

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field


class RegistryError(OpsGymError, ValueError):
    """A name was given that does not exist; the message lists what does, or of more than :attr:`MOST` names the nearest.

    Args:
        kind: What was looked up, for example ``"tier"``.
        given: The unknown name.
        known: The names that exist.
        note: A sentence to add, for example which release brings the name.

    Attributes:
        kind: What was looked up.
        given: The unknown name.
        known: All names that exist, sorted.
    """

    MOST = 60

    def __init__(self, kind: str, given: object, known: Iterable[str], *, note: str = "") -> None:
        names = sorted(known)
        expected = f"one of: {', '.join(names) or '(none)'}"
        if len(names) > self.MOST:
            nearest = difflib.get_close_matches(str(given), names, n=5, cutoff=0)
            expected = f"one of {len(names)}, of which the nearest are: {', '.join(nearest)}"
        message = f"unknown {kind} {given!r}; expected {expected}"
        near = difflib.get_close_matches(str(given), names, n=1)
        if near:
            message += f"; did you mean {near[0]!r}?"
        super().__init__(f"{message} {note}".rstrip())
        self.kind = kind
        self.given = given
        self.known = names


class ToolError(OpsGymError):
    """A tool refuses a call for a reason that the agent can act on.

    Args:
        code: One of :data:`TOOL_ERROR_CODES`.
        message: What is wrong, in the agent's terms.
        hint: What to do instead, or empty.
    """

    def __init__(self, code: ToolErrorCode, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code: ToolErrorCode = code
        self.message = message
        self.hint = hint

    def as_dict(self) -> dict[str, str]:
        """The error as it stands in an observation: ``code``, ``message`` and, if any, ``hint``."""
        body = {"code": str(self.code), "message": self.message}
        if self.hint:
            body["hint"] = self.hint
        return body


class InjectedFault(ToolError):
    """A tool failure that a wrapper caused on purpose."""


class EpisodeOver(OpsGymError, RuntimeError):
    """``step`` was called on an episode that has ended; call ``reset`` first."""


class BackendError(OpsGymError, RuntimeError):
    """An external system failed; the episode must not be scored as the agent's."""


class ModelError(BackendError):
    """A language model's server gave no usable answer, after every retry.

    Args:
        kind: What went wrong, from a closed list.
        message: What was asked of whom, and what came back; never a secret.
    """

    def __init__(self, kind: ModelErrorKind, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind: ModelErrorKind = kind
