"""Declarations are checked against each other, and say what follows from them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.records.columns import Choice, Flag, Key, Moment, Number, Ref, Serial, Text, Whole
from opsgym.core.records.ddl import ddl
from opsgym.core.records.lifecycle import Lifecycle, noun
from opsgym.core.records.matrix import Matrix
from opsgym.core.records.policy_text import policy_text
from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Rule
from opsgym.core.records.sight import Sight
from opsgym.core.records.table import Table
from tests.core.records.help_desk import DOMAIN, SEED, TICKET


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(TaskError, match="two columns"):
        Table("t", (Key("id"), Text("id")))


def test_a_table_without_a_key_is_refused() -> None:
    with pytest.raises(TaskError, match="no key"):
        Table("t", (Text("name"),))


@pytest.mark.parametrize("wrong", [{"scope": "org"}, {"via": "org"}, {"unique": (("org",),)}, {"key": ("org",)}])
def test_a_table_names_only_its_columns(wrong: dict[str, object]) -> None:
    with pytest.raises(RegistryError, match="org"):
        Table("t", (Key("id"),), **wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_a_reference_to_an_unknown_table_is_refused() -> None:
    with pytest.raises(RegistryError, match="nowhere"):
        replace(DOMAIN, tables=(*DOMAIN.tables, Table("t", (Key("id"), Ref("x", "nowhere")))))


def test_a_rule_that_sqlite_refuses_is_refused_with_its_id() -> None:
    with pytest.raises(TaskError, match=r"BAD.*colour"):
        replace(DOMAIN, own_rules=(Rule("BAD", "No.", "ticket", "new.colour = 'red'"),))


def test_a_tenant_by_way_of_a_record_without_one_is_refused() -> None:
    for via in ("text", "other"):
        columns = (Key("id", "T"), Text("text"), Ref("other", "bare"))
        with pytest.raises(TaskError, match="scope"):
            replace(DOMAIN, tables=(*DOMAIN.tables, Table("bare", (Key("id"),)), Table("t", columns, via=via)))


def test_a_sight_is_checked_too() -> None:
    with pytest.raises(TaskError, match=r"BAD.*colour"):
        replace(DOMAIN, sights=(Sight("BAD", "No.", "agent", "ticket", "colour = 'red'"),))
    with pytest.raises(RegistryError, match="king"):
        replace(DOMAIN, sights=(Sight("BAD", "No.", "king", "ticket", "1"),))


def test_two_rules_of_one_id_are_refused() -> None:
    with pytest.raises(TaskError, match="one id"):
        replace(DOMAIN, own_rules=(*DOMAIN.own_rules, DOMAIN.own_rules[0]))


def test_a_rule_that_nothing_breaks_is_refused() -> None:
    with pytest.raises(TaskError, match="never"):
        Rule("R", "No.", "ticket", None)


def test_a_rule_on_deletion_stands_alone() -> None:
    with pytest.raises(TaskError, match="two rules"):
        Rule("R", "No.", "ticket", "1", on=("update", "delete"))


def test_a_lifecycle_names_only_values_of_its_column() -> None:
    with pytest.raises(TaskError, match="gone"):
        Lifecycle("L", "ticket", "status", ("new",), {"new": ("gone",)}).check(TICKET)
    with pytest.raises(TaskError, match="enumeration"):
        Lifecycle("L", "ticket", "title", ("new",), {}).check(TICKET)


def test_reachable_states_are_those_that_moves_lead_to() -> None:
    life = Lifecycle("L", "ticket", "status", ("new",), {"new": ("open",), "open": ("done",)})
    assert life.reachable(("new",)) == {"new", "open", "done"}
    assert life.reachable(("open",)) == {"open", "done"}


def test_a_matrix_gives_every_combination() -> None:
    with pytest.raises(TaskError, match="differ"):
        Matrix("M", "ticket", ("impact",), "priority", {("low",): "p1"}).check(TICKET)
    with pytest.raises(TaskError, match="p9"):
        Matrix("M", "ticket", ("impact",), "priority", {("low",): "p9", ("high",): "p1"}).check(TICKET)


@pytest.mark.parametrize(
    ("grant", "allowed"),
    [("read", {"read"}), ("edit", {"read", "create", "update"}), ("crud", {"read", "create", "update", "delete"}), (None, set())],
)
def test_a_grant_allows_its_actions_only(grant: str | None, allowed: set[str]) -> None:
    rights = Rights({"role": {"thing": grant} if grant else {}})  # type: ignore[dict-item]  # literals from parameters
    actions = ("read", "create", "update", "delete")
    assert {action for action in actions if rights.allows("role", "thing", action)} == allowed


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(RegistryError, match="king"):
        DOMAIN.rights.allows("king", "tickets", "read")


def test_the_database_enforces_what_is_declared() -> None:
    conn = sqlite3.connect(":memory:")
    conn.execute("PRAGMA foreign_keys = ON")
    conn.executescript(DOMAIN.ddl + SEED)
    for broken in (
        "UPDATE ticket SET status = 'lost'",
        "UPDATE ticket SET title = NULL",
        "UPDATE ticket SET minutes = -1",
        "UPDATE ticket SET caller_id = 'USER_999'",
        "UPDATE users SET email = 'same@one.com'",
        "UPDATE users SET active = 2",
        "UPDATE note SET text = 'x'",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            conn.execute(broken)
    conn.close()


def test_foreign_seeds_may_have_other_values_when_unchecked() -> None:
    conn = sqlite3.connect(":memory:")
    conn.executescript(ddl(DOMAIN.tables, checked=False) + SEED)
    conn.execute("UPDATE ticket SET status = 'lost'")
    conn.close()


@pytest.mark.parametrize(
    ("column", "good", "bad"),
    [
        (Text("x", 3), "abc", "abcd"),
        (Text("x", None, "email"), "a@b.co", "a@b"),
        (Text("x", None, "phone"), "+1-415-555-0107", "4155550107"),
        (Choice("x", ("a", "b")), "a", "c"),
        (Whole("x", 1), 1, 0),
        (Whole("x"), -(2**62), 2**63),
        (Number("x", 0), 0.0, -0.5),
        (Moment("x"), "2026-05-04 08:00:00", "tomorrow"),
        (Moment("x"), "2026-05-04T08:00:00Z", "2026-13-04"),
        (Moment("x"), "0001-01-01T00:00", "0001-01-01T00:00+01:00"),
    ],
)
def test_a_column_tells_what_is_wrong_with_a_value(column: Text, good: object, bad: object) -> None:
    assert column.problem(good) == ""
    assert column.problem(bad).startswith("expected")


def test_keys_and_numbers_are_padded() -> None:
    assert Key("x", "INC").numbered(24) == "INC_024"
    assert Key("x", "INC").numbered(1024) == "INC_1024"
    assert Serial("x", "INC").numbered(24) == "INC0000024"


def test_a_flag_is_one_or_zero() -> None:
    assert Flag("x").sql_check == '"x" IN (0, 1)'


def test_every_rule_stands_in_the_policy_with_its_id() -> None:
    text = policy_text(DOMAIN)
    for rule in DOMAIN.rules:
        assert f"[{rule.id}] {rule.sentence}" in text
    for sentence in DOMAIN.rights.sentences():
        assert sentence in text


def test_rules_about_the_actor_or_single_moves_are_no_invariants() -> None:
    invariant = {rule.id for rule in DOMAIN.rules if rule.is_invariant}
    assert invariant == {"HD-LIFE-NEED-DONE", "HD-PRIO", "HD-ASSIGN", "HD-NOTE"}
    assert not Rule("R", "No.", "ticket", ":role = 'agent'").is_invariant


def test_indexes_are_made_and_name_columns_that_exist() -> None:
    table = Table("t", (Key("t_id", "T"), Text("name"), Text("kind")), indexes=(("kind", "name"),))
    conn = sqlite3.connect(":memory:")
    conn.executescript(ddl((table,)))
    plan = conn.execute("EXPLAIN QUERY PLAN SELECT * FROM t WHERE kind = 'x' AND name = 'y'").fetchall()
    conn.close()
    assert "t by kind name" in plan[0][3]
    with pytest.raises(RegistryError, match="size"):
        Table("t", (Key("t_id", "T"),), indexes=(("size",),))


def test_nouns_have_the_article_with_which_they_are_read() -> None:
    assert [noun(name) for name in ("change", "incident", "hr_case", "csm_case")] == [
        "a change",
        "an incident",
        "an hr case",
        "a csm case",
    ]
