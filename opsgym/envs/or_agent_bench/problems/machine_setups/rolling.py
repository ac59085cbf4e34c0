"""The rolling form of the paint lines: orders arrive in three epochs and a line breaks down in the second."""

from __future__ import annotations

from dataclasses import replace

from opsgym.envs.or_agent_bench.problems.machine_setups.instance import Instance

EPOCHS = 3


def view(instance: Instance, epoch: int) -> Instance:
    """The instance as known in an epoch."""
    jobs = tuple(job for job in instance.jobs if job.known <= epoch)
    stops = tuple(stop for stop in instance.stops if stop.known <= epoch)
    return replace(instance, jobs=jobs, stops=stops, epoch=epoch)


def notice(instance: Instance, epoch: int) -> str:
    """What is new in an epoch."""
    jobs = ", ".join(job.name for job in instance.jobs if job.known == epoch)
    lines = [f"# Minute {instance.clocks[epoch]}", f"New orders: {jobs}."]
    lines += [f"Line {s.line} will stand still from minute {s.start} to {s.end}." for s in instance.stops if s.known == epoch]
    return "\n\n".join(lines) + "\n"
