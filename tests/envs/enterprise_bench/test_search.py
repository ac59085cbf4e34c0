"""Search finds what a persona may read, and nothing else has any effect on what it finds."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from opsgym.core.errors import TaskError
from opsgym.core.world import World
from opsgym.data.trajectories import replay_file
from opsgym.envs.enterprise_bench.access import Persona, condition_for
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.embedding import Embedding, char_ngrams
from opsgym.envs.enterprise_bench.env import EnterpriseBenchEnv
from opsgym.envs.enterprise_bench.retrievers import _imported, retriever_of
from opsgym.envs.enterprise_bench.search import TEXTS, FullText
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.people import PRIVATE
from opsgym.envs.enterprise_bench.system import sign_in
from opsgym.vector import ToolVectorEnv
from opsgym.wrappers import RecordTrajectories, fork
from tests.envs.enterprise_bench.bases import BASE, by_letters, call, desk, fresh, letters, personas

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


def test_how_well_a_result_fits_hides_no_column() -> None:
    for name in TEXTS:
        assert "relevance" not in DOMAIN.table(name).names
    results = call(desk(WORLD, PERSONAS[0].emp_id), "search_documents", source="question", query="limit", limit=3)["results"]
    assert all(0 < row["relevance"] < 5 and isinstance(row["score"], int) for row in results)


# -- embeddings


@pytest.mark.parametrize("make", [by_letters, char_ngrams])
def test_embeddings_search_what_may_be_read_and_find_the_text_itself_first(make: Any) -> None:
    me = PERSONAS[4]
    session = sign_in(WORLD, me.emp_id, "standard", make())
    bare = _without_hidden(me.emp_id)
    for name in ("employee", "policy_section", "question", "post", "mail"):
        table = DOMAIN.table(name)
        hits, total = session.search(table, QUERIES[0], 5000)
        assert total == len(hits)
        assert (hits, total) == make().find(bare, name, table.id, "1", QUERIES[0], 5000)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.key))
        own = session.search(table, _words(name, hits[-1].key), 1)[0]
        assert sorted(_words(name, own[0].key).lower()) == sorted(_words(name, hits[-1].key).lower())
        assert own[0].score == pytest.approx(1)


def test_what_was_searched_before_has_no_effect() -> None:
    """A model whose vectors depend on the other texts of a call gets one text at a time."""

    def crowded(texts: Sequence[str]) -> Any:
        return letters(texts) + len(texts)

    table, query = DOMAIN.table("post"), "meetup cycling"
    alone = sign_in(WORLD, PERSONAS[0].emp_id, "standard", Embedding(crowded)).search(table, query)
    for first in ("cup", "meetup"):
        used = sign_in(WORLD, PERSONAS[0].emp_id, "standard", Embedding(crowded, max_texts=7))
        used.search(DOMAIN.table("question"), first)
        used.search(table, first)
        assert used.search(table, query) == alone


def test_few_vectors_are_kept() -> None:
    asked: list[str] = []

    def noting(texts: Sequence[str]) -> Any:
        asked.extend(texts)
        return letters(texts)

    table = DOMAIN.table("policy_document")
    for keep, times in ((1000, 1), (1, 2)):
        asked.clear()
        session = sign_in(WORLD, PERSONAS[0].emp_id, "open", Embedding(noting, max_texts=keep))
        session.search(table, "leave")
        session.search(table, "leave")
        assert asked.count("leave") == times


def test_a_model_of_another_shape_and_senseless_numbers_are_refused() -> None:
    session = sign_in(WORLD, PERSONAS[0].emp_id, "standard", Embedding(lambda texts: np.zeros(3)))
    with pytest.raises(TaskError, match=r"shape \(1, dimensions\), got \(3,\)"):
        session.search(DOMAIN.table("post"), "meetup")
    for name in ("batch", "max_texts"):
        with pytest.raises(TaskError, match="at least 1"):
            Embedding(letters, **{name: 0})


# -- the environment's argument

PATH = "tests.envs.enterprise_bench.bases:by_letters"
ASK = '{"name": "search_documents", "arguments": {"source": "post", "query": "a cyclist meet-up", "limit": 5}}'


def _env(retriever: Any = PATH) -> gym.Env[Any, Any]:
    params = {"distractors": 100}
    return gym.make("EnterpriseBench-v0", tier="easy", cache=None, max_steps=9, params=params, retriever=retriever)


def _answer(env: gym.Env[Any, Any], seed: int = 3) -> str:
    env.reset(seed=seed)
    return str(env.step(ASK)[0])


def test_the_environment_searches_with_what_it_is_given() -> None:
    assert "Cycling meetup" in _answer(_env("opsgym.envs.enterprise_bench.embedding:char_ngrams"), 7)
    assert _answer(_env()) not in (_answer(_env(None)), _answer(_env("opsgym.envs.enterprise_bench.embedding:char_ngrams")))
    assert _answer(_env()) == _answer(_env(by_letters)) == _answer(_env(by_letters()))


def test_check_env_is_silent_with_a_retriever() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(_env().unwrapped)


def test_an_environment_with_a_retriever_is_made_again_from_its_spec() -> None:
    env = _env()
    assert env.spec is not None
    again = [gym.make(env.spec), gym.make(EnvSpec.from_json(env.spec.to_json()))]
    assert {_answer(each) for each in again} == {_answer(env)}


def test_copies_search_with_the_retriever() -> None:
    env = _env()
    env.reset(seed=3)
    base = env.unwrapped
    assert isinstance(base, EnterpriseBenchEnv)
    state = base.snapshot()
    copies = [fork(env), base.fork(), pickle.loads(pickle.dumps(base))]
    expected = env.step(ASK)[:4]
    assert [each.step(ASK)[:4] for each in copies] == [expected] * 3
    base.restore(state)
    assert env.step(ASK)[:4] == expected


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_batches_search_with_the_retriever(mode: str) -> None:
    options: dict[str, Any] = {"tier": "easy", "cache": None, "params": {"distractors": 100}, "retriever": PATH}
    envs = gym.make_vec("EnterpriseBench-v0", num_envs=2, vectorization_mode=mode, **options)
    try:
        envs.reset(seed=3)
        assert envs.step((ASK, ASK))[0] == (_answer(_env(), 3), _answer(_env(), 4))
    finally:
        envs.close()


def test_processes_search_with_the_retriever() -> None:
    path = "opsgym.envs.enterprise_bench.embedding:char_ngrams"
    options: dict[str, Any] = {"tier": "easy", "cache": None, "params": {"distractors": 100}, "retriever": path}
    envs = ToolVectorEnv("EnterpriseBench-v0", num_envs=1, vectorization_mode="async", **options)
    try:
        envs.reset(seed=3)
        assert envs.step((ASK,))[0][0] == _answer(_env(path))
    finally:
        envs.close()


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Retrievers are made anew, as in another process."""
    _imported.cache_clear()
    yield
    _imported.cache_clear()


