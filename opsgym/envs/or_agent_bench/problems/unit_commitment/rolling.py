"""The rolling form of the plant commitment: forecasts are revised in three epochs."""

from __future__ import annotations

from dataclasses import replace

from opsgym.envs.or_agent_bench.problems.unit_commitment.instance import Instance

EPOCHS = 3


def view(instance: Instance, epoch: int) -> Instance:
    """The instance as known in an epoch: of each hour the newest forecast."""
    newest = {forecast.hour: forecast for forecast in instance.forecasts if forecast.known <= epoch}
    return replace(instance, forecasts=tuple(newest[hour] for hour in sorted(newest)), epoch=epoch)


def notice(instance: Instance, epoch: int) -> str:
    """What is new in an epoch."""
    return (
        f"# Before hour {instance.first_open}\n\nDemand and wind were forecast anew from hour {instance.first_open} on; "
        "`data/forecast.csv` holds the new figures.\n"
    )
