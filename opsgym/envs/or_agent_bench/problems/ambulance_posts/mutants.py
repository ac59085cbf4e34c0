"""For each rule of the ambulance posts a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.ambulance_posts.instance import SHIFTS, Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    rows: list[dict[str, Any]] = plan["stations"]
    first = instance.posts[0]
    yield "stations", {"stations": [*rows, rows[0]]}
    yield "stations", {"stations": [rows[0] | {"ambulances": 0}, *rows[1:]]}
    crowd = {"stations": [{"shift": "day", "post": post.name, "ambulances": 2} for post in instance.posts]}
    yield "fleet", crowd
    yield "bays", {"stations": [{"shift": "day", "post": first.name, "ambulances": first.bays + 1}]}
    if instance.beds:
        yield "quarters", crowd
    if instance.reserve:
        yield "reserve", {"stations": [row for row in rows if row["shift"] != "night"]}
    if any(zone.is_critical for zone in instance.zones):
        yield "critical", {"stations": []}
    if instance.most_moves >= 0:
        yield "moves", {"stations": [{"shift": "evening", "post": post.name, "ambulances": 1} for post in instance.posts]}
    for post in instance.posts:
        if post.is_shut_at_night:
            yield "night", {"stations": [{"shift": "night", "post": post.name, "ambulances": 1}]}
        if post.is_fixed:
            yield "fixed", {"stations": []}
    if instance.most_changes >= 0:
        everywhere = [{"shift": shift, "post": post.name, "ambulances": 3} for shift in SHIFTS for post in instance.posts]
        yield "changes", {"stations": everywhere}
