"""A chooser who knows the reference solution and takes only calls that are on offer: it books an equal plan in its own order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opsgym.core.task import ToolCall
from opsgym.envs.tool_env import ToolEnv


class Guide:
    """Chooses among candidates by the calls of the reference solution.

    Args:
        env: The environment, after its reset.
    """

    def __init__(self, env: ToolEnv) -> None:
        self.env = env
        oracle = env.task.oracle
        self.exact = [call for call in oracle if call.name.startswith(("cancel_", "confirm_sales", "update_sales"))]
        self.customers = [call.arguments["customer"] for call in oracle if call.name == "create_sales_order"]
        self.invoices = [call.arguments for call in oracle if call.name == "create_invoice"]
        self.created = [call.arguments for call in oracle if call.name in ("create_purchase_order", "create_manufacturing_order")]
        self.updates = {
            call.arguments["order"]: call.arguments["lines"][0]["quantity"]
            for call in oracle
            if call.name == "update_purchase_order" and "lines" in call.arguments
        }
        self.open: tuple[str, int] | None = None

    def choose(self, offered: Iterable[ToolCall]) -> ToolCall:
        """The next call."""
        calls = list(offered)
        if self.open is not None:
            return self._finish(calls, *self.open)
        for call in calls:
            if self._is_wanted(call):
                return call
        for name, units in list(self.updates.items()):
            changed = _nearest(calls, "update_purchase_order", name, units, self._units(name))
            if changed:
                return changed
            del self.updates[name]
        return self._create(calls) or self._end(calls)

    def _is_wanted(self, call: ToolCall) -> bool:
        if call.name == "create_sales_order":
            return call.arguments["customer"] in self.customers
        if call.name == "create_invoice":
            return call.arguments in self.invoices
        return call in self.exact or call.name == "post_invoice"

    def _create(self, calls: list[ToolCall]) -> ToolCall | None:
        """A document of the plan, in about its quantity."""
        for wanted in self.created:
            fitting = [call for call in calls if call.name.startswith("create_") and _key(call.arguments) == _key(wanted)]
            if fitting:
                self.created.remove(wanted)
                chosen = min(fitting, key=lambda call: abs(_quantity(call.arguments) - _quantity(wanted)))
                table = "purchase_order" if "vendor" in wanted else "mrp_production"
                self.open = table, _quantity(wanted)
                return chosen
        return None

    def _finish(self, calls: list[ToolCall], table: str, units: int) -> ToolCall:
        """Bring the newest draft to its quantity, then confirm it."""
        (name,) = self.env.world.execute(f"SELECT name FROM {table} WHERE state = 'draft' ORDER BY id DESC LIMIT 1").fetchone()
        kind = "purchase" if table == "purchase_order" else "manufacturing"
        changed = _nearest(calls, f"update_{kind}_order", name, units, self._units(name))
        if changed:
            return changed
        assert self._units(name) == units, f"{name} cannot be brought to {units} units"
        self.open = None
        return next(call for call in calls if (call.name, call.arguments.get("order")) == (f"confirm_{kind}_order", name))

    def _end(self, calls: list[ToolCall]) -> ToolCall:
        """Link what is not linked well, then submit."""
        assert not self.created, f"not on offer: {self.created}"
        links = [call for call in calls if "origin" in call.arguments and call.name.startswith("update_")]
        return links[0] if links else calls[-1]

    def _units(self, name: str) -> int:
        row = self.env.world.execute(
            "SELECT product_qty FROM mrp_production WHERE name = ?1 UNION ALL SELECT l.product_qty FROM purchase_order o"
            " JOIN purchase_order_line l ON l.order_id = o.id WHERE o.name = ?1",
            (name,),
        ).fetchone()
        return int(row[0])


def _quantity(arguments: Any) -> int:
    return int(arguments["lines"][0]["quantity"] if "lines" in arguments else arguments["quantity"])


def _key(arguments: Any) -> tuple[Any, ...]:
    if "work_center" in arguments:
        return arguments["product"], arguments["work_center"], arguments["due_date"]
    if "vendor" in arguments:
        line = arguments["lines"][0]
        return arguments["vendor"], line["product"], line["unit_price"]
    return ()


def _nearest(calls: list[ToolCall], tool: str, name: str, units: int, now: int) -> ToolCall | None:
    """The change of a document's quantity that comes nearest to the one wanted, if any comes nearer."""
    orders = [call for call in calls if (call.name, call.arguments.get("order")) == (tool, name)]
    changes = [call for call in orders if "origin" not in call.arguments]
    best = min(changes, key=lambda call: abs(_quantity(call.arguments) - units), default=None)
    return best if best is not None and abs(_quantity(best.arguments) - units) < abs(now - units) else None
