"""The raw API as one tool, and the tool that ends an episode."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.tools import tool
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.tools.common import JsonDict
from opsgym.envs.erp_bench.tools.records import RecordId

_RESERVED = ("self", "model", "method", "ids")


@tool(mutates=True)
def call(erp: Erp, model: str, method: str, ids: list[RecordId] | None = None, kwargs: JsonDict | None = None) -> Any:
    """Call a method of a model of the ERP, as over its JSON-2 interface, with every argument given by name.

    Args:
        model: Technical name such as 'purchase.order'.
        method: A public method such as 'search_read', 'create', 'write' or 'button_confirm'.
        ids: Records to act on; leave it out for methods of the model as a whole, such as 'create' and 'search_read'.
        kwargs: The method's arguments by name, and 'context' if one is needed.
    """
    arguments = dict(kwargs or {})
    for name in _RESERVED:
        if name in arguments:
            raise ToolError("invalid_arguments", f"kwargs must not hold {name!r}.", "Give model, method and ids beside kwargs.")
    context = arguments.pop("context", None)
    return erp.call(model, method, ids or [], context, **arguments)


@tool(terminal=True)
def submit(erp: Erp, summary: str | None = None) -> str:
    """Hand in the work; the state of the ERP is judged as it is now, and nothing can be changed afterwards.

    Args:
        summary: A word on what was done; it is not judged.
    """
    return "submitted"
