"""For each rule of the store depots a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.warehouse_location.instance import Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    rows: list[dict[str, Any]] = plan["services"]
    opened: list[str] = plan["open"]
    every = [depot.name for depot in instance.depots]
    yield "coverage", {"open": opened, "services": rows[1:]}
    yield "coverage", {"open": opened, "services": [rows[0] | {"backup": rows[0]["depot"]}, *rows[1:]]}
    yield "open", {"open": [name for name in opened if name != rows[0]["depot"]], "services": rows}
    yield "open", {"open": [*opened, opened[0]], "services": rows}
    yield "capacity", {"open": every, "services": [row | {"depot": every[0]} for row in rows]}
    yield "reach", {"open": every, "services": [row | {"depot": _farthest(instance, row["store"])} for row in rows]}
    warm = [depot.name for depot in instance.depots if not depot.is_cold]
    for store in instance.stores:
        if store.is_chilled:
            yield "cold", _moved(plan, every, store.name, warm[0])
        if store.tied:
            yield "ties", _moved(plan, every, store.name, next(name for name in every if name != store.tied))
    if any(depot.excludes for depot in instance.depots):
        yield "exclusion", {"open": every, "services": rows}
    if instance.most_open:
        yield "count", {"open": every, "services": rows}
    if instance.every_region:
        region = instance.depots[0].region
        yield "regions", {"open": [d.name for d in instance.depots if d.region != region], "services": rows}
    if instance.most_closed >= 0:
        yield "closings", {"open": [d.name for d in instance.depots if not d.closing_cents], "services": rows}


def _moved(plan: Plan, opened: list[str], store: str, depot: str) -> Plan:
    services = [row | {"depot": depot} if row["store"] == store else row for row in plan["services"]]
    return {"open": opened, "services": services}


def _farthest(instance: Instance, store: str) -> str:
    return max((depot.name for depot in instance.depots), key=lambda name: instance.roads[f"{name}>{store}"])
