"""Locations, stock on hand, moves and transfers.

One warehouse with one stock location.  Moves are reserved first come, first served, when they are confirmed.
"""

from __future__ import annotations

from typing import Any

from opsgym.envs.erp_bench.erp.errors import invalid, user_error
from opsgym.envs.erp_bench.erp.fields import Boolean, Char, Datetime, Float, Integer, Many2one, One2many, Selection
from opsgym.envs.erp_bench.erp.mail import Thread
from opsgym.envs.erp_bench.erp.model import READ_ONLY, Model, Vals, public
from opsgym.envs.erp_bench.erp.products import PRODUCT_NAME, UNIT
from opsgym.envs.erp_bench.erp.settings import IrSequence

VENDORS, CUSTOMERS, STOCK, INVENTORY, PRODUCTION = 4, 5, 8, 14, 15
"""Ids of the locations that moves run between."""
RECEIPTS, DELIVERIES = 1, 2
"""Ids of the operation types."""

_MOVE_STATES = (
    "draft=New | waiting | confirmed=Waiting Availability | partially_available | assigned=Available | done | cancel=Cancelled"
)
_PICKING_STATE = (
    "(SELECT CASE WHEN COUNT(*) = 0 THEN 'draft' WHEN SUM(m.state = 'cancel') = COUNT(*) THEN 'cancel' "
    "WHEN SUM(m.state IN ('done', 'cancel')) = COUNT(*) THEN 'done' WHEN SUM(m.state = 'draft') > 0 THEN 'draft' "
    "WHEN SUM(m.state IN ('assigned', 'done', 'cancel')) = COUNT(*) THEN 'assigned' ELSE 'confirmed' END "
    "FROM stock_move m WHERE m.picking_id = {t}.id)"
)
_RESERVED = (
    "COALESCE((SELECT SUM(m.quantity) FROM stock_move m WHERE m.product_id = {t}.product_id AND m.location_id = {t}.location_id "
    "AND m.state IN ('partially_available', 'assigned')), 0.0)"
)


class Location(Model):
    """Where stock is, and where it comes from or goes to."""

    _name = "stock.location"
    _description = "Inventory Locations"
    _rec_name = "complete_name"
    _order = "complete_name, id"
    _names_search = ("complete_name",)
    _access = READ_ONLY

    name = Char("Location Name", required=True)
    complete_name = Char("Full Location Name", required=True)
    usage = Selection(
        "supplier=Vendor | view=Virtual | internal | customer | inventory=Inventory Loss | production | transit",
        "Location Type",
        required=True,
        default="internal",
    )
    location_id = Many2one("stock.location", "Parent Location")
    active = Boolean(default=True)


class Warehouse(Model):
    """The warehouse."""

    _name = "stock.warehouse"
    _description = "Warehouse"
    _access = READ_ONLY

    name = Char("Warehouse", required=True)
    code = Char("Short Name", required=True)
    lot_stock_id = Many2one("stock.location", "Location Stock")


class Route(Model):
    """Ways to supply a product: buy or manufacture."""

    _name = "stock.route"
    _description = "Inventory Routes"
    _access = READ_ONLY

    name = Char("Route", required=True)
    sequence = Integer()
    product_selectable = Boolean("Applicable on Product")
    active = Boolean(default=True)


class PickingType(Model):
    """Kinds of operations: receipts, deliveries and manufacturing."""

    _name = "stock.picking.type"
    _description = "Picking Type"
    _access = READ_ONLY

    name = Char("Operation Type", required=True)
    code = Selection("incoming=Receipt | outgoing=Delivery | mrp_operation=Manufacturing", "Type of Operation")
    sequence_code = Char("Sequence Prefix")
    warehouse_id = Many2one("stock.warehouse")
    default_location_src_id = Many2one("stock.location", "Source Location")
    default_location_dest_id = Many2one("stock.location", "Destination Location")


