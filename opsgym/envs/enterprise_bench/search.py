"""Search: full text over what a persona may read.

A base world's texts are in an index outside the world, made once; the world marks the records that were written since, and their
texts are read from it.  A result's score is the sum, over the words of the query that the record has, of ``ln(1 + m / n)``, where
``m`` of the records that the persona may read have one of the words and ``n`` have this one.  So no record that it may not read
has any effect, as it would have in SQLite's BM25, whose frequencies count all records.  Equal scores stand in the order of their
keys.
"""

from __future__ import annotations

import heapq
import itertools
import json
import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from opsgym.core.changes import quoted
from opsgym.core.world import Snapshot, World

TEXTS: dict[str, tuple[str, ...]] = {
    "employee": ("name", "department", "title", "skills"),
    "conversation": ("topic",),
    "message": ("text",),
    "mail_thread": ("subject",),
    "mail": ("subject", "body"),
    "repository": ("repo_name", "language", "description"),
    "repo_file": ("path", "code"),
    "issue": ("title", "description"),
    "product": ("product_name", "category", "about_product"),
    "customer": ("customer_name", "city"),
    "support_chat": ("text",),
    "product_sentiment": ("review_content",),
    "it_ticket": ("issue", "resolution"),
    "question": ("title", "body", "tags"),
    "answer": ("body",),
    "post": ("title", "post"),
    "client": ("business_name", "industry", "contact_person_name", "current_poc_product", "engagement_description"),
    "vendor": ("business_name", "industry", "business_type", "relationship_description"),
    "policy_document": ("title", "department"),
    "policy_section": ("heading", "body"),
}
"""The columns that are searched, by table; none of them is private or secret."""

Place = TypeVar("Place", int, str)

MARKS = "search_mark"
"""The table of records that were written since the base world."""

MAX_WORDS = 16
"""More words of a query do not count."""

_WORD = re.compile(r"[^\W_]+")
"""A word, as SQLite sees it: what stands between underscores is one each, so that ``emp_0012`` are two."""

_FTS = "CREATE VIRTUAL TABLE {} USING fts5(text, content='', detail=none, tokenize='porter unicode61 remove_diacritics 2')"


@dataclass(frozen=True, slots=True)
class Hit:
    """A result.

    Attributes:
        key: Key of the record.
        score: Its score, greater than 0.
    """

    key: str
    score: float


class Retriever(Protocol):
    """What finds records for a query."""

    def find(self, world: World, table: str, key: str, allowed: str, query: str, limit: int) -> tuple[list[Hit], int]:
        """The records that fit, best first, and how many there are; those that are not allowed must have no effect.

        Args:
            world: The world.
            table: The table, one of :data:`TEXTS`.
            key: Name of its key.
            allowed: True of the records that may be read, in SQL without parameters; ``"1"`` for all.
            query: Words.
            limit: Greatest number of results.
        """


