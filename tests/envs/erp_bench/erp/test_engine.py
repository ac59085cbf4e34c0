"""The public API: the error table, atomic calls, a stateless engine and an exact schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opsgym.envs.erp_bench.erp import DDL, Erp, ErpError
from opsgym.envs.erp_bench.erp.registry import MODELS
from tests.envs.erp_bench.erp.shop import Shop

Case = tuple[str, str, list[int], dict[str, Any]]

REFUSALS: dict[str, tuple[int, str, Case]] = {
    "unknown model": (404, "werkzeug.exceptions.NotFound", ("no.model", "read", [], {})),
    "unknown method": (404, "werkzeug.exceptions.NotFound", ("res.partner", "explode", [], {})),
    "private method": (403, "odoo.exceptions.AccessError", ("sale.order", "_create_invoices", [1], {})),
    "ids for a model method": (422, "werkzeug.exceptions.UnprocessableEntity", ("res.partner", "create", [1], {"vals_list": {}})),
    "wrong argument": (422, "werkzeug.exceptions.UnprocessableEntity", ("res.partner", "search", [], {"nope": 1})),
    "missing argument": (422, "werkzeug.exceptions.UnprocessableEntity", ("res.partner", "write", [1], {})),
    "bad state": (422, "odoo.exceptions.UserError", ("account.move", "action_post", [1], {})),
    "required field": (422, "odoo.exceptions.ValidationError", ("res.partner", "create", [], {"vals_list": {"ref": "x"}})),
    "read-only model": (403, "odoo.exceptions.AccessError", ("res.company", "write", [1], {"vals": {"name": "x"}})),
    "read-only field": (403, "odoo.exceptions.AccessError", ("sale.order", "write", [1], {"vals": {"state": "sale"}})),
    "missing record": (404, "odoo.exceptions.MissingError", ("res.partner", "write", [999], {"vals": {"name": "x"}})),
    "missing record in values": (
        404,
        "odoo.exceptions.MissingError",
        ("sale.order", "create", [], {"vals_list": {"partner_id": 999}}),
    ),
    "action on a missing record": (404, "odoo.exceptions.MissingError", ("sale.order", "action_confirm", [999], {})),
    "unknown field in read": (500, "builtins.ValueError", ("res.partner", "read", [1], {"fields": ["nope"]})),
    "unknown field in create": (
        500,
        "builtins.ValueError",
        ("res.partner", "create", [], {"vals_list": {"name": "x", "nope": 1}}),
    ),
    "unknown field in domain": (500, "builtins.ValueError", ("res.partner", "search", [], {"domain": [["nope", "=", 1]]})),
    "wrong selection": (
        500,
        "builtins.ValueError",
        ("product.product", "create", [], {"vals_list": {"name": "x", "type": "gas"}}),
    ),
    "wrong many2one": (
        500,
        "psycopg2.errors.InvalidTextRepresentation",
        ("sale.order", "create", [], {"vals_list": {"partner_id": "Acme"}}),
    ),
}


@pytest.mark.parametrize("cause", REFUSALS)
def test_the_error_table_holds_and_nothing_changes(shop: Shop, cause: str) -> None:
    """Status and class name of each cause are those observed on Odoo's JSON-2 API."""
    status, name, (model, method, ids, kwargs) = REFUSALS[cause]
    order = shop.sale(confirm=True)
    shop.call("account.move", "action_post", [shop.invoice(order)])
    before = shop.world.digest()
    with pytest.raises(ErpError) as caught:
        shop.call(model, method, ids, **kwargs)
    assert (caught.value.status, caught.value.name) == (status, name)
    assert caught.value.body() == {
        "name": name,
        "message": caught.value.message,
        "arguments": [caught.value.message],
        "context": {},
        "debug": "",
    }
    assert len(caught.value.message) > 10
    assert shop.world.digest() == before


def test_a_wrong_argument_is_named_as_python_does(shop: Shop) -> None:
    with pytest.raises(ErpError, match="got an unexpected keyword argument 'nope'"):
        shop.call("res.partner", "search", nope=1)
    with pytest.raises(ErpError, match="missing a required argument: 'vals'"):
        shop.call("res.partner", "write", [1])
    with pytest.raises(ErpError, match=r"cannot call res\.partner\.create with ids"):
        shop.call("res.partner", "create", [1], vals_list={"name": "x"})
    with pytest.raises(ErpError, match="unexpected keyword argument 'model'"):
        shop.erp.call("res.partner", "search", model="x")


def test_reading_a_deleted_record_gives_nothing(shop: Shop) -> None:
    tag = shop.make("res.partner.category", name="Gold")
    assert shop.call("res.partner.category", "unlink", [tag]) is True
    assert shop.call("res.partner.category", "read", [tag]) == []


def test_a_list_of_creations_is_all_or_nothing(shop: Shop) -> None:
    before = shop.world.digest()
    with pytest.raises(ErpError):
        shop.call("res.partner", "create", vals_list=[{"name": "good"}, {"name": "bad", "active": "maybe"}])
    assert shop.world.digest() == before


