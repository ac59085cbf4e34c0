"""Answers: every form takes what is right however it is written, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.envs.enterprise_bench.answers import Date, Form, Ids, Number, Text, Word, plain

IDS = st.lists(st.from_regex(r"[a-z]{2,4}_[0-9]{4}", fullmatch=True), unique=True, max_size=8)


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [
        (
            Ids(values=("emp_0001", "emp_0002")),
            [["emp_0002", "EMP_0001"], "emp_0001, emp_0002"],
            [None, 3, ["emp_0003"], [], "none"],
        ),
        (Ids(values=("emp_0001", "emp_0002")), ["emp_0001; emp_0002", "emp_0001\nemp_0002\n"], ["emp_0001 emp_0002", "null"]),
        (Ids(values=()), [[], "", "none", " None. "], [None, ["emp_0001"], "none, emp_0001", "null"]),
        (Number(value=12, unit="days"), [12, 12.0, "12", "12 days", "12 day", "12.0"], [None, True, "twelve", 13, [12], "12 d"]),
        (Number(value=1200.5, unit="rupees", tolerance=0.01), ["1,200.50 rupees", 1200.505], [1200.6, "1200,5", "12,00.5"]),
        (
            Number(value=7598000, unit="US dollars"),
            ["$7,598,000.00", "US$ 7598000", "USD 7,598,000", "7598000 dollars", "7598000 dollar", "7,598,000 USD"],
            ["₹7,598,000", "Rs. 7598000", "$7,598,001", "€7598000", "$", "7598000 US", "$7598000 or $5"],
        ),
        (
            Number(value=5, unit="rupees", tolerance=0.01),
            ["₹5", "₹ 5.00", "Rs. 5", "Rs.5", "rs 5", "INR 5", "5 rupee", "5 INR"],
            ["$5", "USD 5", "R 5", "₹6", "rs"],
        ),
        (
            Number(value=4, unit="points of 5"),
            ["4/5", "4 / 5", "4 of 5", "4 out of 5", "4 points", "4 point", "4 points of 5", 4],
            ["4/10", "5/4", "4 of 50", "4 5", "5", "4/5/5", "3/5 or 4/5"],
        ),
        (Date(value="2026-02-03"), ["2026-02-03", "2026-02-03 10:00:00"], [None, "03.02.2026", "2026-02-04", 20260203]),
        (Word(value="granted", options=("granted", "declined")), ["Granted", " granted. "], [None, "declined", ["granted"]]),
        (Text(value="René O'Neil", also=("R. O'Neil",)), ["rene o'neil", "R O'Neil"], [None, "O'Neil", ["René O'Neil"]]),
    ],
)
def test_a_form_takes_what_is_right_and_nothing_else(form: Form, right: list[Any], wrong: list[Any]) -> None:
    assert [form.score(item) for item in right] == [1.0] * len(right)
    assert [form.score(item) for item in wrong] == [0.0] * len(wrong)


@given(IDS, IDS)
def test_sets_are_graded_by_f1(right: list[str], given_ids: list[str]) -> None:
    score = Ids(values=tuple(right)).score(given_ids)
    hits = len({*right} & {*given_ids})
    expected = 1.0 if not right and not given_ids else 2 * hits / max(1, len(right) + len(given_ids))
    assert score == pytest.approx(expected)
    assert (score == 1) == ({*right} == {*given_ids})


@given(IDS)
def test_repeating_an_id_gains_nothing(right: list[str]) -> None:
    form = Ids(values=tuple(right))
    assert form.score(right * 3) == form.score(right) == 1


@given(st.text())
def test_normalisation_is_idempotent(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@given(st.integers(-(10**9), 10**9))
def test_a_number_is_right_as_a_number_and_as_text(value: int) -> None:
    form = Number(value=value, unit="pieces")
    assert form.score(value) == form.score(str(value)) == form.score(f"{value} pieces") == 1
    assert form.score(value + 1) == 0
