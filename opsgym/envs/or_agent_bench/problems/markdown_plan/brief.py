"""What an agent reads of the markdowns."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.markdown_plan.instance import STEPS, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/articles.csv": {
        "article": "name of the article",
        "family": "its family",
        "stock": "pieces at the start of week 1",
        "arrival": "week at whose start more pieces arrive, 0 for none",
        "pieces": "how many arrive then",
        "outlet": "what a piece that is left at the end brings, cents",
        "lowest": "lowest step that it may stand on; step 1 is the highest price",
        "printed": "step that it has in week 1, 0 where that is free",
        "most_left": "greatest number of pieces left at the end, -1 where there is no limit",
    },
    "data/ladders.json": {"article": "an article", "cents": "its price by step, from step 1 on, cents"},
    "data/demand.csv": {
        "article": "an article",
        "week": "week, from 1",
        "step": "step of the ladder",
        "pieces": "pieces that would be bought in that week at that step",
    },
    "data/shop.yaml": {
        "weeks": "number of weeks",
        "label_cents": "cost of each change of a price after week 1, cents",
        "most_labels": "greatest number of articles whose price changes in a week, 0 where there is no limit",
        "most_apart": "greatest difference of steps within a family in a week, 0 where it does not matter",
        "most_down": "greatest number of steps that a price falls in a week, 0 where there is no limit",
        "pause": "weeks that lie at least between two changes of a price, 0 for none",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A shop sells {len(instance.articles)} articles for another {instance.weeks} weeks. In each week an article stands on "
        f"one of the {STEPS} steps of its price ladder. What is sold in a week is the demand at that step, or the stock where "
        "that is less; pieces that arrive in a week can be sold in it."
    )


def objective(instance: Instance) -> str:
    """What is to be made large."""
    return (
        "Make the proceeds in cents large: all pieces sold, each at the price of its week; every piece left after the last week "
        "at its `outlet`; less `label_cents` for every article and week from week 2 on in which its step is not that of the week "
        "before."
    )


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": f"Every article has exactly one step, from 1 to {STEPS}, in every week.",
        "falling": "Prices never rise: the step of a week is not above, that is not smaller than, the one of the week before.",
    }
    if instance.most_labels:
        found["labels"] = "In every week from week 2 on the steps of at most `most_labels` articles change."
    if instance.most_apart:
        found["families"] = "In every week the steps of two articles of a family differ by at most `most_apart`."
    if instance.most_down:
        found["steps"] = "From one week to the next a price falls by at most `most_down` steps."
    if instance.pause:
        found["pause"] = (
            "After a week in which the step of an article changes it stays as it is for at least `pause` weeks; week 1 is none."
        )
    if any(article.lowest < STEPS for article in instance.articles):
        found["floor"] = "No article stands on a step beyond its `lowest`."
    if any(article.printed for article in instance.articles):
        found["printed"] = "An article with a `printed` step has it in week 1."
    if any(article.most_left >= 0 for article in instance.articles):
        found["left"] = "Of an article with a `most_left` of 0 or more no more pieces are left after the last week."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    columns = ("family", "stock", "arrival", "pieces", "outlet", "lowest", "printed", "most_left")
    articles = [{"article": each.name, **{name: getattr(each, name) for name in columns}} for each in instance.articles]
    demand = []
    for place, pieces in instance.demand.items():
        article, week, step = place.split(">")
        demand.append({"article": article, "week": int(week), "step": int(step), "pieces": pieces})
    shop = {
        "weeks": instance.weeks,
        "label_cents": instance.label_cents,
        "most_labels": instance.most_labels,
        "most_apart": instance.most_apart,
        "most_down": instance.most_down,
        "pause": instance.pause,
    }
    return {
        "data/articles.csv": wrinkles.csv(articles, key="article", vary=["stock", "outlet"]),
        "data/ladders.json": wrinkles.json([{"article": each.name, "cents": list(each.prices)} for each in instance.articles]),
        "data/demand.csv": wrinkles.csv(demand, key=["article", "week", "step"], vary=["pieces"]),
        "data/shop.yaml": wrinkles.yaml(shop, {"label_cents": "cents a change"}),
    }
