"""Bills of materials, work centers, manufacturing orders and work orders."""

from __future__ import annotations

from typing import Any

from opsgym.envs.erp_bench.erp.errors import invalid, user_error
from opsgym.envs.erp_bench.erp.fields import (
    Boolean,
    Char,
    Datetime,
    Float,
    Html,
    Integer,
    Many2many,
    Many2one,
    One2many,
    Selection,
)
from opsgym.envs.erp_bench.erp.mail import Thread
from opsgym.envs.erp_bench.erp.model import Model, Vals, public
from opsgym.envs.erp_bench.erp.money import add_days, add_minutes
from opsgym.envs.erp_bench.erp.products import PRODUCT_NAME, UNIT, Product
from opsgym.envs.erp_bench.erp.settings import IrSequence
from opsgym.envs.erp_bench.erp.stock import PRODUCTION, STOCK, StockMove

_LIVE_RAW = "FROM stock_move sm WHERE sm.raw_material_production_id = {t}.id AND sm.state <> 'cancel'"
_RESERVATION = (
    "(CASE WHEN {t}.state IN ('draft', 'done', 'cancel') THEN NULL "
    f"WHEN (SELECT COUNT(*) {_LIVE_RAW} AND sm.state NOT IN ('assigned', 'done')) > 0 THEN 'confirmed' ELSE 'assigned' END)"
)
_DURATION = "COALESCE((SELECT SUM(wo.duration_expected) FROM mrp_workorder wo WHERE wo.production_id = {t}.id), 0.0)"
_AVAILABILITY = _RESERVATION.replace("'confirmed' ELSE 'assigned'", "'unavailable' ELSE 'available'")


class WorkCenter(Thread):
    """Places where work orders are done."""

    _name = "mrp.workcenter"
    _description = "Work Center"
    _order = "sequence, id"
    _names_search = ("name", "code")

    name = Char("Work Center", required=True)
    code = Char(index=True)
    active = Boolean(default=True)
    sequence = Integer(default=1)
    time_efficiency = Float("Time Efficiency", default=100.0, help="Percentage; 50 doubles the expected duration.")
    costs_hour = Float("Cost per hour")
    time_start = Float("Setup Time", help="Minutes.")
    time_stop = Float("Cleanup Time", help="Minutes.")
    oee_target = Float("OEE Target", default=90.0)
    note = Html("Description", help="Notes on the work center.")
    alternative_workcenter_ids = Many2many("mrp.workcenter", "Alternative Workcenters")
    routing_line_ids = One2many("mrp.routing.workcenter", "workcenter_id", "Operations", readonly=True)
    order_ids = One2many("mrp.workorder", "workcenter_id", "Orders", readonly=True)


class Bom(Thread):
    """Bills of materials: what goes into a product, and how long it takes."""

    _name = "mrp.bom"
    _description = "Bill of Material"
    _order = "sequence, id"
    _rec_name = "product_tmpl_id"
    _display = "(SELECT COALESCE({t}.code || ': ', '') || pt.name FROM product_template pt WHERE pt.id = {t}.product_tmpl_id)"
    _names_search = ("code", "product_tmpl_id")

    code = Char("Reference")
    active = Boolean(default=True)
    sequence = Integer()
    product_tmpl_id = Many2one("product.template", "Product", required=True, ondelete="cascade")
    product_id = Many2one("product.product", "Product Variant", ondelete="cascade")
    product_qty = Float("Quantity", required=True, default=1.0)
    product_uom_id = Many2one("uom.uom", "Unit", default=UNIT, index=False)
    type = Selection("normal=Manufacture this product | phantom=Kit", "BoM Type", required=True, default="normal")
    produce_delay = Integer("Manufacturing Lead Time", help="Days from the start of a manufacturing order to its end.")
    ready_to_produce = Selection(
        "all_available=When all components are available | asap=When components for 1st operation are",
        "Manufacturing Readiness",
        default="all_available",
    )
    consumption = Selection(
        "flexible=Allowed | warning=Allowed with warning | strict=Blocked", "Flexible Consumption", default="warning"
    )
    bom_line_ids = One2many("mrp.bom.line", "bom_id", "BoM Lines", copy=True)
    operation_ids = One2many("mrp.routing.workcenter", "bom_id", "Operations", copy=True)

    def created(self, record: int, vals: Vals) -> None:
        """A bill is for a positive quantity."""
        self._check([record])

    def changed(self, ids: list[int], vals: Vals) -> None:
        """A bill is for a positive quantity."""
        self._check(ids)

    def _check(self, ids: list[int]) -> None:
        if any(self.get(one, "product_qty") <= 0 for one in ids):
            raise invalid("The quantity to produce must be positive!")

    def of_product(self, product: int) -> int | None:
        """The bill that a manufacturing order of a product uses."""
        sql = (
            "SELECT b.id FROM mrp_bom b JOIN product_product pp ON pp.product_tmpl_id = b.product_tmpl_id "
            "WHERE pp.id = ? AND b.active AND b.type = 'normal' AND (b.product_id IS NULL OR b.product_id = pp.id) "
            "ORDER BY b.sequence, b.product_id IS NULL, b.id LIMIT 1"
        )
        return self.value(sql, product)  # type: ignore[no-any-return]  # a row id or None