class Quant(Model):
    """Stock on hand of a product at a location."""

    _name = "stock.quant"
    _description = "Quants"
    _rec_name = "product_id"
    _display = "(SELECT sl.complete_name FROM stock_location sl WHERE sl.id = {t}.location_id)"
    _names_search = ("product_id", "location_id")
    _sql_constraints = ("UNIQUE (product_id, location_id)",)

    product_id = Many2one("product.product", "Product", required=True)
    location_id = Many2one("stock.location", "Location", required=True, default=STOCK)
    quantity = Float(readonly=True)
    inventory_quantity = Float("Counted Quantity")
    inventory_quantity_set = Boolean(readonly=True)
    inventory_diff_quantity = Float(
        "Difference",
        readonly=True,
        sql="(CASE WHEN {t}.inventory_quantity_set THEN {t}.inventory_quantity - {t}.quantity ELSE 0.0 END)",
    )
    reserved_quantity = Float(readonly=True, sql=_RESERVED)
    available_quantity = Float(readonly=True, sql=f"({{t}}.quantity - {_RESERVED})")
    product_tmpl_id = Many2one("product.template", "Product Template", readonly=True, related="product_id.product_tmpl_id")

    def create(self, vals: Vals) -> int:
        """Create a quant, or return the one that the product has at the location."""
        given = {"location_id": STOCK, **vals}
        for name in ("product_id", "location_id"):
            given[name] = self.fields[name].to_column(given.get(name))
        found = self.value(
            "SELECT id FROM stock_quant WHERE product_id = ? AND location_id = ?", given["product_id"], given["location_id"]
        )
        if found is None:
            return super().create(given)
        self.write([found], {name: value for name, value in given.items() if name not in ("product_id", "location_id")})
        return int(found)

    def complete(self, vals: Vals) -> None:
        """A counted quantity is noted as such."""
        if "inventory_quantity" in vals:
            vals["inventory_quantity_set"] = True

    def created(self, record: int, vals: Vals) -> None:
        """Only storable products are stocked, and only in locations of the warehouse."""
        product, location = self.get(record, "product_id", "location_id")
        if not self.erp.of(StockMove).storable(product):
            raise invalid("Quants cannot be created for consumables or services.")
        if self.erp["stock.location"].get(location, "usage") not in ("internal", "transit"):
            raise invalid("Stock is counted in internal locations only.")

    def changing(self, ids: list[int], vals: Vals) -> None:
        """A quant stays where it is."""
        if {"product_id", "location_id"} & set(vals):
            raise user_error("You cannot change the product or the location of a quant.", code="not_allowed")
        self.complete(vals)

    def deleting(self, ids: list[int]) -> None:
        """Stock is not removed by deleting its record."""
        raise user_error("Quants cannot be deleted; count the quantity and apply the inventory instead.", code="not_allowed")

    @public()
    def action_apply_inventory(self, ids: list[int], date: Any = None) -> None:
        """Make the counted quantity the quantity on hand."""
        for one in ids:
            product, location, counted, known, told = self.get(
                one, "product_id", "location_id", "inventory_quantity", "quantity", "inventory_quantity_set"
            )
            if told and counted != known:
                ends = (INVENTORY, location) if counted > known else (location, INVENTORY)
                moves = self.erp.of(StockMove)
                move = moves.create(
                    {
                        "product_id": product,
                        "product_uom_qty": abs(counted - known),
                        "location_id": ends[0],
                        "location_dest_id": ends[1],
                        "reference": "Product Quantity Updated",
                    }
                )
                moves.finish([move])
            self.put([one], inventory_quantity=0.0, inventory_quantity_set=0)


