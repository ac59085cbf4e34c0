"""TaskSpace: the region of tasks that a curriculum moves in."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.family import Family
from opsgym.core.params import Params
from opsgym.core.task import canonical_json
from opsgym.curricula.axes import Axis, Choice, FloatRange, Harder, IntRange

__all__ = ["FAILURE_RATE", "TaskSpace"]

FAILURE_RATE = "failure_rate"
"""Axis that is no parameter of the task: the probability that a tool call fails."""

SELECTORS = ("tier", "pattern")
"""Axes that pick a named region of the family and so are reset options of their own."""

MOST_CELLS = 100_000
TRIES = 1000

Check = Callable[[Mapping[str, Any]], object]
AxisLike = Axis | Sequence[Any]


class TaskSpace:
    """Named axes, values that are fixed beside them, and a check of the points that are no tasks.

    A point is a mapping from names to JSON values.  Axes are encoded into the unit cube in their order: discrete values as
    the middles of equal parts, a conditional axis that does not count as 0.5.

    Args:
        axes: Axes by name; a pair of whole numbers means an :class:`IntRange`, a pair with a float a :class:`FloatRange`,
            any other sequence a :class:`Choice`.
        fixed: Values that every point has beside the axes.
        check: Raises :class:`~opsgym.core.errors.TaskError` for a point that is no task.

    Raises:
        TaskError: There is no axis, a name is both an axis and fixed, or a condition names no axis before it.

    Example:
        >>> space = TaskSpace({"hidden": (1, 3), "decoys": (0, 2)}, fixed={"rows": 3})
        >>> len(space.grid()), space.encode({"hidden": 3, "decoys": 0, "rows": 3}).round(2).tolist()
        (9, [0.83, 0.17])
        >>> space.decode([0.0, 1.0])
        {'rows': 3, 'hidden': 1, 'decoys': 2}
    """

    def __init__(
        self, axes: Mapping[str, AxisLike], *, fixed: Mapping[str, Any] | None = None, check: Check | None = None
    ) -> None:
        self.axes: dict[str, Axis] = {name: _axis(axis) for name, axis in axes.items()}
        self.fixed = dict(fixed or {})
        self.check = check
        if not self.axes:
            raise TaskError("expected at least one axis, got none", field="axes")
        known: set[str] = set(self.fixed)
        for name, axis in self.axes.items():
            if name in self.fixed:
                raise TaskError("is both an axis and a fixed value", field=f"axes.{name}")
            for other in axis.when:
                if other not in known:
                    raise TaskError(f"depends on {other!r}, which is no axis before it", field=f"axes.{name}.when")
            known.add(name)

    @classmethod
    def of(
        cls,
        family: str | Family[Any],
        axes: Mapping[str, AxisLike] | Sequence[str] | None = None,
        *,
        fixed: Mapping[str, Any] | None = None,
    ) -> TaskSpace:
        """The space of a family's difficulty parameters.

        Axes take range and direction from the family's model.  Points that the model refuses are left out; what only the
        compiler refuses is found when the task is made (see :func:`~opsgym.curricula.certify.certifier`).

        Args:
            family: An environment id, or a family.
            axes: Names of parameters, or axes by name (narrower ranges, for example); by default every parameter.  ``"tier"``,
                ``"pattern"`` and ``"failure_rate"`` may be axes too.
            fixed: Values of parameters that are no axes, ``tier`` and ``pattern`` among them.  What is neither is drawn by the
                environment.

        Raises:
            RegistryError: There is no such id or parameter.
            TaskError: A range reaches beyond the parameter's.

        Example:
            >>> space = TaskSpace.of("ACEBench-v0", {"hidden": (1, 6), "decoys": (0, 6)}, fixed={"rows": 3, "cols": 3})
            >>> len(space.grid()), space.axes["decoys"].harder
            (42, 'up')
        """
        plugin = _family(family)
        known = _model_axes(plugin)
        wanted = list(axes) if axes is not None else list(plugin.params_type.model_fields)
        for name in [*wanted, *(fixed or {})]:
            if name not in known:
                raise RegistryError("parameter", name, known)
        chosen = {name: _narrowed(name, known[name], axes[name] if isinstance(axes, Mapping) else None) for name in wanted}
        return cls(chosen, fixed=fixed, check=_Drawable(plugin))

    def __repr__(self) -> str:
        return f"TaskSpace({self.axes!r}, fixed={self.fixed!r})"

    # -- points -------------------------------------------------------------------------------------------

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        """A point drawn uniformly from the cube, again where the check refuses it.

        Raises:
            TaskError: No point passed in 1000 tries.
        """
        return self.nearest(lambda: rng.random(len(self.axes)).tolist())

    def nearest(self, draw: Callable[[], Sequence[float]]) -> dict[str, Any]:
        """The first point that passes the check, of positions drawn again and again.

        Raises:
            TaskError: None of 1000 passed.
        """
        for _ in range(TRIES):
            point = self.decode(draw())
            if self.holds(point):
                return point
        raise TaskError(f"no valid point in {TRIES} tries: narrow the axes or fix more parameters", field="axes")

    def decode(self, position: Sequence[float]) -> dict[str, Any]:
        """The point at a position in the unit cube; fixed values first, then the axes that count."""
        point = dict(self.fixed)
        for (name, axis), where in zip(self.axes.items(), position, strict=True):
            if not axis.when or self._counts(axis, point):
                point[name] = axis.at(where)
        return point

    def encode(self, point: Mapping[str, Any]) -> NDArray[np.float64]:
        """The position of a point in the unit cube, of shape ``(len(axes),)``.

        Raises:
            TaskError: A value is missing or not on its axis.
        """
        position = []
        for name, axis in self.axes.items():
            if axis.when and not self._counts(axis, point):
                position.append(0.5)
            elif name not in point:
                raise TaskError(f"expected a value, got none in {dict(point)!r}", field=name)
            else:
                position.append(axis.position(point[name]))
        return np.array(position)

    def holds(self, point: Mapping[str, Any]) -> bool:
        """Whether the check lets a point pass."""
        if self.check is None:
            return True
        try:
            self.check(point)
        except TaskError:
            return False
        return True

    def key(self, point: Mapping[str, Any]) -> str:
        """Name of a point: its values on the axes, in their order."""
        return ",".join(f"{name}={point[name]}" for name in self.axes if name in point)

    def difficulty(self, point: Mapping[str, Any]) -> float:
        """Mean position of a point on the axes that have a direction, 0 the easiest and 1 the hardest."""
        places = [
            where if axis.harder == "up" else 1.0 - where
            for (name, axis), where in zip(self.axes.items(), self.encode(point), strict=True)
            if axis.harder != "none" and name in point
        ]
        return math.fsum(places) / len(places) if places else 0.5

    # -- grids --------------------------------------------------------------------------------------------

    @property
    def size(self) -> float:
        """How many points the axes have, conditions and the check aside; infinite with an axis of numbers."""
        return math.prod(
            math.inf
            if isinstance(axis, FloatRange)
            else len(axis.values)
            if isinstance(axis, Choice)
            else axis.high - axis.low + 1
            for axis in self.axes.values()
        )

    def grid(self, bins: int = 10) -> list[dict[str, Any]]:
        """Every valid point, easiest values first; axes with more than ``bins`` values give that many.

        Raises:
            TaskError: There are more than 100,000 points, or none is valid.
        """
        parts = [axis.grid(bins) for axis in self.axes.values()]
        count = math.prod(map(len, parts))
        if count > MOST_CELLS:
            raise TaskError(f"{count} cells, expected at most {MOST_CELLS}: choose fewer axes or bins", field="axes")
        points: dict[str, dict[str, Any]] = {}
        for values in itertools.product(*parts):
            point = dict(self.fixed)
            for (name, axis), value in zip(self.axes.items(), values, strict=True):
                if not axis.when or self._counts(axis, point):
                    point[name] = value
            points.setdefault(canonical_json(point), point)
        valid = [point for point in points.values() if self.holds(point)]
        if not valid:
            raise TaskError("the check refuses every point of the grid", field="axes")
        return valid

    def ladder(self, levels: int) -> list[dict[str, Any]]:
        """Points from the easiest to the hardest corner in equal steps, without repeats and those that are refused."""
        rungs: dict[str, dict[str, Any]] = {}
        for index in range(levels):
            share = index / max(1, levels - 1)
            corner = [1.0 - share if axis.harder == "down" else share for axis in self.axes.values()]
            point = self.decode(corner)
            if self.holds(point):
                rungs.setdefault(canonical_json(point), point)
        return list(rungs.values())

    def neighbours(self, point: Mapping[str, Any], step: float = 0.1) -> list[dict[str, Any]]:
        """Valid points that differ by one step on one axis; conditional axes that begin to count start at their middle."""
        found = []
        for name, axis in self.axes.items():
            if name in point:
                found += [self._completed({**point, name: value}) for value in axis.neighbours(point[name], step)]
        return [other for other in found if self.holds(other)]

    def as_dict(self) -> dict[str, Any]:
        """The space as JSON, without the check."""
        axes = {
            name: {
                "kind": type(axis).__name__,
                **({"values": list(axis.values)} if isinstance(axis, Choice) else {"low": axis.low, "high": axis.high}),
                "harder": axis.harder,
                "when": {other: list(values) for other, values in axis.when.items()},
            }
            for name, axis in self.axes.items()
        }
        return {"axes": axes, "fixed": self.fixed}

    def _completed(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """A point in which just the axes that count have a value."""
        whole = dict(self.fixed)
        for name, axis in self.axes.items():
            if not axis.when or self._counts(axis, whole):
                whole[name] = point[name] if name in point else axis.at(0.5)
        return whole

    @staticmethod
    def _counts(axis: Axis, point: Mapping[str, Any]) -> bool:
        return all(point.get(other) in values for other, values in axis.when.items())


@dataclass(frozen=True, slots=True)
class _Drawable:
    """The check of a family's points: its model takes the values."""

    family: Family[Any]

    def __call__(self, point: Mapping[str, Any]) -> None:
        values = {name: value for name, value in point.items() if name not in (*SELECTORS, FAILURE_RATE)}
        self.family.draw(0, tier=point.get("tier"), pattern=point.get("pattern"), overrides=values)


