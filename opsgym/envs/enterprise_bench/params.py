"""Difficulty parameters of EnterpriseBench."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from opsgym.core.errors import RegistryError
from opsgym.core.params import Params, knob
from opsgym.envs.enterprise_bench.access import Preset
from opsgym.envs.enterprise_bench.company import Size
from opsgym.envs.enterprise_bench.templates import DOMAINS, template_by_name

ANY = "any"
"""Stands for a choice that is left to the seed."""

UNANSWERABLE = "unanswerable"
"""Name of the pattern of requests that cannot be met, of any template."""

ALL_TOOLS = 100
"""So many distractors are all tools."""

DomainName = Literal["any", "swe", "sales", "hr", "it", "business"]


def _known(name: str) -> str:
    if name != ANY and name not in template_by_name():
        raise ValueError(f"expected a template's name or {ANY!r}")
    return name


class BenchParams(Params):
    """Parameters of one task."""

    domain: DomainName = knob(ANY, unit="choice", harder="none", description="The domain of the request.")
    template: Annotated[str, AfterValidator(_known)] = Field(
        ANY,
        description="The kind of request.",
        json_schema_extra={"unit": "choice", "harder": "none", "enum": [ANY, *template_by_name()]},
    )
    size: Size = knob("S", unit="choice", harder="up", description="Employees of the company: 120 (S) or 1,260 (L).")
    search: float = knob(
        0.65, low=0.0, high=1.0, unit="share", harder="none", description="Weight of requests to find something."
    )
    crud: float = knob(
        0.30, low=0.0, high=1.0, unit="share", harder="none", description="Weight of requests to change something."
    )
    unanswerable: float = knob(
        0.05,
        low=0.0,
        high=1.0,
        unit="share",
        harder="none",
        description="Share of requests that cannot be met; 1 makes every one so.",
    )
    indirection: int = knob(
        0,
        low=0,
        high=2,
        unit="hops",
        harder="up",
        description="How other employees are named: by id, by name, or through somebody whose manager they are.",
    )
    errands: int = knob(
        0, low=0, high=2, unit="subtasks", harder="up", description="Employees who are to be told about it, by mail or message."
    )
    ambiguity: int = knob(
        0, low=0, high=1, unit="choice", harder="up", description="Whether employees who have namesakes are preferred."
    )
    distractors: int = knob(
        5,
        low=0,
        high=ALL_TOOLS,
        unit="tools",
        harder="up",
        description="Tools on offer beyond those needed; the highest value offers all.",
    )
    access: Preset = knob("standard", unit="choice", harder="none", description="The rules of access.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if ANY not in (self.domain, self.template) and template_by_name()[self.template].domain != self.domain:
            raise ValueError(f"template {self.template} is not of domain {self.domain}")
        return self

    @classmethod
    def from_sample(cls, sample: Mapping[str, Any]) -> Self:
        """As in the base class; where a template is named, its domain counts."""
        names = [ANY, *template_by_name()]
        chosen = names[int(sample["template"])] if "template" in sample else ANY
        if chosen != ANY and "domain" in sample:
            sample = {**sample, "domain": (ANY, *DOMAINS).index(template_by_name()[chosen].domain)}
        return super().from_sample(sample)


_RANGES = ("indirection", "errands", "ambiguity", "distractors")


@dataclass(frozen=True, slots=True)
class Tier:
    """A named region: what its tasks are drawn from.

    Attributes:
        sizes: Sizes of companies.
        indirection: Range of indirections.
        errands: Range of errands, where the request changes something; others have none.
        ambiguity: Range of ambiguities.
        distractors: Range of distractors.
    """

    sizes: tuple[Size, ...]
    indirection: tuple[int, int]
    errands: tuple[int, int]
    ambiguity: tuple[int, int]
    distractors: tuple[int, int]

    def holds(self, params: BenchParams) -> bool:
        """Whether a point lies in the region."""
        is_search = params.template != ANY and template_by_name()[params.template].kind == "search"
        within = all(
            getattr(self, name)[0] <= getattr(params, name) <= getattr(self, name)[1]
            or (name == "errands" and is_search and params.errands == 0)
            for name in _RANGES
        )
        return within and params.size in self.sizes

    def draw(self, draw: random.Random) -> dict[str, Any]:
        """A point of the region."""
        values: dict[str, Any] = {name: draw.randint(*getattr(self, name)) for name in _RANGES}
        return {**values, "size": draw.choice(self.sizes)}


TIERS: dict[str, Tier] = {
    "easy": Tier(("S",), (0, 0), (0, 0), (0, 0), (0, 5)),
    "medium": Tier(("S",), (1, 1), (0, 1), (0, 1), (6, 15)),
    "hard": Tier(("S", "L"), (1, 2), (1, 1), (1, 1), (16, 40)),
    "expert": Tier(("L",), (2, 2), (2, 2), (1, 1), (ALL_TOOLS, ALL_TOOLS)),
}
"""Difficulty regions, easiest first."""


def draw_params(
    seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
) -> BenchParams:
    """Parameters for a seed.

    Args:
        seed: Seed of the draw.
        tier: Name of a tier; by default the seed picks one.
        pattern: Name of a template, or :data:`UNANSWERABLE`; by default the seed picks a template, in the overrides' shares.
        overrides: Values that replace the drawn ones.

    Raises:
        RegistryError: Unknown tier, pattern or parameter.
        TaskError: A value is out of range, or the values do not fit together.
    """
    given = dict(overrides or {})
    known = template_by_name()
    if tier is not None and tier not in TIERS:
        raise RegistryError("tier", tier, TIERS)
    if pattern is not None and pattern not in (*known, UNANSWERABLE):
        raise RegistryError("pattern", pattern, (*known, UNANSWERABLE))
    draw = random.Random(f"params/{tier}/{pattern}/{seed}")
    values = TIERS[tier or draw.choice(list(TIERS))].draw(draw)
    named = pattern if pattern in known else given.get("template", ANY)
    if pattern == UNANSWERABLE:
        values["unanswerable"] = 1.0
    elif pattern is not None:
        values["unanswerable"] = 0.0
    if named == ANY:
        named = _template(draw, {**values, **given})
    values["template"] = named
    if named in known:
        values["domain"] = known[named].domain
        if known[named].kind == "search":
            values["errands"] = 0
    return BenchParams.build({**values, **{name: value for name, value in given.items() if value != ANY}})


def _template(draw: random.Random, values: Mapping[str, Any]) -> str:
    """A template by the shares: first its kind, then its domain."""
    search, crud = values.get("search", 0.65), values.get("crud", 0.30)
    domain, is_blocked = values.get("domain", ANY), values.get("unanswerable", 0.05) == 1
    kind = "search" if draw.random() * (search + crud) < search else "crud"
    fitting = [item for item in template_by_name().values() if domain in (ANY, item.domain) and (item.twins or not is_blocked)]
    found = [item for item in fitting if item.kind == kind] or fitting
    if not found:
        return ANY
    wanted = draw.choice([name for name in DOMAINS if any(item.domain == name for item in found)])
    return draw.choice([item.name for item in found if item.domain == wanted])


def tier_of(params: BenchParams) -> str:
    """The tier in whose region a point lies, or ``custom``."""
    return next((name for name, tier in TIERS.items() if tier.holds(params)), "custom")
