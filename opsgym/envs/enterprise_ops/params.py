"""Difficulty parameters of EnterpriseOps."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from opsgym.core.errors import RegistryError
from opsgym.core.params import Params, knob
from opsgym.core.records.enforcement import Enforcement
from opsgym.envs.enterprise_ops.company import Size
from opsgym.envs.enterprise_ops.systems import DOMAINS, template_by_name

ANY = "any"
"""Stands for a choice that is left to the seed."""

DomainName = Literal["any", "teams", "csm", "email", "itsm", "calendar", "hr", "drive", "hybrid"]
Seniority = Literal["any", "broad", "narrow"]

ALL_TOOLS = 100
"""So many distractors are all tools of the domain."""


def _known(name: str) -> str:
    if name != ANY and name not in template_by_name():
        raise ValueError(f"expected a template's name or {ANY!r}")
    return name


class EnterpriseParams(Params):
    """Parameters of one task."""

    domain: DomainName = knob(ANY, unit="choice", harder="none", description="The domain; hybrid tasks play in two systems.")
    template: Annotated[str, AfterValidator(_known)] = Field(
        ANY,
        description="The kind of task.",
        json_schema_extra={"unit": "choice", "harder": "none", "enum": [ANY, *template_by_name()]},
    )
    size: Size = knob("M", unit="choice", harder="none", description="Rows of the world: about 500, 3,500 or 10,000 a system.")
    horizon: int = knob(1, low=1, high=6, unit="items", harder="up", description="How many records the request is about.")
    conditions: int = knob(
        1,
        low=1,
        high=4,
        unit="facts",
        harder="up",
        description="By how many facts a record is described; 1 gives its name or number.",
    )
    obligations: int = knob(
        1,
        low=0,
        high=3,
        unit="rules",
        harder="up",
        description="Greatest number of rules that ask for something the request leaves unsaid.",
    )
    traps: int = knob(
        0, low=0, high=2, unit="traps", harder="up", description="Greatest number of records that are easily mistaken."
    )
    distractors: int = knob(
        5,
        low=0,
        high=ALL_TOOLS,
        unit="tools",
        harder="up",
        description="Tools on offer beyond those needed; the highest value offers all.",
    )
    role: Seniority = knob(
        ANY,
        unit="choice",
        harder="none",
        description="Which of the roles that can do the work acts: the one with most rights, with least.",
    )
    enforcement: Enforcement = knob(
        "permissive",
        unit="choice",
        harder="none",
        description="Whether tools refuse what the policy forbids, or only the verdict tells.",
    )
    infeasible: float = knob(
        0.1,
        low=0.0,
        high=1.0,
        unit="share",
        harder="none",
        description="Share of tasks that are to be refused; 1 makes every task so.",
    )

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


@dataclass(frozen=True, slots=True)
class Tier:
    """A named region: what its tasks are drawn from.

    Attributes:
        sizes: Sizes of worlds.
        horizon: Range of horizons.
        conditions: Range of conditions.
        obligations: Range of obligations.
        traps: Range of traps.
        distractors: Range of distractors.
    """

    sizes: tuple[Size, ...]
    horizon: tuple[int, int]
    conditions: tuple[int, int]
    obligations: tuple[int, int]
    traps: tuple[int, int]
    distractors: tuple[int, int]

    def holds(self, params: EnterpriseParams) -> bool:
        """Whether a point lies in the region."""
        ranges = ("horizon", "conditions", "obligations", "traps", "distractors")
        return params.size in self.sizes and all(
            getattr(self, name)[0] <= getattr(params, name) <= getattr(self, name)[1] for name in ranges
        )

    def draw(self, draw: random.Random) -> dict[str, Any]:
        """A point of the region."""
        ranges = ("horizon", "conditions", "obligations", "traps", "distractors")
        values: dict[str, Any] = {name: draw.randint(*getattr(self, name)) for name in ranges}
        return {**values, "size": draw.choice(self.sizes)}


TIERS: dict[str, Tier] = {
    "easy": Tier(("S",), (1, 1), (1, 1), (0, 1), (0, 0), (0, 5)),
    "medium": Tier(("M",), (1, 2), (1, 2), (1, 1), (0, 1), (6, 15)),
    "hard": Tier(("M",), (2, 3), (2, 3), (2, 2), (1, 1), (16, 40)),
    "expert": Tier(("M", "L"), (3, 5), (3, 4), (3, 3), (2, 2), (ALL_TOOLS, ALL_TOOLS)),
}
"""Difficulty regions, easiest first."""


def draw_params(
    seed: int, *, tier: str | None = None, template: str | None = None, overrides: Mapping[str, Any] | None = None
) -> EnterpriseParams:
    """Parameters for a seed.

    Args:
        seed: Seed of the draw.
        tier: Name of a tier; by default the seed picks one.
        template: Name of a template; by default the seed picks one, of the domain where the overrides name one.
        overrides: Values that replace the drawn ones.

    Raises:
        RegistryError: Unknown tier, template or parameter.
        TaskError: A value is out of range, or the values do not fit together.
    """
    given = dict(overrides or {})
    if tier is not None and tier not in TIERS:
        raise RegistryError("tier", tier, TIERS)
    if template is not None and template not in template_by_name():
        raise RegistryError("pattern", template, template_by_name())
    draw = random.Random(f"params/{tier}/{template}/{seed}")
    values = TIERS[tier or draw.choice(list(TIERS))].draw(draw)
    values["enforcement"] = draw.choice(("permissive", "strict"))
    named = template or given.get("template", ANY)
    if named == ANY:
        domain = given.get("domain", ANY)
        known = {name: item.domain for name, item in template_by_name().items() if domain in (ANY, item.domain)}
        if known:
            wanted = draw.choice([name for name in DOMAINS if name in known.values()])
            named = draw.choice([name for name, of in known.items() if of == wanted])
    values["template"] = named
    if named in template_by_name():
        values["domain"] = template_by_name()[named].domain
    return EnterpriseParams.build({**values, **{name: value for name, value in given.items() if value != ANY}})


def tier_of(params: EnterpriseParams) -> str:
    """The tier in whose region a point lies, or ``custom``."""
    return next((name for name, tier in TIERS.items() if tier.holds(params)), "custom")
