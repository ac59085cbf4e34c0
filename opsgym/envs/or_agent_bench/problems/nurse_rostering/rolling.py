"""The rolling form of the ward roster: nurses fall ill in three epochs."""

from __future__ import annotations

from dataclasses import replace

from opsgym.envs.or_agent_bench.problems.nurse_rostering.instance import Instance

EPOCHS = 3


def view(instance: Instance, epoch: int) -> Instance:
    """The instance as known in an epoch."""
    return replace(instance, absences=tuple(a for a in instance.absences if a.known <= epoch), epoch=epoch)


def notice(instance: Instance, epoch: int) -> str:
    """What is new in an epoch."""
    ill = ", ".join(f"{absence.nurse} on day {absence.day}" for absence in instance.absences if absence.known == epoch)
    return f"# Before day {instance.first_open}\n\nNewly absent: {ill or 'nobody'}.\n"
