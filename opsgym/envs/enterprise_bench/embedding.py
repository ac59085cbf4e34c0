"""Search by embeddings, behind the same protocol as full text: the model is the caller's."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

from opsgym.core.changes import quoted
from opsgym.core.world import World
from opsgym.envs.enterprise_bench.search import Hit, text_of

Encode = Callable[[Sequence[str]], Any]
"""Gives an array of shape ``(texts, dimensions)`` for texts, such as ``SentenceTransformer.encode``."""


class Embedding:
    """Ranks the records that may be read by the cosine of their text's vector and the query's.

    A record's score depends on its own text and the query alone, so that records which may not be read have no effect.  Vectors
    are kept by text, so that each text is encoded once.

    Args:
        encode: The model.  Its vectors must not depend on the other texts of a call.
        least: Least cosine of a result.

    Example:
        >>> import numpy as np
        >>> from opsgym.envs.enterprise_bench import system
        >>> from opsgym.core.world import World
        >>> def letters(texts):
        ...     return np.array([[text.lower().count(letter) for letter in "acdelnopsvy"] for text in texts], float)
        >>> base = system.base(0, "S")
        >>> world = World.from_snapshot(base.snapshot)
        >>> (somebody,) = world.execute("SELECT min(emp_id) FROM employee WHERE is_valid").fetchone()
        >>> session = system.sign_in(world, somebody, "standard", Embedding(letters))
        >>> hits, total = session.search(session.domain.table("policy_document"), "Leave Policy", 1)
        >>> session.get(session.domain.table("policy_document"), {"document_id": hits[0].key})["title"]
        'Leave Policy'
    """

    def __init__(self, encode: Encode, *, least: float = 0.0) -> None:
        self._encode = encode
        self._least = least
        self._vectors: dict[str, Any] = {}

    def find(self, world: World, table: str, key: str, allowed: str, query: str, limit: int) -> tuple[list[Hit], int]:
        """See :class:`~opsgym.envs.enterprise_bench.search.Retriever`."""
        sql = f"SELECT {quoted(key)}, {text_of(table)} FROM {quoted(table)} WHERE ({allowed})"
        rows: list[tuple[str, str]] = world.conn.execute(sql).fetchall()
        asked, *vectors = self._known([query, *(text for _, text in rows)])
        scored = [(round(float(asked @ vector), 6), name) for (name, _), vector in zip(rows, vectors, strict=True)]
        found = [(-score, name) for score, name in scored if score > self._least]
        return [Hit(name, -score) for score, name in heapq.nsmallest(limit, found)], len(found)

    def _known(self, texts: Sequence[str]) -> list[Any]:
        """Vectors of texts, of length 1 or 0."""
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            vectors = np.asarray(self._encode(new), dtype=float)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            for text, vector in zip(new, vectors / np.where(lengths == 0, 1, lengths), strict=True):
                self._vectors[text] = vector
        return [self._vectors[text] for text in texts]
