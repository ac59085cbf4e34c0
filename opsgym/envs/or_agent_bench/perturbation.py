"""Random submissions near a given one, of any class: for tests of validators against models, and for benchmarks."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.kit import Plan

MOST_MOVES = 3


def perturbed(plan: Plan, stream: Stream) -> Plan:
    """A copy with up to three random moves that keep the types: values swapped, copied or nudged, entries dropped or doubled.

    Example:
        >>> perturbed({"rows": [{"a": 1}, {"a": 5}]}, Stream("demo", 1))
        {'rows': [{'a': 2}, {'a': 5}]}
    """
    changed = copy.deepcopy(plan)
    for _ in range(stream.below(MOST_MOVES + 1)):
        lists = [items for items in _lists(changed) if items]
        if lists:
            _move(stream.pick(lists), lists, stream)
    return changed


def _lists(value: Any) -> Iterator[list[Any]]:
    """Every list inside a value."""
    if isinstance(value, list):
        yield value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _lists(part)


def _move(items: list[Any], lists: list[list[Any]], stream: Stream) -> None:
    here, there = stream.below(len(items)), stream.below(len(items))
    kind = stream.below(10)
    if kind == 0:
        items.pop(here)
    elif kind == 1:
        items.insert(there, copy.deepcopy(items[here]))
    elif isinstance(items[here], dict):
        _in_record(items[here], items[there], stream)
    elif kind < 6:
        items[here], items[there] = items[there], items[here]
    else:
        others = [other for other in lists if _kinds(other) == _kinds(items)]
        other = stream.pick(others)
        other.insert(stream.below(len(other) + 1), items.pop(here))


def _in_record(record: dict[str, Any], other: dict[str, Any], stream: Stream) -> None:
    names = [name for name in record if name in other and not isinstance(record[name], list | dict)]
    if not names:
        return
    name = stream.pick(names)
    value = record[name]
    if type(value) in (int, float) and stream.below(2):
        step = stream.between(1, max(1, int(abs(value)) // 3) if stream.below(2) else 1)
        record[name] = value + (step if stream.below(2) else -step)
    elif stream.below(2):
        record[name], other[name] = other[name], value
    else:
        record[name] = other[name]


def _kinds(items: list[Any]) -> set[str]:
    return {type(item).__name__ for item in items}
