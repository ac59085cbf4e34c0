"""Search: full text over what a persona may read.

A base world's texts are in an index outside the world, made once; the world marks the records that were written since, and their
texts are read from it.  A result's score is the sum, over the words of the query that the record has, of ``ln(1 + m / n)``, where
``m`` of the records that the persona may read have one of the words and ``n`` have this one.  So no record that it may not read
has any effect, as it would have in SQLite's BM25, whose frequencies count all records.  Equal scores stand in the order of their
keys.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

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

MARKS = "search_mark"
"""The table of records that were written since the base world."""

MAX_WORDS = 16
"""More words of a query do not count."""

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

    def find(self, world: World, table: str, key: str, allowed: str, query: str) -> list[Hit]:
        """The records that fit, best first; those that are not allowed must have no effect.

        Args:
            world: The world.
            table: The table, one of :data:`TEXTS`.
            key: Name of its key.
            allowed: True of the records that may be read, in SQL without parameters.
            query: Words.
        """


class FullText:
    """The retriever that needs nothing but SQLite.

    Args:
        base: The world that the texts are indexed of; worlds that are searched come from it.
    """

    def __init__(self, base: Snapshot) -> None:
        self._base = base
        self._conn = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._known: set[str] = set()

    def find(self, world: World, table: str, key: str, allowed: str, query: str) -> list[Hit]:
        """See :class:`Retriever`."""
        self._prepare(table)
        words = list(dict.fromkeys(re.findall(r"\w+", query.lower())))[:MAX_WORDS]
        fresh = _marked(world, table, key, allowed)
        places = [self._places(table, word) for word in words]
        keys = self._readable(world, table, key, allowed, set().union(*places))
        found = [
            {keys[place] for place in some if place in keys} | more
            for some, more in zip(places, self._fresh(fresh, words), strict=True)
        ]
        return _ranked(found)

    def _prepare(self, table: str) -> None:
        """Index a table's texts, when they are searched for the first time."""
        if table in self._known:
            return
        source = sqlite3.connect(":memory:")
        try:
            source.deserialize(self._base.data)
            rows = source.execute(f"SELECT rowid, {_text(table)} FROM {quoted(table)}").fetchall()
        finally:
            source.close()
        self._conn.execute(_FTS.format(quoted(table)))
        self._conn.execute("BEGIN")
        self._conn.executemany(f"INSERT INTO {quoted(table)} (rowid, text) VALUES (?, ?)", rows)
        self._conn.execute("COMMIT")
        self._known.add(table)

    def _places(self, table: str, word: str) -> set[int]:
        """Row numbers in the base world of the records that have a word."""
        rows = self._conn.execute(f"SELECT rowid FROM {quoted(table)} WHERE {quoted(table)} MATCH ?", (f'"{word}"',))
        return {place for (place,) in rows.fetchall()}

    def _readable(self, world: World, table: str, key: str, allowed: str, places: set[int]) -> dict[int, str]:
        """Keys of those that are there, not written since, and allowed, by row number."""
        if not places:
            return {}
        sql = (
            f"SELECT rowid, {quoted(key)} FROM {quoted(table)} WHERE rowid IN (SELECT value FROM json_each(?))"
            f" AND {quoted(key)} NOT IN (SELECT record FROM {MARKS} WHERE source = ?) AND ({allowed})"
        )
        return dict(world.conn.execute(sql, (json.dumps(sorted(places)), table)).fetchall())

    def _fresh(self, rows: Sequence[tuple[str, str]], words: Sequence[str]) -> list[set[str]]:
        """Keys of records written since that have each word."""
        if not rows:
            return [set() for _ in words]
        conn = self._conn
        conn.execute(_FTS.format("temp.fresh"))
        try:
            texts = [(number, text) for number, (_, text) in enumerate(rows)]
            conn.executemany("INSERT INTO temp.fresh (rowid, text) VALUES (?, ?)", texts)
            asked = "SELECT rowid FROM temp.fresh WHERE fresh MATCH ?"
            return [{rows[n][0] for (n,) in conn.execute(asked, (f'"{word}"',)).fetchall()} for word in words]
        finally:
            conn.execute("DROP TABLE temp.fresh")


def mark(world: World, table: str, keys: Iterable[str]) -> None:
    """Tell search that records were written; sessions do it by themselves."""
    if table in TEXTS:
        sql = f"INSERT OR IGNORE INTO {MARKS} (source, record) VALUES (?, ?)"
        for key in keys:
            world.write(MARKS, sql, [(table, key)], [(table, key)])


def _text(table: str) -> str:
    return " || ' ' || ".join(f"coalesce({quoted(name)}, '')" for name in TEXTS[table])


def _marked(world: World, table: str, key: str, allowed: str) -> list[tuple[str, str]]:
    """Keys and texts of allowed records that were written since the base world."""
    sql = (
        f"SELECT {quoted(key)}, {_text(table)} FROM {quoted(table)}"
        f" WHERE {quoted(key)} IN (SELECT record FROM {MARKS} WHERE source = ?) AND ({allowed})"
    )
    return world.conn.execute(sql, (table,)).fetchall()


def _ranked(found: Sequence[set[str]]) -> list[Hit]:
    """Results from the keys of the records that have each word."""
    union: set[str] = set().union(*found)
    scores = dict.fromkeys(union, 0.0)
    for keys in found:
        weight = math.log(1 + len(union) / len(keys)) if keys else 0.0
        for key in keys:
            scores[key] += weight
    return [Hit(key, round(scores[key], 9)) for key in sorted(union, key=lambda key: (-round(scores[key], 9), key))]
