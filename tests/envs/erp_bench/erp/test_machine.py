"""Random calls, sensible and senseless: only ToolErrors escape, refusals leave no trace, and the books stay sound."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from opsgym.core.errors import ToolError
from opsgym.core.world import Snapshot
from opsgym.envs.erp_bench.erp.registry import MODELS
from tests.envs.erp_bench.erp.shop import Shop, shared_shop

DOCUMENTS = ("sale.order", "purchase.order", "mrp.production", "account.move", "stock.picking")
LINES = ("sale.order.line", "purchase.order.line", "account.move.line", "mrp.workorder", "stock.move", "stock.quant")
MASTER = ("res.partner", "product.product", "product.template", "product.supplierinfo", "mrp.bom", "mrp.workcenter")
BUTTONS = {
    name: sorted(method for method, about in MODELS[name].methods.items() if about.on_records and about.mutates)
    for name in (*DOCUMENTS, *LINES, *MASTER)
}
WRITABLE = {
    name: sorted(key for key, field in MODELS[name].fields.items() if not field.readonly)
    for name in (*DOCUMENTS, *LINES, *MASTER)
}

ids = st.integers(-1, 12)
quantities = st.one_of(st.integers(-2, 30), st.floats(-1, 50, allow_nan=False).map(lambda value: round(value, 2)), st.just(1e15))
dates = st.one_of(
    st.integers(1, 28).map(lambda day: f"2026-05-{day:02d}"), st.sampled_from(["9999-12-31", "0001-01-01", "soon", False])
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    ids,
    quantities,
    dates,
    st.text("aF%_[\\\0\ud800 ", max_size=4),
    st.floats(),
    st.integers(-(2**70), 2**70),
)
states = st.sampled_from(["draft", "sale", "purchase", "cancel", "done", "posted"])
commands = st.lists(
    st.one_of(
        st.tuples(
            st.integers(-1, 7),
            ids,
            st.one_of(st.dictionaries(st.sampled_from(["product_id", "name", "quantity"]), scalars), st.lists(ids, max_size=2)),
        ),
        st.tuples(st.integers(0, 6), ids),
    ).map(list),
    max_size=3,
)
values = st.one_of(scalars, states, commands)
FITTING: dict[str, st.SearchStrategy[Any]] = {
    "many2one": st.integers(1, 6),
    "integer": st.integers(0, 40),
    "float": st.one_of(st.integers(0, 12), quantities),
    "monetary": st.integers(0, 90),
    "boolean": st.booleans(),
    "date": st.just("2026-05-20"),
    "datetime": st.just("2026-05-20 10:00:00"),
    "many2many": st.lists(st.integers(1, 3), max_size=2).map(lambda found: [[6, 0, found]]),
    "one2many": st.one_of(commands, st.lists(st.integers(1, 9).map(lambda one: [4, one, 0]), max_size=2)),
}


def value_of(model: str, name: str) -> st.SearchStrategy[Any]:
    """Values of a field, mostly of its kind."""
    field = MODELS[model].fields[name]
    if field.selection:
        return st.sampled_from([key for key, _ in field.selection])
    return FITTING.get(field.type, st.just("some text"))


junk = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=6,
)
domains = st.one_of(
    junk,
    st.lists(
        st.one_of(
            st.sampled_from(["&", "|", "!"]),
            st.tuples(
                st.sampled_from(
                    [
                        "id",
                        "name",
                        "state",
                        "partner_id",
                        "order_line.product_id",
                        "order_line",
                        "nope",
                        "product_id.seller_ids.price",
                    ]
                ),
                st.sampled_from(["=", "!=", "in", "not in", "like", "ilike", ">", "<=", "child_of", "any", "=?", "~"]),
                st.one_of(scalars, st.lists(scalars, max_size=3)),
            ).map(list),
        ),
        max_size=4,
    ),
)


class ErpMachine(RuleBasedStateMachine):
    """Fires calls at one company."""

    actions: ClassVar[int] = 0
    accepted: ClassVar[int] = 0

    @initialize()
    def open(self) -> None:
        self.shop: Shop = shared_shop()
        self.start: Snapshot = self.shop.world.snapshot()
        self.kept = self.start
        self.digest = self.shop.world.digest()

    def teardown(self) -> None:
        if hasattr(self, "shop"):
            self.shop.world.restore(self.start)

    def fire(self, model: str, method: str, ids: Any = (), context: Any = None, **kwargs: Any) -> Any:
        """One call: a refusal changes nothing, an answer is JSON, a reading method only reads."""
        type(self).actions += 1
        try:
            answer = self.shop.call(model, method, ids, context, **kwargs)
        except ToolError:
            assert self.shop.world.digest() == self.digest
            return None
        type(self).accepted += 1
        json.dumps(answer)
        digest = self.shop.world.digest()
        if not MODELS[model].methods[method].mutates:
            assert digest == self.digest
        self.digest = digest
        assert self.shop.erp.context == {}
        return answer

    @rule(
        quantity=quantities,
        product=st.sampled_from(["fan", "blade", "motor", "none"]),
        due=dates,
        price=st.one_of(st.none(), quantities),
    )
    def sell(self, quantity: float, product: str, due: Any, price: float | None) -> None:
        line = {"product_id": getattr(self.shop, product, 99), "product_uom_qty": quantity}
        line |= {} if price is None else {"price_unit": price}
        self.fire(
            "sale.order", "create", vals_list={"partner_id": self.shop.acme, "commitment_date": due, "order_line": [[0, 0, line]]}
        )

    @rule(quantity=quantities, vendor=st.sampled_from(["vendor_a", "vendor_b"]), day=st.one_of(st.none(), dates))
    def buy(self, quantity: float, vendor: str, day: Any) -> None:
        line = {"product_id": self.shop.blade, "product_qty": quantity, **({} if day is None else {"date_planned": day})}
        self.fire("purchase.order", "create", vals_list={"partner_id": getattr(self.shop, vendor), "order_line": [[0, 0, line]]})

    @rule(quantity=quantities, start=dates)
    def make(self, quantity: float, start: Any) -> None:
        self.fire(
            "mrp.production", "create", vals_list={"product_id": self.shop.fan, "product_qty": quantity, "date_start": start}
        )

    @rule(order=ids, method=st.sampled_from(["delivered", "percentage", "fixed", "free"]), amount=quantities)
    def invoice(self, order: int, method: str, amount: float) -> None:
        vals = {"advance_payment_method": method, "amount": amount, "fixed_amount": amount, "sale_order_ids": [[6, 0, [order]]]}
        made = self.fire("sale.advance.payment.inv", "create", vals_list=vals)
        if made:
            self.fire("sale.advance.payment.inv", "create_invoices", made)

    @rule(model=st.sampled_from(DOCUMENTS), record=ids, data=st.data(), skip=st.booleans())
    def press(self, model: str, record: int, data: st.DataObject, skip: bool) -> None:
        """A button of a document, the usual way of moving it on."""
        buttons = [name for name in BUTTONS[model] if name.startswith(("action_", "button_", "do_"))]
        context = {"skip_backorder": True, "skip_consumption": True} if skip else None
        self.fire(model, data.draw(st.sampled_from(buttons)), [record], context)

    @rule(model=st.sampled_from(sorted(BUTTONS)), data=st.data(), records=st.lists(ids, max_size=3))
    def do_anything(self, model: str, data: st.DataObject, records: list[int]) -> None:
        method = data.draw(st.sampled_from(BUTTONS[model]))
        names = sorted(MODELS[model].methods[method].signature.parameters)
        self.fire(model, method, records, **{name: data.draw(junk) for name in names if data.draw(st.booleans())})

    @rule(model=st.sampled_from(sorted(WRITABLE)), record=ids, data=st.data(), senseless=st.booleans())
    def write(self, model: str, record: int, data: st.DataObject, senseless: bool) -> None:
        name = data.draw(st.sampled_from(WRITABLE[model]))
        self.fire(model, "write", [record], vals={name: data.draw(values if senseless else value_of(model, name))})

    @rule(model=st.sampled_from(sorted(WRITABLE)), data=st.data(), count=st.integers(0, 4), senseless=st.booleans())
    def create(self, model: str, data: st.DataObject, count: int, senseless: bool) -> None:
        names = data.draw(st.lists(st.sampled_from(WRITABLE[model]), min_size=min(count, 3), max_size=count, unique=True))
        given = {name: data.draw(values if senseless else value_of(model, name)) for name in names}
        for name, field in MODELS[model].fields.items():
            if field.required and not field.readonly and name not in given:
                given[name] = data.draw(value_of(model, name))
        self.fire(model, "create", vals_list=given)

    @rule(model=st.sampled_from(sorted(MODELS)), domain=domains, fields=junk, order=junk, limit=junk)
    def look(self, model: str, domain: Any, fields: Any, order: Any, limit: Any) -> None:
        self.fire(model, "search_read", domain=domain, fields=["display_name"])
        self.fire(model, "search_read", domain=[], fields=fields, order=order, limit=limit)
        self.fire(model, "formatted_read_group", domain=domain, groupby=fields, aggregates=["__count"])

    @rule(
        model=st.one_of(st.sampled_from(sorted(MODELS)), junk),
        method=st.one_of(st.sampled_from(["read", "write", "_x", "fields_get"]), junk),
        records=junk,
        context=junk,
        kwargs=st.dictionaries(st.sampled_from(["vals", "fields", "model", "x y"]), junk, max_size=2),
    )
    def babble(self, model: Any, method: Any, records: Any, context: Any, kwargs: dict[str, Any]) -> None:
        """Arguments of any kind in any place."""
        type(self).actions += 1
        try:
            self.shop.erp.call(model, method, records, context, **kwargs)
        except ToolError:
            assert self.shop.world.digest() == self.digest
        self.digest = self.shop.world.digest()

    @rule(days=st.integers(0, 40))
    def wait(self, days: int) -> None:
        self.shop.world.advance(days=days)
        self.digest = self.shop.world.digest()

    @rule()
    def keep(self) -> None:
        self.kept = self.shop.world.snapshot()

    @rule()
    def go_back(self) -> None:
        self.shop.world.restore(self.kept)
        self.digest = self.shop.world.digest()

    # -- what always holds ------------------------------------------------------------------------------------

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        return self.shop.world.execute(sql).fetchall() if hasattr(self, "shop") else []

    @invariant()
    def the_database_is_sound(self) -> None:
        assert not hasattr(self, "shop") or self.shop.world.check() == []

    @invariant()
    def totals_are_the_sums_of_their_lines(self) -> None:
        for table, lines, link in (
            ("sale_order", "sale_order_line", "order_id"),
            ("purchase_order", "purchase_order_line", "order_id"),
            ("account_move", "account_move_line", "move_id"),
        ):
            rows = self.query(
                "SELECT d.amount_untaxed, d.amount_tax, d.amount_total, TOTAL(l.price_subtotal), TOTAL(l.price_tax) "
                f"FROM {table} d LEFT JOIN {lines} l ON l.{link} = d.id GROUP BY d.id"
            )
            for untaxed, tax, total, subtotals, taxes in rows:
                assert untaxed == pytest.approx(subtotals, abs=0.006, rel=1e-9)
                assert tax == pytest.approx(taxes, abs=0.006, rel=1e-9)
                assert total == pytest.approx(untaxed + tax, abs=0.006, rel=1e-9)

    @invariant()
    def numbers_are_unique_and_below_the_next_one(self) -> None:
        following = dict(self.query("SELECT code, number_next FROM ir_sequence"))
        for table, code, prefix in (
            ("sale_order", "sale.order", "S"),
            ("purchase_order", "purchase.order", "P"),
            ("mrp_production", "mrp.production", "WH/MO/"),
        ):
            numbers = [int(name.removeprefix(prefix)) for (name,) in self.query(f"SELECT name FROM {table} ORDER BY id")]
            assert numbers == sorted(set(numbers))
            assert all(number < following[code] for number in numbers)
        invoices = self.query("SELECT name FROM account_move WHERE name IS NOT NULL")
        assert len(set(invoices)) == len(invoices)
        assert not self.query("SELECT id FROM account_move WHERE state = 'posted' AND name IS NULL")

    @invariant()
    def stock_is_what_was_moved(self) -> None:
        sign = "(m.location_dest_id = q.location_id) - (m.location_id = q.location_id)"
        moves = f"SELECT TOTAL(m.quantity * ({sign})) FROM stock_move m WHERE m.state = 'done' AND m.product_id = q.product_id"
        rows = self.query(f"SELECT q.quantity, ({moves}) FROM stock_quant q")
        for quantity, moved in rows:
            assert quantity == pytest.approx(moved, abs=1e-6, rel=1e-9)

    @invariant()
    def moves_fit_their_documents(self) -> None:
        planned = "m.state IN ('waiting', 'confirmed', 'partially_available', 'assigned')"
        assert not self.query("SELECT id FROM stock_move WHERE product_uom_qty < 0")
        assert not self.query("SELECT id FROM stock_move WHERE state = 'assigned' AND quantity < product_uom_qty")
        for owner, closed in (
            ("mrp_production o ON o.id = m.raw_material_production_id", "'done', 'cancel'"),
            ("sale_order_line l ON l.id = m.sale_line_id JOIN sale_order o ON o.id = l.order_id", "'cancel'"),
            ("purchase_order_line l ON l.id = m.purchase_line_id JOIN purchase_order o ON o.id = l.order_id", "'cancel'"),
        ):
            assert not self.query(f"SELECT m.id FROM stock_move m JOIN {owner} WHERE o.state IN ({closed}) AND {planned}")


QUICK = settings(max_examples=12, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck))


def test_random_calls_leave_the_books_sound() -> None:
    run_state_machine_as_test(ErpMachine, settings=QUICK)


@pytest.mark.slow
def test_twenty_thousand_random_calls_leave_the_books_sound() -> None:
    ErpMachine.actions = ErpMachine.accepted = 0
    while ErpMachine.actions < 20_000:
        run_state_machine_as_test(ErpMachine, settings=settings(QUICK, max_examples=60, stateful_step_count=120))
    assert ErpMachine.accepted > ErpMachine.actions / 10