class FullText:
    """The retriever that needs nothing but SQLite.

    Args:
        base: The world that the texts are indexed of; worlds that are searched come from it.
    """

    def __init__(self, base: Snapshot) -> None:
        self._base = base
        self._conn = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._keys: dict[str, dict[int, str]] = {}

    def find(self, world: World, table: str, key: str, allowed: str, query: str, limit: int) -> tuple[list[Hit], int]:
        """See :class:`Retriever`."""
        keys = self._prepared(table, key)
        words = list(dict.fromkeys(_WORD.findall(query.lower())))[:MAX_WORDS]
        readable = self._readable(world, table, key, allowed, [self._places(table, word) for word in words])
        fresh = self._fresh(_marked(world, table, key, allowed), words)
        groups = _groups(readable, fresh)
        total = sum(len(places) + len(names) for places, names in groups.values())
        counts = [len(places) + len(names) for places, names in zip(readable, fresh, strict=True)]
        weights = [math.log(1 + total / count) if count else 0.0 for count in counts]
        by_score: dict[float, list[Iterable[str]]] = {}
        for bits, (places, names) in groups.items():
            score = round(sum(weight for number, weight in enumerate(weights) if bits >> number & 1), 9)
            by_score.setdefault(score, []).append(itertools.chain(map(keys.__getitem__, places), names))
        hits: list[Hit] = []
        for score in sorted(by_score, reverse=True):
            if len(hits) < limit:
                some = heapq.nsmallest(limit - len(hits), itertools.chain.from_iterable(by_score[score]))
                hits += [Hit(name, score) for name in some]
        return hits, total

    def _prepared(self, table: str, key: str) -> dict[int, str]:
        """Keys by row number; the first time that a table is searched its texts are indexed."""
        if table not in self._keys:
            source = sqlite3.connect(":memory:")
            try:
                source.deserialize(self._base.data)
                rows = source.execute(f"SELECT rowid, {quoted(key)}, {text_of(table)} FROM {quoted(table)}").fetchall()
            finally:
                source.close()
            self._conn.execute(_FTS.format(quoted(table)))
            self._conn.execute("BEGIN")
            sql = f"INSERT INTO {quoted(table)} (rowid, text) VALUES (?, ?)"
            self._conn.executemany(sql, ((place, text) for place, _, text in rows))
            self._conn.execute("COMMIT")
            self._keys[table] = {place: name for place, name, _ in rows}
        return self._keys[table]

    def _places(self, table: str, word: str) -> set[int]:
        """Row numbers in the base world of the records that have a word."""
        return self._matching(quoted(table), word)

    def _matching(self, table: str, word: str) -> set[int]:
        """Row numbers that an index has for a word."""
        asked = f"SELECT rowid FROM {table} WHERE {table} MATCH ?"
        try:
            return {place for (place,) in self._conn.execute(asked, (f'"{word}"',)).fetchall()}
        except sqlite3.OperationalError:  # a letter that is newer than SQLite's Unicode divides a word in two
            return set()

    def _readable(self, world: World, table: str, key: str, allowed: str, places: list[set[int]]) -> list[set[int]]:
        """Those that were not written since, and are allowed."""
        written = f"SELECT record FROM {MARKS} WHERE source = ?"
        if allowed == "1":
            marked = {name for (name,) in world.conn.execute(written, (table,)).fetchall()}
            if not marked:
                return places
            keys = self._keys[table]
            return [{place for place in some if keys[place] not in marked} for some in places]
        candidates: set[int] = set().union(*places)
        if not candidates or allowed == "0":
            return [set() for _ in places]
        sql = (
            f"SELECT rowid FROM {quoted(table)} WHERE rowid IN (SELECT value FROM json_each(?))"
            f" AND {quoted(key)} NOT IN ({written}) AND ({allowed})"
        )
        found = {place for (place,) in world.conn.execute(sql, (json.dumps(list(candidates)), table)).fetchall()}
        return [some & found for some in places]

    def _fresh(self, rows: Sequence[tuple[str, str]], words: Sequence[str]) -> list[set[str]]:
        """Keys of records written since that have each word."""
        if not rows:
            return [set() for _ in words]
        conn = self._conn
        conn.execute(_FTS.format("temp.fresh"))
        try:
            texts = [(number, text) for number, (_, text) in enumerate(rows)]
            conn.executemany("INSERT INTO temp.fresh (rowid, text) VALUES (?, ?)", texts)
            return [{rows[number][0] for number in self._matching("fresh", word)} for word in words]
        finally:
            conn.execute("DROP TABLE temp.fresh")


def _groups(old: Sequence[set[int]], new: Sequence[set[str]]) -> dict[int, tuple[list[int], list[str]]]:
    """Records that have the same words, by a bit for each word; they share one score, so that few need be put in order."""
    groups: dict[int, tuple[list[int], list[str]]] = {}
    for place, words in _bits(old).items():
        groups.setdefault(words, ([], []))[0].append(place)
    for name, words in _bits(new).items():
        groups.setdefault(words, ([], []))[1].append(name)
    return groups


def _bits(found: Sequence[set[Place]]) -> dict[Place, int]:
    """For each record the words that it has, a bit for each."""
    bits: dict[Place, int] = {}
    for number, places in enumerate(found):
        bit = 1 << number
        for place in places:
            bits[place] = bits.get(place, 0) | bit
    return bits


def mark(world: World, table: str, keys: Iterable[str]) -> None:
    """Tell search that records were written; sessions do it by themselves."""
    if table in TEXTS:
        sql = f"INSERT OR IGNORE INTO {MARKS} (source, record) VALUES (?, ?)"
        for key in keys:
            world.write(MARKS, sql, [(table, key)], [(table, key)])


def text_of(table: str) -> str:
    """A record's text that is searched, in SQL over the table's columns."""
    return " || ' ' || ".join(f"coalesce({quoted(name)}, '')" for name in TEXTS[table])


def _marked(world: World, table: str, key: str, allowed: str) -> list[tuple[str, str]]:
    """Keys and texts of allowed records that were written since the base world."""
    sql = (
        f"SELECT {quoted(key)}, {text_of(table)} FROM {quoted(table)}"
        f" WHERE {quoted(key)} IN (SELECT record FROM {MARKS} WHERE source = ?) AND ({allowed})"
    )
    return world.conn.execute(sql, (table,)).fetchall()
