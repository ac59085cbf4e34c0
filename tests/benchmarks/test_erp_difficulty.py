"""The difficulty study measures what it says."""

from __future__ import annotations

import pytest

from benchmarks.erp_difficulty import correlation_table, correlations, measure, ranks, spearman, tier_table
from opsgym.core.task import Task
from opsgym.evaluate.entry_points import entry_point_of, generate

ERP = entry_point_of("ERPBench-v0")


def test_ranks_share_ties_and_correlations_know_their_ends() -> None:
    assert ranks([10.0, 20.0, 20.0, 5.0]).tolist() == [2.0, 3.5, 3.5, 1.0]
    assert spearman([1, 2, 3], [1, 10, 100]) == pytest.approx(1.0)
    assert spearman([1, 2, 3], [5, 4, -7]) == pytest.approx(-1.0)
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert spearman([1, 1, 1], [1, 2, 3]) is None


def test_a_study_of_a_few_tasks_reads_as_tables() -> None:
    texts = [generate(ERP, seed, tier) for seed, tier in ((9, "easy"), (19, "easy"), (29, "medium"))]
    samples = [measure(ERP, text, 0.05) for text in texts]
    assert [sample.calls for sample in samples] == [len(Task.from_json(text).oracle) for text in texts]
    assert all(0.0 <= sample.noisy <= 1.0 for sample in samples)
    assert measure(ERP, texts[0], 0.0).noisy == 1.0
    assert tier_table(samples).count("\n") == 4
    rows = correlations(samples)
    assert "customers" in rows and "| customers | up |" in correlation_table(rows)
