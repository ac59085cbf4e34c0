"""Templates: the kinds of requests, a module a domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from opsgym.envs.enterprise_bench.endings import REASONS
from opsgym.envs.enterprise_bench.template import Template
from opsgym.envs.enterprise_bench.templates import business, hr, it, sales, swe

DOMAINS = ("swe", "sales", "hr", "it", "business")
"""The domains, in the paper's order."""

TEMPLATES: tuple[Template, ...] = tuple(item for module in (swe, sales, hr, it, business) for item in module.CATALOGUE.templates)
"""All templates."""

FIXED: Mapping[str, int] = {"search": 325, "crud": 150, "unanswerable": 25}
"""Tasks of the fixed set by kind: the paper's 65, 30 and 5 percent of 500; the five domains have equal parts of the first two."""


@cache
def template_by_name() -> dict[str, Template]:
    """Templates by name; share it, do not change it."""
    return {item.name: item for item in TEMPLATES}


def fixed_counts() -> dict[str, int]:
    """Tasks of the fixed set by pattern.

    Those of a kind are spread evenly over the domains, in each over its templates, and those that cannot be met over the reasons,
    in their order.
    """
    counts: dict[str, int] = {}
    for kind in ("search", "crud"):
        for domain, number in _spread(FIXED[kind], DOMAINS).items():
            counts |= _spread(number, [item.name for item in TEMPLATES if (item.kind, item.domain) == (kind, domain)])
    return {name: count for name, count in counts.items() if count} | _spread(FIXED["unanswerable"], REASONS)


def _spread(number: int, names: Sequence[str]) -> dict[str, int]:
    """A number in parts that are as equal as can be, the larger ones first."""
    return {name: number // len(names) + (place < number % len(names)) for place, name in enumerate(names)}
