"""Statements: a text that states an answer is known, however it is written, and one that states another is not."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.envs.enterprise_bench.answers import Date, Form, Ids, Number, Text, Word
from opsgym.envs.enterprise_bench.statements import another, holds, needles


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_text_holds_a_number_however_it_is_written_and_no_other_one(value: int, other: int) -> None:
    texts = (f"It is {value:,} now.", f"Version v{value}!", f"({value})", f"{value}.00 rupees", f"**{value}**, I think")
    assert all(holds(text, str(value)) for text in texts)
    assert [holds(text, str(other)) for text in texts] == [value == other] * len(texts)
    for text in (
        f"emp_{value}",
        f"{value}.5",
        f"{value}-1",
        f"1/{value}",
        f"-{value}",
        f"0{value}",
        f"{value},5",
        f"{value}.1.2",
    ):
        assert not holds(text, str(value)), text


@given(st.dates(dt.date(1990, 1, 1), dt.date(2100, 1, 1)), st.dates(dt.date(1990, 1, 1), dt.date(2100, 1, 1)))
def test_a_text_holds_a_date_however_it_is_spoken_and_no_other_one(day: dt.date, other: dt.date) -> None:
    texts = (
        f"It is due on {day.isoformat()}.",
        f"It is due on {day.day} {day:%B} {day.year}.",
        f"on {day:%A}, {day:%B} {day.day}, {day.year}",
        f"the {day.day}th of {day:%b}. {day.year}",
        f"{day:%d %B %Y}",
    )
    assert all(holds(text, day.isoformat()) for text in texts)
    assert [holds(text, other.isoformat()) for text in texts] == [day == other] * len(texts)
    for text in (f"1{day.day} {day:%B} {day.year}", f"{day.day} {day:%B} {day.year}1", f"{day.day} {day:%B}", f"{day.year}"):
        assert not holds(text, day.isoformat()), text


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [
        (
            Number(value=1200.5, unit="rupees", tolerance=0.01),
            ["1,200.50 rupees", "about 1200.505"],
            ["1200.52", "12 005", "none"],
        ),
        (Number(value=900, unit="rupees", tolerance=0.05), ["Rupees 900", "900.04"], ["9000", "900.1", "inv_900"]),
        (Ids(values=()), ["There are none."], ["There are some.", ""]),
        (Ids(values=("emp_0001", "emp_0012")), ["emp_0012 and emp_0001"], ["emp_0012, emp_00011", "emp_0001"]),
        (Date(value="2026-09-22"), ["22 September 2026"], ["2 September 2026"]),
        (Text(value="a.b@c.example"), ["It is a.b@c.example."], ["a@c.example"]),
    ],
)
def test_a_text_that_states_an_answer_is_known_by_its_needles(form: Form, right: list[str], wrong: list[str]) -> None:
    assert [all(holds(text, item) for item in needles(form)) for text in right] == [True] * len(right)
    assert [all(holds(text, item) for item in needles(form)) for text in wrong] == [False] * len(wrong)


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("Good", "Go"),
        ("JavaScript", "Java"),
        ("replaced", "placed"),
        ("mailboxes", "mailbox"),
        ("billing-core-web", "billing-core"),
        ("ann@b.example.org", "ann@b.example"),
    ],
)
def test_a_text_holds_whole_words(text: str, needle: str) -> None:
    assert not holds(f"It is {text}.", needle)
    assert all(holds(say, needle) for say in (f"It is {needle}.", f"**{needle.upper()}**", f"({needle})", f"x,{needle};y"))


STATED: list[tuple[Form, list[str], list[str]]] = [
    (
        Word(value="Java", options=("Java", "Go", "Type Script")),
        ["Java", "Hello Ann, it is java. Good luck!"],
        ["Java or Go", "Java, Type Script", "not Go", "Java Go TypeScript"],
    ),
    (
        Ids(values=("tick_00001", "tick_00002"), noun="ticket ids"),
        ["tick_00002, tick_00001", "For emp_0012 on 2026-01-02, 5 pm: tick_00001 tick_00002"],
        ["tick_00001, tick_00002, tick_00003", "tick_00001, tick_00002,tick_00003", "TICK_00001"],
    ),
    (
        Ids(values=(), noun="ticket ids"),
        ["none", "emp_0012 has none of 3."],
        ["none, or tick_00003", "none tick_1", "some"],
    ),
    (
        Ids(values=("billing-core",), noun="repository names"),
        ["billing-core, see my e-mail"],
        ["billing-core, cache-client", "cache-client"],
    ),
    (
        Number(value=12, unit="days"),
        ["12", "12 days, as of 2026-05-04 10:30", "12.00 for emp_0013 and 12 again", "On 4 May 2026: 12"],
        ["12 or 13", "13, 12", "1 2 3 4 5 6 7 8 9 10 11 12", "12 May 2026", "12:00", "12/13"],
    ),
    (
        Number(value=900, unit="rupees", tolerance=0.05),
        ["900", "₹900.04", "Rs. 900"],
        ["900 or 901", "899, 900", "900.1"],
    ),
    (
        Number(value=4, unit="points of 5"),
        ["4", "4/5", "4 of 5", "4 (points of 5)"],
        ["3/5, 4/5", "4/5 5/5", "4 or 5", "5", "1/5, 2/5, 3/5, 4/5, 5/5"],
    ),
    (
        Date(value="2026-09-22"),
        ["2026-09-22", "September 22nd, 2026, that is 2026-09-22", "5 days: 22 Sep 2026"],
        ["2026-09-22 or 2026-09-23", "22 September 2026, 23 September 2026", "22 Sept 2026, May 5 2026", "5"],
    ),
    (Text(value="emp_0001", noun="employee id"), ["It is emp_0001 of repo_0001"], ["emp_0001 or emp_0002"]),
    (Text(value="a.b@c.example"), ["It is a.b@c.example."], ["a.b@c.example,b@c.example", "a.b@c.example <x@c.example>"]),
    (
        Text(value="src/a/b.py"),
        ["src/a/b.py and/or nothing", "./src/a/b.py."],
        ["src/a/b.py src/a/c.py", "src/a/c.py/./src/a/b.py"],
    ),
    (Text(value="EN09"), ["EN09, level 9"], ["EN09 EN10"]),
    (Text(value="Ann Lee"), ["Ann Lee, not Bob Ray"], ["Bob Ray"]),
]


@pytest.mark.parametrize(("form", "right", "wrong"), STATED, ids=lambda item: getattr(item, "kind", ""))
def test_a_text_that_states_several_answers_states_none(form: Form, right: list[str], wrong: list[str]) -> None:
    assert [text for text in right if not all(holds(text, item) for item in needles(form))] == []
    assert [text for text in wrong if all(holds(text, item) for item in needles(form))] == []
    first = f"The answer: {', '.join(form.values) or 'none' if isinstance(form, Ids) else form.answer()}."
    assert all(holds(first, item) for item in needles(form))
    for other in filter(None, map(another, needles(form))):
        assert not all(holds(f"{first} Or {other}", item) for item in needles(form)), other


@pytest.mark.parametrize(
    ("form", "told", "text"),
    [
        (Text(value="emp_0002"), "Who is the manager of emp_0001?", "The manager of emp_0001 is emp_0002"),
        (
            Number(value=899.5, unit="rupees", tolerance=0.01),
            "What does the Aster Blender 350 cost?",
            "Aster Blender 350: Rs. 899.50",
        ),
        (Date(value="2026-09-22"), "After 2026-09-01, when?", "The first after 1 September 2026 is 2026-09-22"),
    ],
)
def test_what_the_request_names_is_no_other_answer(form: Form, told: str, text: str) -> None:
    assert all(holds(text, item) for item in needles(form, told))
    assert not all(holds(told, item) for item in needles(form, told))
    assert not all(holds(text, item) for item in needles(form))
