"""A small company to test the ERP with: two customers, two vendors, a fan that is made of blades and can be bought."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

from opsgym.core.world import World
from opsgym.envs.erp_bench.erp import DDL, Erp

TODAY = dt.date(2026, 5, 4)
NOW = "2026-05-04 08:00:00"
Vals = dict[str, Any]


class Shop:
    """The company's ERP and the ids of its master data.

    The fan sells for 100 without taxes; vendor A offers it in tiers 5: 7.00 / 20: 6.30 / 50: 5.00 at 3, 4 and 5 days.
    One fan takes two blades and a motor, 2 days and 6 minutes on the first center; 10 blades and 5 motors are on hand.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.erp = Erp(world)
        self.acme, self.bolt = (self.make("res.partner", name=name, ref=name[:1]) for name in ("Acme", "Bolt"))
        self.vendor_a, self.vendor_b = (self.make("res.partner", name=name, ref=name[-1]) for name in ("Vendor A", "Vendor B"))
        self.fan = self.product("Fan", "F", list_price=100.0, standard_price=99.0)
        self.blade = self.product("Blade", "B", standard_price=2.0)
        self.motor = self.product("Motor", "M", standard_price=20.0)
        self.fan_template = self.get("product.product", self.fan, "product_tmpl_id")
        for quantity, price, delay in ((5, 7.0, 3), (20, 6.3, 4), (50, 5.0, 5)):
            self.offer(self.vendor_a, self.fan, min_qty=quantity, price=price, delay=delay)
        self.center, self.other_center = (self.make("mrp.workcenter", name=f"Line {n}", code=f"W{n}") for n in (1, 2))
        self.bom = self.make(
            "mrp.bom",
            product_tmpl_id=self.fan_template,
            produce_delay=2,
            bom_line_ids=[[0, 0, {"product_id": self.blade, "product_qty": 2}], [0, 0, {"product_id": self.motor}]],
            operation_ids=[
                [0, 0, {"name": "Assembly", "workcenter_id": self.center, "time_cycle_manual": 6, "unit_cost": 3.5}],
                [0, 0, {"name": "Assembly", "workcenter_id": self.other_center, "time_cycle_manual": 9, "is_alternative": True}],
            ],
        )
        self.count(self.blade, 10)
        self.count(self.motor, 5)

    def call(self, model: str, method: str, ids: Any = (), context: Any = None, **kwargs: Any) -> Any:
        """A public call."""
        return self.erp.call(model, method, ids, context, **kwargs)

    def make(self, model: str, /, **vals: Any) -> int:
        """Create one record through the public API."""
        (record,) = self.call(model, "create", vals_list=[vals])
        return int(record)

    def write(self, model: str, record: int, /, **vals: Any) -> None:
        """Write on one record through the public API."""
        assert self.call(model, "write", [record], vals=vals) is True

    def get(self, model: str, record: int, *names: str) -> Any:
        """Values of one record with plain ids: one value, or a list for several names."""
        (found,) = self.call(model, "read", [record], fields=list(names), load=None)
        return found[names[0]] if len(names) == 1 else [found[name] for name in names]

    def find(self, model: str, *domain: Any) -> list[int]:
        """Ids of the records that meet a domain."""
        return [int(one) for one in self.call(model, "search", domain=list(domain))]

    def product(self, name: str, code: str, **vals: Any) -> int:
        """A storable product without taxes."""
        untaxed = {"taxes_id": [[6, 0, []]], "supplier_taxes_id": [[6, 0, []]]}
        return self.make("product.product", name=name, default_code=code, is_storable=True, **{**untaxed, **vals})

    def offer(self, vendor: int, product: int, **vals: Any) -> int:
        """A vendor's price row."""
        template = self.get("product.product", product, "product_tmpl_id")
        return self.make("product.supplierinfo", partner_id=vendor, product_tmpl_id=template, **vals)

    def count(self, product: int, quantity: float) -> None:
        """Set the quantity on hand."""
        quant = self.make("stock.quant", product_id=product, location_id=8, inventory_quantity=quantity)
        assert self.call("stock.quant", "action_apply_inventory", [quant]) is None

    def on_hand(self, product: int) -> float:
        """Quantity on hand."""
        return float(self.get("product.product", product, "qty_available"))

    def sale(self, quantity: float = 3, *, confirm: bool = False, **vals: Any) -> int:
        """A sales order of fans for Acme."""
        line = {"product_id": self.fan, "product_uom_qty": quantity}
        order = self.make("sale.order", **{"partner_id": self.acme, "order_line": [[0, 0, line]], **vals})
        if confirm:
            assert self.call("sale.order", "action_confirm", [order]) is True
        return order

    def purchase(self, quantity: float = 5, *, confirm: bool = False, line: Vals | None = None, **vals: Any) -> int:
        """A purchase order of fans from vendor A."""
        values = {"product_id": self.fan, "product_qty": quantity, **(line or {})}
        order = self.make("purchase.order", **{"partner_id": self.vendor_a, "order_line": [[0, 0, values]], **vals})
        if confirm:
            assert self.call("purchase.order", "button_confirm", [order]) is True
        return order

    def production(self, quantity: float = 2, *, confirm: bool = False, **vals: Any) -> int:
        """A manufacturing order of fans."""
        order = self.make("mrp.production", **{"product_id": self.fan, "product_qty": quantity, **vals})
        if confirm:
            assert self.call("mrp.production", "action_confirm", [order]) is True
        return order

    def line(self, model: str, order: int) -> int:
        """First line of an order."""
        return int(self.get(model, order, "order_line")[0])

    def invoice(self, order: int, **wizard: Any) -> int:
        """Run the invoicing wizard on a sales order; answers with the new invoice."""
        known = self.get("sale.order", order, "invoice_ids")
        number = self.make("sale.advance.payment.inv", sale_order_ids=[[6, 0, [order]]], **wizard)
        self.call("sale.advance.payment.inv", "create_invoices", [number])
        (new,) = set(self.get("sale.order", order, "invoice_ids")) - set(known)
        return int(new)


def open_shop() -> Shop:
    """A fresh company."""
    return Shop(World(DDL, today=TODAY))


@cache
def shared_shop() -> Shop:
    """A company for properties; each example restores it when it is done."""
    return open_shop()
