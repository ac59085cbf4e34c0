"""Notes, settings and other records around the documents."""

from __future__ import annotations

import pytest

from opsgym.envs.erp_bench.erp import ErpError
from tests.envs.erp_bench.erp.shop import NOW, Shop


def test_notes_are_posted_and_read_newest_first(shop: Shop) -> None:
    order = shop.production()
    (first,) = shop.call(
        "mrp.production", "message_post", [order], body="Line 1 is <b>down</b> & out", subtype_xmlid="mail.mt_note"
    )
    (second,) = shop.call("mrp.production", "message_post", [order], body="<p>Ready</p>")
    assert shop.get("mrp.production", order, "message_ids") == [second, first]
    fields = ("model", "res_id", "record_name", "body", "date", "author_id", "subtype_id")
    assert shop.get("mail.message", first, *fields) == [
        "mrp.production", order, "WH/MO/00001", "<p>Line 1 is &lt;b&gt;down&lt;/b&gt; &amp; out</p>", NOW, 3, 2,
    ]  # fmt: skip
    assert shop.get("mail.message", second, "body") == "<p>Ready</p>"


def test_notes_go_with_their_record(shop: Shop) -> None:
    tag = shop.make("res.partner", name="Short-lived")
    shop.call("res.partner", "message_post", [tag], body="x")
    shop.call("res.partner", "unlink", [tag])
    assert shop.call("mail.message", "search") == []


@pytest.mark.parametrize(
    "kwargs", [{}, {"body": " "}, {"body": 5}, {"body": "x", "subtype_xmlid": "a.b"}, {"body": "x", "subtype_xmlid": []}]
)
def test_odd_notes_are_refused(shop: Shop, kwargs: dict[str, object]) -> None:
    with pytest.raises(ErpError):
        shop.call("res.partner", "message_post", [shop.acme], **kwargs)


def test_a_note_is_for_one_record(shop: Shop) -> None:
    for ids in ([], [shop.acme, shop.bolt]):
        with pytest.raises(ErpError, match="singleton"):
            shop.call("res.partner", "message_post", ids, body="x")


def test_internal_notes_are_plain_fields(shop: Shop) -> None:
    shop.write("res.partner", shop.vendor_a, comment="Maximum order quantity for F: 40 units")
    shop.write("mrp.workcenter", shop.center, note="480 minutes")
    assert shop.get("res.partner", shop.vendor_a, "comment") == "Maximum order quantity for F: 40 units"
    assert shop.call("mrp.workcenter", "search", domain=[["note", "ilike", "480"]]) == [shop.center]


@pytest.mark.parametrize(
    ("model", "vals"),
    [
        ("ir.config_parameter", {"key": "a", "value": "b"}),
        ("ir.sequence", {"name": "a", "code": "b"}),
        ("ir.model.data", {"module": "a", "name": "b", "model": "c"}),
        ("res.company", {"name": "a"}),
        ("res.users", {"name": "a", "login": "b"}),
        ("account.tax", {"name": "0%"}),
        ("account.payment.term", {"name": "Never"}),
        ("mail.message", {"body": "x"}),
        ("ir.attachment", {"name": "x"}),
        ("stock.location", {"name": "x", "complete_name": "x"}),
        ("account.payment", {"name": "x", "date": "2026-05-04"}),
    ],
)
def test_settings_are_read_only_for_callers(shop: Shop, model: str, vals: dict[str, object]) -> None:
    with pytest.raises(ErpError) as caught:
        shop.make(model, **vals)
    assert (caught.value.kind, caught.value.status, caught.value.code) == ("AccessError", 403, "not_allowed")
    for record in shop.call(model, "search", limit=1, context={"active_test": False}):
        for method, kwargs in (("write", {"vals": vals}), ("unlink", {})):
            with pytest.raises(ErpError, match="not allowed"):
                shop.call(model, method, [record], **kwargs)


def test_context_get_answers_as_odoo_does(shop: Shop) -> None:
    assert shop.call("res.users", "context_get") == {"lang": "en_US", "tz": False, "uid": 2}


def test_documents_are_found_by_their_text(shop: Shop) -> None:
    shop.erp.create("ir.attachment", {"name": "Purchasing policy", "index_content": "One order per offer."})
    (found,) = shop.call("ir.attachment", "search_read", domain=[["index_content", "ilike", "per offer"]], fields=["name"])
    assert found["name"] == "Purchasing policy"


def test_numbers_are_kept_by_sequences(shop: Shop) -> None:
    shop.sale()
    shop.sale()
    rows = shop.call("ir.sequence", "search_read", fields=["code", "number_next"])
    assert {row["code"]: row["number_next"] for row in rows}["sale.order"] == 3