def _axis(axis: AxisLike) -> Axis:
    if isinstance(axis, Choice | IntRange | FloatRange):
        return axis
    if isinstance(axis, str) or not isinstance(axis, Sequence):
        raise TaskError(f"expected an axis, a pair of numbers or values, got {axis!r}", field="axes")
    numbers = len(axis) == 2 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in axis)
    if not numbers:
        return Choice(tuple(axis))
    low, high = axis
    return IntRange(low, high) if isinstance(low, int) and isinstance(high, int) else FloatRange(float(low), float(high))


def _family(family: str | Family[Any]) -> Family[Any]:
    if isinstance(family, Family):
        return family
    from opsgym.evaluate.entry_points import entry_point_of, load_env

    return load_env(entry_point_of(family), cache=None).family


def _model_axes(family: Family[Any]) -> dict[str, Axis]:
    """Every axis that a family's tasks can have."""
    model: type[Params] = family.params_type
    axes: dict[str, Axis] = {
        FAILURE_RATE: FloatRange(0.0, 1.0),
        "tier": Choice(tuple(family.tiers), harder="up"),
        "pattern": Choice(tuple(family.patterns)),
    }
    schema = model.model_json_schema()["properties"]
    return axes | {name: _of_schema(name, field) for name, field in schema.items()}


