"""For each rule of the shelf assortment a range that breaks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.shelf_assortment.instance import HOUSE, Instance, Product


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a range that breaks it."""
    rows: list[dict[str, Any]] = plan["placements"]
    everything = _placed(instance.products, instance.shelves[0].name)
    yield "placement", {"placements": [*rows, rows[0]]}
    yield "placement", {"placements": [rows[0] | {"facings": instance.most_facings + 1}, *rows[1:]]}
    yield "width", everything
    warm = next(shelf.name for shelf in instance.shelves if not shelf.is_chilled)
    yield "chilled", _placed([product for product in instance.products if product.is_chilled], warm)
    if any(shelf.carries for shelf in instance.shelves):
        yield "weight", everything
    if instance.most_brand:
        yield "brands", everything
    if instance.least_family:
        family = instance.products[0].family
        yield "families", _placed([product for product in instance.products if product.family != family], warm)
    for product in instance.products:
        if product.partner:
            yield "partners", _placed([product], warm)
        if product.is_kept:
            yield "kept", {"placements": [row for row in rows if row["product"] != product.name]}
    if instance.house_together:
        house = [product for product in instance.products if product.brand == HOUSE]
        split = [*_placed(house[:1], instance.shelves[0].name)["placements"], *_placed(house[1:], warm)["placements"]]
        yield "house", {"placements": split}
    if instance.most_new >= 0:
        yield "new", everything


def _placed(products: Iterable[Product], shelf: str) -> Plan:
    """A range of these products, all on one shelf."""
    return {"placements": [{"product": product.name, "shelf": shelf, "facings": 1} for product in products]}
