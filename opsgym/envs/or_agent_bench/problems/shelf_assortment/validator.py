"""Validator of the shelf assortment: measures shelves and counts the range; it knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.shelf_assortment.brief import rules
from opsgym.envs.or_agent_bench.problems.shelf_assortment.instance import HOUSE, Instance, Placement, Plan


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a range."""
    return _Look(instance, plan).report()


class _Look:
    """One range, by shelf and by product."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        self.products = {product.name: product for product in instance.products}
        self.shelves = {shelf.name: shelf for shelf in instance.shelves}
        self.rows = [row for row in plan.placements if self._is_known(row)]
        self.at = {row.product: row.shelf for row in self.rows}

    def report(self) -> Report:
        """All rules, one after the other."""
        for name, count in Counter(row.product for row in self.rows).items():
            self.findings.require("placement", count == 1, f"{name} is placed {count} times")
        self._shelves()
        self._range()
        self._neighbours()
        return self.findings.report(self._profit())

    def _is_known(self, row: Placement) -> bool:
        known = row.product in self.products and row.shelf in self.shelves
        known = known and 1 <= row.facings <= self.instance.most_facings
        self.findings.require("placement", known, f"{row.product} on {row.shelf} with {row.facings} facings")
        return known

    def _shelves(self) -> None:
        for shelf in self.instance.shelves:
            here = [(self.products[row.product], row.facings) for row in self.rows if row.shelf == shelf.name]
            width = sum(product.width * facings for product, facings in here)
            self.findings.require("width", width <= shelf.width, f"{shelf.name} is filled with {width} of {shelf.width} mm")
            weight = sum(product.weight * facings for product, facings in here)
            if shelf.carries:
                self.findings.require("weight", weight <= shelf.carries, f"{shelf.name} carries {weight} of {shelf.carries} g")
            for product, _ in here:
                cold = shelf.is_chilled or not product.is_chilled
                self.findings.require("chilled", cold, f"{product.name} stands on {shelf.name}, which is not chilled")

    def _range(self) -> None:
        instance, find = self.instance, self.findings
        brands = Counter(self.products[name].brand for name in self.at)
        for brand, count in brands.items() if instance.most_brand else ():
            find.require("brands", count <= instance.most_brand, f"{count} products of {brand} are listed")
        families = Counter(self.products[name].family for name in self.at)
        for family in sorted({product.family for product in instance.products}) if instance.least_family else ():
            enough = families[family] >= instance.least_family
            find.require("families", enough, f"{families[family]} products of {family} are listed")
        fresh = [name for name in self.at if not self.products[name].is_listed]
        if instance.most_new >= 0:
            find.require("new", len(fresh) <= instance.most_new, f"{len(fresh)} products are new: {', '.join(fresh)}")
        for product in instance.products:
            if product.is_kept:
                find.require("kept", product.name in self.at, f"{product.name} is not listed")

    def _neighbours(self) -> None:
        for name, shelf in self.at.items():
            partner = self.products[name].partner
            if partner:
                beside = self.at.get(partner) == shelf
                self.findings.require("partners", beside, f"{name} stands on {shelf} without {partner}")
        house = {shelf for name, shelf in self.at.items() if self.products[name].brand == HOUSE}
        if self.instance.house_together:
            self.findings.require("house", len(house) < 2, f"{HOUSE} stands on {', '.join(sorted(house))}")

    def _profit(self) -> int:
        profit = 0
        for row in self.rows:
            product = self.products[row.product]
            profit += product.first_cents + (row.facings - 1) * product.further_cents
            profit -= 0 if product.is_listed else self.instance.new_cents
        return profit + sum(
            row.cents for row in self.instance.substitutes if row.instead in self.at and row.product not in self.at
        )
