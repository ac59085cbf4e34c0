"""Prices and budgets: what tokens cost, and where spending stops."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.baselines.chat import Usage
from opsgym.baselines.models import BudgetedModel, MockServer, Price, PriceList, ScriptedModel
from opsgym.core.errors import ModelError, TaskError
from tests.baselines.models.support import APIS, ask, client, run

counts = st.integers(0, 10**6)
dollars = st.floats(0, 100)


def price_file(path: Path, prices: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"date": "2026-11-01", "source": "a contract", "prices": prices}))
    return path


def test_a_bill_by_hand() -> None:
    """1,000 fresh at $3, 2,000 cached at $0.30, 500 written to the cache at $3.75 and 100 answered at $15, per million."""
    price = Price(input=3, cached_input=0.3, cache_write=3.75, output=15)
    usage = Usage(prompt_tokens=3500, cached_tokens=2000, cache_write_tokens=500, completion_tokens=100)
    assert price.cost(usage) == pytest.approx(0.003 + 0.0006 + 0.001875 + 0.0015)


@given(counts, counts, counts, dollars, dollars)
def test_without_cache_prices_every_token_read_costs_the_same(
    fresh: int, cached: int, out: int, read: float, write: float
) -> None:
    usage = Usage(prompt_tokens=fresh + cached, cached_tokens=cached, completion_tokens=out)
    assert Price(input=read, output=write).cost(usage) == pytest.approx(((fresh + cached) * read + out * write) / 1e6)


@given(
    st.lists(
        st.builds(Usage, prompt_tokens=counts, completion_tokens=counts, cost=dollars, replayed=st.integers(0, 1)), max_size=4
    )
)
def test_usage_adds_up(usages: list[Usage]) -> None:
    total = sum(usages, Usage())
    for field in Usage.model_fields:
        assert getattr(total, field) == pytest.approx(sum(getattr(usage, field) for usage in usages))


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("gpt-5.4-mini", "gpt-5.4-mini"),
        ("gpt-5.4-mini-2026-03-17", "gpt-5.4-mini"),
        ("openai/gpt-5.4-mini", "gpt-5.4-mini"),
        ("gateway/openai/gpt-5.4-2026-03-05", "gpt-5.4"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-opus-4-6", "claude-opus-4-[5678]"),
        ("claude-haiku-4-5-latest", "claude-haiku-4-5"),
    ],
)
def test_names_find_their_price(name: str, like: str) -> None:
    prices = PriceList.load()
    assert prices.find(name) == prices.prices[like]


@pytest.mark.parametrize("name", ["", "my-model", "gpt-5.4-mini-turbo", "not-gpt-5.4", "gpt-5", "claude-opus-4", "GPT-5.4", "/"])
def test_a_name_that_only_looks_alike_has_no_price(name: str) -> None:
    assert PriceList.load().find(name) is None


def test_the_shipped_prices_say_when_and_where_they_were_read() -> None:
    prices = PriceList.load()
    assert prices.date.year >= 2026 and prices.source
    assert all(
        price.cached_input is not None and price.cached_input < price.input < price.output for price in prices.prices.values()
    )


def test_a_file_of_ones_own_comes_first(tmp_path: Path) -> None:
    own = price_file(tmp_path / "p.json", {"gpt-5.4": {"input": 1, "output": 2}, "local-*": {"input": 0, "output": 0}})
    prices = PriceList.load(own)
    assert prices.find("gpt-5.4") == Price(input=1, output=2)
    assert prices.find("local-7b") == Price(input=0, output=0)
    assert prices.find("gpt-5.4-mini") == PriceList.load().find("gpt-5.4-mini")
    assert "a contract" in prices.source


@pytest.mark.parametrize(
    "text", ["", "[]", '{"prices": {}}', '{"date":"2026-01-01","source":"s","prices":{"x":{"input":-1,"output":1}}}']
)
def test_a_broken_price_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(TaskError, match=r"p\.json"):
        PriceList.load(tmp_path / "p.json")
    with pytest.raises(TaskError, match="none here"):
        PriceList.load(tmp_path / "none here")


@pytest.mark.parametrize("api", APIS)
def test_replies_are_billed(api: str, tmp_path: Path) -> None:
    own = price_file(tmp_path / "p.json", {"some-model": {"input": 2, "cached_input": 0.5, "output": 10}})
    usage = Usage(prompt_tokens=1000, cached_tokens=400, completion_tokens=50)
    with MockServer(["hi"], usage=usage) as server:
        reply = run(client(api, server, prices=own), ask())[0]
    assert reply.usage == usage.model_copy(update={"cost": pytest.approx(0.0012 + 0.0002 + 0.0005)})


@pytest.mark.parametrize("api", APIS)
def test_an_unknown_model_costs_nothing_and_says_so(api: str) -> None:
    with MockServer(["hi"]) as server:
        reply = run(client(api, server), ask("12345678"))[0]
    assert reply.usage == Usage(prompt_tokens=2, completion_tokens=1, unpriced=1)


# -- budgets ------------------------------------------------------------------------------------------------------------

PAID = Usage(prompt_tokens=60, completion_tokens=40, cost=0.3)


def spender(usage: Usage = PAID) -> ScriptedModel:
    return ScriptedModel(lambda request: "ok", usage=usage)


@pytest.mark.parametrize(
    ("limit", "replies"), [({"dollars": 0.5}, 2), ({"tokens": 300}, 3), ({"dollars": 9, "tokens": 1}, 1), ({"dollars": 0}, 0)]
)
def test_a_budget_stops_at_its_limit(limit: dict[str, Any], replies: int) -> None:
    model = spender()
    limited = BudgetedModel(model, **limit)
    with pytest.raises(ModelError) as caught:
        run(limited, *[ask()] * 10)
    assert caught.value.kind == "budget" and "limit" in str(caught.value)
    assert len(model.requests) == replies
    assert limited.usage.prompt_tokens == 60 * replies


def test_without_a_limit_everything_is_counted_only() -> None:
    limited = BudgetedModel(spender())
    run(limited, *[ask()] * 3)
    assert limited.usage.cost == pytest.approx(0.9) and limited.name == "scripted"


def test_money_cannot_be_limited_without_a_price() -> None:
    model = spender(Usage(prompt_tokens=10, unpriced=1))
    with pytest.raises(ModelError, match="price file"):
        run(BudgetedModel(model, dollars=5), *[ask()] * 3)
    assert len(model.requests) == 1
    assert len(run(BudgetedModel(model, tokens=100), *[ask()] * 3)) == 3


def test_requests_under_way_are_counted_and_later_ones_refused() -> None:
    limited = BudgetedModel(spender(), dollars=0.5)

    async def crowd() -> list[Any]:
        return await asyncio.gather(*(limited.complete(ask()) for _ in range(5)), return_exceptions=True)

    asyncio.run(crowd())
    with pytest.raises(ModelError):
        run(limited, ask())
    assert limited.usage.cost <= 0.3 * 5


@pytest.mark.parametrize("limit", [{"dollars": -1}, {"tokens": -1}, {"dollars": float("nan")}])
def test_a_senseless_limit_is_refused(limit: dict[str, Any]) -> None:
    with pytest.raises(TaskError):
        BudgetedModel(spender(), **limit)
