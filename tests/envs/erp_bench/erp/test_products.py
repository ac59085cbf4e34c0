"""Products, vendors' offers and stock figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.envs.erp_bench.erp import ErpError
from opsgym.envs.erp_bench.erp.products import SupplierInfo
from tests.envs.erp_bench.erp.shop import Shop, shared_shop

DAY = "2026-05-04"


def test_offers_are_listed_as_odoo_orders_them(shop: Shop) -> None:
    """Section 9: by sequence, then the greatest minimum quantity, then price, then id."""
    late = shop.offer(shop.vendor_b, shop.fan, min_qty=1, price=1.0, sequence=2)
    offers = shop.call("product.supplierinfo", "search_read", fields=["min_qty"])
    assert [offer["min_qty"] for offer in offers] == [50.0, 20.0, 5.0, 1.0]
    assert offers[-1]["id"] == late
    assert shop.get("product.product", shop.fan, "seller_ids") == [offer["id"] for offer in offers]


@pytest.mark.parametrize(("quantity", "price"), [(4, None), (5, 7.0), (19, 7.0), (20, 6.3), (49, 6.3), (50, 5.0), (1000, 5.0)])
def test_10_3_the_cheapest_fitting_offer_is_chosen(shop: Shop, quantity: float, price: float | None) -> None:
    chosen = shop.erp.of(SupplierInfo).choose(shop.fan, shop.vendor_a, quantity, DAY)
    assert (chosen[1] if chosen else None) == price


def test_10_3_dates_variants_and_discounts_count(shop: Shop) -> None:
    offers = shop.erp.of(SupplierInfo)
    shop.offer(shop.vendor_b, shop.fan, min_qty=1, price=1.0, date_end="2026-05-03")
    shop.offer(shop.vendor_b, shop.fan, min_qty=1, price=1.5, date_start="2026-05-05")
    assert offers.choose(shop.fan, shop.vendor_b, 9, DAY) is None
    shop.offer(shop.vendor_b, shop.fan, min_qty=1, price=8.0)
    shop.offer(shop.vendor_b, shop.fan, min_qty=1, price=10.0, discount=50.0, date_start=DAY, date_end=DAY)
    chosen = offers.choose(shop.fan, shop.vendor_b, 9, DAY)
    assert chosen is not None
    assert chosen[1] == 5.0


@given(
    offers=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5), st.integers(1, 3)), min_size=1, max_size=5),
    quantity=st.integers(0, 10),
)
def test_10_3_no_fitting_offer_is_cheaper(offers: list[tuple[int, int, int]], quantity: int) -> None:
    """Against a plain restatement: least price, then sequence, then id, among minimums not above the quantity."""
    shop = shared_shop()
    start = shop.world.snapshot()
    made = [
        (float(price), sequence, shop.offer(shop.vendor_b, shop.blade, min_qty=least, price=price, sequence=sequence), least)
        for least, price, sequence in offers
    ]
    fitting = sorted(row[:3] for row in made if row[3] <= quantity)
    chosen = shop.erp.of(SupplierInfo).choose(shop.blade, shop.vendor_b, quantity, DAY)
    assert (chosen[0] if chosen else None) == (fitting[0][2] if fitting else None)
    shop.world.restore(start)


def test_a_template_follows_from_the_variant_of_an_offer(shop: Shop) -> None:
    offer = shop.make("product.supplierinfo", partner_id=shop.vendor_b, product_id=shop.motor, price=3)
    assert shop.get("product.supplierinfo", offer, "product_tmpl_id") == shop.get(
        "product.product", shop.motor, "product_tmpl_id"
    )
    with pytest.raises(ErpError, match="product_tmpl_id"):
        shop.make("product.supplierinfo", partner_id=shop.vendor_b, price=3)


def test_stock_figures_follow_the_documents(shop: Shop) -> None:
    figures = ("qty_available", "incoming_qty", "outgoing_qty", "virtual_available", "free_qty")
    assert shop.get("product.product", shop.blade, *figures) == [10.0, 0.0, 0.0, 10.0, 10.0]
    shop.production(3, confirm=True)
    assert shop.get("product.product", shop.blade, *figures) == [10.0, 0.0, 6.0, 4.0, 4.0]
    assert shop.get("product.product", shop.fan, *figures) == [0.0, 3.0, 0.0, 3.0, 0.0]
    shop.purchase(20, confirm=True)
    shop.sale(5, confirm=True)
    assert shop.get("product.product", shop.fan, *figures) == [0.0, 23.0, 5.0, 18.0, 0.0]
    assert shop.get("product.template", shop.fan_template, *figures[:4]) == [0.0, 23.0, 5.0, 18.0]


def test_the_kind_of_a_product_in_use_is_fixed(shop: Shop) -> None:
    with pytest.raises(ErpError, match="already used"):
        shop.write("product.product", shop.blade, is_storable=False)
