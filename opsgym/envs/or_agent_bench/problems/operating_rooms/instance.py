"""Instances of the operating rooms, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

SPECIALTIES = ("ortho", "visceral", "ent")
WEIGHTS = ((4, 3, 3), (3, 3, 2, 2), (3, 2, 2, 2, 1), (2, 2, 2, 2, 1, 1))
"""Tenths of probability of each scenario, by scale."""


@dataclass(frozen=True)
class Surgery:
    """A surgery: minutes in each scenario, latest day, days on the ward from the day itself, and the cost of postponing it."""

    name: str
    surgeon: str
    specialty: str
    needs_imaging: bool
    is_infectious: bool
    stay: int
    latest: int
    postpone_cents: int
    minutes: tuple[int, ...]


@dataclass(frozen=True)
class Block:
    """A room on a day: its regular minutes, the cost of opening it, and the specialties that it is equipped for."""

    name: str
    day: int
    minutes: int
    open_cents: int
    specialties: tuple[str, ...]


@dataclass(frozen=True)
class Instance:
    """An instance; days are counted from 1.

    Attributes:
        weights: Tenths of probability of each scenario.
        overtime_cents: Cost of a minute of overtime, a multiple of 10.
        cleaning: Minutes of cleaning after every surgery of a block but one.
        imaging: Most surgeries with imaging in a day; 0 where there is no limit.
        surgeon_minutes: Most minutes, in the mean over the scenarios, of a surgeon in a day; 0 where there is no limit.
        beds: Ward beds; 0 where there are enough.
        long_minutes: Overtime of a block that counts as long; 0 where there is no such rule.
        risk_tenths: Greatest probability, in tenths, of long overtime in a block.
        apart: Whether a block takes at most one infectious patient.
    """

    days: int
    surgeries: tuple[Surgery, ...]
    blocks: tuple[Block, ...]
    weights: tuple[int, ...]
    overtime_cents: int
    cleaning: int
    imaging: int
    surgeon_minutes: int
    beds: int
    long_minutes: int
    risk_tenths: int
    apart: bool


@dataclass(frozen=True)
class Place:
    """A surgery is done in a block."""

    surgery: str
    block: str


@dataclass(frozen=True)
class Plan:
    """The surgeries that are done, and those that are postponed."""

    done: tuple[Place, ...]
    postponed: tuple[str, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    days = (2, 2, 3, 4)[params.dynamics]
    weights = WEIGHTS[params.scale]
    count = (9, 11, 13, 16)[params.scale]
    surgeries = tuple(_surgery(number, days, len(weights), params, stream) for number in range(count))
    work = sum(sum(surgery.minutes) for surgery in surgeries) // len(weights)
    blocks = tuple(_block(number, days, work, params, stream) for number in range(2 * days))
    imaging = sum(surgery.needs_imaging for surgery in surgeries)
    return Instance(
        days=days,
        surgeries=surgeries,
        blocks=blocks,
        weights=weights,
        overtime_cents=10 * stream.between(31, 64),
        cleaning=stream.between(11, 24) if params.formulation >= 1 else 0,
        imaging=max(1, imaging // days) if params.coupling >= 1 else 0,
        surgeon_minutes=work * stream.between(62, 78) // (100 * days) if params.coupling >= 2 else 0,
        beds=max(2, count * (55, 55, 50, 42)[params.coupling] // 100) if params.coupling >= 2 else 0,
        long_minutes=stream.between(25, 40) if params.formulation >= 2 else 0,
        risk_tenths=stream.between(1, 2) if params.formulation >= 2 else 0,
        apart=params.formulation >= 3,
    )


def _surgery(number: int, days: int, scenarios: int, params: OrParams, stream: Stream) -> Surgery:
    mean = stream.between(48, 164)
    specialty = SPECIALTIES[number % 3]
    return Surgery(
        name=f"OP{510 + 3 * number}",
        surgeon=f"Dr {'ABC'[number % 3]}{1 + stream.below(2)}",
        specialty=specialty,
        needs_imaging=number % 3 == 0 or stream.below(5) == 0,
        is_infectious=number % 4 == 1,
        stay=stream.between(1, 3),
        latest=days if params.dynamics == 0 or stream.below(3) else stream.between(1, days),
        postpone_cents=mean * stream.between(260, 540),
        minutes=tuple(mean * stream.between(72, 140) // 100 for _ in range(scenarios)),
    )


def _block(number: int, days: int, work: int, params: OrParams, stream: Stream) -> Block:
    mean = work * (112, 100, 92, 86)[params.strategy] // (200 * days)
    own = stream.sample(SPECIALTIES, 2)
    return Block(
        name=f"R{1 + number % 2}-D{1 + number // 2}",
        day=1 + number // 2,
        minutes=mean * stream.between(88, 116) // 100,
        open_cents=mean * stream.between(190, 330),
        specialties=tuple(sorted(own)) if number % 2 else SPECIALTIES,
    )
