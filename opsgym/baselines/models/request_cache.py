"""RequestCache: replies kept on disk, so that an interrupted run does not pay twice."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import threading
import time
from collections import Counter
from pathlib import Path
from weakref import WeakValueDictionary

from pydantic import ValidationError

from opsgym.baselines.chat import ChatModel, ChatReply, ChatRequest
from opsgym.core.errors import TaskError
from opsgym.core.task import canonical_json

__all__ = ["CachedModel", "RequestCache"]

BUSY, PAUSE = 60.0, 0.05
"""Seconds for which another process may keep the file, and between two looks at it."""

VERSION = 1
"""Part of every key: replies that another version wrote are never found."""


class RequestCache:
    """A file of replies, by what was asked of whom in which trial.

    A sample belongs to its trial: the same request in another trial is asked again, and so is the same request asked a second
    time in one trial, for both want another sample.  A trial that starts over asks in the same order and finds what it was
    told.  With ``share_greedy`` requests of temperature 0 are answered once for all trials; servers are not quite
    deterministic even then, so trials no longer show how much they vary.

    The file is an SQLite database with a write-ahead log: a reply is there whole or not at all, whatever kills the process, and
    several processes may use it at once, on a local disk.  It holds replies and hashes of requests; no key or address.

    Args:
        path: The file, made where there is none; ``":memory:"`` for one that ends with the process.
        share_greedy: Whether trials share replies to requests of temperature 0.

    Raises:
        TaskError: The file is something else.

    Example:
        >>> import asyncio
        >>> from opsgym.baselines.chat import Message
        >>> from opsgym.baselines.models import ScriptedModel
        >>> cache, model = RequestCache(":memory:"), ScriptedModel(["first", "second"])
        >>> ask = ChatRequest(messages=(Message(role="user", content="hello"),))
        >>> for trial in ("task/0", "task/0", "task/1"):
        ...     reply = asyncio.run(cache.around(model, trial=trial).complete(ask))
        ...     print(reply.message.content, reply.usage.replayed)
        first 0
        first 1
        second 0
        >>> cache.close()
    """

    def __init__(self, path: str | Path, *, share_greedy: bool = False) -> None:
        self._share_greedy = share_greedy
        self._lock = threading.Lock()
        self._asked: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()
        if str(path) != ":memory:":
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
        try:
            _use_log(self._database)
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS replies (digest TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID"
            )
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise TaskError(f"expected a file of replies, got {path}: {error}", field="path") from error

    def __len__(self) -> int:
        with self._lock:
            return int(self._database.execute("SELECT count(*) FROM replies").fetchone()[0])

    def around(self, model: ChatModel, *, trial: str) -> CachedModel:
        """The model as one trial sees it.

        Args:
            model: The model, which trials may share; closing the result does not close it.
            trial: What tells this trial from every other, for example ``"<task id>/0"``; make a new view when it starts over.
        """
        return CachedModel(model, self, trial)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def key(self, model: ChatModel, request: ChatRequest, trial: str, repeat: int) -> str:
        """Under what a reply is kept.

        Args:
            model: Who is asked: its ``identity`` where it has one, else its name.
            request: What is asked.
            trial: Who asks.
            repeat: How often the trial has asked it before.
        """
        sample = [] if self._share_greedy and request.temperature == 0 else [trial, repeat]
        identity = str(getattr(model, "identity", model.name))
        text = canonical_json([VERSION, identity, request.model_dump(), sample])
        return hashlib.sha256(text.encode()).hexdigest()

    def find(self, key: str) -> ChatReply | None:
        """The reply kept under a key, marked as replayed, or ``None``."""
        with self._lock:
            row = self._database.execute("SELECT reply FROM replies WHERE digest = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            reply = ChatReply.model_validate_json(row[0])
        except ValidationError as error:
            raise TaskError(f"the file of replies is damaged: {error}", field=key) from error
        spent = {"cost": 0.0, "replayed": 1, "replayed_cost": reply.usage.cost}
        return reply.model_copy(update={"usage": reply.usage.model_copy(update=spent)})

    def keep(self, key: str, reply: ChatReply) -> None:
        """Keep a reply; the first under a key stays."""
        with self._lock:
            self._database.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, reply.model_dump_json()))

    def lock(self, key: str) -> asyncio.Lock:
        """What those who ask for the same hold, so that one of them pays; one for each event loop, to which locks belong."""
        return self._asked.setdefault((id(asyncio.get_running_loop()), key), asyncio.Lock())


class CachedModel:
    """A model as one trial sees it; made by :meth:`RequestCache.around`."""

    def __init__(self, model: ChatModel, cache: RequestCache, trial: str) -> None:
        self._model, self._cache, self._trial = model, cache, trial
        self._seen: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model.name

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer from the file, or ask the model and keep its reply.

        Raises:
            ModelError: As the model; errors are not kept.
        """
        first = self._cache.key(self._model, request, self._trial, 0)
        key = self._cache.key(self._model, request, self._trial, self._seen[first])
        self._seen[first] += 1
        try:
            return await self._find_or_ask(key, request)
        except BaseException:
            self._seen[first] -= 1  # nothing was sampled: asking again is no repetition
            raise

    async def _find_or_ask(self, key: str, request: ChatRequest) -> ChatReply:
        async with self._cache.lock(key):
            reply = self._cache.find(key)
            if reply is None:
                reply = await self._model.complete(request)
                self._cache.keep(key, reply)
            return reply

    async def aclose(self) -> None:
        """Nothing: the model belongs to whoever made it."""


def _use_log(database: sqlite3.Connection) -> None:
    """Write ahead; SQLite's own waiting does not cover this step, which processes that open a new file at once all take."""
    for _ in range(int(BUSY / PAUSE)):
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
        time.sleep(PAUSE)
    database.execute("PRAGMA journal_mode = WAL")