def test_recorded_searches_replay_with_another_process_vectors(tmp_path: Path, forgotten: None) -> None:
    for path in (PATH, "opsgym.envs.enterprise_bench.embedding:char_ngrams"):
        env = RecordTrajectories(_env(path), path=tmp_path / "episodes.jsonl")
        env.reset(seed=4)
        env.step(ASK.replace("post", "question"))  # vectors are known that the replay must make
        for _ in range(2):
            env.reset(seed=3)
            for action in (ASK, ASK.replace("cyclist", "chess"), '{"name": "submit", "arguments": {"answer": 1}}'):
                env.step(action)
    _imported.cache_clear()
    replayed = replay_file(tmp_path / "episodes.jsonl")
    assert (replayed.episodes, replayed.differences) == (4, {})


def test_the_reference_solution_earns_everything_with_any_retriever() -> None:
    env = _env()
    env.reset(seed=3)
    base = env.unwrapped
    assert isinstance(base, EnterpriseBenchEnv)
    assert [env.step(call)[1] for call in base.task.oracle][-1] == 1.0


def test_a_path_gives_one_retriever_for_a_process() -> None:
    assert retriever_of(PATH) is retriever_of(PATH)
    assert retriever_of(None) is None
    assert isinstance(retriever_of(FullTextOfTheBase), FullTextOfTheBase)


class FullTextOfTheBase(FullText):
    """A class that is called to make a retriever."""

    def __init__(self) -> None:
        super().__init__(BASE.snapshot)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nowhere:at_all", "cannot import 'nowhere:at_all': ModuleNotFoundError"),
        ("json:nothing", "cannot import 'json:nothing': AttributeError"),
        ("no path", "cannot import 'no path': ValueError"),
        ("math:pi", "math:pi.*gives float"),
        (dict, "gives dict"),
        (7, "7 gives int"),
    ],
)
def test_what_is_no_retriever_is_refused(given: Any, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        EnterpriseBenchEnv(retriever=given)


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    modules = "opsgym.envs.enterprise_bench.env, opsgym.envs.enterprise_bench.embedding"
    code = f"import sys, {modules}; print('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"
