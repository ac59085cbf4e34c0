"""The company: sizes, reporting tree, arithmetic, dates, and texts that say what the columns hold."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import pytest

from opsgym.core.errors import RegistryError
from opsgym.core.records.invariants import violations
from opsgym.core.records.seeding import seeded
from opsgym.core.world import World
from opsgym.envs.enterprise_bench.company import EMPLOYEES, SHARES
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.ledger import spoken
from opsgym.envs.enterprise_bench.sources.people import LEVELS
from opsgym.envs.enterprise_bench.world import generate
from tests.envs.enterprise_bench.bases import BASE, fresh, rows

WORLD = fresh()
STAFF = {row["emp_id"]: row for row in rows(WORLD, "employee")}

ACTIVE = {
    "conversation": (("sender_emp_id", "recipient_emp_id"), "date"),
    "message": (("emp_id",), "sent_at"),
    "mail": (("sender_emp_id", "recipient_emp_id"), "date"),
    "mail_thread": (("starter_emp_id", "other_emp_id"), "date"),
    "repository": (("emp_id",), "creation_date"),
    "issue": (("reported_by",), "created_at"),
    "support_chat": (("emp_id",), "interaction_date"),
    "it_ticket": (("raised_by_emp_id", "emp_id"), "raised_date"),
    "question": (("emp_id",), "asked_on"),
    "answer": (("emp_id",), "answered_on"),
    "post": (("emp_id",), "posted_on"),
}
"""Who acts, and when, in each table."""


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_seed_gives_one_sound_world(seed: int) -> None:
    made = generate(seed, "S")
    assert made == generate(seed, "S")
    world = seeded(DOMAIN, made.rows, today=made.today)
    assert violations(DOMAIN, world) == []
    assert made != generate(seed + 100, "S")


def test_an_unknown_size_is_refused() -> None:
    with pytest.raises(RegistryError, match="size"):
        generate(0, "M")  # type: ignore[arg-type]  # on purpose


def test_departments_and_levels_have_their_shares() -> None:
    assert len(STAFF) == EMPLOYEES["S"]
    counts = Counter(row["department"] for row in STAFF.values())
    assert all(abs(counts[name] - share * 120) <= 2 for name, share in SHARES.items())
    assert {row["level"] for row in STAFF.values()} == set(LEVELS)
    heads = [row for row in STAFF.values() if row["level"] == 14]
    assert sorted(row["department"] for row in heads) == sorted(SHARES)


def test_everybody_but_heads_has_a_boss_of_a_higher_level_in_the_department() -> None:
    for row in STAFF.values():
        if row["reports_to"] is None:
            assert row["level"] == 14
            continue
        boss = STAFF[row["reports_to"]]
        assert boss["level"] > row["level"]
        assert boss["department"] == row["department"]
        assert boss["is_valid"] or not row["is_valid"]


def test_leave_adds_up() -> None:
    for row in STAFF.values():
        taken = [row[f"total_{kind}_leaves"] - row[f"remaining_{kind}_leaves"] for kind in ("casual", "sick", "vacation")]
        assert min(taken) >= 0
        assert row["total_leaves_taken"] == sum(taken)


@pytest.mark.parametrize("table", ACTIVE)
def test_nobody_acts_before_joining_after_leaving_or_after_today(table: str) -> None:
    people, column = ACTIVE[table]
    for row in rows(WORLD, table):
        day = row[column][:10]
        assert day < BASE.today.isoformat()
        for name in people:
            if row[name] is not None:
                person = STAFF[row[name]]
                assert person["doj"] <= day <= (person["dol"] or "9999"), (row, person)


def test_who_is_in_charge_is_employed() -> None:
    for table in ("customer", "client", "vendor"):
        assert all(STAFF[row["emp_id"]]["is_valid"] for row in rows(WORLD, table))


def test_texts_state_what_the_secret_columns_hold() -> None:
    checked = 0
    for table, text in (("message", "text"), ("mail", "body"), ("post", "post")):
        for row in rows(WORLD, table):
            if row["due_on"] is not None:
                assert spoken(dt.date.fromisoformat(row["due_on"])) in row[text]
                checked += 1
            if row.get("amount") is not None:
                assert str(row["amount"]) in row[text]
    for row in rows(WORLD, "policy_section"):
        assert f"{row['value']:g}" in row["body"] or f"{row['value']:.0f}" in row["body"]
        assert row["unit"].removesuffix("s") in row["body"]
    assert checked > 500


def test_reviews_support_chats_and_invoices_agree_with_sales_and_orders() -> None:
    bought = {(row["product_id"], row["customer_id"]): row["date_of_purchase"] for row in rows(WORLD, "sale")}
    for table in ("product_sentiment", "support_chat"):
        assert all((row["product_id"], row["customer_id"]) in bought for row in rows(WORLD, table))
    amounts: Counter[str] = Counter()
    for row in rows(WORLD, "order_line"):
        amounts[row["order_id"]] += row["quantity"] * row["unit_price"]
    for row in rows(WORLD, "invoice"):
        assert row["amount"] == pytest.approx(amounts[row["order_id"]])


def test_look_alikes_are_labelled() -> None:
    names = Counter(row["name"] for row in STAFF.values())
    labelled = {key for trap in BASE.traps if trap.kind == "namesake" for key in trap.keys}
    assert labelled == {key for key, row in STAFF.items() if names[row["name"]] > 1}
    assert labelled
    assert any(trap.kind == "matching_threads" for trap in BASE.traps)


def test_a_large_snapshot_opens_as_the_same_world() -> None:
    assert BASE.snapshot.is_large
    opened = World.from_snapshot(BASE.snapshot)
    assert opened.origin is BASE.snapshot
    assert opened.digest() == fresh().digest()
    with pytest.raises(ValueError, match="undo"), opened.savepoint():
        opened.execute("DELETE FROM post")
        raise ValueError("undo")
    assert opened.check() == []
    assert opened.execute("SELECT count(*) FROM post").fetchone()[0] > 0
