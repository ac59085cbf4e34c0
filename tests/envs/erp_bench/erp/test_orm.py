"""Records: reading, defaults, values of every type, x2many commands, copies and groups."""

from __future__ import annotations

from typing import Any

import pytest

from opsgym.envs.erp_bench.erp import ErpError
from tests.envs.erp_bench.erp.shop import NOW, Shop


def test_many2one_reads_as_pair_or_id_and_empty_as_false(shop: Shop) -> None:
    order = shop.sale()
    fields = ["partner_id", "commitment_date", "amount_total", "order_line", "locked"]
    assert shop.call("sale.order", "read", [order], fields=fields) == [
        {
            "id": order,
            "partner_id": [shop.acme, "Acme"],
            "commitment_date": False,
            "amount_total": 300.0,
            "order_line": [1],
            "locked": False,
        }
    ]
    assert shop.call("sale.order", "read", [order], fields=["partner_id"], load=None) == [{"id": order, "partner_id": shop.acme}]


def test_create_answers_with_a_list_always(shop: Shop) -> None:
    assert len(shop.call("res.partner", "create", vals_list=[{"name": "P1"}, {"name": "P2"}])) == 2
    assert len(shop.call("res.partner", "create", vals_list={"name": "P3"})) == 1


def test_read_keeps_the_order_of_the_ids(shop: Shop) -> None:
    ids = [shop.vendor_b, shop.acme, shop.bolt]
    assert [row["id"] for row in shop.call("res.partner", "read", ids, fields=["name"])] == ids


def test_search_read_pages_in_a_fixed_order(shop: Shop) -> None:
    names = [
        row["name"] for row in shop.call("res.partner", "search_read", fields=["name"], order="name desc", limit=2, offset=1)
    ]
    assert names == ["Vendor A", "My Company"]
    assert shop.call("res.partner", "search_count", domain=[["ref", "!=", False]]) == 4
    assert shop.call("res.partner", "search_count", domain=[["ref", "!=", False]], limit=3) == 3


def test_archived_records_are_found_only_when_asked_for(shop: Shop) -> None:
    shop.write("res.partner", shop.bolt, active=False)
    assert shop.bolt not in shop.call("res.partner", "search")
    assert shop.bolt in shop.call("res.partner", "search", domain=[["active", "=", False]])
    assert shop.bolt in shop.call("res.partner", "search", context={"active_test": False})


def test_name_search_knows_codes_and_references(shop: Shop) -> None:
    assert shop.call("product.product", "name_search", name="B") == [[shop.blade, "[B] Blade"]]
    assert shop.call("res.partner", "name_search", name="acm") == [[shop.acme, "Acme"]]
    assert shop.call("res.partner", "name_search", name="Acme", operator="=", domain=[["ref", "=", "zzz"]]) == []
    assert len(shop.call("res.partner", "name_search", limit=2)) == 2


@pytest.mark.parametrize("domain", [1, "name", {"name": 1}])
def test_name_search_refuses_what_is_no_domain(shop: Shop, domain: Any) -> None:
    with pytest.raises(ErpError, match="Invalid domain"):
        shop.call("res.partner", "name_search", name="a", domain=domain)


def test_a_number_beyond_the_database_s_is_refused(shop: Shop) -> None:
    with pytest.raises(ErpError, match="too large"):
        shop.call("res.partner", "write", [shop.acme], vals={"category_id": [[4, 2**70, 0]]})


