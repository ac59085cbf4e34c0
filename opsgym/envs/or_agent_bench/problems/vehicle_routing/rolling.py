"""The rolling form of the collection tours: orders arrive in three epochs, and a relief vehicle joins in the second."""

from __future__ import annotations

from dataclasses import replace

from opsgym.envs.or_agent_bench.problems.vehicle_routing.instance import Instance

EPOCHS = 3


def view(instance: Instance, epoch: int) -> Instance:
    """The instance as known in an epoch."""
    orders = tuple(order for order in instance.orders if order.known <= epoch)
    vehicles = tuple(vehicle for vehicle in instance.vehicles if vehicle.known <= epoch)
    return replace(instance, orders=orders, vehicles=vehicles, epoch=epoch)


def notice(instance: Instance, epoch: int) -> str:
    """What is new in an epoch."""
    orders = ", ".join(order.name for order in instance.orders if order.known == epoch)
    lines = [f"# Minute {instance.clocks[epoch]}", f"New orders: {orders}."]
    lines += [f"Vehicle {v.name} joins; its shift begins at minute {v.begins}." for v in instance.vehicles if v.known == epoch]
    return "\n\n".join(lines) + "\n"
