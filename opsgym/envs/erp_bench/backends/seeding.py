"""Seeding: the records of a task written into a fresh database over JSON-2.

There is one description of a seeded world, :func:`~opsgym.envs.erp_bench.world.open_world`; it is copied record by record, in its
order, so that documents get the same numbers.  Master data go in bulk, a call for each model; documents are created and
confirmed by the ERP itself.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from opsgym.core.errors import BackendError
from opsgym.core.world import World
from opsgym.envs.erp_bench.backends.json2 import Json2
from opsgym.envs.erp_bench.backends.text import cost_note, markup
from opsgym.envs.erp_bench.erp import DDL, Erp
from opsgym.envs.erp_bench.erp.fields import table_of
from opsgym.envs.erp_bench.erp.registry import MODELS
from opsgym.envs.erp_bench.world import ROUTE_NAMES

Vals = dict[str, Any]

_MASTER: Mapping[str, tuple[str, ...]] = {
    "res.partner.category": ("name",),
    "res.partner": ("name", "ref", "email", "is_company", "supplier_rank", "customer_rank", "comment", "category_id"),
    "product.category": ("name",),
    "product.template": (
        "name",
        "default_code",
        "type",
        "is_storable",
        "list_price",
        "standard_price",
        "categ_id",
        "invoice_policy",
        "route_ids",
        "taxes_id",
        "supplier_taxes_id",
    ),
    "product.supplierinfo": (
        "partner_id",
        "product_tmpl_id",
        "product_name",
        "min_qty",
        "price",
        "delay",
        "date_start",
        "date_end",
    ),
    "mrp.workcenter": ("name", "code", "costs_hour", "oee_target", "note"),
    "mrp.bom": ("product_tmpl_id", "product_qty", "type", "produce_delay"),
    "mrp.bom.line": ("bom_id", "product_id", "product_qty"),
    "mrp.routing.workcenter": (
        "name",
        "workcenter_id",
        "bom_id",
        "time_mode",
        "time_cycle_manual",
        "unit_cost",
        "is_alternative",
    ),
    "stock.quant": ("product_id", "location_id"),
    "ir.config_parameter": ("key", "value"),
    "ir.attachment": ("name", "index_content"),
}
"""Models in the order of their references, with the fields that a seeded world sets."""

_SALE = ("partner_id", "commitment_date", "client_order_ref", "note")
_SALE_LINE = ("product_id", "product_uom_qty", "price_unit")
_PURCHASE = ("partner_id", "origin", "note")
_PURCHASE_LINE = ("product_id", "product_qty", "price_unit", "date_planned")
_PRODUCTION = ("product_id", "product_qty", "bom_id", "date_start", "date_deadline", "origin")

_XMLIDS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("stock.location", "WH/Stock"): ("stock", "stock_location_stock"),
    ("stock.route", ROUTE_NAMES["buy"]): ("purchase_stock", "route_warehouse0_buy"),
    ("stock.route", ROUTE_NAMES["manufacture"]): ("mrp", "route_warehouse0_manufacture"),
}
"""External ids of the base records that seeded ones refer to, by model and display name."""


def upload(client: Json2, world: World) -> None:
    """Write the records of a freshly seeded world into a fresh database.

    Raises:
        ToolError: The ERP refuses a record.
        BackendError: The ERP broke, lacks a base record, or numbers documents differently: the database was used before.
    """
    _Upload(client, world).run()


class _Upload:
    """One upload; ``ids`` are the live ids by those of the copied world, for each model."""

    def __init__(self, client: Json2, world: World) -> None:
        self.client = client
        self.erp = Erp(world)
        self.ids: dict[str, dict[int, int]] = {}
        fresh = World(DDL, today=world.today)
        self.base = {model: set(Erp(fresh).search(model, [["id", ">", 0]])) for model in MODELS}
        fresh.close()

    def run(self) -> None:
        """Write everything, what others refer to first."""
        self.find_base_records()
        for model, names in _MASTER.items():
            getattr(self, f"copy_{table_of(model)}", self.copy)(model, names)
            if model == "product.template":
                self.find_variants()
        self.copy_sales()
        self.copy_productions()
        self.copy_purchases()
        self.check_numbers()

    # -- shorthands ---------------------------------------------------------------------------------------------

    def rows(self, model: str, names: Iterable[str], domain: Sequence[Any] = ()) -> list[Vals]:
        """Records of the copied world that are not base records, in their order."""
        wanted = [["id", "not in", sorted(self.base[model])], *domain]
        if "active" in MODELS[model].fields:
            wanted.append(["active", "in", [True, False]])
        return self.erp.search_read(model, wanted, ["id", *names], "id", load=None)

    def create(self, model: str, rows: Sequence[Vals], values: Sequence[Vals], context: Vals | None = None) -> list[int]:
        """Create one live record for each row and keep its id."""
        found: list[int] = self.client.call(model, "create", context=context, vals_list=list(values)) if values else []
        if len(found) != len(rows):
            raise BackendError(f"{model}.create: expected {len(rows)} ids, got {len(found)}")
        self.ids.setdefault(model, {}).update(zip((row["id"] for row in rows), found, strict=True))
        return found

    def live(self, model: str, row: Vals) -> Vals:
        """The values of a row, without empty ones and those that the server has no field for, under live ids."""
        known = self.client.fields(model)
        found = {name: self.value(model, name, value, known[name]) for name, value in row.items() if name in known}
        # a zero is said: Odoo's own default may be another
        return {
            name: value for name, value in found.items() if not (value is False or value is None or value == "" or name == "id")
        }

    def value(self, model: str, name: str, value: Any, kind: str) -> Any:
        """A value as the server takes it; ``False`` where it is to take its own default."""
        field = MODELS[model].fields[name]
        if field.type == "many2one":
            return value and self.ids.get(field.comodel, {}).get(value, False)
        if field.type == "many2many":
            linked = [self.ids.get(field.comodel, {}).get(one) for one in value]
            return False if value and None in linked else [[6, 0, linked]]
        return markup(value) if kind == "html" and value else value

    # -- master data --------------------------------------------------------------------------------------------

    def find_base_records(self) -> None:
        """Live ids of the base records that seeded ones refer to, by external id."""
        for (model, name), (module, key) in _XMLIDS.items():
            (own,) = self.erp.search(model, [["complete_name" if model == "stock.location" else "name", "=", name]])
            domain = [["module", "=", module], ["name", "=", key]]
            found = self.client.call("ir.model.data", "search_read", domain=domain, fields=["res_id"])
            if not found:
                raise BackendError(
                    f"the database lacks {module}.{key}: install sale_management, purchase, mrp, stock and account"
                )
            self.ids.setdefault(model, {})[own] = found[0]["res_id"]

    def copy(self, model: str, names: Sequence[str]) -> None:
        """Create all records of a model in one call."""
        rows = self.rows(model, names)
        self.create(model, rows, [self.live(model, row) for row in rows])

    def find_variants(self) -> None:
        """The only variant of each template, which the server made."""
        templates = self.ids.get("product.template", {})
        domain = [["product_tmpl_id", "in", list(templates.values())]]
        found = self.client.call("product.product", "search_read", domain=domain, fields=["product_tmpl_id"], load=None)
        variants = {row["product_tmpl_id"]: row["id"] for row in found}
        own = self.rows("product.product", ["product_tmpl_id"])
        self.ids["product.product"] = {row["id"]: variants[templates[row["product_tmpl_id"]]] for row in own}

    def copy_mrp_workcenter(self, model: str, names: Sequence[str]) -> None:
        """Work centers, then which of them stand in for each other."""
        self.copy(model, names)
        for row in self.rows(model, ["alternative_workcenter_ids"], [["alternative_workcenter_ids", "!=", False]]):
            linked = self.live(model, row)
            self.client.call(model, "write", [self.ids[model][row["id"]]], vals=linked)

    def copy_mrp_routing_workcenter(self, model: str, names: Sequence[str]) -> None:
        """Operations.

        Where the server has no field for it, the cost of a unit stands in the note, and another way to do the primary
        operation is an archived operation: it makes no work order, and can be read.
        """
        rows = self.rows(model, names)
        values = [self.live(model, row) for row in rows]
        if "unit_cost" not in self.client.fields(model):
            for row, filled in zip(rows, values, strict=True):
                filled["note"] = cost_note(row["unit_cost"])
                filled["active"] = not row["is_alternative"]
        self.create(model, rows, values)

    def copy_stock_quant(self, model: str, names: Sequence[str]) -> None:
        """Units on hand, counted and applied."""
        rows = self.rows(model, [*names, "quantity"])
        counted = [self.live(model, row) | {"inventory_quantity": row["quantity"]} for row in rows]
        for filled in counted:
            filled.pop("quantity", None)
        found = self.create(model, rows, counted, {"inventory_mode": True})
        if found:
            self.client.call(model, "action_apply_inventory", found)

    def copy_ir_attachment(self, model: str, names: Sequence[str]) -> None:
        """Policy documents: as text, and as a file where the server has files."""
        rows = self.rows(model, names)
        values = [{"name": row["name"], "description": row["index_content"], "mimetype": "text/plain"} for row in rows]
        if "datas" in self.client.fields(model):
            for row, filled in zip(rows, values, strict=True):
                filled["datas"] = base64.b64encode(row["index_content"].encode()).decode()
        else:
            values = [filled | {"index_content": row["index_content"]} for row, filled in zip(rows, values, strict=True)]
        self.create(model, rows, values)

    # -- documents ----------------------------------------------------------------------------------------------

    def copy_orders(self, model: str, names: Sequence[str], line_names: Sequence[str]) -> list[Vals]:
        """Orders with their lines, as drafts; gives the rows with their state."""
        rows = self.rows(model, [*names, "state"])
        lines = self.rows(f"{model}.line", ["order_id", *line_names])
        values = []
        for row in rows:
            own = [self.live(f"{model}.line", line | {"order_id": False}) for line in lines if line["order_id"] == row["id"]]
            values.append(self.live(model, row | {"state": False}) | {"order_line": [[0, 0, line] for line in own]})
        self.create(model, rows, values)
        return rows

    def copy_sales(self) -> None:
        """Sales orders, drafts and confirmed ones."""
        rows = self.copy_orders("sale.order", _SALE, _SALE_LINE)
        for row in rows:
            if row["state"] == "sale":
                self.client.call("sale.order", "action_confirm", [self.ids["sale.order"][row["id"]]])

    def copy_purchases(self) -> None:
        """Confirmed purchase orders."""
        for row in self.copy_orders("purchase.order", _PURCHASE, _PURCHASE_LINE):
            self.client.call("purchase.order", "button_confirm", [self.ids["purchase.order"][row["id"]]])

    def copy_productions(self) -> None:
        """Confirmed manufacturing orders on their work centers, with their notes."""
        model = "mrp.production"
        rows = self.rows(model, _PRODUCTION)
        for row in rows:
            (number,) = self.create(model, [row], [self.live(model, row)])
            self.client.call(model, "action_confirm", [number])
            (work,) = self.rows("mrp.workorder", ["workcenter_id"], [["production_id", "=", row["id"]]])
            works = self.client.call("mrp.workorder", "search", domain=[["production_id", "=", number]])
            self.client.call("mrp.workorder", "write", works, vals=self.live("mrp.workorder", work))
            for note in self.rows("mail.message", ["body"], [["model", "=", model], ["res_id", "=", row["id"]]]):
                self.client.call(model, "message_post", [number], body=note["body"])

    def check_numbers(self) -> None:
        """Documents must be called what the task expects."""
        for model in ("sale.order", "purchase.order", "mrp.production"):
            expected = [row["name"] for row in self.rows(model, ["name"])]
            found = [row["name"] for row in self.client.call(model, "search_read", domain=[], fields=["name"], order="id")]
            if found != expected:
                raise BackendError(f"the database is not fresh: expected {model} {expected}, got {found[:20]}")
