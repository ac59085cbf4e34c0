"""Doors: environments served to clients that speak other protocols; needs the ``serve`` extra."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opsgym.serve.admin_client import Admin
    from opsgym.serve.databases import Database, Databases
    from opsgym.serve.limits import Limits
    from opsgym.serve.server import ErpServer, erp_server

__all__ = ["Admin", "Database", "Databases", "ErpServer", "Limits", "erp_server"]

_HOMES = {
    "Admin": "admin_client",
    "Database": "databases",
    "Databases": "databases",
    "ErpServer": "server",
    "Limits": "limits",
    "erp_server": "server",
}


def __getattr__(name: str) -> Any:
    """Load what is named; one door does not need the libraries of the others."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
