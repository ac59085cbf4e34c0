"""Axes of a task space: choices, whole numbers and numbers, each mapped to the unit interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from opsgym.core.errors import TaskError

__all__ = ["Axis", "Choice", "FloatRange", "Harder", "IntRange"]

Harder = Literal["up", "down", "none"]
Condition = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values.

    Attributes:
        values: JSON values, in order; easiest first where ``harder`` is ``"up"``.
        harder: In which direction of the order tasks get harder.
        when: The axis counts only where each named axis before it has one of the values given; else it is left out.

    Example:
        >>> Choice(("none", "serial", "parallel")).at(0.5)
        'serial'
    """

    values: tuple[Any, ...]
    harder: Harder = "none"
    when: Condition = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.values:
            raise TaskError("expected at least one value, got none", field="values")

    def at(self, position: float) -> Any:
        """The value at a position in [0, 1]; every value has an equal part of the interval."""
        return self.values[min(int(position * len(self.values)), len(self.values) - 1)]

    def position(self, value: Any) -> float:
        """The middle of the value's part of [0, 1].

        Raises:
            TaskError: The value is not on the axis.
        """
        if value not in self.values:
            raise TaskError(f"expected one of {list(self.values)}, got {value!r}", field="value")
        return (self.values.index(value) + 0.5) / len(self.values)

    def grid(self, bins: int) -> list[Any]:
        """Every value."""
        return list(self.values)

    def neighbours(self, value: Any, step: float) -> list[Any]:
        """What one edit makes of a value: the next ones of an ordered axis, any other of an unordered one."""
        if self.harder == "none":
            return [other for other in self.values if other != value]
        place = self.values.index(value)
        return [self.values[at] for at in (place - 1, place + 1) if 0 <= at < len(self.values)]


@dataclass(frozen=True, slots=True)
class IntRange:
    """A whole number from ``low`` to ``high``, inclusive.

    Attributes:
        low: Least value.
        high: Greatest value.
        harder: In which direction tasks get harder.
        when: See :class:`Choice`.

    Example:
        >>> axis = IntRange(1, 4)
        >>> axis.at(0.0), axis.at(0.99), axis.position(1)
        (1, 4, 0.125)
    """

    low: int
    high: int
    harder: Harder = "up"
    when: Condition = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise TaskError(f"expected low <= high, got {self.low} > {self.high}", field="low")

    def at(self, position: float) -> int:
        """The value at a position in [0, 1]; every value has an equal part of the interval."""
        size = self.high - self.low + 1
        return self.low + min(int(position * size), size - 1)

    def position(self, value: Any) -> float:
        """The middle of the value's part of [0, 1].

        Raises:
            TaskError: The value is not on the axis.
        """
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise TaskError(f"expected a whole number from {self.low} to {self.high}, got {value!r}", field="value")
        return (value - self.low + 0.5) / (self.high - self.low + 1)

    def grid(self, bins: int) -> list[int]:
        """Every value, or ``bins`` of them in equal steps where there are more."""
        size = self.high - self.low + 1
        return [self.at((index + 0.5) / min(bins, size)) for index in range(min(bins, size))]

    def neighbours(self, value: int, step: float) -> list[int]:
        """One less and one more, where they are on the axis."""
        return [other for other in (value - 1, value + 1) if self.low <= other <= self.high]


@dataclass(frozen=True, slots=True)
class FloatRange:
    """A number from ``low`` to ``high``, inclusive.

    Attributes:
        low: Least value.
        high: Greatest value.
        harder: In which direction tasks get harder.
        when: See :class:`Choice`.
    """

    low: float
    high: float
    harder: Harder = "up"
    when: Condition = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise TaskError(f"expected low <= high, got {self.low} > {self.high}", field="low")

    def at(self, position: float) -> float:
        """The value at a position in [0, 1]."""
        return min(self.high, self.low + (self.high - self.low) * min(max(position, 0.0), 1.0))

    def position(self, value: Any) -> float:
        """Where the value lies, in [0, 1].

        Raises:
            TaskError: The value is not on the axis.
        """
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.low <= value <= self.high:
            raise TaskError(f"expected a number from {self.low} to {self.high}, got {value!r}", field="value")
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5

    def grid(self, bins: int) -> list[float]:
        """Middles of ``bins`` equal parts."""
        return [self.at((index + 0.5) / bins) for index in range(bins)]

    def neighbours(self, value: float, step: float) -> list[float]:
        """The values one ``step``, a share of the range, below and above; cut at the ends."""
        move = (self.high - self.low) * step
        others = (max(self.low, value - move), min(self.high, value + move))
        return [other for other in others if other != value]


Axis = Choice | IntRange | FloatRange
