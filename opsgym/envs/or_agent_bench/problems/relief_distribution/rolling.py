"""The rolling form of the relief distribution: needs grow and roads are blocked, in three epochs."""

from __future__ import annotations

from dataclasses import replace

from opsgym.envs.or_agent_bench.problems.relief_distribution.instance import Instance

EPOCHS = 3


def view(instance: Instance, epoch: int) -> Instance:
    """The instance as known in an epoch."""
    needs = tuple(need for need in instance.needs if need.known <= epoch)
    blocks = tuple(block for block in instance.blocks if block.known <= epoch)
    return replace(instance, needs=needs, blocks=blocks, epoch=epoch)


def notice(instance: Instance, epoch: int) -> str:
    """What is new in an epoch."""
    needs = ", ".join(f"{n.units} {n.good} in {n.camp} on day {n.day}" for n in instance.needs if n.known == epoch)
    blocks = ", ".join(f"{b.depot} to {b.camp} on day {b.day}" for b in instance.blocks if b.known == epoch)
    return f"# Before day {instance.first_open}\n\nFurther needs: {needs}.\n\nRoads blocked: {blocks or 'none'}.\n"
