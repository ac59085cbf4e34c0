"""Difficulty parameters of EnterpriseOps."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Literal

from opsgym.core.errors import RegistryError
from opsgym.core.params import knob
from opsgym.core.records.enforcement import Enforcement
from opsgym.core.region import Region, region_holding
from opsgym.core.templated import ALL_TOOLS, ANY, TemplatedParams, template_knob
from opsgym.envs.enterprise_ops.company import Size
from opsgym.envs.enterprise_ops.systems import DOMAINS, template_by_name
from opsgym.envs.enterprise_ops.template import Template

DomainName = Literal["any", "teams", "csm", "email", "itsm", "calendar", "hr", "drive", "hybrid"]
Seniority = Literal["any", "broad", "narrow"]


class EnterpriseParams(TemplatedParams):
    """Parameters of one task."""

    domain: DomainName = knob(ANY, unit="choice", harder="none", description="The domain; hybrid tasks play in two systems.")
    template: str = template_knob(template_by_name(), "The kind of task.")
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

    @classmethod
    def templates(cls) -> Mapping[str, Template]:
        """All templates."""
        return template_by_name()


def _region(sizes: tuple[Size, ...], **ranges: tuple[int, int]) -> Region:
    return Region(ranges, {"size": sizes})


TIERS = {
    "easy": _region(("S",), horizon=(1, 1), conditions=(1, 1), obligations=(0, 1), traps=(0, 0), distractors=(0, 5)),
    "medium": _region(("M",), horizon=(1, 2), conditions=(1, 2), obligations=(1, 1), traps=(0, 1), distractors=(6, 15)),
    "hard": _region(("M",), horizon=(2, 3), conditions=(2, 3), obligations=(2, 2), traps=(1, 1), distractors=(16, 40)),
    "expert": _region(
        ("M", "L"), horizon=(3, 5), conditions=(3, 4), obligations=(3, 3), traps=(2, 2), distractors=(ALL_TOOLS, ALL_TOOLS)
    ),
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
    values = TIERS[tier or draw.choice(list(TIERS))].draw(draw.randint, draw.choice)
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
    return region_holding(TIERS, params)
