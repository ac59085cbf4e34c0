"""Tables of a report, as files: CSV for people and Parquet for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opsgym.core.task import canonical_json
from opsgym.evaluate.metrics import Estimate, RobustnessPoint, Summary, failed_rules, failure_families
from opsgym.evaluate.metrics.groups import Key
from opsgym.evaluate.report.entries import Entry, Pair
from opsgym.evaluate.report.figures.parameters import Table

Row = dict[str, Any]


def make_tables(
    entries: Sequence[Entry],
    pairs: Sequence[Pair],
    correlations: Mapping[str, Table],
    curves: Mapping[tuple[str, str], Sequence[RobustnessPoint]],
) -> dict[str, list[Row]]:
    """Rows of every table by its name; tables without rows are left out."""
    tables = {
        "summary": [{**_who(entry), **summary_row(entry.summary)} for entry in entries],
        "by_tier": _by(entries, "tier"),
        "by_pattern": _by(entries, "pattern"),
        "paired": [_pair_row(pair) for pair in pairs],
        "correlations": [
            {**_who(entry), "outcome": outcome, "parameter": name, **each.as_dict()}
            for entry in entries
            for outcome, column in correlations[entry.label].items()
            for name, each in column.items()
        ],
        "failures": [
            {**_who(entry), "kind": kind, **each.as_dict()}
            for entry in entries
            for kind, shares in (("family", failure_families(entry.results)), ("rule", failed_rules(entry.results)))
            for each in shares
        ],
        "robustness": [
            {
                "policy": policy,
                "family": family,
                "failure_rate": point.failure_rate,
                **_spread("success", point.success),
                "retained": point.retained,
                "faults": point.faults,
            }
            for (policy, family), points in curves.items()
            for point in points
        ],
        "trials": [_trial_row(entry, place) for entry in entries for place in range(len(entry.results))],
    }
    return {name: rows for name, rows in tables.items() if rows}


def write_tables(tables: Mapping[str, list[Row]], directory: Path) -> list[Path]:
    """Each table as CSV and as Parquet; returns the files."""
    import pandas as pd

    written = []
    for name, rows in tables.items():
        frame = pd.DataFrame(rows)
        for suffix, write in ((".csv", frame.to_csv), (".parquet", frame.to_parquet)):
            path = directory / f"{name}{suffix}"
            write(path, index=False)
            written.append(path)
    return written


def summary_row(summary: Summary) -> Row:
    """A summary as one flat row; estimates have their ends beside them."""
    row: Row = {"tasks": summary.tasks, "trials": summary.trials, "masked": summary.masked}
    for k in sorted(summary.pass_at):
        row |= _spread(f"pass_at_{k}", summary.pass_at[k])
    for k in sorted(summary.pass_hat):
        if k > 1:
            row |= _spread(f"pass_hat_{k}", summary.pass_hat[k])
    for name in ("score", "clean", "perfect", "optimality", "refused"):
        row |= _spread(name, getattr(summary, name))
    plain = ("terminated", "calls", "oracle_calls", "turns", "errors", "faults")
    return {
        **row,
        **{name: getattr(summary, name) for name in (*plain, "prompt_tokens", "completion_tokens", "cost", "total_cost")},
    }


def _who(entry: Entry) -> Row:
    run = entry.run
    return {
        "run": run.name,
        "policy": run.policy,
        "model": run.model,
        "family": entry.family,
        "failure_rate": float("nan") if run.failure_rate is None else run.failure_rate,
    }


def _by(entries: Sequence[Entry], key: Key) -> list[Row]:
    return [
        {"run": entry.run.name, "family": entry.family, key: name, **summary_row(summary)}
        for entry in entries
        for name, summary in entry.groups(key).items()
    ]


def _pair_row(pair: Pair) -> Row:
    row: Row = {"left": pair.left.label, "right": pair.right.label, "family": pair.left.family}
    for name, each in (("success", pair.success), ("score", pair.score)):
        row |= {"tasks": each.tasks, f"{name}_left": each.left, f"{name}_right": each.right}
        row |= _spread(f"{name}_difference", each.difference)
        row |= {f"{name}_better": each.better, f"{name}_worse": each.worse, f"{name}_p": each.p_value}
    return {**row, "success_p_holm": pair.adjusted}


def _trial_row(entry: Entry, place: int) -> Row:
    """A trial; what is nested is JSON, so that every file has the same columns."""
    data = entry.results[place].model_dump()
    return {"run": entry.run.name, **{name: _flat(value) for name, value in data.items()}}


def _flat(value: Any) -> Any:
    return canonical_json(value) if isinstance(value, dict | list | tuple) else value


def _spread(name: str, estimate: Estimate) -> Row:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