def test_a_failed_call_gives_its_number_back(shop: Shop) -> None:
    with pytest.raises(ErpError):
        shop.sale(partner_id=shop.acme, order_line=[[0, 0, {"product_id": 999}]])
    assert shop.get("sale.order", shop.sale(), "name") == "S00001"


def test_the_engine_keeps_nothing_between_calls(shop: Shop) -> None:
    """A restored world and a second engine see exactly what the world holds."""
    start = shop.world.snapshot()
    order = shop.sale(confirm=True)
    assert Erp(shop.world).read("sale.order", [order], ["state"]) == [{"id": order, "state": "sale"}]
    shop.world.restore(start)
    assert shop.erp.search("sale.order") == []
    assert shop.get("sale.order", shop.sale(), "name") == "S00001"
    assert shop.erp.context == {}


def test_a_fork_goes_its_own_way(shop: Shop) -> None:
    fork = shop.world.fork()
    other = Erp(fork)
    (order,) = other.call("sale.order", "create", vals_list={"partner_id": shop.acme})
    assert other.call("sale.order", "action_confirm", [order]) is True
    assert shop.erp.search("sale.order") == []
    fork.close()


def test_equal_histories_give_equal_digests(shop: Shop) -> None:
    start, digests = shop.world.snapshot(), set()
    for _ in range(2):
        shop.world.restore(start)
        shop.sale(confirm=True)
        shop.purchase(confirm=True)
        shop.production(confirm=True)
        digests.add(shop.world.digest())
    assert len(digests) == 1


def test_every_model_can_be_listed_and_described(shop: Shop) -> None:
    shop.call(
        "account.move", "action_post", [shop.invoice(shop.sale(confirm=True), advance_payment_method="percentage", amount=30)]
    )
    shop.purchase(confirm=True)
    shop.production(confirm=True)
    listed = {row["model"] for row in shop.call("ir.model", "search_read", fields=["model"])}
    assert listed == set(MODELS)
    for model in listed:
        fields = shop.call(model, "fields_get")
        for record in shop.call(model, "search_read"):
            assert set(record) == set(fields)
            json.dumps(record)


def test_schema_follows_the_naming_contract(shop: Shop) -> None:
    """Tables are model names with underscores, columns are field names, many2many tables end in ``_rel``."""
    for name, model in MODELS.items():
        table = name.replace(".", "_")
        assert set(shop.world.columns(table)) == {field.name for field in model.fields.values() if field.stored}
    assert shop.world.columns("sale_order_line_tax_ids_rel") == ("sale_order_line_id", "account_tax_id")
    assert shop.world.columns("mrp_workcenter_alternative_workcenter_ids_rel") == ("mrp_workcenter_id", "related_id")
    assert "REFERENCES res_partner(id)" in DDL
    assert shop.world.check() == []


def test_trusted_access_may_set_what_agents_may_not(shop: Shop) -> None:
    order = shop.sale()
    shop.erp.write("sale.order", [order], {"state": "sent"})
    assert shop.get("sale.order", order, "state") == "sent"
    key = shop.erp.create("ir.config_parameter", {"key": "erp_bench.min_margin_percent", "value": "29.1"})
    assert shop.call("ir.config_parameter", "get_param", key="erp_bench.min_margin_percent") == "29.1"
    shop.erp.unlink("ir.config_parameter", [key])
    assert shop.call("ir.config_parameter", "get_param", key="erp_bench.min_margin_percent", default="0") == "0"


def test_nested_values_are_checked_like_top_level_ones(shop: Shop) -> None:
    order = shop.sale(confirm=True)
    line = shop.line("sale.order", order)
    with pytest.raises(ErpError, match=r"price_subtotal.*read-only"):
        shop.write("sale.order", order, order_line=[[1, line, {"price_subtotal": 1.0}]])
    with pytest.raises(ErpError, match="not allowed to write 'Tax'"):
        shop.write("sale.order.line", line, tax_ids=[[1, 1, {"amount": 0.0}]])
    with pytest.raises(ErpError, match="read-only"):
        shop.call(
            "sale.order",
            "create",
            vals_list={"partner_id": shop.acme},
            context={"default_order_line": [[0, 0, {"price_tax": 1}]]},
        )


@pytest.mark.parametrize("ids", ["1", [True], [None], [2**40], {"a": 1}, [1.5]])
def test_ids_are_numbers(shop: Shop, ids: Any) -> None:
    with pytest.raises(ErpError, match="ids: expected") as caught:
        shop.call("res.partner", "read", ids)
    assert caught.value.status == 422


def test_hostile_nesting_is_refused(shop: Shop) -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    vals: Any = {"name": "x"}
    for _ in range(500):
        vals = {"name": "x", "child_ids": [[0, 0, vals]]}
    for method, kwargs in (("search", {"domain": deep}), ("create", {"vals_list": vals}), ("name_search", {"name": deep})):
        with pytest.raises(ErpError):
            shop.call("res.partner", method, **kwargs)