class BomLine(Model):
    """Components of bills of materials."""

    _name = "mrp.bom.line"
    _description = "Bill of Material Line"
    _order = "sequence, id"
    _rec_name = "product_id"
    _display = PRODUCT_NAME
    _names_search = ("product_id",)

    bom_id = Many2one("mrp.bom", "Parent BoM", required=True, ondelete="cascade")
    sequence = Integer(default=1)
    product_id = Many2one("product.product", "Component", required=True)
    product_qty = Float("Quantity", required=True, default=1.0)
    product_uom_id = Many2one("uom.uom", "Unit", default=UNIT, index=False)

    def created(self, record: int, vals: Vals) -> None:
        """Components have positive quantities, and a product is no component of itself."""
        self._check([record])

    def changed(self, ids: list[int], vals: Vals) -> None:
        """The same after a change."""
        self._check(ids)

    def _check(self, ids: list[int]) -> None:
        for one in ids:
            bom, product, quantity = self.get(one, "bom_id", "product_id", "product_qty")
            if quantity < 0:
                raise invalid("All product quantities must be greater or equal to 0.")
            if self.erp.of(Product).get(product, "product_tmpl_id") == self.erp.of(Bom).get(bom, "product_tmpl_id"):
                raise invalid("BoM line product should not be the same as BoM product.")


class Operation(Model):
    """Operations of bills of materials.

    An operation with ``is_alternative`` is another way to do the primary one: on its own work center, with its
    own minutes and cost per unit.  No work order is made of it; write the work order's ``workcenter_id`` to use it.
    """

    _name = "mrp.routing.workcenter"
    _description = "Work Center Usage"
    _order = "bom_id, sequence, id"
    _ignored_on_create = frozenset({"time_cycle"})

    name = Char("Operation", required=True)
    workcenter_id = Many2one("mrp.workcenter", "Work Center", required=True)
    bom_id = Many2one("mrp.bom", "Bill of Material", required=True, ondelete="cascade")
    sequence = Integer(default=100)
    active = Boolean(default=True)
    time_mode = Selection(
        "auto=Compute based on tracked time | manual=Set duration manually", "Duration Computation", default="manual"
    )
    time_cycle_manual = Float("Manual Duration", default=60.0, help="Minutes per unit.")
    time_cycle = Float("Duration", readonly=True, sql="{t}.time_cycle_manual")
    unit_cost = Float("Cost per Unit", help="Cost of making one unit on this work center.")
    is_alternative = Boolean("Alternative", help="Another way to do the primary operation; makes no work order of its own.")