def test_fields_get_describes_names_types_and_selections(shop: Shop) -> None:
    fields = shop.call("sale.order", "fields_get")
    assert fields["state"]["selection"][0] == ["draft", "Quotation"]
    assert fields["state"]["readonly"] is True
    assert fields["order_line"] == {
        "type": "one2many", "string": "Order Lines", "required": False, "readonly": False, "store": True, "searchable": True,
        "sortable": False, "relation": "sale.order.line", "relation_field": "order_id",
    }  # fmt: skip
    assert shop.call("sale.order", "fields_get", allfields=["name"], attributes=["type"]) == {"name": {"type": "char"}}


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("sale.order.line", ["product_uom_id", "tax_ids"]),
        ("purchase.order.line", ["product_uom_id", "tax_ids", "technical_price_unit", "selected_seller_id", "date_planned"]),
        (
            "product.template",
            ["is_storable", "route_ids", "seller_ids", "taxes_id", "supplier_taxes_id", "invoice_policy", "bom_ids"],
        ),
        (
            "product.supplierinfo",
            ["partner_id", "product_tmpl_id", "min_qty", "price", "delay", "date_start", "date_end", "product_name"],
        ),
        (
            "mrp.production",
            ["date_start", "date_finished", "date_deadline", "workorder_ids", "move_raw_ids", "reservation_state"],
        ),
        ("account.move", ["payment_state", "invoice_origin", "invoice_payment_term_id", "invoice_line_ids"]),
    ],
)
def test_names_are_those_of_version_19(shop: Shop, model: str, names: list[str]) -> None:
    """10.16: product_uom became product_uom_id and tax_id became tax_ids; the old names are unknown."""
    fields = shop.call(model, "fields_get")
    assert set(names) <= set(fields)
    assert not {"product_uom", "tax_id", "lot_producing_id", "date_planned_start"} & set(fields)


def test_default_get_and_context_defaults(shop: Shop) -> None:
    assert shop.call("sale.order", "default_get", fields=["state", "date_order", "note"]) == {"state": "draft", "date_order": NOW}
    context = {"default_partner_id": shop.bolt}
    assert shop.call("sale.order", "default_get", fields=["partner_id"], context=context) == {"partner_id": shop.bolt}
    (order,) = shop.call("sale.order", "create", vals_list={}, context=context)
    assert shop.get("sale.order", order, "partner_id") == shop.bolt


@pytest.mark.parametrize(
    ("model", "vals"),
    [
        ("res.partner", {"name": 5}),
        ("res.partner", {"name": "nul\0"}),
        ("res.partner", {"name": "\ud800"}),
        ("res.partner", {"name": "x", "active": "yes"}),
        ("res.partner", {"name": "x", "supplier_rank": 2**31}),
        ("res.partner", {"name": "x", "supplier_rank": 1.5}),
        ("res.partner", {"name": "x", "credit_limit": float("nan")}),
        ("res.partner", {"name": "x", "credit_limit": float("inf")}),
        ("res.partner", {"name": "x", "credit_limit": "12"}),
        ("res.partner", {"name": "x", "category_id": 1}),
        ("res.partner", {"name": "x", "category_id": [1]}),
        ("res.partner", {"name": "x", "category_id": [[9, 0, 0]]}),
        ("res.partner", {"name": "x", "category_id": [[6, 0, "1"]]}),
        ("res.partner", {"name": "x", "category_id": [[6, 0, [77]]]}),
        ("res.partner", {"name": "x", "child_ids": [[0, 0, "name"]]}),
        ("sale.order", {"partner_id": 5, "commitment_date": "tomorrow"}),
        ("sale.order", {"partner_id": 5, "commitment_date": "2026-02-30"}),
        ("sale.order", {"partner_id": 5, "commitment_date": "2026-05-04T00:00:00"}),
        ("product.supplierinfo", {"partner_id": 5, "product_tmpl_id": 1, "date_start": "2026-13-01"}),
        ("res.partner", "name"),
        ("res.partner", None),
    ],
)
def test_values_of_the_wrong_kind_are_refused_whole(shop: Shop, model: str, vals: Any) -> None:
    before = shop.world.digest()
    with pytest.raises(ErpError):
        shop.call(model, "create", vals_list=[vals])
    assert shop.world.digest() == before


def test_dates_and_times_are_normalised(shop: Shop) -> None:
    order = shop.sale(commitment_date="2026-05-11")
    assert shop.get("sale.order", order, "commitment_date") == "2026-05-11 00:00:00"
    offer = shop.offer(shop.vendor_b, shop.fan, date_start="2026-05-11 10:00:00")
    assert shop.get("product.supplierinfo", offer, "date_start") == "2026-05-11"