def _of_schema(name: str, schema: Mapping[str, Any]) -> Axis:
    harder: Harder = schema.get("harder", "none")
    if "enum" in schema or "const" in schema:
        return Choice(tuple(schema.get("enum") or [schema["const"]]), harder)
    if schema.get("type") == "boolean":
        return Choice((False, True), harder)
    if schema.get("type") in ("integer", "number") and "minimum" in schema and "maximum" in schema:
        if schema["type"] == "integer":
            return IntRange(int(schema["minimum"]), int(schema["maximum"]), harder)
        return FloatRange(float(schema["minimum"]), float(schema["maximum"]), harder)
    # A pair of numbers is one value: its ends as they are given are the only choice until narrowed.
    return Choice((schema.get("default"),), harder)


def _narrowed(name: str, full: Axis, given: AxisLike | None) -> Axis:
    """The axis that the user wants, with the direction of the family's where they give none."""
    if given is None:
        return full
    if isinstance(given, Choice | IntRange | FloatRange):
        axis: Axis = given
    else:
        axis = replace(Choice(tuple(given)) if isinstance(full, Choice) else _axis(given), harder=full.harder)
    if isinstance(axis, IntRange) and isinstance(full, FloatRange):
        axis = FloatRange(float(axis.low), float(axis.high), axis.harder, axis.when)
    is_pair = isinstance(full, Choice) and len(full.values) == 1
    for value in () if is_pair else axis.values if isinstance(axis, Choice) else (axis.low, axis.high):
        _on(name, full, value)
    return axis


def _on(name: str, axis: Axis, value: Any) -> None:
    try:
        axis.position(value)
    except TaskError as error:
        raise TaskError(str(error).removeprefix("value: "), field=name) from None
