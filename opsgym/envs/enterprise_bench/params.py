"""Difficulty parameters of EnterpriseBench."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Literal, Self, cast

from pydantic import model_validator

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.params import knob
from opsgym.core.region import Region, region_holding
from opsgym.core.templated import ALL_TOOLS, ANY, TemplatedParams, template_knob
from opsgym.envs.enterprise_bench.access import Preset
from opsgym.envs.enterprise_bench.company import Size
from opsgym.envs.enterprise_bench.endings import REASONS, Reason
from opsgym.envs.enterprise_bench.template import Template
from opsgym.envs.enterprise_bench.templates import DOMAINS, template_by_name

UNANSWERABLE = "unanswerable"
"""Name of the pattern of requests that cannot be met, of any template and for any reason."""

PATTERNS: tuple[str, ...] = (*template_by_name(), UNANSWERABLE, *REASONS)
"""Templates; then requests that cannot be met, also by reason."""

DomainName = Literal["any", "swe", "sales", "hr", "it", "business"]

ReasonName = Literal["any", "not_permitted", "not_existing", "ambiguous", "out_of_scope"]


class BenchParams(TemplatedParams):
    """Parameters of one task."""

    domain: DomainName = knob(ANY, unit="choice", harder="none", description="The domain of the request.")
    template: str = template_knob(template_by_name(), "The kind of request.")
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
        description="Share of requests that cannot be met; 1 makes every one so whose template has a twin.",
    )
    reason: ReasonName = knob(ANY, unit="choice", harder="none", description="Why those that cannot be met cannot.")
    indirection: int = knob(
        0,
        low=0,
        high=3,
        unit="hops",
        harder="up",
        description="How employees and records are named: by id or name; by name; through another record, such as a ticket, or as"
        " the manager of another employee; as the manager of one who is named through a record.",
    )
    errands: int = knob(
        0,
        low=0,
        high=2,
        unit="subtasks",
        harder="up",
        description="Employees who are to be told of a change by mail or message; of an answer, one at most, by mail.",
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

    @classmethod
    def templates(cls) -> Mapping[str, Template]:
        """All templates."""
        return template_by_name()

    @model_validator(mode="after")
    def _has_twin(self) -> Self:
        if ANY not in (self.reason, self.template) and self.reason not in self.templates()[self.template].twins:
            raise ValueError(f"template {self.template} has no twin that is {self.reason}")
        return self

    @classmethod
    def _values(cls, sample: Mapping[str, Any]) -> dict[str, Any]:
        """As in the base class; of a template that is named, a reason counts only if it has such a twin."""
        values = super()._values(sample)
        template = cls.templates().get(values.get("template", ANY))
        if template is not None and values.get("reason") not in (None, *template.twins):
            values["reason"] = ANY
        return values


def _region(sizes: tuple[Size, ...], **ranges: tuple[int, int]) -> Region:
    return Region(ranges, {"size": sizes})


def _errands(template: Template, number: int) -> int:
    """A search has one errand at most."""
    return min(number, 1) if template.kind == "search" else number


TIERS = {
    "easy": _region(("S",), indirection=(0, 0), errands=(0, 0), ambiguity=(0, 0), distractors=(0, 5)),
    "medium": _region(("S",), indirection=(1, 1), errands=(0, 1), ambiguity=(0, 1), distractors=(6, 15)),
    "hard": _region(("S", "L"), indirection=(2, 2), errands=(1, 1), ambiguity=(1, 1), distractors=(16, 40)),
    "expert": _region(("L",), indirection=(3, 3), errands=(2, 2), ambiguity=(1, 1), distractors=(ALL_TOOLS, ALL_TOOLS)),
}
"""Difficulty regions, easiest first."""


def draw_params(
    seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
) -> BenchParams:
    """Parameters for a seed.

    Args:
        seed: Seed of the draw.
        tier: Name of a tier; by default the seed picks one.
        pattern: One of :data:`PATTERNS`; by default the seed picks a template, in the overrides' shares.
        overrides: Values that replace the drawn ones.

    Raises:
        RegistryError: Unknown tier, pattern or parameter.
        TaskError: A value is out of range, or the values do not fit together.
    """
    known = template_by_name()
    if tier is not None and tier not in TIERS:
        raise RegistryError("tier", tier, TIERS)
    if pattern is not None and pattern not in PATTERNS:
        raise RegistryError("pattern", pattern, PATTERNS)
    draw = random.Random(f"params/{tier}/{pattern}/{seed}")
    values = TIERS[tier or draw.choice(list(TIERS))].draw(draw.randint, draw.choice)
    if pattern is not None:
        values["unanswerable"] = float(pattern not in known)
    if pattern in known:
        values["template"] = pattern
    elif pattern in REASONS:
        values["reason"] = pattern
    values |= {name: value for name, value in (overrides or {}).items() if value != ANY}
    if values.get("template", ANY) == ANY:
        values |= choose(BenchParams.build(values), seed)
    template = known.get(values["template"])
    if template is not None:
        values.setdefault("domain", template.domain)
        if "errands" not in (overrides or {}):
            values["errands"] = _errands(template, values["errands"])
    return BenchParams.build(values)


def is_blocked(params: BenchParams, seed: int) -> bool:
    """Whether the seed makes a request one that cannot be met, if its template has such a twin."""
    return random.Random(f"share/{seed}").random() < params.unanswerable


def reason_of(params: BenchParams, seed: int) -> Reason | None:
    """Why the request of a template cannot be met; ``None`` if it can."""
    twins = template_by_name()[params.template].twins
    if not twins or not is_blocked(params, seed):
        return None
    chosen = random.Random(f"reason/{seed}").choice(twins)
    return chosen if params.reason == ANY else cast(Reason, params.reason)


def choose(params: BenchParams, seed: int) -> dict[str, Any]:
    """A template by the shares of kinds, and a reason, each as likely, where the request cannot be met; domains are as likely."""
    draw = random.Random(f"template/{seed}")
    kind = "search" if draw.random() * (params.search + params.crud) < params.search else "crud"
    fitting = [item for item in template_by_name().values() if params.domain in (ANY, item.domain)]
    chosen: dict[str, Any] = {}
    if is_blocked(params, seed):
        reasons = [name for name in REASONS if params.reason in (ANY, name) and any(name in item.twins for item in fitting)]
        if not reasons:
            raise TaskError(f"no template of domain {params.domain} has a twin that is {params.reason}", field="params")
        chosen["reason"] = draw.choice(reasons)
        fitting = [item for item in fitting if chosen["reason"] in item.twins]
    fitting = [item for item in fitting if item.kind == kind] or fitting
    domain = draw.choice([name for name in DOMAINS if any(item.domain == name for item in fitting)])
    return chosen | {"template": draw.choice([item.name for item in fitting if item.domain == domain])}


def tier_of(params: BenchParams) -> str:
    """The tier in whose region a point lies, or ``custom``; a search may have fewer errands than its tier says."""
    template = template_by_name().get(params.template)
    if template is None:
        return region_holding(TIERS, params)
    return region_holding({name: _fitting(region, template) for name, region in TIERS.items()}, params)


def _fitting(region: Region, template: Template) -> Region:
    """A region with the errands that a template can have."""
    least, most = region.ranges["errands"]
    return Region({**region.ranges, "errands": (_errands(template, least), _errands(template, most))}, region.choices)
