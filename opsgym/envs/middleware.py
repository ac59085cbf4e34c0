"""Middleware: what a wrapper puts around the execution of single tool calls inside a :class:`~opsgym.envs.tool_env.ToolEnv`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from opsgym.core.task import ToolCall
from opsgym.core.tools import Toolbox, ToolResult

__all__ = ["Middleware", "Proceed", "Reply", "answer"]


class Reply(NamedTuple):
    """What one call gave, and the line of the observation that says so."""

    result: ToolResult
    line: str


Proceed = Callable[[ToolCall], Reply]
"""Carries a call on to the next layer and at last to the tool."""


def answer(result: ToolResult) -> Reply:
    """The reply whose line is the result as JSON."""
    return Reply(result, result.to_json())


class Middleware:
    """One layer around the calls of an environment; every method may be left as it is.

    ``ToolEnv.use`` takes the layers, innermost first.  A layer never raises a ``ToolError``: it answers with one.
    """

    def extend(self, toolbox: Toolbox) -> Toolbox:
        """The tools on offer, given those of the layers inside; asked at every reset, so keep what you make."""
        return toolbox

    def around(self, call: ToolCall, proceed: Proceed) -> Reply:
        """Answer a call that could be read: ``proceed`` with it, or not, and change what comes back.

        Args:
            call: The call as the agent made it; neither its name nor its arguments have been checked.
            proceed: The rest of the way; to be called at most once.
        """
        return proceed(call)

    def snapshot_state(self) -> Any:
        """What the layer keeps of the running episode: picklable, and shared with nothing that changes."""
        return None

    def restore_state(self, state: Any) -> None:
        """Return to a state of :meth:`snapshot_state`."""
