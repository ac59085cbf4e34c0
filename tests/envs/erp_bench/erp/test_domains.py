"""Domains: every operator, prefix logic, dotted paths, and agreement with plain Python on random data."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.envs.erp_bench.erp import ErpError
from opsgym.envs.erp_bench.erp.domains import conjunction
from tests.envs.erp_bench.erp.shop import Shop, shared_shop

PARTNERS: dict[str, tuple[str, str | bool, int]] = {
    "alpha": ("Alpha Air", "R1", 3),
    "beta": ("beta air", "R2", 0),
    "gamma": ("Gamma_100%", False, 7),
    "delta": ("Delta*", "r1", 1),
}


@pytest.fixture
def people(shop: Shop) -> dict[int, str]:
    """Ids of the four partners of the table, by key."""
    return {shop.make("res.partner", name=name, ref=ref, supplier_rank=rank): key for key, (name, ref, rank) in PARTNERS.items()}


CASES: list[tuple[list[Any], set[str]]] = [
    ([["name", "=", "Alpha Air"]], {"alpha"}),
    ([["name", "!=", "Alpha Air"]], {"beta", "gamma", "delta"}),
    ([["supplier_rank", ">", 1]], {"alpha", "gamma"}),
    ([["supplier_rank", ">=", 1]], {"alpha", "gamma", "delta"}),
    ([["supplier_rank", "<", 1]], {"beta"}),
    ([["supplier_rank", "<=", 1]], {"beta", "delta"}),
    ([["supplier_rank", "=", False]], {"beta"}),
    ([["ref", "=", False]], {"gamma"}),
    ([["ref", "!=", False]], {"alpha", "beta", "delta"}),
    ([["ref", "!=", "R1"]], {"beta", "gamma", "delta"}),
    ([["ref", "in", ["R1", "R2"]]], {"alpha", "beta"}),
    ([["ref", "in", ["R1", False]]], {"alpha", "gamma"}),
    ([["ref", "not in", ["R1", "R2"]]], {"gamma", "delta"}),
    ([["ref", "not in", ["R1", False]]], {"beta", "delta"}),
    ([["ref", "in", []]], set()),
    ([["ref", "not in", []]], {"alpha", "beta", "gamma", "delta"}),
    ([["name", "like", "Air"]], {"alpha"}),
    ([["name", "ilike", "AIR"]], {"alpha", "beta"}),
    ([["name", "not like", "Air"]], {"beta", "gamma", "delta"}),
    ([["name", "not ilike", "air"]], {"gamma", "delta"}),
    ([["ref", "not ilike", "r1"]], {"beta", "gamma"}),
    ([["name", "=like", "Alpha%"]], {"alpha"}),
    ([["name", "=like", "alpha%"]], set()),
    ([["name", "=ilike", "alpha%"]], {"alpha"}),
    ([["name", "=like", "_eta air"]], {"beta"}),
    ([["name", "like", "\\_100\\%"]], {"gamma"}),
    ([["name", "like", "*"]], {"delta"}),
    ([["name", "=like", "Delta*"]], {"delta"}),
    ([["ref", "=?", False]], {"alpha", "beta", "gamma", "delta"}),
    ([["ref", "=?", "R2"]], {"beta"}),
    (["|", ["ref", "=", "R1"], ["ref", "=", "R2"]], {"alpha", "beta"}),
    (["!", ["ref", "=", "R1"]], {"beta", "gamma", "delta"}),
    (["!", "|", ["supplier_rank", "=", 3], ["supplier_rank", "=", 0]], {"gamma", "delta"}),
    ([["supplier_rank", ">", 0], "|", ["name", "like", "Air"], ["name", "like", "Delta"]], {"alpha", "delta"}),
    ([[1, "=", 1]], {"alpha", "beta", "gamma", "delta"}),
    ([[0, "=", 1]], set()),
]


@pytest.mark.parametrize(("domain", "expected"), CASES, ids=[str(domain) for domain, _ in CASES])
def test_operators_and_prefix_logic(shop: Shop, people: dict[int, str], domain: list[Any], expected: set[str]) -> None:
    found = shop.call("res.partner", "search", domain=[["id", "in", list(people)], *domain])
    assert {people[one] for one in found} == expected


def test_paths_go_through_relations(shop: Shop) -> None:
    order = shop.sale(commitment_date="2026-05-11")
    shop.make("sale.order", partner_id=shop.bolt)
    assert shop.find("sale.order", ["order_line.product_id.default_code", "=", "F"]) == [order]
    assert shop.find("sale.order", ["order_line.product_id.default_code", "=", "B"]) == []
    assert shop.find("sale.order", ["order_line.product_id.seller_ids.partner_id.name", "ilike", "vendor a"]) == [order]
    assert shop.find("sale.order", ["partner_id.name", "=", "Acme"]) == [order]
    assert shop.find("sale.order", ["order_line", "any", [["product_uom_qty", ">=", 3]]]) == [order]
    assert shop.find("sale.order", ["order_line", "not any", [["product_uom_qty", ">=", 3]]]) == [order + 1]
    assert shop.find("sale.order", ["order_line", "=", False]) == [order + 1]
    assert shop.find("sale.order", ["order_line", "!=", False]) == [order]
    assert shop.find("sale.order", ["order_line", "in", [shop.line("sale.order", order)]]) == [order]


def test_many2one_takes_ids_and_names(shop: Shop) -> None:
    order = shop.sale()
    assert shop.find("sale.order", ["partner_id", "=", shop.acme]) == [order]
    assert shop.find("sale.order", ["partner_id", "=", "Acme"]) == [order]
    assert shop.find("sale.order", ["partner_id", "ilike", "ACM"]) == [order]
    assert shop.find("sale.order", ["partner_id", "in", [shop.acme, shop.bolt]]) == [order]
    assert shop.find("sale.order", ["partner_id", "not in", [shop.acme]]) == []
    assert shop.find("sale.order", ["partner_id", "!=", shop.bolt]) == [order]
    assert shop.find("sale.order", ["payment_term_id", "=", False]) == [order]
    assert shop.find("sale.order", ["payment_term_id", "!=", False]) == []
    assert shop.find("sale.order", ["order_line.product_id", "=", "[F] Fan"]) == [order]


def test_a_day_counts_whole_in_a_datetime(shop: Shop) -> None:
    order = shop.sale(commitment_date="2026-05-11 15:00:00")
    assert shop.find("sale.order", ["commitment_date", "<=", "2026-05-11"]) == [order]
    assert shop.find("sale.order", ["commitment_date", ">", "2026-05-11"]) == []
    assert shop.find("sale.order", ["commitment_date", ">=", "2026-05-11"]) == [order]
    assert shop.find("sale.order", ["commitment_date", "<", "2026-05-11"]) == []


def test_child_of_follows_the_hierarchy(shop: Shop) -> None:
    branch = shop.make("res.partner", name="Branch", parent_id=shop.acme)
    desk = shop.make("res.partner", name="Desk", parent_id=branch)
    assert set(shop.call("res.partner", "search", domain=[["id", "child_of", shop.acme]])) == {shop.acme, branch, desk}
    assert set(shop.call("res.partner", "search", domain=[["id", "parent_of", [branch]]])) == {shop.acme, branch}
    order = shop.make("sale.order", partner_id=desk)
    assert shop.call("sale.order", "search", domain=[["partner_id", "child_of", shop.acme]]) == [order]


def test_computed_fields_can_be_searched(shop: Shop) -> None:
    assert shop.call("product.product", "search", domain=[["qty_available", ">", 7]]) == [shop.blade]
    order = shop.sale(confirm=True)
    assert shop.call("sale.order", "search", domain=[["invoice_status", "=", "to invoice"]]) == [order]
    invoice = shop.invoice(order)
    assert shop.call("sale.order", "search", domain=[["invoice_ids.state", "=", "draft"]]) == [order]
    assert shop.call("sale.order", "search", domain=[["invoice_ids", "in", [invoice]]]) == [order]
    assert shop.call("mrp.bom", "search", domain=[["display_name", "ilike", "fan"]]) == [shop.bom]


@pytest.mark.parametrize(
    "domain",
    [
        "name = x",
        {"name": "x"},
        ["name", "=", "x"],
        [["name", "="]],
        [["name", "~", "x"]],
        [["name", "=", "x"], "&"],
        ["&", ["name", "=", "x"]],
        ["!"],
        ["^", ["name", "=", "x"], ["name", "=", "y"]],
        [[["name"], "=", "x"]],
        [["name.ref", "=", "x"]],
        [["parent_id.nope", "=", "x"]],
        [["parent_id" + ".parent_id" * 20, "=", 1]],
        [["name", "=", {"a": 1}]],
        [["name", "in", [["a"]]]],
        [["supplier_rank", ">", "many"]],
        [["active", "ilike", {"x": 1}]],
        [["create_date", ">", "yesterday"]],
        [["parent_id", "=", {"a": 1}]],
        [["parent_id", "in", [1, "x", None, {}]]],
        [["child_ids", ">", 1]],
        [["name", "any", [["name", "=", "x"]]]],
        [["child_ids", "any", "x"]],
        [["name", "like", "%" * 5000]],
        [["name", "=", "x"]] * 5000,
        [["id", "in", list(range(100_000))]],
        [["id", "=", 2**80]],
    ],
)
def test_malformed_domains_are_refused(shop: Shop, domain: Any) -> None:
    with pytest.raises(ErpError) as caught:
        shop.call("res.partner", "search", domain=domain)
    assert caught.value.code == "invalid_value"


def test_any_may_not_nest_without_end(shop: Shop) -> None:
    domain: list[Any] = [["name", "=", "x"]]
    for _ in range(50):
        domain = [["child_ids", "any", domain]]
    with pytest.raises(ErpError, match="nested"):
        shop.call("res.partner", "search", domain=domain)


words = st.text("aAb%_*?[]\\ ", max_size=4)
leaves = st.one_of(
    st.tuples(st.just("supplier_rank"), st.sampled_from(["=", "!=", "<", ">", "<=", ">="]), st.integers(-1, 4)),
    st.tuples(st.just("ref"), st.sampled_from(["=", "!="]), st.one_of(words, st.just(False))),
    st.tuples(st.just("ref"), st.sampled_from(["in", "not in"]), st.lists(st.one_of(words, st.just(False)), max_size=3)),
)
trees = st.recursive(
    leaves, lambda inner: st.one_of(st.tuples(st.just("!"), inner), st.tuples(st.sampled_from("&|"), inner, inner)), max_leaves=8
)


def flat(tree: Any) -> list[Any]:
    """A tree of conditions in prefix notation."""
    return [list(tree)] if tree[0] not in ("!", "&", "|") else [tree[0], *(term for part in tree[1:] for term in flat(part))]


def holds(tree: Any, record: dict[str, Any]) -> bool:
    """What a tree says of a record, in Python."""
    if tree[0] == "!":
        return not holds(tree[1], record)
    if tree[0] in ("&", "|"):
        return bool((all if tree[0] == "&" else any)(holds(part, record) for part in tree[1:]))
    name, operator, value = tree
    actual = record[name] or (False if name == "ref" else 0)
    if operator in ("in", "not in"):
        return bool((actual in [item or False for item in value]) == (operator == "in"))
    if operator in ("=", "!="):
        return bool((actual == (value or (False if name == "ref" else 0))) == (operator == "="))
    return bool({"<": actual < value, ">": actual > value, "<=": actual <= value, ">=": actual >= value}[operator])


@given(tree=trees, other=trees, records=st.lists(st.tuples(st.one_of(words, st.just(False)), st.integers(0, 3)), max_size=6))
def test_domains_agree_with_python(tree: Any, other: Any, records: list[tuple[Any, int]]) -> None:
    """Also after two domains are joined by ``conjunction``."""
    shop = shared_shop()
    start = shop.world.snapshot()
    ids = [shop.make("res.partner", name="n", ref=ref, supplier_rank=rank) for ref, rank in records]
    rows = shop.call("res.partner", "read", ids, fields=["ref", "supplier_rank"])
    mine = ["id", "in", ids]
    assert shop.call("res.partner", "search", domain=[mine, *flat(tree)], order="id") == [
        row["id"] for row in rows if holds(tree, row)
    ]
    both = conjunction([mine], flat(tree), flat(other))
    assert shop.call("res.partner", "search", domain=both, order="id") == [
        r["id"] for r in rows if holds(tree, r) and holds(other, r)
    ]
    shop.world.restore(start)


@given(pattern=words, text=words)
def test_like_agrees_with_sql(pattern: str, text: str) -> None:
    """The case-sensitive patterns, which SQLite lacks, match like the insensitive ones when case plays no part."""
    shop = shared_shop()
    start = shop.world.snapshot()
    (one,) = shop.call("res.partner", "create", vals_list={"name": "x" + text.lower()})
    sound = pattern.lower() + ("\\" if pattern.endswith("\\") and not pattern.endswith("\\\\") else "")
    found = [
        shop.call("res.partner", "search", domain=[["id", "=", one], ["name", op, "x" + sound]]) for op in ("=like", "=ilike")
    ]
    assert found[0] == found[1]
    shop.world.restore(start)


def test_long_chains_are_answered_and_deep_nests_are_refused_in_words(shop: Shop) -> None:
    erp = shop.erp
    term = ["id", ">", 0]
    everyone = erp.call("res.partner", "search_count", domain=[term])
    for word in "|&":
        assert erp.call("res.partner", "search_count", domain=[word] * 99 + [term] * 100) == everyone
        assert (
            erp.call("res.partner", "search_count", domain=[part for _ in range(99) for part in (word, term)] + [term])
            == everyone
        )
    mixed = [part for _ in range(60) for part in ("!", "|", term)] + [term]
    nested: list[object] = [term] * 90
    for _ in range(6):
        nested = [["child_ids", "any", nested], *[term] * 90]
    for domain in (mixed, nested):
        with pytest.raises(ErpError, match="too large or too deeply nested"):
            erp.call("res.partner", "search_count", domain=domain)


def test_a_flat_chain_keeps_the_meaning_of_mixed_words(shop: Shop) -> None:
    erp = shop.erp
    ids = erp.search("res.partner", [])
    a, b, c = (["id", "=", one] for one in ids[:3])
    for domain, wanted in (
        (["|", a, "|", b, c], ids[:3]),
        (["|", "|", a, b, c], ids[:3]),
        (["&", "|", a, b, "|", b, c], [ids[1]]),
        (["|", "&", a, b, "&", c, c], [ids[2]]),
        (["|", a, "&", b, c], [ids[0]]),
        (["!", "|", a, b, c], [ids[2]]),
        (["|", a, b, ["id", "!=", ids[0]]], [ids[1]]),
    ):
        assert sorted(erp.search("res.partner", domain)) == sorted(wanted), domain


def test_an_order_of_any_length_is_sorted_by_each_field_once(shop: Shop) -> None:
    erp = shop.erp
    wanted = erp.search("res.partner", [], order="name desc")
    assert erp.search("res.partner", [], order=",".join(["name desc", "name"] * 3000)) == wanted


@pytest.mark.parametrize("day", ["9999-12-31 23:59:59", "0001-01-01 00:00:00"])
@pytest.mark.parametrize("period", ["day", "week", "month", "quarter", "year"])
def test_groups_at_the_ends_of_the_calendar_are_answered(shop: Shop, day: str, period: str) -> None:
    shop.make("sale.order", partner_id=shop.acme, commitment_date=day)
    (group,) = shop.call("sale.order", "formatted_read_group", domain=[], groupby=[f"commitment_date:{period}"])
    assert group["__extra_domain"]
    (group,) = shop.call("sale.order", "read_group", domain=[], fields=[], groupby=[f"commitment_date:{period}"])
    assert group["__domain"]
