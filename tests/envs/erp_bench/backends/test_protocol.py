from __future__ import annotations

import datetime as dt

import pytest

from opsgym.core.errors import BackendError, TaskError
from opsgym.envs.erp_bench.backends import EmbeddedBackend, ErpBackend, fingerprint, needs, neutral, renewed, require
from opsgym.envs.erp_bench.backends.text import markup, plain
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.erp_bench.state import ErpState, Invoice
from tests.envs.erp_bench.backends.live_double import live_double
from tests.envs.erp_bench.backends.tasks import task_of


def test_both_backends_are_backends() -> None:
    assert isinstance(EmbeddedBackend(), ErpBackend)
    assert isinstance(live_double()[1], ErpBackend)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("01_buy_only_baseline", set()),
        ("02_buy_only_immediate_invoicing", {"invoicing"}),
        ("03_buy_only_fixed_downpayment", {"invoicing", "down_payments"}),
        ("10_single_bom_split_by_capacity", {"manufacturing", "alternative_centers"}),
        ("repair_plan_hard", {"manufacturing", "change_confirmed"}),
    ],
)
def test_a_task_says_what_it_needs(pattern: str, expected: set[str]) -> None:
    found = needs(scenario_of(task_of(pattern)))
    assert expected <= found
    assert "purchasing" in found
    assert ("invoicing" in found) == ("invoicing" in expected)
    assert ("manufacturing" in found) == ("manufacturing" in expected)


def test_a_task_is_refused_where_a_capability_is_lacking() -> None:
    backend = EmbeddedBackend()
    backend.capabilities = frozenset({"purchasing"})
    with pytest.raises(TaskError, match=r"needs .*invoicing.*'embedded' lacks"):
        require(backend, task_of("02_buy_only_immediate_invoicing"))
    with pytest.raises(TaskError, match="lacks"):
        backend.reset(task_of("repair_plan_hard"))


def draft(name: str, partner: str = "C-1") -> Invoice:
    return Invoice(name, partner, "draft", None, 1.0, 1.0, ("S00001",), "regular")


def test_the_neutral_state_has_no_ids() -> None:
    today = dt.date(2026, 3, 2)
    one = ErpState(today, invoices=(draft("#7"), draft("#9")))
    other = ErpState(today, invoices=(draft("#107"), draft("#108")))
    assert neutral(one) == neutral(other)
    assert [row["name"] for row in neutral(one)["invoices"]] == ["#1", "#2"]
    assert fingerprint(one) == fingerprint(other)
    assert fingerprint(ErpState(today, invoices=(draft("#7", "C-2"), draft("#9")))) != fingerprint(one)


@pytest.mark.parametrize("text", ["R&D: 5 < 6 units\nand <b>more</b>", "", "a\n\nb"])
def test_a_text_survives_the_way_through_html(text: str) -> None:
    assert plain(f"<p>{markup(text)}</p>") == text


def test_a_database_is_renewed_under_a_new_name_each_time() -> None:
    provision = renewed("bench{number}", "key", "test {number} -gt 0")
    task = task_of("01_buy_only_baseline")
    assert [provision(task).name for _ in range(2)] == ["bench1", "bench2"]
    assert not provision(task).seeded


def test_a_database_that_cannot_be_renewed_is_a_failure_of_the_backend() -> None:
    task = task_of("01_buy_only_baseline")
    with pytest.raises(BackendError, match=r"not renewed.*no template"):
        renewed("bench", "key", "echo no template >&2; false")(task)
    with pytest.raises(BackendError, match=r"within 0\.05 seconds"):
        renewed("bench", "key", "exec sleep 5", timeout=0.05)(task)
