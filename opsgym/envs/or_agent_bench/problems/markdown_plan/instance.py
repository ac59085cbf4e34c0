"""Instances of the markdowns, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

FAMILIES = ("coats", "boots", "knitwear")
STEPS = 5
"""Steps of a ladder, from 1, the highest price."""
KEPT = 3
"""Step on which every article may stand in all weeks, but for printed ones: so that there is always a plan."""
PRINTED = 2
"""Step that some articles have in week 1; it lies near enough to :data:`KEPT` to stay on it."""


@dataclass(frozen=True)
class Article:
    """An article.

    Attributes:
        name: Its name.
        family: Its family.
        prices: Prices by step, falling, cents.
        stock: Pieces at the start.
        arrival: Week at whose start more pieces arrive; 0 for none.
        pieces: How many arrive then.
        outlet: What a piece that is left brings, cents; less than every price.
        lowest: Lowest step that it may stand on.
        printed: Step that it has in week 1; 0 where that is free.
        most_left: Greatest number of pieces left; -1 where there is no limit.
    """

    name: str
    family: str
    prices: tuple[int, ...]
    stock: int
    arrival: int
    pieces: int
    outlet: int
    lowest: int
    printed: int
    most_left: int


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        weeks: Number of weeks, from 1.
        demand: Pieces that would be bought by ``"article>week>step"``.
        label_cents: Cost of each change of a price after week 1.
        most_labels: Greatest number of articles whose price changes in a week; 0 where there is no limit.
        most_apart: Greatest difference of steps within a family in a week; 0 where it does not matter.
        most_down: Greatest number of steps that a price falls in a week; 0 where there is no limit.
        pause: Weeks that lie at least between two changes of a price; 0 for none.
    """

    articles: tuple[Article, ...]
    weeks: int
    demand: dict[str, int]
    label_cents: int
    most_labels: int
    most_apart: int
    most_down: int
    pause: int


@dataclass(frozen=True)
class Price:
    """The step of an article in a week."""

    article: str
    week: int
    step: int


@dataclass(frozen=True)
class Plan:
    """All prices; order does not matter."""

    prices: tuple[Price, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    count, weeks = (5, 6, 8, 9)[params.scale], (4, 5, 6, 6)[params.dynamics]
    demand: dict[str, int] = {}
    articles = []
    for number in range(count):
        name = f"A{number + 1:02d}"
        base = stream.between(14, 46)
        slope, fading = stream.between(22, 95), stream.between(4, 16)
        wanted = [_demand(base, week, slope, fading, stream) for week in range(1, weeks + 1)]
        demand |= {f"{name}>{week}>{step}": units for week, row in enumerate(wanted, 1) for step, units in enumerate(row, 1)}
        articles.append(_article(number, name, [row[KEPT - 1] for row in wanted], params, stream))
    return Instance(
        articles=tuple(articles),
        weeks=weeks,
        demand=demand,
        label_cents=stream.between(900, 2600),
        most_labels=(count + 1) // 3 if params.coupling >= 1 else 0,
        most_apart=2 if params.coupling >= 2 else 0,
        most_down=2 if params.formulation >= 1 else 0,
        pause=1 if params.formulation >= 2 else 0,
    )


def _demand(base: int, week: int, slope: int, fading: int, stream: Stream) -> list[int]:
    """Pieces by step: more at lower prices by ``slope`` percent a step, fewer each week by ``fading`` percent."""
    left = base * (100 - fading * (week - 1)) // 100
    return [left * (40 + slope * step) // 100 + stream.between(0, 3) + step for step in range(STEPS)]


def _article(number: int, name: str, wanted: list[int], params: OrParams, stream: Stream) -> Article:
    """An article; ``wanted`` are the pieces that would be bought on the kept step, by week.  Its stock is somewhat more."""
    top = stream.between(2_900, 11_900)
    prices = tuple(top * (100 - 13 * step) // 100 for step in range(STEPS))
    stock = sum(wanted) * (95, 108, 118, 126)[params.strategy] // 100
    late = stock // 4 if params.dynamics >= 1 and number % 3 == 1 else 0
    arrival = 3 if late else 0
    return Article(
        name,
        FAMILIES[number % 3],
        prices,
        stock - late,
        arrival,
        late,
        prices[-1] * stream.between(20, 45) // 100,
        KEPT if params.formulation >= 3 and number % 4 == 0 else STEPS,
        PRINTED if params.dynamics >= 3 and number % 3 == 2 else 0,
        max(stock // 6, _left(stock - late, arrival, late, wanted)) if params.dynamics >= 2 and number % 3 == 1 else -1,
    )


def _left(stock: int, arrival: int, pieces: int, wanted: list[int]) -> int:
    """What is left of an article when so much is wanted, week by week."""
    for week, units in enumerate(wanted, 1):
        stock += pieces if week == arrival else 0
        stock -= min(stock, units)
    return stock
