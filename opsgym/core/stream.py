"""Stream: random numbers that are the same in every process, on every machine and with every NumPy."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from opsgym.core.task import canonical_json

T = TypeVar("T")
Ints = NDArray[np.int64]


class Stream:
    """A seeded stream built on the raw output of PCG64, the part of NumPy whose stream is frozen by policy.

    Args:
        key: JSON values that name the stream; equal keys give equal streams.

    Example:
        >>> Stream("demo", 7).integers(1, 6, 5).tolist() == Stream("demo", 7).integers(1, 6, 5).tolist()
        True
    """

    def __init__(self, *key: object) -> None:
        digest = hashlib.sha256(canonical_json(list(key)).encode()).digest()
        self._bits = np.random.PCG64(int.from_bytes(digest[:16], "big"))

    def integers(self, low: int, high: int, size: int) -> Ints:
        """``size`` whole numbers, uniform between ``low`` and ``high``, both inclusive."""
        raw = self._bits.random_raw(size) >> np.uint64(32)
        return ((raw * np.uint64(high - low + 1)) >> np.uint64(32)).astype(np.int64) + low

    def below(self, bound: int) -> int:
        """A whole number from 0 to ``bound - 1``."""
        raw: int = self._bits.random_raw()
        return ((raw >> 32) * bound) >> 32

    def between(self, low: int, high: int) -> int:
        """A whole number between ``low`` and ``high``, both inclusive."""
        return low + self.below(high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """One of ``options``."""
        return options[self.below(len(options))]

    def permutation(self, size: int) -> Ints:
        """The numbers 0 to ``size - 1`` in random order."""
        return np.argsort(self._bits.random_raw(size), kind="stable").astype(np.int64)

    def sample(self, options: Sequence[T], size: int) -> list[T]:
        """``size`` different members of ``options``, in random order."""
        return [options[i] for i in self.permutation(len(options))[:size].tolist()]
