"""CRM: products, customers, sales, support chats, reviews."""

from __future__ import annotations

import datetime as dt

from opsgym.core.records.columns import Choice, Day, Key, Number, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger, Row, spoken
from opsgym.envs.enterprise_bench.words import CITIES, FIRST, GOODS, LAST, MAKES

REQUESTS = ("refund", "replacement", "delivery", "usage", "warranty")
"""What customers ask for in support chats."""

OUTCOMES = ("granted", "declined", "answered", "open")
"""How support chats end."""

ASPECTS = ("battery", "build", "price", "packaging", "performance")
"""What reviews speak of."""

PRODUCT = Table(
    "product",
    (
        Key("product_id", prefix="prod", digits=4),
        Text("product_name", required=True, limit=200),
        Text("category", required=True, limit=100, doc="Category, such as Electronics|Cables."),
        Number("discounted_price", required=True, least=0, doc="Price after discount, in rupees."),
        Number("actual_price", required=True, least=0, doc="List price, in rupees."),
        Number("rating", required=True, least=0, doc="Mean rating, 0 to 5."),
        Text("about_product", limit=1000),
    ),
    resource="product",
    indexes=(("product_name",), ("category",)),
    checks={
        "discounted_price <= actual_price": "discounted_price: expected at most the actual price",
        "rating <= 5": "rating: expected at most 5",
    },
)
"""Products."""

CUSTOMER = Table(
    "customer",
    (
        Key("customer_id", prefix="cust", digits=4),
        Text("customer_name", required=True, limit=120),
        Text("email", required=True, form="email"),
        Text("city", required=True, limit=60),
        Ref("emp_id", table="employee", required=True, doc="Employee of Sales who owns the account."),
    ),
    resource="customer",
    indexes=(("customer_name",), ("emp_id",)),
)
"""Customers."""

SALE = Table(
    "sale",
    (
        Key("sales_record_id", prefix="sale", digits=5),
        Ref("product_id", table="product", required=True),
        Ref("customer_id", table="customer", required=True),
        Whole("quantity", required=True, least=1, default=1),
        Number("discounted_price", required=True, least=0, doc="Price a piece, in rupees."),
        Number("actual_price", required=True, least=0, doc="List price a piece, in rupees."),
        Day("date_of_purchase", required=True),
    ),
    resource="sale",
    indexes=(("product_id", "customer_id"), ("customer_id",), ("date_of_purchase",)),
)
"""Sales."""

CHAT = Table(
    "support_chat",
    (
        Key("chat_id", prefix="chat", digits=5),
        Ref("product_id", table="product", required=True),
        Ref("customer_id", table="customer", required=True),
        Ref("emp_id", table="employee", required=True, doc="Employee who handles it."),
        Text("text", required=True, limit=4000),
        Day("interaction_date", required=True),
        Choice("request", values=REQUESTS, secret=True, doc="What the customer asks for."),
        Choice("outcome", values=OUTCOMES, secret=True, doc="How it ended."),
    ),
    resource="support_chat",
    indexes=(("product_id",), ("customer_id",), ("emp_id",)),
)
"""Support chats."""

SENTIMENT = Table(
    "product_sentiment",
    (
        Key("sentiment_id", prefix="sent", digits=5),
        Ref("product_id", table="product", required=True),
        Ref("customer_id", table="customer", required=True),
        Text("review_content", required=True, limit=2000),
        Day("review_date", required=True),
        Choice("sentiment", values=("positive", "neutral", "negative"), secret=True, doc="What the review says."),
        Choice("aspect", values=ASPECTS, secret=True, doc="What it speaks of."),
    ),
    resource="product_sentiment",
    indexes=(("product_id",), ("customer_id",)),
)
"""Reviews of products by customers who bought them."""

TABLES = (PRODUCT, CUSTOMER, SALE, CHAT, SENTIMENT)


_ASKED = {
    "refund": "I want my money back.",
    "replacement": "Please send me another one.",
    "delivery": "When will it arrive?",
    "usage": "How do I set it up?",
    "warranty": "Does the warranty cover it?",
}
_REPLIED = {
    "granted": "We will do that.",
    "declined": "I am sorry, we cannot do that.",
    "answered": "I have sent you the details.",
    "open": "I will look into it and come back to you.",
}
_SAID = {
    "positive": ("excellent", "better than expected"),
    "neutral": ("acceptable", "as usual"),
    "negative": ("poor", "a letdown"),
}


