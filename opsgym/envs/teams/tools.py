"""Tools that only teams have: talk, wait, and review; the game carries them out itself."""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

from pydantic import Field

from opsgym.core.tools import tool

Text = Annotated[str, Field(min_length=1)]


def _unreachable() -> NoReturn:
    raise AssertionError("the game answers this tool itself")


@tool()
def message(session: Any, text: Text, to: str = "all") -> str:
    """Send a message to a colleague, or to all of them; only so many can be sent in an episode.

    Args:
        text: What to say.
        to: Name of the colleague, for example 'sales_0', or 'all'.
    """
    _unreachable()


@tool()
def wait(session: Any) -> str:
    """Do nothing this turn."""
    _unreachable()


@tool()
def approve(session: Any) -> str:
    """Accept the work as it stands; the episode ends and the work is judged."""
    _unreachable()


@tool()
def send_back(session: Any, text: Text) -> str:
    """Return the work with what is to be mended; possible once in an episode.

    Args:
        text: What is to be mended.
    """
    _unreachable()
