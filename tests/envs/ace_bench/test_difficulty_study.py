"""The study behind the documentation's table and plot."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.ace_difficulty import Cell, markdown, plot, study
from opsgym.envs.ace_bench.params import PAPER_DECOYS, PAPER_HIDDEN, PRESETS, TIERS
from opsgym.envs.ace_bench.policies import POLICIES

DOCS = Path(__file__).resolve().parents[3] / "docs" / "guides"


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    return list(study(2))


def test_every_cell_of_both_presets_and_every_tier_is_measured(cells: list[Cell]) -> None:
    assert len(cells) == len(PRESETS) * (len(PAPER_HIDDEN) + len(PAPER_DECOYS)) + len(TIERS) + 1
    assert all(len(cell.rates) == len(POLICIES) and all(0.0 <= rate <= 1.0 for rate in cell.rates) for cell in cells)


def test_without_decoys_there_is_nothing_to_search(cells: list[Cell]) -> None:
    """B = 0 leaves one candidate a slot: every policy solves it; with decoys a random choice does not."""
    assert all(set(cell.rates) == {1.0} for cell in cells if (cell.axis, cell.value) == ("B", 0))
    assert all(cell.rates[0] < 0.1 for cell in cells if (cell.axis, cell.value) == ("B", 25))


def test_the_table_of_the_documentation_has_the_rows_that_the_command_makes(cells: list[Cell]) -> None:
    def heads(text: str) -> list[list[str]]:
        return [line.split("|")[1:3] for line in text.splitlines()]

    assert heads((DOCS / "ace_difficulty.inc").read_text(encoding="utf-8")) == heads(markdown(cells))


def test_the_plot_is_a_picture(cells: list[Cell], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot(cells, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
