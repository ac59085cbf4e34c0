"""The difficulty study measures what it says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.erp_difficulty import correlation_table, correlations, measure, noisy, ranks, spearman, spoiled, tier_table
from opsgym.core.task import Task, ToolCall
from opsgym.evaluate.entry_points import entry_point_of, generate

ERP = entry_point_of("ERPBench-v0")
ORDER = ToolCall(name="order", arguments={"product": "P1", "lines": [{"quantity": 3, "date": "2026-03-31"}], "firm": True})


def test_ranks_share_ties_and_correlations_know_their_ends() -> None:
    assert ranks([10.0, 20.0, 20.0, 5.0]).tolist() == [2.0, 3.5, 3.5, 1.0]
    assert spearman([1, 2, 3], [1, 10, 100]) == pytest.approx(1.0)
    assert spearman([1, 2, 3], [5, 4, -7]) == pytest.approx(-1.0)
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert spearman([1, 1, 1], [1, 2, 3]) is None


def test_a_spoiled_call_is_off_by_one_step_or_gone() -> None:
    calls = [spoiled(ORDER, np.random.default_rng(seed)) for seed in range(60)]
    found = {call.model_dump_json() if call else "" for call in calls}
    lines = [(2, "2026-03-31"), (4, "2026-03-31"), (3, "2026-03-30"), (3, "2026-04-01")]
    expected = {
        ORDER.model_copy(update={"arguments": {**ORDER.arguments, "lines": [{"quantity": n, "date": day}]}}).model_dump_json()
        for n, day in lines
    }
    assert found == {"", *expected}


def test_noise_hits_calls_at_its_rate_and_never_the_last() -> None:
    calls = [ORDER] * 400 + [ToolCall(name="submit")]
    assert noisy(calls, 0.0, np.random.default_rng(1)) == calls
    script = noisy(calls, 0.25, np.random.default_rng(1))
    assert script[-1] == calls[-1]
    wrong = 400 - sum(call == ORDER for call in script)
    assert 70 <= wrong <= 130


def test_a_study_of_a_few_tasks_reads_as_tables() -> None:
    texts = [generate(ERP, seed, tier) for seed, tier in ((9, "easy"), (19, "easy"), (29, "medium"))]
    samples = [measure(ERP, text, 0.05) for text in texts]
    assert [sample.calls for sample in samples] == [len(Task.from_json(text).oracle) for text in texts]
    assert all(0.0 <= sample.noisy <= 1.0 for sample in samples)
    assert measure(ERP, texts[0], 0.0).noisy == 1.0
    assert tier_table(samples).count("\n") == 4
    rows = correlations(samples)
    assert "customers" in rows and "| customers | up |" in correlation_table(rows)
