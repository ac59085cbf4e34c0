"""The Pareto frontier of cost and success."""

from __future__ import annotations

from collections.abc import Sequence


def frontier(costs: Sequence[float], values: Sequence[float]) -> list[int]:
    """Positions of the points that no other point beats, cheapest first: none costs at most as much and is worth more.

    Source: ERP-Bench, figure 8.  Of equal points the first counts; points with NaN do not.

    Example:
        >>> frontier([1.0, 2.0, 3.0, 2.0], [0.2, 0.5, 0.4, 0.1])
        [0, 1]
    """
    there = [i for i in range(len(costs)) if costs[i] == costs[i] and values[i] == values[i]]
    best, kept = float("-inf"), []
    for place in sorted(there, key=lambda i: (costs[i], -values[i], i)):
        if values[place] > best:
            best = values[place]
            kept.append(place)
    return kept
