"""Difficulty of ACEBench-v0: how often four policies that do not search solve it, by horizon H and by decoy budget B.

Run ``python benchmarks/ace_difficulty.py [--count 120] [--write docs/guides]``.  It prints a table; with ``--write`` it also
writes the table and a plot there (needs matplotlib, extra ``report``).  The policies see every instance as it is listed,
after its generator is done with it.  The same command gives the same figures on every machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsgym.envs.ace_bench.counter import feasible_items
from opsgym.envs.ace_bench.domains import DOMAINS
from opsgym.envs.ace_bench.params import (
    PAPER_DECOYS,
    PAPER_HIDDEN,
    PAPER_TIER,
    PRESETS,
    TIERS,
    AceParams,
    draw_params,
    paper_cell,
)
from opsgym.envs.ace_bench.policies import POLICIES, success
from opsgym.envs.ace_bench.rules import Layout, compile_rules
from opsgym.envs.ace_bench.sampler import sample

FIXED_DECOYS, FIXED_HIDDEN = 25, 15
"""B while H varies, and H while B varies."""
NAME = "ace_difficulty"
COLOURS = ("#7f7f7f", "#56b4e9", "#e69f00", "#d55e00")
"""One for each policy; told apart by readers who see colours differently."""


@dataclass(frozen=True)
class Cell:
    """Mean success in one cell of the study.

    Attributes:
        preset: The preset.
        axis: What varies: ``H``, ``B`` or ``tier``.
        value: Its value.
        rates: Success of each of the policies, in their order.
    """

    preset: str
    axis: str
    value: int | str
    rates: tuple[float, ...]


def measured(instances: Sequence[tuple[AceParams, int]]) -> tuple[float, ...]:
    """Mean success of each policy over some instances."""
    totals = dict.fromkeys(POLICIES, 0.0)
    for params, seed in instances:
        instance = sample(params, seed).instance
        matrix = compile_rules(instance.rules, Layout.of(instance), feasible_items(instance))
        for name, chance in success(matrix, instance.rules).items():
            totals[name] += chance
    return tuple(total / len(instances) for total in totals.values())


def study(count: int) -> Iterator[Cell]:
    """All cells, ``count`` instances each."""
    domains = list(DOMAINS)
    for preset in PRESETS:
        lines = [("H", hidden, paper_cell(hidden, FIXED_DECOYS)) for hidden in PAPER_HIDDEN]
        lines += [("B", decoys, paper_cell(FIXED_HIDDEN, decoys)) for decoys in PAPER_DECOYS]
        for axis, value, cell in lines:
            values = [{"preset": preset, "domain": domains[seed % len(domains)], **cell} for seed in range(count)]
            yield Cell(preset, axis, value, measured([(AceParams.build(v), seed) for seed, v in enumerate(values)]))
    for tier in (*TIERS, PAPER_TIER):
        drawn = [(draw_params(seed, tier=tier), seed) for seed in range(count)]
        yield Cell("paper" if tier == PAPER_TIER else "coupled", "tier", tier, measured(drawn))


def markdown(cells: Sequence[Cell]) -> str:
    """The table, in percent."""
    lines = ["| preset | cell | " + " | ".join(POLICIES) + " |", "|---|---|" + "---:|" * len(POLICIES)]
    others = {"H": f", B={FIXED_DECOYS}", "B": f", H={FIXED_HIDDEN}", "tier": ""}
    for cell in cells:
        rates = " | ".join(f"{100 * rate:.1f}" for rate in cell.rates)
        lines.append(f"| {cell.preset} | {cell.axis}={cell.value}{others[cell.axis]} | {rates} |")
    return "\n".join(lines) + "\n"


def plot(cells: Sequence[Cell], path: Path) -> None:
    """Success by H and by B, a panel for each preset and axis."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 2, figsize=(9, 6), sharey=True, layout="constrained")
    for panel, (preset, axis) in zip(grid.flat, [(preset, axis) for preset in PRESETS for axis in "HB"], strict=True):
        mine = [cell for cell in cells if (cell.preset, cell.axis) == (preset, axis)]
        for number, (name, colour) in enumerate(zip(POLICIES, COLOURS, strict=True)):
            heights = [100 * cell.rates[number] for cell in mine]
            panel.plot([cell.value for cell in mine], heights, marker="o", markersize=4, color=colour, label=name)
        panel.set_xticks([cell.value for cell in mine])
        _dress(panel, preset, axis)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(POLICIES), frameon=False)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def _dress(panel: Any, preset: str, axis: str) -> None:
    fixed = f"B = {FIXED_DECOYS}" if axis == "H" else f"H = {FIXED_HIDDEN}"
    panel.set_title(f"{preset}, {fixed}", loc="left", fontsize=10)
    panel.set_xlabel("H, hidden slots" if axis == "H" else "B, decoys")
    panel.set_ylabel("solved, %" if axis == "H" else "")
    panel.set_ylim(-3, 103)
    panel.grid(axis="y", linewidth=0.5, alpha=0.4)
    panel.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=120, help="instances a cell")
    parser.add_argument("--write", type=Path, help="directory for the table and the plot")
    options = parser.parse_args()
    cells = list(study(options.count))
    table = markdown(cells)
    print(table, end="")
    if options.write is not None:
        (options.write / f"{NAME}.inc").write_text(table, encoding="utf-8")
        plot(cells, options.write / f"{NAME}.png")


if __name__ == "__main__":
    main()