class StockMove(Model):
    """Movements of a product from one location to another, planned or done."""

    _name = "stock.move"
    _description = "Stock Move"
    _rec_name = "reference"
    _display = f"(COALESCE({{t}}.reference || ': ', '') || {PRODUCT_NAME})"
    _names_search = ("reference", "product_id", "origin")

    reference = Char()
    origin = Char("Source Document")
    product_id = Many2one("product.product", "Product", required=True)
    product_uom_qty = Float("Demand")
    product_uom = Many2one("uom.uom", "Unit", default=UNIT, index=False)
    quantity = Float(readonly=True, copy=False, help="Quantity reserved, or moved once done.")
    state = Selection(_MOVE_STATES, "Status", readonly=True, required=True, default="draft", copy=False, index=True)
    date = Datetime("Date Scheduled", required=True, default=lambda self: self.now())
    date_deadline = Datetime("Deadline")
    location_id = Many2one("stock.location", "Source Location", required=True, default=STOCK, index=False)
    location_dest_id = Many2one("stock.location", "Intermediate Location", required=True, default=CUSTOMERS, index=False)
    picking_id = Many2one("stock.picking", "Transfer", ondelete="cascade")
    partner_id = Many2one("res.partner", "Destination Address", index=False)
    sale_line_id = Many2one("sale.order.line", "Sale Line", readonly=True, ondelete="set null")
    purchase_line_id = Many2one("purchase.order.line", "Purchase Line", readonly=True, ondelete="set null")
    raw_material_production_id = Many2one("mrp.production", "Production Order for components", ondelete="cascade")
    production_id = Many2one("mrp.production", "Production Order for finished products", readonly=True, ondelete="cascade")
    bom_line_id = Many2one("mrp.bom.line", "BoM Line", ondelete="set null", index=False)

    def complete(self, vals: Vals) -> None:
        """Components go to production."""
        if vals.get("raw_material_production_id"):
            vals["location_dest_id"] = PRODUCTION

    def created(self, record: int, vals: Vals) -> None:
        """Quantities are positive; a component that is added to a confirmed manufacturing order is planned at once."""
        self._check([record])
        production = self.get(record, "raw_material_production_id")
        if production and self.value("SELECT state FROM mrp_production WHERE id = ?", production) in (
            "confirmed",
            "progress",
            "to_close",
        ):
            self.confirm([record])

    def changed(self, ids: list[int], vals: Vals) -> None:
        """Reservations follow the quantity."""
        self._check(ids)
        if "product_uom_qty" in vals:
            self.reserve(self.in_state(ids, "confirmed", "partially_available", "assigned"))

    def _check(self, ids: list[int]) -> None:
        if any(self.get(one, "product_uom_qty") < 0 for one in ids):
            raise invalid("The quantity of a stock move cannot be negative.")

    def changing(self, ids: list[int], vals: Vals) -> None:
        """What is done stays done, and what is planned stays where it belongs."""
        placed = {"product_id", "location_id", "location_dest_id", "picking_id", "raw_material_production_id"}
        if self.in_state(ids, "done") and {"product_uom_qty", *placed} & set(vals):
            raise user_error("You cannot change a stock move that has been set to 'Done'.")
        if placed & set(vals) and len(self.in_state(ids, "draft")) < len(ids):
            raise user_error("Product, locations and documents of a stock move can be changed in draft only.")

    def deleting(self, ids: list[int]) -> None:
        """Only moves that nothing waits for can be deleted."""
        if self.in_state(ids, "done", "confirmed", "assigned", "partially_available", "waiting"):
            raise user_error("You can only delete draft or cancelled moves.")

    def storable(self, product: int) -> bool:
        """Whether stock of a product is counted."""
        sql = (
            "SELECT pt.is_storable FROM product_product pp JOIN product_template pt ON pt.id = pp.product_tmpl_id WHERE pp.id = ?"
        )
        return bool(self.value(sql, product))

    def goods(self, product: int) -> bool:
        """Whether a product is moved at all, which services are not."""
        sql = "SELECT pt.type FROM product_product pp JOIN product_template pt ON pt.id = pp.product_tmpl_id WHERE pp.id = ?"
        return bool(self.value(sql, product) != "service")

    def plan(self, link: str, line: int, wanted: float, vals: Vals) -> None:
        """Keep the planned move of an order line at the quantity that is still wanted.

        Args:
            link: Field of the move that refers to the line.
            line: The order line.
            wanted: Quantity that is ordered and not moved yet.
            vals: Values of the move; ``picking`` is called for the transfer when a new move is needed.
        """
        sql = f"SELECT id FROM stock_move WHERE {link} = ? AND state NOT IN ('done', 'cancel') ORDER BY id"
        live = [row[0] for row in self.rows(sql, line)]
        picking = vals.pop("picking")
        if wanted <= 0:
            self.cancel(live)
        elif live:
            self.put(live[:1], product_uom_qty=wanted, date=vals["date"], date_deadline=vals["date_deadline"])
            self.cancel(live[1:])
            self.reserve(live[:1])
        else:
            self.confirm([self.create({**vals, "product_uom_qty": wanted, link: line, "picking_id": picking()})])

    def confirm(self, ids: list[int]) -> None:
        """Plan draft moves, and reserve what there is."""
        waiting = self.in_state(ids, "draft")
        self.put(waiting, state="confirmed")
        self.reserve(waiting)

    def reserve(self, ids: list[int]) -> None:
        """Reserve stock for moves that wait for it."""
        for one in self.in_state(ids, "confirmed", "partially_available", "assigned", "waiting"):
            product, location, wanted, kept = self.get(one, "product_id", "location_id", "product_uom_qty", "quantity")
            usage = self.value("SELECT usage FROM stock_location WHERE id = ?", location)
            free = wanted if usage != "internal" or not self.storable(product) else self._free(product, location) + kept
            taken = max(0.0, min(wanted, free))
            state = "assigned" if taken >= wanted else "partially_available" if taken else "confirmed"
            self.put([one], state=state, quantity=taken)

    def unreserve(self, ids: list[int]) -> None:
        """Give reserved stock back."""
        self.put(self.in_state(ids, "assigned", "partially_available"), state="confirmed", quantity=0.0)

    def _free(self, product: int, location: int) -> float:
        sql = (
            f"SELECT q.quantity - {_RESERVED.replace('{t}', 'q')} FROM stock_quant q WHERE q.product_id = ? AND q.location_id = ?"
        )
        return float(self.value(sql, product, location) or 0.0)

    def cancel(self, ids: list[int]) -> None:
        """Cancel moves that are not done."""
        self.put([one for one in ids if self.get(one, "state") != "done"], state="cancel", quantity=0.0)

    def finish(self, ids: list[int], quantities: dict[int, float] | None = None) -> None:
        """Move the goods: the demand of each move, or the quantity given for it."""
        for one in ids:
            product, origin, target, demand = self.get(one, "product_id", "location_id", "location_dest_id", "product_uom_qty")
            moved = demand if quantities is None else quantities[one]
            self.put([one], state="done", quantity=moved, date=self.now())
            if self.storable(product):
                self._shift(product, origin, -moved)
                self._shift(product, target, moved)

    def _shift(self, product: int, location: int, quantity: float) -> None:
        if self.value("SELECT usage FROM stock_location WHERE id = ?", location) != "internal":
            return
        sql = (
            "INSERT INTO stock_quant (product_id, location_id, quantity, create_date) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (product_id, location_id) DO UPDATE SET quantity = quantity + excluded.quantity"
        )
        self.alter("stock_quant", sql, product, location, quantity, self.now())


