"""Parameters of families whose tasks are of templates: kinds of tasks, each of one domain."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, Self

from pydantic import Field, field_validator, model_validator

from opsgym.core.params import Params

ANY = "any"
"""Stands for a choice that is left to the seed."""

ALL_TOOLS = 100
"""So many distractors are all tools."""


class Template(Protocol):
    """What the parameters need to know of a template."""

    @property
    def domain(self) -> str:
        """Name of its domain."""


def template_knob(names: Iterable[str], description: str) -> Any:
    """A field for the name of a template, which may be left open."""
    return Field(ANY, description=description, json_schema_extra={"unit": "choice", "harder": "none", "enum": [ANY, *names]})


class TemplatedParams(Params):
    """Parameters with a domain and a template, of which either may be :data:`ANY`; others must fit together.

    A family declares both fields again, with its own choices.
    """

    domain: str = ANY
    template: str = ANY

    @classmethod
    @abstractmethod
    def templates(cls) -> Mapping[str, Template]:
        """The family's templates by name."""

    @field_validator("template")
    @classmethod
    def _known(cls, name: str) -> str:
        if name != ANY and name not in cls.templates():
            raise ValueError(f"expected a template's name or {ANY!r}")
        return name

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if ANY not in (self.domain, self.template) and self.templates()[self.template].domain != self.domain:
            raise ValueError(f"template {self.template} is not of domain {self.domain}")
        return self

    @classmethod
    def _values(cls, sample: Mapping[str, Any]) -> dict[str, Any]:
        """As in the base class; where a template is named, its domain counts."""
        values = super()._values(sample)
        if "domain" in values and values.get("template", ANY) != ANY:
            values["domain"] = cls.templates()[values["template"]].domain
        return values
