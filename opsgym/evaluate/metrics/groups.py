"""Groups of results: by tier, pattern or family, in an order that a reader expects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

from opsgym.core.errors import RegistryError
from opsgym.evaluate.results import TrialResult

Key = Literal["tier", "pattern", "family"]


def grouped(results: Iterable[TrialResult], key: Key) -> dict[str, list[TrialResult]]:
    """Results by tier, pattern or family.

    Tiers and patterns stand in their family's order, easiest first; names that no registered family knows follow, sorted.

    Args:
        results: Any results.
        key: What groups them.
    """
    groups: dict[str, list[TrialResult]] = {}
    families: dict[str, None] = {}
    for result in results:
        groups.setdefault(getattr(result, key), []).append(result)
        families.setdefault(result.family)
    order = [] if key == "family" else [name for family in sorted(families) for name in _names(family, key)]
    ranks = {name: rank for rank, name in reversed(list(enumerate(order)))}
    return {name: groups[name] for name in sorted(groups, key=lambda name: (ranks.get(name, len(order)), name))}


@cache
def _names(family: str, key: Key) -> Sequence[str]:
    from opsgym.evaluate.entry_points import entry_point_of, load_env

    try:
        known = load_env(entry_point_of(family), cache=None).family
    except RegistryError:
        return ()
    return known.tiers if key == "tier" else known.patterns