class Picking(Thread):
    """Transfers: receipts from vendors and deliveries to customers."""

    _name = "stock.picking"
    _description = "Transfer"
    _order = "scheduled_date, id"
    _names_search = ("name", "origin")

    name = Char("Reference", readonly=True, copy=False, index=True)
    partner_id = Many2one("res.partner", "Contact")
    picking_type_id = Many2one("stock.picking.type", "Operation Type", required=True)
    location_id = Many2one("stock.location", "Source Location", index=False)
    location_dest_id = Many2one("stock.location", "Destination Location", index=False)
    origin = Char("Source Document")
    state = Selection(
        "draft | confirmed=Waiting | assigned=Ready | done | cancel=Cancelled", "Status", readonly=True, sql=_PICKING_STATE
    )
    scheduled_date = Datetime(default=lambda self: self.now())
    date_done = Datetime("Date of Transfer", readonly=True, copy=False)
    move_ids = One2many("stock.move", "picking_id", "Stock Moves", copy=True)
    sale_id = Many2one("sale.order", "Sales Order", readonly=True, ondelete="set null")
    purchase_id = Many2one("purchase.order", "Purchase Order", readonly=True, ondelete="set null")
    backorder_id = Many2one("stock.picking", "Back Order of", readonly=True, copy=False)

    def complete(self, vals: Vals) -> None:
        """Name and locations follow from the operation type."""
        kind = self.fields["picking_type_id"].to_column(vals.get("picking_type_id"))
        if kind is None:
            return
        types = self.erp.of(PickingType)
        types.require([kind])
        origin, target, code = types.get(kind, "default_location_src_id", "default_location_dest_id", "code")
        if code == "mrp_operation":
            raise invalid("A transfer is a receipt or a delivery; manufacturing orders move their goods themselves.")
        vals.setdefault("location_id", origin)
        vals.setdefault("location_dest_id", target)
        vals["name"] = self.erp.of(IrSequence).take(f"stock.picking.type.{kind}")

    def created(self, record: int, vals: Vals) -> None:
        """Moves of the transfer run between its locations."""
        name, origin, target = self.get(record, "name", "location_id", "location_dest_id")
        moves = self.erp.of(StockMove)
        moves.put(moves.in_state(self._moves([record]), "draft"), reference=name, location_id=origin, location_dest_id=target)

    def deleting(self, ids: list[int]) -> None:
        """Transfers under way stay."""
        if any(record["state"] not in ("draft", "cancel") for record in self.read(ids, ["state"])):
            raise user_error("You can only delete draft or cancelled transfers.")

    def open_for(self, link: str, order: int, vals: Vals) -> int:
        """The open transfer of an order, made when there is none; ``link`` is the field that refers to the order."""
        for record in self.search_read([[link, "=", order]], ["state"], order="id"):
            if record["state"] not in ("done", "cancel"):
                return int(record["id"])
        return self.create({**vals, link: order})

    def _moves(self, ids: list[int]) -> list[int]:
        return self.children(ids, "move_ids")

    @public()
    def action_confirm(self, ids: list[int]) -> bool:
        """Plan the moves."""
        self.erp.of(StockMove).confirm(self._moves(ids))
        return True

    @public()
    def action_assign(self, ids: list[int]) -> bool:
        """Reserve stock."""
        moves = self.erp.of(StockMove)
        if not moves.in_state(self._moves(ids), "draft", "waiting", "confirmed", "partially_available", "assigned"):
            raise user_error("Nothing to check the availability for.")
        moves.confirm(self._moves(ids))
        moves.reserve(self._moves(ids))
        return True

    @public()
    def do_unreserve(self, ids: list[int]) -> bool:
        """Give reserved stock back."""
        self.erp.of(StockMove).unreserve(self._moves(ids))
        return True

    @public()
    def action_cancel(self, ids: list[int]) -> bool:
        """Cancel transfers that are not done."""
        moves = self.erp.of(StockMove)
        if moves.in_state(self._moves(ids), "done"):
            raise user_error("You cannot cancel a stock move that has been set to 'Done'.")
        moves.cancel(self._moves(ids))
        return True

    @public()
    def button_validate(self, ids: list[int]) -> Any:
        """Do the transfers; when stock is short, asks for a backorder unless the context says ``skip_backorder``."""
        moves = self.erp.of(StockMove)
        ready: dict[int, float] = {}
        missing: dict[int, dict[int, float]] = {}
        for one in ids:
            moves.confirm(self._moves([one]))
            live = moves.in_state(self._moves([one]), "confirmed", "partially_available", "assigned")
            if not live:
                raise user_error("Please add some items to move.")
            ready |= {move: moves.get(move, "quantity") for move in live}
            if not any(ready[move] for move in live):
                raise user_error("You cannot validate a transfer if no quantities are reserved.", code="no_stock")
            demand = {move: moves.get(move, "product_uom_qty") for move in live}
            missing[one] = {move: demand[move] - ready[move] for move in live if ready[move] < demand[move]}
        if any(missing.values()) and not self.erp.context.get("skip_backorder"):
            return {"type": "ir.actions.act_window", "res_model": "stock.backorder.confirmation", "name": "Create Backorder?"}
        for one in ids:
            if missing[one]:
                self._backorder(one, missing[one])
            self.put([one], date_done=self.now())
        moves.finish([move for move, quantity in ready.items() if quantity], ready)
        return True

    def _backorder(self, record: int, missing: dict[int, float]) -> None:
        """A second transfer for what is missing."""
        moves = self.erp.of(StockMove)
        rest = self.copy(record, {"move_ids": [], "backorder_id": record})
        for move, quantity in missing.items():
            if moves.get(move, "quantity"):
                moves.put([move], product_uom_qty=moves.get(move, "quantity"))
                moves.put([moves.copy(move, {"product_uom_qty": quantity, "picking_id": rest})], reference=self.get(rest, "name"))
            else:
                moves.put([move], picking_id=rest, reference=self.get(rest, "name"))
        moves.confirm(self._moves([rest]))
