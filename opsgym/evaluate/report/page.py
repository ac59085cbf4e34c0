"""Page: everything that a report says, put into its one HTML file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import opsgym
from opsgym.core.errors import OpsGymError
from opsgym.evaluate.metrics import Estimate, FailureShare, failed_rules, failure_families, grouped
from opsgym.evaluate.metrics.groups import Key
from opsgym.evaluate.report.entries import Entry, Pair
from opsgym.evaluate.report.episodes import Episodes
from opsgym.evaluate.report.figures import Drawn
from opsgym.evaluate.report.runs import Run
from opsgym.evaluate.report.style import DARK, LIGHT, svg

MOST_RULES = 12
"""Failed rules listed."""
MOST_PAIRS = 12
"""Comparisons shown at full height; more of them scroll."""

_ORDERED: tuple[Key, ...] = ("tier", "pattern")
_COLUMNS = (
    *("run", "task", "family", "tier", "pattern", "trial", "status", "score", "clean", "optimality"),
    *("calls", "oracle", "turns", "tokens", "cost", "rules", "episode"),
)


@dataclass(frozen=True, kw_only=True)
class Content:
    """What a page shows.

    Attributes:
        title: Its heading.
        runs: The runs.
        entries: Lines of the summary.
        pairs: Comparisons.
        figures: Figures.
        episodes: Embedded episodes.
        files: Names of the files written beside.
        folder: Their directory, as the page names it.
    """

    title: str
    runs: Sequence[Run]
    entries: Sequence[Entry]
    pairs: Sequence[Pair]
    figures: Sequence[Drawn]
    episodes: Episodes
    files: Sequence[str]
    folder: str


def render(content: Content) -> str:
    """The page as HTML.

    Raises:
        OpsGymError: jinja2 is missing.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise OpsGymError('reports need jinja2: pip install "opsgym[report]"') from error
    environment = Environment(
        loader=PackageLoader("opsgym.evaluate.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "number": number, "p": p_value, "points": points, "json": _pretty}
    entries = content.entries
    families, rules = failure_rows(entries, failure_families), failure_rows(entries, failed_rules)
    template = environment.get_template("report.html.j2")
    page: str = template.render(
        content=content,
        version=opsgym.__version__,
        colours=list(zip(LIGHT, DARK, strict=True)),
        drawings=[(drawn, svg(drawn.figure, drawn.name, drawn.alt)) for drawn in content.figures],
        paid=any(entry.summary.total_cost > 0 for entry in entries),
        tokens=any(entry.summary.prompt_tokens > 0 for entry in entries),
        refusals=any(entry.summary.refused.n for entry in entries),
        masked=sum(entry.summary.masked for entry in entries),
        families=[] if [name for name, _ in families] == [name for name, _ in rules] else families,
        describe=describe,
        rules=rules[:MOST_RULES],
        rules_left_out=len(rules) > MOST_RULES,
        many_pairs=len(content.pairs) > MOST_PAIRS,
        data=script_json(trial_columns(content.runs, content.episodes)),
        recorders=[(run.name, count) for run, count in zip(content.runs, content.episodes.recorded, strict=True) if count],
        episodes=[script_safe(embedded.text) for embedded in content.episodes.embedded],
    )
    return page


def trial_columns(runs: Sequence[Run], episodes: Episodes) -> dict[str, Any]:
    """All trials as columns of small numbers, names by their positions in lists; tiers and patterns in their family's order."""
    places = {(e.run, e.task_id, e.trial): place for place, e in enumerate(episodes.embedded)}
    names: dict[str, dict[str, int]] = {kind: {} for kind in ("task", "family", "rule")}
    every = [trial for run in runs for trial in run.results]
    names |= {key: {name: place for place, name in enumerate(grouped(every, key))} for key in _ORDERED}

    def index(kind: str, name: str) -> int:
        return names[kind].setdefault(name, len(names[kind]))

    rows = [
        (
            number,
            index("task", trial.task_id),
            index("family", trial.family),
            index("tier", trial.tier),
            index("pattern", trial.pattern),
            trial.trial,
            0 if trial.status == "masked" else 2 if trial.is_success else 1,
            _short(trial.score),
            int(trial.clean),
            None if trial.optimality is None else _short(trial.optimality),
            trial.calls,
            trial.oracle_calls,
            trial.turns,
            trial.prompt_tokens + trial.completion_tokens,
            _short(trial.cost, 5),
            [index("rule", rule) for rule in trial.failed_rules],
            places.get((number, trial.task_id, trial.trial), -1),
        )
        for number, run in enumerate(runs)
        for trial in run.results
    ]
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in _COLUMNS]
    return {
        "runs": [run.name for run in runs],
        "names": {kind: list(found) for kind, found in names.items()},
        "reasons": _reasons(runs),
        "columns": dict(zip(_COLUMNS, columns, strict=True)),
    }


def describe(entry: Entry) -> str:
    """What was run, as far as the entry's label does not say it."""
    run = entry.run
    faults = f"{100 * run.failure_rate:g} % faults" if run.failure_rate else ""
    said = entry.label.split(", ")
    return " · ".join(part for part in (run.policy, run.model, entry.family, faults) if part and part not in said)


def failure_rows(entries: Sequence[Entry], measure: Any) -> list[tuple[str, list[FailureShare | None]]]:
    """Each failure with its share in every entry, the most frequent first."""
    columns: list[dict[str, FailureShare]] = [{share.name: share for share in measure(entry.results)} for entry in entries]
    totals: dict[str, float] = {}
    for column in columns:
        for name, share in column.items():
            totals[name] = totals.get(name, 0.0) + share.share
    return [(name, [column.get(name) for column in columns]) for name in sorted(totals, key=lambda name: (-totals[name], name))]


def script_json(value: Any) -> Any:
    """JSON to stand inside of a script element."""
    return script_safe(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def script_safe(text: str) -> Any:
    """JSON in which no character can end or open markup: ``<``, ``>`` and ``&`` as escapes of JSON."""
    from markupsafe import Markup

    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # already free of markup


def percent(estimate: Estimate | float, digits: int = 1) -> str:
    """A share in percent; a dash where there is none."""
    value = estimate.value if isinstance(estimate, Estimate) else estimate
    return "–" if math.isnan(value) else f"{100 * value:.{digits}f}"  # noqa: RUF001  # a dash as in tables


def points(value: float) -> str:
    """A difference of shares in points, with its sign."""
    if math.isnan(value):
        return "–"  # noqa: RUF001  # the sign that print uses
    text = f"{100 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")  # noqa: RUF001  # the sign that print uses


def number(value: float, digits: int = 1) -> str:
    """A number with thousands kept apart; a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:,.{digits}f}"  # noqa: RUF001  # the sign that print uses


def p_value(value: float) -> str:
    """A p-value to three places."""
    if math.isnan(value):
        return "–"  # noqa: RUF001  # the sign that print uses
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _reasons(runs: Sequence[Run]) -> Mapping[str, str]:
    """Why trials are masked, by position in the columns."""
    trials = [trial for run in runs for trial in run.results]
    return {str(place): trial.reason for place, trial in enumerate(trials) if trial.status == "masked" and trial.reason}


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _short(value: float, digits: int = 4) -> float:
    """A float in few characters; whole numbers without a point."""
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded
