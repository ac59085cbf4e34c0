"""Reference program of the shelf assortment: facings of each product on each shelf, in CP-SAT.

Source: A. Kök, M. Fisher, R. Vaidyanathan, Assortment planning (2015), sections 3 and 4.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, table

OMITTABLE = ("width", "chilled", "weight", "brands", "families", "partners", "house", "new", "kept")
SECONDS = 0.6
"""Deterministic time limit."""
HOUSE = "House"

Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    numbers = ("width", "weight", "first_cents", "further_cents")
    products = {
        row["product"]: {
            **{name: int(row[name]) for name in numbers},
            **{name: row[name] for name in ("family", "brand", "partner")},
            **{name: row[name] == "yes" for name in ("chilled", "today", "kept")},
        }
        for row in table(files["data/products.csv"], ["product"])
    }
    return {
        **settings(files["data/shop.yaml"]),
        "products": products,
        "shelves": {shelf["shelf"]: shelf for shelf in json.loads(files["data/shelves.json"])},
        "instead": {
            (row["product"], row["instead"]): int(row["cents"])
            for row in table(files["data/substitutes.csv"], ["product", "instead"])
        },
    }


class _Shop:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        model = self.model = cp_model.CpModel()
        pairs = [(product, shelf) for product in data["products"] for shelf in data["shelves"]]
        most = data["most_facings"]
        self.on = {pair: model.new_bool_var(f"{pair}") for pair in pairs}
        self.facings = {pair: model.new_int_var(0, most, f"facings {pair}") for pair in pairs}
        for pair, on in self.on.items():
            model.add(self.facings[pair] >= on)
            model.add(self.facings[pair] <= most * on)
        self.listed = {product: sum(self.on[product, shelf] for shelf in data["shelves"]) for product in data["products"]}
        for listed in self.listed.values():
            model.add(listed <= 1)
        self._shelves()
        self._range()
        self._partners()
        model.maximize(self._profit())

    def _shelves(self) -> None:
        data, model = self.data, self.model
        for name, shelf in data["shelves"].items():
            for measure, limit, rule in (("width", shelf["width"], "width"), ("weight", shelf["carries"], "weight")):
                if limit and rule not in self.omit:
                    used = sum(product[measure] * self.facings[key, name] for key, product in data["products"].items())
                    model.add(used <= limit)
            for key, product in data["products"].items():
                if product["chilled"] and not shelf["chilled"] and "chilled" not in self.omit:
                    model.add(self.on[key, name] == 0)

    def _range(self) -> None:
        data, model, omit = self.data, self.model, self.omit
        for column, limit, rule in (("family", data["least_family"], "families"), ("brand", data["most_brand"], "brands")):
            for value in sorted({product[column] for product in data["products"].values()}) if limit and rule not in omit else ():
                count = sum(self.listed[key] for key, product in data["products"].items() if product[column] == value)
                model.add(count >= limit if rule == "families" else count <= limit)
        if data["most_new"] >= 0 and "new" not in omit:
            fresh = [self.listed[key] for key, product in data["products"].items() if not product["today"]]
            model.add(sum(fresh) <= data["most_new"])
        for key, product in data["products"].items():
            if product["kept"] and "kept" not in omit:
                model.add(self.listed[key] == 1)

    def _partners(self) -> None:
        data, model = self.data, self.model
        for key, product in data["products"].items():
            for shelf in data["shelves"] if product["partner"] and "partners" not in self.omit else ():
                model.add_implication(self.on[key, shelf], self.on[product["partner"], shelf])
        if data["house_together"] and "house" not in self.omit:
            chosen = {shelf: model.new_bool_var(f"house on {shelf}") for shelf in data["shelves"]}
            model.add_exactly_one(chosen.values())
            for (key, shelf), on in self.on.items():
                if data["products"][key]["brand"] == HOUSE:
                    model.add_implication(on, chosen[shelf])

    def _profit(self) -> Any:
        data, model = self.data, self.model
        terms: list[Any] = []
        for key, product in data["products"].items():
            count = sum(self.facings[key, shelf] for shelf in data["shelves"])
            fresh = 0 if product["today"] else data["new_cents"]
            terms.append(count * product["further_cents"])
            terms.append(self.listed[key] * (product["first_cents"] - product["further_cents"] - fresh))
        for (product, instead), cents in data["instead"].items():
            gains = model.new_bool_var("")
            model.add(gains <= self.listed[instead])
            model.add(gains <= 1 - self.listed[product])
            terms.append(gains * cents)
        return sum(terms)


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best range within the limit, started from the greedy one."""
    shop = _Shop(data, omit)
    known = {(row["product"], row["shelf"]): row["facings"] for row in greedy(data)["placements"]}
    start = [(variable, known.get(pair, 0)) for pair, variable in shop.facings.items()]
    start += [(variable, int(pair in known)) for pair, variable in shop.on.items()]
    solver, bound = solved(shop.model, SECONDS, effort, start)
    if not solver:
        return Solved(None)
    rows = [
        {"product": product, "shelf": shelf, "facings": solver.value(facings)}
        for (product, shelf), facings in shop.facings.items()
        if solver.value(facings)
    ]
    return Solved({"placements": rows}, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's profit of a range."""
    rows = {(row["product"], row["shelf"]): row["facings"] for row in plan["placements"]}
    shop = _Shop(data)
    fits = all(pair in shop.on and 1 <= facings <= data["most_facings"] for pair, facings in rows.items())
    if not fits or len(rows) != len(plan["placements"]):
        return None
    for pair, facings in shop.facings.items():
        shop.model.add(facings == rows.get(pair, 0))
    return objective(shop.model)


def greedy(data: Data) -> Plan:
    """What must be listed first, then what earns most for its width; one facing each, on the first shelf with room."""
    products, shelves = data["products"], data["shelves"]
    worth = {key: product["first_cents"] / product["width"] for key, product in products.items()}
    chosen: dict[str, str] = {}
    width = {name: shelf["width"] for name, shelf in shelves.items()}
    weight = {name: shelf["carries"] or 10**9 for name, shelf in shelves.items()}
    waiting = sorted(products, key=lambda key: (not products[key]["kept"], -worth[key]))
    for family in sorted({product["family"] for product in products.values()}) * data["least_family"]:
        for key in [key for key in waiting if products[key]["family"] == family and key not in chosen]:
            if _place(data, key, chosen, width, weight):
                break
    for key in waiting:
        if key not in chosen:
            _place(data, key, chosen, width, weight)
    return {"placements": [{"product": key, "shelf": shelf, "facings": 1} for key, shelf in chosen.items()]}


def _place(data: Data, key: str, chosen: dict[str, str], width: dict[str, int], weight: dict[str, int]) -> bool:
    """List a product where the rules allow it."""
    products, product = data["products"], data["products"][key]
    if data["most_brand"] and sum(products[k]["brand"] == product["brand"] for k in chosen) >= data["most_brand"]:
        return False
    if not product["today"] and data["most_new"] >= 0 and sum(not products[k]["today"] for k in chosen) >= data["most_new"]:
        return False
    house = [chosen[k] for k in chosen if products[k]["brand"] == HOUSE]
    for name, shelf in data["shelves"].items():
        together = not data["house_together"] or product["brand"] != HOUSE or not house or house[0] == name
        beside = not product["partner"] or chosen.get(product["partner"]) == name
        roomy = product["width"] <= width[name] and product["weight"] <= weight[name]
        if together and beside and roomy and (shelf["chilled"] or not product["chilled"]):
            chosen[key] = name
            width[name] -= product["width"]
            weight[name] -= product["weight"]
            return True
    return False
