"""Opening a world: every record of a scenario, core and decoys alike, written into a fresh ERP.

Core and decoy records are shuffled together by a hash of their keys, so that neither ids nor the order of a list
tell them apart.  Master data goes straight to SQL; documents go through the ERP, which numbers and confirms them.
Source: ERP-Bench release, setup; design page, "Nothing is hidden".
"""

from __future__ import annotations

import datetime as dt
import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.world import World
from opsgym.envs.erp_bench.erp import DDL, Erp
from opsgym.envs.erp_bench.erp.stock import STOCK
from opsgym.envs.erp_bench.phrases import counted
from opsgym.envs.erp_bench.spec import (
    Bom,
    Offer,
    Operation,
    Order,
    Repair,
    Scenario,
    SeededProduction,
    SeededPurchase,
    WorkCenter,
)

ROUTE_NAMES = {"buy": "Buy", "manufacture": "Manufacture"}
"""Name in the ERP of each route of :class:`~opsgym.envs.erp_bench.spec.Product`."""

Vals = dict[str, Any]
T = TypeVar("T")


def open_world(scenario: Scenario) -> World:
    """A fresh ERP with all records of ``scenario``; the same scenario gives equal worlds.

    Raises:
        TaskError: The scenario refers to what it does not define, or the ERP refuses a record of it.
    """
    world = World(DDL, today=scenario.today)
    try:
        with world.savepoint():
            _Seeder(scenario, world).run()
    except (ToolError, sqlite3.Error, OverflowError) as error:
        world.close()
        raise TaskError(f"the ERP refuses a record of the scenario: {error}", field="world") from error
    return world


def document_names(scenario: Scenario) -> dict[str, str]:
    """Names of the seeded documents by their ref; manufacturing orders also by their plan ref.

    Sales orders are numbered in shuffled order, purchase and manufacturing orders in the order of the scenario.
    """
    repair = scenario.problem.repair or Repair(kind="supplier_cancellation")
    names = {order.ref: f"S{number:05d}" for number, (order, _) in enumerate(_seeded_sales(scenario), 1)}
    names |= {seed.ref: f"P{number:05d}" for number, seed in enumerate(repair.purchases, 1)}
    for number, seed in enumerate(repair.productions, 1):
        names[seed.ref] = names[seed.plan_ref] = f"WH/MO/{number:05d}"
    return names


def _shuffled(scenario: Scenario, records: Iterable[T], key: Callable[[T], str]) -> list[T]:
    """Records in an order that depends on the scenario and their keys only, and tells nothing of either."""

    def place(record: T) -> bytes:
        return hashlib.blake2s(f"{scenario.name}|{key(record)}".encode(), digest_size=16).digest()

    return sorted(records, key=place)


def _seeded_sales(scenario: Scenario) -> list[tuple[Order, str]]:
    """The sales orders that exist at the start, each with its product, in the order of their numbers."""
    problem, decoys = scenario.problem, scenario.decoys
    own = [(order, problem.ordered(order).code) for order in problem.orders if order.seeded]
    other = list(zip(decoys.orders, decoys.order_products, strict=True))
    return _shuffled(scenario, own + other, lambda pair: pair[0].ref)


class _Keys(dict[str, int]):
    """Ids by business key; an unknown key is a fault of the scenario."""

    def __init__(self, noun: str) -> None:
        super().__init__()
        self.noun = noun

    def __missing__(self, key: str) -> int:
        raise TaskError(f"the scenario refers to {self.noun} {key!r}, which it does not define", field="world")


