"""Instances of the virtual machines, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import ROLLING, OrParams


@dataclass(frozen=True)
class Host:
    """A host: millicores, megabytes, its rack, watts when it is in use, and its cost then."""

    name: str
    rack: str
    millicores: int
    megabytes: int
    watts: int
    cents: int


@dataclass(frozen=True)
class Machine:
    """A virtual machine.

    Attributes:
        service: Replicas of one service keep apart where that is a rule.
        millicores: Load in each part of the day.
        burst: Millicores that it may take more for a short time.
        licence: Licence that it needs; empty for none.
        mate: Machine with which it shares a host; empty for none.
        has_state: Whether it stays where it was accepted.
        cloud_cents: Cost in the public cloud.
        known: Epoch from which it is there.
        gone: Epoch from which it is no longer there.
    """

    name: str
    service: str
    millicores: tuple[int, ...]
    megabytes: int
    burst: int
    licence: str
    mate: str
    has_state: bool
    cloud_cents: int
    known: int
    gone: int


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        keeps_apart: Whether replicas of a service keep apart.
        rack_watts: Power budget of a rack; 0 where there is none.
        licence_cents: Cost of a licence for a host; 0 where licences cost nothing.
        has_bursts: Whether the greatest burst on a host must fit beside the loads.
        epoch: Number of the epoch.
        move_cents: Charge for a machine that is no longer where it was accepted.
    """

    hosts: tuple[Host, ...]
    machines: tuple[Machine, ...]
    keeps_apart: bool
    rack_watts: int
    licence_cents: int
    has_bursts: bool
    epoch: int
    move_cents: int


@dataclass(frozen=True)
class Place:
    """A machine runs on a host."""

    machine: str
    host: str


@dataclass(frozen=True)
class Plan:
    """The machines on hosts, and those in the cloud."""

    places: tuple[Place, ...]
    cloud: tuple[str, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    rolls = params.dynamics >= ROLLING
    parts = (1, 2, 3, 2)[params.dynamics]
    count = (10, 13, 16, 20)[params.scale]
    machines = tuple(_machine(number, count, parts, rolls, params, stream) for number in range(count))
    millicores = sum(max(machine.millicores) for machine in machines)
    hosts = tuple(_host(number, millicores, machines, params, stream) for number in range((4, 5, 6, 7)[params.scale]))
    racks = {host.rack for host in hosts}
    watts = sum(host.watts for host in hosts) // len(racks)
    return Instance(
        hosts=hosts,
        machines=machines,
        keeps_apart=params.coupling >= 1,
        rack_watts=watts * (0, 0, 82, 68)[params.coupling] // 100,
        licence_cents=stream.between(1900, 5200) if params.formulation >= 2 else 0,
        has_bursts=params.formulation >= 3,
        epoch=0,
        move_cents=stream.between(700, 1900) if rolls else 0,
    )


def _machine(number: int, count: int, parts: int, rolls: bool, params: OrParams, stream: Stream) -> Machine:
    base = stream.between(700, 3900)
    megabytes = 125 * stream.between(8, 62)
    known = number * 3 // count if rolls else 0
    with_mate = params.formulation >= 1 and number % 5 == 4
    return Machine(
        name=f"vm-{200 + 7 * number}",
        service=f"svc-{'abcdefgh'[number // 2 % 5]}",
        millicores=tuple(base * stream.between(55, 120) // 100 for _ in range(parts)),
        megabytes=megabytes,
        burst=base * stream.between(20, 70) // 100,
        licence=("", "", "db", "etl")[stream.below(4)] if number > 3 else ("db", "", "etl", "db")[number],
        mate=f"vm-{200 + 7 * (number - 2)}" if with_mate else "",
        has_state=number % 3 == 0,
        cloud_cents=base * stream.between(190, 300) // 100 + megabytes * stream.between(14, 28) // 100,
        known=known,
        gone=known + 1 if rolls and number % 5 == 1 else 9,
    )


def _host(number: int, millicores: int, machines: tuple[Machine, ...], params: OrParams, stream: Stream) -> Host:
    percent = (135, 120, 108, 98)[params.strategy]
    share = millicores * percent // (100 * (4, 5, 6, 7)[params.scale])
    memory = sum(machine.megabytes for machine in machines) * percent // (100 * (4, 5, 6, 7)[params.scale])
    return Host(
        name=f"h{number + 1:02d}",
        rack=f"rack-{number % 2 + 1}",
        millicores=max(4000, share * stream.between(82, 122) // 100),
        megabytes=max(8000, memory * stream.between(82, 122) // 100),
        watts=stream.between(310, 460),
        cents=share * stream.between(88, 132) // 100,
    )
