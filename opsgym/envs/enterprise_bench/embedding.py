"""Search by embeddings, behind the same protocol as full text."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

from opsgym.core.changes import quoted
from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.world import World
from opsgym.envs.enterprise_bench.search import Hit, text_of

Encode = Callable[[Sequence[str]], Any]
"""Gives an array of shape ``(texts, dimensions)`` for texts, such as ``SentenceTransformer.encode``."""

DIGITS = 4
"""Decimals of a score; differences beyond them are a matter of the machine."""


class Embedding:
    """Ranks the records that may be read by the cosine of their text's vector and the query's.

    A record's score depends on its own text and the query alone, so that records which may not be read have no effect.  Vectors
    are kept by text, so that a text is encoded once while it is kept.  Equal scores stand in the order of their keys.

    Args:
        encode: The model.
        least: A result has a cosine above this.
        batch: Texts that the model is given at once.  With 1 a text's vector cannot depend on others; a model that pads its
            texts rounds otherwise in other company, so that a replay may differ.  Greater numbers are for models that do not.
        max_texts: Vectors that are kept; the oldest are forgotten first.

    Raises:
        TaskError: ``batch`` or ``max_texts`` is below 1; or, at a search, the model gives no array of the right shape.

    Example:
        >>> import gymnasium as gym
        >>> import numpy as np
        >>> import opsgym
        >>> def letters(texts):
        ...     return np.array([[text.lower().count(letter) for letter in "acdelnopsvy"] for text in texts])
        >>> options = {"tier": "easy", "cache": None, "params": {"distractors": 100}, "retriever": Embedding(letters)}
        >>> env = gym.make("EnterpriseBench-v0", **options)
        >>> brief, info = env.reset(seed=7)
        >>> call = '{"name": "search_documents", "arguments": {"source": "post", "query": "lac vandes", "limit": 1}}'
        >>> observation, *rest = env.step(call)
        >>> "relevance" in observation
        True
    """

    def __init__(self, encode: Encode, *, least: float = 0.0, batch: int = 1, max_texts: int = 20_000) -> None:
        for name, value in (("batch", batch), ("max_texts", max_texts)):
            if value < 1:
                raise TaskError(f"expected at least 1, got {value}", field=name)
        self._encode, self._least, self._batch, self._max_texts = encode, least, batch, max_texts
        self._vectors: dict[str, Any] = {}

    def find(self, world: World, table: str, key: str, allowed: str, query: str, limit: int) -> tuple[list[Hit], int]:
        """See :class:`~opsgym.envs.enterprise_bench.search.Retriever`."""
        sql = f"SELECT {quoted(key)}, {text_of(table)} FROM {quoted(table)} WHERE ({allowed})"
        rows: list[tuple[str, str]] = world.conn.execute(sql).fetchall()
        vectors = self._known([query, *(text for _, text in rows)])
        asked = vectors[query]
        scores = {text: round(float(asked @ vector), DIGITS) for text, vector in vectors.items()}
        found = [(-scores[text], name) for name, text in rows if scores[text] > self._least]
        return [Hit(name, -score) for score, name in heapq.nsmallest(limit, found)], len(found)

    def _known(self, texts: Sequence[str]) -> dict[str, Any]:
        """Vectors by text, of length 1 or 0."""
        wanted = dict.fromkeys(texts)
        new = [text for text in wanted if text not in self._vectors]
        for start in range(0, len(new), self._batch):
            some = new[start : start + self._batch]
            self._vectors.update(zip(some, self._encoded(some), strict=True))
        known = {text: self._vectors[text] for text in wanted}
        while len(self._vectors) > self._max_texts:
            del self._vectors[next(iter(self._vectors))]
        return known

    def _encoded(self, texts: Sequence[str]) -> Any:
        import numpy as np

        vectors = np.asarray(self._encode(texts), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise TaskError(f"expected vectors of shape ({len(texts)}, dimensions), got {vectors.shape}", field="encode")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(lengths == 0, 1, lengths)


def char_ngrams() -> Embedding:
    """An embedding without weights: hashed counts of the two to four letters that stand together in words.

    It finds words that are spelt or inflected otherwise, and no synonyms.  It needs scikit-learn, which the extra ``train``
    brings.

    Raises:
        OpsGymError: scikit-learn is missing.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> path = "opsgym.envs.enterprise_bench.embedding:char_ngrams"
        >>> env = gym.make("EnterpriseBench-v0", tier="easy", cache=None, params={"distractors": 100}, retriever=path)
        >>> brief, info = env.reset(seed=7)
        >>> call = '{"name": "search_documents", "arguments": {"source": "post", "query": "a cyclist meet-up", "limit": 1}}'
        >>> observation, *rest = env.step(call)
        >>> "Cycling meetup" in observation
        True
    """
    try:
        from sklearn.feature_extraction.text import HashingVectorizer
    except ImportError as error:
        raise OpsGymError("char_ngrams needs scikit-learn: pip install 'opsgym[train]'") from error
    model = HashingVectorizer(analyzer="char_wb", ngram_range=(2, 4), n_features=1024)
    return Embedding(lambda texts: model.transform(texts).toarray(), least=0.1, batch=1024)
