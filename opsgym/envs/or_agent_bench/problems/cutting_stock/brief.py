"""What an agent reads of the bar cutting."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.cutting_stock.instance import GRADES, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/bars.json": {
        "bar": "kind of bar",
        "length": "length, mm",
        "cents": "price of a bar, cents",
        "grade": "grade of the steel",
        "arrivals": "bars that arrive before each day, beginning with day 1",
    },
    "data/pieces.csv": {"piece": "kind of piece", "length": "length, mm", "grade": "grade that the piece needs"},
    "data/orders.csv": {
        "order": "name of the order",
        "piece": "kind of piece",
        "count": "pieces ordered",
        "day": "day by whose end they are cut",
    },
    "data/saw.yaml": {
        "days": "length of the plan, days",
        "kerf": "millimetres that each cut takes",
        "usable": "least length of an offcut that goes back to stock, mm",
        "credit_cents": "credit for each whole 100 mm of such an offcut, cents",
        "saw_cuts": "pieces that the saw can cut in a day",
        "bins": "most kinds of pieces in a pattern, 0 where there is no limit",
        "setup_cents": "cost of each pattern used on a day, cents",
        "grades_bind": "whether the grades of the pieces bind",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    days = "one day" if instance.days == 1 else f"{instance.days} days"
    return (
        f"A stockist saws bars of {len(instance.bars)} lengths into ordered pieces and plans {days}. A pattern says which "
        f"pieces are cut "
        "from one bar; a bar is cut on one day. Every piece takes its length and one cut of `kerf` mm, also the last one of a "
        "bar; "
        "what remains is the offcut. Bars that are left over stay in stock and cost nothing."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost in cents small: the price of every bar that is cut, less the credit: an offcut of at least `usable` mm "
        "earns "
        "`credit_cents` for each whole 100 mm of its length, a shorter one nothing."
    )
    if instance.setup_cents:
        text += (
            " Every pattern (kind of bar and pieces) that is used on a day costs `setup_cents`, however many bars are cut by it."
        )
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "form": (
            "A cut names a day of the plan, a kind of bar, at least one bar, and a pattern with at least one piece in which "
            "every "
            "kind stands once; on a day a pattern of a kind of bar is listed once."
        ),
        "length": "The pieces of a pattern, each with its cut, are no longer than the bar.",
        "orders": "By the end of each day at least the pieces ordered up to it have been cut.",
        "surplus": "Over the whole plan no kind of piece is cut more often than it is ordered.",
        "stock": "Up to each day no more bars of a kind are cut than have arrived.",
        "saw": "The saw cuts no more than `saw_cuts` pieces a day.",
    }
    if instance.bins:
        found["bins"] = "A pattern has at most `bins` kinds of pieces."
    if instance.has_grades:
        found["grade"] = (
            f"A piece is cut from a bar of its grade or a stronger one; the order is {', '.join(GRADES)}, weakest first."
        )
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    bars = [
        {"bar": b.name, "length": b.length, "cents": b.cents, "grade": GRADES[b.grade], "arrivals": list(b.arrivals)}
        for b in instance.bars
    ]
    pieces = [{"piece": p.name, "length": p.length, "grade": GRADES[p.grade]} for p in instance.pieces]
    orders = [{"order": o.name, "piece": o.piece, "count": o.count, "day": o.day} for o in instance.orders]
    saw = {
        "days": instance.days,
        "kerf": instance.kerf,
        "usable": instance.usable,
        "credit_cents": instance.credit_cents,
        "saw_cuts": instance.saw_cuts,
        "bins": instance.bins,
        "setup_cents": instance.setup_cents,
        "grades_bind": instance.has_grades,
    }
    return {
        "data/bars.json": wrinkles.json(bars),
        "data/pieces.csv": wrinkles.csv(pieces, key="piece", vary=["length"]),
        "data/saw.yaml": wrinkles.yaml(saw, {"kerf": "mm", "usable": "mm"}),
        "data/orders.csv": wrinkles.csv(orders, key="order", vary=["count"]),
    }
