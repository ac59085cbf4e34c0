"""Search finds what a persona may read, and nothing else has any effect on what it finds."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from opsgym.core.world import World
from opsgym.envs.enterprise_bench.access import Persona, condition_for
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.embedding import Embedding
from opsgym.envs.enterprise_bench.search import TEXTS, FullText
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.people import PRIVATE
from opsgym.envs.enterprise_bench.system import sign_in
from tests.envs.enterprise_bench.bases import BASE, call, desk, fresh, personas

WORLD = fresh()
PERSONAS = personas(WORLD)
QUERIES = ("release of the policy", "figures hours open", "cable battery poor", "vpn password", "python limit")


def _without_hidden(emp_id: str) -> World:
    """A world that has nothing but what a persona may read."""
    world = fresh()
    session = desk(world, emp_id)
    world.execute("PRAGMA foreign_keys = OFF")
    hidden = []
    for name in TEXTS:
        table = DOMAIN.table(name)
        sql = f"SELECT {table.id} FROM {name} WHERE ({session.allowed(table, 'read')}) IS NOT TRUE"
        hidden.append((table, world.execute(sql).fetchall()))
    for table, keys in hidden:  # only now: what may be read depends on other records
        world.conn.executemany(f"DELETE FROM {table.name} WHERE {table.id} = ?", keys)
    assert any(keys for _, keys in hidden)
    return world


@pytest.mark.parametrize("me", PERSONAS[::9], ids=lambda me: f"{me.department}-{me.level}")
def test_results_scores_and_counts_are_those_of_a_world_without_hidden_records(me: Persona) -> None:
    bare = _without_hidden(me.emp_id)
    snapshot = bare.snapshot()
    other = World.from_snapshot(snapshot)
    index = FullText(snapshot)
    session = desk(WORLD, me.emp_id)
    for name in TEXTS:
        table = DOMAIN.table(name)
        for query in QUERIES:
            seen = session.search(table, query, 5000)
            assert seen == index.find(other, name, table.id, "1", query, 5000)


def test_records_that_others_write_change_nothing_where_they_may_not_be_read() -> None:
    world = fresh()
    me, sender, recipient = (one.emp_id for one in PERSONAS[:3])
    query = "figures by october"
    before = call(desk(world, me), "search_documents", source="mail", query=query)
    address = world.execute("SELECT email FROM employee WHERE emp_id = ?", (recipient,)).fetchone()[0]
    for _ in range(5):
        sent = call(desk(world, sender), "create_email", recipient_email=address, subject="figures", body="figures by october")
        assert "email_id" in sent
    assert call(desk(world, me), "search_documents", source="mail", query=query) == before
    assert call(desk(world, sender), "search_documents", source="mail", query=query)["total"] >= 5


@pytest.mark.parametrize("name", TEXTS)
def test_a_search_finds_every_readable_record_with_the_word_and_no_other(name: str) -> None:
    table = DOMAIN.table(name)
    columns = " || ' ' || ".join(f"coalesce({column}, '')" for column in TEXTS[name])
    texts = WORLD.execute(f"SELECT {columns} FROM {name} ORDER BY rowid LIMIT 40").fetchall()
    word = max(re.findall(r"[A-Za-z]+", texts[7][0]), key=len)
    for me in PERSONAS[::7]:
        allowed = condition_for("standard", name, "read", me)
        sql = f"SELECT {table.id} FROM {name} WHERE ({allowed}) AND ' ' || lower({columns}) LIKE ?"
        there = {key for (key,) in WORLD.execute(sql, (f"%{word.lower()}%",)).fetchall()}
        may_read = {key for (key,) in WORLD.execute(f"SELECT {table.id} FROM {name} WHERE ({allowed})").fetchall()}
        found = {hit.key for hit in desk(WORLD, me.emp_id).search(table, word, 5000)[0]}
        assert found <= may_read
        exact = {key for key in there if re.search(rf"\b{word}\b", _words(name, key), re.I)}
        assert exact <= found


def _words(name: str, key: str) -> str:
    columns = " || ' ' || ".join(f"coalesce({column}, '')" for column in TEXTS[name])
    return str(WORLD.execute(f"SELECT {columns} FROM {name} WHERE {DOMAIN.table(name).id} = ?", (key,)).fetchone()[0])


def test_written_texts_are_found_and_old_ones_are_not() -> None:
    world = fresh()
    session = desk(world, PERSONAS[0].emp_id)
    made = call(session, "social_platform_create", title="Quokka", post="The quokka walks.")
    assert [hit["post_id"] for hit in _found(session, "quokkas")] == [made["post_id"]]
    call(session, "social_platform_update", post_id=made["post_id"], title="Wombat", post="The wombat digs.")
    assert _found(session, "quokka") == []
    assert [hit["post_id"] for hit in _found(session, "wombat")] == [made["post_id"]]
    copy = World.from_snapshot(world.snapshot())
    assert [hit["post_id"] for hit in _found(desk(copy, PERSONAS[1].emp_id), "wombat")] == [made["post_id"]]
    call(session, "social_platform_delete", post_id=made["post_id"])
    assert _found(session, "wombat") == []


def _found(session: Desk, query: str) -> list[dict[str, object]]:
    results: list[dict[str, object]] = call(session, "search_documents", source="post", query=query)["results"]
    return results


def test_rarer_words_weigh_more_and_ties_stand_in_the_order_of_keys() -> None:
    hits = desk(WORLD, PERSONAS[0].emp_id).search(DOMAIN.table("post"), "meetup cycling")[0]
    both = [hit for hit in hits if hit.score == hits[0].score]
    assert [hit.key for hit in both] == sorted(hit.key for hit in both)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.key))
    assert hits[0].score > hits[-1].score


@pytest.mark.parametrize("query", ['"', "AND OR NOT", "* ^ ( )", "text : NEAR(a b)", "'; DROP TABLE post; --", "\u00e9t\u00e9"])
def test_a_query_is_words_and_no_language(query: str) -> None:
    result = call(desk(WORLD, PERSONAS[0].emp_id), "search_documents", source="post", query=query)
    assert set(result) == {"results", "total"}
    assert WORLD.execute("SELECT count(*) FROM post").fetchone()[0] > 0


def test_no_private_or_secret_column_is_searched() -> None:
    assert not set(TEXTS["employee"]) & set(PRIVATE)
    for name, columns in TEXTS.items():
        assert set(columns) <= set(DOMAIN.table(name).open_names)


def test_results_mask_what_reading_masks() -> None:
    me = next(one for one in PERSONAS if one.department == "Sales" and one.level == 9)
    results = call(desk(WORLD, me.emp_id), "search_documents", source="employee", query="Finance", limit=20)["results"]
    assert results
    assert all(row["salary"] == "***" for row in results)
    assert json.dumps(results)
    assert BASE.traps


def _letters(texts: Sequence[str]) -> Any:
    return np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz0123456789_"] for text in texts], float)


def test_embeddings_search_what_may_be_read_and_find_the_text_itself_first() -> None:
    me = PERSONAS[4]
    session = sign_in(WORLD, me.emp_id, "standard", Embedding(_letters))
    bare = _without_hidden(me.emp_id)
    for name in ("employee", "policy_section", "question", "post"):
        table = DOMAIN.table(name)
        hits, total = session.search(table, QUERIES[0], 5000)
        assert total == len(hits)
        assert (hits, total) == Embedding(_letters).find(bare, name, table.id, "1", QUERIES[0], 5000)
        own = session.search(table, _words(name, hits[-1].key), 1)[0]
        assert sorted(_words(name, own[0].key).lower()) == sorted(_words(name, hits[-1].key).lower())
        assert own[0].score == pytest.approx(1)
