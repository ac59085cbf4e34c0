"""Splits: disjoint sets of task seeds for training, validation and test.

The split of a task is a property of its seed's last decimal digit, so it holds for generated tasks and for packs
alike, and nobody has to keep lists.
"""

from __future__ import annotations

import numpy as np

from opsgym.core.errors import RegistryError

SPLITS: dict[str, tuple[int, ...]] = {"train": (0, 1, 2, 3, 4, 5, 6, 7), "validation": (8,), "test": (9,)}
"""Last decimal digits of the seeds of each split."""

_BASES = 200_000_000  # times ten stays below 2**31


def check_split(split: str | None) -> str | None:
    """The name itself, when it is one of :data:`SPLITS` or ``None``.

    Raises:
        RegistryError: No such split.
    """
    if split is not None and split not in SPLITS:
        raise RegistryError("split", split, SPLITS)
    return split


def split_of(seed: int) -> str:
    """The split to which a task seed belongs.

    Example:
        >>> split_of(128), split_of(9), split_of(4)
        ('validation', 'test', 'train')
    """
    return next(name for name, digits in SPLITS.items() if abs(seed) % 10 in digits)


def draw_seed(rng: np.random.Generator, split: str | None = None) -> int:
    """A task seed below 2e9, of ``split`` when one is named; takes two numbers from ``rng``.

    Raises:
        RegistryError: No such split.
    """
    digits = range(10) if split is None else SPLITS[check_split(split) or split]
    base, last = int(rng.integers(_BASES)), int(rng.integers(len(digits)))
    return base * 10 + digits[last]
