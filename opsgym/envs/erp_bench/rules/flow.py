"""Exact routing of supply to demand along stated links: a maximum flow on a two-sided graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def is_routable(supply: Mapping[str, int], links: Mapping[str, Sequence[str]], demand: Mapping[str, int]) -> bool:
    """Whether every unit of ``supply`` can go to a linked demand without exceeding any.

    Sources are served one after the other; where the demands of a source are taken, units of earlier
    sources are moved along augmenting paths (Ford and Fulkerson), so that a refusal is a proof.

    Args:
        supply: Units that each source must route.
        links: The demands to which each source may send; unknown demands are an error of the caller.
        demand: Units that each demand takes at most.
    """
    free = dict(demand)
    sent: dict[str, dict[str, int]] = {target: {} for target in demand}  # by demand, then by source

    def push(source: str, wanted: int, seen: set[str]) -> int:
        """Send up to ``wanted`` more units of ``source``; returns how many went, 0 only when none can."""
        for target in links[source]:
            if free[target] > 0:
                moved = min(wanted, free[target])
                free[target] -= moved
                sent[target][source] = sent[target].get(source, 0) + moved
                return moved
        for target in links[source]:
            if target in seen:
                continue
            seen.add(target)
            for other, held in list(sent[target].items()):
                moved = push(other, min(wanted, held), seen) if held and other != source else 0
                if moved:
                    sent[target][other] -= moved
                    sent[target][source] = sent[target].get(source, 0) + moved
                    return moved
        return 0

    for source, units in supply.items():
        while units > 0:
            moved = push(source, units, set())
            if not moved:
                return False
            units -= moved
    return True
