"""Scripted policies over both families: what each earns, by tier, and how it bears mistakes and failing tools.

Run ``python benchmarks/baseline_comparison.py [--tasks 60] [--workers 2] [--runs DIR] [--write docs/baselines]``.  It prints a
table for each family; with ``--write`` it also writes the tables and figures of the report there.  Runs are kept in ``--runs``,
where an interrupted comparison goes on and where ``opsgym report`` finds them; by default they are thrown away.  It needs the
extra ``report``.  The same command gives the same figures on every machine.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.metrics import Estimate
from opsgym.evaluate.report.entries import Entry, make_curves, make_entries
from opsgym.evaluate.report.figures import draw_figures
from opsgym.evaluate.report.figures.parameters import tables
from opsgym.evaluate.report.runs import read_runs
from opsgym.evaluate.report.style import png
from opsgym.evaluate.runner import evaluate

FAMILIES = {"erp": "ERPBench-v0", "ace": "ACEBench-v0"}
"""Environments by their names in files."""
NOISE = (0.02, 0.05, 0.1)
"""Probability that a call of the noisy oracle is spoiled."""
FAULTS = (0.05, 0.1, 0.2)
"""Probability that a tool call of the least noisy oracle meets a fault."""
FIGURES = {"erp": ("pass_at_k", "feasibility_optimality_gap", "robustness"), "ace": ("pass_at_k", "robustness")}
"""Figures that go into the documentation; ACEBench has no optimality apart from success."""


@dataclass(frozen=True)
class Player:
    """A policy of the comparison.

    Attributes:
        name: Name of its run.
        policy: Name of the policy.
        options: Its options.
        trials: Trials a task: one where chance has no part.
        failure_rate: Probability that a tool call meets a fault.
    """

    name: str
    policy: str
    options: dict[str, Any] = field(default_factory=dict)
    trials: int = 1
    failure_rate: float = 0.0


def players(env_id: str) -> Iterator[Player]:
    """The policies, from the one that does nothing to the one that knows all, and the oracle among failing tools."""
    yield Player("do-nothing", "do-nothing")
    yield Player("random-valid", "random-valid", trials=3)
    for name in load_env(entry_point_of(env_id), cache=None).family.policies():
        yield Player(name.replace("_", "-"), name.replace("_", "-"))
    for rate in reversed(NOISE):
        yield Player(f"noisy-oracle {rate:g}", "noisy-oracle", {"rate": rate}, trials=3)
    yield Player("oracle", "oracle")
    for rate in FAULTS:
        yield Player(
            f"noisy-oracle {NOISE[0]:g}, faults {rate:g}", "noisy-oracle", {"rate": NOISE[0]}, trials=3, failure_rate=rate
        )


def play(env_id: str, directory: Path, *, tasks: int, workers: int) -> list[Entry]:
    """Play every policy over the same tasks of the test split."""
    found = list(players(env_id))
    for player in found:
        evaluate(
            env_id,
            player.policy,
            out=directory / player.name,
            tasks=tasks,
            split="test",
            trials=player.trials,
            workers=workers,
            failure_rate=player.failure_rate,
            policy_options=player.options,
            trajectories=False,
        )
    return make_entries(read_runs([directory / player.name for player in found]))


def markdown(entries: Sequence[Entry]) -> str:
    """The table of one family, in percent."""
    k = entries[0].summary.most
    heads = ["policy", "pass@1", f"pass@{k}", f"pass^{k}", "score", "clean", "perfect", "optimality", "calls"]
    lines = [f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1)]
    for entry in entries:
        s = entry.summary
        cells = [entry.label, _spread(s.success), _share(s.pass_at[k]), _share(s.pass_hat[k])]
        cells += [_share(each) for each in (s.score, s.clean, s.perfect, s.optimality)]
        lines.append(f"| {' | '.join([*cells, f'{s.calls:.1f}'])} |")
    return "\n".join(lines) + "\n"


def write(entries: Sequence[Entry], name: str, directory: Path) -> None:
    """The table and the figures of one family."""
    (directory / f"comparison_{name}.inc").write_text(markdown(entries), encoding="utf-8")
    plain = [entry for entry in entries if not entry.run.failure_rate]
    correlations = {entry.label: tables(entry) for entry in plain}
    for drawn in draw_figures(plain, correlations, make_curves(entries)):
        if drawn.name in FIGURES[name]:
            (directory / f"comparison_{name}_{drawn.name}.png").write_bytes(png(drawn.figure))


def _spread(estimate: Estimate) -> str:
    return f"{_share(estimate)}\N{NO-BREAK SPACE}({100 * estimate.low:.0f}\N{EN DASH}{100 * estimate.high:.0f})"


def _share(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f}" if estimate.n else ""


def main() -> None:
    """Play, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=60, help="tasks of each family")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--runs", type=Path, help="directory in which the runs are kept")
    parser.add_argument("--write", type=Path, help="directory for tables and figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name, env_id in FAMILIES.items():
            entries = play(env_id, (options.runs or Path(scratch)) / name, tasks=options.tasks, workers=options.workers)
            print(f"{env_id}, {options.tasks} tasks\n\n{markdown(entries)}")
            if options.write is not None:
                write(entries, name, options.write)


if __name__ == "__main__":
    main()