class _Seeder:
    """Writes the records of a scenario, those that others refer to first."""

    def __init__(self, scenario: Scenario, world: World) -> None:
        self.scenario = scenario
        self.problem = scenario.problem
        self.decoys = scenario.decoys
        self.world = world
        self.erp = Erp(world)
        self.names = document_names(scenario)
        self.partners = _Keys("partner")
        self.templates = _Keys("product")
        self.products = _Keys("product")
        self.centers = _Keys("work center")
        self.boms = _Keys("a bill of materials of")

    def run(self) -> None:
        """Write everything."""
        self.add_partners()
        self.add_products()
        self.add_offers()
        self.add_centers()
        self.add_boms()
        self.add_operations()
        self.add_stock()
        self.add_texts()
        self.add_sales()
        self.add_productions()
        self.add_purchases()

    # -- shorthands -------------------------------------------------------------------------------------------

    def insert(self, model: str, rows: Sequence[Vals]) -> range:
        """Insert rows with the model's defaults straight into its table and return their ids."""
        records = self.erp[model]
        defaults = {name: value for name, value in records.default_values().items() if records.fields[name].stored}
        table = records.table
        first = self.world.execute(f"SELECT COALESCE(MAX(id), 0) + 1 FROM {table}").fetchone()[0]
        ids = range(first, first + len(rows))
        if rows:
            names = list(dict.fromkeys(["id", *defaults, *rows[0]]))
            fields = [records.fields[name] for name in names]
            filled = ({**defaults, **row, "id": number} for number, row in zip(ids, rows, strict=True))
            sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
            self.world.conn.executemany(sql, [[field.to_column(row[field.name]) for field in fields] for row in filled])
        return ids

    def link(self, table: str, own: str, other: str, pairs: Iterable[tuple[int, int]]) -> None:
        """Insert rows of a many2many table."""
        self.world.conn.executemany(f"INSERT OR IGNORE INTO {table} ({own}, {other}) VALUES (?, ?)", list(pairs))

    def moment(self, day: int) -> str:
        """The start of a day of the scenario, as the ERP stores it."""
        return f"{self.date(day)} 00:00:00"

    def date(self, day: int) -> str:
        """A day of the scenario as a calendar date."""
        return (self.scenario.today + dt.timedelta(days=day)).isoformat()

    def shuffled(self, records: Iterable[T], key: Callable[[T], str]) -> list[T]:
        """See :func:`_shuffled`."""
        return _shuffled(self.scenario, records, key)

    def ids_by_name(self, table: str) -> dict[str, int]:
        """Ids of a table of base records by name."""
        return dict(self.world.execute(f"SELECT name, id FROM {table}").fetchall())

    # -- master data ------------------------------------------------------------------------------------------

    def add_partners(self) -> None:
        """Customers and vendors with their tags and Internal Notes; a vendor's limits follow its own note."""
        everyone = (*self.problem.customers, *self.problem.vendors, *self.decoys.customers, *self.decoys.vendors)
        partners = self.shuffled({partner.ref: partner for partner in everyone}.values(), lambda partner: partner.ref)
        limits = vendor_limits((*self.problem.offers, *self.decoys.offers))
        rows = [
            {
                "name": partner.name,
                "ref": partner.ref,
                "email": partner.email or None,
                "is_company": True,
                "supplier_rank": partner.supplier_rank,
                "customer_rank": partner.customer_rank,
                "comment": "\n".join(filter(None, [partner.note, *limits.get(partner.ref, ())])) or None,
            }
            for partner in partners
        ]
        self.partners.update(zip((partner.ref for partner in partners), self.insert("res.partner", rows), strict=True))
        tags = sorted({tag for partner in partners for tag in partner.tags})
        tag_ids = dict(zip(tags, self.insert("res.partner.category", [{"name": tag} for tag in tags]), strict=True))
        pairs = ((self.partners[partner.ref], tag_ids[tag]) for partner in partners for tag in partner.tags)
        self.link("res_partner_category_id_rel", "res_partner_id", "res_partner_category_id", pairs)

    def add_products(self) -> None:
        """Products, each a template with its only variant, with category, routes and (without invoicing) default taxes."""
        products = self.shuffled((*self.problem.products, *self.decoys.products), lambda product: product.code)
        categories = sorted({product.category for product in products if product.category})
        category_ids = dict(
            zip(categories, self.insert("product.category", [{"name": name} for name in categories]), strict=True)
        )
        rows = [
            {
                "name": product.name,
                "default_code": product.code,
                "is_storable": True,
                "list_price": product.list_price / 100,
                "standard_price": product.standard_price / 100,
                "categ_id": category_ids.get(product.category, 1),
            }
            for product in products
        ]
        templates = self.insert("product.template", rows)
        codes = [product.code for product in products]
        self.templates.update(zip(codes, templates, strict=True))
        variants = self.insert("product.product", [{"product_tmpl_id": template} for template in templates])
        self.products.update(zip(codes, variants, strict=True))
        routes = self.ids_by_name("stock_route")
        pairs = ((self.templates[p.code], routes[ROUTE_NAMES[route]]) for p in products for route in p.routes)
        self.link("product_template_route_ids_rel", "product_template_id", "stock_route_id", pairs)
        self.add_taxes(templates)

    def add_taxes(self, templates: Iterable[int]) -> None:
        """The company's default taxes; none where the task asks for invoices, whose totals must equal the untaxed amounts."""
        if self.problem.invoicing:
            return
        defaults = self.erp["product.template"].default_values()
        for field in ("taxes_id", "supplier_taxes_id"):
            for _, _, taxes in defaults[field]:
                pairs = ((template, tax) for template in templates for tax in taxes)
                self.link(f"product_template_{field}_rel", "product_template_id", "account_tax_id", pairs)

    def add_offers(self) -> None:
        """Vendors' price rows; their maximum stands in the vendor's notes."""
        offers = self.shuffled((*self.problem.offers, *self.decoys.offers), lambda offer: offer.key)
        self.insert("product.supplierinfo", [self.offer_row(offer) for offer in offers])

    def offer_row(self, offer: Offer) -> Vals:
        """The price row of an offer."""
        return {
            "partner_id": self.partners[offer.vendor],
            "product_tmpl_id": self.templates[offer.product],
            "product_name": offer.label or None,
            "min_qty": offer.min_qty,
            "price": offer.price / 100,
            "delay": offer.lead,
            "date_start": None if offer.valid_from is None else self.date(offer.valid_from),
            "date_end": None if offer.valid_to is None else self.date(offer.valid_to),
        }

    def add_centers(self) -> None:
        """Work centers with their minutes in the notes."""
        centers = self.shuffled((*self.problem.centers, *self.decoys.centers), lambda center: center.code)
        rows = [
            {
                "name": center.name,
                "code": center.code,
                "costs_hour": center.stated_costs_hour / 100,
                "oee_target": 100.0,
                "note": center_note(center, self.problem.bucket_days, self.scenario.today),
            }
            for center in centers
        ]
        self.centers.update(zip((center.code for center in centers), self.insert("mrp.workcenter", rows), strict=True))

    def add_boms(self) -> None:
        """Bills of materials with their components."""
        boms = self.shuffled((*self.problem.boms, *self.decoys.boms), lambda bom: bom.product)
        rows = [{"product_tmpl_id": self.templates[bom.product], "product_qty": 1.0, "produce_delay": bom.lead} for bom in boms]
        numbers = self.insert("mrp.bom", rows)
        for bom, number in zip(boms, numbers, strict=True):
            self.boms.setdefault(bom.product, number)
        self.insert(
            "mrp.bom.line", [row for bom, number in zip(boms, numbers, strict=True) for row in self.bom_lines(bom, number)]
        )

    def add_operations(self) -> None:
        """One operation for each product and work center that can make it; the primary one makes the work orders."""
        operations = (*self.problem.operations, *self.decoys.operations)
        primary: dict[str, Operation] = {}
        for operation in operations:
            if operation.primary or operation.product not in primary:
                primary[operation.product] = operation
        ways = self.shuffled(operations, lambda operation: f"{operation.product}|{operation.center}")
        self.insert("mrp.routing.workcenter", [self.operation_row(way, primary[way.product]) for way in ways])
        pairs = ((primary[way.product].center, way.center) for way in ways)
        linked = ((self.centers[center], self.centers[other]) for center, other in pairs if center != other)
        self.link("mrp_workcenter_alternative_workcenter_ids_rel", "mrp_workcenter_id", "related_id", linked)

    def bom_lines(self, bom: Bom, number: int) -> list[Vals]:
        """The rows of a bill's components."""
        return [
            {"bom_id": number, "product_id": self.products[line.component], "product_qty": line.quantity} for line in bom.lines
        ]

    def operation_row(self, operation: Operation, primary: Operation) -> Vals:
        """The row of a (product, work center) pair: minutes and cost of one unit."""
        return {
            "name": operation.name,
            "workcenter_id": self.centers[operation.center],
            "bom_id": self.boms[operation.product],
            "time_cycle_manual": operation.minutes / 1000,
            "unit_cost": operation.unit_cost / 100,
            "is_alternative": operation is not primary,
        }

    def add_stock(self) -> None:
        """Units on hand at the stock location, without the moves that brought them there."""
        stock = {**self.problem.stock, **self.decoys.stock}
        codes = self.shuffled((code for code, units in stock.items() if units > 0), lambda code: code)
        self.insert(
            "stock.quant", [{"product_id": self.products[code], "location_id": STOCK, "quantity": stock[code]} for code in codes]
        )

    def add_texts(self) -> None:
        """System parameters and policy documents."""
        parameters = sorted(self.scenario.parameters.items())
        self.insert("ir.config_parameter", [{"key": key, "value": value} for key, value in parameters])
        documents = self.scenario.documents
        self.insert("ir.attachment", [{"name": document.title, "index_content": document.body} for document in documents])

    # -- documents --------------------------------------------------------------------------------------------

    def add_sales(self) -> None:
        """Sales orders that exist at the start, drafts and confirmed ones."""
        prices = {product.code: product.list_price for product in (*self.problem.products, *self.decoys.products)}
        for order, product in _seeded_sales(self.scenario):
            line = {"product_id": self.products[product], "product_uom_qty": order.quantity, "price_unit": prices[product] / 100}
            number = self.erp.create(
                "sale.order",
                {
                    "partner_id": self.partners[order.customer],
                    "commitment_date": self.moment(order.due),
                    "client_order_ref": order.ref,
                    "note": order.note or None,
                    "order_line": [[0, 0, line]],
                },
            )
            if order.seeded == "sale":
                self.erp.call("sale.order", "action_confirm", [number])

    def add_productions(self) -> None:
        """Confirmed manufacturing orders of a repair task, on their work centers, with their notes."""
        for seed in self.problem.repair.productions if self.problem.repair else ():
            number = self.erp.create(
                "mrp.production",
                {
                    "product_id": self.products[seed.product],
                    "product_qty": seed.quantity,
                    "date_start": self.moment(seed.start),
                    "date_deadline": self.moment(seed.due),
                    "origin": self.origin(seed),
                },
            )
            self.erp.call("mrp.production", "action_confirm", [number])
            works = self.erp.search("mrp.workorder", [["production_id", "=", number]])
            self.erp.write("mrp.workorder", works, {"workcenter_id": self.centers[seed.center]})
            if seed.note:
                self.erp.call("mrp.production", "message_post", [number], body=seed.note)

    def add_purchases(self) -> None:
        """Confirmed purchase orders of a repair task."""
        for seed in self.problem.repair.purchases if self.problem.repair else ():
            offer = self.problem.offer_by_key.get(seed.offer)
            if offer is None:
                raise TaskError(f"the scenario has no offer {seed.offer!r}", field="world.problem.repair")
            line = {
                "product_id": self.products[offer.product],
                "product_qty": seed.quantity,
                "price_unit": offer.price / 100,
                "date_planned": self.moment(seed.arrival),
            }
            values = {
                "partner_id": self.partners[offer.vendor],
                "origin": self.origin(seed),
                "note": seed.note or None,
                "order_line": [[0, 0, line]],
            }
            number = self.erp.create("purchase.order", values)
            self.erp.call("purchase.order", "button_confirm", [number])

    def origin(self, seed: SeededPurchase | SeededProduction) -> str:
        """The source field of a seeded document."""
        missing = [ref for ref in seed.origins if ref not in self.names]
        if missing:
            raise TaskError(f"{seed.ref} is for {missing[0]!r}, which is no seeded document", field="world.problem.repair")
        return ", ".join(self.names[ref] for ref in seed.origins)


