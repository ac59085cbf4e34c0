"""Templates: the kinds of requests, a module a domain."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from opsgym.envs.enterprise_bench.template import Template
from opsgym.envs.enterprise_bench.templates import business, hr, it, sales, swe

DOMAINS = ("swe", "sales", "hr", "it", "business")
"""The domains, in the paper's order."""

TEMPLATES: tuple[Template, ...] = tuple(item for module in (swe, sales, hr, it, business) for item in module.CATALOGUE.templates)
"""All templates."""

FIXED: Mapping[str, int] = {"search": 325, "crud": 150, "unanswerable": 25}
"""Tasks of the fixed set by kind: the paper's 65, 30 and 5 percent of 500."""


@cache
def template_by_name() -> dict[str, Template]:
    """Templates by name; share it, do not change it."""
    return {item.name: item for item in TEMPLATES}


def fixed_counts() -> dict[str, int]:
    """Tasks of the fixed set by pattern: those of a kind are spread evenly over its templates, in their order."""
    counts: dict[str, int] = {}
    for kind in ("search", "crud"):
        names = [item.name for item in TEMPLATES if item.kind == kind]
        for place, name in enumerate(names):
            counts[name] = FIXED[kind] // len(names) + (place < FIXED[kind] % len(names))
    return {name: count for name, count in counts.items() if count} | {"unanswerable": FIXED["unanswerable"]}
