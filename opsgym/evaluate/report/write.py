"""Writing a report: one HTML file, and beside it its figures as PNG and its tables as CSV and Parquet."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.data.packs import atomic_file
from opsgym.evaluate.report.entries import make_curves, make_entries, make_pairs
from opsgym.evaluate.report.episodes import collect
from opsgym.evaluate.report.figures import draw_figures
from opsgym.evaluate.report.figures.parameters import tables as correlation_tables
from opsgym.evaluate.report.page import Content, render
from opsgym.evaluate.report.runs import read_runs
from opsgym.evaluate.report.style import png
from opsgym.evaluate.report.tables import make_tables, write_tables

EXTRAS = ("jinja2", "matplotlib", "pandas", "pyarrow", "scipy")
"""What reports need beyond the core; extra ``report``."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was written.

    Attributes:
        path: The page.
        assets: Directory of figures and tables.
        trials: Trials in the page, masked ones too.
        figures: Names of the figures.
        episodes: Episodes that can be read in the page.
        recorded: Episodes that the runs have recorded.
        bytes: Size of the page.
    """

    path: Path
    assets: Path
    trials: int
    figures: tuple[str, ...]
    episodes: int
    recorded: int
    bytes: int


def write_report(
    runs: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    assets: str | os.PathLike[str] | None = None,
    title: str = "OpsGym report",
    max_episodes: int = 100,
    max_episode_bytes: int = 8_000_000,
) -> Report:
    """Write one self-contained HTML file about some runs, and their figures and tables beside it.

    The page loads nothing and works without a network.  It holds every trial, and of the recorded episodes as many as the
    limits allow, failed ones first.  The same runs give the same page.

    Args:
        runs: Directories of runs; see :mod:`opsgym.evaluate.results`.
        out: The HTML file.
        assets: Directory for PNG, CSV and Parquet; by default ``NAME_files`` beside ``NAME.html``.
        title: Heading of the page.
        max_episodes: Most episodes that can be read in the page.
        max_episode_bytes: Most bytes that they take in all.

    Returns:
        What was written.

    Raises:
        OpsGymError: The extra ``report`` is not installed.
        TaskError: There is no run, or one is broken; says which file and line.
    """
    _require_extras()
    if not runs:
        raise TaskError("expected at least one run, got none", field="runs")
    path = Path(out)
    folder = path.with_name(f"{path.stem}_files") if assets is None else Path(assets)
    found = read_runs([Path(run) for run in runs])
    entries = make_entries(found)
    pairs, curves = make_pairs(entries), make_curves(entries)
    correlations = {entry.label: correlation_tables(entry) for entry in entries}
    figures = draw_figures(entries, correlations, curves)
    folder.mkdir(parents=True, exist_ok=True)
    files = write_tables(make_tables(entries, pairs, correlations, curves), folder)
    for drawn in figures:
        files.append(folder / f"{drawn.name}.png")
        with atomic_file(files[-1]) as temporary:
            temporary.write_bytes(png(drawn.figure))
    episodes = collect(found, most=max_episodes, most_bytes=max_episode_bytes)
    content = Content(
        title=title,
        runs=found,
        entries=entries,
        pairs=pairs,
        figures=figures,
        episodes=episodes,
        files=[file.name for file in files],
        folder=folder.name,
    )
    page = render(content).encode("utf-8", "replace")
    with atomic_file(path) as temporary:
        temporary.write_bytes(page)
    return Report(
        path=path,
        assets=folder,
        trials=sum(len(run.results) for run in found),
        figures=tuple(drawn.name for drawn in figures),
        episodes=len(episodes.embedded),
        recorded=sum(episodes.recorded),
        bytes=len(page),
    )


def _require_extras() -> None:
    from importlib.util import find_spec

    missing = [name for name in EXTRAS if find_spec(name) is None]
    if missing:
        raise OpsGymError(f'reports need {", ".join(missing)}: pip install "opsgym[report]"')