def fill(book: Ledger) -> None:
    """Write products, customers, their purchases, support chats and reviews."""
    _products(book)
    sellers = [row for row in book.of("Sales") if row["is_valid"]]
    for _ in range(book.count(90, 24)):
        name = f"{book.draw.choice(FIRST)} {book.draw.choice(LAST)}"
        number = len(book.rows["customer"]) + 1
        book.add(
            "customer",
            customer_name=name,
            email=f"{name.lower().replace(' ', '.')}.{number}@post.example",
            city=book.draw.choice(CITIES),
            emp_id=book.draw.choice(sellers)["emp_id"],
        )
    for _ in range(book.count(13510)):
        _sale(book)
    for _ in range(book.count(1000)):
        _chat(book)
    for _ in range(book.count(13974)):
        _review(book)
    _rate(book)


def _products(book: Ledger) -> None:
    draw, seen = book.draw, dict[str, list[Row]]()
    for _ in range(book.count(1351)):
        category = draw.choice(tuple(GOODS))
        good, make, model = draw.choice(GOODS[category]), draw.choice(MAKES), draw.randrange(10, 90) * 10
        price = draw.randrange(3, 200) * 50.0 - 1
        row = book.add(
            "product",
            product_name=f"{make} {good} {model}",
            category=category,
            actual_price=price,
            discounted_price=round(price * draw.uniform(0.4, 0.95)),
            about_product=f"{good} by {make}; model {model}, with {draw.randrange(6, 37)} months of warranty.",
        )
        seen.setdefault(row["product_name"], []).append(row)
    for rows in seen.values():
        if len(rows) > 1:
            book.trap("same_product_name", "product", *(row["product_id"] for row in rows))


def _sale(book: Ledger) -> None:
    draw = book.draw
    product, customer = draw.choice(book.rows["product"]), draw.choice(book.rows["customer"])
    day = book.day((book.today.replace(year=book.today.year - 4), book.today.replace(day=1)))
    book.add(
        "sale",
        product_id=product["product_id"],
        customer_id=customer["customer_id"],
        quantity=draw.choice((1, 1, 1, 2, 2, 3, 5)),
        discounted_price=product["discounted_price"],
        actual_price=product["actual_price"],
        date_of_purchase=day.isoformat(),
    )


def _chat(book: Ledger) -> None:
    draw = book.draw
    sale = draw.choice(book.rows["sale"])
    handler = _handler(book, sale["date_of_purchase"])
    product = _named(book, sale)
    request = draw.choice(REQUESTS)
    outcome = draw.choice(("granted", "declined", "open") if request in ("refund", "replacement") else ("answered", "open"))
    customer = book.rows["customer"][int(sale["customer_id"][5:]) - 1]["customer_name"]
    text = (
        f"CUSTOMER: This is {customer}. I bought {product} on {spoken(_date(sale['date_of_purchase']))}. {_ASKED[request]}\n"
        f"AGENT: This is {handler['name'].split()[0]}. {_REPLIED[outcome]}"
    )
    day = _later(book, sale["date_of_purchase"], handler["dol"])
    book.add(
        "support_chat",
        product_id=sale["product_id"],
        customer_id=sale["customer_id"],
        emp_id=handler["emp_id"],
        text=text,
        interaction_date=day,
        request=request,
        outcome=outcome,
    )


def _handler(book: Ledger, day: str) -> Row:
    """Somebody of the desks who was employed on a day and a while after it."""
    desk = book.of("Sales", "BPO")
    while True:
        row = book.draw.choice(desk)
        if row["doj"] <= day and (row["dol"] is None or row["dol"] > day):
            return row


def _later(book: Ledger, day: str, end: str | None) -> str:
    """A day within 60 days after one, before an end."""
    last = min(_date(end) if end else book.today - dt.timedelta(days=1), book.today - dt.timedelta(days=1))
    return min(_date(day) + dt.timedelta(days=book.draw.randrange(0, 60)), last).isoformat()


def _date(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def _named(book: Ledger, sale: Row) -> str:
    name: str = book.rows["product"][int(sale["product_id"][5:]) - 1]["product_name"]
    return name


def _review(book: Ledger) -> None:
    draw = book.draw
    sale = draw.choice(book.rows["sale"])
    sentiment, aspect = draw.choice(("positive", "positive", "neutral", "negative")), draw.choice(ASPECTS)
    book.add(
        "product_sentiment",
        product_id=sale["product_id"],
        customer_id=sale["customer_id"],
        review_content=f"{_named(book, sale)}: the {aspect} is {draw.choice(_SAID[sentiment])}.",
        review_date=_later(book, sale["date_of_purchase"], None),
        sentiment=sentiment,
        aspect=aspect,
    )


def _rate(book: Ledger) -> None:
    """Ratings are means of the reviews: 5, 3 or 1 for each; 3 without any."""
    stars: dict[str, list[int]] = {}
    for row in book.rows["product_sentiment"]:
        stars.setdefault(row["product_id"], []).append({"positive": 5, "neutral": 3, "negative": 1}[row["sentiment"]])
    for row in book.rows["product"]:
        given = stars.get(row["product_id"], [3])
        row["rating"] = round(sum(given) / len(given), 1)
