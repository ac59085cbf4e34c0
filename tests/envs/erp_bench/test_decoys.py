"""Decoys look like core records and never are of use."""

from __future__ import annotations

import re

import pytest

from opsgym.envs.erp_bench.decoys import SITUATIONS
from opsgym.envs.erp_bench.params import PATTERNS
from opsgym.envs.erp_bench.spec import Decoys, Scenario
from tests.envs.erp_bench.draws import drawn

SEEDS = range(15)
MANY = 4 * len(SITUATIONS)


def many(seed: int, pattern: str = "09_single_bom_lowest_cost") -> Scenario:
    return drawn(seed, pattern=pattern, decoys=MANY)


def test_pattern_26_has_none() -> None:
    assert all(drawn(seed, pattern="26_buy_only_net_30_no_adjacent_data").decoys == Decoys() for seed in SEEDS)


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
def test_no_key_or_name_of_a_decoy_is_taken(pattern: str) -> None:
    for seed in SEEDS:
        scenario = many(seed, pattern)
        problem, decoys = scenario.problem, scenario.decoys
        partners = (*problem.customers, *problem.vendors, *decoys.customers, *decoys.vendors)
        products = (*problem.products, *decoys.products)
        offers = (*problem.offers, *decoys.offers)
        orders = (*problem.orders, *decoys.orders)
        centers = (*problem.centers, *decoys.centers)
        for keys in (
            [partner.ref for partner in partners],
            [partner.name for partner in partners],
            [product.code for product in products],
            [product.name for product in products],
            [offer.key for offer in offers],
            [order.ref for order in orders],
            [center.code for center in centers],
            [center.name for center in centers],
        ):
            assert len(set(keys)) == len(keys)


def test_a_decoy_offer_on_a_core_product_has_run_out_and_tempts() -> None:
    expired = 0
    for seed in SEEDS:
        scenario = many(seed)
        core = {product.code for product in scenario.problem.products}
        for offer in scenario.decoys.offers:
            if offer.product not in core:
                assert offer.valid_to is None
                continue
            expired += 1
            assert (
                offer.valid_to is not None
                and offer.valid_to < 0
                and offer.valid_from is not None
                and offer.valid_from < offer.valid_to
            )
            assert offer.max_qty is None, "a maximum would stand in the notes of a vendor who still delivers"
            assert offer.price < max(known.price for known in scenario.problem.offers if known.product == offer.product)
    assert expired > 2 * len(SEEDS)


def test_a_core_vendor_has_at_most_one_old_price_a_product() -> None:
    found = 0
    for seed in SEEDS:
        scenario = many(seed)
        vendors = {vendor.ref for vendor in scenario.problem.vendors}
        rows = [(offer.vendor, offer.product) for offer in scenario.decoys.offers if offer.vendor in vendors]
        assert len(set(rows)) == len(rows)
        found += len(rows)
    assert found > len(SEEDS)


def test_decoys_refer_to_what_exists() -> None:
    for seed in SEEDS:
        problem, decoys = many(seed).problem, many(seed).decoys
        own = {product.code for product in decoys.products}
        vendors = {partner.ref for partner in (*problem.vendors, *decoys.vendors)}
        assert {offer.vendor for offer in decoys.offers} <= vendors
        assert {offer.product for offer in decoys.offers} <= own | {product.code for product in problem.products}
        assert set(decoys.stock) <= own and set(decoys.order_products) <= own
        assert {order.customer for order in decoys.orders} <= {partner.ref for partner in decoys.customers}
        assert len(decoys.orders) == len(decoys.order_products) and all(order.seeded for order in decoys.orders)
        assert {bom.product for bom in decoys.boms} <= own
        assert {line.component for bom in decoys.boms for line in bom.lines} <= own


def test_decoy_bills_of_materials_have_no_cycle() -> None:
    for seed in SEEDS:
        boms = {bom.product: [line.component for line in bom.lines] for bom in many(seed).decoys.boms}

        def depth(code: str, boms: dict[str, list[str]] = boms) -> int:
            return 1 + max(map(depth, boms[code]), default=0) if code in boms else 0

        assert len(boms) >= 2 and max(depth(code) for code in boms) >= 1


def test_shut_work_centers_offer_the_finished_product_at_no_capacity() -> None:
    for seed in SEEDS:
        scenario = many(seed)
        shut = {center.code for center in scenario.decoys.centers}
        assert shut and all(center.capacity == 0 and center.note for center in scenario.decoys.centers)
        for operation in scenario.decoys.operations:
            assert operation.center in shut and operation.product == scenario.problem.product and not operation.primary
            assert operation.minutes <= min(row.minutes for row in scenario.problem.operations)


def test_some_decoys_have_nearly_the_name_of_a_core_record() -> None:
    for seed in SEEDS:
        scenario = many(seed)
        starts = {partner.name.split()[0][:6] for partner in (*scenario.problem.customers, *scenario.problem.vendors)}
        twins = [partner for partner in (*scenario.decoys.customers, *scenario.decoys.vendors) if partner.name[:6] in starts]
        names = tuple(product.name for product in scenario.problem.products)
        grades = [product for product in scenario.decoys.products if product.name.startswith(names)]
        assert len(twins) >= 4 and grades


def test_refs_and_codes_tell_nothing() -> None:
    """Core and decoy keys have the same shape, and neither kind has the smaller numbers."""

    def shape(key: str) -> str:
        return re.sub(r"\d", "9", key)

    core_numbers, decoy_numbers = [], []
    for seed in SEEDS:
        problem, decoys = many(seed).problem, many(seed).decoys
        for core, decoy in (
            ([row.code for row in problem.products], [row.code for row in decoys.products]),
            ([row.ref for row in problem.vendors], [row.ref for row in decoys.vendors]),
            ([row.ref for row in problem.customers], [row.ref for row in decoys.customers]),
            ([row.ref for row in problem.orders], [row.ref for row in decoys.orders]),
            ([row.code for row in problem.centers], [row.code for row in decoys.centers]),
        ):
            assert {shape(key) for key in core} == {shape(key) for key in decoy}
        core_numbers += [int(row.ref[2:]) for row in problem.vendors]
        decoy_numbers += [int(row.ref[2:]) for row in decoys.vendors]
    ratio = (sum(core_numbers) / len(core_numbers)) / (sum(decoy_numbers) / len(decoy_numbers))
    assert 0.85 < ratio < 1.15
