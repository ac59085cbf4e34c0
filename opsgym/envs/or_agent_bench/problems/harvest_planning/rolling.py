"""The rolling form of the beet harvest: rain closes fields in three epochs."""

from __future__ import annotations

from dataclasses import replace

from opsgym.envs.or_agent_bench.problems.harvest_planning.instance import Instance

EPOCHS = 3


def view(instance: Instance, epoch: int) -> Instance:
    """The instance as known in an epoch."""
    return replace(instance, closures=tuple(c for c in instance.closures if c.known <= epoch), epoch=epoch)


def notice(instance: Instance, epoch: int) -> str:
    """What is new in an epoch."""
    closed = ", ".join(f"{closure.field} on day {closure.day}" for closure in instance.closures if closure.known == epoch)
    return f"# Before day {instance.first_open}\n\nRain closes: {closed or 'no field'}.\n"
