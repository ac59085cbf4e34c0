"""Loopback access from inside a sandbox to one server outside, through a unix socket."""

from __future__ import annotations

from collections.abc import Sequence

from opsgym.sandbox.sandbox import PORT

SOCKET = "/run/opsgym/api.sock"
"""Where the socket is seen."""

FORWARDER = "/run/opsgym/forwarder.py"
"""Where the program is seen that passes connections on."""


def forwarded(python: str, command: Sequence[str]) -> list[str]:
    """A command line that opens the port, and becomes the command."""
    return [python, "-I", "-S", FORWARDER, str(PORT), SOCKET, *command]
