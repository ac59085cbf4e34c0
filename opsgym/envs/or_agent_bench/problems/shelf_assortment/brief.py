"""What an agent reads of the shelf assortment."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.shelf_assortment.instance import HOUSE, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/products.csv": {
        "product": "name of the product",
        "family": "its family",
        "brand": "its brand",
        "width": "width of a facing, mm",
        "weight": "weight of a facing, grams",
        "chilled": "yes when it needs a chilled shelf",
        "first_cents": "profit a week of its first facing, cents",
        "further_cents": "profit a week of each further facing, cents",
        "partner": "product beside which alone it is listed; empty for none",
        "today": "yes when it is in the range of today",
        "kept": "yes when it must stay in the range",
    },
    "data/shelves.json": {
        "shelf": "name of the shelf",
        "width": "its width, mm",
        "carries": "weight that it carries, grams; 0 where that does not matter",
        "chilled": "whether it is chilled",
    },
    "data/substitutes.csv": {
        "product": "a product",
        "instead": "one that is bought in its place",
        "cents": "what the latter earns more a week when it is listed and the former is not, cents",
    },
    "data/shop.yaml": {
        "most_facings": "greatest number of facings of a product",
        "least_family": "least number of listed products of each family, 0 where that does not matter",
        "most_brand": "greatest number of listed products of a brand, 0 where there is no limit",
        "house_together": f"whether the brand {HOUSE} stays on one shelf",
        "new_cents": "cost of each listed product that is not in the range of today, cents",
        "most_new": "greatest number of them, -1 where there is no limit",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A shop chooses its range among {len(instance.products)} products and places it on {len(instance.shelves)} shelves. A "
        "product that is placed is listed; it takes its width once for each facing."
    )


def objective(instance: Instance) -> str:
    """What is to be made large."""
    text = (
        "Make the profit of a week in cents large: for every listed product `first_cents`, and `further_cents` for each facing "
        "beyond the first; and for every row of `substitutes.csv` whose `product` is not listed while `instead` is, its `cents`."
    )
    if instance.new_cents:
        text += " Each listed product that is not in the range of today costs `new_cents`."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "placement": (
            "A product is placed at most once, on a shelf of the list, with 1 to `most_facings` facings; there are no others."
        ),
        "width": "The facings on a shelf are together no wider than the shelf.",
        "chilled": "A product that needs a chilled shelf stands on one.",
    }
    if any(shelf.carries for shelf in instance.shelves):
        found["weight"] = "The facings on a shelf weigh together no more than it carries."
    if instance.most_brand:
        found["brands"] = "At most `most_brand` products of a brand are listed."
    if instance.least_family:
        found["families"] = "Of every family at least `least_family` products are listed."
    if any(product.partner for product in instance.products):
        found["partners"] = "A product with an entry in `partner` is listed only if that product is listed on the same shelf."
    if instance.house_together:
        found["house"] = f"All listed products of the brand {HOUSE} stand on one shelf."
    if instance.most_new >= 0:
        found["new"] = "At most `most_new` listed products are not in the range of today."
    if any(product.is_kept for product in instance.products):
        found["kept"] = "Products with `kept` yes are listed."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    products = [
        {
            "product": product.name,
            "family": product.family,
            "brand": product.brand,
            "width": product.width,
            "weight": product.weight,
            "chilled": "yes" if product.is_chilled else "no",
            "first_cents": product.first_cents,
            "further_cents": product.further_cents,
            "partner": product.partner,
            "today": "yes" if product.is_listed else "no",
            "kept": "yes" if product.is_kept else "no",
        }
        for product in instance.products
    ]
    substitutes = [{"product": row.product, "instead": row.instead, "cents": row.cents} for row in instance.substitutes]
    shelves = [
        {"shelf": shelf.name, "width": shelf.width, "carries": shelf.carries, "chilled": shelf.is_chilled}
        for shelf in instance.shelves
    ]
    shop = {
        "most_facings": instance.most_facings,
        "least_family": instance.least_family,
        "most_brand": instance.most_brand,
        "house_together": instance.house_together,
        "new_cents": instance.new_cents,
        "most_new": instance.most_new,
    }
    return {
        "data/products.csv": wrinkles.csv(products, key="product", vary=["width", "first_cents"]),
        "data/substitutes.csv": wrinkles.csv(substitutes, key=["product", "instead"], vary=["cents"]),
        "data/shelves.json": wrinkles.json(shelves),
        "data/shop.yaml": wrinkles.yaml(shop, {"new_cents": "cents a product"}),
    }