def test_one2many_commands(shop: Shop) -> None:
    order = shop.sale()
    line = shop.line("sale.order", order)
    shop.write(
        "sale.order", order, order_line=[[0, 0, {"product_id": shop.blade, "price_unit": 4}], [1, line, {"product_uom_qty": 2}]]
    )
    assert shop.get("sale.order", order, "amount_total") == 204.0
    shop.write("sale.order", order, order_line=[[2, line, 0]])
    assert shop.get("sale.order", order, "amount_total") == 4.0
    shop.write("sale.order", order, order_line=[[5, 0, 0], [0, 0, {"product_id": shop.fan}]])
    assert shop.get("sale.order", order, "amount_total") == 100.0
    assert len(shop.get("sale.order", order, "order_line")) == 1
    shop.write("sale.order", order, order_line=[[6, 0, []]])
    assert shop.get("sale.order", order, "order_line") == []


def test_commands_reach_only_own_lines(shop: Shop) -> None:
    mine, other = shop.sale(), shop.sale()
    stranger = shop.line("sale.order", other)
    for command in ([1, stranger, {"product_uom_qty": 9}], [2, stranger, 0], [4, stranger, 0]):
        with pytest.raises(ErpError):
            shop.write("sale.order", mine, order_line=[command])


def test_many2many_commands(shop: Shop) -> None:
    gold, silver = (shop.make("res.partner.category", name=name) for name in ("Gold", "Silver"))
    for commands, expected in (
        ([[4, gold, 0]], [gold]),
        ([[4, gold, 0], [4, silver, 0]], [gold, silver]),
        ([[3, gold, 0]], [silver]),
        ([[6, 0, [gold]]], [gold]),
        ([[5, 0, 0]], []),
        ([[0, 0, {"name": "Bronze"}]], [silver + 1]),
    ):
        shop.write("res.partner", shop.acme, category_id=commands)
        assert shop.get("res.partner", shop.acme, "category_id") == expected


def test_a_record_in_use_is_not_deleted(shop: Shop) -> None:
    shop.sale()
    with pytest.raises(ErpError, match="still refers") as caught:
        shop.call("res.partner", "unlink", [shop.acme])
    assert caught.value.kind == "UserError"


def test_copy_duplicates_a_draft_with_its_lines(shop: Shop) -> None:
    order = shop.sale(4, confirm=True, client_order_ref="X1")
    (twin,) = shop.call("sale.order", "copy", [order])
    assert shop.get("sale.order", twin, "name", "state", "client_order_ref", "amount_total") == ["S00002", "draft", False, 400.0]
    (third,) = shop.call("sale.order", "copy", [order], default={"partner_id": shop.bolt})
    assert shop.get("sale.order", third, "partner_id") == shop.bolt


def test_hierarchies_have_no_cycles(shop: Shop) -> None:
    branch = shop.make("res.partner", name="Branch", parent_id=shop.acme)
    with pytest.raises(ErpError, match="recursive"):
        shop.write("res.partner", shop.acme, parent_id=branch)
    category = shop.make("product.category", name="Fans")
    with pytest.raises(ErpError, match="recursive"):
        shop.write("product.category", category, parent_id=category)


def test_a_copied_product_says_so(shop: Shop) -> None:
    (twin,) = shop.call("product.product", "copy", [shop.fan])
    assert shop.get("product.product", twin, "name", "list_price", "qty_available") == ["Fan (copy)", 100.0, 0.0]
    assert shop.get("product.product", twin, "taxes_id") == []


def test_a_product_and_its_template_are_one(shop: Shop) -> None:
    shop.write("product.product", shop.fan, list_price=120.0, name="Big Fan")
    assert shop.get("product.template", shop.fan_template, "list_price", "name") == [120.0, "Big Fan"]
    shop.write("product.template", shop.fan_template, default_code="FF")
    assert shop.call("product.product", "search", domain=[["default_code", "=", "FF"]]) == [shop.fan]
    template = shop.make("product.template", name="Cover", list_price=3)
    variant = shop.get("product.template", template, "product_variant_id")
    assert shop.get("product.product", variant, "name", "lst_price", "product_tmpl_id") == ["Cover", 3.0, template]
    assert shop.call("product.product", "unlink", [variant]) is True
    assert shop.call("product.template", "read", [template]) == []