class Production(Thread):
    """Manufacturing orders.

    Raw moves and work orders exist from the draft on.  Once confirmed, a new quantity changes durations only.
    """

    _name = "mrp.production"
    _description = "Manufacturing Order"
    _order = "date_start, id"
    _names_search = ("name", "product_id", "origin")
    _ignored_on_create = frozenset({"date_finished"})

    name = Char("Reference", readonly=True, copy=False, index=True)
    product_id = Many2one("product.product", "Product", required=True)
    product_qty = Float("Quantity To Produce", required=True, default=1.0)
    product_uom_id = Many2one("uom.uom", "Unit", default=UNIT, index=False)
    bom_id = Many2one("mrp.bom", "Bill of Material")
    origin = Char("Source", copy=False, help="Reference of the documents that asked for this order.")
    state = Selection(
        "draft | confirmed | progress=In Progress | to_close=To Close | done | cancel=Cancelled",
        readonly=True,
        required=True,
        default="draft",
        copy=False,
    )
    date_start = Datetime("Start", required=True, copy=False, default=lambda self: self.now())
    date_finished = Datetime("End", readonly=True, copy=False)
    date_deadline = Datetime("Deadline", copy=False)
    user_id = Many2one("res.users", "Responsible", default=2, index=False)
    location_src_id = Many2one("stock.location", "Components Location", readonly=True, default=STOCK, index=False)
    location_dest_id = Many2one("stock.location", "Finished Products Location", readonly=True, default=STOCK, index=False)
    workorder_ids = One2many("mrp.workorder", "production_id", "Work Orders")
    move_raw_ids = One2many("stock.move", "raw_material_production_id", "Components")
    move_finished_ids = One2many("stock.move", "production_id", "Finished Products", readonly=True)
    qty_producing = Float("Quantity Producing", copy=False)
    qty_produced = Float("Quantity Produced", readonly=True, copy=False)
    reservation_state = Selection(
        "confirmed=Waiting | assigned=Ready | waiting=Waiting Another Operation", "MO Readiness", readonly=True, sql=_RESERVATION
    )
    components_availability_state = Selection("available | expected | late | unavailable", readonly=True, sql=_AVAILABILITY)
    is_planned = Boolean("Its Operations are Planned", readonly=True, copy=False)
    locked = Boolean("Is Locked", default=True)
    consumption = Selection("flexible=Allowed | warning=Allowed with warning | strict=Blocked", readonly=True, default="warning")
    duration_expected = Float("Expected Duration", readonly=True, help="Minutes.", sql=_DURATION)

    def complete(self, vals: Vals) -> None:
        """The number, and the bill when none is named."""
        vals["name"] = self.erp.of(IrSequence).take("mrp.production")
        product = self.fields["product_id"].to_column(vals.get("product_id"))
        if product is not None and "bom_id" not in vals:
            self.erp.of(Product).require([product])
            vals["bom_id"] = self.erp.of(Bom).of_product(product)

    def created(self, record: int, vals: Vals) -> None:
        """Explode the bill into raw moves and work orders."""
        self._check(record)
        self._date(record)
        self._explode(record)

    def changing(self, ids: list[int], vals: Vals) -> None:
        """What is made stays; finished and cancelled orders keep their figures."""
        if {"product_id", "bom_id"} & set(vals) and len(self.in_state(ids, "draft")) < len(ids):
            raise user_error("You cannot change the product or the bill of materials of a confirmed manufacturing order.")
        if {"product_qty", "qty_producing", "date_start"} & set(vals) and self.in_state(ids, "done", "cancel"):
            raise user_error("You cannot change a manufacturing order that is done or cancelled.")

    def changed(self, ids: list[int], vals: Vals) -> None:
        """Drafts are exploded anew; on confirmed orders only durations follow the quantity."""
        for one in ids:
            if "date_start" in vals:
                if self.get(one, "is_planned"):
                    self.button_unplan([one])
                self._date(one)
            if {"product_id", "product_qty", "bom_id"} & set(vals):
                self._check(one)
                if self.get(one, "state") == "draft":
                    self._clear(one)
                    self._explode(one)
                else:
                    self.erp.of(WorkOrder).estimate(self.children([one], "workorder_ids"))

    def deleting(self, ids: list[int]) -> None:
        """Finished orders stay; others take their moves and work orders with them."""
        if self.in_state(ids, "done"):
            raise user_error("Cannot delete a manufacturing order in done state.")
        for one in ids:
            self._clear(one)

    def _check(self, record: int) -> None:
        product, quantity, bom = self.get(record, "product_id", "product_qty", "bom_id")
        if quantity <= 0:
            raise invalid("The quantity to produce must be positive!")
        if bom is not None and self.erp.of(Bom).get(bom, "product_tmpl_id") != self.erp.of(Product).get(
            product, "product_tmpl_id"
        ):
            raise invalid("The bill of materials is of another product.")

    def _date(self, record: int) -> None:
        """The end follows the start by the bill's lead time; by an hour when it has none."""
        start, bom = self.get(record, "date_start", "bom_id")
        delay = self.erp.of(Bom).get(bom, "produce_delay") if bom else 0
        end = add_days(start, delay) if delay else add_minutes(start, 60)
        self.put([record], date_finished=end)
        self.alter(
            "stock_move",
            "UPDATE stock_move SET date = ? WHERE raw_material_production_id = ? AND state NOT IN ('done', 'cancel')",
            start,
            record,
        )
        self.alter(
            "stock_move",
            "UPDATE stock_move SET date = ? WHERE production_id = ? AND state NOT IN ('done', 'cancel')",
            end,
            record,
        )

    def _clear(self, record: int) -> None:
        self.alter(
            "stock_move", "DELETE FROM stock_move WHERE raw_material_production_id = ? OR production_id = ?", record, record
        )
        self.alter("mrp_workorder", "DELETE FROM mrp_workorder WHERE production_id = ?", record)

    def _explode(self, record: int) -> None:
        name, product, quantity, bom, start, end = self.get(
            record, "name", "product_id", "product_qty", "bom_id", "date_start", "date_finished"
        )
        moves = self.erp.of(StockMove)
        common = {"reference": name, "origin": name}
        moves.create(
            {
                **common,
                "product_id": product,
                "product_uom_qty": quantity,
                "date": end,
                "production_id": record,
                "location_id": PRODUCTION,
                "location_dest_id": STOCK,
            }
        )
        if bom is None:
            return
        ratio = quantity / self.erp.of(Bom).get(bom, "product_qty")
        for line, component, each in self.rows(
            "SELECT id, product_id, product_qty FROM mrp_bom_line WHERE bom_id = ? ORDER BY sequence, id", bom
        ):
            moves.create(
                {
                    **common,
                    "product_id": component,
                    "product_uom_qty": each * ratio,
                    "date": start,
                    "bom_line_id": line,
                    "raw_material_production_id": record,
                    "location_id": STOCK,
                    "location_dest_id": PRODUCTION,
                }
            )
        operations = self.rows(
            "SELECT id, name, workcenter_id FROM mrp_routing_workcenter "
            "WHERE bom_id = ? AND active AND NOT is_alternative ORDER BY sequence, id",
            bom,
        )
        orders = self.erp.of(WorkOrder)
        for operation, label, center in operations:
            work = orders.create({"name": label, "production_id": record, "operation_id": operation, "workcenter_id": center})
            orders.estimate([work])

    def _moves(self, ids: list[int], *, finished: bool = True) -> list[int]:
        return self.children(ids, "move_raw_ids") + (self.children(ids, "move_finished_ids") if finished else [])

    @public()
    def action_confirm(self, ids: list[int]) -> bool:
        """Confirm draft orders and reserve their components."""
        settled = self.in_state(ids, "done", "cancel")
        if settled:
            raise user_error(f"Manufacturing orders that are done or cancelled cannot be confirmed: {self.names(settled)}")
        drafts = self.in_state(ids, "draft")
        self.put(drafts, state="confirmed")
        self.erp.of(StockMove).confirm(self._moves(drafts))
        return True

    @public()
    def action_assign(self, ids: list[int]) -> bool:
        """Reserve components."""
        self.erp.of(StockMove).reserve(self._moves(ids, finished=False))
        return True

    @public()
    def do_unreserve(self, ids: list[int]) -> bool:
        """Give reserved components back."""
        self.erp.of(StockMove).unreserve(self._moves(ids, finished=False))
        return True

    @public()
    def button_plan(self, ids: list[int]) -> bool:
        """Plan the work orders from the order's start on; there is no calendar, so dates stay as they are."""
        self.action_confirm(ids)
        for one in ids:
            start = self.get(one, "date_start")
            orders = self.erp.of(WorkOrder)
            for work in self.children([one], "workorder_ids"):
                begin = orders.get(work, "date_start") or start
                orders.put([work], date_start=begin, date_finished=add_minutes(begin, orders.get(work, "duration_expected")))
        self.put(ids, is_planned=1)
        return True

    @public()
    def button_unplan(self, ids: list[int]) -> bool:
        """Take the dates of the work orders away."""
        if self.in_state(ids, "done", "cancel"):
            raise user_error("You cannot unplan a manufacturing order that is done or cancelled.")
        self.erp.of(WorkOrder).put(self.children(ids, "workorder_ids"), date_start=None, date_finished=None)
        self.put(ids, is_planned=0)
        return True

    @public()
    def action_start(self, ids: list[int]) -> bool:
        """Start confirmed orders."""
        self.put(self.in_state(ids, "confirmed"), state="progress")
        return True

    @public()
    def action_cancel(self, ids: list[int]) -> bool:
        """Cancel orders; their reservations are freed."""
        if self.in_state(ids, "done"):
            raise user_error("You cannot cancel a manufacturing order that is already done.")
        self.erp.of(StockMove).cancel(self._moves(ids))
        self.erp.of(WorkOrder).put(self.children(ids, "workorder_ids"), state="cancel")
        self.put(ids, state="cancel", is_planned=0)
        return True

    @public()
    def button_mark_done(self, ids: list[int]) -> Any:
        """Finish orders: components are consumed, even below zero, and the product is stocked.

        After ``qty_producing`` was written, consumption is no longer settled, and a warning is answered unless the
        context says ``skip_consumption``; then the product is stocked and no component is consumed.
        """
        early = self.in_state(ids, "draft", "cancel", "done")
        if early:
            raise user_error(f"Only confirmed manufacturing orders can be finished: {self.names(early)}")
        if any(self.get(one, "qty_producing") for one in ids) and not self.erp.context.get("skip_consumption"):
            return {"type": "ir.actions.act_window", "res_model": "mrp.consumption.warning", "name": "Consumption Warning"}
        moves = self.erp.of(StockMove)
        for one in ids:
            producing, quantity = self.get(one, "qty_producing", "product_qty")
            raw = moves.in_state(self._moves([one], finished=False), "draft", "confirmed", "partially_available", "assigned")
            if producing:
                moves.cancel(raw)
            else:
                moves.finish(raw)
            made = producing or quantity
            output = moves.in_state(self.children([one], "move_finished_ids"), "draft", "confirmed", "assigned")
            moves.finish(output, dict.fromkeys(output, made))
            self.erp.of(WorkOrder).put(self.children([one], "workorder_ids"), state="done")
            self.put([one], state="done", qty_produced=made, qty_producing=made, date_finished=self.now())
        return True


