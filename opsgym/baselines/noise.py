"""Noise: plans with mistakes in them, of the kind that a careless agent makes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from opsgym.core.task import ToolCall

__all__ = ["noisy", "spoiled"]

Place = tuple[str | int, ...]
"""Keys and indices that lead to a value inside arguments."""


def noisy(calls: Iterable[ToolCall], rate: float, rng: np.random.Generator) -> list[ToolCall]:
    """The calls, each but the last of which is spoiled with probability ``rate``.

    Args:
        calls: A plan; its last call ends the episode and is kept.
        rate: Probability in [0, 1].
        rng: Source of chance.
    """
    *body, last = calls
    script = []
    for call in body:
        kept = call if rng.random() >= rate else spoiled(call, rng)
        script += [] if kept is None else [kept]
    return [*script, last]


def spoiled(call: ToolCall, rng: np.random.Generator) -> ToolCall | None:
    """The call with one number or date a step off, or none at all: as often as it has such values, once more for none."""
    places = list(_places(call.arguments))
    choice = int(rng.integers(len(places) + 1))
    if choice == len(places):
        return None
    return ToolCall(name=call.name, arguments=_changed(call.arguments, places[choice], int(rng.choice([-1, 1]))))


def _places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Where numbers and dates stand."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _places(item, (*place, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _places(item, (*place, index))
    elif (isinstance(value, int | float) and not isinstance(value, bool)) or _date(value) is not None:
        yield place


def _changed(value: Any, place: Place, step: int) -> Any:
    if not place:
        day = _date(value)
        return value + step if day is None else (day + dt.timedelta(days=step)).isoformat()
    head, *rest = place
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    changed = {key: _changed(item, tuple(rest), step) if key == head else item for key, item in items}
    return changed if isinstance(value, Mapping) else list(changed.values())


def _date(value: Any) -> dt.date | None:
    try:
        return dt.date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
