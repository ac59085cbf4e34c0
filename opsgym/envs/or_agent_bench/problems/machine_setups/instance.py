"""Instances of the paint lines, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import ROLLING, OrParams

FAMILIES = ("red", "blue", "white", "black", "clear")
FREEZE = 60
"""Minutes after the present within which a schedule is frozen."""


@dataclass(frozen=True)
class Product:
    """What is coated: its colour family, the pieces an hour, the lines it fits, and the fixture it hangs on."""

    name: str
    family: str
    per_hour: int
    lines: tuple[str, ...]
    fixture: str


@dataclass(frozen=True)
class Job:
    """An order: pieces of a product, released and due in minutes, and cents a minute late; ``after`` names a job before it."""

    name: str
    product: str
    pieces: int
    release: int
    due: int
    late_cents: int
    after: str
    known: int


@dataclass(frozen=True)
class Line:
    """A line: the minute from which it is ready, and the family it is set up for."""

    name: str
    ready: int
    family: str


@dataclass(frozen=True)
class Stop:
    """A time in which a line stands still, in minutes; known from an epoch on."""

    line: str
    start: int
    end: int
    known: int


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        setups: Minutes of the setup from one family to another, by ``"from>to"``.
        setup_cents: Cost of a minute of setup.
        fixtures: Fixtures of which there is a single set.
        has_crew: Whether one crew does all setups.
        clocks: Minute at which each epoch begins.
        epoch: Number of the epoch.
        move_cents: Charge for a job that changes its line against the accepted plan.
    """

    products: tuple[Product, ...]
    jobs: tuple[Job, ...]
    lines: tuple[Line, ...]
    stops: tuple[Stop, ...]
    setups: dict[str, int]
    setup_cents: int
    fixtures: tuple[str, ...]
    has_crew: bool
    clocks: tuple[int, ...]
    epoch: int
    move_cents: int

    @property
    def frozen_until(self) -> int:
        """Minute before which nothing may be changed; 0 in the first epoch."""
        return self.clocks[self.epoch] + FREEZE if self.epoch else 0


@dataclass(frozen=True)
class Assignment:
    """One job of the schedule: ``start`` is the minute at which its coating begins."""

    job: str
    line: str
    start: int


@dataclass(frozen=True)
class Plan:
    """A schedule: every job once."""

    schedule: tuple[Assignment, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    rolls = params.dynamics >= ROLLING
    clocks = (0, 300, 600) if rolls else (0,)
    line_count, job_count = (2, 2, 3, 3)[params.scale], (7, 9, 12, 14)[params.scale]
    names = [f"L{number}" for number in range(1, line_count + 1)]
    families = stream.sample(FAMILIES, 3 + (params.scale > 1))
    products = tuple(_product(number, families, names, params, stream) for number in range(6))
    lines = tuple(Line(name, stream.between(0, 45) if params.dynamics else 0, stream.pick(families)) for name in names)
    setups = {f"{a}>{b}": stream.between(14, 58) for a in families for b in families if a != b}
    jobs = _jobs(job_count, products, line_count, clocks, params, stream)
    return Instance(
        products=products,
        jobs=jobs,
        lines=lines,
        stops=_stops(names, clocks, params, stream),
        setups=setups,
        setup_cents=stream.between(90, 180),
        fixtures=("F1",) if params.coupling >= 1 else (),
        has_crew=params.coupling >= 2,
        clocks=clocks,
        epoch=0,
        move_cents=stream.between(1500, 4000) if rolls else 0,
    )


def _product(number: int, families: list[str], lines: list[str], params: OrParams, stream: Stream) -> Product:
    fitting = stream.sample(lines, stream.between(1, len(lines)) if number else 1)
    fixture = "F1" if params.coupling and number % 3 == 0 else f"F{stream.between(2, 4)}"
    return Product(
        f"P{100 + 7 * number}", families[number % len(families)], stream.between(22, 64), tuple(sorted(fitting)), fixture
    )


def _jobs(
    count: int, products: tuple[Product, ...], lines: int, clocks: tuple[int, ...], params: OrParams, stream: Stream
) -> tuple[Job, ...]:
    chosen = [products[number % len(products)] for number in range(count)]
    pieces = [product.per_hour * stream.between(24, 130) // 60 for product in chosen]
    load = sum(-(-60 * amount // product.per_hour) + 20 for amount, product in zip(pieces, chosen, strict=True)) // lines
    latest = load * (150, 120, 100, 90)[params.strategy] // 100
    jobs: list[Job] = []
    for number, (product, amount) in enumerate(zip(chosen, pieces, strict=True)):
        known = number * len(clocks) // count
        minutes = -(-60 * amount // product.per_hour)
        release = (
            clocks[known] + FREEZE + stream.between(0, 60) if known else stream.between(0, load // 3) * (params.dynamics > 0)
        )
        due = release + minutes + stream.between(30, max(60, latest - minutes // 2))
        after = jobs[number - 2].name if params.formulation >= 3 and number % 4 == 3 else ""
        jobs.append(Job(f"J{number + 1:02d}", product.name, amount, release, due, stream.between(4, 31), after, known))
    return tuple(jobs)


def _stops(lines: list[str], clocks: tuple[int, ...], params: OrParams, stream: Stream) -> tuple[Stop, ...]:
    found = []
    if params.formulation >= 1:
        start = stream.between(110, 240)
        found.append(Stop(stream.pick(lines), start, start + stream.between(45, 95), 0))
    if len(clocks) > 1:  # it starts after every frozen job has ended, see validator rule "freeze"
        start = clocks[1] + FREEZE + stream.between(200, 260)
        found.append(Stop(stream.pick(lines), start, start + stream.between(60, 140), 1))
    return tuple(found)