class WorkOrder(Model):
    """Work orders: the operations of a manufacturing order, each on one work center."""

    _name = "mrp.workorder"
    _description = "Work Order"
    _order = "id"
    _names_search = ("name", "production_id")

    name = Char("Work Order", required=True)
    production_id = Many2one("mrp.production", "Manufacturing Order", required=True, ondelete="cascade")
    operation_id = Many2one("mrp.routing.workcenter", "Operation", ondelete="set null", index=False)
    workcenter_id = Many2one("mrp.workcenter", "Work Center", required=True)
    state = Selection(
        "blocked | ready | progress=In Progress | done=Finished | cancel=Cancelled",
        "Status",
        readonly=True,
        required=True,
        default="ready",
        copy=False,
    )
    date_start = Datetime("Start", copy=False)
    date_finished = Datetime("End", copy=False)
    duration_expected = Float("Expected Duration", help="Minutes.")
    duration = Float("Real Duration", copy=False, help="Minutes.")
    product_id = Many2one("product.product", "Product", readonly=True, related="production_id.product_id")
    qty_production = Float("Original Production Quantity", readonly=True, related="production_id.product_qty")
    production_state = Selection(
        "draft | confirmed | progress | to_close | done | cancel", readonly=True, related="production_id.state"
    )

    def changing(self, ids: list[int], vals: Vals) -> None:
        """Work orders stay with their manufacturing order, and finished ones on their work center."""
        if "production_id" in vals and any(self.get(one, "production_id") != vals["production_id"] for one in ids):
            raise user_error("You cannot link this work order to another manufacturing order.")
        if "workcenter_id" in vals and self.in_state(ids, "progress", "done", "cancel"):
            raise user_error("You cannot change the workcenter of a work order that is in progress or done.")

    def changed(self, ids: list[int], vals: Vals) -> None:
        """A work order does not end before it starts."""
        self._check(ids)

    def created(self, record: int, vals: Vals) -> None:
        """A work order does not end before it starts."""
        self._check([record])

    def _check(self, ids: list[int]) -> None:
        for one in ids:
            start, end = self.get(one, "date_start", "date_finished")
            if start and end and end < start:
                raise invalid("The planned end date of the work order cannot be prior to the planned start date.")

    def deleting(self, ids: list[int]) -> None:
        """Finished work stays."""
        if self.in_state(ids, "progress", "done"):
            raise user_error("You cannot delete a work order that is in progress or done.")

    def estimate(self, ids: list[int]) -> None:
        """Expected minutes by the primary operation; moving the work order to another center does not change them."""
        sql = (
            "SELECT wc.time_start + wc.time_stop + mo.product_qty / b.product_qty * op.time_cycle_manual * 100 / "
            "CASE WHEN wc.time_efficiency > 0 THEN wc.time_efficiency ELSE 100 END "
            "FROM mrp_workorder wo JOIN mrp_production mo ON mo.id = wo.production_id "
            "JOIN mrp_routing_workcenter op ON op.id = wo.operation_id "
            "JOIN mrp_workcenter wc ON wc.id = op.workcenter_id JOIN mrp_bom b ON b.id = op.bom_id WHERE wo.id = ?"
        )
        for one in ids:
            minutes = self.value(sql, one)
            if minutes is not None:
                self.put([one], duration_expected=minutes)

    @public()
    def button_start(self, ids: list[int], raise_on_invalid_state: Any = False) -> bool:
        """Start work on confirmed manufacturing orders."""
        for one in ids:
            order = self.get(one, "production_id")
            if self.erp.of(Production).get(order, "state") not in ("confirmed", "progress") or self.get(one, "state") != "ready":
                raise user_error(
                    "You cannot start a work order that is already done or cancelled, or whose order is not confirmed."
                )
            self.put([one], state="progress", date_start=self.get(one, "date_start") or self.now())
            self.erp.of(Production).put([order], state="progress")
        return True

    @public()
    def button_finish(self, ids: list[int]) -> bool:
        """Finish work; when all work of an order is finished, the order waits to be closed."""
        for one in ids:
            if self.get(one, "state") not in ("ready", "progress"):
                raise user_error("Only work orders that are ready or in progress can be finished.")
            order = self.get(one, "production_id")
            if self.erp.of(Production).get(order, "state") not in ("confirmed", "progress"):
                raise user_error("The manufacturing order is not confirmed.")
            start, minutes = self.get(one, "date_start", "duration_expected")
            self.put(
                [one], state="done", duration=minutes, date_start=start or self.now(), date_finished=max(self.now(), start or "")
            )
            works = self.erp.of(Production).children([order], "workorder_ids")
            self.erp.of(Production).put(
                [order], state="to_close" if not self.in_state(works, "ready", "progress", "blocked") else "progress"
            )
        return True

    @public()
    def action_replan(self, ids: list[int]) -> bool:
        """Plan the manufacturing orders of work orders anew."""
        orders = sorted({self.get(one, "production_id") for one in ids})
        return self.erp.of(Production).button_plan(orders)