def vendor_limits(offers: Iterable[Offer]) -> dict[str, list[str]]:
    """Lines of Internal Notes that state the maximum of each offer, by vendor."""
    by_pair: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for offer in offers:
        if offer.max_qty is not None:
            by_pair.setdefault((offer.vendor, offer.product), []).append((offer.label or offer.key, offer.max_qty))
    limits: dict[str, list[str]] = {}
    for (vendor, product), rows in by_pair.items():
        for label, most in rows:
            which = f" on {label}" if len(rows) > 1 else ""
            limits.setdefault(vendor, []).append(f"Maximum order quantity for {product}{which}: {counted(most, 'unit')}")
    return limits


def center_note(center: WorkCenter, bucket_days: int | None, today: dt.date) -> str:
    """Internal Notes of a work center: its own note, then its minutes, by period where they are dated."""
    if center.buckets and bucket_days:
        lines = ["Available capacity by the day on which work starts, shared by all products:"]
        for number, minutes in enumerate(center.buckets):
            first = today + dt.timedelta(days=number * bucket_days)
            last = first + dt.timedelta(days=bucket_days - 1)
            lines.append(f"{first.isoformat()} to {last.isoformat()}: {counted(minutes / 1000, 'minute')}")
        capacity = "\n".join(lines)
    elif center.capacity:
        capacity = (
            f"Available capacity over the planning period: {counted(center.capacity / 1000, 'minute')}, shared by all products."
        )
    else:
        capacity = "Out of service for the whole planning period: 0 minutes available. Do not schedule work here."
    return "\n".join(filter(None, [center.note, capacity]))
