"""Ledger: the books of a world, brought up to date once for all who read them."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from opsgym.core.changes import Feed, Key
from opsgym.core.world import Snapshot, World
from opsgym.envs.erp_bench.books import NAMED, Books, Names

_LEDGERS: WeakKeyDictionary[World, Ledger] = WeakKeyDictionary()
_SEEDED: WeakKeyDictionary[Snapshot, Books] = WeakKeyDictionary()
"""Books of seeded worlds, by the snapshot that the world equals."""


class News:
    """What was written since a reader of the books looked last.

    Attributes:
        everything: Whether the books were read anew.
        written: Keys of the rows written, by table.
        orders: Ids of orders that differ, or whose lines or goods do, by table.
        names: Names of the orders that the rows written belong to.
        wants_names: Whether these are asked for.
    """

    __slots__ = ("everything", "names", "orders", "wants_names", "written")

    def __init__(self) -> None:
        self.wants_names = False
        self.clear()
        self.everything = True

    def clear(self) -> None:
        """The reader has seen it all."""
        self.everything = False
        self.written: dict[str, set[Key]] = {}
        self.orders: dict[str, set[int]] = {}
        self.names: set[str | None] = set()

    def take(self, written: Mapping[str, set[Key]], orders: Mapping[str, set[int]], names: set[str | None]) -> None:
        """Add what was written; the sets are shared with other readers."""
        if self.everything:
            return
        for table, keys in written.items():
            known = self.written.get(table)
            self.written[table] = keys if known is None else known | keys
        for table, numbers in orders.items():
            if numbers:
                found = self.orders.get(table)
                self.orders[table] = numbers if found is None else found | numbers
        self.names |= names


class Ledger:
    """The books of one world; never holds the world, or neither would ever be freed."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._books: Books | None = None
        self._readers: list[News] = []

    def reader(self) -> News:
        """What is new to one more reader."""
        news = News()
        self._readers.append(news)
        return news

    def pull(self, world: World) -> Books | None:
        """The books in the present state; ``None`` inside a savepoint, where what was written may be undone."""
        if not world.pull():
            return None
        feed, books = self._feed, self._books
        if books is not None and not feed.everything and not feed.rows:
            return books
        self._books = None  # until it is done: the world may be damaged
        written = feed.written()
        if books is None or feed.everything or not written.keys().isdisjoint(NAMED):
            books = _read(world)
            for news in self._readers:
                news.everything = True
        else:
            self._update(books, world, written)
        feed.clear()
        self._books = books
        return books

    def _update(self, books: Books, world: World, written: Mapping[str, set[Key]]) -> None:
        wanted = any(news.wants_names for news in self._readers)
        names = books.concerned(written) if wanted else set[str | None]()
        orders = books.update(world, written)
        if wanted:
            names |= books.concerned(written)
        for news in self._readers:
            news.take(written, orders, names)


def ledger_of(world: World) -> Ledger:
    """The ledger of a world, which is watched from then on."""
    found = _LEDGERS.get(world)
    if found is None:
        found = _LEDGERS[world] = Ledger(world.feed())
    return found


def keep_seeded(world: World, books: Books) -> None:
    """Keep the books of a seeded world for worlds that are restored to it."""
    if world.origin is not None:
        _SEEDED[world.origin] = books


def _read(world: World) -> Books:
    origin = world.origin
    seeded = None if origin is None else _SEEDED.get(origin)
    return Books(world, Names(world)) if seeded is None else seeded.copy()
