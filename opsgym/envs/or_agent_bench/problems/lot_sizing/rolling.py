"""The rolling form of the filling line: rush orders come in, in three epochs."""

from __future__ import annotations

from dataclasses import replace

from opsgym.envs.or_agent_bench.problems.lot_sizing.instance import Instance

EPOCHS = 3


def view(instance: Instance, epoch: int) -> Instance:
    """The instance as known in an epoch."""
    return replace(instance, orders=tuple(order for order in instance.orders if order.known <= epoch), epoch=epoch)


def notice(instance: Instance, epoch: int) -> str:
    """What is new in an epoch."""
    orders = [f"{o.name} ({o.units} units of {o.item} on day {o.day})" for o in instance.orders if o.known == epoch]
    return f"# Before day {instance.first_open}\n\nRush orders: {', '.join(orders)}.\n"
