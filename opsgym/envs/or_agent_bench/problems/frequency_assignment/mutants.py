"""For each rule of the radio channels a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.frequency_assignment.instance import Instance, Site


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    rows: list[dict[str, Any]] = plan["uses"]
    held = {site.name: [row["channel"] for row in rows if row["site"] == site.name] for site in instance.sites}
    yield "coverage", {"uses": rows[1:]}
    yield "coverage", {"uses": [*rows, rows[0]]}
    yield "coverage", {"uses": [*rows[1:], {**rows[0], "channel": len(instance.licences) + 1}]}
    yield "tuning", _retuned(rows, *_outside(instance))
    first = rows[0]
    yield "site_gap", {"uses": [*rows, {**first, "channel": first["channel"] + (1 if first["channel"] == 1 else -1)}]}
    pair = next(pair for pair in instance.pairs if pair.gap)
    yield "pair_gap", _retuned(rows, pair.first, held[pair.second][0])
    if instance.mast_gap:
        one, other = next((a, b) for a, b in combinations(instance.sites, 2) if a.mast == b.mast)
        yield "mast_gap", _retuned(rows, one.name, held[other.name][0])
    if instance.most_licences:
        every = range(1, len(instance.licences) + 1)
        yield "licences", {"uses": [*rows, *({"site": first["site"], "channel": channel} for channel in every)]}
    for name, channels in instance.blocked.items():
        yield "border", _retuned(rows, name, channels[0])
    for site in instance.sites:
        if site.donor:
            yield "repeaters", _retuned(rows, site.name, 1)
        if site.whole:
            ends = [{"site": site.name, "channel": channel} for channel in (1, len(instance.licences))]
            yield "halves", {"uses": [*rows, *ends]}
        if site.is_protected:
            yield "protected", {"uses": [row for row in rows if row["site"] != site.name]}
    if instance.most_retuned:
        yield "retuned", {"uses": [*rows, *({"site": site.name, "channel": _new(instance, site)} for site in instance.sites)]}


def _retuned(rows: list[dict[str, Any]], name: str, channel: int) -> Plan:
    """The plan with the first channel of a site changed."""
    place = next(number for number, row in enumerate(rows) if row["site"] == name)
    return {"uses": [row | {"channel": channel} if number == place else row for number, row in enumerate(rows)]}


def _outside(instance: Instance) -> tuple[str, int]:
    """A site, and a channel of the band that it does not tune to."""
    return next((site.name, 1) for site in instance.sites if site.lowest > 1)


def _new(instance: Instance, site: Site) -> int:
    return next(channel for channel in range(1, len(instance.licences) + 1) if channel not in site.used)