def test_new_products_carry_the_company_taxes(shop: Shop) -> None:
    """10.13: the default sales tax of 15 % applies unless taxes_id is cleared."""
    taxed = shop.make("product.product", name="Taxed", list_price=100.0)
    order = shop.sale(order_line=[[0, 0, {"product_id": taxed}], [0, 0, {"product_id": taxed, "tax_ids": [[6, 0, []]]}]])
    assert shop.get("sale.order", order, "amount_untaxed", "amount_tax", "amount_total") == [200.0, 15.0, 215.0]


def test_formatted_read_group(shop: Shop) -> None:
    shop.sale(1, commitment_date="2026-05-11")
    shop.sale(2, commitment_date="2026-06-11")
    shop.sale(4, partner_id=shop.bolt)
    groups = shop.call(
        "sale.order",
        "formatted_read_group",
        domain=[],
        groupby=["partner_id"],
        aggregates=["amount_total:sum", "__count"],
        order="__count desc",
    )
    assert groups == [
        {
            "partner_id": [shop.acme, "Acme"],
            "amount_total:sum": 300.0,
            "__count": 2,
            "__extra_domain": [["partner_id", "=", shop.acme]],
        },
        {
            "partner_id": [shop.bolt, "Bolt"],
            "amount_total:sum": 400.0,
            "__count": 1,
            "__extra_domain": [["partner_id", "=", shop.bolt]],
        },
    ]
    by_month = shop.call(
        "sale.order", "formatted_read_group", domain=[], groupby=["commitment_date:month"], aggregates=["__count"]
    )
    assert [group["commitment_date:month"] for group in by_month] == [
        ["2026-05-01", "May 2026"],
        ["2026-06-01", "June 2026"],
        False,
    ]
    for group in by_month:
        assert shop.call("sale.order", "search_count", domain=group["__extra_domain"]) == group["__count"] == 1
    assert shop.call("sale.order", "formatted_read_group", domain=[], aggregates=["amount_total:max"]) == [
        {"amount_total:max": 400.0, "__extra_domain": []}
    ]
    assert shop.call("sale.order", "formatted_read_group", domain=[]) == [{"__extra_domain": []}]


def test_read_group_of_older_clients(shop: Shop) -> None:
    shop.sale(1)
    shop.sale(2)
    (group,) = shop.call(
        "sale.order", "read_group", domain=[["amount_total", ">", 0]], fields=["amount_total"], groupby=["partner_id"]
    )
    assert group == {
        "partner_id": [shop.acme, "Acme"], "amount_total": 300.0, "partner_id_count": 2,
        "__domain": ["&", ["partner_id", "=", shop.acme], ["amount_total", ">", 0]],
    }  # fmt: skip


@pytest.mark.parametrize(
    "kwargs",
    [
        {"groupby": ["nope"]},
        {"groupby": ["order_line"]},
        {"groupby": ["partner_id:month"]},
        {"groupby": ["date_order:eon"]},
        {"groupby": 5},
        {"aggregates": ["name:sum"]},
        {"aggregates": ["amount_total:median"]},
        {"groupby": ["state"], "order": "name"},
    ],
)
def test_bad_groups_are_refused(shop: Shop, kwargs: dict[str, Any]) -> None:
    with pytest.raises(ErpError):
        shop.call("sale.order", "formatted_read_group", domain=[], **kwargs)


@pytest.mark.parametrize("order", ["nope", "name up", "name desc nulls", "order_line", ",", 5])
def test_bad_orders_are_refused(shop: Shop, order: Any) -> None:
    with pytest.raises(ErpError):
        shop.call("sale.order", "search", order=order)


@pytest.mark.parametrize("bounds", [{"limit": -1}, {"offset": "x"}, {"limit": 1.5}, {"offset": 2**70}])
def test_bad_bounds_are_refused(shop: Shop, bounds: dict[str, Any]) -> None:
    with pytest.raises(ErpError, match="whole number"):
        shop.call("sale.order", "search", **bounds)
