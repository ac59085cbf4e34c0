"""The rolling form of the virtual machines: they come and go in three epochs."""

from __future__ import annotations

from dataclasses import replace

from opsgym.envs.or_agent_bench.problems.vm_packing.instance import Instance

EPOCHS = 3


def view(instance: Instance, epoch: int) -> Instance:
    """The instance as known in an epoch."""
    there = [machine for machine in instance.machines if machine.known <= epoch < machine.gone]
    names = {machine.name for machine in there}
    kept = tuple(machine if machine.mate in names else replace(machine, mate="") for machine in there)
    return replace(instance, machines=kept, epoch=epoch)


def notice(instance: Instance, epoch: int) -> str:
    """What is new in an epoch."""
    new = ", ".join(machine.name for machine in instance.machines if machine.known == epoch)
    return f"# Change window {epoch + 1}\n\nNew machines: {new}. Machines that are no longer listed were switched off.\n"