class ChangeQuantity(Model):
    """Wizard that changes the quantity of a confirmed manufacturing order together with its components."""

    _name = "change.production.qty"
    _description = "Change Production Qty"
    _rec_name = "mo_id"
    _display = "(SELECT mo.name FROM mrp_production mo WHERE mo.id = {t}.mo_id)"
    _names_search = ("mo_id",)

    mo_id = Many2one("mrp.production", "Manufacturing Order", required=True, ondelete="cascade", index=False)
    product_qty = Float("Quantity To Produce", required=True)

    @public()
    def change_prod_qty(self, ids: list[int]) -> dict[str, Any]:
        """Apply the new quantity."""
        orders, moves = self.erp.of(Production), self.erp.of(StockMove)
        for one in ids:
            order, quantity = self.get(one, "mo_id", "product_qty")
            if orders.get(order, "state") in ("done", "cancel"):
                raise user_error("You cannot change the quantity of a manufacturing order that is done or cancelled.")
            if quantity <= 0:
                raise invalid("The quantity to produce must be positive!")
            factor = quantity / orders.get(order, "product_qty")
            for move in moves.in_state(orders._moves([order]), "draft", "confirmed", "partially_available", "assigned"):
                moves.put([move], product_uom_qty=moves.get(move, "product_uom_qty") * factor)
            orders.write([order], {"product_qty": quantity})
            moves.reserve(moves.in_state(orders._moves([order]), "confirmed", "partially_available", "assigned"))
        return {}
