"""Difficulty parameters: one frozen pydantic model per family whose fields say range, unit and direction."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Self

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from opsgym.core.errors import RegistryError, TaskError

Harder = Literal["up", "down", "none"]


def knob(
    default: Any,
    *,
    low: float | None = None,
    high: float | None = None,
    unit: str,
    harder: Harder,
    description: str,
    is_late: bool = False,
) -> Any:
    """A pydantic field of a :class:`Params` model.

    Args:
        default: Default value.
        low: Least value, inclusive.
        high: Greatest value, inclusive.
        unit: Unit in words, for example ``"days"``; ``"choice"`` for names.
        harder: In which direction tasks get harder: ``"up"``, ``"down"`` or ``"none"`` (a neutral choice).
        description: One sentence.
        is_late: Whether it came after tasks were published.  Dumps then leave it out at its default, so that these keep
            their identity.
    """
    extra: dict[str, Any] = {"unit": unit, "harder": harder}
    left_out = default.__eq__ if is_late else None
    return Field(default, ge=low, le=high, description=description, json_schema_extra=extra, exclude_if=left_out)


class Params(BaseModel):
    """Base of every family's difficulty parameters."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def build(cls, values: Mapping[str, Any]) -> Self:
        """Check ``values`` and make the model.

        Raises:
            RegistryError: A name is no parameter; the message lists those that exist.
            TaskError: A value is outside its range or of the wrong type.
        """
        for name in values:
            if name not in cls.model_fields:
                raise RegistryError("parameter", name, cls.model_fields)
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            said = first["msg"].removeprefix("Value error, ")
            given = f", got {first['input']!r}" if first["loc"] else ""  # of values that do not fit together: said already
            raise TaskError(f"{said}{given}", field=".".join(("params", *map(str, first["loc"])))) from error

    def override(self, values: Mapping[str, Any]) -> Self:
        """A copy with some values replaced, checked like :meth:`build`."""
        return self.build({**self.model_dump(), **values})

    @classmethod
    def space(cls) -> Dict:
        """The parameters as a Gymnasium space, one entry a field.

        Integers, booleans and choices are ``Discrete`` (a choice by its index), a number is a ``Box`` without
        dimensions and a pair of numbers a ``Box`` of that length.  Turn a sample into parameters with :meth:`from_sample`.

        Raises:
            TypeError: A field has no range, or a type of which no space can be made.
        """
        return Dict({name: _space(name, schema) for name, schema in _schemas(cls).items()})

    @classmethod
    def from_sample(cls, sample: Mapping[str, Any]) -> Self:
        """The parameters that a sample of :meth:`space` stands for; pairs are put in ascending order.

        Raises:
            RegistryError: A name is no parameter.
            TaskError: A value is outside its range.
        """
        return cls.build(cls._values(sample))

    @classmethod
    def _values(cls, sample: Mapping[str, Any]) -> dict[str, Any]:
        """The values that a sample stands for, unchecked; names that are no parameters stay as they are."""
        schemas = _schemas(cls)
        return {name: _value(schemas[name], item) if name in schemas else item for name, item in sample.items()}

    @classmethod
    def describe(cls) -> list[dict[str, Any]]:
        """One row a field, for tables: ``name``, ``default``, ``range``, ``unit``, ``harder`` and ``description``."""
        return [
            {
                "name": name,
                "default": schema.get("default"),
                "range": _range(schema),
                "unit": schema.get("unit", ""),
                "harder": schema.get("harder", "none"),
                "description": schema.get("description", ""),
            }
            for name, schema in _schemas(cls).items()
        ]


@cache
def _schemas(model: type[Params]) -> dict[str, dict[str, Any]]:
    """JSON Schema of each field: in it, every way to state a range looks the same."""
    properties: dict[str, dict[str, Any]] = model.model_json_schema()["properties"]
    return properties


def _space(name: str, schema: dict[str, Any]) -> Space[Any]:
    if "enum" in schema or "const" in schema:
        return Discrete(len(_choices(schema)))
    kind = schema.get("type")
    if kind == "boolean":
        return Discrete(2)
    items = schema.get("prefixItems", [schema])
    kinds = {item.get("type") for item in items}
    if not kinds <= {"integer", "number"} or any("minimum" not in item or "maximum" not in item for item in items):
        raise TypeError(f"parameter {name!r}: expected numbers with a least and a greatest value, a choice or a boolean")
    if kind == "integer":
        return Discrete(int(schema["maximum"] - schema["minimum"]) + 1, start=int(schema["minimum"]))
    dtype: Any = np.int64 if kinds == {"integer"} else np.float64
    low, high = ([item[bound] for item in items] for bound in ("minimum", "maximum"))
    if kind == "array":
        return Box(np.array(low, dtype), np.array(high, dtype), dtype=dtype)
    return Box(low[0], high[0], shape=(), dtype=dtype)


def _value(schema: dict[str, Any], item: Any) -> Any:
    """One entry of a sample as the parameter's own type."""
    if "enum" in schema or "const" in schema:
        return _choices(schema)[int(item)]
    if schema["type"] == "boolean":
        return bool(item)
    plain = np.asarray(item).tolist()
    return tuple(sorted(plain)) if schema["type"] == "array" else plain


def _choices(schema: dict[str, Any]) -> list[Any]:
    return list(schema["enum"]) if "enum" in schema else [schema["const"]]


def _range(schema: dict[str, Any]) -> str:
    """The values in words, for example ``2 to 40`` or ``none, single_bom``."""
    if "enum" in schema or "const" in schema:
        return ", ".join(map(str, _choices(schema)))
    if schema.get("type") == "boolean":
        return "false, true"
    if "prefixItems" in schema:
        return "; ".join(_range(item) for item in schema["prefixItems"])
    return f"{schema.get('minimum', '')} to {schema.get('maximum', '')}"
