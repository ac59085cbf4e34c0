"""Facts: how much there is of everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opsgym.core.records.domain import Domain
from opsgym.envs.enterprise_ops.systems import DOMAINS, HYBRID, SYSTEMS, system, templates


def facts() -> dict[str, Any]:
    """Counts over all domains, and by domain."""
    domains = {name: system(name).domain for name in SYSTEMS}
    tables = [table for domain in domains.values() for table in domain.tables]
    counts: dict[str, Any] = {
        "domains": len(DOMAINS),
        "templates": sum(len(templates(name)) for name in DOMAINS),
        "tables": len(tables),
        "tables with different names": len({table.name for table in tables}),
        "tools of all domains": sum(len(domain.tools) for domain in domains.values()),
        "rules": sum(len(domain.rules) for domain in domains.values()),
        "foreign keys per table": _references(domains.values()),
    }
    counts["by domain"] = {name: _domain(name) for name in DOMAINS}
    return counts


def _references(domains: Iterable[Domain]) -> float:
    tables = [table for domain in domains for table in domain.tables]
    return round(sum(len(table.refs) for table in tables) / len(tables), 2)


def _domain(name: str) -> str:
    kinds = f"{len(templates(name))} templates"
    if name == HYBRID:
        return f"{kinds} over two systems"
    domain = system(name).domain
    return (
        f"{len(domain.tables)} tables, {_references([domain])} foreign keys per table, {len(domain.tools)} tools,"
        f" {len(domain.rules)} rules, {kinds}"
    )
