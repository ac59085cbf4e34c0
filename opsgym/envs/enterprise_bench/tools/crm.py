"""Tools of the CRM."""

from __future__ import annotations

from opsgym.envs.enterprise_bench.sources.crm import CHAT, CUSTOMER, PRODUCT, SALE, SENTIMENT
from opsgym.envs.enterprise_bench.tools.makers import creating, getting, listing, removing, today, updating

_CHAT = "chat_id product_id customer_id emp_id interaction_date"
_PRODUCT = "product_name category discounted_price actual_price"

TOOLS = (
    # products
    creating(
        "create_product",
        "Create a product",
        PRODUCT,
        _PRODUCT,
        "about_product",
        fill=lambda *_: {"rating": 0.0},
    ),
    getting("get_product", "Read a product, by id or name", PRODUCT, "product_id product_name", either=True),
    updating("update_product", "Change a product; give what changes", PRODUCT, "product_id", f"{_PRODUCT} rating about_product"),
    removing("delete_product", "Delete a product that nothing refers to", PRODUCT, "product_id"),
    listing("list_products_by_category", "List products", PRODUCT, "products", "category"),
    # customers
    getting("get_customer", "Read a customer, by id or name", CUSTOMER, "customer_id customer_name", either=True),
    listing("list_customers", "List customers", CUSTOMER, "customers", "city emp_id"),
    creating("create_customer", "Create a customer of your own", CUSTOMER, "customer_name email city", own="emp_id"),
    updating("update_customer", "Change a customer", CUSTOMER, "customer_id", "customer_name email city emp_id"),
    listing(
        "get_customer_reviews",
        "List the reviews of a customer",
        SENTIMENT,
        "reviews",
        need="customer_id",
        only="sentiment_id product_id review_date",
    ),
    # sales
    creating(
        "create_sales_record",
        "Record a sale",
        SALE,
        "product_id customer_id quantity discounted_price actual_price",
        "date_of_purchase",
        fill=lambda desk, _: {"date_of_purchase": today(desk)},
    ),
    getting("get_sales_record", "Read a sale", SALE, "sales_record_id"),
    updating(
        "update_sales_record",
        "Change a sale",
        SALE,
        "sales_record_id",
        "product_id customer_id quantity discounted_price actual_price date_of_purchase",
    ),
    removing("delete_sales_record", "Delete a sale", SALE, "sales_record_id"),
    listing(
        "list_sales_records_by_customer_and_product",
        "List sales of a product to a customer",
        SALE,
        "sales_records",
        need="customer_id product_id",
    ),
    listing(
        "list_sales_records_between_dates",
        "List sales of a span of days, of a customer or product where one is given",
        SALE,
        "sales_records",
        "customer_id product_id",
        day="date_of_purchase",
    ),
    # support chats
    getting("read_customer_support_chat", "Read a support chat", CHAT, "chat_id"),
    creating(
        "create_customer_support_chat",
        "Record a support chat that you handle",
        CHAT,
        "product_id customer_id text",
        "interaction_date",
        own="emp_id",
        fill=lambda desk, _: {"interaction_date": today(desk)},
    ),
    updating("update_customer_support_chat", "Change a support chat", CHAT, "chat_id", "text interaction_date"),
    removing("delete_customer_support_chat", "Delete a support chat", CHAT, "chat_id"),
    listing(
        "read_my_crm_chats",
        "List the support chats that you handle, without their text",
        CHAT,
        "chats",
        day="interaction_date",
        mine="emp_id",
        only=_CHAT,
    ),
    listing(
        "list_customer_support_chats_by_product",
        "List support chats about a product, without their text",
        CHAT,
        "chats",
        need="product_id",
        day="interaction_date",
        only=_CHAT,
    ),
    listing(
        "list_customer_support_chats_by_customer",
        "List support chats with a customer, without their text",
        CHAT,
        "chats",
        need="customer_id",
        day="interaction_date",
        only=_CHAT,
    ),
    # reviews
    creating(
        "create_product_sentiment",
        "Record a review",
        SENTIMENT,
        "product_id customer_id review_content",
        "review_date",
        fill=lambda desk, _: {"review_date": today(desk)},
    ),
    getting("get_product_sentiment", "Read a review", SENTIMENT, "sentiment_id"),
    listing(
        "get_product_reviews",
        "List the reviews of a product",
        SENTIMENT,
        "reviews",
        need="product_id",
        only="sentiment_id customer_id review_date",
    ),
    updating("update_product_sentiment", "Change a review", SENTIMENT, "sentiment_id", "review_content review_date"),
    removing("delete_product_sentiment", "Delete a review", SENTIMENT, "sentiment_id"),
)
"""The tools."""
